//! Removes a memory's content permanently, including its names.

use std::collections::BTreeSet;

use anamne_types::{EventKind, Memory, MemoryId, Row, Seq};
use rusqlite::{Connection, OptionalExtension, params};

use super::packed::Packed;
use super::record::Payload;
use super::{Names, Tables, moves, page_bytes};
use crate::Result;
use crate::journal::Erasure;

/// The beginning of an erased row's external id.
const ERASED_PREFIX: char = '\u{1}';

/// The numbers of names that erased memories used, and that may be unused now.
pub(crate) type NameNumbers = BTreeSet<u32>;

/// The hash of an external id that outlives the memory, so that an import of the same record is recognised: 64 bits,
/// never 0, which stands for no id.
pub(crate) fn hash_of_external_id(external_id: Option<&str>) -> i64 {
    let Some(external_id) = external_id else {
        return 0;
    };
    let digest = blake3::derive_key("anamne erased external id", external_id.as_bytes());
    let first = digest.first_chunk().expect("a BLAKE3 key has 32 bytes");
    i64::from_le_bytes(*first) | 1
}

/// What an erased row has as its external id: no draft may have a control character in it.
pub(crate) fn erased_external_id(hash: i64) -> Option<String> {
    (hash != 0).then(|| format!("{ERASED_PREFIX}{hash:016x}"))
}

/// The hash in the external id of an erased row; 0 if there is none.
pub(crate) fn hash_in(external_id: Option<&str>) -> i64 {
    let hexadecimal = external_id.and_then(|id| id.strip_prefix(ERASED_PREFIX));
    let hash = hexadecimal.and_then(|digits| u64::from_str_radix(digits, 16).ok());
    hash.map_or(0, u64::cast_signed)
}

/// Empties a row permanently; only its id, row, events and the hash of its external id remain.
///
/// The row is listed in `erasing` until its payloads have left the journal too. Its names are added to `former_names`, for
/// [`erase_unused`].
pub(crate) fn erase(
    connection: &Connection,
    row: Row,
    external_id: i64,
    at: i64,
    seq: Seq,
    former_names: &mut NameNumbers,
) -> Result<()> {
    former_names.append(&mut names_of(connection, row)?);
    moves::depart(connection, row, seq)?;
    connection
        .prepare_cached(
            "UPDATE memories SET salt = NULL, kind = 1, category = NULL, role = NULL, content = '', body = NULL, \
             hash = zeroblob(16), thread = NULL, position = NULL, session = NULL, author = NULL, trust = 1, \
             importance = 5, confidence = 1, metadata = NULL, external_id = ?4, superseded_by = NULL, \
             expires_at = NULL, deleted_at = ?2, updated_at = ?2, occurred_at = created_at, erased = 1, version = 0, \
             seq = ?3, tier = 0, placed = 0, member = NULL WHERE row = ?1",
        )?
        .execute(params![
            row.0,
            at,
            seq.0 as i64,
            erased_external_id(external_id)
        ])?;
    for sql in [
        "DELETE FROM tags WHERE row = ?1",
        "DELETE FROM versions WHERE row = ?1",
        "DELETE FROM uses WHERE row = ?1",
        "DELETE FROM links WHERE ?1 IN (source, target)",
        "INSERT OR IGNORE INTO erasing (row) VALUES (?1)",
    ] {
        connection.prepare_cached(sql)?.execute([row.0])?;
    }
    Ok(())
}

/// Inserts the row of a memory of which only the id remains.
pub(crate) fn insert_empty(
    connection: &Connection,
    row: Row,
    id: MemoryId,
    at: i64,
    seq: Seq,
) -> Result<()> {
    connection
        .prepare_cached(
            "INSERT INTO memories (row, id, kind, content, hash, trust, importance, confidence, occurred_at, created_at, \
             updated_at, deleted_at, erased, version, seq) \
             VALUES (?1, ?2, 1, '', zeroblob(16), 1, 5, 1, ?3, ?3, ?3, ?3, 1, 0, ?4)",
        )?
        .execute(params![row.0, id.as_bytes().as_slice(), at, seq.0 as i64])?;
    Ok(())
}

