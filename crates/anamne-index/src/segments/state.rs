//! The state of a view: published part, tail, and their combination.

use std::collections::BTreeMap;
use std::fs::File;
use std::io::{ErrorKind, Read};
use std::ops::{Range, RangeInclusive};
use std::sync::Arc;

use anamne_store::view::ViewError;
use anamne_types::Seq;
use roaring::RoaringBitmap;

use super::file::{Damage, SegmentFile};
use super::folder::{Folder, ManifestStamp};
use super::layout::Layout;
use super::manifest::{Manifest, SegmentEntry};

/// Implements `Clone` field by field; deriving it would require the layout to be `Clone`.
macro_rules! clone_fields {
    ($name:ident { $($field:ident),+ }) => {
        impl<L: Layout> Clone for $name<L> {
            fn clone(&self) -> Self {
                Self { $($field: Clone::clone(&self.$field)),+ }
            }
        }
    };
}

/// A segment with its dead rows.
pub(crate) struct LiveSegment<L: Layout> {
    pub(crate) segment: Arc<L::Segment>,
    pub(crate) dead: RoaringBitmap,
    pub(super) entry: SegmentEntry,
}

clone_fields!(LiveSegment {
    segment,
    dead,
    entry
});

impl<L: Layout> LiveSegment<L> {
    /// Opens the segment described by `entry`.
    pub(super) fn open(
        layout: &L,
        folder: &Folder,
        entry: SegmentEntry,
        dead: RoaringBitmap,
        damage: &Arc<Damage>,
    ) -> Result<Self, ViewError> {
        let file = SegmentFile::open(
            folder.segment(entry.number),
            L::KIND,
            &entry,
            damage.clone(),
        )?;
        Ok(Self {
            segment: Arc::new(layout.open(file)?),
            dead,
            entry,
        })
    }

    /// Whether the segment may contain some of these rows.
    pub(crate) fn spans(&self, rows: &RangeInclusive<u32>) -> bool {
        self.entry.rows.first <= *rows.end() && self.entry.rows.last >= *rows.start()
    }

    /// The slots of `row`, empty if it is dead or absent here.
    pub(crate) fn slots(&self, row: u32) -> Result<Range<usize>, ViewError> {
        let rows = &self.entry.rows;
        if !(rows.first..=rows.last).contains(&row) || self.dead.contains(row) {
            return Ok(0..0);
        }
        Ok(L::rows(&self.segment)?.slots(row))
    }
}

/// A segment and slots in it.
type SegmentSlots<'a, L> = (&'a LiveSegment<L>, Range<usize>);

/// The published files, as of one manifest.
pub(crate) struct Published<L: Layout> {
    pub(super) watermark: Seq,
    pub(super) segments: Vec<LiveSegment<L>>,
    pub(super) summary: Arc<L::Summary>,
    /// The first damage found during reads.
    pub(super) damage: Arc<Damage>,
    /// Kept open so that the inode of this manifest is not reused; see [`ManifestStamp`].
    held: Option<File>,
}

impl<L: Layout> Published<L> {
    /// The state of an empty folder.
    pub(super) fn empty() -> Self {
        Self {
            watermark: Seq(0),
            segments: Vec::new(),
            summary: Arc::default(),
            damage: Arc::default(),
            held: None,
        }
    }

    /// The slots of `row`, if it is published and live: it is live in at most one segment.
    pub(crate) fn find(&self, row: u32) -> Result<Option<SegmentSlots<'_, L>>, ViewError> {
        for live in self.segments.iter().rev() {
            let slots = live.slots(row)?;
            if !slots.is_empty() {
                return Ok(Some((live, slots)));
            }
        }
        Ok(None)
    }

    /// Whether all of its files are unmodified; if not, records damage.
    pub(super) fn is_unmodified(&self) -> bool {
        self.segments
            .iter()
            .all(|live| L::file(&live.segment).is_unmodified())
    }

    /// Verifies all checksums.
    pub(super) fn verify(&self, folder: &Folder) -> Result<(), ViewError> {
        if self.held.is_some() {
            let mut file =
                File::open(folder.manifest()).map_err(|error| io("open", folder, error))?;
            read_manifest(&mut file, folder)?;
        }
        self.segments
            .iter()
            .try_for_each(|live| L::file(&live.segment).verify(&live.entry))
    }
}

