//! The query log of a space, and what recall learns from it.
//!
//! `observed/meta.db` logs the latest queries, where they were answered and what they cost, with statistics for
//! planning the next ones. It is observed data, not derived from the log, and can't be restored: a damaged file is
//! quarantined and never makes a query fail. Queries are buffered in memory and written by the background, by settling
//! and on closing. By default the file contains no words, only hashes under its own key.

mod file;
mod learned;
mod note;

use std::collections::BTreeSet;
use std::path::PathBuf;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use anamne_recall::{
    AccessCounts, Advice, PlannerHistory, QuerySignature, QueryTrace, RecallCache,
};
use anamne_store::beside::OBSERVED;
use anamne_store::{Budget, Class, Damage, Derived, Effort, QueryLogging, SpaceSource, StoreError};
use anamne_types::{Door, Row};

use super::{Site, gone};
use crate::Error;
use crate::query::observed::Observer;
pub use file::LoggedQuery;
use file::MetaFile;
pub(crate) use learned::Key;
use learned::{Answers, Learned};
use note::{MemoryAccess, Note};

/// Its name in reports.
const NAME: &str = "meta";

/// Number of buffered queries at which the background writes them.
const MANY_NOTES: usize = 1_024;

/// Maximum number of buffered entries; beyond it, the older half is dropped.
const MOST_NOTES: usize = 4_096;

/// The query log and learned statistics of a space, in this process.
pub(crate) struct QueryLog {
    source: Arc<SpaceSource>,
    door: Door,
    observer: Observer,
    notes: Mutex<Vec<Note>>,
    /// Buffered accesses.
    opened: Mutex<Vec<MemoryAccess>>,
    /// All accesses, including buffered ones; read by the first query.
    openings: Mutex<Option<Arc<AccessCounts>>>,
    /// Learned statistics; read by the first query that can be planned.
    learned: Mutex<Option<Learned>>,
    /// Cached hits of queries in colder tiers.
    answers: Mutex<Answers>,
    file: Mutex<MetaFile>,
}

impl QueryLog {
    /// No I/O.
    pub(super) fn new(site: &Site) -> Self {
        let path = site.source.folder().join(OBSERVED).join("meta.db");
        Self {
            source: site.source.clone(),
            door: site.door,
            observer: site.observer.clone(),
            notes: Mutex::default(),
            opened: Mutex::default(),
            openings: Mutex::default(),
            learned: Mutex::default(),
            answers: Mutex::default(),
            file: Mutex::new(MetaFile::at(&path)),
        }
    }

    fn file(&self) -> MutexGuard<'_, MetaFile> {
        self.file.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn notes(&self) -> MutexGuard<'_, Vec<Note>> {
        self.notes.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn opened(&self) -> MutexGuard<'_, Vec<MemoryAccess>> {
        self.opened.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn openings(&self) -> MutexGuard<'_, Option<Arc<AccessCounts>>> {
        self.openings.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn answers(&self) -> MutexGuard<'_, Answers> {
        self.answers.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn learned(&self) -> MutexGuard<'_, Option<Learned>> {
        self.learned.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Whether enough entries are buffered to write them.
    pub(crate) fn has_many_notes(&self) -> bool {
        self.notes().len() + self.opened().len() >= MANY_NOTES
    }

    fn kept(&self) -> QueryLogging {
        self.source.config().meta.queries
    }

    /// Writes the buffered entries, and reads what other processes learned.
    fn write(&self) -> Result<(), StoreError> {
        let (now, kept) = (self.source.now().as_microsecond(), self.kept());
        let has_learned = self.learned().is_some();
        let has_openings = self.openings().is_some();
        // Locked before the others and until the end: what is taken here must not be written after a removal. Nobody
        // locks it while holding another.
        let mut file = self.file();
        let notes = std::mem::take(&mut *self.notes());
        let opened = std::mem::take(&mut *self.opened());
        if notes.is_empty() && opened.is_empty() || kept == QueryLogging::Off {
            return Ok(());
        }
        file.write(now, self.door, &notes, &opened)?;
        if has_learned {
            *self.learned() = Some(file.read()?);
        }
        if has_openings {
            let mut openings = file.openings()?;
            let mut known = self.openings();
            self.opened()
                .iter()
                .for_each(|later| openings.add(later.row, later.at));
            *known = Some(Arc::new(openings));
        }
        Ok(())
    }

