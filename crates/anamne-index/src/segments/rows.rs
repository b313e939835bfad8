//! Maps rows to slots in a segment.

use std::ops::{Range, RangeInclusive};

/// The row of every slot of a segment, ascending; the slots of a row are adjacent.
#[derive(Clone, Copy)]
pub(crate) struct RowIndex<'a>(pub(crate) &'a [u32]);

impl<'a> RowIndex<'a> {
    /// The slots of `row`; empty if there are none. O(1) if rows are dense, else O(log n).
    pub(crate) fn slots(self, row: u32) -> Range<usize> {
        let Some(&first) = self.0.first() else {
            return 0..0;
        };
        let guess = row.wrapping_sub(first) as usize;
        let start = match self.0.get(guess) {
            Some(&found) if found == row => self.0[..guess]
                .iter()
                .rposition(|&other| other != row)
                .map_or(0, |at| at + 1),
            _ => self.0.partition_point(|&other| other < row),
        };
        let length = self.0[start..]
            .iter()
            .take_while(|&&other| other == row)
            .count();
        start..start + length
    }

    /// The slots of all rows in `rows`. O(log n).
    pub(crate) fn slots_between(self, rows: &RangeInclusive<u32>) -> Range<usize> {
        let start = self.0.partition_point(|row| row < rows.start());
        let length = self.0[start..].partition_point(|row| row <= rows.end());
        start..start + length
    }

    /// Every distinct row with its slots.
    pub(crate) fn iter(self) -> impl Iterator<Item = (u32, Range<usize>)> + 'a {
        let mut at = 0;
        self.0.chunk_by(|one, other| one == other).map(move |run| {
            let slots = at..at + run.len();
            at = slots.end;
            (run[0], slots)
        })
    }
}

#[cfg(test)]
mod tests {
    use super::RowIndex;

    #[test]
    fn finds_every_row_and_no_other() {
        for rows in [
            vec![],
            vec![7],
            vec![3, 4, 5, 6],
            vec![1, 1, 3],
            vec![0, 2, 2, 2, 9, 9, 40],
        ] {
            let index = RowIndex(&rows);
            for row in 0..50 {
                let expected: Vec<usize> =
                    (0..rows.len()).filter(|&slot| rows[slot] == row).collect();
                assert_eq!(
                    index.slots(row).collect::<Vec<_>>(),
                    expected,
                    "row {row} in {rows:?}"
                );
            }
            assert_eq!(
                index.iter().map(|(_, slots)| slots.len()).sum::<usize>(),
                rows.len()
            );
            assert!(
                index
                    .iter()
                    .all(|(row, slots)| slots.clone().all(|slot| rows[slot] == row))
            );
        }
    }
}
