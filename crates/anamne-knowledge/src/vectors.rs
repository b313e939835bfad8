//! The vectors of texts, and sums over vectors.

use anamne_embed::{Embedder, StaticModel};

/// The vector of a text by the built-in model.
pub(crate) fn vector_of(text: &str) -> Vec<f32> {
    let model = StaticModel::builtin();
    let mut vector = vec![0.0; model.dimensions()];
    // The built-in model accepts every text; a zero vector is similar to nothing.
    if model.embed_into(text, &mut vector).is_err() {
        vector.fill(0.0);
    }
    vector
}

/// The dot product of two vectors, up to the shorter length.
pub(crate) fn dot(a: &[f32], b: &[f32]) -> f32 {
    let (a_eights, a_rest) = a.as_chunks::<8>();
    let (b_eights, b_rest) = b.as_chunks::<8>();
    let mut lanes = [0.0f32; 8];
    for (a, b) in a_eights.iter().zip(b_eights) {
        for lane in 0..8 {
            lanes[lane] += a[lane] * b[lane];
        }
    }
    let rest: f32 = a_rest.iter().zip(b_rest).map(|(a, b)| a * b).sum();
    lanes.iter().sum::<f32>() + rest
}
