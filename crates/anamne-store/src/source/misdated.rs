//! Memories that were written while the clock was set back: their time does not show their age.

use anamne_types::{ActorKind, MemoryId, Seq};
use rusqlite::{Connection, OptionalExtension, params};

use crate::Result;

const DAY: i64 = 24 * 3_600 * 1_000_000;

/// Number of runs of days on either side that determine when a memory was written.
const AROUND: usize = 7;

/// Removes from `ids` the memories dated by the clock that, according to the days around them in the log, were written
/// at `before` or later.
///
/// A time stated by somebody counts as it is. A memory whose time equals its own event's was dated by the clock: it
/// counts as written on the median of the days around it in the log, if that is later. So a clock that is set back for
/// less than a week makes nothing old. O(ids · log events), and O(events written on the days around them).
pub(crate) fn without_misdated(
    connection: &Connection,
    ids: Vec<MemoryId>,
    before: i64,
) -> Result<Vec<MemoryId>> {
    let mut stored = Vec::with_capacity(ids.len());
    for id in ids {
        stored.push((id, dated_by_clock(connection, id)?));
    }
    let seqs = || stored.iter().filter_map(|(_, seq)| *seq);
    let (Some(first), Some(last)) = (seqs().min(), seqs().max()) else {
        return Ok(stored.into_iter().map(|(id, _)| id).collect());
    };
    let runs = Runs::around(connection, first, last)?;
    let is_old = |seq: Seq| (runs.day_of(seq) + 1).saturating_mul(DAY) <= before;
    Ok(stored
        .into_iter()
        .filter(|(_, seq)| seq.is_none_or(is_old))
        .map(|(id, _)| id)
        .collect())
}

/// The event that wrote a memory, if the memory has the event's time.
fn dated_by_clock(connection: &Connection, id: MemoryId) -> Result<Option<Seq>> {
    let mut statement = connection.prepare_cached(
        "SELECT events.seq, events.at = occurred_at FROM events JOIN memories USING (row) WHERE memories.id = ?1 \
         ORDER BY events.seq LIMIT 1",
    )?;
    let stored: Option<(i64, bool)> = statement
        .query_row([id.as_bytes().as_slice()], |row| {
            Ok((row.get(0)?, row.get(1)?))
        })
        .optional()?;
    Ok(stored
        .filter(|(_, bears_its_time)| *bears_its_time)
        .map(|(seq, _)| Seq(seq as u64)))
}

/// Runs of consecutive events written on the same day, in the order of the log: the first event and the day of each.
#[derive(Debug, Default)]
struct Runs(Vec<(Seq, i64)>);

impl Runs {
    /// The runs from the event `first` to the event `last`, and some on either side.
    fn around(connection: &Connection, first: Seq, last: Seq) -> Result<Self> {
        let mut runs = Self::default();
        let mut earlier = connection.prepare_cached(
            "SELECT seq, at FROM events WHERE seq < ?1 AND actor_kind <> ?2 ORDER BY seq DESC",
        )?;
        let mut rows = earlier.query(params![first.0 as i64, ActorKind::System.number()])?;
        while let Some(row) = rows.next()? {
            let (seq, day) = (
                Seq(row.get::<_, i64>(0)? as u64),
                row.get::<_, i64>(1)?.div_euclid(DAY),
            );
            let enough = runs.0.len() > AROUND;
            match runs.0.last_mut() {
                Some((begin, known)) if *known == day => *begin = seq,
                _ if enough => break,
                _ => runs.0.push((seq, day)),
            }
        }
        runs.0.reverse();
        let mut later = connection.prepare_cached(
            "SELECT seq, at FROM events WHERE seq >= ?1 AND actor_kind <> ?2 ORDER BY seq",
        )?;
        let mut rows = later.query(params![first.0 as i64, ActorKind::System.number()])?;
        let mut beyond = 0;
        while let Some(row) = rows.next()? {
            let (seq, day) = (
                Seq(row.get::<_, i64>(0)? as u64),
                row.get::<_, i64>(1)?.div_euclid(DAY),
            );
            if runs.0.last().is_some_and(|(_, known)| *known == day) {
                continue;
            }
            beyond += usize::from(seq > last);
            if beyond > AROUND {
                break;
            }
            runs.0.push((seq, day));
        }
        Ok(runs)
    }

    /// The day on which an event was written: its own, or the median of the days around it if that is later.
    fn day_of(&self, seq: Seq) -> i64 {
        let Some(place) = self.0.iter().rposition(|(begin, _)| *begin <= seq) else {
            return i64::MAX / DAY - 1;
        };
        let end = (place + AROUND + 1).min(self.0.len());
        let mut days: Vec<_> = self.0[place.saturating_sub(AROUND)..end]
            .iter()
            .map(|(_, day)| *day)
            .collect();
        days.sort_unstable();
        self.0[place].1.max(days[(days.len() - 1) / 2])
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(days: &[i64], place: usize, expected: i64) {
        let runs = days.iter().zip(1..).map(|(day, seq)| (Seq(10 * seq), *day));
        let runs = Runs(runs.collect());
        assert_eq!(runs.day_of(Seq(10 * (place as u64 + 1) + 3)), expected);
    }

    #[test]
    fn the_day_of_an_event_is_its_own_or_the_median_around_it() {
        let right: Vec<i64> = (100..130).collect();
        check(&right, 15, 115);
        check(&right, 29, 129);
        let mut back = right.clone();
        back[15..20].copy_from_slice(&[0, 1, 2, 3, 4]);
        check(&back, 15, 110);
        check(&back, 17, 112);
        check(&back, 20, 120);
        let mut ahead = right.clone();
        ahead[15..18].copy_from_slice(&[3_000, 3_001, 3_002]);
        check(&ahead, 16, 3_001);
        check(&ahead, 18, 121);
        let alternating: Vec<i64> = (0..30)
            .map(|at| if at % 2 == 0 { 0 } else { 100 + at })
            .collect();
        check(&alternating, 16, 109);
        check(&[100], 0, 100);
        check(&[100, 101], 0, 100);
    }
}
