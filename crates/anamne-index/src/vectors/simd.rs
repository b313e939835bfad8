//! The two inner loops, in the widest instructions of the processor.
//!
//! Safety invariants: a function for an instruction set is called only after the processor was found to support it
//! (`SimdLevel::current` and `SimdLevel::supported` return no other), and every pointer stays within its slice, whose length
//! is checked at the start of the public functions.
//! All variants use integer arithmetic, so their results are identical.

#![allow(unsafe_code)]

use super::simd_level::SimdLevel;

/// Vectors whose signs are interleaved: word 0 of each, then word 1 of each, and so on.
pub(super) const LANES: usize = 8;
/// Maximum blocks of [`LANES`] vectors per call.
pub(super) const BLOCKS: usize = 64;

/// Maximum words of a query's signs: distances stay below 2¹⁵, so that signed 16-bit instructions can compare them.
const MAX_WORDS: usize = super::DIMENSIONS / 64;

/// The result of comparing up to [`BLOCKS`] blocks.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Distances {
    /// The Hamming distance between the signs of the query and of each vector.
    pub(super) of: [[u16; LANES]; BLOCKS],
    /// Per block, a bit for each vector that is near enough.
    pub(super) near: [u8; BLOCKS],
}

impl Distances {
    /// Zeroed distances.
    pub(super) fn new() -> Self {
        Self {
            of: [[0; LANES]; BLOCKS],
            near: [0; BLOCKS],
        }
    }
}

/// Compares the signs of the query with those of whole blocks of [`LANES`] vectors, at most [`BLOCKS`].
///
/// Returns a bit for each block with a vector at a distance of at most `within`.
#[inline]
pub(super) fn distances(query: &[u64], signs: &[u64], within: u32, out: &mut Distances) -> u64 {
    assert!(
        signs.len() <= query.len() * LANES * BLOCKS && query.len() <= MAX_WORDS,
        "at most {BLOCKS} blocks of {MAX_WORDS} words"
    );
    distances_at(SimdLevel::current(), query, signs, within, out)
}

#[inline]
fn distances_at(
    level: SimdLevel,
    query: &[u64],
    signs: &[u64],
    within: u32,
    out: &mut Distances,
) -> u64 {
    match level {
        // SAFETY: the processor supports `level`; lengths were checked above.
        #[cfg(target_arch = "x86_64")]
        SimdLevel::Avx512 if query.len() == 4 => unsafe {
            x86::distances_512::<4>(query, signs, within, out)
        },
        // SAFETY: as above.
        #[cfg(target_arch = "x86_64")]
        SimdLevel::Avx512 => unsafe { x86::distances_512::<0>(query, signs, within, out) },
        // SAFETY: as above.
        #[cfg(target_arch = "x86_64")]
        SimdLevel::Avx2 if query.len() == 4 => unsafe {
            x86::distances_256::<4>(query, signs, within, out)
        },
        // SAFETY: as above.
        #[cfg(target_arch = "x86_64")]
        SimdLevel::Avx2 => unsafe { x86::distances_256::<0>(query, signs, within, out) },
        // SAFETY: as above.
        #[cfg(target_arch = "aarch64")]
        SimdLevel::Neon => unsafe { arm::distances(query, signs, within, out) },
        _ => portable::distances(query, signs, within, out),
    }
}

/// Prefetches `places`.
#[inline]
pub(super) fn prefetch(places: &[i8]) {
    #[cfg(target_arch = "x86_64")]
    for line in places.chunks(64) {
        use std::arch::x86_64::{_MM_HINT_T0, _mm_prefetch};
        // SAFETY: every x86-64 processor has the instruction, and it has no visible effect.
        unsafe { _mm_prefetch::<_MM_HINT_T0>(line.as_ptr()) };
    }
    #[cfg(not(target_arch = "x86_64"))]
    let _ = places;
}

/// Vectors whose dot products are computed together.
pub(super) const BATCH: usize = 4;

/// The dot product of two vectors of the same length, a multiple of 64.
#[inline]
pub(super) fn dot(query: &[i16], places: &[i8]) -> i32 {
    check_lengths(query, places);
    dot_at(SimdLevel::current(), query, places)
}

/// [`dot`] of the query and each of [`BATCH`] vectors.
#[inline]
pub(super) fn dots(query: &[i16], batch: [&[i8]; BATCH]) -> [i32; BATCH] {
    for places in batch {
        check_lengths(query, places);
    }
    dots_at(SimdLevel::current(), query, batch)
}