/// The numbers of all names that the memory has or had.
fn names_of(connection: &Connection, row: Row) -> Result<BTreeSet<u32>> {
    let mut numbers = BTreeSet::new();
    let mut present = connection.prepare_cached(
        "SELECT thread FROM memories WHERE row = ?1 UNION SELECT session FROM memories WHERE row = ?1 \
         UNION SELECT author FROM memories WHERE row = ?1 UNION SELECT tag FROM tags WHERE row = ?1",
    )?;
    for number in present.query_map([row.0], |row| row.get::<_, Option<u32>>(0))? {
        numbers.extend(number?);
    }
    let mut versions = connection.prepare_cached("SELECT state FROM versions WHERE row = ?1")?;
    for state in versions.query_map([row.0], |row| row.get::<_, Packed<'static>>(0))? {
        let state = state?;
        let payload: Payload<'_> = serde_json::from_str(&state.0)?;
        for name in payload.memory.iter().flat_map(|memory| names_in(memory)) {
            numbers.extend(Names::find(connection, name)?);
        }
    }
    Ok(numbers)
}

fn names_in(memory: &Memory) -> impl Iterator<Item = &str> {
    [&memory.thread, &memory.session, &memory.author]
        .into_iter()
        .flatten()
        .chain(&memory.tags)
        .map(String::as_str)
}

/// Erases the names in `former_names` that no memory uses any more. O(memories) if there are any.
pub(crate) fn erase_unused(tables: Tables<'_>, former_names: &NameNumbers) -> Result<()> {
    let mut unused = Vec::new();
    for &number in former_names {
        if !is_name_used(&tables, number)? {
            unused.push(number);
        }
    }
    if unused.is_empty() {
        return Ok(());
    }
    // Sessions are not indexed, so they are read once for all names.
    let mut statement =
        tables.prepare_cached("SELECT DISTINCT session FROM memories WHERE session IS NOT NULL")?;
    let sessions: NameNumbers = statement
        .query_map([], |row| row.get(0))?
        .collect::<Result<_, _>>()?;
    unused
        .into_iter()
        .filter(|number| !sessions.contains(number))
        .try_for_each(|number| tables.erase(number))
}

/// Whether a tag, thread or author with this number exists.
fn is_name_used(connection: &Connection, number: u32) -> Result<bool> {
    for sql in [
        "SELECT EXISTS (SELECT 1 FROM tags WHERE tag = ?1)",
        "SELECT EXISTS (SELECT 1 FROM memories WHERE thread = ?1)",
        "SELECT EXISTS (SELECT 1 FROM memories WHERE author = ?1)",
    ] {
        let former_names: bool = connection
            .prepare_cached(sql)?
            .query_row([number], |row| row.get(0))?;
        if former_names {
            return Ok(true);
        }
    }
    Ok(false)
}

/// Whether an erasure is unfinished in the journal.
pub(crate) fn is_pending(connection: &Connection) -> Result<bool> {
    Ok(connection
        .prepare_cached("SELECT EXISTS (SELECT 1 FROM erasing)")?
        .query_row([], |row| row.get(0))?)
}

/// The rows with unfinished erasures.
pub(crate) fn rows(connection: &Connection) -> Result<Vec<Row>> {
    let mut statement = connection.prepare_cached("SELECT row FROM erasing ORDER BY row")?;
    let rows = statement.query_map([], |row| Ok(Row(row.get(0)?)))?;
    Ok(rows.collect::<Result<_, _>>()?)
}

/// Whether the log has the erasure of a row of `memories`. An empty row without one was lost to damage, or is in a
/// rewound store from before its erasure.
const IS_LOGGED: &str =
    "EXISTS (SELECT 1 FROM events WHERE events.row = memories.row AND events.kind = ?1)";

