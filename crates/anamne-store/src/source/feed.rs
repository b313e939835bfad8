//! The log as views read it: rows by their last change.

use anamne_types::{Body, Row, Seq};
use rusqlite::{Connection, Row as SqlRow};

use super::Names;
use super::packed::Packed;
use super::record::read_body;
use crate::StoreError;
use crate::space::SpaceSource;
use crate::view::{Attributes, Change, ChangeFeed, Record, ViewError};

/// Reads changes through the space's pool of readers.
pub struct SourceFeed<'source> {
    pub(crate) space: &'source SpaceSource,
}

const CHANGES: &str = "SELECT row, id, seq, kind, category, role, content, body, thread, position, session, author, \
     trust, importance, occurred_at, expires_at, deleted_at, superseded_by FROM memories WHERE seq > ?1 ORDER BY seq LIMIT ?2";

impl ChangeFeed for SourceFeed<'_> {
    fn head(&self) -> Result<Seq, ViewError> {
        self.space.read(head).map_err(|error| feed_error(&error))
    }

    fn since(&self, after: Seq, limit: usize) -> Result<Vec<Change>, ViewError> {
        self.space
            .read(|reader| changes(reader, self.space.names(), after, limit))
            .map_err(|error| feed_error(&error))
    }
}

fn feed_error(error: &StoreError) -> ViewError {
    ViewError::Feed(error.to_string())
}

/// The last event of the log.
pub(crate) fn head(connection: &Connection) -> Result<Seq, StoreError> {
    let last: Option<i64> = connection
        .prepare_cached("SELECT max(seq) FROM events")?
        .query_row([], |row| row.get(0))?;
    Ok(Seq(last.unwrap_or(0) as u64))
}

/// The rows changed after `after`.
pub(crate) fn changes(
    connection: &Connection,
    names: &Names,
    after: Seq,
    limit: usize,
) -> Result<Vec<Change>, StoreError> {
    let mut statement = connection.prepare_cached(CHANGES)?;
    let limit = i64::try_from(limit).unwrap_or(i64::MAX);
    let rows = statement.query_map([after.0 as i64, limit], read_change)?;
    rows.map(|row| {
        let mut change = row?;
        if let Some(record) = &mut change.record
            && record.attributes.author != 0
        {
            record.author_name = names.name(connection, record.attributes.author)?;
        }
        Ok(change)
    })
    .collect()
}

fn read_change(row: &SqlRow<'_>) -> rusqlite::Result<Change> {
    let deleted: Option<i64> = row.get(16)?;
    let record = if deleted.is_some() {
        None
    } else {
        Some(read_record(row)?)
    };
    Ok(Change {
        seq: Seq(row.get::<_, i64>(2)? as u64),
        row: Row(row.get(0)?),
        record,
    })
}

fn read_record(row: &SqlRow<'_>) -> rusqlite::Result<Record> {
    let kind: u8 = row.get(3)?;
    let mut text = row.get::<_, Packed<'static>>(6)?.0.into_owned();
    if let Some(kind) = anamne_types::Kind::from_number(kind) {
        let body: Body = read_body(row, kind)?;
        body.append_searchable(&mut text);
    }
    let number = |index: usize| {
        row.get::<_, Option<u32>>(index)
            .map(Option::unwrap_or_default)
    };
    let attributes = Attributes {
        occurred_at: row.get(14)?,
        expires_at: row.get::<_, Option<i64>>(15)?.unwrap_or(i64::MAX),
        thread: number(8)?,
        position: number(9)?,
        session: number(10)?,
        author: number(11)?,
        kind,
        category: row.get::<_, Option<u8>>(4)?.unwrap_or(0),
        role: row.get::<_, Option<u8>>(5)?.unwrap_or(0),
        importance: row.get(13)?,
        trust: (row.get::<_, f32>(12)? * 255.0).round() as u8,
        superseded: row.get_ref(17)? != rusqlite::types::ValueRef::Null,
    };
    Ok(Record {
        text,
        author_name: String::new(),
        attributes,
    })
}
