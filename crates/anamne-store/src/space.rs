//! One space: its source, its journal, and the one way in which both change.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

use anamne_types::{
    Actor, Draft, Edit, Filter, Link, LinkType, Memory, MemoryId, Refusal, Remembered, Row, Seq,
    Version,
};
use rusqlite::Connection;

use crate::StoreError;
use crate::clock::Clock;
use crate::config::SpaceConfig;
use crate::files::{create_private_folder, set_aside};
use crate::journal::{Journal, JournalReport, Lines};
use crate::lock::WriteLock;
use crate::restore;
use crate::source::{
    Listing, Names, Readers, SourceFeed, Statistics, Transaction, feed, filter, history, link,
    open_writer, read, rows, statistics,
};
use crate::space_name::SpaceName;
use crate::view::Change;

/// The source of one space, open in this process. Every method may be called from several threads.
pub struct SpaceSource {
    name: SpaceName,
    folder: PathBuf,
    config: SpaceConfig,
    clock: Arc<dyn Clock>,
    lock: WriteLock,
    writer: Mutex<Option<Writer>>,
    readers: Readers,
    names: Names,
    /// What was mended when the space was opened, for a person to read.
    mended: Vec<String>,
}

struct Writer {
    connection: Connection,
    journal: Journal,
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
        let config_path = folder.join("space.toml");
        let database = Self::database_in(folder);
        let fresh = !database.exists() || !config_path.exists();
        if fresh && !create && !folder.join("journal").exists() && !database.exists() {
            return Err(StoreError::NoSpace(name.to_string()));
        }
        if fresh {
            create_private_folder(&folder.join("memories"))?;
        }
        let lock = WriteLock::open(&folder.join("write.lock"))?;
        let config = match SpaceConfig::read(&config_path)? {
            Some(config) => config,
            None => {
                let config = SpaceConfig::new(name.as_str(), clock.now());
                config.write(&config_path)?;
                config
            }
        };
        let readers = Readers::new(&database);
        let mut space = Self {
            name: name.clone(),
            folder: folder.to_owned(),
            config,
            clock,
            lock,
            writer: Mutex::default(),
            readers,
            names: Names::default(),
            mended: Vec::new(),
        };
        space.reconcile(fresh)?;
        Ok(space)
    }

    /// The space's name.
    pub fn name(&self) -> &SpaceName {
        &self.name
    }

    /// The space's folder.
    pub fn folder(&self) -> &Path {
        &self.folder
    }

    /// The space's settings.
    pub fn config(&self) -> &SpaceConfig {
        &self.config
    }

    /// What was mended when the space was opened.
    pub fn mended(&self) -> &[String] {
        &self.mended
    }

    /// The present instant by the clock that the caller handed in.
    pub fn now(&self) -> jiff::Timestamp {
        self.clock.now()
    }

    fn database_in(folder: &Path) -> PathBuf {
        folder.join("memories").join("active.db")
    }

    /// Makes source and journal agree, if they don't. Costs two small reads when they do.
    fn reconcile(&mut self, fresh: bool) -> Result<(), StoreError> {
        let agreed = || -> Result<bool, StoreError> {
            let head = feed::head(&*self.readers.get()?)?;
            Ok(Journal::at(&self.folder.join("journal")).last_seq()? == head)
        };
        let looks_right = !fresh && agreed().unwrap_or(false);
        if looks_right {
            self.check_format()?;
            return Ok(());
        }
        let _guard = self.lock.acquire()?;
        self.mended = mend(&self.folder, &self.names)?;
        Ok(())
    }

    /// Refuses a database that a newer version made.
    fn check_format(&self) -> Result<(), StoreError> {
        let found: i64 = self
            .readers
            .get()?
            .pragma_query_value(None, "user_version", |row| row.get(0))?;
        if found > crate::source::SOURCE_FORMAT {
            let path = Self::database_in(&self.folder);
            return Err(StoreError::Newer {
                path,
                found,
                known: crate::source::SOURCE_FORMAT,
            });
        }
        Ok(())
    }

    /// Tells one memory. When this returns, it is durable in the source and in the journal.
    pub fn remember(&self, actor: &Actor, draft: &Draft) -> Result<Remembered, StoreError> {
        draft.check()?;
        actor.check()?;
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
            let tell = |draft| match transaction.remember(draft) {
                Err(refused @ (StoreError::Refused(_) | StoreError::Conflict { .. })) => {
                    Ok(Err(refused))
                }
                told => told.map(Ok),
            };
            drafts.iter().map(tell).collect()
        })
    }

    /// The memory that was told under this outside id, or that has this id itself.
    pub fn find_imported(&self, id: &str) -> Result<Option<MemoryId>, StoreError> {
        let reader = self.readers.get()?;
        if let Some(row) = rows::with_external_id(&reader, id)? {
            return Ok(read::by_row(&reader, &self.names, row)?.map(|stored| stored.memory.id));
        }
        let Ok(id) = id.parse() else { return Ok(None) };
        Ok(read::by_id(&reader, &self.names, id)?
            .filter(|stored| !stored.erased)
            .map(|stored| stored.memory.id))
    }

    /// Changes a memory and returns its new state.
    pub fn edit(&self, actor: &Actor, id: MemoryId, edit: &Edit) -> Result<Memory, StoreError> {
        edit.check()?;
        self.write(actor, |transaction| transaction.edit(id, edit))
            .map(|memory| self.with_space(memory))
    }

    /// Puts a memory away; it can be restored.
    pub fn forget(&self, actor: &Actor, id: MemoryId) -> Result<Memory, StoreError> {
        self.write(actor, |transaction| transaction.forget(id))
            .map(|memory| self.with_space(memory))
    }

    /// Brings a forgotten memory back.
    pub fn restore(&self, actor: &Actor, id: MemoryId) -> Result<Memory, StoreError> {
        self.write(actor, |transaction| transaction.restore(id))
            .map(|memory| self.with_space(memory))
    }

    /// Removes a memory's content for ever, from the source and from the journal.
    pub fn erase(&self, actor: &Actor, id: MemoryId) -> Result<(), StoreError> {
        let mut events = BTreeSet::new();
        self.write(actor, |transaction| {
            events = transaction.erase(id)?;
            Ok(())
        })?;
        self.with_writer(|writer| {
            writer.journal.erase(&events)?;
            // The log of the database still holds the old pages until it is written back and cut.
            let emptied: Result<i64, _> =
                writer
                    .connection
                    .query_row("PRAGMA wal_checkpoint(TRUNCATE)", [], |row| row.get(0));
            Ok(emptied.map(|_| ())?)
        })
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
        self.write(actor, |transaction| transaction.unlink(from, to, link_type))
    }

    /// The memory with this id, forgotten ones included, erased ones not.
    pub fn get(&self, id: MemoryId) -> Result<Memory, StoreError> {
        let reader = self.readers.get()?;
        match read::by_id(&reader, &self.names, id)? {
            Some(stored) if !stored.erased => Ok(self.with_space(stored.memory)),
            _ => Err(StoreError::NoMemory {
                id,
                space: self.name.to_string(),
            }),
        }
    }

    /// The live memories of these rows, in their order; rows without one are passed over.
    pub fn get_rows(&self, rows: &[Row]) -> Result<Vec<(Row, Memory)>, StoreError> {
        let reader = self.readers.get()?;
        let mut memories = Vec::with_capacity(rows.len());
        for &row in rows {
            if let Some(stored) = read::by_row(&reader, &self.names, row)?
                && stored.memory.deleted_at.is_none()
            {
                memories.push((row, self.with_space(stored.memory)));
            }
        }
        Ok(memories)
    }

    /// The id that `text` names: a whole id, or its first digits where only one memory has them.
    pub fn resolve(&self, text: &str) -> Result<MemoryId, StoreError> {
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
        let ids = read::ids_with_prefix(&*self.readers.get()?, bound("0")?, bound("f")?)?;
        match ids[..] {
            [id] => Ok(id),
            [] => Err(StoreError::NoMemory {
                id: bound("0")?,
                space: self.name.to_string(),
            }),
            _ => Err(Refusal::new("id", "long enough to mean one memory", text).into()),
        }
    }

    /// The memories of a listing.
    pub fn list(&self, listing: &Listing) -> Result<Vec<Memory>, StoreError> {
        listing.filter.check()?;
        let memories = filter::list(&*self.readers.get()?, &self.names, listing)?;
        Ok(memories
            .into_iter()
            .map(|memory| self.with_space(memory))
            .collect())
    }

    /// The live rows that pass a filter, ascending.
    pub fn rows(&self, filter: &Filter) -> Result<Vec<Row>, StoreError> {
        filter::rows(&*self.readers.get()?, &self.names, filter)
    }

    /// The number under which a thread, author, session or tag is stored, if it is known.
    pub fn number_of(&self, name: &str) -> Result<Option<u32>, StoreError> {
        self.names.find(&*self.readers.get()?, name)
    }

    /// The live rows just before and after a row in its thread.
    pub fn thread_neighbours(&self, row: Row) -> Result<[Option<Row>; 2], StoreError> {
        read::thread_neighbours(&*self.readers.get()?, row)
    }

    /// Every state that a memory has had, the present one last.
    pub fn history(&self, id: MemoryId) -> Result<Vec<Version>, StoreError> {
        let reader = self.readers.get()?;
        match read::by_id(&reader, &self.names, id)? {
            Some(stored) => history::of(&reader, &stored),
            None => Err(StoreError::NoMemory {
                id,
                space: self.name.to_string(),
            }),
        }
    }

    /// The links that start or end at a memory.
    pub fn links(&self, id: MemoryId) -> Result<Vec<Link>, StoreError> {
        let reader = self.readers.get()?;
        match read::by_id(&reader, &self.names, id)? {
            Some(stored) => link::of_row(&reader, stored.row),
            None => Err(StoreError::NoMemory {
                id,
                space: self.name.to_string(),
            }),
        }
    }

    /// Every link of the space.
    pub fn all_links(&self) -> Result<Vec<Link>, StoreError> {
        link::all(&*self.readers.get()?)
    }

    /// Counts. O(memories).
    pub fn statistics(&self) -> Result<Statistics, StoreError> {
        statistics::of(&*self.readers.get()?)
    }

    /// Where views read the log from.
    pub fn feed(&self) -> SourceFeed<'_> {
        SourceFeed {
            readers: &self.readers,
            names: &self.names,
        }
    }

    /// A watch on commits of any process.
    pub fn watch(&self) -> Result<Watch, StoreError> {
        Ok(Watch {
            connection: self.readers.open()?,
            version: None,
        })
    }

    /// Reads the whole journal and checks its chain. O(bytes of the journal).
    pub fn verify_journal(&self) -> Result<JournalReport, StoreError> {
        Lines::verify(&self.folder.join("journal"))
    }

    /// Runs SQLite's own check over the whole database; empty when all is well. O(bytes of the database).
    pub fn verify_database(&self) -> Result<Vec<String>, StoreError> {
        let reader = self.readers.get()?;
        let mut statement = reader.prepare("PRAGMA integrity_check")?;
        let findings = statement
            .query_map([], |row| row.get::<_, String>(0))?
            .collect::<Result<Vec<_>, _>>()?;
        Ok(findings
            .into_iter()
            .filter(|finding| finding != "ok")
            .collect())
    }

    /// Compresses full segments of the journal; says how many. Cheap when there are none.
    pub fn seal_journal(&self) -> Result<usize, StoreError> {
        let journal = Journal::at(&self.folder.join("journal"));
        if !journal.has_full_segments()? {
            return Ok(0);
        }
        self.with_writer(|writer| writer.journal.seal_full_segments())
    }

    fn with_space(&self, memory: Memory) -> Memory {
        Memory {
            space: self.name.to_string(),
            ..memory
        }
    }

    /// The one way in which source and journal change.
    fn write<T>(
        &self,
        actor: &Actor,
        change: impl FnOnce(&mut Transaction<'_>) -> Result<T, StoreError>,
    ) -> Result<T, StoreError> {
        self.with_writer(|writer| {
            let journaled = flush_outbox(writer)?;
            let mut transaction = Transaction::begin(
                &writer.connection,
                &self.names,
                self.name.as_str(),
                actor,
                self.clock.now(),
                journaled,
            )?;
            let outcome = change(&mut transaction)?;
            let lines = transaction.commit()?;
            writer.journal.append(&lines)?;
            Ok(outcome)
        })
    }

    /// Runs `work` as the only writer of all threads and processes.
    fn with_writer<T>(
        &self,
        work: impl FnOnce(&mut Writer) -> Result<T, StoreError>,
    ) -> Result<T, StoreError> {
        let mut slot = self.writer.lock().unwrap_or_else(PoisonError::into_inner);
        let _guard = self.lock.acquire()?;
        let writer = match &mut *slot {
            Some(writer) => writer,
            empty => {
                let connection = open_writer(&Self::database_in(&self.folder))?;
                empty.insert(Writer {
                    connection,
                    journal: Journal::at(&self.folder.join("journal")),
                })
            }
        };
        work(writer)
    }
}

