//! What others do: cosine alone, and equality of word sets.

use std::collections::BTreeSet;

use anamne::embed::{Embedder, StaticModel};

use super::pairs::Pair;
use crate::failure::Failure;

/// Share of false hits that the threshold of the cosine allows on the half for tuning.
const FALSE_HITS: f64 = 0.01;

/// The cosine of both requests by the built-in model.
pub(crate) fn cosine(pair: &Pair) -> Result<f32, Failure> {
    let model = StaticModel::builtin();
    let embedded = |text: &str| -> Result<Vec<f32>, Failure> {
        let mut vector = vec![0.0; model.dimensions()];
        model.embed_into(text, &mut vector)?;
        Ok(vector)
    };
    let (one, other) = (embedded(&pair.a)?, embedded(&pair.b)?);
    Ok(one.iter().zip(&other).map(|(one, other)| one * other).sum())
}

/// The lowest threshold above which at most one in a hundred different pairs hits.
pub(crate) fn cosine_threshold(pairs: &[Pair]) -> Result<f32, Failure> {
    let different = pairs.iter().filter(|pair| !pair.same);
    let mut cosines = different.map(cosine).collect::<Result<Vec<_>, _>>()?;
    cosines.sort_unstable_by(|one, other| other.total_cmp(one));
    let allowed = (cosines.len() as f64 * FALSE_HITS) as usize;
    Ok(cosines.get(allowed).copied().unwrap_or(1.0))
}

/// Whether both requests have the same lower-case words.
pub(crate) fn has_equal_words(pair: &Pair) -> bool {
    let words = |text: &str| -> BTreeSet<String> {
        let words = text.split(|character: char| !character.is_alphanumeric());
        words
            .filter(|word| !word.is_empty())
            .map(str::to_lowercase)
            .collect()
    };
    words(&pair.a) == words(&pair.b)
}
