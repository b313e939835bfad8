//! The rows of a static model: one vector per token.

use std::borrow::Cow;

use crate::similarity;

/// Little-endian four-byte numbers, borrowed from the binary or owned.
pub(crate) type Words = Cow<'static, [[u8; 4]]>;

/// The values from which text vectors are summed.
#[derive(Debug)]
enum Source {
    /// The codes: the model was stored as i8.
    Codes,
    /// These values, row by row: the model was stored as floats, and the codes are used only to compare tokens.
    Values(Vec<f32>),
}

/// Rows as i8 codes, with a scale for each token.
#[derive(Debug)]
pub(crate) struct TokenRows {
    dimensions: usize,
    codes: Cow<'static, [i8]>,
    /// The inverse norm of each row of codes, as f32.
    inverse_norms: Words,
    /// The factor of each token's row, as f32; 1 if absent.
    scales: Option<Words>,
    /// The row of each token, as u32, below the number of rows; the identity if absent.
    mapping: Option<Words>,
    source: Source,
}

impl TokenRows {
    /// Rows from precomputed parts. `codes` contains `dimensions` codes per row, `inverse_norms` and `scales` one
    /// number per row.
    pub(crate) fn from_parts(
        dimensions: usize,
        codes: &'static [i8],
        inverse_norms: &'static [[u8; 4]],
        scales: &'static [[u8; 4]],
    ) -> Self {
        debug_assert_eq!(codes.len(), dimensions * inverse_norms.len());
        debug_assert_eq!(scales.len(), inverse_norms.len());
        Self {
            dimensions,
            codes: Cow::Borrowed(codes),
            inverse_norms: Cow::Borrowed(inverse_norms),
            scales: Some(Cow::Borrowed(scales)),
            mapping: None,
            source: Source::Codes,
        }
    }

    /// Rows stored as i8. `dimensions` is not 0 and divides the number of codes.
    pub(crate) fn from_codes(dimensions: usize, codes: Vec<i8>) -> Self {
        let inverse_norms = codes
            .chunks_exact(dimensions)
            .map(|row| similarity::inverse_norm(row).to_le_bytes())
            .collect();
        Self {
            dimensions,
            codes: Cow::Owned(codes),
            inverse_norms: Cow::Owned(inverse_norms),
            scales: None,
            mapping: None,
            source: Source::Codes,
        }
    }

    /// Rows stored as finite floats. `dimensions` is not 0 and divides the number of values.
    pub(crate) fn from_values(dimensions: usize, values: Vec<f32>) -> Self {
        let codes = values
            .chunks_exact(dimensions)
            .flat_map(quantised)
            .collect();
        Self {
            source: Source::Values(values),
            ..Self::from_codes(dimensions, codes)
        }
    }

    /// Sets the factor of each token's row.
    pub(crate) fn with_scales(mut self, scales: Option<Words>) -> Self {
        self.scales = scales;
        self
    }

    /// Sets the row of each token; every entry is below the number of rows.
    pub(crate) fn with_mapping(mut self, mapping: Option<Words>) -> Self {
        self.mapping = mapping;
        self
    }

    pub(crate) fn dimensions(&self) -> usize {
        self.dimensions
    }

    /// The codes of a token's row and their inverse norm; empty and 0 for an unknown token.
    pub(crate) fn unit_row(&self, token: usize) -> (&[i8], f32) {
        let Some(row) = self.row_of(token) else {
            return (&[], 0.0);
        };
        let start = row * self.dimensions;
        let codes = self.codes.get(start..start + self.dimensions);
        match (codes, self.inverse_norms.get(row)) {
            (Some(codes), Some(&norm)) => (codes, f32::from_le_bytes(norm)),
            _ => (&[], 0.0),
        }
    }

    /// Adds a token's row, times `weight`, to `sum`; an unknown token adds nothing.
    pub(crate) fn add_row(&self, token: usize, weight: f32, sum: &mut [f32]) {
        let Some(row) = self.row_of(token) else {
            return;
        };
        let scale = match &self.scales {
            Some(scales) => scales
                .get(token)
                .map_or(0.0, |&scale| f32::from_le_bytes(scale)),
            None => 1.0,
        } * weight;
        let start = row * self.dimensions;
        let range = start..start + self.dimensions;
        match &self.source {
            Source::Codes => add_codes(self.codes.get(range).unwrap_or_default(), scale, sum),
            Source::Values(values) => {
                let values = values.get(range).unwrap_or_default();
                for (sum, &value) in sum.iter_mut().zip(values) {
                    *sum += value * scale;
                }
            }
        }
    }

    /// The largest absolute value that one of these tokens adds to a sum; infinite if it is not finite.
    pub(crate) fn largest_value(&self, tokens: usize) -> f32 {
        let of_token = |token| {
            let mut row = vec![0.0; self.dimensions];
            self.add_row(token, 1.0, &mut row);
            let sizes = row.into_iter().map(f32::abs);
            sizes.fold(0.0, |largest, size| {
                if size.is_nan() {
                    f32::INFINITY
                } else {
                    largest.max(size)
                }
            })
        };
        (0..tokens).map(of_token).fold(0.0, f32::max)
    }

    fn row_of(&self, token: usize) -> Option<usize> {
        match &self.mapping {
            Some(mapping) => mapping
                .get(token)
                .map(|&row| u32::from_le_bytes(row) as usize),
            None => Some(token),
        }
    }
}

fn add_codes(codes: &[i8], scale: f32, sum: &mut [f32]) {
    for (sum, &code) in sum.iter_mut().zip(codes) {
        *sum += f32::from(code) * scale;
    }
}

/// The direction of a row as codes, with the largest magnitude at 127.
fn quantised(row: &[f32]) -> impl Iterator<Item = i8> {
    let largest = row
        .iter()
        .fold(0.0_f32, |largest, value| largest.max(value.abs()));
    // Divided in f64, because a subnormal row could make the factor infinite.
    let factor = if largest > 0.0 {
        127.0 / f64::from(largest)
    } else {
        0.0
    };
    row.iter()
        .map(move |&value| (f64::from(value) * factor).round() as i8)
}

/// Scales `vector` to unit length; a zero vector is unchanged.
pub(crate) fn normalise(vector: &mut [f32]) {
    let squares: f64 = vector
        .iter()
        .map(|&value| f64::from(value) * f64::from(value))
        .sum();
    if squares > 0.0 {
        let factor = 1.0 / squares.sqrt();
        for value in vector {
            *value = (f64::from(*value) * factor) as f32;
        }
    }
}
