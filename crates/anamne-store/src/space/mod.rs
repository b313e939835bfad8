//! One open space and the operations on it as a whole.

mod opening;
mod presence;
mod together;
mod turns;
mod writing;

use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use anamne_types::{Memory, MemoryId, Seq, Tier};

pub(crate) use opening::SpaceParts;
use presence::Presence;
pub(crate) use together::Growth;
use turns::Turns;

use crate::clock::Clock;
use crate::config::SpaceConfig;
use crate::files::look_at;
use crate::incidents::{self, Incident};
use crate::journal::{Journal, JournalReport, Lines};
use crate::lock::{MoveLock, WriteGuard, WriteLock};
use crate::quota::Usage;
use crate::settings::Settings;
use crate::source::{FoundDatabase, Names, PooledReader, Readers, SourceFeed, integrity};
use crate::space_name::SpaceName;
use crate::storage::Storage;
use crate::store_quota::StoreQuota;
use crate::watch::CommitWatcher;
use crate::writer::SpacePaths;
use crate::{Result, StoreError};

/// The open source of one space. Every method may be called from several threads.
pub struct SpaceSource {
    name: SpaceName,
    pub(crate) folder: PathBuf,
    pub(crate) database: PathBuf,
    pub(crate) settings: Settings,
    usage: Mutex<Usage>,
    store_quota: Option<Arc<StoreQuota>>,
    clock: Arc<dyn Clock>,
    pub(crate) storage: Arc<dyn Storage>,
    pub(crate) lock: WriteLock,
    pub(crate) moving: MoveLock,
    presence: Presence,
    pub(crate) turns: Turns,
    pub(crate) readers: Readers,
    pub(crate) names: Names,
    /// What was repaired since the space was opened, for a person to read.
    pub(crate) repaired: Mutex<Vec<String>>,
    /// Number of times the database file was found replaced.
    replacements: AtomicU64,
}

impl SpaceSource {
    /// The space's name.
    pub fn name(&self) -> &SpaceName {
        &self.name
    }

    /// The same within the quota of its store.
    #[must_use]
    pub fn within(mut self, quota: Option<Arc<StoreQuota>>) -> Self {
        self.store_quota = quota;
        self
    }

    /// The space's folder.
    pub fn folder(&self) -> &Path {
        &self.folder
    }

    /// The database's file.
    pub(crate) fn database(&self) -> &Path {
        &self.database
    }

    /// The journal's folder.
    pub(crate) fn journal_folder(&self) -> PathBuf {
        self.folder.join("journal")
    }

