//! One space: its source, its journal, and the one way in which both change.

use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use anamne_types::{Actor, Memory, MemoryId, Seq, Tier};

use crate::beside;
use crate::clock::Clock;
use crate::config::SpaceConfig;
use crate::files::{create_private_folder, is_there, look_at};
use crate::incidents::{self, Incident};
use crate::journal::{Digest, Journal, JournalReport, Lines};
use crate::lock::{MoveLock, WriteLock};
use crate::quota::{Usage, Wanted};
use crate::settings::Settings;
use crate::source::{
    Names, Occasion, Pooled, Readers, SOURCE_FORMAT, SourceFeed, Transaction, check_format,
    end_of_log, erasure, integrity,
};
use crate::space_name::SpaceName;
use crate::special_files::refuse_special_files;
use crate::storage::{Disk, Storage};
use crate::watch::Watch;
use crate::writer::{Places, Writer};
use crate::{Result, StoreError};

/// The source of one space, open in this process. Every method may be called from several threads.
pub struct SpaceSource {
    name: SpaceName,
    pub(crate) folder: PathBuf,
    pub(crate) database: PathBuf,
    pub(crate) settings: Settings,
    usage: Mutex<Usage>,
    clock: Arc<dyn Clock>,
    pub(crate) storage: Arc<dyn Storage>,
    pub(crate) lock: WriteLock,
    pub(crate) moving: MoveLock,
    pub(crate) writer: Mutex<Option<Writer>>,
    pub(crate) readers: Readers,
    pub(crate) names: Names,
    /// What was mended since the space was opened, for a person to read.
    pub(crate) mended: Mutex<Vec<String>>,
    /// How often another database was found in the place of the one that was read before.
    replacements: AtomicU64,
}

impl SpaceSource {
    /// Opens the space in `folder`, and makes it if `create` says so.
    ///
    /// What a crash left half-done is finished here: the outbox goes to the journal, and a lost or
    /// broken database is restored from the journal after it was set aside.
    pub fn open(
        folder: &Path,
        name: &SpaceName,
        clock: Arc<dyn Clock>,
        create: bool,
    ) -> Result<Self> {
        Self::open_on(Arc::new(Disk), folder, name, clock, create)
    }

    /// The same, with a journal that is written through a storage that is handed in: for tests, which make
    /// it fail.
    pub fn open_on(
        storage: Arc<dyn Storage>,
        folder: &Path,
        name: &SpaceName,
        clock: Arc<dyn Clock>,
        create: bool,
    ) -> Result<Self> {
        refuse_special_files(folder)?;
        let config_path = folder.join("space.toml");
        let database = folder.join("memories").join("active.db");
        let [has_config, has_database, has_journal] =
            [&config_path, &database, &folder.join("journal")].map(|path| is_there(path));
        let (has_config, has_database, has_journal) = (has_config?, has_database?, has_journal?);
        if !create && !has_config && !has_database && !has_journal {
            return Err(StoreError::NoSpace(name.to_string()));
        }
        if !has_config || !has_database {
            create_private_folder(&folder.join("memories"))?;
        }
        let lock = WriteLock::at(&folder.join("write.lock"));
        let config = Self::read_config(&config_path, name, &lock, clock.as_ref())?;
        let space = Self {
            name: name.clone(),
            folder: folder.to_owned(),
            readers: Readers::new(&database),
            database,
            settings: Settings::new(&config_path, config),
            usage: Mutex::default(),
            clock,
            storage,
            lock,
            moving: MoveLock::at(&folder.join("move.lock")),
            writer: Mutex::default(),
            names: Names::default(),
            mended: Mutex::default(),
            replacements: AtomicU64::new(0),
        };
        if !(has_database && space.looks_right()?) {
            space.mend()?;
        }
        if let Err(error) = beside::move_kept(folder)
            && !error.is_read_only()
        {
            // They are moved when the disk, or whoever has them open, allows it.
            space.note_mended(vec![format!("{error}; it stays where it is for now")]);
        }
        Ok(space)
    }

