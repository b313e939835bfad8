//! Folds the log into the index on disk, under the folder's lock.

use std::fs::{self, File, TryLockError};
use std::path::{Path, PathBuf};

use anamne_store::view::{Change, ChangeFeed, FOLD_BATCH, Fold, ViewError};
use anamne_types::Seq;
use roaring::RoaringBitmap;
use tantivy::indexer::{IndexWriterOptions, LogMergePolicy, NoMergePolicy};
use tantivy::schema::TantivyDocument;
use tantivy::store::Compressor;
use tantivy::{Index, IndexSettings, IndexWriter, SegmentMeta, Term};

use crate::segments::FoldMode;

use super::directory::{SealedDirectory, open_private};
use super::engine::{CommitMark, EngineError, Fields, guarded, schema, with_analyser};
use super::published::{open_index, verify};

/// A long fold commits after about this many rows, so that a crash loses little.
const COMMIT_ROWS: u64 = 50_000;

/// Indexing memory: tantivy's minimum, and the size for large folds.
const SMALL_BUDGET: usize = 15_000_000;
const LARGE_BUDGET: usize = 50_000_000;

/// Number of events that makes a fold large.
const LARGE_FOLD_EVENTS: u64 = 20_000;

/// Number of segments of similar size that are merged into one.
const MERGE_FACTOR: usize = 4;

/// The share of dead documents at which a segment is rewritten.
const DEAD_SHARE: f32 = 0.25;

/// Takes the lock file beside the folder (the folder itself may be replaced).
///
/// `None` if another process holds it; the operating system releases it when the holder dies.
pub(super) fn lock(folder: &Path) -> Result<Option<File>, ViewError> {
    let path = beside(folder, "lock");
    if let Some(parent) = path.parent() {
        create_private_folder(parent)?;
    }
    let file = open_private(&path).map_err(|error| ViewError::io("open", &path, error))?;
    match file.try_lock() {
        Ok(()) => Ok(Some(file)),
        Err(TryLockError::WouldBlock) => Ok(None),
        Err(TryLockError::Error(error)) => Err(ViewError::io("lock", &path, error)),
    }
}

fn beside(folder: &Path, ending: &str) -> PathBuf {
    let mut name = folder.file_name().unwrap_or_default().to_owned();
    name.push(".");
    name.push(ending);
    folder.with_file_name(name)
}

fn create_private_folder(path: &Path) -> Result<(), ViewError> {
    anamne_store::beside::create_folder(path).map_err(|error| ViewError::Engine(error.to_string()))
}

/// Renames a damaged folder to `<name>.damaged`, replacing an earlier one.
fn set_aside(folder: &Path) -> Result<(), ViewError> {
    let aside = beside(folder, "damaged");
    for (action, done) in [
        ("remove", remove_if_there(&aside)),
        ("set aside", rename_if_there(folder, &aside)),
    ] {
        done.map_err(|error| ViewError::io(action, folder, error))?;
    }
    Ok(())
}

fn remove_if_there(folder: &Path) -> std::io::Result<()> {
    match fs::symlink_metadata(folder) {
        Ok(metadata) if metadata.is_dir() => fs::remove_dir_all(folder),
        Ok(_) => fs::remove_file(folder),
        Err(_) => Ok(()),
    }
}

fn rename_if_there(folder: &Path, aside: &Path) -> std::io::Result<()> {
    if fs::symlink_metadata(folder).is_err() {
        Ok(())
    } else {
        fs::rename(folder, aside)
    }
}

/// Folds the log after the watermark of the index in `folder`, which the caller has locked.
///
/// A damaged index is quarantined first, and so is any index if the view `is_broken`.
pub(super) fn fold(
    folder: &Path,
    is_broken: bool,
    feed: &dyn ChangeFeed,
    progress: &mut dyn FnMut(Seq),
    thoroughness: FoldMode,
) -> Result<Fold, ViewError> {
    // Merging damaged segments would write a valid checksum over damaged postings.
    let published = if is_broken { None } else { verify(folder).ok() };
    if published.is_none() {
        set_aside(folder)?;
    }
    let begin_at = published.flatten().unwrap_or_default();
    let batch = Batch::read(feed, begin_at.watermark)?;
    let usual = thoroughness == FoldMode::Normal;
    if published.is_some() && batch.changes.is_empty() && usual {
        return Ok(Fold::Nothing);
    }
    create_private_folder(folder)?;
    guarded(|| match Folding::open(folder, begin_at, batch.head) {
        Ok(folding) if usual => folding.run(feed, batch, progress),
        Ok(folding) => folding.run_and_purge(feed, batch, progress),
        Err(failed) if failed.busy => Ok(Fold::Busy),
        Err(failed) => Err(failed.into()),
    })
}

/// A part of the log.
struct Batch {
    changes: Vec<Change>,
    head: Seq,
    /// The event up to which these changes cover the log.
    through: Seq,
    is_last: bool,
}

impl Batch {
    fn read(feed: &dyn ChangeFeed, after: Seq) -> Result<Self, ViewError> {
        let head = feed.head()?;
        let changes = feed.since(after, FOLD_BATCH)?;
        let is_last = changes.len() < FOLD_BATCH;
        let changed = changes.last().map_or(after, |change| change.seq);
        if !changes.is_empty() && changed <= after {
            return Err(ViewError::Feed(format!(
                "changes after {} end at {}",
                after.0, changed.0
            )));
        }
        let through = if is_last { changed.max(head) } else { changed };
        Ok(Self {
            changes,
            head,
            through,
            is_last,
        })
    }
}

