//! The constants of a graph: shapes, sizes, and the values of small integer tensors.

use super::wire::{Budget, FieldValue, Message};

/// Maximum elements of an integer tensor whose values are followed: shapes, axes and bounds have fewer.
pub(super) const MOST_VALUES: usize = 64;

/// Maximum dimensions of a tensor.
pub(super) const MOST_DIMENSIONS: usize = 8;

/// What is known of a tensor before the model runs.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Tensor {
    pub(super) shape: Vec<usize>,
    /// The values of a small integer tensor, if they depend only on constants and shapes.
    pub(super) values: Option<Vec<i64>>,
    /// Whether it depends on constants only, so that it is computed when the model is loaded, and kept.
    pub(super) is_constant: bool,
}

impl Tensor {
    pub(super) fn of_shape(shape: Vec<usize>) -> Self {
        Self {
            shape,
            ..Self::default()
        }
    }

    /// A list of integers.
    pub(super) fn list(values: Vec<i64>) -> Self {
        let values: Vec<i64> = values.into_iter().map(clamped).collect();
        Self {
            shape: vec![values.len()],
            values: (values.len() <= MOST_VALUES).then_some(values),
            is_constant: false,
        }
    }

    /// A single integer without dimensions.
    pub(super) fn scalar(value: Option<i64>) -> Self {
        Self {
            shape: Vec::new(),
            values: value.map(|value| vec![clamped(value)]),
            is_constant: false,
        }
    }

    /// The number of elements; an error if it is beyond what can be addressed.
    pub(super) fn elements(&self) -> Result<usize, String> {
        elements(&self.shape)
    }
}

/// The number of elements of a shape.
pub(super) fn elements(shape: &[usize]) -> Result<usize, String> {
    if shape.len() > MOST_DIMENSIONS {
        return Err(format!(
            "a tensor has {} dimensions; at most {MOST_DIMENSIONS} are supported",
            shape.len()
        ));
    }
    let product = shape
        .iter()
        .try_fold(1_usize, |product, size| product.checked_mul(*size));
    product
        .filter(|product| *product <= isize::MAX as usize / 8)
        .ok_or_else(|| format!("a tensor of the shape {shape:?} is too large"))
}

/// A constant in the file, while its fields are read.
#[derive(Default)]
pub(super) struct ConstantFields<'file> {
    pub(super) name: &'file str,
    dimensions: Vec<i64>,
    kind: i64,
    raw: Option<&'file [u8]>,
    /// The number of elements in typed fields, which are used if there are no raw bytes.
    typed: usize,
    /// The first typed integers.
    integers: Vec<i64>,
}

/// The types of elements that can be read, by their numbers in the format, with their bytes in the file.
const KINDS: [(i64, usize); 8] = [
    (FLOAT, 4),
    (UINT8, 1),
    (INT8, 1),
    (INT32, 4),
    (INT64, 8),
    (BOOL, 1),
    (FLOAT16, 2),
    (DOUBLE, 8),
];

const FLOAT: i64 = 1;
const UINT8: i64 = 2;
const INT8: i64 = 3;
const INT32: i64 = 6;
const INT64: i64 = 7;
const BOOL: i64 = 9;
const FLOAT16: i64 = 10;
const DOUBLE: i64 = 11;

impl<'file> ConstantFields<'file> {
    /// Reads the message of a constant.
    pub(super) fn read(bytes: &'file [u8], budget: &Budget) -> Result<Self, String> {
        let mut found = Self::default();
        let mut message = Message::new(bytes, budget);
        while let Some((field, value)) = message.next()? {
            found.take(field, value, budget)?;
        }
        Ok(found)
    }

    fn take(
        &mut self,
        field: u64,
        value: FieldValue<'file>,
        budget: &Budget,
    ) -> Result<(), String> {
        match field {
            1 => self.dimensions.push(value.integer()?),
            2 => self.kind = value.integer()?,
            4 => self.typed += value.count(4, budget)?,
            5 | 7 => value.integers(budget, |integer| {
                self.typed += 1;
                if self.integers.len() < MOST_VALUES {
                    self.integers.push(integer);
                }
            })?,
            8 => self.name = value.text()?,
            9 => self.raw = Some(value.bytes()?),
            10 => self.typed += value.count(8, budget)?,
            13 => return Err(is_elsewhere()),
            14 if value.integer()? != 0 => return Err(is_elsewhere()),
            _ => {}
        }
        Ok(())
    }

    /// The constant, if its data has the size that its shape and type need.
    pub(super) fn tensor(&self) -> Result<Tensor, String> {
        let name = self.name;
        let sizes = self.dimensions.iter().map(|size| usize::try_from(*size));
        let shape: Vec<usize> = sizes
            .collect::<Result<_, _>>()
            .map_err(|_| format!("the constant {name:?} has a negative size"))?;
        let elements = elements(&shape)?;
        let kind = KINDS.iter().find(|(kind, _)| *kind == self.kind);
        let Some((_, width)) = kind else {
            return Err(format!(
                "the constant {name:?} has elements of the type {}, which can't be read",
                self.kind
            ));
        };
        let found = match self.raw {
            Some(raw) if raw.len().is_multiple_of(*width) => raw.len() / width,
            Some(raw) => {
                let bytes = raw.len();
                return Err(format!("the constant {name:?} has {bytes} bytes of data"));
            }
            None => self.typed,
        };
        if found != elements {
            return Err(format!(
                "the constant {name:?} has {found} elements, but its shape {shape:?} needs {elements}"
            ));
        }
        Ok(Tensor {
            values: self.values(elements),
            shape,
            is_constant: true,
        })
    }

    /// The values of a small integer constant.
    fn values(&self, elements: usize) -> Option<Vec<i64>> {
        if elements > MOST_VALUES || ![INT32, INT64, BOOL].contains(&self.kind) {
            return None;
        }
        let values: Vec<i64> = match (self.raw, self.kind) {
            (None, _) => self.integers.clone(),
            (Some(raw), INT64) => {
                let (values, _) = raw.as_chunks();
                let values = values.iter();
                values.map(|value| i64::from_le_bytes(*value)).collect()
            }
            (Some(raw), INT32) => {
                let (values, _) = raw.as_chunks();
                let value = |value: &[u8; 4]| i64::from(i32::from_le_bytes(*value));
                values.iter().map(value).collect()
            }
            (Some(raw), _) => raw.iter().copied().map(i64::from).collect(),
        };
        let is_truth = self.kind == BOOL;
        let stored = |value: i64| {
            if is_truth {
                i64::from(value != 0)
            } else {
                clamped(value)
            }
        };
        Some(values.into_iter().map(stored).collect())
    }
}

/// An integer as the runtime stores it: in 32 bits, the closest one that fits.
pub(super) fn clamped(value: i64) -> i64 {
    value.clamp(i32::MIN.into(), i32::MAX.into())
}

fn is_elsewhere() -> String {
    "its weights are in another file; export the model as one file".to_owned()
}
