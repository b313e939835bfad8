//! Writes rows: the state of a memory as columns.

use anamne_types::{Link, LinkType, Memory, Row, Seq};
use jiff::Timestamp;
use rusqlite::{Connection, OptionalExtension, params};

use super::packed::Packed;
use super::record::{Payload, Stored, body_json};
use super::{Names, Tables, moves};
use crate::Result;
use crate::clock::to_microseconds;

const INSERT: &str = "INSERT INTO memories (row, id, salt, kind, category, role, content, body, hash, thread, position, \
     session, author, trust, importance, confidence, metadata, external_id, occurred_at, created_at, updated_at, \
     expires_at, deleted_at, superseded_by, version, seq, member) \
     VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14, ?15, ?16, ?17, ?18, ?19, ?20, ?21, ?22, ?23, \
     ?24, ?25, ?26, ?27)";

const UPDATE: &str = "UPDATE memories SET id = ?2, salt = ?3, kind = ?4, category = ?5, role = ?6, content = ?7, \
     body = ?8, hash = ?9, thread = ?10, position = ?11, session = ?12, author = ?13, trust = ?14, importance = ?15, \
     confidence = ?16, metadata = ?17, external_id = ?18, occurred_at = ?19, created_at = ?20, updated_at = ?21, \
     expires_at = ?22, deleted_at = ?23, superseded_by = ?24, version = ?25, seq = ?26, member = ?27, tier = 0, placed = 0 WHERE row = ?1";

/// The row of the next new memory. Rows of erased memories stay taken.
pub(crate) fn next(connection: &Connection) -> Result<Row> {
    let last: Option<u32> = connection
        .prepare_cached("SELECT max(row) FROM memories")?
        .query_row([], |row| row.get(0))?;
    Ok(Row(last.unwrap_or(0) + 1))
}

/// Inserts a new memory; `hash` is the hash of its content.
pub(crate) fn insert(
    tables: Tables<'_>,
    row: Row,
    salt: i64,
    hash: [u8; 16],
    memory: &Memory,
) -> Result<()> {
    write(tables, INSERT, row, salt, hash, memory)?;
    write_tags(tables, row, memory)
}

/// Replaces the state of a memory, which returns it to the active tier; `hash` is the hash of its content.
pub(crate) fn update(
    tables: Tables<'_>,
    row: Row,
    salt: i64,
    hash: [u8; 16],
    memory: &Memory,
) -> Result<()> {
    moves::depart(&tables, row, memory.seq)?;
    write(tables, UPDATE, row, salt, hash, memory)?;
    tables
        .prepare_cached("DELETE FROM tags WHERE row = ?1")?
        .execute([row.0])?;
    write_tags(tables, row, memory)
}

fn write(
    tables: Tables<'_>,
    sql: &str,
    row: Row,
    salt: i64,
    hash: [u8; 16],
    memory: &Memory,
) -> Result<()> {
    let name = |name: &Option<String>| name.as_deref().map(|name| tables.number(name)).transpose();
    let role = match &memory.body {
        anamne_types::Body::Message { role } => role.map(anamne_types::Role::number),
        _ => None,
    };
    let metadata = Some(&memory.metadata).filter(|metadata| !metadata.is_empty());
    let metadata = metadata.map(serde_json::to_string).transpose()?;
    if let Some(member) = &memory.member {
        // Known from the rows alone, so that a replay of the journal knows them too.
        tables
            .prepare_cached("INSERT OR IGNORE INTO homes (name, seq) VALUES (?1, 0)")?
            .execute([&member.home])?;
    }
    let member = memory.member.as_ref().map(serde_json::to_string);
    tables.prepare_cached(sql)?.execute(params![
        row.0,
        memory.id.as_bytes().as_slice(),
        salt,
        memory.kind().number(),
        memory.body.category().map(anamne_types::Category::number),
        role,
        Packed::from(memory.content.as_str()),
        body_json(&memory.body)?,
        hash.as_slice(),
        name(&memory.thread)?,
        memory.position,
        name(&memory.session)?,
        name(&memory.author)?,
        memory.trust,
        memory.importance,
        memory.confidence,
        metadata,
        memory.external_id,
        to_microseconds(memory.occurred_at),
        to_microseconds(memory.created_at),
        to_microseconds(memory.updated_at),
        memory.expires_at.map(to_microseconds),
        memory.deleted_at.map(to_microseconds),
        memory
            .superseded_by
            .as_ref()
            .map(|id| id.as_bytes().as_slice()),
        memory.version,
        memory.seq.0 as i64,
        member.transpose()?,
    ])?;
    Ok(())
}