    pub(crate) fn places(&self) -> SpacePaths<'_> {
        SpacePaths {
            storage: &self.storage,
            folder: &self.folder,
            database: &self.database,
        }
    }

    pub(crate) fn with_spaces(&self, memories: Vec<Memory>) -> Vec<Memory> {
        let memories = memories.into_iter();
        memories.map(|memory| self.with_space(memory)).collect()
    }

    /// The space's clock.
    pub fn clock(&self) -> Arc<dyn Clock> {
        self.clock.clone()
    }

    /// The current time of the space's clock.
    pub fn now(&self) -> jiff::Timestamp {
        self.clock.now()
    }

    pub(crate) fn names(&self) -> &Names {
        &self.names
    }

    /// The settings as last read: at opening and before the last write.
    pub fn config(&self) -> Arc<SpaceConfig> {
        self.settings.known()
    }

    /// The settings, reloaded if the file changed. Costs one `stat` if not.
    pub fn current_config(&self) -> Result<Arc<SpaceConfig>> {
        self.settings.current()
    }

    /// Replaces the settings; other processes notice at their next write.
    ///
    /// [`StoreError::Refused`] if a value is invalid. Name, format and creation time stay.
    pub fn configure(&self, change: impl FnOnce(&mut SpaceConfig)) -> Result<Arc<SpaceConfig>> {
        let _turn = self.turns.take();
        let _guard = self.acquire()?;
        self.check_present()?;
        self.settings.change(|config| {
            let kept = config.clone();
            change(config);
            (config.format, config.created_at) = (kept.format, kept.created_at);
            config.name = kept.name;
        })
    }

    /// Records repairs, for callers in this process and for the next check-up by any process.
    pub fn note_repairs(&self, mut said: Vec<String>) {
        if said.is_empty() {
            return;
        }
        incidents::note(&self.folder, self.now(), &said);
        self.repaired
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .append(&mut said);
    }

    /// What any process repaired since `since`, oldest first.
    pub fn incidents(&self, since: jiff::Timestamp) -> Vec<Incident> {
        incidents::since(&self.folder, since)
    }

    /// What was repaired since the space was opened.
    pub fn repaired(&self) -> Vec<String> {
        self.repaired
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .clone()
    }

    /// The log as views of the active tier read it.
    pub fn feed(&self) -> SourceFeed<'_> {
        self.feed_of(Tier::Active)
    }

    /// The log as views of a tier read it.
    pub fn feed_of(&self, tier: Tier) -> SourceFeed<'_> {
        SourceFeed { space: self, tier }
    }

    /// Watches commits of any process.
    pub fn watch(&self) -> Result<CommitWatcher> {
        self.healing(|| {
            drop(self.reader()?);
            CommitWatcher::open(self.database.clone())
        })
    }

    /// [`StoreError::SpaceGone`] if the space was deleted since it was opened, even if there is another one of its name.
    pub fn check_present(&self) -> Result<()> {
        if self.presence.lasts()? {
            return Ok(());
        }
        Err(StoreError::SpaceGone(self.name.to_string()))
    }

    /// Waits for the write lock of all processes, as [`WriteLock::acquire`] does.
    pub(crate) fn acquire(&self) -> Result<WriteGuard<'_>> {
        // In a missing folder there is no lock file.
        self.lock
            .acquire()
            .map_err(|error| self.check_present().err().unwrap_or(error))
    }

    /// A read connection. A missing database is restored first.
    pub(crate) fn reader(&self) -> Result<PooledReader<'_>> {
        self.notice_replacement()?;
        match self.readers.get() {
            Err(_) if look_at(&self.database)?.is_none() => {
                self.with_writer(|_, _| Ok(()))?;
                self.readers.get()
            }
            reader => reader,
        }
    }

    /// Drops cached state if another process replaced the database with a restored one.
    pub(crate) fn notice_replacement(&self) -> Result<()> {
        let found = self.readers.look()?;
        if found == FoundDatabase::Same && !self.presence.is_gone() {
            return Ok(());
        }
        self.check_present()?;
        if found == FoundDatabase::Replaced {
            self.names.forget();
            self.replacements.fetch_add(1, Ordering::AcqRel);
        }
        Ok(())
    }

    /// Number of times the database file was found replaced by a restored one, by any process. Costs one `stat`.
    pub fn replacements(&self) -> Result<u64> {
        self.notice_replacement()?;
        Ok(self.replacements_met())
    }

    /// The same without checking: the number noticed by reads so far.
    pub fn replacements_met(&self) -> u64 {
        self.replacements.load(Ordering::Acquire)
    }

    pub(crate) fn no_memory(&self, id: MemoryId) -> StoreError {
        StoreError::NoMemory {
            id,
            space: self.name.to_string(),
        }
    }

    pub(crate) fn with_space(&self, memory: Memory) -> Memory {
        Memory {
            space: self.name.to_string(),
            ..memory
        }
    }

    /// Reads the whole journal, verifies its hash chain and compares its end with the source. O(bytes of the journal).
    pub fn verify_journal(&self) -> Result<JournalReport> {
        let (last, hash) = self.with_writer(|_, end| Ok(end))?;
        Lines::verify(&self.folder.join("journal"), last, hash)
    }

    /// Runs SQLite's integrity check; empty if there are no errors. O(bytes of the database).
    pub fn verify_database(&self) -> Result<Vec<String>> {
        let reader = self.reader()?;
        integrity(&reader)
    }

    /// Compresses full journal segments and returns their number. Cheap if there are none.
    pub fn seal_journal(&self) -> Result<usize> {
        let journal = Journal::at(&self.folder.join("journal"));
        if !journal.has_full_segments()? {
            return Ok(0);
        }
        self.with_writer(|writer, _| writer.journal.seal_full_segments())
    }

    /// Flushes the outbox to the journal, removes erased payloads from it and returns its end.
    pub(crate) fn settle_journal(&self) -> Result<Seq> {
        self.with_writer(|writer, (end, _)| {
            match writer.finish_erasures_if_any(self.places()) {
                // The journal comes first and no longer contains it.
                Ok(()) | Err(StoreError::StillRead { .. }) => Ok(end),
                Err(error) => Err(error),
            }
        })
    }
}
