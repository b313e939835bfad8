//! Folding: writes the log after the watermark as a new published part.

use std::collections::BTreeMap;
use std::sync::Arc;

use anamne_store::view::{Change, ChangeFeed, FOLD_BATCH, Fold, ViewError};
use anamne_types::Seq;
use roaring::RoaringBitmap;

use super::compaction::{BULK_BYTES, BULK_ROWS, Size, segments_to_merge};
use super::file::Damage;
use super::layout::{EntryLocation, Layout, Source};
use super::manifest::{Manifest, RowSpan};
use super::shelf::SegmentedView;
use super::state::{LiveSegment, Published, Tail, TailRow};
use super::writer::SegmentWriter;

/// How thorough a fold is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum FoldMode {
    /// Segments with mostly live rows keep their dead rows.
    Normal,
    /// No file keeps a dead row.
    Purge,
}

impl<L: Layout> SegmentedView<L> {
    /// See [`View::fold`](anamne_store::view::View::fold) and [`View::purge`](anamne_store::view::View::purge).
    pub(crate) fn fold(
        &self,
        feed: &dyn ChangeFeed,
        progress: &mut dyn FnMut(Seq),
        thoroughness: FoldMode,
    ) -> Result<Fold, ViewError> {
        if thoroughness == FoldMode::Purge && !self.folder.path().exists() {
            return Ok(Fold::Nothing);
        }
        self.folder.create()?;
        let Some(_lock) = self.folder.try_lock()? else {
            return Ok(Fold::Busy);
        };
        self.refresh();
        let snapshot = self.snapshot();
        let mut fold_over = |base: &Published<L>, rebuilding| {
            Folding::new(self, base, &snapshot.tail, thoroughness)?.run(feed, progress, rebuilding)
        };
        let mut folded = Ok(Fold::Nothing);
        let was_damaged = self.damaged();
        if !was_damaged {
            folded = fold_over(&snapshot.published, false);
        }
        // Also if damage appeared only while reading the old segments.
        if was_damaged || folded.is_err() && self.damaged() {
            folded = fold_over(&Published::empty(), true);
        }
        if let Ok(Fold::Published(_)) = folded {
            self.reload();
        }
        folded
    }
}

/// A fold in progress.
struct Folding<'a, L: Layout> {
    shelf: &'a SegmentedView<L>,
    /// Reuses the entries of the tail.
    tail: &'a Tail<L>,
    watermark: Seq,
    segments: Vec<LiveSegment<L>>,
    summary: L::Summary,
    /// Live rows that are not in a segment yet.
    fresh: BTreeMap<u32, Arc<L::Entry>>,
    fresh_bytes: usize,
    next_number: u64,
    damage: Arc<Damage>,
    thoroughness: FoldMode,
}

impl<'a, L: Layout> Folding<'a, L> {
    fn new(
        shelf: &'a SegmentedView<L>,
        base: &Published<L>,
        tail: &'a Tail<L>,
        thoroughness: FoldMode,
    ) -> Result<Self, ViewError> {
        Ok(Self {
            shelf,
            tail,
            watermark: base.watermark,
            segments: base.segments.clone(),
            summary: L::Summary::clone(&base.summary),
            fresh: BTreeMap::new(),
            fresh_bytes: 0,
            next_number: shelf.folder.highest_number()? + 1,
            damage: Arc::default(),
            thoroughness,
        })
    }

    /// With `rebuilding`, publishes even if the log is empty, so that damaged files are replaced.
    fn run(
        mut self,
        feed: &dyn ChangeFeed,
        progress: &mut dyn FnMut(Seq),
        rebuilding: bool,
    ) -> Result<Fold, ViewError> {
        let head = feed.head()?;
        if head <= self.watermark && !rebuilding && !self.keeps_dead_rows() {
            if self.thoroughness == FoldMode::Purge {
                // Files left by an interrupted fold may contain text that was erased since.
                self.shelf.folder.sweep_all(&self.numbers())?;
            }
            return Ok(Fold::Nothing);
        }
        while self.watermark < head {
            let changes = complete_events(feed.since(self.watermark, FOLD_BATCH)?);
            // Rows whose last change is now after the head belong to a later fold or the tail.
            let Some(last) = changes.last() else { break };
            let reached = last.seq;
            if reached <= self.watermark {
                return Err(ViewError::Feed(format!(
                    "event {reached} repeated after {}",
                    self.watermark
                )));
            }
            self.take(&changes)?;
            self.watermark = reached;
            progress(reached);
        }
        self.watermark = self.watermark.max(head);
        self.publish()?;
        Ok(Fold::Published(self.watermark))
    }

    fn take(&mut self, changes: &[Change]) -> Result<(), ViewError> {
        for (change, entry) in changes.iter().zip(self.entries(changes)?) {
            self.withdraw(change.row.0)?;
            if let Some(entry) = entry {
                L::add(&mut self.summary, &entry);
                self.fresh_bytes += L::weight(&entry);
                self.fresh.insert(change.row.0, entry);
            }
            if self.fresh.len() >= BULK_ROWS || self.fresh_bytes >= BULK_BYTES {
                self.write(&[])?;
            }
        }
        Ok(())
    }

