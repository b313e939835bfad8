//! `model.safetensors`: rows, and where present, weights and a mapping.

use std::borrow::Cow;

use safetensors::tensor::TensorView;
use safetensors::{Dtype, SafeTensorError, SafeTensors};

use super::ModelFile;
use crate::EmbedError;
use crate::token_rows::{TokenRows, Words};

/// The largest value of a row times its weight: a sum of 2^24 of them is still a finite f32.
const LARGEST_VALUE: f32 = 1e31;

/// The rows as stored, not yet held against a tokenizer.
pub(super) struct StoredRows {
    count: usize,
    rows: TokenRows,
    weights: Option<Words>,
    mapping: Option<Words>,
}

impl StoredRows {
    /// Reads and checks the tensors.
    pub(super) fn read(file: &ModelFile) -> Result<Self, EmbedError> {
        let tensors = SafeTensors::deserialize(&file.bytes)
            .map_err(|error| file.malformed(error.to_string()))?;
        let embeddings = optional(&tensors, "embeddings", file)?
            .ok_or_else(|| file.malformed("it holds no tensor `embeddings`"))?;
        let &[count, dimensions] = embeddings.shape() else {
            return Err(file.malformed("`embeddings` is not a matrix"));
        };
        if count == 0 || dimensions == 0 {
            return Err(file.malformed("`embeddings` is empty"));
        }
        let rows = match embeddings.dtype() {
            Dtype::I8 => {
                TokenRows::from_codes(dimensions, bytemuck::cast_slice(embeddings.data()).to_vec())
            }
            _ => TokenRows::from_values(dimensions, floats(&embeddings, "embeddings", file)?),
        };
        let weights = optional(&tensors, "weights", file)?
            .map(|view| Ok(words(floats(&view, "weights", file)?, f32::to_le_bytes)))
            .transpose()?;
        let mapping = optional(&tensors, "mapping", file)?
            .map(|view| Ok(words(row_numbers(&view, count, file)?, u32::to_le_bytes)))
            .transpose()?;
        Ok(Self {
            count,
            rows,
            weights,
            mapping,
        })
    }

    /// The rows of a tokenizer with `tokens` tokens, if there are as many.
    pub(super) fn for_tokens(
        self,
        tokens: usize,
        file: &ModelFile,
    ) -> Result<TokenRows, EmbedError> {
        let mapped = self
            .mapping
            .as_ref()
            .map_or(self.count, |mapping| mapping.len());
        let weighted = self
            .weights
            .as_ref()
            .map_or(tokens, |weights| weights.len());
        if mapped != tokens || weighted != tokens {
            return Err(file.malformed(format!(
                "it has rows for {mapped} tokens and weights for {weighted}, but tokenizer.json \
                 has {tokens} tokens"
            )));
        }
        let rows = self
            .rows
            .with_scales(self.weights)
            .with_mapping(self.mapping);
        match rows.largest_value(tokens) {
            largest if largest <= LARGEST_VALUE => Ok(rows),
            largest => Err(file.malformed(format!(
                "`embeddings` times `weights` reaches {largest:e}; above {LARGEST_VALUE:e} the sum over a text overflows"
            ))),
        }
    }
}

fn optional<'data>(
    tensors: &SafeTensors<'data>,
    name: &str,
    file: &ModelFile,
) -> Result<Option<TensorView<'data>>, EmbedError> {
    match tensors.tensor(name) {
        Ok(view) => Ok(Some(view)),
        Err(SafeTensorError::TensorNotFound(_)) => Ok(None),
        Err(error) => Err(file.malformed(error.to_string())),
    }
}

fn words<Number>(numbers: Vec<Number>, bytes: impl Fn(Number) -> [u8; 4]) -> Words {
    Cow::Owned(numbers.into_iter().map(bytes).collect())
}

