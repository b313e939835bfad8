//! Reads commits of a repository, loose or packed.
//!
//! The formats are documented in git's gitformat-pack and gitformat-loose pages. Anything malformed, or larger than a
//! commit needs to be, is treated as missing.

use std::fmt;
use std::fs::File;
use std::io::{Read, Seek, SeekFrom};
use std::path::{Path, PathBuf};

use miniz_oxide::inflate::decompress_to_vec_zlib_with_limit;

use crate::bounded::{open_regular, read_regular};
use crate::files::entries;
use crate::hexadecimal;

/// Maximum size of a commit.
const LARGEST_COMMIT: usize = 1 << 20;

/// Maximum total unpacked size of the commits of one walk.
const LARGEST_WALK: usize = 128 << 20;

/// Maximum length of a delta chain.
const LONGEST_CHAIN: usize = 512;

/// Maximum number of packs searched.
const MOST_PACKS: usize = 512;

/// A commit id: 20 bytes, or 32 in SHA-256 repositories.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) struct Id {
    bytes: [u8; 32],
    length: usize,
}

impl Id {
    pub(super) fn parse(text: &str) -> Option<Self> {
        let length = match text.len() {
            40 => 20,
            64 => 32,
            _ => return None,
        };
        let mut bytes = [0; 32];
        hexadecimal::read(text.as_bytes(), &mut bytes[..length])?;
        Some(Self { bytes, length })
    }

    fn of(taken: &[u8]) -> Option<Self> {
        let mut bytes = [0; 32];
        bytes.get_mut(..taken.len())?.copy_from_slice(taken);
        Some(Self {
            bytes,
            length: taken.len(),
        })
    }

    pub(super) fn length(&self) -> usize {
        self.length
    }

    fn bytes(&self) -> &[u8] {
        &self.bytes[..self.length]
    }
}

impl fmt::Display for Id {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(&hexadecimal::digits(self.bytes()))
    }
}

/// The object database.
pub(super) struct Objects {
    folder: PathBuf,
    packs: Vec<Pack>,
    /// Remaining budget of unpacked bytes.
    left: usize,
}

impl Objects {
    /// The objects of a repository with ids of this length in bytes.
    pub(super) fn of(store: &Path, id_length: usize) -> Self {
        let folder = store.join("objects");
        let found = entries(&folder.join("pack")).unwrap_or_default();
        let packs = found
            .into_iter()
            .filter(|path| path.extension().is_some_and(|ending| ending == "idx"))
            .take(MOST_PACKS)
            .filter_map(|path| Pack::open(&path, id_length))
            .collect();
        Self {
            folder,
            packs,
            left: LARGEST_WALK,
        }
    }

    /// The content of a commit.
    pub(super) fn commit(&mut self, id: &Id) -> Option<Vec<u8>> {
        let found = self.packs.iter_mut().enumerate().find_map(|(at, pack)| {
            let offset = pack.find(id)?;
            Some((at, offset))
        });
        if let Some((at, offset)) = found {
            // Consecutive commits are mostly in the same pack.
            self.packs.swap(0, at);
            return self.packs.first_mut()?.commit(offset, &mut self.left);
        }
        self.loose(id)
    }

    fn loose(&mut self, id: &Id) -> Option<Vec<u8>> {
        let digits = id.to_string();
        let path = self.folder.join(&digits[..2]).join(&digits[2..]);
        let bytes = read_regular(&path, LARGEST_COMMIT as u64).ok()??;
        let object = unpacked(&bytes, LARGEST_COMMIT, &mut self.left)?;
        let end = object.iter().position(|byte| *byte == 0)?;
        object[..end].starts_with(b"commit ").then_some(())?;
        Some(object[end + 1..].to_vec())
    }
}

/// A pack and its index, version 2.
struct Pack {
    index: File,
    content: File,
    content_bytes: u64,
    /// The fan-out table: for each first byte, the number of ids that begin with it or a lower one.
    fan: Vec<u32>,
    id_length: usize,
}