/// Notices commits of any connection in any process.
pub struct Watch {
    connection: Connection,
    version: Option<i64>,
}

impl Watch {
    /// Whether anything was committed since the last time this said so. Costs 2–4 µs.
    pub fn changed(&mut self) -> Result<bool, StoreError> {
        let version: i64 = self
            .connection
            .prepare_cached("PRAGMA data_version")?
            .query_row([], |row| row.get(0))?;
        let changed = self.version != Some(version);
        self.version = Some(version);
        Ok(changed)
    }

    /// Says at the next question that something changed, whatever happened.
    pub fn reset(&mut self) {
        self.version = None;
    }

    /// The last event of the log.
    pub fn head(&self) -> Result<Seq, StoreError> {
        feed::head(&self.connection)
    }

    /// At most `limit` changes after `after`, and how far they bring a view that follows them; `head` is the log's end.
    pub fn changes(
        &self,
        space: &SpaceSource,
        after: Seq,
        head: Seq,
        limit: usize,
    ) -> Result<(Seq, Vec<Change>), StoreError> {
        let changes = feed::changes(&self.connection, &space.names, after, limit)?;
        let last = changes.last().map_or(after, |change| change.seq);
        Ok((
            if changes.len() < limit {
                last.max(head)
            } else {
                last
            },
            changes,
        ))
    }
}