#[inline]
fn check_lengths(query: &[i16], places: &[i8]) {
    assert!(
        query.len() == places.len() && query.len().is_multiple_of(64),
        "padded to a multiple of 64"
    );
}

#[inline]
fn dot_at(level: SimdLevel, query: &[i16], places: &[i8]) -> i32 {
    match level {
        // SAFETY: the processor supports `level`; lengths were checked above.
        #[cfg(target_arch = "x86_64")]
        SimdLevel::Avx512 => unsafe { x86::dot_512(query, places) },
        // SAFETY: as above.
        #[cfg(target_arch = "x86_64")]
        SimdLevel::Avx2 => unsafe { x86::dots_256(query, [places])[0] },
        // SAFETY: as above.
        #[cfg(target_arch = "aarch64")]
        SimdLevel::Neon => unsafe { arm::dot(query, places) },
        _ => portable::dot(query, places),
    }
}

#[inline]
fn dots_at(level: SimdLevel, query: &[i16], batch: [&[i8]; BATCH]) -> [i32; BATCH] {
    match level {
        // SAFETY: the processor supports `level`; lengths were checked above.
        #[cfg(target_arch = "x86_64")]
        SimdLevel::Avx2 => unsafe { x86::dots_256(query, batch) },
        _ => batch.map(|places| dot_at(level, query, places)),
    }
}

/// Writes the distances of block `at`; returns its bit if some vector in it is near enough.
#[inline]
fn note(sums: [u64; LANES], within: u32, at: usize, out: &mut Distances) -> u64 {
    let bits = |(lane, &sum): (usize, &u64)| u8::from(sum <= u64::from(within)) << lane;
    out.of[at] = sums.map(|sum| sum as u16);
    out.near[at] = sums
        .iter()
        .enumerate()
        .map(bits)
        .fold(0, |near, bit| near | bit);
    u64::from(out.near[at] != 0) << at
}

mod portable {
    use super::{Distances, LANES, note};

    pub(super) fn distances(query: &[u64], signs: &[u64], within: u32, out: &mut Distances) -> u64 {
        let mut near = 0;
        for (at, block) in signs.chunks_exact(query.len() * LANES).enumerate() {
            let mut sums = [0; LANES];
            for (&query, words) in query.iter().zip(block.chunks_exact(LANES)) {
                for (sum, word) in sums.iter_mut().zip(words) {
                    *sum += u64::from((word ^ query).count_ones());
                }
            }
            near |= note(sums, within, at, out);
        }
        near
    }

    pub(super) fn dot(query: &[i16], places: &[i8]) -> i32 {
        query
            .iter()
            .zip(places)
            .map(|(&query, &place)| i32::from(query) * i32::from(place))
            .sum()
    }
}

#[cfg(target_arch = "x86_64")]
mod x86 {
    #[allow(clippy::wildcard_imports)] // every name states its instruction set
    use std::arch::x86_64::*;

    use super::{Distances, LANES};

    /// `WORDS` is the length of the query if known at compile time, else 0.
    #[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512vpopcntdq")]
    pub(super) unsafe fn distances_512<const WORDS: usize>(
        query: &[u64],
        signs: &[u64],
        within: u32,
        out: &mut Distances,
    ) -> u64 {
        let words = if WORDS > 0 { WORDS } else { query.len() };
        let within = _mm512_set1_epi64(i64::from(within));
        let mut near = 0;
        for (at, block) in signs.chunks_exact(words * LANES).enumerate() {
            let mut sum = _mm512_setzero_si512();
            for (word, &query) in query[..words].iter().enumerate() {
                // SAFETY: the block has `words` × 8 words.
                let lanes = unsafe { _mm512_loadu_si512(block.as_ptr().add(word * LANES).cast()) };
                let differing = _mm512_xor_si512(lanes, _mm512_set1_epi64(query as i64));
                sum = _mm512_add_epi64(sum, _mm512_popcnt_epi64(differing));
            }
            // SAFETY: the instruction writes eight 16-bit numbers.
            unsafe { _mm_storeu_si128(out.of[at].as_mut_ptr().cast(), _mm512_cvtepi64_epi16(sum)) };
            out.near[at] = _mm512_cmple_epi64_mask(sum, within);
            near |= u64::from(out.near[at] != 0) << at;
        }
        near
    }

