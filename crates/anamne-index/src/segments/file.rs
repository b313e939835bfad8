//! A segment file: header, sections and checksums.
//!
//! ```text
//! 0        header, 512 bytes: magic, version, kind, counts, table of sections, checksum of the header
//! 512      body: sections, each aligned to 64 bytes, zero-padded
//! 512+b    table: xxh3 of each 64 KiB block of the body
//! ```
//!
//! Header and table are verified when the file is opened, a block on first access: opening costs the same for a
//! thousand rows and for a million.

use std::ops::Range;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering::Relaxed};
use std::sync::{Arc, OnceLock};

use anamne_store::view::ViewError;
use xxhash_rust::xxh3::xxh3_64;

use crate::held::WatchedFile;

use super::bytes::{ByteReader, ByteWriter};
use super::manifest::SegmentEntry;
use super::map::{Mapping, Plain, as_numbers};

/// Length of the header in bytes.
pub(super) const HEADER: usize = 512;
/// Bytes per checksum.
pub(super) const BLOCK: usize = 65_536;
/// Maximum sections.
pub(super) const SECTIONS: usize = 8;
/// Alignment of sections.
pub(super) const ALIGNMENT: usize = 64;
const MAGIC: u64 = u64::from_le_bytes(*b"ANAMNSEG");
const VERSION: u32 = 1;

/// The first damage found in a published set of files.
pub(crate) type Damage = OnceLock<String>;

/// The header of a segment file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Header {
    pub(super) kind: u32,
    pub(super) body: u64,
    pub(super) table_checksum: u64,
    /// Offset in the body and length, in bytes.
    pub(super) sections: [(u64, u64); SECTIONS],
}

impl Header {
    /// Encodes the header; returns it with its checksum.
    pub(super) fn encode(&self) -> (Vec<u8>, u64) {
        let mut writer = ByteWriter::default();
        writer.u64(MAGIC);
        writer.u32(VERSION);
        writer.u32(self.kind);
        writer.u64(self.body);
        writer.u64(self.table_checksum);
        for (start, length) in self.sections {
            writer.u64(start);
            writer.u64(length);
        }
        let mut bytes = writer.finish();
        bytes.resize(HEADER - 8, 0);
        let checksum = xxh3_64(&bytes);
        bytes.extend_from_slice(&checksum.to_le_bytes());
        (bytes, checksum)
    }

    fn decode(bytes: &[u8]) -> Option<Self> {
        let mut reader = ByteReader::new(bytes);
        if reader.u64()? != MAGIC || reader.u32()? != VERSION {
            return None;
        }
        let (kind, body, table_checksum) = (reader.u32()?, reader.u64()?, reader.u64()?);
        let mut sections = [(0, 0); SECTIONS];
        for section in &mut sections {
            *section = (reader.u64()?, reader.u64()?);
        }
        Some(Self {
            kind,
            body,
            table_checksum,
            sections,
        })
    }

    /// The file length that the header implies.
    pub(super) fn file_length(&self) -> Option<u64> {
        let table = self.body.div_ceil(BLOCK as u64).checked_mul(8)?;
        self.body.checked_add(table)?.checked_add(HEADER as u64)
    }
}

/// An open segment file.
pub(crate) struct SegmentFile {
    path: PathBuf,
    held: WatchedFile,
    mapping: Mapping,
    header: Header,
    /// Whether a section has been verified completely.
    whole: [AtomicBool; SECTIONS],
    /// A bit per verified block.
    compared: Box<[AtomicU64]>,
    damage: Arc<Damage>,
}

impl SegmentFile {
    /// Maps the file that `entry` describes; O(1) except for the table of checksums.
    ///
    /// Damage found later, on first access to a block, is also recorded in `damage`.
    pub(super) fn open(
        path: PathBuf,
        kind: u32,
        entry: &SegmentEntry,
        damage: Arc<Damage>,
    ) -> Result<Self, ViewError> {
        let held = WatchedFile::open(&path)?;
        let length = held.length();
        if length != entry.length || length < HEADER as u64 {
            return Err(ViewError::damaged(
                &path,
                format!("{length} bytes instead of {}", entry.length),
            ));
        }
        let mapping = Mapping::new(held.file(), &path)?;
        let header = check_header(&mapping, &path, kind, entry)?;
        let blocks = header.body.div_ceil(BLOCK as u64) as usize;
        let compared = (0..blocks.div_ceil(64))
            .map(|_| AtomicU64::new(0))
            .collect();
        Ok(Self {
            path,
            held,
            mapping,
            header,
            whole: Default::default(),
            compared,
            damage,
        })
    }

    /// Whether the file is unmodified; if not, records damage.
    pub(super) fn is_unmodified(&self) -> bool {
        let untouched = self.held.is_unmodified();
        if !untouched {
            self.damaged("modified while open");
        }
        untouched
    }

    /// Number of elements in a section.
    pub(crate) fn count<T: Plain>(&self, section: usize) -> usize {
        self.header.sections[section].1 as usize / size_of::<T>()
    }

