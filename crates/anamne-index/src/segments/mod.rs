//! Derived, immutable, memory-mapped files keyed by row, and the view that is built of them.
//!
//! A folder holds a `manifest`, which names the segments and the rows in them that no longer count,
//! and `segment-<number>` files, which never change once the manifest names them. [`Shelf`] does all
//! that [`View`](anamne_store::view::View) asks of such a folder; a [`Layout`] says what a row's entry
//! is and how entries stand in a segment.
//!
//! Three rules keep it whole. The manifest is replaced by atomic rename after everything that it names
//! is on the disk, so a crash leaves the old state or the new one. Every byte of every file lies under
//! a checksum that is compared before the byte is used. And a row lives in at most one segment: in any
//! other that holds it, the manifest lists it as dead.

mod bytes;
mod compaction;
mod file;
mod fold;
mod folder;
mod layout;
mod manifest;
mod map;
mod rows;
mod shelf;
mod state;
mod writer;

pub(crate) use bytes::{ByteReader, ByteWriter};
pub(crate) use file::SegmentFile;
pub(crate) use fold::Thoroughness;
pub(crate) use layout::{Layout, Place, Source};
pub(crate) use shelf::{Shelf, view_of_shelf};
pub(crate) use state::{Live, RowLocation, Snapshot};
pub(crate) use writer::SegmentWriter;
