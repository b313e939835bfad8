//! The size of transactions, so that other writers don't wait long.

use std::time::Duration;

/// Maximum time for which a batch should hold the write lock.
const LONGEST_HOLD: Duration = Duration::from_millis(100);

/// Maximum units per batch: 512 records or 1 MiB.
const MOST_UNITS: usize = 512;

/// Bytes per unit. A batch has one unit per record or per 2 KiB, whichever is more.
const UNIT_BYTES: usize = 2_048;

/// Units of the first batch.
const FIRST_UNITS: usize = 64;

/// The size of the next batch: bounded by records and by bytes, and adapted to how long earlier batches held the write
/// lock.
///
/// A batch that held the lock for more than 100 ms halves the next one; one that held it for less than half of that
/// lets the next one grow by a quarter. The minimum is one record, however long it takes. A single `fsync` can't be
/// bounded: each batch waits for two, of the database and of the journal, and on a slow or busy disk these alone may
/// take longer than 100 ms.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct BatchSize {
    units: usize,
}

impl Default for BatchSize {
    fn default() -> Self {
        Self { units: FIRST_UNITS }
    }
}

/// The contents of a batch.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct BatchContents {
    pub(crate) records: usize,
    pub(crate) bytes: usize,
}

impl BatchContents {
    fn units(self) -> usize {
        self.records.max(self.bytes.div_ceil(UNIT_BYTES))
    }
}

impl BatchSize {
    /// Whether a record of `bytes` fits into a batch. An empty batch accepts any record.
    pub(crate) fn has_room(self, filled: BatchContents, bytes: usize) -> bool {
        let with_it = BatchContents {
            records: filled.records + 1,
            bytes: filled.bytes.saturating_add(bytes),
        };
        filled.records == 0 || with_it.units() <= self.units
    }

    /// Maximum records per batch.
    pub(crate) fn records(self) -> usize {
        self.units
    }

    /// Adapts to how long a batch held the write lock.
    pub(crate) fn learn(&mut self, batch: BatchContents, held: Duration) {
        let units = batch.units();
        if held > LONGEST_HOLD {
            self.units = (units.min(self.units) / 2).max(1);
        } else if held < LONGEST_HOLD / 2 && units >= self.units / 2 {
            // A batch that was far from full says nothing about larger ones.
            self.units = (self.units + self.units.div_ceil(4)).min(MOST_UNITS);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of_records(records: usize) -> BatchContents {
        BatchContents { records, bytes: 0 }
    }

    /// The size after full batches that held the lock for these times, in milliseconds.
    fn after(held: &[u64]) -> usize {
        let mut size = BatchSize::default();
        for &held in held {
            size.learn(of_records(size.records()), Duration::from_millis(held));
        }
        size.records()
    }

    #[track_caller]
    fn check(held: &[u64], expected: usize) {
        assert_eq!(after(held), expected, "{held:?}");
    }

    #[test]
    fn a_batch_that_held_the_lock_for_too_long_halves_the_next() {
        check(&[], 64);
        check(&[101], 32);
        check(&[5_000], 32);
        check(&[101, 101, 101], 8);
        check(&[500; 20], 1);
    }

    #[test]
    fn quick_batches_grow_slowly_up_to_a_limit() {
        check(&[10], 80);
        check(&[10, 10], 100);
        check(&[0; 100], MOST_UNITS);
        check(&[101, 10, 10], 50);
    }

    #[test]
    fn one_record_a_batch_is_the_floor_and_no_dead_end() {
        let mut held = vec![1_000; 20];
        check(&held, 1);
        held.extend([10; 3]);
        check(&held, 4);
    }

    #[test]
    fn what_is_neither_slow_nor_quick_changes_nothing() {
        check(&[50, 75, 100], 64);
    }

    #[test]
    fn a_batch_that_was_not_full_lets_nothing_grow() {
        let mut size = BatchSize::default();
        size.learn(of_records(10), Duration::ZERO);
        assert_eq!(size.records(), 64);
    }

    #[test]
    fn a_slow_batch_that_was_not_full_is_halved_itself() {
        let mut size = BatchSize::default();
        size.learn(of_records(10), Duration::from_secs(1));
        assert_eq!(size.records(), 5);
    }

    #[test]
    fn bytes_bound_a_batch_as_records_do() {
        let mut size = BatchSize::default();
        let full = BatchContents {
            records: 2,
            bytes: 63 * UNIT_BYTES,
        };
        assert!(size.has_room(full, UNIT_BYTES));
        assert!(!size.has_room(full, UNIT_BYTES + 1));
        assert!(size.has_room(of_records(63), 10));
        assert!(!size.has_room(of_records(64), 10));
        size.learn(full, Duration::from_secs(1));
        assert_eq!(size.records(), 31, "it was the bytes that took so long");
        for _ in 0..100 {
            size.learn(of_records(size.records()), Duration::ZERO);
        }
        let mebibyte = BatchContents {
            records: 1,
            bytes: 1 << 20,
        };
        assert!(!size.has_room(mebibyte, 1), "no batch is larger than 1 MiB");
    }

    #[test]
    fn an_empty_batch_takes_a_record_of_any_size() {
        let mut size = BatchSize::default();
        for _ in 0..20 {
            size.learn(of_records(1), Duration::from_secs(1));
        }
        assert!(size.has_room(BatchContents::default(), usize::MAX));
        assert!(!size.has_room(of_records(1), 1));
    }
}
