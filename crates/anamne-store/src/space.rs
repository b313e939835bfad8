//! One space: its source, its journal, and the one way in which both change.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use anamne_types::{
    Actor, Draft, Edit, Filter, Link, LinkType, Memory, MemoryId, Refusal, Remembered, Row, Seq,
    Tier, Version,
};

use crate::StoreError;
use crate::arrival::Arrival;
use crate::cleaning;
use crate::clock::Clock;
use crate::config::SpaceConfig;
use crate::files::{create_private_folder, look_at};
use crate::incidents::{self, Incident};
use crate::journal::{Digest, Journal, JournalReport, Lines};
use crate::lock::{MoveLock, WriteLock};
use crate::quota::{Usage, Wanted};
use crate::settings::Settings;
use crate::source::{
    self, Listing, LogEntry, LogQuery, Names, Occasion, Order, Pooled, Readers, SOURCE_FORMAT,
    SourceFeed, Standing, Statistics, Transaction, check_format, end_of_log, erasure, filter,
    history, integrity, link, read, retention, rows, statistics,
};
use crate::space_name::SpaceName;
use crate::storage::{Disk, Storage};
use crate::watch::Watch;
use crate::writer::{Places, Writer};

/// The source of one space, open in this process. Every method may be called from several threads.
pub struct SpaceSource {
    name: SpaceName,
    pub(crate) folder: PathBuf,
    pub(crate) database: PathBuf,
    settings: Settings,
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
    ) -> Result<Self, StoreError> {
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
    ) -> Result<Self, StoreError> {
        let config_path = folder.join("space.toml");
        let database = folder.join("memories").join("active.db");
        let [has_config, has_database, has_journal] =
            [&config_path, &database, &folder.join("journal")].map(|path| path.exists());
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
        Ok(space)
    }

    /// Makes source and journal agree. Where nothing may be written, or the disk is full, a source that can be read is
    /// enough.
    fn mend(&self) -> Result<(), StoreError> {
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
    ) -> Result<SpaceConfig, StoreError> {
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

    /// The space's settings, read again if the file changed.
    pub(crate) fn current_config(&self) -> Result<Arc<SpaceConfig>, StoreError> {
        self.settings.current()
    }

    /// Changes the settings as a whole; other processes notice with their next write.
    ///
    /// [`StoreError::Refused`] when a value is not accepted. Name, format and moment of birth stay.
    pub fn configure(
        &self,
        change: impl FnOnce(&mut SpaceConfig),
    ) -> Result<Arc<SpaceConfig>, StoreError> {
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
    fn looks_right(&self) -> Result<bool, StoreError> {
        let agreed = || -> Result<bool, StoreError> {
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

    /// Tells one memory. When this returns, it is durable in the source and in the journal.
    pub fn remember(&self, actor: &Actor, draft: &Draft) -> Result<Remembered, StoreError> {
        draft.check()?;
        self.write(actor, |transaction| transaction.remember(draft))
    }

    /// Tells many memories in one transaction: all or none of them.
    pub fn remember_all(
        &self,
        actor: &Actor,
        drafts: &[Draft],
    ) -> Result<Vec<Remembered>, StoreError> {
        drafts.iter().try_for_each(Draft::check)?;
        self.write(actor, |transaction| {
            drafts
                .iter()
                .map(|draft| transaction.remember(draft))
                .collect()
        })
    }

    /// Tells many memories in one transaction. A draft that is refused, or that contradicts what was
    /// told under its outside id, is answered with its error and does not keep the others back.
    pub fn remember_each(
        &self,
        actor: &Actor,
        drafts: &[Draft],
    ) -> Result<Vec<Result<Remembered, StoreError>>, StoreError> {
        self.write(actor, |transaction| {
            let tell = |draft: &Draft| {
                let told = draft
                    .check()
                    .map_err(StoreError::from)
                    .and_then(|()| transaction.remember(draft));
                refused_apart(told)
            };
            drafts.iter().map(tell).collect()
        })
    }

    /// Takes in what an import brings, in one transaction. What is refused is answered with its error and does
    /// not keep the others back.
    pub fn take_in(
        &self,
        actor: &Actor,
        arrivals: &[Arrival],
    ) -> Result<Vec<Result<Remembered, StoreError>>, StoreError> {
        self.write(actor, |transaction| {
            let take = |arrival: &Arrival| {
                let taken = arrival
                    .draft
                    .check()
                    .map_err(StoreError::from)
                    .and_then(|()| transaction.take_in(arrival));
                refused_apart(taken)
            };
            arrivals.iter().map(take).collect()
        })
    }

    /// Draws links as another store had them, in one transaction; says of each whether it was not there as
    /// such, or why it is refused. Their ends may be forgotten.
    pub fn take_links(
        &self,
        actor: &Actor,
        links: &[Link],
    ) -> Result<Vec<Result<bool, StoreError>>, StoreError> {
        self.write(actor, |transaction| {
            let take = |link: &Link| {
                let taken = link
                    .check()
                    .map_err(StoreError::from)
                    .and_then(|()| transaction.take_link(link));
                refused_apart(taken)
            };
            links.iter().map(take).collect()
        })
    }

    /// The memory that was told under this outside id, or that has this id itself.
    pub fn find_imported(&self, id: &str) -> Result<Option<MemoryId>, StoreError> {
        self.read(|reader| {
            if let Some(row) = rows::with_external_id(reader, id)? {
                let stored = read::by_row(reader, &self.names, row)?;
                return Ok(stored.map(|stored| stored.memory.id));
            }
            let Ok(id) = id.parse() else { return Ok(None) };
            Ok(read::by_id(reader, &self.names, id)?
                .filter(|stored| !stored.erased)
                .map(|stored| stored.memory.id))
        })
    }

    /// Changes a memory and returns its new state.
    pub fn edit(&self, actor: &Actor, id: MemoryId, edit: &Edit) -> Result<Memory, StoreError> {
        edit.check()?;
        self.write(actor, |transaction| transaction.edit(id, edit))
            .map(|memory| self.with_space(memory))
    }

    /// Puts a memory away; it can be restored.
    pub fn forget(&self, actor: &Actor, id: MemoryId) -> Result<Memory, StoreError> {
        self.write_freely(actor, |transaction| transaction.forget(id))
            .map(|memory| self.with_space(memory))
    }

    /// Puts many memories away in one transaction: all or none of them.
    pub fn forget_all(&self, actor: &Actor, ids: &[MemoryId]) -> Result<Vec<Memory>, StoreError> {
        let forgotten: Vec<_> = self.write_freely(actor, |transaction| {
            ids.iter().map(|id| transaction.forget(*id)).collect()
        })?;
        Ok(forgotten
            .into_iter()
            .map(|memory| self.with_space(memory))
            .collect())
    }

    /// Brings a forgotten memory back.
    pub fn restore(&self, actor: &Actor, id: MemoryId) -> Result<Memory, StoreError> {
        self.write(actor, |transaction| transaction.restore(id))
            .map(|memory| self.with_space(memory))
    }

    /// Removes a memory's content for ever: from the source, from the journal, and with the copies that
    /// were set aside as damaged. Names and tags that no other memory bears go too. O(bytes of the journal).
    ///
    /// What a crash interrupts is finished when the space is next opened. [`StoreError::StillRead`] when
    /// a reader keeps older pages of the database in its log; they go at the same time.
    pub fn erase(&self, actor: &Actor, id: MemoryId) -> Result<(), StoreError> {
        self.erase_all(actor, &[id])
    }

    /// Removes the content of many memories for ever, in one transaction and with one pass over the
    /// journal; none of them when one is not there. See [`SpaceSource::erase`].
    ///
    /// Views keep what they have published until they are purged ([`SpaceSource::unclean_views`]).
    pub fn erase_all(&self, actor: &Actor, ids: &[MemoryId]) -> Result<(), StoreError> {
        self.begin_erasure(actor, ids)?;
        self.finish_erasures()
    }

    /// The first half of [`SpaceSource::erase_all`]: the memories are gone for everybody who asks, but their
    /// content leaves the journal only with [`SpaceSource::finish_erasures`], or when the space is next opened.
    pub fn begin_erasure(&self, actor: &Actor, ids: &[MemoryId]) -> Result<(), StoreError> {
        let ids: BTreeSet<_> = ids.iter().copied().collect();
        self.write_freely(actor, |transaction| transaction.erase(&ids))
    }

    /// Takes out of the journal and the database's log what was erased, where that is still to be done.
    ///
    /// Costs one small read when there is nothing to do.
    pub fn finish_erasures(&self) -> Result<(), StoreError> {
        if !self.read(erasure::is_pending)? {
            return Ok(());
        }
        self.with_writer(|writer, _| writer.finish_erasures(self.places()))
    }

    /// The event up to which there were erasures that the views' files may still hold something of; `None`
    /// when they are clean. One look for a file.
    pub fn unclean_views(&self) -> Result<Option<Seq>, StoreError> {
        cleaning::noted(&self.folder)
    }

    /// Takes note that every view was purged after the event `through`.
    pub fn views_are_clean(&self, through: Seq) -> Result<(), StoreError> {
        self.with_writer(|_, _| cleaning::done(&self.folder, through))
    }

    /// Draws a link between two live memories.
    pub fn link(&self, actor: &Actor, link: &Link) -> Result<Seq, StoreError> {
        link.check()?;
        self.write(actor, |transaction| transaction.link(link))
    }

    /// Takes a link away; says whether it was there.
    pub fn unlink(
        &self,
        actor: &Actor,
        from: MemoryId,
        to: MemoryId,
        link_type: LinkType,
    ) -> Result<bool, StoreError> {
        self.write_freely(actor, |transaction| transaction.unlink(from, to, link_type))
    }

    /// The memory with this id, forgotten ones included, erased ones not.
    pub fn get(&self, id: MemoryId) -> Result<Memory, StoreError> {
        match self.read(|reader| read::proven_by_id(reader, &self.names, id))? {
            Some(stored) if !stored.erased => Ok(self.with_space(stored.memory)),
            _ => Err(self.no_memory(id)),
        }
    }

    /// The live memories of these rows, in their order; rows without one are passed over.
    pub fn get_rows(&self, rows: &[Row]) -> Result<Vec<(Row, Memory)>, StoreError> {
        self.read(|reader| {
            // One transaction takes SQLite's read lock once instead of once a row.
            let reader = reader.unchecked_transaction()?;
            let mut memories = Vec::with_capacity(rows.len());
            for &row in rows {
                if let Some(stored) = read::proven_by_row(&reader, &self.names, row)?
                    && stored.memory.deleted_at.is_none()
                {
                    memories.push((row, self.with_space(stored.memory)));
                }
            }
            Ok(memories)
        })
    }

    /// The id that `text` names: a whole id, its first digits where only one memory has them, or a citation (`m12`).
    pub fn resolve(&self, text: &str) -> Result<MemoryId, StoreError> {
        if let Some(row) = text
            .trim()
            .strip_prefix('m')
            .and_then(|number| number.parse().ok())
        {
            let cited = self
                .read(|reader| read::by_row(reader, &self.names, Row(row)))?
                .filter(|stored| !stored.erased);
            return cited
                .map(|stored| stored.memory.id)
                .ok_or_else(|| StoreError::NoCitation {
                    citation: text.trim().to_owned(),
                    space: self.name.to_string(),
                });
        }
        let digits: String = text
            .trim()
            .chars()
            .filter(|character| *character != '-')
            .collect();
        let readable = !digits.is_empty()
            && digits.len() <= 32
            && digits.bytes().all(|digit| digit.is_ascii_hexdigit());
        if !readable || digits.len() == 32 {
            return Ok(text.parse()?);
        }
        let bound =
            |fill: &str| format!("{digits}{}", fill.repeat(32 - digits.len())).parse::<MemoryId>();
        let (first, last) = (bound("0")?, bound("f")?);
        let ids = self.read(|reader| read::ids_with_prefix(reader, first, last))?;
        match ids[..] {
            [id] => Ok(id),
            [] => Err(self.no_memory(first)),
            _ => Err(Refusal::new("id", "long enough to mean one memory", text).into()),
        }
    }

    /// The memories of a listing.
    pub fn list(&self, listing: &Listing) -> Result<Vec<Memory>, StoreError> {
        listing.filter.check()?;
        let memories = self.read(|reader| filter::list(reader, &self.names, listing))?;
        Ok(memories
            .into_iter()
            .map(|memory| self.with_space(memory))
            .collect())
    }

    /// The ids of all memories that pass a filter, as of one instant. O(memories that pass), 16 bytes each.
    pub fn select(
        &self,
        filter: &Filter,
        standing: Standing,
        order: Order,
    ) -> Result<Vec<MemoryId>, StoreError> {
        filter.check()?;
        self.read(|reader| filter::select(reader, filter, standing, order))
    }

    /// The memories with these ids, in their order; those that are not there, or were erased, are passed over.
    pub fn get_each(&self, ids: &[MemoryId]) -> Result<Vec<Memory>, StoreError> {
        self.read(|reader| {
            let mut memories = Vec::with_capacity(ids.len());
            for &id in ids {
                if let Some(stored) = read::proven_by_id(reader, &self.names, id)?
                    && !stored.erased
                {
                    memories.push(self.with_space(stored.memory));
                }
            }
            Ok(memories)
        })
    }

    /// The memories that `retention.days` no longer lets the space keep, the oldest first, at most `limit`; none
    /// where it is not set. Reads the settings again if they changed.
    pub fn outdated(&self, limit: usize) -> Result<Vec<MemoryId>, StoreError> {
        match self.settings.current()?.retention.days {
            0 => Ok(Vec::new()),
            days => self.outdated_after(days, limit),
        }
    }

    /// The memories that a retention of so many days would not keep, the oldest first, at most `limit`.
    pub fn outdated_after(&self, days: u32, limit: usize) -> Result<Vec<MemoryId>, StoreError> {
        let age = i64::from(days).saturating_mul(24 * 3_600 * 1_000_000);
        let before = self.now().as_microsecond().saturating_sub(age);
        self.read(|reader| retention::outdated(reader, before, limit))
    }

    /// The live rows that pass a filter, ascending.
    pub fn rows(&self, filter: &Filter) -> Result<Vec<Row>, StoreError> {
        self.read(|reader| filter::rows(reader, filter))
    }

    /// The number under which a thread, author, session or tag is stored, if it is known.
    pub fn number_of(&self, name: &str) -> Result<Option<u32>, StoreError> {
        self.read(|reader| Names::find_surely(reader, name))
    }

    /// The live rows just before and after a row in its thread.
    pub fn thread_neighbours(&self, row: Row) -> Result<[Option<Row>; 2], StoreError> {
        self.read(|reader| read::thread_neighbours(reader, row))
    }

    /// Every state that a memory has had, the present one last.
    pub fn history(&self, id: MemoryId) -> Result<Vec<Version>, StoreError> {
        self.read(
            |reader| match read::proven_by_id(reader, &self.names, id)? {
                Some(stored) => history::of(reader, &stored),
                None => Err(self.no_memory(id)),
            },
        )
    }

    /// A memory as it stood at an instant: the state that its last event up to then had made. `None` where
    /// it had not been told yet; a state without memory where its content has been erased. O(events).
    pub fn as_of(&self, id: MemoryId, at: jiff::Timestamp) -> Result<Option<Version>, StoreError> {
        let version = self.read(|reader| {
            let stored = read::proven_by_id(reader, &self.names, id)?;
            let stored = stored.ok_or_else(|| self.no_memory(id))?;
            history::as_of(reader, &stored, at)
        })?;
        Ok(version.map(|version| Version {
            memory: version.memory.map(|memory| self.with_space(memory)),
            ..version
        }))
    }

    /// The events that pass a query, in its order. O(events).
    pub fn log(&self, query: &LogQuery) -> Result<Vec<LogEntry>, StoreError> {
        query.check()?;
        self.read(|reader| source::log::events(reader, query))
    }

    /// The links that start or end at a memory.
    pub fn links(&self, id: MemoryId) -> Result<Vec<Link>, StoreError> {
        self.read(|reader| match read::by_id(reader, &self.names, id)? {
            Some(stored) => link::of_row(reader, stored.row),
            None => Err(self.no_memory(id)),
        })
    }

    /// Every link of the space.
    pub fn all_links(&self) -> Result<Vec<Link>, StoreError> {
        self.read(link::all)
    }

    /// Counts. O(memories).
    pub fn statistics(&self) -> Result<Statistics, StoreError> {
        self.read(statistics::of)
    }

    /// The authors of the space with the numbers under which they are stored, at most `limit`.
    pub fn authors(&self, limit: usize) -> Result<Vec<(u32, String)>, StoreError> {
        self.read(|reader| {
            let numbers = statistics::authors(reader, limit)?;
            numbers
                .into_iter()
                .map(|number| Ok((number, self.names.name(reader, number)?)))
                .collect()
        })
    }

    /// When the last thing happened that is not in the future, microseconds since 1970.
    pub fn latest(&self) -> Result<i64, StoreError> {
        let now = self.now().as_microsecond();
        self.read(|reader| statistics::latest(reader, now))
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
    pub fn watch(&self) -> Result<Watch, StoreError> {
        self.healing(|| {
            drop(self.reader()?);
            Watch::open(self.database.clone())
        })
    }

    /// Reads the whole journal, checks its chain, and compares its end with the source's. O(bytes of the journal).
    pub fn verify_journal(&self) -> Result<JournalReport, StoreError> {
        let (last, hash) = self.with_writer(|_, end| Ok(end))?;
        Lines::verify(&self.folder.join("journal"), last, hash)
    }

    /// Runs SQLite's own check over the whole database; empty when all is well. O(bytes of the database).
    pub fn verify_database(&self) -> Result<Vec<String>, StoreError> {
        let reader = self.reader()?;
        integrity(&reader)
    }

    /// Compresses full segments of the journal; says how many. Cheap when there are none.
    pub fn seal_journal(&self) -> Result<usize, StoreError> {
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
    pub(crate) fn settle_journal(&self) -> Result<Seq, StoreError> {
        self.with_writer(|writer, (end, _)| {
            match writer.finish_erasures_if_any(self.places()) {
                // The journal comes first, and holds none of it any more.
                Ok(()) | Err(StoreError::StillRead { .. }) => Ok(end),
                Err(error) => Err(error),
            }
        })
    }

    /// Runs `work` while no other process writes.
    pub(crate) fn locked<T>(
        &self,
        work: impl FnOnce() -> Result<T, StoreError>,
    ) -> Result<T, StoreError> {
        let _slot = self.writer.lock().unwrap_or_else(PoisonError::into_inner);
        let _guard = self.lock.acquire()?;
        work()
    }

    fn no_memory(&self, id: MemoryId) -> StoreError {
        StoreError::NoMemory {
            id,
            space: self.name.to_string(),
        }
    }

    fn with_space(&self, memory: Memory) -> Memory {
        Memory {
            space: self.name.to_string(),
            ..memory
        }
    }

    pub(crate) fn names(&self) -> &Names {
        &self.names
    }

    /// A connection to read with. A database that went missing is restored first.
    pub(crate) fn reader(&self) -> Result<Pooled<'_>, StoreError> {
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
    pub(crate) fn notice_replacement(&self) -> Result<(), StoreError> {
        if self.readers.replaced()? {
            self.names.forget();
            self.replacements.fetch_add(1, Ordering::AcqRel);
        }
        Ok(())
    }

    /// How often another database was found in the place of the one that was read before: one that this
    /// process or another one restored. Costs one `stat`.
    pub fn replacements(&self) -> Result<u64, StoreError> {
        self.notice_replacement()?;
        Ok(self.replacements_met())
    }

    /// The same, as far as whatever was read so far has met one.
    pub fn replacements_met(&self) -> u64 {
        self.replacements.load(Ordering::Acquire)
    }

    fn places(&self) -> Places<'_> {
        Places {
            storage: &self.storage,
            folder: &self.folder,
            database: &self.database,
        }
    }

    /// A write that makes the space grow, and that its quota must allow.
    fn write<T>(
        &self,
        actor: &Actor,
        change: impl Fn(&mut Transaction<'_>) -> Result<T, StoreError>,
    ) -> Result<T, StoreError> {
        let limit = self.settings.current()?.quota.bytes;
        self.write_freely(actor, |transaction| {
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
        change: impl Fn(&mut Transaction<'_>) -> Result<(), StoreError>,
    ) -> Result<(), StoreError> {
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

    /// The one way in which source and journal change.
    pub(crate) fn write_freely<T>(
        &self,
        actor: &Actor,
        change: impl Fn(&mut Transaction<'_>) -> Result<T, StoreError>,
    ) -> Result<T, StoreError> {
        actor.check()?;
        self.with_writer(|writer, end| {
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
    fn with_writer<T>(
        &self,
        work: impl Fn(&mut Writer, (Seq, Digest)) -> Result<T, StoreError>,
    ) -> Result<T, StoreError> {
        self.healing(|| self.as_only_writer(&work))
            .map_err(|error| error.of_database(&self.database))
    }

    fn as_only_writer<T>(
        &self,
        work: impl Fn(&mut Writer, (Seq, Digest)) -> Result<T, StoreError>,
    ) -> Result<T, StoreError> {
        let mut slot = self.writer.lock().unwrap_or_else(PoisonError::into_inner);
        let _guard = self.lock.acquire()?;
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

/// Sets apart what keeps only one of many from being told; every other error is of all of them.
fn refused_apart<T>(told: Result<T, StoreError>) -> Result<Result<T, StoreError>, StoreError> {
    match told {
        Err(
            refused @ (StoreError::Refused(_)
            | StoreError::Conflict { .. }
            | StoreError::WasErased { .. }
            | StoreError::NoMemory { .. }),
        ) => Ok(Err(refused)),
        told => told.map(Ok),
    }
}