    #[target_feature(enable = "avx512f,avx512bw,avx512vnni")]
    pub(super) unsafe fn dot_512(query: &[i16], places: &[i8]) -> i32 {
        let (mut even, mut odd) = (_mm512_setzero_si512(), _mm512_setzero_si512());
        for at in (0..query.len()).step_by(64) {
            // SAFETY: both have the same length, a multiple of 64.
            unsafe {
                let low = _mm512_cvtepi8_epi16(_mm256_loadu_si256(places.as_ptr().add(at).cast()));
                let high =
                    _mm512_cvtepi8_epi16(_mm256_loadu_si256(places.as_ptr().add(at + 32).cast()));
                even = _mm512_dpwssd_epi32(
                    even,
                    _mm512_loadu_si512(query.as_ptr().add(at).cast()),
                    low,
                );
                odd = _mm512_dpwssd_epi32(
                    odd,
                    _mm512_loadu_si512(query.as_ptr().add(at + 32).cast()),
                    high,
                );
            }
        }
        _mm512_reduce_add_epi32(_mm512_add_epi32(even, odd))
    }

    /// Words whose bytes are summed before they could overflow: each adds at most 8 to a byte.
    const WORDS_PER_SUM: usize = 31;

    /// `WORDS` is the length of the query if known at compile time, else 0.
    ///
    /// Two blocks at a time: their 16 distances fill one register.
    #[target_feature(enable = "avx2")]
    pub(super) unsafe fn distances_256<const WORDS: usize>(
        query: &[u64],
        signs: &[u64],
        within: u32,
        out: &mut Distances,
    ) -> u64 {
        let words = if WORDS > 0 { WORDS } else { query.len() };
        let query = &query[..words];
        let within = _mm256_set1_epi16(within.min(i16::MAX as u32) as i16);
        let mut near = 0;
        let mut pairs = signs.chunks_exact(2 * words * LANES);
        let mut at = 0;
        for pair in &mut pairs {
            let (one, other) = pair.split_at(words * LANES);
            // SAFETY: each has eight words for each word of the query.
            let (one, other) = unsafe { (sums::<WORDS>(query, one), sums::<WORDS>(query, other)) };
            let (distances, bits) = compared(one, other, within);
            // SAFETY: `signs` has at most as many blocks as `out`, and both of this pair; the rows of `of` are
            // adjacent, and each is half a register.
            unsafe { _mm256_storeu_si256(out.of.as_mut_ptr().add(at).cast(), distances) };
            out.near[at] = bits as u8;
            out.near[at + 1] = (bits >> 16) as u8;
            near |= (u64::from(out.near[at] != 0) | u64::from(out.near[at + 1] != 0) << 1) << at;
            at += 2;
        }
        let last = pairs.remainder();
        if last.len() == words * LANES {
            // SAFETY: it has eight words for each word of the query.
            let last = unsafe { sums::<WORDS>(query, last) };
            let (distances, bits) = compared(last, last, within);
            // SAFETY: a row is half a register.
            unsafe {
                _mm_storeu_si128(
                    out.of[at].as_mut_ptr().cast(),
                    _mm256_castsi256_si128(distances),
                );
            }
            out.near[at] = bits as u8;
            near |= u64::from(out.near[at] != 0) << at;
        }
        near
    }

    /// The distances of a block, as 32-bit numbers: vectors 0, 4, 1, 5, 2, 6, 3, 7.
    ///
    /// The block must have eight words for each word of the query.
    #[target_feature(enable = "avx2")]
    #[inline]
    unsafe fn sums<const WORDS: usize>(query: &[u64], block: &[u64]) -> __m256i {
        let zero = _mm256_setzero_si256();
        let (mut low, mut high) = (zero, zero);
        let rounds = if WORDS > 0 { WORDS } else { WORDS_PER_SUM };
        let mut start = block.as_ptr();
        for query in query.chunks(rounds.min(WORDS_PER_SUM)) {
            let (mut low_bytes, mut high_bytes) = (zero, zero);
            for &query in query {
                let query = _mm256_set1_epi64x(query as i64);
                // SAFETY: the block has eight words for each word of the query.
                let (one, other) = unsafe {
                    let words = (
                        _mm256_loadu_si256(start.cast()),
                        _mm256_loadu_si256(start.add(4).cast()),
                    );
                    start = start.add(LANES);
                    words
                };
                low_bytes = _mm256_add_epi8(low_bytes, ones(_mm256_xor_si256(one, query)));
                high_bytes = _mm256_add_epi8(high_bytes, ones(_mm256_xor_si256(other, query)));
            }
            low = _mm256_add_epi64(low, _mm256_sad_epu8(low_bytes, zero));
            high = _mm256_add_epi64(high, _mm256_sad_epu8(high_bytes, zero));
        }
        _mm256_or_si256(low, _mm256_slli_epi64::<32>(high))
    }

