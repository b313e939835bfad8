//! Converts between rows of `memories`, memories and event payloads.

use std::borrow::Cow;

use anamne_types::{Body, Category, Kind, Link, Memory, MemoryId, Metadata, Role, Row, Seq};
use rusqlite::Row as SqlRow;
use rusqlite::types::Type;
use serde::{Deserialize, Serialize};

use super::Tables;
use super::homes::text_sql;
use super::packed::Packed;
use crate::Result;
use crate::clock::from_microseconds;
use crate::journal::Digest;

/// The columns read by [`Stored::read`], in order.
pub(crate) const COLUMNS: &str = concat!(
    "row, id, salt, kind, category, role, ",
    text_sql!(),
    ", thread, position, session, author, trust, importance, confidence, \
     iif(tier = 0, metadata, colder(tier, row, 2)), external_id, occurred_at, created_at, updated_at, expires_at, \
     deleted_at, erased, superseded_by, version, seq, \
     (SELECT payload_hash FROM events WHERE events.seq = memories.seq AND events.row = memories.row), \
     EXISTS (SELECT 1 FROM tags WHERE tags.row = memories.row), member"
);

/// A memory with additional columns of the source.
#[derive(Clone, Debug)]
pub(crate) struct Stored {
    pub(crate) row: Row,
    pub(crate) salt: i64,
    pub(crate) erased: bool,
    pub(crate) memory: Memory,
    /// The digest in the event of this state; `None` if there is no such event.
    pub(crate) event_digest: Option<Digest>,
    /// Whether its text can't be read because its home doesn't have it, or doesn't share it with this space.
    pub(crate) gone: bool,
    has_tags: bool,
    /// The numbers of thread, session and author; [`Stored::complete`] fills in the names.
    numbers: [Option<u32>; 3],
}

/// The payload of an event: the new state of a memory, or a link. The salt keeps the payload's digest from revealing a
/// short erased text; it is erased with the text.
#[derive(Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Payload<'a> {
    pub(crate) salt: i64,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) memory: Option<Cow<'a, Memory>>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) link: Option<Cow<'a, Link>>,
    /// The space of which the memory became a member, or no longer is.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) share: Option<Cow<'a, str>>,
}

impl<'a> Payload<'a> {
    /// The payload of an event that consists of its kind only.
    pub(crate) const NOTHING: Self = Self {
        salt: 0,
        memory: None,
        link: None,
        share: None,
    };

    /// The payload of an event with this new state of a memory. The text of a member stands in the log of its home only.
    pub(crate) fn of_memory(salt: i64, memory: &'a Memory) -> Self {
        let memory = Some(if memory.is_member() {
            Cow::Owned(memory.without_text())
        } else {
            Cow::Borrowed(memory)
        });
        Self {
            salt,
            memory,
            ..Self::NOTHING
        }
    }

    /// The payload of an erasure: the hash of the external id in place of the salt.
    pub(crate) fn of_erasure(external_id: i64) -> Self {
        Self {
            salt: external_id,
            ..Self::NOTHING
        }
    }

    /// The payload of an event that made a memory a member of `space`, or ended that.
    pub(crate) fn of_share(salt: i64, space: &'a str) -> Self {
        let share = Some(Cow::Borrowed(space));
        Self {
            salt,
            share,
            ..Self::NOTHING
        }
    }

    /// The payload of an event that created or removed this link; the salt is that of the memory at its start.
    pub(crate) fn of_link(salt: i64, link: &'a Link) -> Self {
        let link = Some(Cow::Borrowed(link));
        Self {
            salt,
            link,
            ..Self::NOTHING
        }
    }
}