/// Reads the manifest and opens the files it lists; also returns the stamp of that manifest.
///
/// Retries if another process publishes in between, because segments may be gone then.
pub(super) fn load<L: Layout>(
    layout: &L,
    folder: &Folder,
) -> (Option<ManifestStamp>, Result<Published<L>, ViewError>) {
    let mut seen = None;
    loop {
        let (stamp, loaded) = load_once(layout, folder);
        // An error is final if two attempts in a row read the same manifest.
        if loaded.is_ok() || stamp == seen {
            return (stamp, loaded);
        }
        seen = stamp;
    }
}

fn load_once<L: Layout>(
    layout: &L,
    folder: &Folder,
) -> (Option<ManifestStamp>, Result<Published<L>, ViewError>) {
    let file = match File::open(folder.manifest()) {
        Ok(file) => file,
        Err(error) if matches!(error.kind(), ErrorKind::NotFound | ErrorKind::NotADirectory) => {
            return (None, Ok(Published::empty()));
        }
        Err(error) => {
            return (
                folder.stamp().ok().flatten(),
                Err(io("open", folder, error)),
            );
        }
    };
    match file.metadata() {
        Ok(metadata) => (
            Some(ManifestStamp::of(&metadata)),
            open_all(layout, folder, file),
        ),
        Err(error) => (None, Err(io("read", folder, error))),
    }
}

fn open_all<L: Layout>(
    layout: &L,
    folder: &Folder,
    mut file: File,
) -> Result<Published<L>, ViewError> {
    let manifest = read_manifest(&mut file, folder)?;
    let parameters = layout.parameters();
    if manifest.parameters != parameters {
        let reason = format!(
            "parameters {:?} differ from this program's {parameters:?}",
            manifest.parameters
        );
        return Err(ViewError::damaged(&folder.manifest(), reason));
    }
    let summary = L::decode_summary(&manifest.summary)
        .ok_or_else(|| ViewError::damaged(&folder.manifest(), "inconsistent statistics"))?;
    let damage = Arc::default();
    let segments = manifest.segments.into_iter();
    let segments = segments
        .map(|(entry, dead)| LiveSegment::open(layout, folder, entry, dead, &damage))
        .collect::<Result<Vec<_>, _>>()?;
    let summary = Arc::new(summary);
    Ok(Published {
        watermark: manifest.watermark,
        segments,
        summary,
        damage,
        held: Some(file),
    })
}

fn read_manifest(file: &mut File, folder: &Folder) -> Result<Manifest, ViewError> {
    let mut bytes = Vec::new();
    file.read_to_end(&mut bytes)
        .map_err(|error| io("read", folder, error))?;
    Manifest::decode(&bytes).map_err(|reason| ViewError::damaged(&folder.manifest(), reason))
}

fn io(action: &'static str, folder: &Folder, error: std::io::Error) -> ViewError {
    ViewError::io(action, &folder.manifest(), error)
}

/// Changes after the watermark.
pub(crate) struct Tail<L: Layout> {
    /// The changed rows; their published versions are masked.
    pub(super) rows: BTreeMap<u32, TailRow<L>>,
    /// The same rows, as a bitmap.
    pub(crate) masked: RoaringBitmap,
}

/// The last state of a row in the tail.
pub(super) struct TailRow<L: Layout> {
    pub(super) seq: Seq,
    /// `None` if it was forgotten.
    pub(super) entry: Option<Arc<L::Entry>>,
}

clone_fields!(TailRow { seq, entry });

clone_fields!(Tail { rows, masked });

impl<L: Layout> Default for Tail<L> {
    fn default() -> Self {
        Self {
            rows: BTreeMap::new(),
            masked: RoaringBitmap::new(),
        }
    }
}