    /// Clears the in-memory state.
    fn clear(&self) {
        self.notes().clear();
        self.opened().clear();
        *self.openings() = None;
        *self.learned() = None;
        self.answers().clear();
    }
}

/// The planner's view of a space's query history.
pub(crate) struct QueryHistory<'a>(pub(crate) &'a QueryLog);

impl QueryHistory<'_> {
    fn keeps(&self) -> bool {
        self.0.kept() != QueryLogging::Off
    }
}

impl PlannerHistory for QueryHistory<'_> {
    fn advise(&self, asked: &QuerySignature<'_>) -> Advice {
        if !self.keeps() {
            return Advice::default();
        }
        let note = Note::new(
            self.0.source.now().as_microsecond(),
            asked,
            QueryTrace::default(),
            None,
        );
        let meta = self.0;
        if meta.learned().is_none() {
            let mut file = meta.file();
            let read = file.exists().then(|| file.read().ok()).flatten();
            drop(file);
            let read = read.unwrap_or_else(|| Learned::new(Key::OF_MEMORY));
            meta.learned().get_or_insert(read);
        }
        let learned = meta.learned();
        let advice = learned.as_ref().map(|learned| learned.advise(&note));
        drop(learned);
        let colder = meta.answers().of(&note);
        meta.observer
            .cache(RecallCache::ColderHits, colder.is_some());
        Advice {
            colder,
            ..advice.unwrap_or_default()
        }
    }

    fn access_counts(&self) -> Arc<AccessCounts> {
        if !self.keeps() {
            return Arc::default();
        }
        let meta = self.0;
        let known = meta.openings().clone();
        meta.observer.cache(RecallCache::Openings, known.is_some());
        if let Some(openings) = known {
            return openings;
        }
        let mut file = meta.file();
        let read = file.exists().then(|| file.openings().ok()).flatten();
        drop(file);
        let mut known = meta.openings();
        if known.is_none() {
            let mut openings = read.unwrap_or_default();
            meta.opened()
                .iter()
                .for_each(|later| openings.add(later.row, later.at));
            *known = Some(Arc::new(openings));
        }
        known.clone().unwrap_or_default()
    }

    fn note(&self, asked: &QuerySignature<'_>, trace: QueryTrace) {
        if !self.keeps() {
            return;
        }
        let config = self.0.source.config();
        let logs_text = config.meta.queries == QueryLogging::Text;
        let guard = logs_text.then_some(&config.guard);
        let now = self.0.source.now().as_microsecond();
        let note = Note::new(now, asked, trace, guard);
        if note.teaches()
            && let Some(learned) = &mut *self.0.learned()
        {
            learned.learn(&note);
        }
        self.0.answers().keep(&note);
        let mut notes = self.0.notes();
        if notes.len() >= MOST_NOTES {
            notes.drain(..MOST_NOTES / 2);
        }
        notes.push(note);
    }
}

impl QueryLog {
    /// Records that a memory was read by its id.
    pub(crate) fn note_opening(&self, row: Row) {
        if self.kept() == QueryLogging::Off {
            return;
        }
        let at = self.source.now().as_microsecond();
        let mut openings = self.openings();
        let mut opened = self.opened();
        if opened.len() >= MOST_NOTES {
            opened.drain(..MOST_NOTES / 2);
        }
        opened.push(MemoryAccess { row, at });
        if let Some(openings) = &mut *openings {
            Arc::make_mut(openings).add(row, at);
        }
    }

    /// The access counts of these memories, including buffered ones; those never opened are missing.
    pub(crate) fn uses_of(&self, rows: &BTreeSet<Row>) -> Result<AccessCounts, StoreError> {
        let written = self.written(|file| {
            let each = rows
                .iter()
                .map(|row| Ok(file.opening(*row)?.map(|count| (*row, count))));
            each.collect::<Result<Vec<_>, StoreError>>()
        })?;
        let mut counts: AccessCounts = written.into_iter().flatten().flatten().collect();
        let buffered = self.opened();
        let buffered = buffered.iter().filter(|opened| rows.contains(&opened.row));
        buffered.for_each(|later| counts.add(later.row, later.at));
        Ok(counts)
    }

