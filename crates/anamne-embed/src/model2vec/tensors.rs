//! `model.safetensors`: rows, and if present, weights and a mapping.

use std::borrow::Cow;

use safetensors::tensor::TensorView;
use safetensors::{Dtype, SafeTensorError, SafeTensors};

use crate::EmbedError;
use crate::half::from_half;
use crate::model_file::ModelFile;
use crate::token_rows::{TokenRows, Words};

/// Maximum value of a row times its weight: a sum of 2^24 of them is still a finite f32.
const LARGEST_VALUE: f32 = 1e31;

/// The rows as stored, not yet checked against a tokenizer.
pub(super) struct StoredRows {
    count: usize,
    rows: TokenRows,
    weights: Option<Words>,
    mapping: Option<Words>,
}

impl StoredRows {
    /// Reads and checks the tensors.
    pub(super) fn read(file: &ModelFile) -> Result<Self, EmbedError> {
        let tensors = SafeTensors::deserialize(file.bytes())
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

    /// The rows for a tokenizer with `tokens` tokens, if the counts match.
    pub(super) fn for_tokens(
        self,
        tokens: usize,
        file: &ModelFile,
    ) -> Result<TokenRows, EmbedError> {
        let length = |words: &Option<Words>, otherwise| {
            words.as_ref().map_or(otherwise, |words| words.len())
        };
        let mapped = length(&self.mapping, self.count);
        let weighted = length(&self.weights, tokens);
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

/// The little-endian numbers of a tensor, converted from their bytes.
fn numbers<const BYTES: usize, T>(
    view: &TensorView<'_>,
    read: impl Fn([u8; BYTES]) -> T,
) -> Vec<T> {
    let (numbers, _) = view.data().as_chunks();
    numbers.iter().map(|&bytes| read(bytes)).collect()
}

fn floats(view: &TensorView<'_>, name: &str, file: &ModelFile) -> Result<Vec<f32>, EmbedError> {
    let values: Vec<f32> = match view.dtype() {
        Dtype::F32 => numbers(view, f32::from_le_bytes),
        Dtype::F64 => numbers(view, |bytes| f64::from_le_bytes(bytes) as f32),
        Dtype::F16 => numbers(view, |bytes| from_half(u16::from_le_bytes(bytes))),
        Dtype::BF16 => numbers(view, |bytes| {
            f32::from_bits(u32::from(u16::from_le_bytes(bytes)) << 16)
        }),
        other => return Err(file.malformed(format!("`{name}` has the unexpected type {other:?}"))),
    };
    match values.iter().position(|value| !value.is_finite()) {
        Some(place) => Err(file.malformed(format!("`{name}` is not a number at place {place}"))),
        None => Ok(values),
    }
}

fn row_numbers(
    view: &TensorView<'_>,
    rows: usize,
    file: &ModelFile,
) -> Result<Vec<u32>, EmbedError> {
    let numbers: Vec<i64> = match view.dtype() {
        Dtype::I64 => numbers(view, i64::from_le_bytes),
        Dtype::U64 => numbers(view, |bytes| {
            i64::try_from(u64::from_le_bytes(bytes)).unwrap_or(i64::MAX)
        }),
        Dtype::I32 => numbers(view, |bytes| i32::from_le_bytes(bytes).into()),
        Dtype::U32 => numbers(view, |bytes| u32::from_le_bytes(bytes).into()),
        Dtype::U16 => numbers(view, |bytes| u16::from_le_bytes(bytes).into()),
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