impl Stored {
    /// Reads one row with the columns of [`COLUMNS`].
    pub(crate) fn read(row: &SqlRow<'_>) -> rusqlite::Result<Self> {
        let kind = word(row, 3, Kind::from_number)?;
        let content: Option<Packed<'static>> = row.get(6)?;
        let gone = content.is_none();
        let memory = Memory {
            id: MemoryId::from_bytes(row.get(1)?),
            row: Row(row.get(0)?),
            space: String::new(),
            body: read_body(row, kind)?,
            content: content.map(|text| text.0.into_owned()).unwrap_or_default(),
            thread: None,
            position: row.get(9)?,
            session: None,
            author: None,
            trust: row.get(12)?,
            importance: row.get(13)?,
            confidence: row.get(14)?,
            tags: Vec::new(),
            metadata: read_json::<Metadata>(row, 15)?.unwrap_or_default(),
            external_id: row.get(16)?,
            occurred_at: from_microseconds(row.get(17)?),
            created_at: from_microseconds(row.get(18)?),
            updated_at: from_microseconds(row.get(19)?),
            expires_at: row.get::<_, Option<i64>>(20)?.map(from_microseconds),
            deleted_at: row.get::<_, Option<i64>>(21)?.map(from_microseconds),
            superseded_by: row
                .get::<_, Option<[u8; 16]>>(23)?
                .map(MemoryId::from_bytes),
            member: read_json(row, 28)?,
            version: row.get(24)?,
            seq: Seq(row.get::<_, i64>(25)? as u64),
        };
        Ok(Self {
            row: Row(row.get(0)?),
            salt: row.get::<_, Option<i64>>(2)?.unwrap_or(0),
            erased: row.get(22)?,
            memory,
            gone,
            event_digest: row.get::<_, Option<[u8; 16]>>(26)?.map(Digest),
            has_tags: row.get(27)?,
            numbers: [row.get(8)?, row.get(10)?, row.get(11)?],
        })
    }

    /// Whether it is neither erased nor gone with its home.
    pub(crate) fn is_there(&self) -> bool {
        !self.erased && !self.gone
    }

    /// Fills in the names and tags from their own tables.
    pub(crate) fn complete(mut self, tables: Tables<'_>) -> Result<Self> {
        let [thread, session, author] = self.numbers;
        let name = |number: Option<u32>| number.map(|number| tables.name(number)).transpose();
        self.memory.thread = name(thread)?;
        self.memory.session = name(session)?;
        self.memory.author = name(author)?;
        if self.has_tags {
            self.memory.tags = read_tags(tables, self.row)?;
        }
        Ok(self)
    }
}

fn read_tags(tables: Tables<'_>, row: Row) -> Result<Vec<String>> {
    let mut statement = tables.prepare_cached("SELECT tag FROM tags WHERE row = ?1")?;
    let numbers: Vec<u32> = statement
        .query_map([row.0], |row| row.get(0))?
        .collect::<Result<_, _>>()?;
    let mut tags = numbers
        .into_iter()
        .map(|number| tables.name(number))
        .collect::<Result<Vec<_>, _>>()?;
    tags.sort();
    Ok(tags)
}

/// Reads the body from its columns. A body with only a kind and a category or role has no JSON.
pub(crate) fn read_body(row: &SqlRow<'_>, kind: Kind) -> rusqlite::Result<Body> {
    if let Some(body) = read_json::<Body>(row, 7)? {
        return Ok(body);
    }
    let number = |index: usize| row.get::<_, Option<u8>>(index);
    Ok(match kind {
        Kind::Message => Body::Message {
            role: number(5)?.and_then(Role::from_number),
        },
        Kind::Fact => Body::Fact {
            category: number(4)?.and_then(Category::from_number),
        },
        _ => Body::empty(kind).ok_or_else(|| unreadable(7, "a chunk without a document"))?,
    })
}

/// The JSON column of a body; `None` if kind, category and role describe it completely.
pub(crate) fn body_json(body: &Body) -> Result<Option<String>> {
    let plain = matches!(body, Body::Message { .. } | Body::Fact { .. })
        || Body::empty(body.kind()).as_ref() == Some(body);
    if plain {
        Ok(None)
    } else {
        Ok(Some(serde_json::to_string(body)?))
    }
}

fn word<T>(
    row: &SqlRow<'_>,
    index: usize,
    from_number: fn(u8) -> Option<T>,
) -> rusqlite::Result<T> {
    let number: u8 = row.get(index)?;
    from_number(number).ok_or_else(|| unreadable(index, &format!("the unknown number {number}")))
}

fn read_json<T: for<'de> Deserialize<'de>>(
    row: &SqlRow<'_>,
    index: usize,
) -> rusqlite::Result<Option<T>> {
    let text: Option<String> = row.get(index)?;
    text.map(|text| serde_json::from_str(&text))
        .transpose()
        .map_err(|error| {
            rusqlite::Error::FromSqlConversionFailure(index, Type::Text, Box::new(error))
        })
}

fn unreadable(index: usize, what: &str) -> rusqlite::Error {
    rusqlite::Error::FromSqlConversionFailure(index, Type::Integer, what.into())
}
