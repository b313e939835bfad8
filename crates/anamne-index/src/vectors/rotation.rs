//! A fixed random rotation that equalises the dimensions of a vector.
//!
//! The variance of embeddings differs between dimensions. Signs and eight-bit codes lose least if all dimensions have
//! the same variance, which a random rotation achieves. A randomised Hadamard transform does this in O(d log d): flip
//! signs at random, transform, three times. (Ailon and Chazelle, *The Fast Johnson-Lindenstrauss Transform*, 2009.)

/// Part of the manifest: a change requires a rebuild.
pub(super) const SEED: u64 = 0x616e_616d_6e65_0001;
const ROUNDS: usize = 3;

/// An orthogonal map from the embedder's dimensions to the next multiple of 64.
pub(super) struct Rotation {
    dimensions: usize,
    rounds: Vec<Round>,
    /// Lengths of the blocks, powers of two, whose sum is the padded dimension.
    blocks: Vec<usize>,
}

struct Round {
    /// 1 or −1 over the square root of the block's length, which keeps the transform orthogonal.
    factors: Vec<f32>,
    /// The source index of each dimension; empty with a single block.
    order: Vec<u32>,
}

impl Rotation {
    /// The rotation for vectors with this many dimensions.
    pub(super) fn new(dimensions: usize) -> Self {
        let padded = dimensions.next_multiple_of(64);
        let blocks: Vec<usize> = (0..usize::BITS)
            .rev()
            .map(|bit| padded & (1 << bit))
            .filter(|&part| part > 0)
            .collect();
        let mut random = Random(SEED);
        let rounds = (0..ROUNDS)
            .map(|_| Round::new(&blocks, &mut random))
            .collect();
        Self {
            dimensions,
            rounds,
            blocks,
        }
    }

    /// Input dimensions.
    pub(super) fn dimensions(&self) -> usize {
        self.dimensions
    }

    /// Output dimensions: a multiple of 64.
    pub(super) fn padded(&self) -> usize {
        self.blocks.iter().sum()
    }

    /// Rotates `vector`; lengths and angles are preserved.
    pub(super) fn apply(&self, vector: &[f32]) -> Vec<f32> {
        let mut turned = vector.to_vec();
        turned.resize(self.padded(), 0.0);
        for round in &self.rounds {
            if !round.order.is_empty() {
                turned = round
                    .order
                    .iter()
                    .map(|&from| turned[from as usize])
                    .collect();
            }
            for (place, factor) in turned.iter_mut().zip(&round.factors) {
                *place *= factor;
            }
            let mut rest = turned.as_mut_slice();
            for &length in &self.blocks {
                let (block, after) = rest.split_at_mut(length);
                transform(block);
                rest = after;
            }
        }
        turned
    }
}

impl Round {
    fn new(blocks: &[usize], random: &mut Random) -> Self {
        let scales = blocks
            .iter()
            .flat_map(|&length| std::iter::repeat_n((length as f32).sqrt().recip(), length));
        let sign = |scale: f32| scale * if random.next() >> 63 == 0 { 1.0 } else { -1.0 };
        let factors: Vec<f32> = scales.map(sign).collect();
        let places = if blocks.len() > 1 { factors.len() } else { 0 };
        let mut order: Vec<u32> = (0..places as u32).collect();
        for at in (1..order.len()).rev() {
            order.swap(at, (random.next() % (at as u64 + 1)) as usize);
        }
        Self { factors, order }
    }
}

/// The fast Walsh-Hadamard transform, in place and unscaled; the length is a power of two.
fn transform(block: &mut [f32]) {
    let mut half = 1;
    while half < block.len() {
        for pair in block.chunks_exact_mut(2 * half) {
            let (low, high) = pair.split_at_mut(half);
            for (one, other) in low.iter_mut().zip(high) {
                (*one, *other) = (*one + *other, *one - *other);
            }
        }
        half *= 2;
    }
}

/// SplitMix64 (Steele, Lea and Flood, 2014).
struct Random(u64);

impl Random {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mixed = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ (mixed >> 31)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn dot(one: &[f32], other: &[f32]) -> f32 {
        one.iter().zip(other).map(|(one, other)| one * other).sum()
    }

    #[test]
    fn angles_and_lengths_stay_and_places_become_alike() {
        for dimensions in [1, 64, 100, 256, 320, 384, 768, 1_000] {
            let rotation = Rotation::new(dimensions);
            assert_eq!(rotation.padded() % 64, 0);
            let one: Vec<f32> = (0..dimensions).map(|at| 1.0 / (at + 1) as f32).collect();
            let other: Vec<f32> = (0..dimensions).map(|at| (at as f32 * 0.7).sin()).collect();
            let (turned_one, turned_other) = (rotation.apply(&one), rotation.apply(&other));
            assert!((dot(&one, &other) - dot(&turned_one, &turned_other)).abs() < 1e-3);
            assert!((dot(&one, &one) - dot(&turned_one, &turned_one)).abs() < 1e-3);
            let spread = (dot(&one, &one) / rotation.padded() as f32).sqrt();
            assert!(
                turned_one.iter().all(|place| place.abs() < 8.5 * spread),
                "{dimensions} dimensions"
            );
        }
    }
}
