//! Restores one copy from the other: the source from the journal, the journal from the source.

use std::path::{Path, PathBuf};

use anamne_types::{Actor, ActorKind, Event, EventKind, Row, Seq};
use rusqlite::Connection;
use serde_json::value::{RawValue, to_raw_value};

use crate::beside;
use crate::files::{remove_if_there, set_aside, sync_folder_of};
use crate::journal::{Digest, Entry, Journal, Line, Lines};
use crate::source::record::{Payload, Stored};
use crate::source::{
    Names, Tables, Transaction, WriteContext, contents, end_of_log, erasure, history, link, log,
    members, open_writer, read,
};
use crate::{Result, StoreError};

/// Lines replayed per transaction.
const REPLAY_BATCH: u64 = 10_000;

/// Bytes of lines written to the journal at once.
const WRITE_BATCH: usize = 4 << 20;

/// The result of a replay.
#[derive(Debug, Default)]
pub(crate) struct ReplayReport {
    /// Events added to the source.
    pub(crate) events: u64,
    /// Why the replay is incomplete: damage, or a journal with a different history.
    pub(crate) stopped: Option<String>,
}

/// Replays the journal's events after `end` into the source. The write lock must be held.
///
/// The replay stops at an unreadable line; everything before it is in the source. A journal that does not contain `end`
/// is not replayed at all.
pub(crate) fn source_from_journal(
    tables: Tables<'_>,
    folder: &Path,
    end: (Seq, Digest),
) -> Result<ReplayReport> {
    let mut replayed = ReplayReport::default();
    let mut lines = Lines::of(folder)?;
    loop {
        let mut transaction = begin(tables, end_of_log(&tables)?)?;
        let more = replay_batch(&mut transaction, &mut lines, end, &mut replayed)?;
        transaction.commit()?;
        if !more {
            return Ok(replayed);
        }
    }
}

/// A placeholder: journal lines carry their own actor and time.
const NOBODY: &Actor = &Actor {
    kind: ActorKind::System,
    name: String::new(),
};

