//! Replaces memories by copies that say less, and erases the originals in the same transaction.

use std::collections::{BTreeSet, HashMap};

use anamne_text::normal::content_hash;
use anamne_types::{EventKind, Link, Memory, MemoryId, Row};
use rusqlite::Connection;
use serde_json::Value;

use super::link;
use super::read;
use super::transaction::Transaction;
use crate::Result;
use crate::arrival::Replacement;

/// Characters of an id.
const ID_LENGTH: usize = 36;

/// Copies by their originals.
type Copies = HashMap<MemoryId, MemoryId>;

impl Transaction<'_> {
    /// Replaces each memory that still has the given version: a copy with the new draft gets its times, its state, and its
    /// links with `reason` applied to theirs; other memories that name the original name the copy; the original is erased.
    /// Returns the copies by their originals. O(memories + links).
    pub(crate) fn replace(
        &mut self,
        all: &[Replacement],
        reason: &dyn Fn(&str) -> String,
    ) -> Result<Copies> {
        let mut copies = Copies::with_capacity(all.len());
        for one in all {
            if let Some(copy) = self.copy_if_unchanged(one)? {
                copies.insert(one.original, copy);
            }
        }
        if copies.is_empty() {
            return Ok(copies);
        }
        for one in all.iter().filter(|one| copies.contains_key(&one.original)) {
            self.copy_links(one.original, &copies, reason)?;
        }
        for row in naming(&self.tables, &copies)? {
            self.name_copies(row, &copies)?;
        }
        let originals: BTreeSet<_> = copies.keys().copied().collect();
        self.erase(&originals)?;
        Ok(copies)
    }

    fn copy_if_unchanged(&mut self, one: &Replacement) -> Result<Option<MemoryId>> {
        let Some(stored) = read::by_id(self.tables, one.original)? else {
            return Ok(None);
        };
        let original = &stored.memory;
        if stored.erased || original.is_member() || original.version != one.version {
            return Ok(None);
        }
        let created = original.created_at.as_millisecond().max(0) as u64;
        let copy = Memory {
            id: MemoryId::at(created),
            created_at: original.created_at,
            updated_at: original.updated_at,
            deleted_at: original.deleted_at,
            superseded_by: original.superseded_by,
            ..self.memory_of(&one.draft)?
        };
        let hash = content_hash(&copy.content);
        self.insert_as(EventKind::Remembered, &copy, hash)?;
        Ok(Some(copy.id))
    }

    fn copy_links(
        &mut self,
        original: MemoryId,
        copies: &Copies,
        reason: &dyn Fn(&str) -> String,
    ) -> Result<()> {
        let Some(stored) = read::by_id(self.tables, original)? else {
            return Ok(());
        };
        for link in link::of_row(&self.tables, stored.row)? {
            let copied = Link {
                from: copies.get(&link.from).copied().unwrap_or(link.from),
                to: copies.get(&link.to).copied().unwrap_or(link.to),
                reason: reason(&link.reason),
                ..link
            };
            self.take_link(&copied)?;
        }
        Ok(())
    }

    /// Replaces the ids of originals that the memory of a row names by those of their copies.
    fn name_copies(&mut self, row: Row, copies: &Copies) -> Result<()> {
        let stored = self.by_row(row)?;
        if stored.erased || copies.contains_key(&stored.memory.id) {
            return Ok(());
        }
        let mut memory = stored.memory.clone();
        let successor = memory.superseded_by.and_then(|id| copies.get(&id)).copied();
        memory.superseded_by = successor.or(memory.superseded_by);
        let mut body = serde_json::to_value(&memory.body)?;
        let mut changed = rename(&mut body, copies);
        for value in memory.metadata.values_mut() {
            changed |= rename(value, copies);
        }
        if changed {
            memory.body = serde_json::from_value(body)?;
        }
        if changed || successor.is_some() {
            self.change(&stored, memory, EventKind::Edited)?;
        }
        Ok(())
    }
}

/// The rows whose memories may name an original: by what supersedes them, in their fields, or in their metadata. Those of
/// colder tiers are not looked into. O(memories).
fn naming(connection: &Connection, copies: &Copies) -> Result<Vec<Row>> {
    let sql = "SELECT row, tier, superseded_by, body, metadata FROM memories WHERE NOT erased AND member IS NULL \
               AND (superseded_by IS NOT NULL OR body IS NOT NULL OR metadata IS NOT NULL OR tier <> 0)";
    let mut statement = connection.prepare_cached(sql)?;
    let mut found = statement.query([])?;
    let mut rows = Vec::new();
    while let Some(row) = found.next()? {
        let successor: Option<[u8; 16]> = row.get(2)?;
        let texts: [Option<String>; 2] = [row.get(3)?, row.get(4)?];
        let is_named = |id: MemoryId| copies.contains_key(&id);
        if row.get::<_, i64>(1)? != 0
            || successor.map(MemoryId::from_bytes).is_some_and(is_named)
            || texts
                .iter()
                .flatten()
                .any(|text| ids_in(text).any(is_named))
        {
            rows.push(Row(row.get(0)?));
        }
    }
    Ok(rows)
}

/// The ids that are whole strings in a JSON text. O(bytes).
fn ids_in(json: &str) -> impl Iterator<Item = MemoryId> {
    let strings = json.split('"').filter(|string| string.len() == ID_LENGTH);
    strings.filter_map(|string| string.parse().ok())
}

/// Replaces every string that is the id of an original; returns whether there was one. O(value).
fn rename(value: &mut Value, copies: &Copies) -> bool {
    match value {
        Value::String(text) => {
            let copy = text.parse().ok().and_then(|id| copies.get(&id));
            if let Some(copy) = copy {
                *text = copy.to_string();
            }
            copy.is_some()
        }
        Value::Array(items) => items
            .iter_mut()
            .fold(false, |changed, item| rename(item, copies) | changed),
        Value::Object(fields) => fields
            .values_mut()
            .fold(false, |changed, field| rename(field, copies) | changed),
        _ => false,
    }
}