    /// Packs the [`sums`] of two blocks to 16 bits, in order; and a bit for each vector that is near enough: those of
    /// the first block from bit 0, those of the second from bit 16.
    #[target_feature(enable = "avx2")]
    #[inline]
    fn compared(one: __m256i, other: __m256i, within: __m256i) -> (__m256i, u32) {
        // In each half: two pairs of the first block, then two of the second.
        let packed = _mm256_packus_epi32(one, other);
        let blocks = _mm256_permute4x64_epi64::<0b11_01_10_00>(packed);
        let order = _mm256_setr_epi8(
            0, 1, 4, 5, 8, 9, 12, 13, 2, 3, 6, 7, 10, 11, 14, 15, 0, 1, 4, 5, 8, 9, 12, 13, 2, 3,
            6, 7, 10, 11, 14, 15,
        );
        let distances = _mm256_shuffle_epi8(blocks, order);
        let far = _mm256_cmpgt_epi16(distances, within);
        let far = _mm256_movemask_epi8(_mm256_packs_epi16(far, far));
        (distances, !far as u32)
    }

    /// Set bits in each byte: a table lookup for each half.
    #[target_feature(enable = "avx2")]
    #[inline]
    fn ones(words: __m256i) -> __m256i {
        let table = _mm256_setr_epi8(
            0, 1, 1, 2, 1, 2, 2, 3, 1, 2, 2, 3, 2, 3, 3, 4, 0, 1, 1, 2, 1, 2, 2, 3, 1, 2, 2, 3, 2,
            3, 3, 4,
        );
        let half = _mm256_set1_epi8(15);
        let low = _mm256_shuffle_epi8(table, _mm256_and_si256(words, half));
        let high = _mm256_shuffle_epi8(table, _mm256_and_si256(_mm256_srli_epi16(words, 4), half));
        _mm256_add_epi8(low, high)
    }

    /// Reads the query once for all vectors.
    #[target_feature(enable = "avx2")]
    pub(super) unsafe fn dots_256<const COUNT: usize>(
        query: &[i16],
        batch: [&[i8]; COUNT],
    ) -> [i32; COUNT] {
        let mut sums = [[_mm256_setzero_si256(); 2]; COUNT];
        for at in (0..query.len()).step_by(32) {
            for (part, at) in [at, at + 16].into_iter().enumerate() {
                // SAFETY: all have the same length, a multiple of 64.
                let query = unsafe { _mm256_loadu_si256(query.as_ptr().add(at).cast()) };
                for (sum, places) in sums.iter_mut().zip(batch) {
                    // SAFETY: as above.
                    let places = unsafe { _mm_loadu_si128(places.as_ptr().add(at).cast()) };
                    let products = _mm256_madd_epi16(query, _mm256_cvtepi8_epi16(places));
                    sum[part] = _mm256_add_epi32(sum[part], products);
                }
            }
        }
        let mut totals = [0; COUNT];
        for (total, [even, odd]) in totals.iter_mut().zip(sums) {
            let sum = _mm256_add_epi32(even, odd);
            let sum = _mm_add_epi32(
                _mm256_castsi256_si128(sum),
                _mm256_extracti128_si256::<1>(sum),
            );
            let sum = _mm_add_epi32(sum, _mm_shuffle_epi32::<0b00_00_11_10>(sum));
            let sum = _mm_add_epi32(sum, _mm_shuffle_epi32::<0b00_00_00_01>(sum));
            *total = _mm_cvtsi128_si32(sum);
        }
        totals
    }
}

#[cfg(target_arch = "aarch64")]
mod arm {
    #[allow(clippy::wildcard_imports)] // every name states its instruction set
    use std::arch::aarch64::*;

    use super::{Distances, LANES, note};

    #[target_feature(enable = "neon")]
    pub(super) unsafe fn distances(
        query: &[u64],
        signs: &[u64],
        within: u32,
        out: &mut Distances,
    ) -> u64 {
        let mut near = 0;
        for (at, block) in signs.chunks_exact(query.len() * LANES).enumerate() {
            let mut sums = [0_u64; LANES];
            for pair in 0..LANES / 2 {
                let mut sum = vdupq_n_u64(0);
                for (word, &query) in query.iter().enumerate() {
                    // SAFETY: the block has eight words for each word of the query.
                    let lanes = unsafe { vld1q_u64(block.as_ptr().add(word * LANES + 2 * pair)) };
                    let differing = veorq_u64(lanes, vdupq_n_u64(query));
                    let ones = vcntq_u8(vreinterpretq_u8_u64(differing));
                    sum = vaddq_u64(sum, vpaddlq_u32(vpaddlq_u16(vpaddlq_u8(ones))));
                }
                // SAFETY: `sums` has room for four pairs.
                unsafe { vst1q_u64(sums.as_mut_ptr().add(2 * pair), sum) };
            }
            near |= note(sums, within, at, out);
        }
        near
    }