fn begin(tables: Tables<'_>, end: (Seq, Digest)) -> Result<Transaction<'_>> {
    let occasion = WriteContext {
        space: "",
        actor: NOBODY,
        now: jiff::Timestamp::UNIX_EPOCH,
        finds_duplicates: true,
    };
    Transaction::begin(tables, occasion, end)
}

/// Replays the next lines; returns whether there are more.
fn replay_batch(
    transaction: &mut Transaction<'_>,
    lines: &mut Lines,
    end: (Seq, Digest),
    replayed: &mut ReplayReport,
) -> Result<bool> {
    let mut taken = 0;
    while taken < REPLAY_BATCH {
        let line = match lines.next() {
            None => return Ok(false),
            Some(Err(damaged @ StoreError::Damaged { .. })) => {
                replayed.stopped = Some(damaged.to_string());
                return Ok(false);
            }
            Some(line) => line?,
        };
        if line.seq == end.0 && line.hash != end.1 {
            let reason = format!("the journal and the database differ at event {}", line.seq);
            replayed.stopped = Some(reason);
            return Ok(false);
        }
        if line.seq > end.0 {
            transaction.replay(&line)?;
            replayed.events += 1;
            taken += 1;
        }
    }
    Ok(true)
}

/// Builds the database at `path` from the journal, first under another name, so that no reader sees an incomplete one.
/// The write lock must be held, and `path` must not exist.
///
/// If memories were erased, names may get different numbers than before, so the views, which store these numbers, are
/// removed and rebuilt. `space` is the folder of the space.
pub(crate) fn database_from_journal(
    path: &Path,
    journal: &Path,
    space: &Path,
) -> Result<ReplayReport> {
    let unfinished = path.with_extension("db.unfinished");
    remove_database(&unfinished)?;
    let connection = open_writer(&unfinished)?;
    let names = Names::default();
    let replayed = source_from_journal(names.of(&connection), journal, Default::default())?;
    connection.query_row("PRAGMA wal_checkpoint(TRUNCATE)", [], |_| Ok(()))?;
    // Closing the last connection removes the WAL and its index.
    connection.close().map_err(|(_, error)| error)?;
    beside::remove_views(space)?;
    std::fs::rename(&unfinished, path).map_err(StoreError::io("put in place", path))?;
    sync_folder_of(path)?;
    Ok(replayed)
}

/// Every file of the database: the active tier's, those of colder tiers, and SQLite's side files of each.
///
/// A database replayed from the journal has all its memories in the active tier, so the files of the other tiers belong
/// to the quarantined one.
pub(crate) fn database_files(database: &Path) -> Result<Vec<PathBuf>> {
    let colder = match database.parent() {
        Some(memories) => contents::files_in(memories)?,
        None => Vec::new(),
    };
    let files =
        std::iter::once(database.to_owned()).chain(colder.into_iter().map(|(_, path)| path));
    Ok(files.flat_map(|file| with_side_files(&file)).collect())
}

/// SQLite's side files of a database, then the database itself.
pub(crate) fn with_side_files(database: &Path) -> [PathBuf; 3] {
    let [log, index] = ["wal", "shm"].map(|which| side_file(database, which));
    [log, index, database.to_owned()]
}

/// Removes a database, then its side files.
pub(crate) fn remove_database(path: &Path) -> Result<()> {
    remove_if_there(path)?;
    ["wal", "shm"]
        .iter()
        .try_for_each(|ending| remove_if_there(&side_file(path, ending)))
}

/// A side file of a SQLite database.
pub(crate) fn side_file(database: &Path, which: &str) -> PathBuf {
    let mut name = database.as_os_str().to_owned();
    name.push("-");
    name.push(which);
    PathBuf::from(name)
}

/// Rewrites the journal from the source's events. The write lock must be held.
///
/// The old folder is quarantined. Payloads of states that the source still holds are written unchanged, verified by
/// their digests; others (such as a removed link) are left empty.
pub(crate) fn journal_from_source(tables: Tables<'_>, journal: &mut Journal) -> Result<u64> {
    let unfinished = journal.folder.with_extension("unfinished");
    remove_if_there(&unfinished)?;
    let mut anew = Journal::on(&unfinished, journal.storage.clone());
    let written = write_journal(tables, &mut anew)?;
    if journal.folder.exists() {
        set_aside(&journal.folder)?;
    }
    if written > 0 {
        std::fs::rename(&unfinished, &journal.folder)
            .map_err(StoreError::io("put in place", &journal.folder))?;
    }
    sync_folder_of(&journal.folder)?;
    journal.reopen();
    Ok(written)
}

fn write_journal(tables: Tables<'_>, journal: &mut Journal) -> Result<u64> {
    let mut statement = tables.prepare(&format!("{EVENTS} ORDER BY events.seq"))?;
    let lines = statement.query_and_then([], |row| line_of(tables, row))?;
    write_lines(lines, journal)
}

/// Appends lines that continue the chain; returns their number.
pub(crate) fn write_lines(
    lines: impl Iterator<Item = Result<Line>>,
    journal: &mut Journal,
) -> Result<u64> {
    let (mut batch, mut bytes, mut written) = (Vec::new(), 0, 0);
    for line in lines {
        let entry = Entry::of(&line?)?;
        bytes += entry.text.len();
        batch.push(entry);
        written += 1;
        if bytes >= WRITE_BATCH {
            journal.append(&batch)?;
            batch.clear();
            bytes = 0;
        }
    }
    journal.append(&batch)?;
    Ok(written)
}

/// The columns that [`line_of`] reads.
pub(crate) const EVENTS: &str = "SELECT events.seq, at, actor_kind, actor_name, events.kind, memories.id, payload_hash, \
     events.hash, events.row FROM events JOIN memories USING (row)";

/// The line of an event, with its payload if the source still holds it.
pub(crate) fn line_of(tables: Tables<'_>, row: &rusqlite::Row<'_>) -> Result<Line> {
    let mut line = bare_line_of(row)?;
    if let Some(stored) = read::by_row(tables, Row(row.get(8)?))? {
        line.payload = payload_of(&tables, &line.event(), &stored)?
            .filter(|payload| Digest::of(payload.get().as_bytes()) == line.payload_hash);
    }
    Ok(line)
}

/// The line of an event without its payload.
pub(crate) fn bare_line_of(row: &rusqlite::Row<'_>) -> rusqlite::Result<Line> {
    let mut line = Line::unchained(log::read_event(row)?, Digest(row.get(6)?), None);
    line.hash = Digest(row.get(7)?);
    Ok(line)
}

/// The payload of an event as far as the source still holds it; not yet compared with its digest.
pub(crate) fn payload_of(
    connection: &Connection,
    event: &Event,
    stored: &Stored,
) -> Result<Option<Box<RawValue>>> {
    let raw = |payload: Payload<'_>| to_raw_value(&payload).map(Some);
    Ok(match event.kind {
        EventKind::Erased => {
            let external_id = erasure::hash_in(stored.memory.external_id.as_deref());
            raw(Payload::of_erasure(external_id))?
        }
        EventKind::Moved | EventKind::Accessed => raw(Payload::NOTHING)?,
        EventKind::Shared => match members::share_at(connection, stored.row, event.seq)? {
            Some(space) => raw(Payload::of_share(stored.salt, &space))?,
            None => None,
        },
        // Its space is in no table any more.
        EventKind::Withdrawn => None,
        EventKind::Linked => match link::at(connection, event.seq)? {
            Some(link) => raw(Payload::of_link(stored.salt, &link))?,
            None => None,
        },
        _ if stored.memory.seq == event.seq => {
            raw(Payload::of_memory(stored.salt, &stored.memory))?
        }
        _ => {
            let state = history::state_text(connection, stored.row, event.seq)?;
            state.map(RawValue::from_string).transpose()?
        }
    })
}
