//! Which disputes are still about the present texts while the graph is behind the log.

use std::collections::{BTreeMap, BTreeSet};

use anamne_types::{Dispute, MemoryId, Row};
use rusqlite::{Connection, OptionalExtension};

use super::extract::position;
use super::{Graph, GraphError};

/// A digest of a text, to tell whether it has changed.
pub(super) fn text_digest(text: &str) -> i64 {
    let mut bytes = [0; 8];
    bytes.copy_from_slice(&blake3::hash(text.as_bytes()).as_bytes()[..8]);
    i64::from_le_bytes(bytes)
}

impl Graph {
    /// Removes the disputes of and with memories whose text has changed since it was read, or that are gone.
    pub(super) fn drop_changed(
        &self,
        connection: &Connection,
        rows: &[Row],
        disputes: &mut [Vec<Dispute>],
    ) -> Result<(), GraphError> {
        let Some(log) = &self.log else {
            return Ok(());
        };
        if disputes.iter().all(Vec::is_empty) || position(connection)? == log.head()? {
            return Ok(());
        }
        let mut read: BTreeMap<MemoryId, i64> = BTreeMap::new();
        let mut owners = Vec::with_capacity(rows.len());
        for (row, disputes) in rows.iter().zip(disputes.iter()) {
            let own = read_text(connection, "row = ?1", i64::from(row.0))?;
            owners.push(own.map(|(id, _)| id));
            if disputes.is_empty() {
                continue;
            }
            read.extend(own);
            for dispute in disputes {
                let id = dispute.memory.as_bytes().as_slice();
                read.extend(read_text(connection, "id = ?1", id)?);
            }
        }
        let ids: Vec<MemoryId> = read.keys().copied().collect();
        let present = log.memories(&ids)?.into_iter();
        let unchanged: BTreeSet<MemoryId> = present
            .filter(|memory| read.get(&memory.id) == Some(&text_digest(&memory.content)))
            .map(|memory| memory.id)
            .collect();
        for (own, disputes) in owners.into_iter().zip(disputes) {
            let is_unchanged = own.is_some_and(|own| unchanged.contains(&own));
            disputes.retain(|dispute| is_unchanged && unchanged.contains(&dispute.memory));
        }
        Ok(())
    }
}

/// The id of a memory and the digest of the text that was read.
fn read_text(
    connection: &Connection,
    condition: &str,
    value: impl rusqlite::ToSql,
) -> Result<Option<(MemoryId, i64)>, GraphError> {
    let sql = format!("SELECT id, text FROM memories WHERE {condition}");
    let mut statement = connection.prepare_cached(&sql)?;
    let read = statement.query_row([value], |row| {
        Ok((MemoryId::from_bytes(row.get(0)?), row.get(1)?))
    });
    Ok(read.optional()?)
}
