//! The signals of memories, stored beside their notes.

use anamne_store::view::MemoryFeed;
use anamne_types::{Kind, Memory, MemoryId, Row, Seq};
use rusqlite::{Connection, OptionalExtension, params};
use rustc_hash::FxHashMap;

use super::file::Summaries;
use super::notes::Note;
use super::period::instant;
use super::{SummaryError, SummaryReport};
use crate::signals::{AGREES, Feedback, NEIGHBOURS_EACH_WAY, RECENT, Signals, Utility, novelty};
use crate::vectors::{dot, vector_of};

/// Number of memories whose signals are computed at once.
const AT_ONCE: usize = 512;

/// A memory whose signals are to be computed.
struct Pending {
    row: u32,
    waits: i64,
    before: Vec<u32>,
    after: Vec<u32>,
}

/// The data of a memory for the signals of its thread.
struct Heard {
    vector: Vec<f32>,
    thought: bool,
}

/// Computed signals.
struct Reckoned {
    novelty: f32,
    agreeing: u32,
    neighbours: u32,
}

/// Marks the signals of the memories at a place in a thread, and of those whose signals depend on it, to be computed again.
pub(crate) fn disturb(connection: &Connection, note: &Note, seq: u64) -> rusqlite::Result<()> {
    let after = "UPDATE signals SET waits = ?5 WHERE row IN (SELECT row FROM sources WHERE thread = ?1 \
                 AND (at, place, row) >= (?2, ?3, ?4) ORDER BY at, place, row LIMIT ?6)";
    let before = "UPDATE signals SET waits = ?5 WHERE row IN (SELECT row FROM sources WHERE thread = ?1 \
                  AND (at, place, row) < (?2, ?3, ?4) ORDER BY at DESC, place DESC, row DESC LIMIT ?6)";
    for (text, reach) in [(after, RECENT + 1), (before, NEIGHBOURS_EACH_WAY)] {
        connection.prepare_cached(text)?.execute(params![
            note.thread,
            note.at,
            note.place,
            note.row,
            seq as i64,
            reach as i64
        ])?;
    }
    Ok(())
}

impl Summaries {
    /// Computes the signals of at most `limit` waiting memories.
    ///
    /// About 20 µs per memory written in order of time. Memories touched meanwhile keep waiting.
    pub fn build_signals(
        &self,
        feed: &dyn MemoryFeed,
        limit: usize,
    ) -> Result<SummaryReport, SummaryError> {
        let mut built = 0;
        while built < limit {
            let most = AT_ONCE.min(limit - built);
            let pending = self.with(|connection| pending(connection, most))?;
            if pending.is_empty() {
                break;
            }
            let heard = self.hear(feed, &pending)?;
            let reckoned: Vec<_> = pending
                .iter()
                .map(|one| (one, reckon(one, &heard)))
                .collect();
            let written = self.change(|transaction| write(transaction, &reckoned))?;
            if written == 0 {
                break;
            }
            built += written;
        }
        let count = "SELECT count(*) FROM signals WHERE waits IS NOT NULL";
        let waiting: u32 =
            self.with(|connection| connection.query_row(count, [], |row| row.get(0)))?;
        Ok(SummaryReport {
            built,
            waiting: waiting as usize,
        })
    }

    /// The signals of a memory; `None` if summaries don't read it, or if they aren't computed yet. O(log n).
    pub fn signals(&self, row: Row) -> Result<Option<Signals>, SummaryError> {
        self.with(|connection| signals_of(connection, row))
    }

    /// The last event whose feedback was applied.
    pub fn feedback_watermark(&self) -> Result<Seq, SummaryError> {
        self.with(|connection| {
            connection
                .query_row("SELECT feedback FROM state", [], |row| row.get::<_, i64>(0))
                .map(|seq| Seq(seq as u64))
        })
    }

    /// Applies feedback in the order of the log, from the event `from` (exclusive) up to `through`.
    ///
    /// Returns whether it was applied: it isn't if another process applied some meanwhile, so that
    /// [`Summaries::feedback_watermark`] is no longer `from`.
    pub fn take_feedback(
        &self,
        feedback: &[Feedback],
        from: Seq,
        through: Seq,
    ) -> Result<bool, SummaryError> {
        self.change(|transaction| fold_feedback(transaction, feedback, from, through))
    }

    /// Reads the pending memories and those around them.
    fn hear(
        &self,
        feed: &dyn MemoryFeed,
        pending: &[Pending],
    ) -> Result<FxHashMap<u32, Heard>, SummaryError> {
        let mut rows: Vec<u32> = pending
            .iter()
            .flat_map(|one| one.before.iter().chain(&one.after).chain([&one.row]))
            .copied()
            .collect();
        rows.sort_unstable();
        rows.dedup();
        let ids = self.with(|connection| ids_of(connection, &rows))?;
        let mut heard = FxHashMap::default();
        for block in ids.chunks(AT_ONCE) {
            for memory in feed.memories(block)? {
                heard.insert(memory.row.0, hear(&memory));
            }
        }
        Ok(heard)
    }
}

fn hear(memory: &Memory) -> Heard {
    Heard {
        vector: vector_of(&memory.content),
        thought: memory.kind() == Kind::Thought,
    }
}

