//! From ranked rows to results: no repetition, enough confidence, texts and reasons.

use anamne_types::{Dispute, Hit, Row, Surroundings};

use crate::confidence::Verdict;
use crate::error::RecallError;
use crate::explain;
use crate::looking::Looking;
use crate::rank::Ranked;
use crate::views::Columns;
use crate::words::Reader;

/// Two memories whose wordpieces agree to this share say the same; the later one goes behind the others.
const SAME_PIECES: f32 = 0.9;

/// Moves results that repeat a better one behind those that don't; looks at the first `limit` places only.
pub(crate) fn diversify(ranked: Vec<Ranked>, columns: &dyn Columns, limit: usize) -> Vec<Ranked> {
    let mut kept: Vec<Ranked> = Vec::with_capacity(ranked.len());
    let mut sets: Vec<Vec<u16>> = Vec::new();
    let mut repeated = Vec::new();
    let mut rest = ranked.into_iter();
    for ranked in rest.by_ref() {
        let pieces = distinct(columns.tokens(ranked.candidate.row).unwrap_or_default());
        if !pieces.is_empty() && sets.iter().any(|other| say_the_same(other, &pieces)) {
            repeated.push(ranked);
        } else {
            sets.push(pieces);
            kept.push(ranked);
        }
        if kept.len() == limit {
            break;
        }
    }
    kept.append(&mut repeated);
    kept.extend(rest);
    kept
}

/// The different tokens among `tokens`, ascending.
pub(crate) fn distinct(tokens: &[u16]) -> Vec<u16> {
    let mut distinct = tokens.to_vec();
    distinct.sort_unstable();
    distinct.dedup();
    distinct
}

/// Whether two ascending lists agree to [`SAME_PIECES`] of all that is in either.
fn say_the_same(one: &[u16], other: &[u16]) -> bool {
    let (fewer, more) = (one.len().min(other.len()), one.len().max(other.len()));
    if (fewer as f32) < SAME_PIECES * more as f32 {
        return false;
    }
    let mut rest = other;
    let shared = one
        .iter()
        .filter(|token| {
            let at = rest.partition_point(|other| other < *token);
            rest = &rest[at..];
            rest.first() == Some(*token)
        })
        .count();
    shared as f32 >= SAME_PIECES * (one.len() + other.len() - shared) as f32
}

/// The results of the first rows that are sure enough, with texts and reasons.
pub(crate) fn hits(
    looking: &Looking<'_>,
    reader: &mut Reader<'_>,
    ranked: &[Ranked],
    verdict: &Verdict,
) -> Result<Vec<Hit>, RecallError> {
    let (recall, texts) = (looking.recall, looking.texts());
    let weights = looking.arrangement.weights_shown();
    let sure = |ranked: &&Ranked| ranked.confidence >= recall.min_confidence;
    let chosen: Vec<&Ranked> = ranked.iter().take(recall.limit).filter(sure).collect();
    let rows: Vec<Row> = chosen.iter().map(|ranked| ranked.candidate.row).collect();
    let mut memories = texts.rows(&rows)?.into_iter().peekable();
    let mut hits = Vec::with_capacity(chosen.len());
    for ranked in chosen {
        let row = ranked.candidate.row;
        // A row that was forgotten a moment ago has no memory any more.
        let Some((_, memory)) = memories.next_if(|(found, _)| *found == row) else {
            continue;
        };
        let place = reader.place(row);
        let matched = explain::matched(reader.question, reader.at(place));
        hits.push(Hit {
            score: ranked.score,
            confidence: ranked.confidence,
            scores: explain::parts(ranked),
            reasoning: explain::sentence(ranked, &memory, &matched),
            explanation: explain::table(ranked, matched, weights, verdict.table(row)),
            surroundings: match recall.surroundings {
                Surroundings::None => Vec::new(),
                Surroundings::Neighbours => texts.around(row, looking.columns)?,
            },
            disputes: Vec::new(),
            path: Vec::new(),
            entities: Vec::new(),
            space: None,
            memory,
        });
    }
    Ok(hits)
}

/// Says of each result which memories say otherwise.
pub(crate) fn dispute(hits: &mut [Hit], disputes_of: &dyn Fn(&[Row]) -> Vec<Vec<Dispute>>) {
    let rows: Vec<Row> = hits.iter().map(|hit| hit.memory.row).collect();
    for (hit, disputes) in hits.iter_mut().zip(disputes_of(&rows)) {
        for dispute in &disputes {
            explain::add_dispute(&mut hit.reasoning, dispute);
        }
        hit.disputes = disputes;
    }
}
