//! The journal: the second, independent, append-only copy of the log.
//!
//! It is a folder of segments. Each segment consists of JSON lines: a header, then one line per event. Each line
//! carries a digest over the previous line's digest and its own payload's digest, so that the chain still verifies
//! after a payload was erased. The last segment is plain text; the others are sealed with zstd. Only the holder of the
//! space's write lock appends.

mod append;
mod end;
mod erase;
mod line;
mod read;
mod reader;
mod scan;
mod segment;

pub(crate) use append::Journal;
pub(crate) use erase::Erasure;
pub use line::{Digest, Line};
pub(crate) use line::{Entry, Header};
pub use read::{JournalReport, Lines};
pub(crate) use reader::{LARGEST_SEGMENT, LONGEST_LINE};
pub(crate) use scan::Scan;
pub(crate) use segment::Segment;

/// The version of the line format.
pub const JOURNAL_FORMAT: u32 = 1;
