//! Long texts are stored compressed: TEXT is the text itself, BLOB is a zstd frame of it.

use std::borrow::Cow;
use std::cell::RefCell;

use rusqlite::types::{FromSql, FromSqlError, FromSqlResult, ToSql, ToSqlOutput, ValueRef};

/// Shorter texts are stored uncompressed: compression would not pay off.
const SHORTEST: usize = 256;

/// Maximum decompressed size: the largest content and body with room for JSON escapes.
const LARGEST: usize = 16 << 20;

thread_local! {
    /// Creating a compressor costs more than compressing most texts.
    static COMPRESSOR: RefCell<Option<zstd::bulk::Compressor<'static>>> = const { RefCell::new(None) };
    static DECOMPRESSOR: RefCell<Option<zstd::bulk::Decompressor<'static>>> = const { RefCell::new(None) };
}

/// Decompresses a zstd frame.
fn unpack(frame: &[u8]) -> std::io::Result<Vec<u8>> {
    DECOMPRESSOR.with_borrow_mut(|decompressor| match decompressor {
        Some(decompressor) => decompressor.decompress(frame, LARGEST),
        empty => empty
            .insert(zstd::bulk::Decompressor::new()?)
            .decompress(frame, LARGEST),
    })
}

/// Compresses a text; `None` if zstd fails, so that the text is stored uncompressed.
fn pack(text: &[u8]) -> Option<Vec<u8>> {
    COMPRESSOR.with_borrow_mut(|compressor| {
        if compressor.is_none() {
            *compressor = zstd::bulk::Compressor::new(1).ok();
        }
        compressor.as_mut()?.compress(text).ok()
    })
}

/// A text that is compressed in its column if long enough.
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
