//! Which memories a retention may forget, and which of those that it forgot it may erase.

use std::collections::BTreeSet;

use anamne_types::{ActorKind, EventKind, Kind, MemoryId, Seq};
use rusqlite::{Connection, OptionalExtension, Row, params};

use super::misdated::without_misdated;
use super::transaction::Transaction;
use super::use_days::UseDays;
use crate::Result;

/// Facts and skills that matter at least so much are kept permanently.
const KEPT_IMPORTANCE: u8 = 7;

/// The name under which the engine forgets and erases what a retention no longer keeps.
pub(crate) const ACTOR: &str = "retention";

/// A memory, and the event that makes it wait.
pub(crate) type Since = (MemoryId, Seq, i64);

/// The live memories that happened before `before` (microseconds since 1970) and are kept neither for what they are nor
/// because they were restored less than `days` days of use ago, the oldest first. O(memories that happened before).
pub(crate) fn outdated(connection: &Connection, before: i64, days: u32) -> Result<Vec<MemoryId>> {
    let mut statement = connection.prepare_cached(
        "SELECT id FROM memories WHERE occurred_at < ?1 AND deleted_at IS NULL AND NOT erased \
         AND NOT (kind IN (?2, ?3) AND importance >= ?4) ORDER BY occurred_at",
    )?;
    let values = old_and_not_kept(before);
    let ids = statement.query_map(values, |row| Ok(MemoryId::from_bytes(row.get(0)?)))?;
    let ids = ids.collect::<Result<_, _>>()?;
    without_restored(connection, without_misdated(connection, ids, before)?, days)
}

/// Whether there are memories that happened before `before` and that a retention may have to forget or to erase.
pub(crate) fn is_anything_old(connection: &Connection, before: i64) -> Result<bool> {
    let sql = format!(
        "SELECT 1 FROM memories JOIN events ON events.seq = memories.seq WHERE occurred_at < ?1 AND NOT erased \
         AND (deleted_at IS NULL AND NOT (memories.kind IN (?2, ?3) AND importance >= ?4) OR {})",
        forgotten_by_retention()
    );
    let mut statement = connection.prepare_cached(&sql)?;
    Ok(statement.exists(old_and_not_kept(before))?)
}

/// How many live memories there are. O(memories).
pub(crate) fn count_live(connection: &Connection) -> Result<u64> {
    let count: i64 = connection
        .prepare_cached("SELECT count(*) FROM memories WHERE deleted_at IS NULL")?
        .query_row([], |row| row.get(0))?;
    Ok(count as u64)
}

/// Before when a memory is old, and the kinds and the importance that are kept all the same.
fn old_and_not_kept(before: i64) -> [i64; 4] {
    [
        before,
        Kind::Fact.number().into(),
        Kind::Skill.number().into(),
        KEPT_IMPORTANCE.into(),
    ]
}

/// The condition under which the event that made a memory's present state is the retention's forgetting.
fn forgotten_by_retention() -> String {
    format!(
        "deleted_at IS NOT NULL AND NOT erased AND events.kind = {} AND actor_kind = {} AND actor_name = '{ACTOR}'",
        EventKind::Forgotten.number(),
        ActorKind::System.number()
    )
}

/// What the retention forgot, was not restored since and happened before `before`, or at any time where that is the largest
/// number; the oldest first, each with the event that forgot it. O(memories that happened before).
pub(crate) fn forgotten(connection: &Connection, before: i64) -> Result<Vec<Since>> {
    let sql = format!(
        "SELECT id, events.seq, at FROM memories JOIN events ON events.seq = memories.seq \
         WHERE occurred_at < ?1 AND {} ORDER BY occurred_at",
        forgotten_by_retention()
    );
    let mut statement = connection.prepare_cached(&sql)?;
    let found = statement.query_map([before], since)?;
    let mut found = found.collect::<Result<Vec<Since>, _>>()?;
    if before < i64::MAX {
        let ids = found.iter().map(|(id, ..)| *id).collect();
        let old: BTreeSet<_> = without_misdated(connection, ids, before)?
            .into_iter()
            .collect();
        found.retain(|(id, ..)| old.contains(id));
    }
    Ok(found)
}

fn since(row: &Row<'_>) -> rusqlite::Result<Since> {
    Ok((
        MemoryId::from_bytes(row.get(0)?),
        Seq(row.get::<_, i64>(1)? as u64),
        row.get(2)?,
    ))
}

/// Takes out of `ids` what was restored less than `days` days of use ago: a restored memory has its whole term again.
/// O(ids · log events), and O(events told on these days) where one was restored.
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
    /// Forgets those of `ids` that are live still; says how many.
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

    /// Erases those of `ids` that stand as the retention left them; says how many.
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

    /// Restores those of `ids` that stand as the retention left them; says how many.
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
