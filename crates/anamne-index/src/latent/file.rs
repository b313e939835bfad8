//! The file format: little-endian fields, then a checksum over all of them.
//!
//! ```text
//! magic     8 bytes   "ANLATENT"
//! format    u32       1
//! vocabulary          length as u64, then its name
//! through   u64       the event as of which it was computed
//! tokens    u64       count; then per token: token u32, unit f32, 24 coordinates i8
//! stretches u64       count; then per stretch: key u64, 24 coordinates i8
//! checksum  u64       xxh3 of all preceding bytes
//! ```

use anamne_types::Seq;
use xxhash_rust::xxh3::xxh3_64;

use super::{DIMENSIONS, LatentCoordinates, LatentIndex, Tokens};
use crate::segments::{ByteReader, ByteWriter};

const MAGIC: &[u8] = b"ANLATENT";
const FORMAT: u32 = 1;

impl LatentIndex {
    /// Encodes the index.
    pub fn encode(&self) -> Vec<u8> {
        let mut writer = ByteWriter::default();
        writer.raw(MAGIC);
        writer.u32(FORMAT);
        writer.block(self.vocabulary.as_bytes());
        writer.u64(self.through.0);
        writer.u64(self.tokens.directions.len() as u64);
        for (token, slot) in self.tokens.numbered() {
            writer.u32(u32::from(token));
            writer.u32(self.tokens.units[slot].to_bits());
            writer.raw(&self.tokens.directions[slot].map(i8::cast_unsigned));
        }
        writer.u64(self.stretches.len() as u64);
        for (key, place) in self.stretches.iter().zip(&self.places) {
            writer.u64(*key);
            writer.raw(&place.map(i8::cast_unsigned));
        }
        let checksum = xxh3_64(writer.written());
        writer.u64(checksum);
        writer.finish()
    }

    /// Decodes a file; `None` if it is damaged, or has another format or vocabulary, and must be recomputed.
    pub fn decode(bytes: &[u8], vocabulary: &str) -> Option<Self> {
        let (content, checksum) = bytes.split_last_chunk()?;
        if xxh3_64(content) != u64::from_le_bytes(*checksum) {
            return None;
        }
        let mut reader = ByteReader::new(content);
        if reader.raw(MAGIC.len())? != MAGIC
            || reader.u32()? != FORMAT
            || reader.block()? != vocabulary.as_bytes()
        {
            return None;
        }
        let through = Seq(reader.u64()?);
        let mut tokens = Tokens::default();
        for _ in 0..reader.u64()? {
            let token = u16::try_from(reader.u32()?).ok()?;
            let unit = f32::from_bits(reader.u32()?);
            tokens.push(token, place(&mut reader)?, unit);
        }
        let (mut stretches, mut places) = (Vec::new(), Vec::new());
        for _ in 0..reader.u64()? {
            stretches.push(reader.u64()?);
            places.push(place(&mut reader)?);
        }
        reader.end()?;
        Some(Self {
            vocabulary: vocabulary.to_owned(),
            through,
            tokens,
            stretches,
            places,
        })
    }
}

fn place(reader: &mut ByteReader<'_>) -> Option<LatentCoordinates> {
    let bytes: [u8; DIMENSIONS] = reader.raw(DIMENSIONS)?.try_into().ok()?;
    Some(bytes.map(u8::cast_signed))
}
