//! Names, their numbers, and the canonical name of an entity.

use std::collections::{BTreeMap, BTreeSet};

use anamne_types::EntityId;
use rusqlite::{Connection, OptionalExtension};
use uuid::Uuid;

use super::GraphError;
use crate::reading::normalised;

/// The number of a name: local to one graph file, and never shown.
pub(super) type Name = i64;

/// The id of the entity with this normalised canonical name.
pub(super) fn identity(key: &str) -> EntityId {
    let hash = blake3::keyed_hash(b"anamne: identity of an entity  1", key.as_bytes());
    let mut bytes = [0; 16];
    bytes.copy_from_slice(&hash.as_bytes()[..16]);
    EntityId(Uuid::new_v8(bytes))
}

/// The number of a name, assigned if it is new; `None` if the normalised name is empty.
pub(super) fn number(connection: &Connection, name: &str) -> Result<Option<Name>, GraphError> {
    let key = normalised(name);
    if key.is_empty() {
        return Ok(None);
    }
    if let Some(known) = known(connection, &key)? {
        return Ok(Some(known));
    }
    connection
        .prepare_cached("INSERT INTO names (key) VALUES (?1)")?
        .execute([&key])?;
    Ok(Some(connection.last_insert_rowid()))
}

/// The number of a normalised name, if it is known.
pub(super) fn known(connection: &Connection, key: &str) -> Result<Option<Name>, GraphError> {
    Ok(connection
        .prepare_cached("SELECT number FROM names WHERE key = ?1")?
        .query_row([key], |row| row.get(0))
        .optional()?)
}

/// The normalised name with this number.
pub(super) fn key(connection: &Connection, name: Name) -> Result<String, GraphError> {
    Ok(connection
        .prepare_cached("SELECT key FROM names WHERE number = ?1")?
        .query_row([name], |row| row.get(0))?)
}

/// The canonical name of the entity with this name.
pub(super) fn kept(connection: &Connection, name: Name) -> Result<Name, GraphError> {
    Ok(connection
        .prepare_cached("SELECT kept FROM canonical WHERE name = ?1")?
        .query_row([name], |row| row.get(0))
        .optional()?
        .unwrap_or(name))
}

/// All names of the entity with this canonical name, the canonical one first.
pub(super) fn members(connection: &Connection, kept: Name) -> Result<Vec<Name>, GraphError> {
    let mut members = connection
        .prepare_cached("SELECT name FROM canonical WHERE kept = ?1 AND name <> ?1 ORDER BY name")?
        .query_map([kept], |row| row.get(0))?
        .collect::<Result<Vec<_>, _>>()?;
    members.insert(0, kept);
    Ok(members)
}

/// Recomputes the canonical names from all aliases; returns the names whose entity changes. O(aliases).
///
/// The canonical name is the one that most aliases point to, at a tie the alphabetically first. Aliases between names that
/// were asserted to be distinct are ignored.
pub(super) fn join_aliases(connection: &Connection) -> Result<BTreeSet<Name>, GraphError> {
    let before = canonical(connection)?;
    let after = components(connection)?;
    let mut changed = BTreeSet::new();
    for (name, kept) in before.iter().chain(&after) {
        if before.get(name) != after.get(name) {
            let others = [before.get(name), after.get(name)];
            changed.extend(others.into_iter().flatten().copied());
            changed.extend([*name, *kept]);
        }
    }
    if !changed.is_empty() {
        connection.execute("DELETE FROM canonical", [])?;
        let mut insert = connection.prepare_cached("INSERT INTO canonical VALUES (?1, ?2)")?;
        for (name, kept) in &after {
            insert.execute([name, kept])?;
        }
    }
    Ok(changed)
}

fn canonical(connection: &Connection) -> Result<BTreeMap<Name, Name>, GraphError> {
    Ok(connection
        .prepare_cached("SELECT name, kept FROM canonical")?
        .query_map([], |row| Ok((row.get(0)?, row.get(1)?)))?
        .collect::<Result<_, _>>()?)
}

fn components(connection: &Connection) -> Result<BTreeMap<Name, Name>, GraphError> {
    let edges: Vec<(Name, Name, i64)> = connection
        .prepare_cached(
            "SELECT alias, name, count(*) FROM aliases WHERE NOT EXISTS (SELECT 1 FROM distinctions \
             WHERE (one, other) IN ((alias, name), (name, alias))) GROUP BY alias, name",
        )?
        .query_map([], |row| Ok((row.get(0)?, row.get(1)?, row.get(2)?)))?
        .collect::<Result<_, _>>()?;
    let mut root: BTreeMap<Name, Name> = BTreeMap::new();
    let mut led_to: BTreeMap<Name, i64> = BTreeMap::new();
    for &(alias, name, times) in &edges {
        let (one, other) = (find(&root, alias), find(&root, name));
        root.insert(alias, one);
        root.entry(name).or_insert(other);
        root.insert(one, other);
        root.insert(other, other);
        *led_to.entry(name).or_default() += times;
    }
    let mut groups: BTreeMap<Name, Vec<Name>> = BTreeMap::new();
    for &name in root.keys() {
        groups.entry(find(&root, name)).or_default().push(name);
    }
    let mut kept = BTreeMap::new();
    for group in groups.into_values() {
        let mut best: Option<(i64, String, Name)> = None;
        for &name in &group {
            let candidate = (
                -led_to.get(&name).copied().unwrap_or(0),
                key(connection, name)?,
                name,
            );
            if best.as_ref().is_none_or(|best| candidate < *best) {
                best = Some(candidate);
            }
        }
        if let Some((_, _, chosen)) = best {
            kept.extend(group.into_iter().map(|name| (name, chosen)));
        }
    }
    Ok(kept)
}

fn find(root: &BTreeMap<Name, Name>, name: Name) -> Name {
    let mut at = name;
    while let Some(&above) = root.get(&at) {
        if above == at {
            return at;
        }
        at = above;
    }
    at
}
