//! The log as views read it: rows by their last change.

use anamne_types::{Body, GuardNote, Judgement, Kind, Metadata, Row, Seq, Tier, is_marked_private};
use rusqlite::{Connection, Row as SqlRow};

use super::Tables;
use super::homes::text_sql;
use super::packed::Packed;
use super::record::read_body;
use crate::Result;
use crate::space::SpaceSource;
use crate::view::{Attributes, Change, ChangeFeed, Record, ViewError};

/// Reads the changes of one tier with the space's readers.
pub struct SourceFeed<'source> {
    pub(crate) space: &'source SpaceSource,
    pub(crate) tier: Tier,
}

const FIELDS: &str = concat!(
    "row, id, max(seq, placed), kind, category, role, ",
    text_sql!(),
    ", thread, position, session, author, trust, importance, occurred_at, \
     expires_at, deleted_at, superseded_by, iif(tier = 0, metadata, colder(tier, row, 2)), \
     EXISTS (SELECT 1 FROM tags JOIN names ON names.id = tags.tag WHERE tags.row = memories.row \
             AND names.name = 'private' COLLATE NOCASE)"
);

impl ChangeFeed for SourceFeed<'_> {
    fn head(&self) -> Result<Seq, ViewError> {
        Ok(self.space.read(head)?)
    }

    fn since(&self, after: Seq, limit: usize) -> Result<Vec<Change>, ViewError> {
        let changes =
            |reader: &Connection| changes(self.space.names().of(reader), self.tier, after, limit);
        Ok(self.space.read(changes)?)
    }
}

/// The last event of the log.
pub(crate) fn head(connection: &Connection) -> Result<Seq> {
    let last: Option<i64> = connection
        .prepare_cached("SELECT max(seq) FROM events")?
        .query_row([], |row| row.get(0))?;
    Ok(Seq(last.unwrap_or(0) as u64))
}

/// The rows that changed in a tier, entered it or left it after `after`, by ascending event.
///
/// At most `limit`, plus the remaining rows of the last event. Fewer than `limit` means that there are no more.
pub(crate) fn changes(
    tables: Tables<'_>,
    tier: Tier,
    after: Seq,
    limit: usize,
) -> Result<Vec<Change>> {
    let mut changes = arrivals(tables, tier, after, limit)?;
    let mut departures = departures(tables, tier, after, limit)?;
    // If one list was cut off, the other must not extend beyond it.
    let cut = |full: &[Change], other: &mut Vec<Change>| {
        if let Some(last) = full.last().filter(|_| full.len() >= limit) {
            let last = last.seq;
            other.retain(|change| change.seq <= last);
        }
    };
    cut(&changes, &mut departures);
    cut(&departures, &mut changes);
    if !departures.is_empty() {
        changes.append(&mut departures);
        changes.sort_by_key(|change| change.seq);
    }
    Ok(changes)
}

/// Reads the changes that satisfy an SQL condition with three parameters, of which the first is the tier.
type Page<'a> = dyn Fn(&str, [i64; 3]) -> Result<Vec<Change>> + 'a;

/// The first page of the changes of a tier under the condition `next`; if it is full, also the remaining changes of its
/// last event, under the condition `rest`: one event can move many rows.
fn whole_page(
    page: &Page<'_>,
    (next, rest): (&str, Option<&str>),
    (tier, after, limit): (Tier, Seq, usize),
) -> Result<Vec<Change>> {
    let number = i64::from(tier.number());
    let most = i64::try_from(limit).unwrap_or(i64::MAX);
    let mut changes = page(next, [number, after.0 as i64, most])?;
    if let (Some(rest), Some(last)) = (rest, changes.last())
        && changes.len() >= limit
    {
        let values = [number, last.seq.0 as i64, i64::from(last.row.0)];
        changes.append(&mut page(rest, values)?);
    }
    Ok(changes)
}