    /// Makes source and journal agree. Where nothing may be written, or the disk is full, a source that can be read is
    /// enough.
    fn mend(&self) -> Result<()> {
        let Err(error) = self.with_writer(|_, _| Ok(())) else {
            return Ok(());
        };
        let readable = || self.readers.get().and_then(|reader| end_of_log(&reader));
        let is_kept_out = error.is_read_only() || matches!(error, StoreError::DiskFull { .. });
        if !is_kept_out || readable().is_err() {
            return Err(error);
        }
        self.note_mended(vec![format!("nothing could be mended: {error}")]);
        Ok(())
    }

    /// The space's settings, written now if there are none yet.
    fn read_config(
        path: &Path,
        name: &SpaceName,
        lock: &WriteLock,
        clock: &dyn Clock,
    ) -> Result<SpaceConfig> {
        let config = if let Some(config) = SpaceConfig::read(path)? {
            config
        } else {
            let _guard = lock.acquire()?;
            if let Some(config) = SpaceConfig::read(path)? {
                config
            } else {
                let config = SpaceConfig::new(name.as_str(), clock.now());
                config.write(path)?;
                config
            }
        };
        if config.name == name.as_str() {
            Ok(config)
        } else {
            let reason = format!("it is of the space {:?}, not {name:?}", config.name);
            Err(StoreError::damaged(path, reason))
        }
    }

    /// The space's name.
    pub fn name(&self) -> &SpaceName {
        &self.name
    }

    /// The space's folder.
    pub fn folder(&self) -> &Path {
        &self.folder
    }

    /// The space's settings, as they were last read: at opening, and before the last write.
    pub fn config(&self) -> Arc<SpaceConfig> {
        self.settings.known()
    }

    /// The space's settings, read again if the file changed. Costs one `stat` where it did not.
    pub fn current_config(&self) -> Result<Arc<SpaceConfig>> {
        self.settings.current()
    }

    /// Changes the settings as a whole; other processes notice with their next write.
    ///
    /// [`StoreError::Refused`] when a value is not accepted. Name, format and moment of birth stay.
    pub fn configure(&self, change: impl FnOnce(&mut SpaceConfig)) -> Result<Arc<SpaceConfig>> {
        let _slot = self.writer.lock().unwrap_or_else(PoisonError::into_inner);
        let _guard = self.lock.acquire()?;
        self.settings.change(|config| {
            let kept = config.clone();
            change(config);
            (config.format, config.created_at) = (kept.format, kept.created_at);
            config.name = kept.name;
        })
    }

    /// Takes note of what was mended: for whoever asks this process, and for the next check-up of any.
    pub fn note_mended(&self, mut said: Vec<String>) {
        if said.is_empty() {
            return;
        }
        incidents::note(&self.folder, self.now(), &said);
        self.mended
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .append(&mut said);
    }

    /// What any process mended since `since`, first to last.
    pub fn incidents(&self, since: jiff::Timestamp) -> Vec<Incident> {
        incidents::since(&self.folder, since)
    }

    /// What was mended since the space was opened.
    pub fn mended(&self) -> Vec<String> {
        self.mended
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .clone()
    }

    /// The present instant by the clock that the caller handed in.
    pub fn now(&self) -> jiff::Timestamp {
        self.clock.now()
    }

    /// Whether source and journal agree and nothing is left half-done. Costs a few small reads and
    /// writes nothing; what can't be read is not right, and the writer will find out why.
    fn looks_right(&self) -> Result<bool> {
        let agreed = || -> Result<bool> {
            let reader = self.readers.get()?;
            if check_format(&reader, &self.database)? != SOURCE_FORMAT {
                return Ok(false);
            }
            let journaled = Journal::at(&self.folder.join("journal")).end()?;
            Ok(end_of_log(&reader)? == journaled && !erasure::is_pending(&reader)?)
        };
        match agreed() {
            Err(newer @ StoreError::Newer { .. }) => Err(newer),
            agreed => Ok(agreed.unwrap_or(false)),
        }
    }

