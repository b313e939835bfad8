//! Results that say what a better one says already.

use crate::ranked::Ranked;
use crate::views::Columns;

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
