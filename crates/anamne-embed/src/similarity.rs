//! Cosines of i8 rows.
//!
//! A row of bytes is read as little-endian pairs: the even byte is a 16-bit lane shifted left by eight, the odd byte is
//! the lane with its low half cleared, and both are 256 times their value. So one load, a shift and a mask feed two
//! multiply-adds, and no byte is widened separately. The query's row is widened and split into even and odd positions
//! once.

use wide::{i8x16, i16x8, i32x4};

/// Bytes per step.
const LANES: usize = 16;
/// Dimensions per pass: 256 products × 128 × 128 × 256 stay below 2³¹.
const BLOCK: usize = 256;
const STEPS: usize = BLOCK / LANES;

/// A block of a row, each step split into even and odd positions.
struct QueryBlock {
    steps: [[i16x8; 2]; STEPS],
    used: usize,
}

impl QueryBlock {
    /// Splits up to [`BLOCK`] codes; an incomplete last step is zero-padded.
    fn new(codes: &[i8]) -> Self {
        let mut steps = [[i16x8::ZERO; 2]; STEPS];
        let used = codes.len().div_ceil(LANES);
        for (step, codes) in steps.iter_mut().zip(codes.chunks(LANES)) {
            let pairs = pairs(padded(codes));
            *step = [(pairs << 8) >> 8, pairs >> 8];
        }
        Self { steps, used }
    }

    /// The dot product with the codes of another row's block; missing codes count as zero.
    #[inline]
    fn dot(&self, codes: &[i8]) -> i32 {
        match <&[i8; BLOCK]>::try_from(codes) {
            Ok(codes) if self.used == STEPS => self.dot_full(codes),
            _ => self.dot_partial(codes),
        }
    }

    #[inline]
    fn dot_full(&self, codes: &[i8; BLOCK]) -> i32 {
        let (chunks, _) = codes.as_chunks::<LANES>();
        let mut sums = [i32x4::ZERO; 2];
        for (step, chunk) in self.steps.iter().zip(chunks) {
            add_step(&mut sums, step, *chunk);
        }
        (sums[0] + sums[1]).reduce_add() >> 8
    }

    // Out of line, to keep its registers out of the common case.
    #[cold]
    #[inline(never)]
    fn dot_partial(&self, codes: &[i8]) -> i32 {
        let mut sums = [i32x4::ZERO; 2];
        for (step, chunk) in self.steps[..self.used].iter().zip(codes.chunks(LANES)) {
            add_step(&mut sums, step, padded(chunk));
        }
        (sums[0] + sums[1]).reduce_add() >> 8
    }
}

#[inline]
fn add_step(sums: &mut [i32x4; 2], step: &[i16x8; 2], chunk: [i8; LANES]) {
    let pairs = pairs(chunk);
    sums[0] += step[0].dot(pairs << 8);
    sums[1] += step[1].dot(pairs & i16x8::splat(-256));
}

/// Sixteen bytes as eight lanes; the byte at the even position is the low half of its lane.
#[inline]
fn pairs(chunk: [i8; LANES]) -> i16x8 {
    if cfg!(target_endian = "little") {
        return bytemuck::cast(i8x16::new(chunk));
    }
    let (pairs, _) = chunk.as_chunks::<2>();
    let mut lanes = [0; LANES / 2];
    for (lane, &[even, odd]) in lanes.iter_mut().zip(pairs) {
        *lane = i16::from_le_bytes([even as u8, odd as u8]);
    }
    i16x8::new(lanes)
}

fn padded(codes: &[i8]) -> [i8; LANES] {
    let mut chunk = [0; LANES];
    chunk[..codes.len()].copy_from_slice(codes);
    chunk
}