/// Sends to the journal what a crash left in the outbox; returns how far the journal reaches.
fn flush_outbox(writer: &mut Writer) -> Result<Seq, StoreError> {
    let journaled = writer.journal.last_seq()?;
    let mut statement = writer
        .connection
        .prepare_cached("SELECT seq, line FROM outbox WHERE seq > ?1 ORDER BY seq")?;
    let lines = statement.query_map([journaled.0 as i64], |row| {
        Ok((Seq(row.get::<_, i64>(0)? as u64), row.get(1)?))
    })?;
    let lines = lines.collect::<Result<Vec<_>, _>>()?;
    if lines.is_empty() {
        return Ok(journaled);
    }
    writer.journal.append(&lines)?;
    writer.journal.last_seq()
}

/// Makes source and journal of the space in `folder` agree; the write lock must be held.
fn mend(folder: &Path, names: &Names) -> Result<Vec<String>, StoreError> {
    let database = SpaceSource::database_in(folder);
    let mut mended = Vec::new();
    let connection = match open_writer(&database) {
        Err(error) if error.is_broken_database() => {
            let aside = set_aside(&database)?;
            for side_file in ["active.db-wal", "active.db-shm"] {
                let side_file = database.with_file_name(side_file);
                if side_file.exists() {
                    fs::remove_file(&side_file).map_err(StoreError::io("remove", &side_file))?;
                }
            }
            mended.push(format!(
                "the database was broken ({error}); it was set aside as {}",
                aside.display()
            ));
            open_writer(&database)?
        }
        opened => opened?,
    };
    let mut writer = Writer {
        connection,
        journal: Journal::at(&folder.join("journal")),
    };
    let head = feed::head(&writer.connection)?;
    let journaled = match flush_outbox(&mut writer) {
        Ok(journaled) => journaled,
        Err(StoreError::Damaged { reason, .. }) => {
            let events =
                restore::journal_from_source(&writer.connection, names, &mut writer.journal)?;
            mended.push(format!("the journal was incomplete ({reason}); {events} events were written anew from the source"));
            head
        }
        Err(error) => return Err(error),
    };
    if journaled > head {
        let events =
            restore::source_from_journal(&writer.connection, names, &writer.journal.folder, head)?;
        mended.push(format!(
            "{events} events were missing in the database and were restored from the journal"
        ));
    } else if journaled < head {
        let events = restore::journal_from_source(&writer.connection, names, &mut writer.journal)?;
        mended.push(format!("the journal ended at event {journaled}; {events} events were written anew from the source"));
    }
    Ok(mended)
}
