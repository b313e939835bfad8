//! Decides when a search uses a second thread, and how tiers are divided.

/// Searches over more rows than this run on two threads; below, the hand-over costs more than it saves.
pub const PARALLEL_ROWS: usize = 20_000;

/// Where to split tiers with these row counts between two threads: those before the index and the rest are searched in
/// parallel. `None` if one thread is as fast. O(tiers).
///
/// ```
/// use anamne_index::threads::halves;
///
/// assert_eq!(halves(&[10_000, 90_000, 60_000, 30_000]), Some(2));
/// assert_eq!((halves(&[3_000, 4_000]), halves(&[1_000_000])), (None, None));
/// ```
pub fn halves(rows: &[usize]) -> Option<usize> {
    let all: usize = rows.iter().sum();
    if all <= PARALLEL_ROWS {
        return None;
    }
    let mut before = 0;
    let longest = |(place, rows): (usize, &usize)| {
        before += rows;
        (before.max(all - before), place + 1)
    };
    let last = rows.len().checked_sub(1)?;
    let (_, place) = rows[..last].iter().enumerate().map(longest).min()?;
    Some(place)
}
