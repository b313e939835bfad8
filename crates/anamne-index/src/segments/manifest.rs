//! The manifest: the contents of a folder as of an event.

use anamne_types::Seq;
use roaring::RoaringBitmap;
use xxhash_rust::xxh3::xxh3_64;

use super::bytes::{ByteReader, ByteWriter};

const MAGIC: u64 = u64::from_le_bytes(*b"ANAMNMAN");
/// Manifest format version; another version requires a rebuild.
const VERSION: u32 = 1;

/// The number and range of a segment's rows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct RowSpan {
    /// Number of rows, including dead ones.
    pub(crate) count: u32,
    /// The lowest row.
    pub(crate) first: u32,
    /// The highest row.
    pub(crate) last: u32,
}

/// A segment file as listed in the manifest.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct SegmentEntry {
    /// The number in its file name; never reused.
    pub(crate) number: u64,
    /// File length in bytes.
    pub(crate) length: u64,
    /// Checksum of its header, which covers all other checksums.
    pub(crate) checksum: u64,
    /// Its rows.
    pub(crate) rows: RowSpan,
}

/// The contents of the `manifest` file.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Manifest {
    /// The view that wrote it and everything that its segments depend on; a change requires a rebuild.
    pub(crate) parameters: String,
    /// The event up to which the segments cover the log.
    pub(crate) watermark: Seq,
    /// The layout's statistics over all live rows.
    pub(crate) summary: Vec<u8>,
    /// The segments, oldest first, each with its dead rows.
    pub(crate) segments: Vec<(SegmentEntry, RoaringBitmap)>,
}

impl Manifest {
    /// Encodes the file; the last eight bytes are the checksum of all preceding ones.
    pub(crate) fn encode(&self) -> Vec<u8> {
        let mut writer = ByteWriter::default();
        writer.u64(MAGIC);
        writer.u32(VERSION);
        writer.block(self.parameters.as_bytes());
        writer.u64(self.watermark.0);
        writer.block(&self.summary);
        writer.u64(self.segments.len() as u64);
        for (entry, dead) in &self.segments {
            writer.u64(entry.number);
            writer.u64(entry.length);
            writer.u64(entry.checksum);
            writer.u32(entry.rows.count);
            writer.u32(entry.rows.first);
            writer.u32(entry.rows.last);
            let mut bytes = Vec::with_capacity(dead.serialized_size());
            dead.serialize_into(&mut bytes)
                .expect("writing to memory does not fail");
            writer.block(&bytes);
        }
        let checksum = xxh3_64(writer.written());
        writer.u64(checksum);
        writer.finish()
    }

    /// Decodes the file; the error is a reason for the user.
    pub(crate) fn decode(bytes: &[u8]) -> Result<Self, &'static str> {
        let (content, checksum) = bytes.split_last_chunk().ok_or("it is too short")?;
        if xxh3_64(content) != u64::from_le_bytes(*checksum) {
            return Err("checksum mismatch");
        }
        let mut reader = ByteReader::new(content);
        if reader.u64() != Some(MAGIC) || reader.u32() != Some(VERSION) {
            return Err("unknown format");
        }
        Self::fields(&mut reader).ok_or("inconsistent fields")
    }

    fn fields(reader: &mut ByteReader<'_>) -> Option<Self> {
        let parameters = String::from_utf8(reader.block()?.to_vec()).ok()?;
        let (watermark, summary) = (Seq(reader.u64()?), reader.block()?.to_vec());
        let segments = (0..reader.u64()?)
            .map(|_| Self::segment(reader))
            .collect::<Option<Vec<_>>>()?;
        reader.end()?;
        Some(Self {
            parameters,
            watermark,
            summary,
            segments,
        })
    }

    fn segment(reader: &mut ByteReader<'_>) -> Option<(SegmentEntry, RoaringBitmap)> {
        let entry = SegmentEntry {
            number: reader.u64()?,
            length: reader.u64()?,
            checksum: reader.u64()?,
            rows: RowSpan {
                count: reader.u32()?,
                first: reader.u32()?,
                last: reader.u32()?,
            },
        };
        Some((
            entry,
            RoaringBitmap::deserialize_from(reader.block()?).ok()?,
        ))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn manifest() -> Manifest {
        let rows = RowSpan {
            count: 9,
            first: 3,
            last: 80,
        };
        let entry = SegmentEntry {
            number: 4,
            length: 1_024,
            checksum: 77,
            rows,
        };
        let dead = RoaringBitmap::from_iter([3, 70_000]);
        Manifest {
            parameters: "view 1".into(),
            watermark: Seq(12),
            summary: vec![1, 2],
            segments: vec![(entry.clone(), dead), (entry, RoaringBitmap::new())],
        }
    }

    #[test]
    fn comes_back_as_it_was_written() {
        assert_eq!(Manifest::decode(&manifest().encode()), Ok(manifest()));
        assert_eq!(
            Manifest::decode(&Manifest::default().encode()),
            Ok(Manifest::default())
        );
    }

    #[test]
    fn every_changed_or_missing_byte_is_noticed() {
        let bytes = manifest().encode();
        for at in 0..bytes.len() {
            let mut changed = bytes.clone();
            changed[at] ^= 1 << (at % 8);
            assert!(
                Manifest::decode(&changed).is_err(),
                "byte {at} changed unnoticed"
            );
            assert!(
                Manifest::decode(&bytes[..at]).is_err(),
                "cut at {at} unnoticed"
            );
        }
    }
}
