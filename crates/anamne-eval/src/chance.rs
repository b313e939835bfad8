//! Deterministic pseudo-random numbers, the same on every platform.

/// SplitMix64 (Steele, Lea and Flood 2014).
#[derive(Debug)]
pub(crate) struct Chance(u64);

impl Chance {
    /// The generator for a seed.
    pub(crate) fn new(seed: u64) -> Self {
        Self::at(seed.wrapping_mul(0xD6E8_FEB8_6659_FD93))
    }

    /// The generator with this state.
    pub(crate) fn at(state: u64) -> Self {
        Self(state)
    }

    pub(crate) fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mixed = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        let mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        mixed ^ (mixed >> 31)
    }

    /// Uniform in [0, 1).
    pub(crate) fn unit(&mut self) -> f64 {
        (self.next() >> 11) as f64 / (1_u64 << 53) as f64
    }

    /// Uniform in 0..`bound`; `bound` must not be 0.
    pub(crate) fn below(&mut self, bound: usize) -> usize {
        (self.next() % bound as u64) as usize
    }
}
