//! Sessions in OpenCode's SQLite database, which is only read.
//!
//! Version 1 has a row for each message and each part; version 2 a row for each message with its content.

use std::path::{Path, PathBuf};

use jiff::Timestamp;
use rusqlite::types::ValueRef;
use rusqlite::{Connection, OptionalExtension, Row};

use super::super::{Conversation, TranscriptError, TranscriptFile, TranscriptFormat};
use super::foreign::{Failure, Schema, with_database};
use super::message::{Message, Part, Reading, Revert};

/// The most sessions that are listed, and the most messages of one.
const MAX_ROWS: usize = 200_000;

/// The most parts of one message.
const MAX_PARTS: usize = 10_000;

/// The largest message or part that is read, in bytes.
const MAX_DATA_BYTES: usize = 32 << 20;

/// The sessions of people in a database.
pub(super) fn sessions(path: &Path) -> Result<Vec<TranscriptFile>, TranscriptError> {
    with_database(path, |connection| {
        Layout::of(connection)?;
        let query = format!(
            "SELECT id, time_updated FROM session WHERE coalesce(parent_id, '') = '' LIMIT {MAX_ROWS}"
        );
        let mut statement = connection.prepare(&query)?;
        let mut rows = statement.query(())?;
        let mut files = Vec::new();
        while let Some(row) = rows.next()? {
            if let Some(session) = text_at(row, 0)? {
                files.push(TranscriptFile {
                    format: TranscriptFormat::OpenCode,
                    path: path.to_owned(),
                    session,
                    bytes: 0,
                    modified: number_at(row, 1)?.and_then(time_of),
                });
            }
        }
        Ok(files)
    })
}

/// Whether a database has a session.
pub(super) fn has_session(path: &Path, session: &str) -> Result<bool, TranscriptError> {
    with_database(path, |connection| {
        Layout::of(connection)?;
        let mut statement = connection.prepare("SELECT 1 FROM session WHERE id = ?1")?;
        Ok(statement.exists([session])?)
    })
}

pub(super) fn read(file: &TranscriptFile) -> Result<Conversation, TranscriptError> {
    with_database(&file.path, |connection| {
        let layout = Layout::of(connection)?;
        let mut reading = layout.begin(connection, &file.session)?;
        let has_rows = |table: &str| {
            let query = format!("SELECT 1 FROM {table} WHERE session_id = ?1 LIMIT 1");
            let mut statement = connection.prepare(&query)?;
            statement.exists([&file.session])
        };
        if layout.parts && has_rows("message")? {
            read_parts(connection, &file.session, &mut reading)?;
        } else if layout.has_contents() && has_rows("session_message")? {
            read_contents(connection, &layout, &file.session, &mut reading)?;
        }
        Ok(reading.conversation)
    })
}

/// Which tables a database has.
struct Layout {
    session: Schema,
    /// Whether it has those of version 1.
    parts: bool,
    /// The messages of version 2.
    contents: Schema,
}

impl Layout {
    fn of(connection: &Connection) -> Result<Self, Failure> {
        let message = Schema::of(connection, "message")?;
        let part = Schema::of(connection, "part")?;
        let layout = Self {
            session: Schema::of(connection, "session")?,
            parts: message.has(&["id", "session_id", "time_created", "data"])
                && part.has(&["id", "message_id", "data"]),
            contents: Schema::of(connection, "session_message")?,
        };
        let known = layout.session.has(&["id", "parent_id", "time_updated"]);
        if known && (layout.parts || layout.has_contents()) {
            return Ok(layout);
        }
        Err(Failure::Unknown(
            "its tables are of an unknown version".to_owned(),
        ))
    }

    /// Whether there are messages of version 2.
    fn has_contents(&self) -> bool {
        self.contents
            .has(&["id", "session_id", "type", "time_created", "data"])
    }

    /// A reading of a session: its folder, and how far it is live.
    fn begin(&self, connection: &Connection, session: &str) -> Result<Reading, Failure> {
        let column = |name: &'static str| {
            let there = self.session.has(&[name]);
            if there { name } else { "NULL" }
        };
        let directory = column("directory");
        let revert = column("revert");
        let query = format!("SELECT {directory}, {revert} FROM session WHERE id = ?1");
        let found = connection
            .query_row(&query, [session], |row| {
                Ok((text_at(row, 0)?, text_at(row, 1)?))
            })
            .optional()?;
        let Some((directory, revert)) = found else {
            return Err(Failure::Unknown(format!("it has no session {session:?}")));
        };
        let mut reading = Reading::default();
        session.clone_into(&mut reading.conversation.session);
        let directory = directory.filter(|directory| !directory.is_empty());
        reading.conversation.folder = directory.map(PathBuf::from);
        if let Some(revert) = revert {
            let revert: Revert<'_> = serde_json::from_str(&revert).unwrap_or_default();
            reading.live_until(&revert);
        }
        Ok(reading)
    }
}

