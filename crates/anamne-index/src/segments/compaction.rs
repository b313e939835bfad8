//! Chooses the segments to merge when a fold writes a new one.

/// Maximum rows per segment of a bulk fold.
pub(super) const BULK_ROWS: usize = 262_144;
/// Bytes of entries that a fold buffers in memory before it writes a segment.
pub(super) const BULK_BYTES: usize = 96 << 20;
/// Maximum rows of a merged segment.
const MERGED_ROWS: usize = 524_288;
/// Segments of this size are not merged, and not counted.
const SETTLED_ROWS: usize = 131_072;
/// Maximum number of segments, without settled ones.
const SEGMENTS: usize = 8;

/// The size of a segment.
#[derive(Clone, Copy, Debug)]
pub(super) struct Size {
    /// Number of live rows.
    pub(super) live: usize,
    /// Number of dead rows.
    pub(super) dead: usize,
}

/// The segments to merge with `fresh` new rows into one.
///
/// Segments with more than half of their rows dead are always rewritten. If there would be more than eight segments,
/// the smallest are merged with the new rows as long as the next is at most twice as large as all before it; so a row
/// is rewritten O(log n) times.
pub(super) fn segments_to_merge(sizes: &[Size], fresh: usize) -> Vec<usize> {
    let (mut chosen, rest): (Vec<usize>, Vec<usize>) =
        (0..sizes.len()).partition(|&at| sizes[at].dead > sizes[at].live);
    let mut gathered = fresh + chosen.iter().map(|&at| sizes[at].live).sum::<usize>();
    let mut open: Vec<usize> = rest
        .into_iter()
        .filter(|&at| sizes[at].live < SETTLED_ROWS)
        .collect();
    open.sort_by_key(|&at| sizes[at].live);
    let (count, mut taken) = (open.len() + 1, 0);
    if count > SEGMENTS {
        for at in open {
            let live = sizes[at].live;
            let similar = live <= 2 * gathered || count - taken > SEGMENTS;
            if !similar || gathered + live > MERGED_ROWS {
                break;
            }
            gathered += live;
            taken += 1;
            chosen.push(at);
        }
    }
    chosen.sort_unstable();
    chosen
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn segments_stay_few_and_rows_are_rewritten_seldom() {
        let (mut sizes, mut rewritten, folds, fresh) = (Vec::<Size>::new(), 0, 1_000, 500);
        for _ in 0..folds {
            let chosen = segments_to_merge(&sizes, fresh);
            let merged: usize = chosen.iter().map(|&at| sizes[at].live).sum();
            rewritten += merged;
            for &at in chosen.iter().rev() {
                sizes.remove(at);
            }
            sizes.push(Size {
                live: merged + fresh,
                dead: 0,
            });
            assert!(sizes.iter().filter(|size| size.live < SETTLED_ROWS).count() <= SEGMENTS);
        }
        assert_eq!(
            sizes.iter().map(|size| size.live).sum::<usize>(),
            folds * fresh
        );
        assert!(
            rewritten <= 6 * folds * fresh,
            "{rewritten} rows rewritten for {}",
            folds * fresh
        );
    }

    #[test]
    fn mostly_dead_segments_are_rewritten() {
        let sizes = [
            Size { live: 10, dead: 5 },
            Size {
                live: 400_000,
                dead: 500_000,
            },
            Size { live: 1, dead: 0 },
        ];
        assert_eq!(segments_to_merge(&sizes, 1), [1]);
    }
}