fn floats(view: &TensorView<'_>, name: &str, file: &ModelFile) -> Result<Vec<f32>, EmbedError> {
    let data = view.data();
    let values: Vec<f32> = match view.dtype() {
        Dtype::F32 => data
            .as_chunks()
            .0
            .iter()
            .map(|&bytes| f32::from_le_bytes(bytes))
            .collect(),
        Dtype::F64 => data
            .as_chunks()
            .0
            .iter()
            .map(|&bytes| f64::from_le_bytes(bytes) as f32)
            .collect(),
        Dtype::F16 => data
            .as_chunks()
            .0
            .iter()
            .map(|&bytes| half(u16::from_le_bytes(bytes)))
            .collect(),
        Dtype::BF16 => {
            let widen = |&bytes| f32::from_bits(u32::from(u16::from_le_bytes(bytes)) << 16);
            data.as_chunks().0.iter().map(widen).collect()
        }
        other => return Err(file.malformed(format!("`{name}` has the unexpected type {other:?}"))),
    };
    match values.iter().position(|value| !value.is_finite()) {
        Some(place) => Err(file.malformed(format!("`{name}` is not a number at place {place}"))),
        None => Ok(values),
    }
}

/// An IEEE 754 half as f32; exact.
fn half(bits: u16) -> f32 {
    let sign = if bits & 0x8000 == 0 { 1.0 } else { -1.0 };
    let (exponent, fraction) = ((bits >> 10) & 0x1F, f32::from(bits & 0x3FF));
    sign * match exponent {
        0 => fraction * 2.0_f32.powi(-24),
        0x1F if fraction == 0.0 => f32::INFINITY,
        0x1F => f32::NAN,
        _ => (1024.0 + fraction) * 2.0_f32.powi(i32::from(exponent) - 25),
    }
}

fn row_numbers(
    view: &TensorView<'_>,
    rows: usize,
    file: &ModelFile,
) -> Result<Vec<u32>, EmbedError> {
    let data = view.data();
    let numbers: Vec<i64> = match view.dtype() {
        Dtype::I64 => data
            .as_chunks()
            .0
            .iter()
            .map(|&bytes| i64::from_le_bytes(bytes))
            .collect(),
        Dtype::U64 => {
            let clamp = |&bytes| i64::try_from(u64::from_le_bytes(bytes)).unwrap_or(i64::MAX);
            data.as_chunks().0.iter().map(clamp).collect()
        }
        Dtype::I32 => data
            .as_chunks()
            .0
            .iter()
            .map(|&bytes| i32::from_le_bytes(bytes).into())
            .collect(),
        Dtype::U32 => data
            .as_chunks()
            .0
            .iter()
            .map(|&bytes| u32::from_le_bytes(bytes).into())
            .collect(),
        Dtype::U16 => data
            .as_chunks()
            .0
            .iter()
            .map(|&bytes| u16::from_le_bytes(bytes).into())
            .collect(),
        other => return Err(file.malformed(format!("`mapping` has the unexpected type {other:?}"))),
    };
    let in_range = |number| {
        u32::try_from(number)
            .ok()
            .filter(|&row| (row as usize) < rows)
    };
    let rows: Option<Vec<u32>> = numbers.into_iter().map(in_range).collect();
    rows.ok_or_else(|| file.malformed("`mapping` points past the last row"))
}

#[cfg(test)]
mod tests {
    use super::half;

    #[test]
    fn halves_are_read_exactly() {
        for (bits, expected) in [
            (0x0000, 0.0),
            (0x3C00, 1.0),
            (0xC000, -2.0),
            (0x7BFF, 65504.0),
            (0x0001, 5.960_464_5e-8),
            (0x03FF, 6.097_555e-5),
            (0x0400, 6.103_515_6e-5),
            (0x3555, 0.333_251_95),
        ] {
            assert_eq!(half(bits).to_bits(), f32::to_bits(expected), "{bits:04x}");
        }
        assert!(half(0x7C00).is_infinite());
        assert!(half(0x7E00).is_nan());
    }
}