/// Bytes of an index before its ids.
const BEFORE_IDS: u64 = 8 + 4 * 256;

/// A pack entry.
enum Entry {
    Commit(usize),
    OnOffset(u64, usize),
    OnId(Id, usize),
}

impl Pack {
    fn open(path: &Path, id_length: usize) -> Option<Self> {
        let mut index = open_regular(path).ok()??;
        let content = open_regular(&path.with_extension("pack")).ok()??;
        let mut head = [0; BEFORE_IDS as usize];
        index.read_exact(&mut head).ok()?;
        head.starts_with(&[0xff, 0x74, 0x4f, 0x63, 0, 0, 0, 2])
            .then_some(())?;
        let fan: Vec<u32> = head[8..]
            .chunks_exact(4)
            .map(|bytes| u32::from_be_bytes([bytes[0], bytes[1], bytes[2], bytes[3]]))
            .collect();
        fan.is_sorted().then_some(())?;
        Some(Self {
            content_bytes: content.metadata().ok()?.len(),
            index,
            content,
            fan,
            id_length,
        })
    }

    fn read_index(&mut self, at: u64, into: &mut [u8]) -> Option<()> {
        self.index.seek(SeekFrom::Start(at)).ok()?;
        self.index.read_exact(into).ok()
    }

    /// The offset of an object in the pack.
    fn find(&mut self, id: &Id) -> Option<u64> {
        let first = usize::from(*id.bytes().first()?);
        let mut low = first.checked_sub(1).map_or(0, |before| self.fan[before]);
        let mut high = self.fan[first];
        let length = self.id_length as u64;
        let mut found = [0; 32];
        while low < high {
            let middle = low + (high - low) / 2;
            let found = &mut found[..self.id_length];
            self.read_index(BEFORE_IDS + u64::from(middle) * length, found)?;
            match (*found).cmp(id.bytes()) {
                std::cmp::Ordering::Less => low = middle + 1,
                std::cmp::Ordering::Greater => high = middle,
                std::cmp::Ordering::Equal => return self.offset(middle),
            }
        }
        None
    }

    fn offset(&mut self, position: u32) -> Option<u64> {
        let all = u64::from(*self.fan.last()?);
        let offsets = BEFORE_IDS + all * (self.id_length as u64 + 4);
        let mut short = [0; 4];
        self.read_index(offsets + 4 * u64::from(position), &mut short)?;
        let short = u32::from_be_bytes(short);
        if short >> 31 == 0 {
            return Some(u64::from(short));
        }
        let mut long = [0; 8];
        let which = u64::from(short & 0x7fff_ffff);
        self.read_index(offsets + 4 * all + 8 * which, &mut long)?;
        Some(u64::from_be_bytes(long))
    }

    /// The content of the commit at an offset, with all its deltas applied.
    fn commit(&mut self, mut offset: u64, left: &mut usize) -> Option<Vec<u8>> {
        let mut differences: Vec<Vec<u8>> = Vec::new();
        loop {
            let (entry, data) = self.entry(offset)?;
            match entry {
                Entry::Commit(size) => {
                    let base = self.data(data, size, left)?;
                    return differences
                        .iter()
                        .rev()
                        .try_fold(base, |base, difference| applied(&base, difference, left));
                }
                Entry::OnOffset(base, size) => {
                    differences.push(self.data(data, size, left)?);
                    offset = base;
                }
                Entry::OnId(id, size) => {
                    differences.push(self.data(data, size, left)?);
                    offset = self.find(&id)?;
                }
            }
            (differences.len() <= LONGEST_CHAIN).then_some(())?;
        }
    }