    /// Where views of the active tier read the log from.
    pub fn feed(&self) -> SourceFeed<'_> {
        self.feed_of(Tier::Active)
    }

    /// Where views of a tier read the log from.
    pub fn feed_of(&self, tier: Tier) -> SourceFeed<'_> {
        SourceFeed { space: self, tier }
    }

    /// A watch on commits of any process.
    pub fn watch(&self) -> Result<Watch> {
        self.healing(|| {
            drop(self.reader()?);
            Watch::open(self.database.clone())
        })
    }

    /// Reads the whole journal, checks its chain, and compares its end with the source's. O(bytes of the journal).
    pub fn verify_journal(&self) -> Result<JournalReport> {
        let (last, hash) = self.with_writer(|_, end| Ok(end))?;
        Lines::verify(&self.folder.join("journal"), last, hash)
    }

    /// Runs SQLite's own check over the whole database; empty when all is well. O(bytes of the database).
    pub fn verify_database(&self) -> Result<Vec<String>> {
        let reader = self.reader()?;
        integrity(&reader)
    }

    /// Compresses full segments of the journal; says how many. Cheap when there are none.
    pub fn seal_journal(&self) -> Result<usize> {
        let journal = Journal::at(&self.folder.join("journal"));
        if !journal.has_full_segments()? {
            return Ok(0);
        }
        self.with_writer(|writer, _| writer.journal.seal_full_segments())
    }

    /// The journal's folder.
    pub(crate) fn journal_folder(&self) -> PathBuf {
        self.folder.join("journal")
    }

    /// The database's file.
    pub(crate) fn database(&self) -> &Path {
        &self.database
    }

    /// Sends on what is on its way to the journal, takes out of it what was erased, and says where it ends.
    pub(crate) fn settle_journal(&self) -> Result<Seq> {
        self.with_writer(|writer, (end, _)| {
            match writer.finish_erasures_if_any(self.places()) {
                // The journal comes first, and holds none of it any more.
                Ok(()) | Err(StoreError::StillRead { .. }) => Ok(end),
                Err(error) => Err(error),
            }
        })
    }

    /// Runs `work` while no other process writes.
    pub(crate) fn locked<T>(&self, work: impl FnOnce() -> Result<T>) -> Result<T> {
        let _slot = self.writer.lock().unwrap_or_else(PoisonError::into_inner);
        let _guard = self.lock.acquire()?;
        work()
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

    /// The clock by which it tells the time.
    pub fn clock(&self) -> Arc<dyn Clock> {
        self.clock.clone()
    }

    pub(crate) fn names(&self) -> &Names {
        &self.names
    }

    /// A connection to read with. A database that went missing is restored first.
    pub(crate) fn reader(&self) -> Result<Pooled<'_>> {
        self.notice_replacement()?;
        match self.readers.get() {
            Err(_) if look_at(&self.database)?.is_none() => {
                self.with_writer(|_, _| Ok(()))?;
                self.readers.get()
            }
            reader => reader,
        }
    }

    /// Lets go of what was known of a database in whose place another process put a restored one.
    pub(crate) fn notice_replacement(&self) -> Result<()> {
        if self.readers.replaced()? {
            self.names.forget();
            self.replacements.fetch_add(1, Ordering::AcqRel);
        }
        Ok(())
    }

    /// How often another database was found in the place of the one that was read before: one that this
    /// process or another one restored. Costs one `stat`.
    pub fn replacements(&self) -> Result<u64> {
        self.notice_replacement()?;
        Ok(self.replacements_met())
    }

    /// The same, as far as whatever was read so far has met one.
    pub fn replacements_met(&self) -> u64 {
        self.replacements.load(Ordering::Acquire)
    }

    pub(crate) fn places(&self) -> Places<'_> {
        Places {
            storage: &self.storage,
            folder: &self.folder,
            database: &self.database,
        }
    }

    /// A write that makes the space grow, and that its quota must allow.
    pub(crate) fn write<T>(
        &self,
        actor: &Actor,
        change: impl Fn(&mut Transaction<'_>) -> Result<T>,
    ) -> Result<T> {
        self.write_timed(actor, change).map(|(outcome, _)| outcome)
    }

    /// The same, with how long the write lock was held for it.
    pub(crate) fn write_timed<T>(
        &self,
        actor: &Actor,
        change: impl Fn(&mut Transaction<'_>) -> Result<T>,
    ) -> Result<(T, Duration)> {
        let limit = self.settings.current()?.quota.bytes;
        self.write_freely_timed(actor, |transaction| {
            let head = transaction.head;
            let outcome = change(transaction)?;
            let lines = transaction.line_bytes();
            if limit > 0 && lines > 0 {
                let wanted = Wanted {
                    space: self.name.as_str(),
                    folder: &self.folder,
                    head,
                    lines,
                    logged: transaction.logged_bytes(&self.database)?,
                    limit,
                };
                let mut usage = self.usage.lock().unwrap_or_else(PoisonError::into_inner);
                usage.admit(wanted)?;
            }
            Ok(outcome)
        })
    }

    /// A write that tells nothing and adds no event: what the source keeps for itself.
    pub(crate) fn write_quietly(
        &self,
        change: impl Fn(&mut Transaction<'_>) -> Result<()>,
    ) -> Result<()> {
        self.with_writer(|writer, end| {
            let occasion = Occasion {
                space: self.name.as_str(),
                actor: &Actor::user(),
                now: self.clock.now(),
            };
            let mut transaction =
                Transaction::begin(&writer.connection, &self.names, occasion, end)?;
            change(&mut transaction)?;
            transaction.commit()?;
            Ok(())
        })
    }

    /// A write that no quota holds back.
    pub(crate) fn write_freely<T>(
        &self,
        actor: &Actor,
        change: impl Fn(&mut Transaction<'_>) -> Result<T>,
    ) -> Result<T> {
        self.write_freely_timed(actor, change)
            .map(|(outcome, _)| outcome)
    }

    /// The one way in which source and journal change.
    fn write_freely_timed<T>(
        &self,
        actor: &Actor,
        change: impl Fn(&mut Transaction<'_>) -> Result<T>,
    ) -> Result<(T, Duration)> {
        actor.check()?;
        self.with_writer_timed(|writer, end| {
            let occasion = Occasion {
                space: self.name.as_str(),
                actor,
                now: self.clock.now(),
            };
            let mut transaction =
                Transaction::begin(&writer.connection, &self.names, occasion, end)?;
            let outcome = change(&mut transaction)?;
            let lines = transaction.commit_if_changed()?;
            writer.journal.append(&lines)?;
            Ok(outcome)
        })
    }

    /// Runs `work` as the only writer of all threads and processes, after source and journal agree;
    /// `work` is told where both end.
    ///
    /// Should the database turn out to be damaged on the way, what was begun leaves nothing behind, the database is
    /// healed, and `work` is done once more.
    pub(crate) fn with_writer<T>(
        &self,
        work: impl Fn(&mut Writer, (Seq, Digest)) -> Result<T>,
    ) -> Result<T> {
        self.with_writer_timed(work).map(|(outcome, _)| outcome)
    }

    /// The same, with how long the write lock was held.
    fn with_writer_timed<T>(
        &self,
        work: impl Fn(&mut Writer, (Seq, Digest)) -> Result<T>,
    ) -> Result<(T, Duration)> {
        self.healing(|| {
            let mut slot = self.writer.lock().unwrap_or_else(PoisonError::into_inner);
            let guard = self.lock.acquire()?;
            let outcome = self.as_only_writer(&mut slot, &work)?;
            Ok((outcome, guard.release()))
        })
        .map_err(|error| error.of_database(&self.database))
    }

    /// `slot` is this process's writer; the write lock must be held.
    fn as_only_writer<T>(
        &self,
        slot: &mut Option<Writer>,
        work: impl Fn(&mut Writer, (Seq, Digest)) -> Result<T>,
    ) -> Result<T> {
        let found = look_at(&self.database)?.map(|state| state.identity);
        let settled = match slot.as_mut() {
            Some(writer) if Some(writer.identity) == found => match writer.settle() {
                Err(error) if error.is_broken_database() => None,
                Err(StoreError::Damaged { .. }) => None,
                settled => Some(settled?),
            },
            _ => None,
        };
        if let (Some(end), Some(writer)) = (settled, slot.as_mut()) {
            return work(writer, end);
        }
        // Whatever this process knew is of a database that is no more, or does not agree with the journal.
        *slot = None;
        self.names.forget();
        let mut mended = Vec::new();
        let opened = Writer::open(self.places(), &mut mended);
        self.note_mended(mended);
        let writer = slot.insert(opened?);
        let end = writer.settle()?;
        work(writer, end)
    }
}