/// Computes the signals; `None` if the memory no longer exists.
fn reckon(pending: &Pending, heard: &FxHashMap<u32, Heard>) -> Option<Reckoned> {
    let own = heard.get(&pending.row)?;
    let of =
        |rows: &[u32]| -> Vec<&Heard> { rows.iter().filter_map(|row| heard.get(row)).collect() };
    let before = of(&pending.before);
    let near = before
        .iter()
        .take(NEIGHBOURS_EACH_WAY)
        .copied()
        .chain(of(&pending.after));
    let neighbours: Vec<&Heard> = near.filter(|near| own.thought && near.thought).collect();
    let agreeing = neighbours
        .iter()
        .filter(|near| dot(&own.vector, &near.vector) >= AGREES)
        .count();
    Some(Reckoned {
        novelty: novelty(
            &own.vector,
            before.iter().map(|heard| heard.vector.as_slice()),
        ),
        agreeing: agreeing as u32,
        neighbours: neighbours.len() as u32,
    })
}

fn pending(connection: &Connection, limit: usize) -> rusqlite::Result<Vec<Pending>> {
    let mut waiting = connection.prepare_cached(
        "SELECT signals.row, waits, thread, at, place FROM signals JOIN sources ON sources.row = signals.row \
         WHERE waits IS NOT NULL ORDER BY signals.row LIMIT ?1",
    )?;
    let mut before = connection.prepare_cached(
        "SELECT row FROM sources WHERE thread = ?1 AND (at, place, row) < (?2, ?3, ?4) \
         ORDER BY at DESC, place DESC, row DESC LIMIT ?5",
    )?;
    let mut after = connection.prepare_cached(
        "SELECT row FROM sources WHERE thread = ?1 AND (at, place, row) > (?2, ?3, ?4) ORDER BY at, place, row LIMIT ?5",
    )?;
    let rows = waiting.query_map([limit as i64], |row| {
        let note = Note {
            row: row.get(0)?,
            thread: row.get(2)?,
            at: row.get(3)?,
            place: row.get(4)?,
        };
        Ok((note, row.get(1)?))
    })?;
    let mut found = Vec::new();
    for row in rows {
        let (note, waits) = row?;
        let around = |statement: &mut rusqlite::CachedStatement<'_>, reach: usize| {
            let key = params![note.thread, note.at, note.place, note.row, reach as i64];
            statement
                .query_map(key, |row| row.get(0))?
                .collect::<rusqlite::Result<Vec<u32>>>()
        };
        found.push(Pending {
            before: around(&mut before, RECENT)?,
            after: around(&mut after, NEIGHBOURS_EACH_WAY)?,
            row: note.row,
            waits,
        });
    }
    Ok(found)
}

fn ids_of(connection: &Connection, rows: &[u32]) -> rusqlite::Result<Vec<MemoryId>> {
    let mut statement = connection.prepare_cached("SELECT id FROM sources WHERE row = ?1")?;
    let mut ids = Vec::with_capacity(rows.len());
    for row in rows {
        let id = statement.query_row([row], |row| row.get(0)).optional()?;
        ids.extend(id.map(MemoryId::from_bytes));
    }
    Ok(ids)
}

fn write(
    connection: &Connection,
    reckoned: &[(&Pending, Option<Reckoned>)],
) -> rusqlite::Result<usize> {
    let mut update = connection.prepare_cached(
        "UPDATE signals SET novelty = ?3, agreeing = ?4, neighbours = ?5, waits = NULL WHERE row = ?1 AND waits = ?2",
    )?;
    let mut written = 0;
    for (pending, reckoned) in reckoned {
        // A removed memory leaves the table when the event of its removal is applied.
        if let Some(reckoned) = reckoned {
            let novelty = f64::from(reckoned.novelty);
            let values = params![
                pending.row,
                pending.waits,
                novelty,
                reckoned.agreeing,
                reckoned.neighbours
            ];
            written += update.execute(values)?;
        }
    }
    Ok(written)
}

fn signals_of(connection: &Connection, row: Row) -> rusqlite::Result<Option<Signals>> {
    let mut statement = connection.prepare_cached(
        "SELECT signals.novelty, signals.agreeing, signals.neighbours FROM signals WHERE row = ?1 AND novelty IS NOT NULL",
    )?;
    let utility = utility_of(connection, row)?;
    statement
        .query_row([row.0], |found| {
            Ok(Signals {
                novelty: found.get::<_, f64>(0)? as f32,
                agreeing: found.get(1)?,
                neighbours: found.get(2)?,
                utility,
            })
        })
        .optional()
}

fn utility_of(connection: &Connection, row: Row) -> rusqlite::Result<Utility> {
    let found = connection
        .prepare_cached("SELECT value, events, at FROM utility WHERE row = ?1")?
        .query_row([row.0], |found| {
            Ok(Utility {
                value: found.get::<_, f64>(0)? as f32,
                events: found.get(1)?,
                at: instant(found.get(2)?),
            })
        })
        .optional()?;
    Ok(found.unwrap_or_default())
}

fn fold_feedback(
    connection: &Connection,
    feedback: &[Feedback],
    from: Seq,
    through: Seq,
) -> rusqlite::Result<bool> {
    let taken = connection.execute(
        "UPDATE state SET feedback = ?2 WHERE feedback = ?1",
        [from.0 as i64, through.0 as i64],
    )?;
    if taken == 0 {
        return Ok(false);
    }
    let mut insert = connection.prepare_cached(
        "INSERT OR REPLACE INTO utility (row, value, events, at) VALUES (?1, ?2, ?3, ?4)",
    )?;
    for one in feedback {
        let utility = utility_of(connection, one.row)?.after(one.score, one.at);
        let value = f64::from(utility.value);
        insert.execute(params![
            one.row.0,
            value,
            utility.events,
            utility.at.as_microsecond()
        ])?;
    }
    Ok(true)
}
