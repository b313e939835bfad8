//! Derived, immutable, memory-mapped files keyed by row, and the views built on them.
//!
//! A folder contains a `manifest`, which lists the segments and their dead rows, and `segment-<number>` files, which
//! never change once the manifest lists them. [`SegmentedView`] implements [`View`](anamne_store::view::View) on such a folder;
//! a [`Layout`] defines a row's entry and the encoding of entries in a segment.
//!
//! Three rules keep it consistent. The manifest is replaced by atomic rename after everything it lists is on disk, so a
//! crash leaves the old state or the new one. Every byte of every file is covered by a checksum that is verified before
//! the byte is used. A row is live in at most one segment: in any other segment that contains it, the manifest lists it
//! as dead.

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
pub(crate) use fold::FoldMode;
pub(crate) use layout::{EntryLocation, Layout, Source};
pub(crate) use shelf::{SegmentedView, view_of_shelf};
pub(crate) use state::{LiveSegment, RowLocation, Snapshot};
pub(crate) use writer::SegmentWriter;
