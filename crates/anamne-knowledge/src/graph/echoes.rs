//! Repeated names: shorter or lower-case forms of names from earlier in the thread.

use std::collections::{BTreeMap, BTreeSet};

use anamne_store::view::MemoryFeed;
use anamne_types::{EntityType, MemoryId};
use rusqlite::{Connection, params};

use super::GraphError;
use super::extract::{BatchChanges, beginning};
use super::naming::{self, Name};
use super::reading_writer::{MentionOrigin, insert_mention};
use crate::reading::echoes;

/// How many memories back in the thread a repeated name may refer.
const WINDOW: i64 = 50;

/// Minimum confidence of a name, in hundredths, to be repeated.
const SURE: i64 = 50;

/// Updates the repeated names of this batch and of the memories that follow soon in their threads.
pub(super) fn hear(
    connection: &Connection,
    feed: &dyn MemoryFeed,
    texts: &BTreeMap<i64, &str>,
    touched: &mut BatchChanges,
) -> Result<(), GraphError> {
    let rows = affected_memories(connection, &touched.places)?;
    let missing: Vec<_> = rows
        .iter()
        .filter(|(row, _)| !texts.contains_key(row))
        .map(|(_, id)| *id)
        .collect();
    let others: BTreeMap<i64, String> = feed
        .memories(&missing)?
        .into_iter()
        .map(|memory| (i64::from(memory.row.0), memory.content))
        .collect();
    for (row, _) in rows {
        let other = || others.get(&row).map(String::as_str);
        if let Some(text) = texts.get(&row).copied().or_else(other) {
            update_echoes_of(connection, row, beginning(text), &mut touched.names)?;
        }
    }
    Ok(())
}

/// The memories at these positions and soon after.
fn affected_memories(
    connection: &Connection,
    places: &BTreeSet<(String, i64)>,
) -> Result<BTreeMap<i64, MemoryId>, GraphError> {
    let mut after = connection.prepare_cached(
        "SELECT row, id FROM memories WHERE thread = ?1 AND position >= ?2 ORDER BY position, row LIMIT ?3",
    )?;
    let mut rows = BTreeMap::new();
    for (thread, position) in places {
        let found = after.query_map(params![thread, position, WINDOW + 1], |row| {
            Ok((row.get(0)?, MemoryId::from_bytes(row.get(1)?)))
        })?;
        for row in found {
            rows.extend([row?]);
        }
    }
    Ok(rows)
}

fn update_echoes_of(
    connection: &Connection,
    row: i64,
    text: &str,
    names: &mut BTreeSet<Name>,
) -> Result<(), GraphError> {
    forget_echoes(connection, row, names)?;
    let known = named_before(connection, row)?;
    let sources = echoes(text, &known);
    if sources.is_empty() {
        return Ok(());
    }
    let at: i64 = connection
        .prepare_cached("SELECT occurred_at FROM memories WHERE row = ?1")?
        .query_row([row], |row| row.get(0))?;
    for mention in sources {
        let Some(name) = naming::number(connection, &mention.name)? else {
            continue;
        };
        names.insert(name);
        replace_partial_name(connection, row, name, names)?;
        if is_named(connection, row, name)? {
            continue;
        }
        let weight = (mention.confidence * 100.0).round() as i64;
        insert_mention(
            connection,
            row,
            at,
            name,
            &mention,
            weight,
            MentionOrigin::Echo,
        )?;
    }
    Ok(())
}

fn is_named(connection: &Connection, row: i64, name: Name) -> Result<bool, GraphError> {
    Ok(connection
        .prepare_cached("SELECT 1 FROM mentions WHERE name = ?1 AND row = ?2")?
        .exists([name, row])?)
}

/// Removes earlier results.
fn forget_echoes(
    connection: &Connection,
    row: i64,
    names: &mut BTreeSet<Name>,
) -> Result<(), GraphError> {
    let mut sources =
        connection.prepare_cached("SELECT name FROM mentions WHERE row = ?1 AND way IN (1, 2)")?;
    let sources: Vec<Name> = sources
        .query_map([row], |row| row.get(0))?
        .collect::<Result<_, _>>()?;
    if sources.is_empty() {
        return Ok(());
    }
    names.extend(sources);
    connection
        .prepare_cached("DELETE FROM mentions WHERE row = ?1 AND way = 1")?
        .execute([row])?;
    connection
        .prepare_cached("UPDATE mentions SET way = 0 WHERE row = ?1 AND way = 2")?
        .execute([row])?;
    connection
        .prepare_cached(
            "UPDATE statements SET subject = subject_read, object = object_read WHERE row = ?1",
        )?
        .execute([row])?;
    Ok(())
}

/// The names mentioned in the thread shortly before a row.
fn named_before(
    connection: &Connection,
    row: i64,
) -> Result<Vec<(String, EntityType)>, GraphError> {
    let mut named = connection.prepare_cached(
        "WITH before AS (SELECT other.row FROM memories AS self JOIN memories AS other \
           ON other.thread = self.thread AND (other.position, other.row) < (self.position, self.row) \
           WHERE self.row = ?1 ORDER BY other.position DESC, other.row DESC LIMIT ?2) \
         SELECT min(spelling), type FROM before JOIN mentions USING (row) JOIN names ON number = name \
         WHERE way IN (0, 2, 3) AND weight >= ?3 GROUP BY name, type ORDER BY key, type",
    )?;
    let named = named.query_map([row, WINDOW, SURE], |row| Ok((row.get(0)?, row.get(1)?)))?;
    let mut known = Vec::new();
    for name in named {
        let (name, entity_type): (String, u8) = name?;
        known.extend(EntityType::from_number(entity_type).map(|entity_type| (name, entity_type)));
    }
    Ok(known)
}

/// If a row has part of a name that it repeats in full, the part means the whole name.
fn replace_partial_name(
    connection: &Connection,
    row: i64,
    whole: Name,
    names: &mut BTreeSet<Name>,
) -> Result<(), GraphError> {
    let key = naming::key(connection, whole)?;
    let words: BTreeSet<&str> = key.split(' ').collect();
    let mut read = connection.prepare_cached(
        "SELECT name, key FROM mentions JOIN names ON number = name WHERE row = ?1 AND way = 0",
    )?;
    let read: Vec<(Name, String)> = read
        .query_map([row], |row| Ok((row.get(0)?, row.get(1)?)))?
        .collect::<Result<_, _>>()?;
    for (part, key) in read {
        if part == whole || !key.split(' ').all(|word| words.contains(word)) {
            continue;
        }
        names.insert(part);
        connection
            .prepare_cached("UPDATE mentions SET way = 2 WHERE row = ?1 AND name = ?2")?
            .execute([row, part])?;
        for end in ["subject", "object"] {
            connection
                .prepare_cached(&format!(
                    "UPDATE statements SET {end} = ?3 WHERE row = ?1 AND {end}_read = ?2"
                ))?
                .execute([row, part, whole])?;
        }
    }
    Ok(())
}