fn write_tags(tables: Tables<'_>, row: Row, memory: &Memory) -> Result<()> {
    for tag in &memory.tags {
        let number = tables.number(tag)?;
        tables
            .prepare_cached("INSERT OR IGNORE INTO tags (tag, row) VALUES (?1, ?2)")?
            .execute([number, row.0])?;
    }
    Ok(())
}

/// Stores the payload of a state before it is replaced.
pub(crate) fn keep_version(connection: &Connection, stored: &Stored) -> Result<()> {
    let payload = Payload::of_memory(stored.salt, &stored.memory);
    let payload = serde_json::to_string(&payload)?;
    connection
        .prepare_cached(
            "INSERT OR REPLACE INTO versions (row, version, seq, state) VALUES (?1, ?2, ?3, ?4)",
        )?
        .execute(params![
            stored.row.0,
            stored.memory.version,
            stored.memory.seq.0 as i64,
            Packed::from(payload.as_str())
        ])?;
    Ok(())
}

/// Inserts or replaces a link.
pub(crate) fn link(
    connection: &Connection,
    source: Row,
    target: Row,
    link: &Link,
    seq: Seq,
) -> Result<()> {
    connection
        .prepare_cached(
            "INSERT OR REPLACE INTO links (source, target, type, weight, reason, created_at, seq) \
             VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7)",
        )?
        .execute(params![
            source.0,
            target.0,
            link.link_type.number(),
            link.weight,
            link.reason,
            to_microseconds(link.created_at),
            seq.0 as i64
        ])?;
    Ok(())
}

/// Removes a link; returns whether it existed.
pub(crate) fn unlink(
    connection: &Connection,
    source: Row,
    target: Row,
    link_type: LinkType,
) -> Result<bool> {
    let removed = connection
        .prepare_cached("DELETE FROM links WHERE source = ?1 AND target = ?2 AND type = ?3")?
        .execute(params![source.0, target.0, link_type.number()])?;
    Ok(removed > 0)
}

/// The next free position in a thread.
pub(crate) fn next_position(tables: Tables<'_>, thread: &str) -> Result<u32> {
    let number = tables.number(thread)?;
    let last: Option<u32> = tables
        .prepare_cached("SELECT max(position) FROM memories WHERE thread = ?1")?
        .query_row([number], |row| row.get(0))?;
    Ok(last.map_or(0, |last| last.saturating_add(1)))
}

/// The last live row with this content that lasts at least `until`, at this position of a thread if one is given.
///
/// Experience (kind 9) is never the same as something else that was told, and neither is a member, whose text another
/// space may take away.
pub(crate) fn with_content(
    connection: &Connection,
    hash: [u8; 16],
    place: Option<(&str, u32)>,
    until: Option<Timestamp>,
) -> Result<Option<Row>> {
    let until = until.map(to_microseconds);
    let found = match place {
        None => connection
            .prepare_cached(
                "SELECT max(row) FROM memories WHERE hash = ?1 AND deleted_at IS NULL AND kind <> 9 AND member IS NULL \
                 AND (expires_at IS NULL OR expires_at >= ?2)",
            )?
            .query_row(params![hash.as_slice(), until], |row| row.get::<_, Option<u32>>(0))?,
        Some((thread, position)) => {
            let number = Names::find(connection, thread)?.unwrap_or(0);
            connection
                .prepare_cached(
                    "SELECT max(row) FROM memories WHERE thread = ?1 AND position = ?2 AND hash = ?3 AND deleted_at IS NULL \
                     AND kind <> 9 AND member IS NULL AND (expires_at IS NULL OR expires_at >= ?4)",
                )?
                .query_row(params![number, position, hash.as_slice(), until], |row| row.get(0))?
        }
    };
    Ok(found.map(Row))
}

/// The row with this external id.
pub(crate) fn with_external_id(connection: &Connection, external_id: &str) -> Result<Option<Row>> {
    let row: Option<u32> = connection
        .prepare_cached("SELECT row FROM memories WHERE external_id = ?1")?
        .query_row([external_id], |row| row.get(0))
        .optional()?;
    Ok(row.map(Row))
}
