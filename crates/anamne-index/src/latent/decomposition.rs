//! Truncated singular value decomposition of sparse rows by subspace iteration (Halko, Martinsson and Tropp 2011).

use nalgebra::{DMatrix, SymmetricEigen};

/// Oversampling: additional directions that improve the last wanted ones.
const OVERSAMPLING: usize = 8;

/// Number of iterations; more don't change the directions of conversations.
const ROUNDS: usize = 8;

/// Directions below this share of a row's length are numerical noise.
const MIN_ENERGY: f32 = 1e-5;

/// Sparse rows.
#[derive(Debug, Default)]
pub(super) struct SparseRows {
    columns: usize,
    entries: Vec<(u32, f32)>,
    /// The end of each row.
    ends: Vec<usize>,
}

impl SparseRows {
    /// An empty matrix with this many columns.
    pub(super) fn new(columns: usize) -> Self {
        Self {
            columns,
            ..Self::default()
        }
    }

    /// Adds a row, scaled to length 1; skips empty rows.
    pub(super) fn push(&mut self, row: impl Iterator<Item = (u32, f32)>) {
        let start = self.entries.len();
        self.entries.extend(row);
        let row = &mut self.entries[start..];
        let length = row
            .iter()
            .map(|(_, value)| value * value)
            .sum::<f32>()
            .sqrt();
        if length > 0.0 {
            for (_, value) in row {
                *value /= length;
            }
            self.ends.push(self.entries.len());
        } else {
            self.entries.truncate(start);
        }
    }

    /// Number of rows.
    pub(super) fn len(&self) -> usize {
        self.ends.len()
    }

    fn rows(&self) -> impl Iterator<Item = &[(u32, f32)]> {
        let starts = std::iter::once(0).chain(self.ends.iter().copied());
        starts
            .zip(&self.ends)
            .map(|(start, end)| &self.entries[start..*end])
    }

    /// The product of the transpose with a matrix of `width` columns; both matrices are row-major.
    fn transposed_times(&self, matrix: &[f32], width: usize) -> Vec<f32> {
        let mut product = vec![0.0; self.columns * width];
        for (row, factors) in self.rows().zip(matrix.chunks_exact(width)) {
            for &(column, value) in row {
                let sums = &mut product[column as usize * width..][..width];
                for (sum, factor) in sums.iter_mut().zip(factors) {
                    *sum += value * factor;
                }
            }
        }
        product
    }

    /// The product with a matrix of `width` columns; both matrices are row-major.
    fn times(&self, matrix: &[f32], width: usize) -> Vec<f32> {
        let mut product = vec![0.0; self.len() * width];
        for (row, sums) in self.rows().zip(product.chunks_exact_mut(width)) {
            for &(column, value) in row {
                let factors = &matrix[column as usize * width..][..width];
                for (sum, factor) in sums.iter_mut().zip(factors) {
                    *sum += value * factor;
                }
            }
        }
        product
    }
}

/// The right singular vectors of the largest singular values, strongest first: for each column its components in the
/// first `WANTED` directions. If there are fewer directions, the remaining components are 0. Deterministic.
/// O(rounds · entries · directions).
pub(super) fn directions<const WANTED: usize>(rows: &SparseRows) -> Vec<[f32; WANTED]> {
    let width = (WANTED + OVERSAMPLING).min(rows.len());
    if width == 0 {
        return vec![[0.0; WANTED]; rows.columns];
    }
    let mut basis = pseudo_random(rows.len() * width);
    for _ in 0..ROUNDS {
        basis = orthonormal(&basis, width);
        basis = rows.times(&rows.transposed_times(&basis, width), width);
    }
    basis = orthonormal(&basis, width);
    let projected = rows.transposed_times(&basis, width);
    let matrix = DMatrix::from_row_slice(rows.columns, width, &projected);
    let SymmetricEigen {
        eigenvectors,
        eigenvalues,
    } = SymmetricEigen::new(matrix.tr_mul(&matrix));
    let mut order: Vec<usize> = (0..width).collect();
    order.sort_by(|&one, &other| eigenvalues[other].total_cmp(&eigenvalues[one]));
    order.retain(|&at| eigenvalues[at] > MIN_ENERGY);
    let of_column = |parts: &[f32]| {
        let mut along = [0.0; WANTED];
        for (sum, &at) in along.iter_mut().zip(&order) {
            let factors = eigenvectors.column(at);
            let products = parts
                .iter()
                .zip(factors.iter())
                .map(|(part, factor)| part * factor);
            *sum = products.sum::<f32>() / eigenvalues[at].sqrt();
        }
        along
    };
    projected.chunks_exact(width).map(of_column).collect()
}

/// An orthonormal basis of the column space.
fn orthonormal(matrix: &[f32], width: usize) -> Vec<f32> {
    let rows = matrix.len() / width;
    let basis = DMatrix::from_row_slice(rows, width, matrix).qr().q();
    basis.transpose().as_slice().to_vec()
}

/// Pseudo-random numbers between −1 and 1: SplitMix64 (Steele, Lea and Flood 2014).
fn pseudo_random(many: usize) -> Vec<f32> {
    let number = |at: usize| {
        let mut bits = (at as u64 + 1).wrapping_mul(0x9e37_79b9_7f4a_7c15);
        bits = (bits ^ bits >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        bits = (bits ^ bits >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
        (bits ^ bits >> 31) as f32 / (u64::MAX / 2) as f32 - 1.0
    };
    (0..many).map(number).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_of_two_kinds_have_two_directions() {
        let mut rows = SparseRows::new(6);
        for number in 0..6_u32 {
            rows.push([(0, 1.0), (1, 1.0), (number % 3, 0.5)].into_iter());
        }
        for _ in 0..3 {
            rows.push([(4, 1.0), (5, 2.0)].into_iter());
        }
        let parts = directions::<4>(&rows);
        let first = |column: usize| parts[column][0].abs();
        assert!(first(0) > 0.5 && first(1) > 0.5, "{parts:?}");
        assert!(first(4) < 1e-3 && first(5) < 1e-3, "{parts:?}");
        assert!(parts[5][1].abs() > 0.8, "{parts:?}");
        for direction in 0..4 {
            let length: f32 = parts.iter().map(|part| part[direction].powi(2)).sum();
            assert!(length < 1e-3 || (length - 1.0).abs() < 1e-3, "{parts:?}");
        }
        assert_eq!(parts, directions::<4>(&rows));
    }

    #[test]
    fn nothing_has_no_direction() {
        let mut rows = SparseRows::new(2);
        assert_eq!(directions::<2>(&rows), [[0.0; 2]; 2]);
        rows.push([(0, 0.0)].into_iter());
        assert_eq!(rows.len(), 0);
        rows.push([(1, 3.0)].into_iter());
        let parts = directions::<2>(&rows);
        assert!(
            (parts[1][0].abs() - 1.0).abs() < 1e-5 && parts[1][1] == 0.0,
            "{parts:?}"
        );
    }
}