    /// The access counts of all memories, including buffered ones, as every process has written them.
    pub(crate) fn all_uses(&self) -> Result<AccessCounts, StoreError> {
        let mut counts = self.written(MetaFile::openings)?.unwrap_or_default();
        let buffered = self.opened();
        buffered
            .iter()
            .for_each(|later| counts.add(later.row, later.at));
        Ok(counts)
    }

    /// Reads the file; `None` if there is none.
    fn written<T>(
        &self,
        read: impl FnOnce(&mut MetaFile) -> Result<T, StoreError>,
    ) -> Result<Option<T>, StoreError> {
        let mut file = self.file();
        file.exists().then(|| read(&mut file)).transpose()
    }

    /// Writes the buffered entries. On failure they are dropped: they only affect what is searched first.
    pub(crate) fn write_down(&self) {
        let _ = self.write();
    }

    /// The latest queries, latest first, including buffered ones.
    pub(crate) fn log(&self, limit: usize) -> Result<Vec<LoggedQuery>, Error> {
        self.write()?;
        let mut file = self.file();
        if !file.exists() {
            return Ok(Vec::new());
        }
        Ok(file.log(limit)?)
    }

    /// The key of the word hashes.
    pub(crate) fn key(&self) -> Result<Key, Error> {
        Ok(self.file().key()?)
    }
}

impl Derived<Error> for QueryLog {
    fn name(&self) -> &'static str {
        NAME
    }

    fn class(&self) -> Class {
        Class::Observed
    }

    fn files(&self) -> Vec<PathBuf> {
        vec![self.file().path().to_owned()]
    }

    fn is_due(&self, _: Effort) -> Result<bool, Error> {
        Ok(self.has_many_notes())
    }

    fn catch_up(&self, _: &mut Budget<'_>) -> Result<(), Error> {
        self.write_down();
        Ok(())
    }

    fn verify(&self) -> Result<Vec<Damage>, Error> {
        let mut file = self.file();
        if !file.exists() {
            return Ok(Vec::new());
        }
        let damage = file.examine()?.map(|reason| Damage {
            part: NAME.to_owned(),
            reason,
        });
        Ok(damage.into_iter().collect())
    }

    /// Deletes the file: it contains nothing worth repairing by hand.
    fn quarantine(&self) -> Result<(), Error> {
        self.remove()
    }

    fn purge(&self, _: &mut Budget<'_>) -> Result<(), Error> {
        let mut file = self.file();
        self.clear();
        if !file.exists() {
            return Ok(());
        }
        let gone = |rows: &[Row]| gone(&self.source, rows);
        match file.forget(self.source.now().as_microsecond(), &gone) {
            // It is being read; the next round cleans it.
            Err(error @ StoreError::StillRead { .. }) => Err(error.into()),
            // If it can't be cleaned, delete it.
            Err(_) => Ok(file.remove()?),
            Ok(()) => Ok(()),
        }
    }

    fn remove(&self) -> Result<(), Error> {
        let mut file = self.file();
        self.clear();
        Ok(file.remove()?)
    }
}

#[cfg(test)]
mod tests {
    use std::thread;
    use std::time::Duration;

    use anamne_types::Row;

    use crate::{Options, Store};

    /// Otherwise it is written after a removal that came between.
    #[test]
    fn a_write_takes_nothing_before_it_has_the_file() {
        let folder = tempfile::tempdir().expect("a folder");
        let options = Options::new(folder.path()).background(false);
        let store = Store::open_with(options).expect("a store");
        let space = store.space("tests").expect("a space");
        let log = &space.inner.derived.meta;
        log.note_opening(Row(1));
        thread::scope(|scope| {
            let file = log.file();
            scope.spawn(|| log.write_down());
            // A slow machine only misses a failure.
            thread::sleep(Duration::from_millis(100));
            assert_eq!(log.opened().len(), 1);
            drop(file);
        });
        assert!(log.opened().is_empty());
    }
}