/// Writes the cosine of `query` and each row, given as codes and inverse norms, to `out`.
///
/// Exact up to 1 024 dimensions, then up to f32 rounding. If the lengths differ, the shorter side is zero-padded.
pub(crate) fn cosines<'rows>(
    query: (&[i8], f32),
    rows: &(impl Iterator<Item = (&'rows [i8], f32)> + Clone),
    out: &mut [f32],
) {
    let (codes, inverse_norm) = query;
    let mut blocks = codes.chunks(BLOCK);
    let block = QueryBlock::new(blocks.next().unwrap_or_default());
    for (cosine, (row, row_inverse_norm)) in out.iter_mut().zip(rows.clone()) {
        let dot = block.dot(&row[..row.len().min(BLOCK)]);
        *cosine = dot as f32 * (inverse_norm * row_inverse_norm);
    }
    for (number, block) in (1..).zip(blocks) {
        let block = QueryBlock::new(block);
        for (cosine, (row, row_inverse_norm)) in out.iter_mut().zip(rows.clone()) {
            let row = row.get(number * BLOCK..).unwrap_or_default();
            let dot = block.dot(&row[..row.len().min(BLOCK)]);
            *cosine += dot as f32 * (inverse_norm * row_inverse_norm);
        }
    }
}

/// The inverse Euclidean norm of a row of codes; 0 for a zero row.
pub(crate) fn inverse_norm(codes: &[i8]) -> f32 {
    let squares: i64 = codes.iter().map(|&code| i64::from(code).pow(2)).sum();
    if squares == 0 {
        0.0
    } else {
        (1.0 / (squares as f64).sqrt()) as f32
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn row(length: usize, seed: i32) -> Vec<i8> {
        (0..length as i32)
            .map(|place| (place * place * 31 + place * seed + seed) as i8)
            .collect()
    }

    fn exact(a: &[i8], b: &[i8]) -> f64 {
        let dot: i64 = a
            .iter()
            .zip(b)
            .map(|(&a, &b)| i64::from(a) * i64::from(b))
            .sum();
        dot as f64 * f64::from(inverse_norm(a)) * f64::from(inverse_norm(b))
    }

    #[test]
    fn cosines_equal_the_plain_sum_at_any_length() {
        for length in [0, 1, 15, 16, 17, 64, 255, 256, 257, 300, 512, 768, 1000] {
            let query = row(length, 7);
            let rows: Vec<_> = [3, 7, 50, 127].map(|seed| row(length, seed)).into();
            let norms: Vec<_> = rows.iter().map(|row| inverse_norm(row)).collect();
            let mut out = [9.0; 4];
            let unit_rows = rows.iter().zip(&norms).map(|(row, &norm)| (&row[..], norm));
            cosines((&query, inverse_norm(&query)), &unit_rows, &mut out);
            for (cosine, row) in out.iter().zip(&rows) {
                let expected = exact(&query, row);
                assert!(
                    (f64::from(*cosine) - expected).abs() < 1e-5,
                    "{length}: {cosine} {expected}"
                );
            }
        }
    }

    #[test]
    fn extreme_codes_do_not_overflow() {
        for (a, b, expected) in [(-128, -128, 1.0), (-128, 127, -1.0), (127, 127, 1.0)] {
            let (a, b) = ([a; 256], [b; 256]);
            let mut out = [0.0];
            let rows = std::iter::once((&b[..], inverse_norm(&b)));
            cosines((&a, inverse_norm(&a)), &rows, &mut out);
            assert!((out[0] - expected).abs() < 1e-5, "{}", out[0]);
        }
    }

    #[test]
    fn rows_of_unequal_length_are_filled_with_zeros() {
        let (short, long) = (row(10, 5), row(300, 5));
        for (a, b) in [(&short, &long), (&long, &short)] {
            let mut out = [0.0];
            let rows = std::iter::once((&b[..], inverse_norm(b)));
            cosines((a, inverse_norm(a)), &rows, &mut out);
            assert!((f64::from(out[0]) - exact(a, b)).abs() < 1e-5);
        }
    }
}
