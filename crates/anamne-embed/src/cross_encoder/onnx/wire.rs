//! The fields of a Protocol Buffers message, read without copying.
//!
//! Every length is compared with the message that contains it, so nothing is allocated for a length that a damaged or
//! hostile file only claims.

use std::cell::Cell;

/// Maximum fields and packed numbers of a file. The graphs of large encoders have some 100 000.
const MOST_FIELDS: usize = 4 << 20;

/// Counts what is read of one file, so that a small file can't become a large structure.
#[derive(Default)]
pub(super) struct Budget(Cell<usize>);

impl Budget {
    /// Counts `fields` more.
    pub(super) fn spend(&self, fields: usize) -> Result<(), String> {
        let spent = self.0.get().saturating_add(fields);
        self.0.set(spent);
        if spent > MOST_FIELDS {
            return Err(format!("it has more than {MOST_FIELDS} fields"));
        }
        Ok(())
    }
}

/// The value of a field; floats are only counted.
#[derive(Clone, Copy)]
pub(super) enum FieldValue<'file> {
    Number(u64),
    /// Text, bytes, packed numbers or a message.
    Bytes(&'file [u8]),
    Fixed32,
    Fixed64,
}

/// The rest of a message.
pub(super) struct Message<'file, 'budget> {
    rest: &'file [u8],
    pub(super) budget: &'budget Budget,
}

impl<'file, 'budget> Message<'file, 'budget> {
    pub(super) fn new(bytes: &'file [u8], budget: &'budget Budget) -> Self {
        Self {
            rest: bytes,
            budget,
        }
    }

    /// The next field: its number and value.
    pub(super) fn next(&mut self) -> Result<Option<(u64, FieldValue<'file>)>, String> {
        if self.rest.is_empty() {
            return Ok(None);
        }
        self.budget.spend(1)?;
        let tag = number(&mut self.rest)?;
        let value = match tag & 7 {
            0 => FieldValue::Number(number(&mut self.rest)?),
            1 => {
                self.take(8)?;
                FieldValue::Fixed64
            }
            2 => {
                let length = number(&mut self.rest)?;
                let length = usize::try_from(length).map_err(|_| ends_early())?;
                FieldValue::Bytes(self.take(length)?)
            }
            5 => {
                self.take(4)?;
                FieldValue::Fixed32
            }
            _ => return Err("it is not an ONNX file, or a damaged one".to_owned()),
        };
        Ok(Some((tag >> 3, value)))
    }

    fn take(&mut self, length: usize) -> Result<&'file [u8], String> {
        let (taken, rest) = self.rest.split_at_checked(length).ok_or_else(ends_early)?;
        self.rest = rest;
        Ok(taken)
    }
}

impl<'file> FieldValue<'file> {
    /// The content of a message, of bytes or of packed numbers.
    pub(super) fn bytes(self) -> Result<&'file [u8], String> {
        match self {
            Self::Bytes(bytes) => Ok(bytes),
            _ => Err(wrong_type()),
        }
    }

    pub(super) fn text(self) -> Result<&'file str, String> {
        str::from_utf8(self.bytes()?).map_err(|_| "a name in it is not UTF-8".to_owned())
    }

    /// A signed integer.
    pub(super) fn integer(self) -> Result<i64, String> {
        match self {
            Self::Number(number) => Ok(number as i64),
            _ => Err(wrong_type()),
        }
    }

    /// Passes one integer, or packed ones, to `each`.
    pub(super) fn integers(self, budget: &Budget, mut each: impl FnMut(i64)) -> Result<(), String> {
        let Self::Bytes(mut rest) = self else {
            each(self.integer()?);
            return Ok(());
        };
        while !rest.is_empty() {
            budget.spend(1)?;
            each(number(&mut rest)? as i64);
        }
        Ok(())
    }

    /// The number of values in a field of numbers with a fixed width in bytes, packed or not.
    pub(super) fn count(self, width: usize, budget: &Budget) -> Result<usize, String> {
        let count = match self {
            Self::Bytes(bytes) if bytes.len().is_multiple_of(width) => bytes.len() / width,
            Self::Fixed32 if width == 4 => 1,
            Self::Fixed64 if width == 8 => 1,
            _ => return Err(wrong_type()),
        };
        budget.spend(count)?;
        Ok(count)
    }
}

/// The next number of variable length: seven bits per byte, the lowest first, at most 64 bits.
fn number(rest: &mut &[u8]) -> Result<u64, String> {
    let mut number = 0;
    for (place, byte) in rest.iter().take(10).enumerate() {
        if place == 9 && *byte > 1 {
            break;
        }
        number |= u64::from(byte & 0x7F) << (7 * place);
        if byte & 0x80 == 0 {
            *rest = &rest[place + 1..];
            return Ok(number);
        }
    }
    Err(ends_early())
}

fn ends_early() -> String {
    "it ends in the middle of a field; it is truncated, damaged, or not an ONNX file".to_owned()
}

fn wrong_type() -> String {
    "a field in it has the wrong type".to_owned()
}
