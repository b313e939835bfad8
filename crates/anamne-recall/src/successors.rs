//! Places newer memories before the ones that they supersede.

use anamne_store::view::Attributes;
use anamne_types::Row;
use roaring::RoaringBitmap;

use crate::candidates::Candidate;
use crate::error::RecallError;
use crate::past::MemoryReader;
use crate::ranked::Ranked;
use crate::recall_context::RecallContext;

/// The maximum length of a chain of superseded memories.
const MAX_CHAIN: usize = 16;

/// Inserts the current memory before each superseded one among the first `limit`, also if the query found only the old
/// one. Successors outside the filter are not added. Free if none is superseded.
pub(crate) fn place_first(
    context: &RecallContext<'_>,
    filter: Option<&RoaringBitmap>,
    ranked: &mut Vec<Ranked>,
) -> Result<(), RecallError> {
    let memory_reader = context.memory_reader();
    let mut index = 0;
    while index < ranked.len().min(context.recall.limit) {
        if ranked[index].candidate.attributes.superseded
            && let Some(row) = successor(&memory_reader, ranked[index].candidate.row)?
            && filter.is_none_or(|filter| filter.contains(row.0))
            && !ranked[..index]
                .iter()
                .any(|earlier| earlier.candidate.row == row)
        {
            let later = ranked.iter().position(|later| later.candidate.row == row);
            let successor = match later {
                Some(later) => Some(ranked.remove(later)),
                None => live_attributes(context, row).map(|attributes| Ranked {
                    candidate: Candidate::unfound(row, attributes),
                    ..ranked[index].clone()
                }),
            };
            if let Some(mut successor) = successor {
                successor.score = successor.score.max(ranked[index].score);
                successor.features.superseded = 0.0;
                ranked.insert(index, successor);
                index += 1;
            }
        }
        index += 1;
    }
    Ok(())
}

/// The attributes of a row, unless it is expired.
fn live_attributes(context: &RecallContext<'_>, row: Row) -> Option<Attributes> {
    let attributes = context.columns.attributes(row)?;
    (attributes.expires_at > context.instant).then_some(attributes)
}

/// The row of the current memory that supersedes `row`.
fn successor(memory_reader: &MemoryReader<'_>, row: Row) -> Result<Option<Row>, RecallError> {
    let superseded = memory_reader.rows(&[row])?.pop();
    let mut next = superseded.and_then(|(_, memory)| memory.superseded_by);
    let mut latest = None;
    for _ in 0..MAX_CHAIN {
        let Some(id) = next else { break };
        let Some(memory) = memory_reader.get(id) else {
            break;
        };
        latest = Some(memory.row);
        next = memory.superseded_by;
    }
    Ok(latest)
}