/// A fold in progress.
struct Folding {
    writer: IndexWriter,
    fields: Fields,
    /// The mark of the last commit.
    committed: CommitMark,
    /// The mark for the next commit.
    mark: CommitMark,
    /// Rows added since the fold began.
    added: RoaringBitmap,
    uncommitted: u64,
}

impl Folding {
    fn open(folder: &Path, committed: CommitMark, head: Seq) -> Result<Self, EngineError> {
        let index = match open_index(folder)? {
            Some(index) => index,
            None => create_index(folder)?,
        };
        let much = head.0.saturating_sub(committed.watermark.0) > LARGE_FOLD_EVENTS;
        let options = IndexWriterOptions::builder()
            .num_worker_threads(1)
            .num_merge_threads(1)
            .memory_budget_per_thread(if much { LARGE_BUDGET } else { SMALL_BUDGET })
            .build();
        let writer = index.writer_with_options(options)?;
        let mut merging = LogMergePolicy::default();
        merging.set_min_num_segments(MERGE_FACTOR);
        merging.set_del_docs_ratio_before_merge(DEAD_SHARE);
        writer.set_merge_policy(Box::new(merging));
        let (added, fields) = (RoaringBitmap::new(), schema().1);
        Ok(Self {
            writer,
            fields,
            committed,
            mark: committed,
            added,
            uncommitted: 0,
        })
    }

    fn run(
        mut self,
        feed: &dyn ChangeFeed,
        first: Batch,
        progress: &mut dyn FnMut(Seq),
    ) -> Result<Fold, ViewError> {
        self.take_all(feed, first, progress)?;
        self.writer
            .wait_merging_threads()
            .map_err(EngineError::from)?;
        Ok(Fold::Published(self.mark.watermark))
    }

    /// Folds, then rewrites every segment with deleted documents: until then their terms remain in the segment's
    /// dictionary.
    fn run_and_purge(
        mut self,
        feed: &dyn ChangeFeed,
        first: Batch,
        progress: &mut dyn FnMut(Seq),
    ) -> Result<Fold, ViewError> {
        // Prevents other merges from removing segments in between.
        self.writer.set_merge_policy(Box::new(NoMergePolicy));
        self.take_all(feed, first, progress)?;
        let watermark = self.mark.watermark;
        self.purge()?;
        Ok(Fold::Published(watermark))
    }

    fn purge(mut self) -> Result<(), EngineError> {
        // Ids only: tantivy keeps the files of a segment as long as its metadata is referenced.
        let with_dead: Vec<_> = self
            .writer
            .index()
            .searchable_segment_metas()?
            .iter()
            .filter(|segment| segment.has_deletes())
            .map(SegmentMeta::id)
            .collect();
        for segment in with_dead {
            self.writer.merge(&[segment]).wait()?;
        }
        self.writer.garbage_collect_files().wait()?;
        self.writer.wait_merging_threads()?;
        Ok(())
    }

    /// Indexes the log to its end, and commits.
    fn take_all(
        &mut self,
        feed: &dyn ChangeFeed,
        first: Batch,
        progress: &mut dyn FnMut(Seq),
    ) -> Result<(), ViewError> {
        let mut batch = first;
        loop {
            batch
                .changes
                .iter()
                .try_for_each(|change| self.apply(change))?;
            self.mark.watermark = batch.through;
            progress(batch.through);
            if batch.is_last {
                break;
            }
            if self.uncommitted >= COMMIT_ROWS {
                self.commit()?;
            }
            batch = Batch::read(feed, batch.through)?;
        }
        Ok(self.commit()?)
    }

    fn apply(&mut self, change: &Change) -> Result<(), EngineError> {
        let row = change.row.0;
        // A deletion searches every segment; rows that were never added need none.
        if u64::from(row) < self.committed.rows || self.added.contains(row) {
            self.writer
                .delete_term(Term::from_field_u64(self.fields.row, u64::from(row)));
        }
        self.uncommitted += 1;
        let Some(record) = &change.record else {
            return Ok(());
        };
        let mut document = TantivyDocument::default();
        document.add_u64(self.fields.row, u64::from(row));
        let texts = [&record.text, &record.author_name];
        for (field, text) in self.fields.searched.into_iter().zip(texts) {
            if !text.is_empty() {
                document.add_text(field, text);
            }
        }
        self.writer.add_document(document)?;
        self.added.insert(row);
        self.mark.rows = self.mark.rows.max(u64::from(row) + 1);
        Ok(())
    }

    fn commit(&mut self) -> Result<(), EngineError> {
        let mut commit = self.writer.prepare_commit()?;
        commit.set_payload(&self.mark.to_payload());
        commit.commit()?;
        self.uncommitted = 0;
        Ok(())
    }
}

fn create_index(folder: &Path) -> Result<Index, EngineError> {
    // Nothing is stored, so there is nothing to compress.
    let settings = IndexSettings {
        docstore_compression: Compressor::None,
        docstore_compress_dedicated_thread: false,
        ..IndexSettings::default()
    };
    Ok(with_analyser(Index::create(
        SealedDirectory::open(folder)?,
        schema().0,
        settings,
    )?))
}
