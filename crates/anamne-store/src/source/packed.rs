//! Long texts are stored compressed: TEXT is the text itself, BLOB is a zstd frame of it.

use std::borrow::Cow;
use std::cell::RefCell;

use rusqlite::types::{FromSql, FromSqlError, FromSqlResult, ToSql, ToSqlOutput, ValueRef};

/// Texts shorter than this stay as they are: compression would not pay for its work.
const SHORTEST: usize = 256;

/// What a frame may unpack to: the largest content and body with room for JSON escapes.
const LARGEST: usize = 16 << 20;

thread_local! {
    /// Making a compressor costs more than most texts take to compress.
    static COMPRESSOR: RefCell<Option<zstd::bulk::Compressor<'static>>> = const { RefCell::new(None) };
    static DECOMPRESSOR: RefCell<Option<zstd::bulk::Decompressor<'static>>> = const { RefCell::new(None) };
}

/// The text of a zstd frame, as bytes.
fn unpack(frame: &[u8]) -> std::io::Result<Vec<u8>> {
    DECOMPRESSOR.with_borrow_mut(|decompressor| match decompressor {
        Some(decompressor) => decompressor.decompress(frame, LARGEST),
        empty => empty
            .insert(zstd::bulk::Decompressor::new()?)
            .decompress(frame, LARGEST),
    })
}

/// The text as a zstd frame; `None` where the library can't, so that it is stored as it is.
fn pack(text: &[u8]) -> Option<Vec<u8>> {
    COMPRESSOR.with_borrow_mut(|compressor| {
        if compressor.is_none() {
            *compressor = zstd::bulk::Compressor::new(1).ok();
        }
        compressor.as_mut()?.compress(text).ok()
    })
}

/// A text on its way into or out of a column.
#[derive(Debug)]
pub(crate) struct Packed<'text>(pub(crate) Cow<'text, str>);

impl<'text> From<&'text str> for Packed<'text> {
    fn from(text: &'text str) -> Self {
        Self(Cow::Borrowed(text))
    }
}

impl ToSql for Packed<'_> {
    fn to_sql(&self) -> rusqlite::Result<ToSqlOutput<'_>> {
        if self.0.len() >= SHORTEST
            && let Some(frame) = pack(self.0.as_bytes())
            && frame.len() < self.0.len() * 9 / 10
        {
            return Ok(ToSqlOutput::from(frame));
        }
        Ok(ToSqlOutput::from(self.0.as_ref()))
    }
}

impl FromSql for Packed<'static> {
    fn column_result(value: ValueRef<'_>) -> FromSqlResult<Self> {
        match value {
            ValueRef::Text(text) => {
                let text = std::str::from_utf8(text).map_err(FromSqlError::other)?;
                Ok(Self(Cow::Owned(text.to_owned())))
            }
            ValueRef::Blob(frame) => {
                let bytes = unpack(frame).map_err(FromSqlError::other)?;
                Ok(Self(Cow::Owned(
                    String::from_utf8(bytes).map_err(FromSqlError::other)?,
                )))
            }
            _ => Err(FromSqlError::InvalidType),
        }
    }
}