    #[target_feature(enable = "neon")]
    pub(super) unsafe fn dot(query: &[i16], places: &[i8]) -> i32 {
        let mut sum = vdupq_n_s32(0);
        for at in (0..query.len()).step_by(8) {
            // SAFETY: both have the same length, a multiple of 64.
            let (query, places) = unsafe {
                (
                    vld1q_s16(query.as_ptr().add(at)),
                    vmovl_s8(vld1_s8(places.as_ptr().add(at))),
                )
            };
            sum = vmlal_s16(sum, vget_low_s16(query), vget_low_s16(places));
            sum = vmlal_high_s16(sum, query, places);
        }
        vaddvq_s32(sum)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Pseudo-random numbers with a very long period.
    fn numbers(count: usize, seed: u64) -> Vec<u64> {
        let mut state = seed;
        let step = |_| {
            state = state
                .wrapping_mul(6_364_136_223_846_793_005)
                .wrapping_add(1_442_695_040_888_963_407);
            state ^ state.rotate_left(29)
        };
        (0..count).map(step).collect()
    }

    #[test]
    fn every_level_finds_the_distances_of_the_portable_one() {
        for (words, blocks) in [
            (1, 1),
            (1, 2),
            (4, 0),
            (4, 1),
            (4, 2),
            (4, 64),
            (4, 63),
            (4, 7),
            (6, 33),
            (12, 64),
            (31, 3),
            (32, 5),
            (62, 2),
            (63, 3),
            (128, 2),
        ] {
            let (query, signs) = (numbers(words, 1), numbers(words * blocks * LANES, 2));
            for within in [0, words as u32 * 28, words as u32 * 32, words as u32 * 64] {
                let mut expected = Distances::new();
                let near = portable::distances(&query, &signs, within, &mut expected);
                for &level in SimdLevel::supported() {
                    let mut out = Distances::new();
                    assert_eq!(
                        distances_at(level, &query, &signs, within, &mut out),
                        near,
                        "{level:?}"
                    );
                    assert_eq!(out, expected, "{level:?}");
                }
            }
        }
    }

    #[test]
    fn every_level_finds_the_products_of_the_portable_one() {
        for places in [64, 256, 320, 768, 8_192] {
            let most = (i32::MAX / (127 * places)).min(32_767) as i64;
            let query: Vec<i16> = numbers(places as usize, 3)
                .iter()
                .map(|&number| (number as i64 % (most + 1)) as i16)
                .collect();
            let code: Vec<i8> = numbers(places as usize, 4)
                .iter()
                .map(|&number| (number as i64 % 128) as i8)
                .collect();
            let extreme = (
                vec![-most as i16; places as usize],
                vec![-127; places as usize],
            );
            for (query, code) in [(&query, &code), (&extreme.0, &extreme.1)] {
                let expected = portable::dot(query, code);
                for &level in SimdLevel::supported() {
                    assert_eq!(
                        dot_at(level, query, code),
                        expected,
                        "{level:?} over {places} places"
                    );
                    let negative: Vec<i8> = code.iter().map(|place| -place).collect();
                    assert_eq!(
                        dots_at(level, query, [code, &negative, &negative, code]),
                        [expected, -expected, -expected, expected],
                        "{level:?} over {places} places"
                    );
                }
            }
        }
    }

    #[test]
    fn the_farthest_vectors_are_counted_in_full() {
        for words in [1, 4, 31, 32, 33, MAX_WORDS] {
            let signs = vec![u64::MAX; words * 3 * LANES];
            for &level in SimdLevel::supported() {
                for (query, distance) in [(0, words * 64), (u64::MAX, 0)] {
                    let (query, mut out) = (vec![query; words], Distances::new());
                    let within = distance as u32;
                    let near = distances_at(level, &query, &signs, within, &mut out);
                    assert_eq!(near, 0b111, "{level:?}");
                    assert_eq!(out.of[..3], [[distance as u16; LANES]; 3], "{level:?}");
                    assert_eq!(out.near[..4], [255, 255, 255, 0], "{level:?}");
                    if let Some(within) = within.checked_sub(1) {
                        let near = distances_at(level, &query, &signs, within, &mut out);
                        assert_eq!((near, out.near[0]), (0, 0), "{level:?}");
                    }
                }
            }
        }
    }
}