/// A consistent snapshot of published part and tail; cheap to clone, unaffected by later changes.
pub(crate) struct Snapshot<L: Layout> {
    pub(super) published: Arc<Published<L>>,
    pub(super) tail: Arc<Tail<L>>,
    pub(super) summary: Arc<L::Summary>,
}

clone_fields!(Snapshot {
    published,
    tail,
    summary
});

/// The location of a row's current version.
pub(crate) enum RowLocation<'a, L: Layout> {
    /// In the tail.
    Entry(&'a L::Entry),
    /// In slots of a segment.
    Slots(&'a L::Segment, Range<usize>),
}

impl<L: Layout> Snapshot<L> {
    /// An empty snapshot.
    pub(super) fn empty() -> Self {
        Self {
            published: Arc::new(Published::empty()),
            tail: Arc::default(),
            summary: Arc::default(),
        }
    }

    /// The segments, oldest first; rows that are dead in them or masked by the tail must be skipped.
    pub(crate) fn segments(&self) -> &[LiveSegment<L>] {
        &self.published.segments
    }

    /// The rows changed after the watermark.
    pub(crate) fn masked(&self) -> &RoaringBitmap {
        &self.tail.masked
    }

    /// The live rows of the tail, ascending.
    pub(crate) fn tail(&self) -> impl Iterator<Item = (u32, &L::Entry)> {
        self.tail
            .rows
            .iter()
            .filter_map(|(&row, state)| Some((row, &**state.entry.as_ref()?)))
    }

    /// The live rows of the tail within `rows`, ascending.
    pub(crate) fn tail_between(
        &self,
        rows: RangeInclusive<u32>,
    ) -> impl Iterator<Item = (u32, &L::Entry)> {
        self.tail
            .rows
            .range(rows)
            .filter_map(|(&row, state)| Some((row, &**state.entry.as_ref()?)))
    }

    /// Statistics over all live rows.
    pub(crate) fn summary(&self) -> &L::Summary {
        &self.summary
    }

    /// The current version of `row`; `None` if there is no live memory. O(segments · log n).
    pub(crate) fn find(&self, row: u32) -> Result<Option<RowLocation<'_, L>>, ViewError> {
        if let Some(state) = self.tail.rows.get(&row) {
            return Ok(state.entry.as_deref().map(RowLocation::Entry));
        }
        Ok(self
            .published
            .find(row)?
            .map(|(live, slots)| RowLocation::Slots(&*live.segment, slots)))
    }

    /// Subtracts the current version of `row` from the summary.
    fn withdraw(&mut self, row: u32) -> Result<(), ViewError> {
        let summary = Arc::make_mut(&mut self.summary);
        if let Some(state) = self.tail.rows.get(&row) {
            if let Some(entry) = &state.entry {
                L::withdraw(summary, entry);
            }
        } else if let Some((live, slots)) = self.published.find(row)? {
            L::withdraw_slots(summary, &live.segment, slots)?;
        }
        Ok(())
    }

    /// Adds the new version of `row` to the tail.
    ///
    /// Damage found in the published part is recorded there, which marks the view as broken.
    pub(super) fn apply(&mut self, row: u32, seq: Seq, entry: Option<Arc<L::Entry>>) {
        let _ = self.withdraw(row);
        if let Some(entry) = &entry {
            L::add(Arc::make_mut(&mut self.summary), entry);
        }
        let tail = Arc::make_mut(&mut self.tail);
        tail.rows.insert(row, TailRow { seq, entry });
        tail.masked.insert(row);
    }

    /// Replaces the published part and keeps the newer part of the tail.
    pub(super) fn rebase(&mut self, published: Arc<Published<L>>) {
        let newer: Vec<(u32, TailRow<L>)> = self
            .tail
            .rows
            .iter()
            .filter(|(_, state)| state.seq > published.watermark)
            .map(|(&row, state)| (row, state.clone()))
            .collect();
        *self = Self {
            summary: published.summary.clone(),
            published,
            tail: Arc::default(),
        };
        for (row, state) in newer {
            self.apply(row, state.seq, state.entry);
        }
    }
}