    /// A whole section.
    pub(crate) fn section<T: Plain>(&self, section: usize) -> Result<&[T], ViewError> {
        let (start, length) = self.header.sections[section];
        let range = start as usize..(start + length) as usize;
        if !self.whole[section].load(Relaxed) {
            self.compare(&range)?;
            self.whole[section].store(true, Relaxed);
        }
        self.numbers(range)
    }

    /// The elements `range` of a section.
    #[inline]
    pub(crate) fn part<T: Plain>(
        &self,
        section: usize,
        range: Range<usize>,
    ) -> Result<&[T], ViewError> {
        let (start, length) = self.header.sections[section];
        let bytes = start as usize + range.start * size_of::<T>()
            ..start as usize + range.end * size_of::<T>();
        if range.start > range.end || bytes.end > (start + length) as usize {
            return Err(self.damaged("an offset is out of its section"));
        }
        if !self.whole[section].load(Relaxed) {
            self.compare(&bytes)?;
        }
        self.numbers(bytes)
    }

    /// Verifies everything again.
    pub(super) fn verify(&self, entry: &SegmentEntry) -> Result<(), ViewError> {
        // A truncated file must not be read through the mapping.
        let length = self
            .path
            .metadata()
            .map_err(|error| ViewError::io("read", &self.path, error))?
            .len();
        if length != entry.length {
            return Err(self.damaged("its length changed"));
        }
        check_header(&self.mapping, &self.path, self.header.kind, entry)?;
        (0..self.header.body.div_ceil(BLOCK as u64) as usize)
            .try_for_each(|block| self.compare_block(block))
    }

    fn numbers<T: Plain>(&self, range: Range<usize>) -> Result<&[T], ViewError> {
        as_numbers(&self.body()[range]).ok_or_else(|| self.damaged("a section is not aligned"))
    }

    fn body(&self) -> &[u8] {
        &self.mapping.bytes()[HEADER..HEADER + self.header.body as usize]
    }

    /// Verifies the blocks of the body under `range` that are not yet verified.
    #[inline]
    fn compare(&self, range: &Range<usize>) -> Result<(), ViewError> {
        let block = range.start / BLOCK;
        let within_one = range.end <= (block + 1) * BLOCK;
        if range.is_empty()
            || within_one && self.compared[block / 64].load(Relaxed) >> (block % 64) & 1 == 1
        {
            return Ok(());
        }
        self.compare_blocks(range)
    }

    #[cold]
    fn compare_blocks(&self, range: &Range<usize>) -> Result<(), ViewError> {
        for block in range.start / BLOCK..=(range.end - 1) / BLOCK {
            let (word, bit) = (&self.compared[block / 64], 1 << (block % 64));
            // The bytes never change, so the flag needs no ordering: at worst two threads verify the same block.
            if word.load(Relaxed) & bit == 0 {
                self.compare_block(block)?;
                word.fetch_or(bit, Relaxed);
            }
        }
        Ok(())
    }

    fn compare_block(&self, block: usize) -> Result<(), ViewError> {
        let body = self.body();
        let bytes = &body[block * BLOCK..body.len().min((block + 1) * BLOCK)];
        let at = HEADER + body.len() + block * 8;
        if xxh3_64(bytes).to_le_bytes() == self.mapping.bytes()[at..at + 8] {
            return Ok(());
        }
        Err(self.damaged(&format!("block {block} does not match its checksum")))
    }

    /// Records damage for all readers of this published part, and returns it as an error.
    pub(crate) fn damaged(&self, reason: &str) -> ViewError {
        let error = ViewError::damaged(&self.path, reason);
        self.damage.get_or_init(|| error.to_string());
        error
    }
}

/// Verifies the header and the table of checksums, and that the header describes a file of this length.
fn check_header(
    mapping: &Mapping,
    path: &Path,
    kind: u32,
    entry: &SegmentEntry,
) -> Result<Header, ViewError> {
    let bytes = mapping.bytes();
    let damaged = |reason: &str| ViewError::damaged(path, reason);
    let checksum = xxh3_64(&bytes[..HEADER - 8]);
    if checksum.to_le_bytes() != bytes[HEADER - 8..HEADER] || checksum != entry.checksum {
        return Err(damaged("header mismatch with the manifest"));
    }
    let header =
        Header::decode(&bytes[..HEADER - 8]).ok_or_else(|| damaged("unknown header format"))?;
    let within = |&(start, length): &(u64, u64)| {
        start
            .checked_add(length)
            .is_some_and(|end| end <= header.body)
    };
    if header.kind != kind
        || header.file_length() != Some(entry.length)
        || !header.sections.iter().all(within)
    {
        return Err(damaged("header mismatch with the file"));
    }
    if xxh3_64(&bytes[HEADER + header.body as usize..]) != header.table_checksum {
        return Err(damaged("checksum mismatch in the checksum table"));
    }
    Ok(header)
}