/// The rows in a tier, by the event that last changed them or moved them there.
fn arrivals(tables: Tables<'_>, tier: Tier, after: Seq, limit: usize) -> Result<Vec<Change>> {
    let conditions = match tier {
        // Rows of the active tier were not moved there.
        Tier::Active => (
            "tier = 0 AND ?1 = 0 AND seq > ?2 ORDER BY seq LIMIT ?3",
            None,
        ),
        _ => (
            "tier <> 0 AND tier = ?1 AND max(seq, placed) > ?2 ORDER BY max(seq, placed), row LIMIT ?3",
            Some("tier <> 0 AND tier = ?1 AND max(seq, placed) = ?2 AND row > ?3 ORDER BY row"),
        ),
    };
    let page = |condition: &str, values: [i64; 3]| -> Result<Vec<Change>> {
        let sql = format!("SELECT {FIELDS} FROM memories WHERE {condition}");
        let mut statement = tables.prepare_cached(&sql)?;
        let rows = statement.query_map(values, read_change)?;
        rows.map(|row| named(tables, row?)).collect()
    };
    whole_page(&page, conditions, (tier, after, limit))
}

/// The feedback in the row's metadata, in hundredths.
fn feedback(row: &SqlRow<'_>) -> rusqlite::Result<i8> {
    let metadata: Option<String> = row.get(18)?;
    // Most rows have none, so parsing is skipped.
    let stored = metadata.filter(|metadata| metadata.contains(Judgement::NAME));
    let stored = stored.and_then(|metadata| serde_json::from_str::<Metadata>(&metadata).ok());
    let quality = stored.map_or(0.0, |metadata| Judgement::of(&metadata).quality());
    Ok((quality * 100.0).round() as i8)
}

/// Whether the guard marked something in the memory.
fn is_marked(row: &SqlRow<'_>) -> rusqlite::Result<bool> {
    let metadata: Option<String> = row.get(18)?;
    // Most rows have no note, so parsing is skipped.
    let noted = metadata.filter(|metadata| metadata.contains(GuardNote::KEY));
    let noted = noted.and_then(|metadata| serde_json::from_str::<Metadata>(&metadata).ok());
    Ok(noted.is_some_and(|metadata| is_marked_private(&metadata)))
}

fn named(tables: Tables<'_>, mut change: Change) -> Result<Change> {
    if let Some(record) = &mut change.record
        && record.attributes.author != 0
    {
        record.author_name = tables.name(record.attributes.author)?;
    }
    Ok(change)
}

/// The rows that left a tier and did not return.
fn departures(tables: Tables<'_>, tier: Tier, after: Seq, limit: usize) -> Result<Vec<Change>> {
    let next = "departures.seq > ?2 ORDER BY departures.seq, departures.row LIMIT ?3";
    let rest = "departures.seq = ?2 AND departures.row > ?3 ORDER BY departures.row";
    let page = |condition: &str, values: [i64; 3]| -> Result<Vec<Change>> {
        let sql = format!(
            "SELECT departures.seq, departures.row FROM departures JOIN memories USING (row) \
             WHERE departures.tier = ?1 AND memories.tier <> ?1 AND {condition}"
        );
        let mut statement = tables.prepare_cached(&sql)?;
        let rows = statement.query_map(values, |row| {
            Ok(Change {
                seq: Seq(row.get::<_, i64>(0)? as u64),
                row: Row(row.get(1)?),
                record: None,
            })
        })?;
        Ok(rows.collect::<Result<_, _>>()?)
    };
    whole_page(&page, (next, Some(rest)), (tier, after, limit))
}

fn read_change(row: &SqlRow<'_>) -> rusqlite::Result<Change> {
    let deleted: Option<i64> = row.get(16)?;
    // Experience is not searched with the rest: it has a view of its own.
    let is_experience = row.get::<_, u8>(3)? == Kind::Experience.number();
    let record = if deleted.is_some() || is_experience {
        None
    } else {
        read_record(row)?
    };
    Ok(Change {
        seq: Seq(row.get::<_, i64>(2)? as u64),
        row: Row(row.get(0)?),
        record,
    })
}

/// `None` for a member whose home doesn't have it.
fn read_record(row: &SqlRow<'_>) -> rusqlite::Result<Option<Record>> {
    let kind: u8 = row.get(3)?;
    let Some(Packed(text)) = row.get::<_, Option<Packed<'static>>>(6)? else {
        return Ok(None);
    };
    let mut text = text.into_owned();
    if let Some(kind) = Kind::from_number(kind) {
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
        feedback: feedback(row)?,
    };
    Ok(Some(Record {
        text,
        author_name: String::new(),
        attributes,
        is_private: row.get::<_, bool>(19)? || is_marked(row)?,
    }))
}