/// Reads messages and parts of version 1.
fn read_parts(
    connection: &Connection,
    session: &str,
    reading: &mut Reading,
) -> Result<(), Failure> {
    let query = format!(
        "SELECT id, time_created FROM message WHERE session_id = ?1 ORDER BY time_created, id LIMIT {MAX_ROWS}"
    );
    let messages = keys(connection, &query, session)?;
    let mut message_data = connection.prepare(&data_query("message", "id = ?1", ""))?;
    let part_query = data_query("part", "message_id = ?1", "ORDER BY id");
    let mut part_data = connection.prepare(&format!("{part_query} LIMIT {MAX_PARTS}"))?;
    for (number, (id, created)) in messages.iter().enumerate() {
        if reading.is_full() {
            break;
        }
        let data = message_data.query_row([id], data_at)?;
        let mut message: Message<'_> = match parse(data.as_deref()) {
            Ok(message) => message,
            Err(reason) => {
                reading.bad(number, reason);
                continue;
            }
        };
        message.made(*created);
        let mut rows = part_data.query([id])?;
        let mut stored = Vec::new();
        while let Some(row) = rows.next()? {
            stored.push((text_at(row, 0)?, data_at(row)?));
        }
        let mut parts = Vec::new();
        for (id, data) in &stored {
            match parse::<Part<'_>>(data.as_deref()) {
                Ok(part) => parts.push(part.with_id(id.as_deref())),
                Err(reason) => {
                    reading.bad(number, reason);
                    // It keeps its place: the ids of the parts after it count it.
                    parts.push(Part::default().with_id(id.as_deref()));
                }
            }
        }
        reading.add(id, &message, &parts, number + 1 == messages.len());
    }
    Ok(())
}

/// Reads messages of version 2.
fn read_contents(
    connection: &Connection,
    layout: &Layout,
    session: &str,
    reading: &mut Reading,
) -> Result<(), Failure> {
    let order = if layout.contents.has(&["seq"]) {
        "seq"
    } else {
        "time_created, id"
    };
    let query = format!(
        "SELECT id, time_created FROM session_message WHERE session_id = ?1 ORDER BY {order} LIMIT {MAX_ROWS}"
    );
    let messages = keys(connection, &query, session)?;
    let mut data = connection.prepare(&data_query("session_message", "id = ?1", ""))?;
    let mut kind = connection.prepare("SELECT type FROM session_message WHERE id = ?1")?;
    for (number, (id, created)) in messages.iter().enumerate() {
        if reading.is_full() {
            break;
        }
        let kind = kind
            .query_row([id], |row| text_at(row, 0))?
            .unwrap_or_default();
        let data = data.query_row([id], data_at)?;
        match parse::<Message<'_>>(data.as_deref()) {
            Ok(mut message) => {
                message.made(*created);
                let parts = message.own_parts(&kind);
                if parts.is_empty() {
                    reading.conversation.skipped.other += 1;
                }
                reading.add(id, &message, &parts, number + 1 == messages.len());
            }
            Err(reason) => reading.bad(number, reason),
        }
    }
    Ok(())
}

/// The ids of a session's messages, in order, and when they were made.
fn keys(
    connection: &Connection,
    query: &str,
    session: &str,
) -> Result<Vec<(String, i64)>, Failure> {
    let mut statement = connection.prepare(query)?;
    let mut rows = statement.query([session])?;
    let mut keys = Vec::new();
    while let Some(row) = rows.next()? {
        if let (Some(id), Some(created)) = (text_at(row, 0)?, number_at(row, 1)?) {
            keys.push((id, created));
        }
    }
    Ok(keys)
}

/// A query of ids and data; data that is too large is NULL.
fn data_query(table: &str, condition: &str, order: &str) -> String {
    format!(
        "SELECT id, CASE WHEN octet_length(data) <= {MAX_DATA_BYTES} THEN data END FROM {table} WHERE {condition} {order}"
    )
}

fn parse<'a, T: serde::Deserialize<'a>>(data: Option<&'a [u8]>) -> Result<T, String> {
    let data = data.ok_or("it is missing, or too large")?;
    serde_json::from_slice(data).map_err(|error| error.to_string())
}

fn data_at(row: &Row<'_>) -> rusqlite::Result<Option<Vec<u8>>> {
    match row.get_ref(1)? {
        ValueRef::Text(data) | ValueRef::Blob(data) => Ok(Some(data.to_owned())),
        _ => Ok(None),
    }
}

fn text_at(row: &Row<'_>, column: usize) -> rusqlite::Result<Option<String>> {
    match row.get_ref(column)? {
        ValueRef::Text(text) => Ok(std::str::from_utf8(text).ok().map(str::to_owned)),
        _ => Ok(None),
    }
}

fn number_at(row: &Row<'_>, column: usize) -> rusqlite::Result<Option<i64>> {
    match row.get_ref(column)? {
        ValueRef::Integer(number) => Ok(Some(number)),
        _ => Ok(None),
    }
}

fn time_of(milliseconds: i64) -> Option<Timestamp> {
    Timestamp::from_millisecond(milliseconds).ok()
}