/// Whether the log has an erasure of this memory.
pub(crate) fn is_logged(connection: &Connection, id: MemoryId) -> Result<bool> {
    let sql = format!("SELECT {IS_LOGGED} FROM memories WHERE id = ?2");
    let values = params![EventKind::Erased.number(), id.as_bytes().as_slice()];
    let logged = connection
        .prepare_cached(&sql)?
        .query_row(values, |row| row.get(0))
        .optional()?;
    Ok(logged.unwrap_or(false))
}

/// The number of memories without content whose erasure the log has. O(memories).
pub(crate) fn count_logged(connection: &Connection) -> Result<u64> {
    let sql = format!("SELECT count(*) FROM memories WHERE erased AND {IS_LOGGED}");
    let erased: i64 = connection
        .prepare_cached(&sql)?
        .query_row([EventKind::Erased.number()], |row| row.get(0))?;
    Ok(erased as u64)
}

/// The ids of all memories whose erasure the log has. O(memories).
pub(crate) fn erased_ids(connection: &Connection) -> Result<Vec<MemoryId>> {
    let sql = format!("SELECT id FROM memories WHERE erased AND {IS_LOGGED} ORDER BY row");
    let mut statement = connection.prepare_cached(&sql)?;
    let ids = statement.query_map([EventKind::Erased.number()], |row| {
        Ok(MemoryId::from_bytes(row.get(0)?))
    })?;
    Ok(ids.collect::<Result<_, _>>()?)
}

/// What must be removed from the journal for the unfinished erasures.
pub(crate) fn pending(connection: &Connection) -> Result<Erasure> {
    let mut erasure = Erasure::default();
    let mut statement = connection.prepare_cached(
        "SELECT events.seq, memories.id FROM erasing JOIN memories USING (row) JOIN events USING (row) WHERE events.kind <> ?1",
    )?;
    let found = statement.query_map([EventKind::Erased.number()], |row| {
        Ok((
            Seq(row.get::<_, i64>(0)? as u64),
            MemoryId::from_bytes(row.get(1)?),
        ))
    })?;
    for found in found {
        let (seq, id) = found?;
        erasure.events.insert(seq);
        erasure.memories.insert(id);
    }
    Ok(erasure)
}

/// Checkpoints and truncates the WAL of a database, because it contains older pages; returns `false` if a reader prevented it.
pub(crate) fn truncate_wal(connection: &Connection) -> Result<bool> {
    let busy: Option<bool> = connection
        .query_row("PRAGMA wal_checkpoint(TRUNCATE)", [], |row| row.get(0))
        .optional()?;
    Ok(busy != Some(true))
}

/// Up to this size a database is rewritten in memory, above it through an unnamed temporary file.
const MOST_IN_MEMORY: i64 = 256 << 20;

/// Rewrites a database. When SQLite splits a page it leaves copies of cells behind, which `secure_delete` does not
/// overwrite when the row is deleted; the rewritten file contains none. O(bytes of the database).
pub(crate) fn rewrite(connection: &Connection) -> Result<()> {
    let is_large = page_bytes(connection)? > MOST_IN_MEMORY;
    if is_large {
        connection.pragma_update(None, "temp_store", "FILE")?;
    }
    let rewritten = connection.execute_batch("VACUUM");
    if is_large {
        connection.pragma_update(None, "temp_store", "MEMORY")?;
    }
    Ok(rewritten?)
}

/// Rewrites the database and marks every erasure as finished; returns `false` if a reader prevented it.
pub(crate) fn rewrite_and_finish(connection: &Connection) -> Result<bool> {
    if !truncate_wal(connection)? {
        return Ok(false);
    }
    rewrite(connection)?;
    finish(connection)
}

/// Truncates the WAL and marks every erasure as finished; returns `false` if a reader prevented it.
pub(crate) fn finish(connection: &Connection) -> Result<bool> {
    if !truncate_wal(connection)? {
        return Ok(false);
    }
    connection
        .prepare_cached("DELETE FROM erasing")?
        .execute([])?;
    Ok(true)
}
