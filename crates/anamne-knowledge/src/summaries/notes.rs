//! Notes of memories and periods, without their text.

use anamne_types::{Kind, Memory, Role, Row};
use rusqlite::{Connection, OptionalExtension, params};

use super::period::{Level, Span, period_of};
use super::sessions;

/// A memory with its thread, time and place.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Note {
    pub(crate) row: u32,
    pub(crate) thread: i64,
    pub(crate) at: i64,
    pub(crate) place: i64,
}

/// Whether summaries read a memory: messages of people and agents, thoughts, facts and episodes.
///
/// Documents and their chunks, skills, system messages and tool results are excluded, because they are material rather than
/// events; summaries, because their sentences would count twice.
pub(crate) fn is_read(memory: &Memory) -> bool {
    let spoken = match &memory.body {
        anamne_types::Body::Message { role } => !matches!(role, Some(Role::System | Role::Tool)),
        _ => true,
    };
    spoken
        && matches!(
            memory.kind(),
            Kind::Message | Kind::Thought | Kind::Fact | Kind::Episode
        )
}

/// Removes a memory: its note, its sentences in every summary, and its part in every period.
pub(crate) fn take_out(connection: &Connection, row: Row, seq: u64) -> rusqlite::Result<()> {
    let Some(note) = noted(connection, row)? else {
        return Ok(());
    };
    connection
        .prepare_cached("DELETE FROM sentences WHERE row = ?1")?
        .execute([row.0])?;
    connection
        .prepare_cached("DELETE FROM sources WHERE row = ?1")?
        .execute([row.0])?;
    if note.thread != 0 {
        sessions::shrink(connection, note.thread, note.at, seq)?;
        let forget = "DELETE FROM threads WHERE number = ?1 \
                      AND NOT EXISTS (SELECT 1 FROM sources WHERE thread = ?1)";
        connection.prepare_cached(forget)?.execute([note.thread])?;
    }
    touch_calendar(connection, note.at, seq)
}

/// Adds a memory.
pub(crate) fn take_in(
    connection: &Connection,
    memory: &Memory,
    row: Row,
    seq: u64,
) -> rusqlite::Result<()> {
    let thread = match &memory.thread {
        Some(name) => thread_number(connection, name)?,
        None => 0,
    };
    let at = memory.occurred_at.as_microsecond();
    let note = Note {
        row: row.0,
        thread,
        at,
        place: i64::from(memory.position.unwrap_or(row.0)),
    };
    connection
        .prepare_cached(
            "INSERT INTO sources (row, id, thread, place, at) VALUES (?1, ?2, ?3, ?4, ?5)",
        )?
        .execute(params![row.0, memory.id.as_bytes(), thread, note.place, at])?;
    if thread != 0 {
        sessions::extend(connection, thread, at, seq)?;
    }
    touch_calendar(connection, at, seq)
}

fn noted(connection: &Connection, row: Row) -> rusqlite::Result<Option<Note>> {
    connection
        .prepare_cached("SELECT thread, at, place FROM sources WHERE row = ?1")?
        .query_row([row.0], |found| {
            Ok(Note {
                row: row.0,
                thread: found.get(0)?,
                at: found.get(1)?,
                place: found.get(2)?,
            })
        })
        .optional()
}

fn thread_number(connection: &Connection, name: &str) -> rusqlite::Result<i64> {
    connection
        .prepare_cached("INSERT INTO threads (name) VALUES (?1) ON CONFLICT DO NOTHING")?
        .execute([name])?;
    connection
        .prepare_cached("SELECT number FROM threads WHERE name = ?1")?
        .query_row([name], |row| row.get(0))
}

fn touch_calendar(connection: &Connection, at: i64, seq: u64) -> rusqlite::Result<()> {
    for level in [Level::Day, Level::Week, Level::Month] {
        touch(
            connection,
            level,
            0,
            period_of(level, super::period::instant(at)),
            seq,
        )?;
    }
    Ok(())
}

/// Marks a period as touched, so that it is rebuilt.
pub(crate) fn touch(
    connection: &Connection,
    level: Level,
    thread: i64,
    span: Span,
    seq: u64,
) -> rusqlite::Result<()> {
    connection
        .prepare_cached(
            "INSERT INTO periods (level, thread, start, until, memories, characters, touched) \
             VALUES (?1, ?2, ?3, ?4, 0, 0, ?5) \
             ON CONFLICT DO UPDATE SET until = excluded.until, touched = excluded.touched",
        )?
        .execute(params![
            level.number(),
            thread,
            span.start,
            span.until,
            seq as i64
        ])?;
    Ok(())
}

/// Removes a period and its sentences.
pub(crate) fn drop_period(
    connection: &Connection,
    level: Level,
    thread: i64,
    start: i64,
) -> rusqlite::Result<()> {
    connection
        .prepare_cached("DELETE FROM periods WHERE level = ?1 AND thread = ?2 AND start = ?3")?
        .execute(params![level.number(), thread, start])?;
    drop_sentences(connection, level, thread, start)
}

/// Removes the sentences of a period.
pub(crate) fn drop_sentences(
    connection: &Connection,
    level: Level,
    thread: i64,
    start: i64,
) -> rusqlite::Result<()> {
    connection
        .prepare_cached("DELETE FROM sentences WHERE level = ?1 AND thread = ?2 AND start = ?3")?
        .execute(params![level.number(), thread, start])?;
    Ok(())
}
