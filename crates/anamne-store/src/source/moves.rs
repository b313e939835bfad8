//! Selects memories to move to a colder tier, and moves them.

use std::collections::BTreeMap;

use anamne_types::{EventKind, Kind, Row, Seq, Tier};
use rusqlite::{Connection, OptionalExtension, params};

use super::record::Payload;
use super::transaction::Transaction;
use crate::Result;
use crate::clock::from_microseconds;

/// Facts and skills of at least this importance stay active.
const KEPT_IMPORTANCE: u8 = 7;

/// Time limits for leaving a tier, microseconds since 1970.
#[derive(Clone, Copy, Debug)]
pub(crate) struct AgeLimits {
    /// Older memories go to the recent tier.
    pub(crate) active: i64,
    /// Older memories go to their archive.
    pub(crate) recent: i64,
    /// Memories written or changed after this stay in place.
    pub(crate) settled: i64,
}

/// A page of memories to move, and where the next page begins.
#[derive(Debug, Default)]
pub(crate) struct Page {
    pub(crate) aged: Vec<MoveCandidate>,
    /// The time of occurrence of the last one.
    pub(crate) reached: i64,
}

/// A memory to move.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct MoveCandidate {
    pub(crate) row: Row,
    /// The event of its current state; if there is a later one, it is not moved.
    pub(crate) seq: Seq,
    pub(crate) target: Tier,
}

/// Memories of a tier that happened at `from` or later and are to move to a colder one, earliest first; at most `limit`.
///
/// Facts and skills age from when they were last written, changed or returned, and stay active while they are
/// important; all others age from when they happened. O(memories that are old enough).
pub(crate) fn aged(
    connection: &Connection,
    source: Tier,
    ages: AgeLimits,
    from: i64,
    limit: usize,
) -> Result<Page> {
    let before = match source {
        Tier::Active => ages.active,
        _ => ages.recent,
    };
    // The tier's number is part of the statement, so that the partial index of this tier is used.
    let sql = format!(
        "SELECT row, seq, iif(kind IN (?1, ?2), max(occurred_at, updated_at, \
         coalesce((SELECT at FROM uses WHERE uses.row = memories.row), 0)), occurred_at) AS aged, occurred_at FROM memories \
         WHERE tier = {} AND occurred_at >= ?7 AND occurred_at < ?3 AND aged < ?3 AND updated_at < ?4 AND NOT erased \
         AND NOT (kind IN (?1, ?2) AND importance >= ?5) ORDER BY occurred_at LIMIT ?6",
        source.number()
    );
    let mut statement = connection.prepare_cached(&sql)?;
    let mut page = Page::default();
    let mut rows = statement.query(params![
        Kind::Fact.number(),
        Kind::Skill.number(),
        before,
        ages.settled,
        KEPT_IMPORTANCE,
        limit as i64,
        from
    ])?;
    while let Some(row) = rows.next()? {
        let aged: i64 = row.get(2)?;
        page.reached = row.get(3)?;
        page.aged.push(MoveCandidate {
            row: Row(row.get(0)?),
            seq: Seq(row.get::<_, i64>(1)? as u64),
            target: if aged < ages.recent {
                Tier::archive_of(from_microseconds(aged))
            } else {
                Tier::Recent
            },
        });
    }
    Ok(page)
}

/// Number of memories in the active tier. O(memories in it).
pub(crate) fn count_active(connection: &Connection) -> Result<u64> {
    let count: i64 = connection
        .prepare_cached("SELECT count(*) FROM memories WHERE tier = 0 AND NOT erased")?
        .query_row([], |row| row.get(0))?;
    Ok(count as u64)
}

/// The colder tiers with their number of memories, hottest first. O(memories in them).
pub(crate) fn counts(connection: &Connection) -> Result<Vec<(Tier, u64)>> {
    let mut statement = connection
        .prepare_cached("SELECT tier, count(*) FROM memories WHERE tier <> 0 GROUP BY tier")?;
    let counts = statement.query_map([], |row| {
        Ok((row.get::<_, u32>(0)?, row.get::<_, i64>(1)? as u64))
    })?;
    let mut tiers = Vec::new();
    for count in counts {
        let (number, count) = count?;
        tiers.push((known(number)?, count));
    }
    tiers.sort();
    Ok(tiers)
}

/// The colder tiers with memories, hottest first. O(tiers · log memories).
pub(crate) fn tiers(connection: &Connection) -> Result<Vec<Tier>> {
    let mut statement = connection
        .prepare_cached("SELECT min(tier) FROM memories WHERE tier <> 0 AND tier > ?1")?;
    let mut tiers = Vec::new();
    let mut last = 0;
    while let Some(number) = statement.query_row([last], |row| row.get::<_, Option<u32>>(0))? {
        tiers.push(known(number)?);
        last = number;
    }
    tiers.sort();
    Ok(tiers)
}

