//! Which results are adjacent to others: next to them in their thread, or linked.

use anamne_types::{MemoryId, Row};
use rustc_hash::{FxHashMap, FxHashSet};

use crate::candidates::{Candidate, thread_neighbours};
use crate::error::RecallError;
use crate::ranked::Ranked;
use crate::recall_context::RecallContext;

/// The first results of each search that count as neighbours.
const FIRST: usize = 16;

/// Whether each result is next to one of the first results in its thread, or linked with one as of the query's time.
///
/// Reads all results and the links of the first ones: only used by alternative formulas, not by default ranking.
pub(crate) fn adjacent_results(
    context: &RecallContext<'_>,
    ranked: &[Ranked],
) -> Result<Vec<bool>, RecallError> {
    let known = context.recall.as_of.known;
    let rows: Vec<Row> = ranked.iter().map(|ranked| ranked.candidate.row).collect();
    let memories = context.memory_reader().rows(&rows)?;
    let ids: FxHashMap<Row, MemoryId> = memories
        .iter()
        .map(|(row, memory)| (*row, memory.id))
        .collect();
    let rows_of: FxHashMap<MemoryId, Row> = ids.iter().map(|(row, id)| (*id, *row)).collect();
    let mut near: FxHashSet<Row> = FxHashSet::default();
    for first in ranked.iter().filter(|ranked| ranked.is_in_top(FIRST)) {
        let Candidate {
            row, attributes, ..
        } = first.candidate;
        let [adjacent, _] = thread_neighbours(context.columns, row, &attributes);
        near.extend(adjacent.into_iter().flatten());
        let Some(id) = ids.get(&row) else { continue };
        for link in context.sources.source.links(*id)? {
            let other = if link.from == *id { link.to } else { link.from };
            if known.is_none_or(|known| link.created_at <= known) {
                near.extend(rows_of.get(&other));
            }
        }
    }
    Ok(rows.iter().map(|row| near.contains(row)).collect())
}