    /// The entry of each change; entries of the tail are reused.
    fn entries(&self, changes: &[Change]) -> Result<Vec<Option<Arc<L::Entry>>>, ViewError> {
        let in_tail = |change: &Change| {
            let state = self.tail.rows.get(&change.row.0);
            let is_made = |state: &&TailRow<L>| {
                let entry = state.entry.as_deref();
                state.seq == change.seq && !entry.is_some_and(L::is_pending)
            };
            state.filter(is_made)
        };
        let made = |change: &&Change| in_tail(change).is_none();
        let records: Vec<_> = changes
            .iter()
            .filter(made)
            .filter_map(|change| change.record.as_ref())
            .collect();
        let mut fresh = self.shelf.layout.encode_all(&records)?.into_iter();
        let entries = changes.iter().map(|change| match in_tail(change) {
            Some(state) => state.entry.clone(),
            None if change.record.is_some() => fresh.next().map(Arc::new),
            None => None,
        });
        Ok(entries.collect())
    }

    /// Removes the previous version of `row`, wherever it is.
    fn withdraw(&mut self, row: u32) -> Result<(), ViewError> {
        if let Some(entry) = self.fresh.remove(&row) {
            self.fresh_bytes -= L::weight(&entry);
            L::withdraw(&mut self.summary, &entry);
        }
        for live in &mut self.segments {
            let slots = live.slots(row)?;
            if !slots.is_empty() {
                L::withdraw_slots(&mut self.summary, &live.segment, slots)?;
                live.dead.insert(row);
            }
        }
        Ok(())
    }

    /// Writes the fresh rows and the live rows of the segments at `merged` as one segment.
    fn write(&mut self, merged: &[usize]) -> Result<(), ViewError> {
        let sources = self.sources(merged)?;
        let opened = match (sources.first(), sources.last()) {
            (Some(first), Some(last)) => {
                let rows = RowSpan {
                    count: sources.len() as u32,
                    first: first.row,
                    last: last.row,
                };
                let mut writer =
                    SegmentWriter::create(self.shelf.folder.segment(self.next_number), L::KIND)?;
                self.shelf.layout.write(&sources, &mut writer)?;
                let entry = writer.finish(self.next_number, rows)?;
                let (layout, folder) = (&self.shelf.layout, &self.shelf.folder);
                let dead = RoaringBitmap::new();
                Some(LiveSegment::open(
                    layout,
                    folder,
                    entry,
                    dead,
                    &self.damage,
                )?)
            }
            _ => None,
        };
        drop(sources);
        self.next_number += 1;
        self.fresh.clear();
        self.fresh_bytes = 0;
        for &at in merged.iter().rev() {
            self.segments.remove(at);
        }
        self.segments.extend(opened);
        Ok(())
    }

    fn sources(&self, merged: &[usize]) -> Result<Vec<Source<'_, L>>, ViewError> {
        let fresh = self.fresh.iter().map(|(&row, entry)| Source {
            row,
            place: EntryLocation::Entry(&**entry),
        });
        let mut sources: Vec<Source<'_, L>> = fresh.collect();
        for &at in merged {
            let live = &self.segments[at];
            let rows = L::rows(&live.segment)?
                .iter()
                .filter(|(row, _)| !live.dead.contains(*row));
            sources.extend(rows.map(|(row, slots)| Source {
                row,
                place: EntryLocation::Slots(&*live.segment, slots),
            }));
        }
        // Rows are unique, so an unstable sort is deterministic.
        sources.sort_unstable_by_key(|source| source.row);
        Ok(sources)
    }

    /// Whether there are dead rows that this fold must remove.
    fn keeps_dead_rows(&self) -> bool {
        self.thoroughness == FoldMode::Purge
            && self.segments.iter().any(|live| !live.dead.is_empty())
    }

    fn numbers(&self) -> Vec<u64> {
        self.segments.iter().map(|live| live.entry.number).collect()
    }

    fn publish(&mut self) -> Result<(), ViewError> {
        self.segments
            .retain(|live| live.dead.len() < live.entry.rows.count as u64);
        while self.keeps_dead_rows() {
            let dead = |live: &LiveSegment<L>| !live.dead.is_empty();
            let at: Vec<_> = self.segments.iter().position(dead).into_iter().collect();
            self.write(&at)?;
        }
        let merged = segments_to_merge(
            &self.segments.iter().map(size).collect::<Vec<_>>(),
            self.fresh.len(),
        );
        if !self.fresh.is_empty() || !merged.is_empty() {
            self.write(&merged)?;
        }
        let segments: Vec<_> = self
            .segments
            .iter()
            .map(|live| (live.entry.clone(), live.dead.clone()))
            .collect();
        let keep = self.numbers();
        let summary = L::encode_summary(&self.summary);
        let parameters = self.shelf.layout.parameters();
        let manifest = Manifest {
            parameters,
            watermark: self.watermark,
            summary,
            segments,
        };
        self.shelf.folder.publish(&manifest.encode())?;
        match self.thoroughness {
            FoldMode::Normal => self.shelf.folder.sweep(&keep),
            FoldMode::Purge => self.shelf.folder.sweep_all(&keep),
        }
    }
}

fn size<L: Layout>(live: &LiveSegment<L>) -> Size {
    let dead = live.dead.len() as usize;
    Size {
        live: (live.entry.rows.count as usize).saturating_sub(dead),
        dead,
    }
}

/// A full batch may end in the middle of an event that changes several rows: the last event is left for the next batch.
fn complete_events(mut changes: Vec<Change>) -> Vec<Change> {
    if changes.len() >= FOLD_BATCH
        && let Some(last) = changes.last().map(|change| change.seq)
        && let Some(before) = changes.iter().rposition(|change| change.seq < last)
    {
        changes.truncate(before + 1);
    }
    changes
}