/// Whether a colder tier contains at most `few` memories. O(few).
pub(crate) fn has_few(connection: &Connection, tier: Tier, few: u64) -> Result<bool> {
    let sql =
        "SELECT count(*) FROM (SELECT 1 FROM memories WHERE tier <> 0 AND tier = ?1 LIMIT ?2)";
    let count: i64 = connection
        .prepare_cached(sql)?
        .query_row([i64::from(tier.number()), few as i64 + 1], |row| row.get(0))?;
    Ok(count as u64 <= few)
}

/// The tier of a memory.
pub(crate) fn tier_of(connection: &Connection, row: Row) -> Result<Option<Tier>> {
    let number: Option<u32> = connection
        .prepare_cached("SELECT tier FROM memories WHERE row = ?1")?
        .query_row([row.0], |row| row.get(0))
        .optional()?;
    number.map(known).transpose()
}

fn known(number: u32) -> Result<Tier> {
    let unknown = || rusqlite::Error::IntegralValueOutOfRange(0, i64::from(number));
    Ok(Tier::from_number(number).ok_or_else(unknown)?)
}

/// Records that a memory leaves its colder tier, if it is in one, with the event `seq`.
pub(crate) fn depart(connection: &Connection, row: Row, seq: Seq) -> Result<()> {
    if matches!(tier_of(connection, row)?, None | Some(Tier::Active)) {
        return Ok(());
    }
    connection
        .prepare_cached(
            "INSERT OR IGNORE INTO departures (tier, seq, row) SELECT tier, ?2, row FROM memories WHERE row = ?1",
        )?
        .execute(params![row.0, seq.0 as i64])?;
    connection
        .prepare_cached(
            "INSERT OR IGNORE INTO leftovers (tier, row) SELECT tier, row FROM memories WHERE row = ?1",
        )?
        .execute([row.0])?;
    Ok(())
}

/// The rows in tier files whose memories are in another tier.
pub(crate) fn leftovers(connection: &Connection) -> Result<BTreeMap<Tier, Vec<Row>>> {
    let mut statement = connection.prepare_cached(
        "SELECT leftovers.tier, leftovers.row FROM leftovers JOIN memories USING (row) \
         WHERE leftovers.tier <> memories.tier",
    )?;
    let rows = statement.query_map([], |row| Ok((row.get::<_, u32>(0)?, Row(row.get(1)?))))?;
    let mut leftovers = BTreeMap::<_, Vec<_>>::new();
    for row in rows {
        let (number, row) = row?;
        leftovers.entry(known(number)?).or_default().push(row);
    }
    Ok(leftovers)
}

impl Transaction<'_> {
    /// Records that the file of `target` will contain `aged`, whether their move succeeds or not.
    pub(crate) fn expect_in(&mut self, target: Tier, aged: &[MoveCandidate]) -> Result<()> {
        let mut expect = self
            .tables
            .prepare_cached("INSERT OR IGNORE INTO leftovers (tier, row) VALUES (?1, ?2)")?;
        for memory in aged {
            expect.execute([target.number(), memory.row.0])?;
        }
        Ok(())
    }

    /// Records that the file of `tier` no longer contains `rows`.
    pub(crate) fn cleaned(&mut self, tier: Tier, rows: &[Row]) -> Result<()> {
        let mut clean = self
            .tables
            .prepare_cached("DELETE FROM leftovers WHERE tier = ?1 AND row = ?2")?;
        for row in rows {
            clean.execute([tier.number(), row.0])?;
        }
        Ok(())
    }

    /// Moves those of `aged` that have not changed since to `target`, whose file already contains their content;
    /// returns their number.
    pub(crate) fn move_to(
        &mut self,
        source: Tier,
        target: Tier,
        aged: &[MoveCandidate],
    ) -> Result<u64> {
        let event = Seq(self.head.0 + 1);
        let (mut moved, mut first) = (0, None);
        {
            let prepare = |sql| self.tables.prepare_cached(sql);
            let mut depart =
                prepare("INSERT INTO departures (tier, seq, row) VALUES (?1, ?2, ?3)")?;
            let mut leave_behind =
                prepare("INSERT OR IGNORE INTO leftovers (tier, row) VALUES (?1, ?2)")?;
            let mut arrive = prepare("DELETE FROM leftovers WHERE tier = ?1 AND row = ?2")?;
            let mut leave = self.tables.prepare_cached(
                "UPDATE memories SET content = '', body = NULL, metadata = NULL, tier = ?3, placed = ?4 \
                 WHERE row = ?1 AND seq = ?2 AND tier = ?5 AND NOT erased",
            )?;
            for memory in aged {
                let values = params![
                    memory.row.0,
                    memory.seq.0 as i64,
                    target.number(),
                    event.0 as i64,
                    source.number()
                ];
                if leave.execute(values)? == 1 {
                    depart.execute(params![source.number(), event.0 as i64, memory.row.0])?;
                    arrive.execute([target.number(), memory.row.0])?;
                    if source != Tier::Active {
                        leave_behind.execute([source.number(), memory.row.0])?;
                    }
                    moved += 1;
                    first = first.or(Some(memory.row));
                }
            }
        }
        if let Some(first) = first {
            let id = self.id_of(first)?;
            self.log(EventKind::Moved, first, id, &Payload::NOTHING)?;
        }
        Ok(moved)
    }
}
