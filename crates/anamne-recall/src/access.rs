//! How often memories were opened recently.

use anamne_types::Row;
use rustc_hash::FxHashMap;

/// The half-life of an access in microseconds: 30 days.
const HALF_LIFE: f64 = 30.0 * 86_400e6;

/// The decayed count that gives half of the maximum score.
const HALF_SCORE: f32 = 2.0;

/// The access counts of one memory: exponentially decayed, for ranking, and plain.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct AccessCount {
    /// The decayed count.
    pub times: f32,
    /// The time that the count refers to: that of the last access, microseconds since 1970.
    pub at: i64,
    /// All accesses that were counted.
    pub total: u64,
}

impl AccessCount {
    /// The count decayed to `instant`; undecayed if `instant` is earlier than the last access.
    fn times_at(self, instant: i64) -> f32 {
        let age = instant.saturating_sub(self.at).max(0) as f64;
        self.times * (-age / HALF_LIFE).exp2() as f32
    }

    /// The count with one more access at `instant`.
    #[must_use]
    pub fn incremented(self, instant: i64) -> Self {
        Self {
            times: self.times_at(instant) + 1.0,
            at: self.at.max(instant),
            total: self.total.saturating_add(1),
        }
    }
}

/// Access counts by row.
///
/// Only explicit reads by id count, not appearances in search results: otherwise the first results would stay first for
/// no other reason.
#[derive(Clone, Debug, Default)]
pub struct AccessCounts(FxHashMap<Row, AccessCount>);

impl AccessCounts {
    /// Records an access at a time, microseconds since 1970.
    pub fn add(&mut self, row: Row, at: i64) {
        let count = self.0.entry(row).or_default();
        *count = count.incremented(at);
    }

    /// The counts of a memory; `None` if it was not opened. O(1).
    pub fn count(&self, row: Row) -> Option<AccessCount> {
        self.0.get(&row).copied()
    }

    /// The rows of opened memories with their counts, in no order.
    pub fn iter(&self) -> impl Iterator<Item = (Row, AccessCount)> {
        self.0.iter().map(|(row, count)| (*row, *count))
    }

    /// The memories last opened at or after a time, in no order. O(memories).
    pub fn opened_since(&self, at: i64) -> impl Iterator<Item = Row> {
        let opened = self.0.iter().filter(move |(_, count)| count.at >= at);
        opened.map(|(row, _)| *row)
    }

    /// The access score of a memory at a time: 0 to 1, 0.5 for two accesses just now. O(1).
    pub(crate) fn of(&self, row: Row, instant: i64) -> f32 {
        if self.0.is_empty() {
            return 0.0;
        }
        let times = self.0.get(&row).map(|count| count.times_at(instant));
        times.map_or(0.0, |times| times / (times + HALF_SCORE))
    }
}

impl FromIterator<(Row, AccessCount)> for AccessCounts {
    fn from_iter<Items: IntoIterator<Item = (Row, AccessCount)>>(items: Items) -> Self {
        Self(items.into_iter().collect())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn access_counts_decay_and_scores_stay_below_one() {
        let (row, day) = (Row(7), 86_400_000_000);
        let mut counts = AccessCounts::default();
        let check = |counts: &AccessCounts, row, instant, expected: f32| {
            let score = counts.of(row, instant);
            assert!((score - expected).abs() < 1e-6, "{score}, not {expected}");
        };
        check(&counts, row, 0, 0.0);
        counts.add(row, 0);
        counts.add(row, 0);
        check(&counts, row, 0, 0.5);
        check(&counts, row, 30 * day, 1.0 / 3.0);
        check(&counts, Row(8), 0, 0.0);
        (0..10_000).for_each(|_| counts.add(row, 30 * day));
        let score = counts.of(row, 30 * day);
        assert!((0.99..1.0).contains(&score), "{score}");
    }

    #[test]
    fn a_clock_going_backwards_does_not_increase_counts() {
        let count = AccessCount::default().incremented(1_000).incremented(500);
        assert_eq!(count.at, 1_000);
        assert!((count.times_at(0) - 2.0).abs() < 1e-6, "{count:?}");
    }
}