    /// The type of the entry at an offset, and the offset of its compressed data.
    fn entry(&mut self, offset: u64) -> Option<(Entry, u64)> {
        let head = self.bytes(offset, 64)?;
        let mut bytes = head.iter().copied().zip(1u64..);
        let (first, mut used) = bytes.next()?;
        let mut size = u64::from(first & 15);
        let (mut more, mut shift) = (first & 128 != 0, 4);
        while more {
            let (byte, at) = bytes.next()?;
            size |= u64::from(byte & 127).checked_shl(shift)?;
            (more, shift, used) = (byte & 128 != 0, shift + 7, at);
        }
        let size = usize::try_from(size)
            .ok()
            .filter(|size| *size <= LARGEST_COMMIT)?;
        let entry = match (first >> 4) & 7 {
            1 => Entry::Commit(size),
            6 => {
                let (byte, at) = bytes.next()?;
                let mut back = u64::from(byte & 127);
                (more, used) = (byte & 128 != 0, at);
                while more {
                    let (byte, at) = bytes.next()?;
                    back = (back + 1).checked_mul(128)? | u64::from(byte & 127);
                    (more, used) = (byte & 128 != 0, at);
                }
                Entry::OnOffset(
                    offset.checked_sub(back).filter(|base| *base < offset)?,
                    size,
                )
            }
            7 => {
                let from = usize::try_from(used).ok()?;
                let id = Id::of(head.get(from..from + self.id_length)?)?;
                used += self.id_length as u64;
                Entry::OnId(id, size)
            }
            _ => return None,
        };
        Some((entry, offset + used))
    }

    fn data(&mut self, at: u64, size: usize, left: &mut usize) -> Option<Vec<u8>> {
        // Incompressible data grows by some bytes per 16 KiB.
        let packed = self.bytes(at, size + size / 512 + 128)?;
        let data = unpacked(&packed, size, left)?;
        (data.len() == size).then_some(data)
    }

    /// This many bytes of the pack, or fewer at its end.
    fn bytes(&mut self, at: u64, most: usize) -> Option<Vec<u8>> {
        let there = self.content_bytes.checked_sub(at)?;
        let length = usize::try_from(there).map_or(most, |there| there.min(most));
        let mut bytes = vec![0; length];
        self.content.seek(SeekFrom::Start(at)).ok()?;
        self.content.read_exact(&mut bytes).ok()?;
        Some(bytes)
    }
}

fn unpacked(packed: &[u8], most: usize, left: &mut usize) -> Option<Vec<u8>> {
    let data = decompress_to_vec_zlib_with_limit(packed, most).ok()?;
    *left = left.checked_sub(data.len())?;
    Some(data)
}

/// Applies a delta to its base.
fn applied(base: &[u8], difference: &[u8], left: &mut usize) -> Option<Vec<u8>> {
    let mut rest = difference.iter().copied();
    let mut length = || {
        let (mut length, mut shift) = (0usize, 0);
        loop {
            let byte = rest.next()?;
            length |= usize::from(byte & 127).checked_shl(shift)?;
            shift += 7;
            if byte & 128 == 0 {
                return Some(length);
            }
        }
    };
    let (from, into) = (length()?, length()?);
    (from == base.len() && into <= LARGEST_COMMIT).then_some(())?;
    *left = left.checked_sub(into)?;
    let mut made = Vec::with_capacity(into);
    while let Some(order) = rest.next() {
        if order & 128 == 0 {
            let taken = usize::from(order);
            (taken > 0).then_some(())?;
            for _ in 0..taken {
                made.push(rest.next()?);
            }
        } else {
            let mut number = |bits: std::ops::Range<u8>| {
                let first = bits.start;
                bits.filter(|bit| order & (1 << bit) != 0)
                    .try_fold(0usize, |sum, bit| {
                        Some(sum | usize::from(rest.next()?) << (8 * (bit - first)))
                    })
            };
            let (start, size) = (number(0..4)?, number(4..7)?);
            let size = if size == 0 { 0x10000 } else { size };
            made.extend_from_slice(base.get(start..start.checked_add(size)?)?);
        }
        (made.len() <= into).then_some(())?;
    }
    (made.len() == into).then_some(made)
}
