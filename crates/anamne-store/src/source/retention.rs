//! Selects the memories that retention may forget, and the forgotten ones that it may erase.

use std::collections::BTreeSet;

use anamne_types::{ActorKind, EventKind, Kind, MemoryId, Seq};
use rusqlite::{Connection, OptionalExtension, Row, params};

use super::misdated::without_misdated;
use super::transaction::Transaction;
use super::use_days::UseDays;
use crate::Result;

/// Facts and skills of at least this importance are kept permanently.
const KEPT_IMPORTANCE: u8 = 7;

/// The actor name for forgetting and erasing by retention.
pub(crate) const ACTOR: &str = "retention";

/// A memory, and the event from which its waiting time counts, with its time.
pub(crate) type WaitingMemory = (MemoryId, Seq, i64);

/// The live memories that happened before `before` (microseconds since 1970), oldest first, without those kept for
/// their kind and importance or restored less than `days` days of use ago. O(memories that happened before).
pub(crate) fn outdated(connection: &Connection, before: i64, days: u32) -> Result<Vec<MemoryId>> {
    let mut statement = connection.prepare_cached(
        "SELECT id FROM memories WHERE occurred_at < ?1 AND deleted_at IS NULL AND NOT erased AND member IS NULL \
         AND NOT (kind IN (?2, ?3) AND importance >= ?4) ORDER BY occurred_at",
    )?;
    let values = old_and_not_kept(before);
    let ids = statement.query_map(values, |row| Ok(MemoryId::from_bytes(row.get(0)?)))?;
    let ids = ids.collect::<Result<_, _>>()?;
    without_restored(connection, without_misdated(connection, ids, before)?, days)
}

/// Whether retention may have to forget or erase any memories that happened before `before`.
pub(crate) fn is_anything_old(connection: &Connection, before: i64) -> Result<bool> {
    let sql = format!(
        "SELECT 1 FROM memories JOIN events ON events.seq = memories.seq WHERE occurred_at < ?1 AND NOT erased AND member IS NULL \
         AND (deleted_at IS NULL AND NOT (memories.kind IN (?2, ?3) AND importance >= ?4) OR {})",
        forgotten_by_retention()
    );
    let mut statement = connection.prepare_cached(&sql)?;
    Ok(statement.exists(old_and_not_kept(before))?)
}

/// Number of live memories. O(memories).
pub(crate) fn count_live(connection: &Connection) -> Result<u64> {
    let count: i64 = connection
        .prepare_cached("SELECT count(*) FROM memories WHERE deleted_at IS NULL")?
        .query_row([], |row| row.get(0))?;
    Ok(count as u64)
}

/// SQL parameters: the time before which a memory is old, and the kinds and importance that are kept nevertheless.
fn old_and_not_kept(before: i64) -> [i64; 4] {
    [
        before,
        Kind::Fact.number().into(),
        Kind::Skill.number().into(),
        KEPT_IMPORTANCE.into(),
    ]
}

/// The SQL condition that the current state of a memory was made by retention forgetting it.
fn forgotten_by_retention() -> String {
    format!(
        "deleted_at IS NOT NULL AND NOT erased AND events.kind = {} AND actor_kind = {} AND actor_name = '{ACTOR}'",
        EventKind::Forgotten.number(),
        ActorKind::System.number()
    )
}

/// The memories that retention forgot, not restored since, that happened before `before` (`i64::MAX` for any time);
/// oldest first, each with the event that forgot it. O(memories that happened before).
pub(crate) fn forgotten(connection: &Connection, before: i64) -> Result<Vec<WaitingMemory>> {
    let sql = format!(
        "SELECT id, events.seq, at FROM memories JOIN events ON events.seq = memories.seq \
         WHERE occurred_at < ?1 AND {} ORDER BY occurred_at",
        forgotten_by_retention()
    );
    let mut statement = connection.prepare_cached(&sql)?;
    let found = statement.query_map([before], since)?;
    let mut found = found.collect::<Result<Vec<WaitingMemory>, _>>()?;
    if before < i64::MAX {
        let ids = found.iter().map(|(id, ..)| *id).collect();
        let old: BTreeSet<_> = without_misdated(connection, ids, before)?
            .into_iter()
            .collect();
        found.retain(|(id, ..)| old.contains(id));
    }
    Ok(found)
}

fn since(row: &Row<'_>) -> rusqlite::Result<WaitingMemory> {
    Ok((
        MemoryId::from_bytes(row.get(0)?),
        Seq(row.get::<_, i64>(1)? as u64),
        row.get(2)?,
    ))
}

/// Removes from `ids` what was restored less than `days` days of use ago: a restored memory is kept for the full period
/// again. O(ids · log events), and O(events written on these days) if one was restored.
fn without_restored(
    connection: &Connection,
    ids: Vec<MemoryId>,
    days: u32,
) -> Result<Vec<MemoryId>> {
    let mut statement = connection.prepare_cached(
        "SELECT id, events.seq, at FROM events JOIN memories USING (row) WHERE memories.id = ?1 AND events.kind = ?2 \
         ORDER BY events.seq DESC LIMIT 1",
    )?;
    let mut use_days = None;
    let mut kept = Vec::with_capacity(ids.len());
    for id in ids {
        let restored = statement
            .query_row(
                params![id.as_bytes().as_slice(), EventKind::Restored.number()],
                since,
            )
            .optional()?;
        let Some((_, seq, at)) = restored else {
            kept.push(id);
            continue;
        };
        let use_days = match &use_days {
            Some(known) => known,
            None => use_days.insert(UseDays::latest(connection, days as usize + 1)?),
        };
        if use_days.since(seq, at) >= days {
            kept.push(id);
        }
    }
    Ok(kept)
}

impl Transaction<'_> {
    /// Forgets those of `ids` that are still live; returns their number.
    pub(crate) fn forget_outdated(&mut self, ids: &[MemoryId]) -> Result<u64> {
        let mut forgotten = 0;
        for &id in ids {
            if self.holds("deleted_at IS NULL AND NOT erased", id)? {
                self.forget(id)?;
                forgotten += 1;
            }
        }
        Ok(forgotten)
    }

    /// Erases those of `ids` that are still forgotten by retention; returns their number.
    pub(crate) fn erase_forgotten(&mut self, ids: &[MemoryId]) -> Result<u64> {
        let condition = forgotten_by_retention();
        let mut erased = BTreeSet::new();
        for &id in ids {
            if self.holds(&condition, id)? {
                erased.insert(id);
            }
        }
        self.erase(&erased)?;
        Ok(erased.len() as u64)
    }

    /// Restores those of `ids` that are still forgotten by retention; returns their number.
    pub(crate) fn restore_forgotten(&mut self, ids: &[MemoryId]) -> Result<u64> {
        let condition = forgotten_by_retention();
        let mut restored = 0;
        for &id in ids {
            if self.holds(&condition, id)? {
                self.restore(id)?;
                restored += 1;
            }
        }
        Ok(restored)
    }

    fn holds(&self, condition: &str, id: MemoryId) -> Result<bool> {
        let sql = format!(
            "SELECT 1 FROM memories JOIN events ON events.seq = memories.seq WHERE memories.id = ?1 AND {condition}"
        );
        let mut statement = self.tables.prepare_cached(&sql)?;
        Ok(statement.exists([id.as_bytes().as_slice()])?)
    }
}
