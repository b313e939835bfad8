//! The similarity graph of passages: a passage is as central as the passages that resemble it.

use crate::vectors::dot;

/// Minimum cosine of neighbours.
const NEIGHBOUR: f32 = 0.2;

/// Probability that the random walk continues to a neighbour.
const DAMPING: f32 = 0.85;

/// Iterations of the walk, which converges to about three digits.
const ROUNDS: usize = 20;

/// The centrality of each vector, 0 to 1, where the highest is 1: the rank of a random walk over cosines.
///
/// `vectors` are rows of `dimensions` numbers, of unit length or zero. O(n²) for n rows.
pub(crate) fn centrality(vectors: &[f32], dimensions: usize) -> Vec<f32> {
    let count = vectors.len() / dimensions.max(1);
    let edges = edges(vectors, dimensions, count);
    let mut out = vec![0.0f32; count];
    for &(a, b, weight) in &edges {
        out[a as usize] += weight;
        out[b as usize] += weight;
    }
    let mut rank = vec![1.0f32; count];
    for _ in 0..ROUNDS {
        let mut next = vec![1.0 - DAMPING; count];
        for &(a, b, weight) in &edges {
            let (a, b) = (a as usize, b as usize);
            next[a] += DAMPING * rank[b] * weight / out[b];
            next[b] += DAMPING * rank[a] * weight / out[a];
        }
        rank = next;
    }
    let most = rank.iter().copied().fold(f32::MIN_POSITIVE, f32::max);
    rank.iter().map(|rank| rank / most).collect()
}

fn edges(vectors: &[f32], dimensions: usize, count: usize) -> Vec<(u32, u32, f32)> {
    let row = |at: usize| &vectors[at * dimensions..(at + 1) * dimensions];
    let mut edges = Vec::new();
    for a in 0..count {
        for b in a + 1..count {
            let cosine = dot(row(a), row(b));
            if cosine >= NEIGHBOUR {
                edges.push((a as u32, b as u32, cosine));
            }
        }
    }
    edges
}
