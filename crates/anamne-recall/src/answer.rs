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
    let mut texts: Vec<Pieces<'_>> = Vec::new();
    let mut repeated = Vec::new();
    let mut rest = ranked.into_iter();
    for ranked in rest.by_ref() {
        let pieces = Pieces::of(columns.tokens(ranked.candidate.row).unwrap_or_default());
        if texts.iter().any(|other| say_the_same(other, &pieces)) {
            repeated.push(ranked);
        } else {
            texts.push(pieces);
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

/// Words of 64 bits of an outline.
const OUTLINE: usize = 8;

/// The wordpieces of a text.
struct Pieces<'a> {
    tokens: &'a [u16],
    /// A bit for each piece; several pieces may have the same.
    outline: [u64; OUTLINE],
}

impl<'a> Pieces<'a> {
    /// O(tokens).
    fn of(tokens: &'a [u16]) -> Self {
        let mut outline = [0; OUTLINE];
        for &token in tokens {
            outline[usize::from(token >> 6) % OUTLINE] |= 1 << (token & 63);
        }
        Self { tokens, outline }
    }
}

/// Whether the different pieces of two texts agree to [`SAME_PIECES`] of all that are in either. O(1) where they are far
/// from it, else O(tokens · log tokens).
fn say_the_same(one: &Pieces<'_>, other: &Pieces<'_>) -> bool {
    let outlines = one.outline.iter().zip(&other.outline);
    let apart: u32 = outlines
        .map(|(one, other)| (one ^ other).count_ones())
        .sum();
    // A bit that one of them lacks is a piece at least that it lacks.
    let both = one.tokens.len() + other.tokens.len();
    if one.tokens.is_empty() || apart as f32 > (1.0 - SAME_PIECES) * both as f32 {
        return false;
    }
    let (one, other) = (distinct(one.tokens), distinct(other.tokens));
    let mut rest = &other[..];
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

/// The different tokens among `tokens`, ascending.
pub(crate) fn distinct(tokens: &[u16]) -> Vec<u16> {
    let mut distinct = tokens.to_vec();
    distinct.sort_unstable();
    distinct.dedup();
    distinct
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
