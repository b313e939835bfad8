//! Sections: a header, a zstd frame of bounded length, and a digest that covers everything before it.

use std::io::{self, Read, Write};

/// The version of the format.
pub const EXPORT_FORMAT: u32 = 1;

/// The first bytes of a file. The first one begins no UTF-8 text, so no JSON line is taken for an export file.
pub(super) const MAGIC: [u8; 8] = *b"\x8Aanamne\n";

/// Text after which a section is written: lines and files are cut into pieces of about this length.
pub(super) const SECTION_BYTES: usize = 4 << 20;

/// Maximum length of a section's text: a full piece, and the longest line that may fill it.
const MAX_TEXT: u32 = (SECTION_BYTES as u32) + (16 << 20);

/// Maximum ratio of text to stored bytes. Text that compresses better is stored uncompressed, so that a small file
/// can't claim a huge disk.
const MAX_RATIO: u64 = 64;

/// Maximum window of a zstd frame, as a power of two; as for segments of the journal.
const WINDOW_LOG: u32 = 23;

/// What a section contains.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
#[repr(u32)]
pub(super) enum Tag {
    /// The manifest, first.
    Manifest = 1,
    /// The settings of a space.
    Settings = 2,
    /// Lines of its journal.
    Journal = 3,
    /// A piece of its paid readings.
    Paid = 4,
    /// A piece of what was observed.
    Observed = 5,
    /// A piece of its cached tool results.
    External = 6,
    /// The end of the file, empty.
    End = 7,
}

impl Tag {
    const ALL: [Self; 7] = [
        Self::Manifest,
        Self::Settings,
        Self::Journal,
        Self::Paid,
        Self::Observed,
        Self::External,
        Self::End,
    ];

    fn of(number: u32) -> Option<Self> {
        Self::ALL.into_iter().find(|tag| *tag as u32 == number)
    }
}

/// The 32 bytes of a BLAKE3 hash.
pub(super) type Digest = [u8; 32];

fn digest(before: &Digest, header: &[u8; 16], stored: &[u8]) -> Digest {
    let mut hasher = blake3::Hasher::new();
    hasher.update(before).update(header).update(stored);
    *hasher.finalize().as_bytes()
}

fn file_header(version: u32) -> [u8; 16] {
    let mut header = [0; 16];
    header[..8].copy_from_slice(&MAGIC);
    header[8..12].copy_from_slice(&version.to_le_bytes());
    header
}

fn numbers<const N: usize>(header: &[u8; 16]) -> [u32; N] {
    let mut words = header.chunks_exact(4);
    std::array::from_fn(|_| {
        let word = words.next().and_then(|word| word.try_into().ok());
        u32::from_le_bytes(word.unwrap_or_default())
    })
}

/// Writes sections to a stream.
pub(super) struct SectionWriter<W> {
    output: W,
    digest: Digest,
    pub(super) bytes: u64,
}

impl<W: Write> SectionWriter<W> {
    pub(super) fn begin(mut output: W) -> io::Result<Self> {
        let header = file_header(EXPORT_FORMAT);
        output.write_all(&header)?;
        Ok(Self {
            output,
            digest: *blake3::hash(&header).as_bytes(),
            bytes: header.len() as u64,
        })
    }

    /// Writes one section; `text` has at most [`SECTION_BYTES`] and one line.
    pub(super) fn write(&mut self, tag: Tag, space: u32, text: &[u8]) -> io::Result<()> {
        let packed = pack(text)?;
        let stored = packed.as_deref().unwrap_or(text);
        let mut header = [0; 16];
        let fields = [tag as u32, space, length(text)?, length(stored)?];
        for (place, field) in header.chunks_exact_mut(4).zip(fields) {
            place.copy_from_slice(&field.to_le_bytes());
        }
        self.digest = digest(&self.digest, &header, stored);
        for part in [&header[..], stored, &self.digest] {
            self.output.write_all(part)?;
            self.bytes += part.len() as u64;
        }
        Ok(())
    }

    /// Writes the last section; returns the stream and the digest of the file.
    pub(super) fn finish(mut self) -> io::Result<(W, Digest, u64)> {
        self.write(Tag::End, 0, &[])?;
        self.output.flush()?;
        Ok((self.output, self.digest, self.bytes))
    }
}

fn length(text: &[u8]) -> io::Result<u32> {
    let length = u32::try_from(text.len()).ok();
    length
        .filter(|length| *length <= MAX_TEXT)
        .ok_or_else(|| io::Error::other("a section is too long"))
}

/// The text as a zstd frame; `None` if it is stored as it is.
fn pack(text: &[u8]) -> io::Result<Option<Vec<u8>>> {
    let packed = zstd::bulk::compress(text, 9)?;
    let is_fit = packed.len() < text.len() && is_plausible(text.len() as u64, packed.len() as u64);
    Ok(is_fit.then_some(packed))
}

fn is_plausible(text: u64, stored: u64) -> bool {
    text <= stored.saturating_mul(MAX_RATIO)
}

/// Why a file can't be read.
#[derive(Debug)]
pub(super) enum Unreadable {
    /// It is no complete, unchanged export file.
    Invalid(String),
    /// A newer version wrote it.
    Newer(u32),
    /// The stream failed.
    Io(io::Error),
}

fn invalid<T>(reason: impl Into<String>) -> Result<T, Unreadable> {
    Err(Unreadable::Invalid(reason.into()))
}

/// A verified section.
pub(super) struct Section {
    pub(super) tag: Tag,
    /// The number of its space in the manifest, from 0.
    pub(super) space: u32,
    pub(super) text: Vec<u8>,
}

/// Reads sections from a stream. Memory is bounded by the longest section.
pub(super) struct SectionReader<R> {
    input: R,
    digest: Digest,
    read: u64,
    /// Bytes of text that may follow.
    text_left: u64,
}

impl<R: Read> SectionReader<R> {
    /// The whole text may have `most_text` bytes.
    pub(super) fn begin(input: R, most_text: u64) -> Result<Self, Unreadable> {
        let mut reader = Self {
            input,
            digest: Digest::default(),
            read: 0,
            text_left: most_text,
        };
        let header: [u8; 16] = reader.exactly()?;
        let [.., version, rest] = numbers::<4>(&header);
        if header[..8] != MAGIC {
            return invalid("it doesn't begin like one");
        }
        if version > EXPORT_FORMAT {
            return Err(Unreadable::Newer(version));
        }
        if version == 0 || rest != 0 {
            return invalid("its header is damaged");
        }
        reader.digest = *blake3::hash(&header).as_bytes();
        Ok(reader)
    }

    /// The next section, whose digest was verified before it was decompressed. Nothing may follow [`Tag::End`].
    pub(super) fn next(&mut self) -> Result<Section, Unreadable> {
        let start = self.read;
        let header: [u8; 16] = self.exactly()?;
        let [tag, space, text, stored] = numbers::<4>(&header);
        if text > MAX_TEXT || stored > text || !is_plausible(text.into(), stored.into()) {
            return invalid(format!(
                "the section at byte {start} has impossible lengths"
            ));
        }
        let left = self.text_left.checked_sub(text.into());
        self.text_left = left.ok_or_else(|| {
            let reason = "it has more text than the store has room for".to_owned();
            Unreadable::Invalid(reason)
        })?;
        let bytes = self.bytes(stored)?;
        let expected: Digest = self.exactly()?;
        self.digest = digest(&self.digest, &header, &bytes);
        if self.digest != expected {
            return invalid(format!(
                "digest mismatch in the section at byte {start}; it was damaged or changed"
            ));
        }
        let Some(tag) = Tag::of(tag) else {
            return invalid(format!(
                "the section at byte {start} has the unknown tag {tag}"
            ));
        };
        let text = unpack(bytes, text).ok_or_else(|| {
            Unreadable::Invalid(format!("the section at byte {start} can't be decompressed"))
        })?;
        if tag == Tag::End && !(text.is_empty() && self.is_at_end()?) {
            return invalid("it goes on after its end");
        }
        Ok(Section { tag, space, text })
    }

    fn exactly<const N: usize>(&mut self) -> Result<[u8; N], Unreadable> {
        let bytes = self.bytes(N as u32)?;
        let short = |_| Unreadable::Invalid("it is cut off".to_owned());
        bytes.try_into().map_err(short)
    }

    /// Reads bytes without trusting their number: memory grows with what is there.
    fn bytes(&mut self, count: u32) -> Result<Vec<u8>, Unreadable> {
        let mut bytes = Vec::new();
        let mut limited = self.input.by_ref().take(count.into());
        limited.read_to_end(&mut bytes).map_err(Unreadable::Io)?;
        self.read += bytes.len() as u64;
        if bytes.len() < count as usize {
            return invalid(format!("it is cut off after {} bytes", self.read));
        }
        Ok(bytes)
    }

    fn is_at_end(&mut self) -> Result<bool, Unreadable> {
        let mut more = [0];
        let read = self.input.read(&mut more).map_err(Unreadable::Io)?;
        Ok(read == 0)
    }
}

/// The text of a section, which must have exactly the declared length.
fn unpack(stored: Vec<u8>, length: u32) -> Option<Vec<u8>> {
    if stored.len() == length as usize {
        return Some(stored);
    }
    let mut decoder = zstd::Decoder::new(stored.as_slice()).ok()?.single_frame();
    decoder.window_log_max(WINDOW_LOG).ok()?;
    let mut text = Vec::new();
    let mut limited = decoder.by_ref().take(u64::from(length) + 1);
    limited.read_to_end(&mut text).ok()?;
    (text.len() == length as usize).then_some(text)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn file(sections: &[(Tag, &[u8])]) -> Vec<u8> {
        let mut writer = SectionWriter::begin(Vec::new()).expect("begun");
        for (tag, text) in sections {
            writer.write(*tag, 0, text).expect("written");
        }
        writer.finish().expect("finished").0
    }

    fn read(bytes: &[u8]) -> Result<Vec<Vec<u8>>, Unreadable> {
        let mut reader = SectionReader::begin(bytes, u64::MAX)?;
        let mut texts = Vec::new();
        loop {
            let section = reader.next()?;
            if section.tag == Tag::End {
                return Ok(texts);
            }
            texts.push(section.text);
        }
    }

    #[test]
    fn what_is_written_is_read_and_every_change_is_noticed() {
        let noise: Vec<u8> = (0..500u32)
            .flat_map(|n| n.wrapping_mul(2_654_435_761).to_le_bytes())
            .collect();
        // Repeated bytes compress better than a reader accepts, and are stored as they are.
        let repeated = vec![7; 100_000];
        let texts: [&[u8]; 4] = [b"{}", b"", &repeated, &noise];
        let bytes = file(&texts.map(|text| (Tag::Journal, text)));
        assert_eq!(read(&bytes).expect("read"), texts);
        for place in 0..bytes.len() {
            let mut changed = bytes.clone();
            changed[place] ^= 1 << (place % 8);
            assert!(read(&changed).is_err(), "byte {place}");
        }
        for length in (0..bytes.len()).step_by(97).chain([bytes.len() - 1]) {
            assert!(read(&bytes[..length]).is_err(), "{length} bytes");
        }
        let longer = [bytes.as_slice(), b"\0"].concat();
        assert!(matches!(read(&longer), Err(Unreadable::Invalid(_))));
        let mut newer = bytes;
        newer[8] = 2;
        assert!(matches!(read(&newer), Err(Unreadable::Newer(2))));
    }

    #[test]
    fn sections_can_not_change_places() {
        let both = file(&[(Tag::Journal, b"one"), (Tag::Journal, b"two")]);
        let length = 16 + 3 + 32;
        let mut swapped = both.clone();
        swapped[16..16 + length].copy_from_slice(&both[16 + length..16 + 2 * length]);
        swapped[16 + length..16 + 2 * length].copy_from_slice(&both[16..16 + length]);
        assert!(read(&swapped).is_err());
    }

    #[test]
    fn a_bomb_and_a_giant_length_cost_no_memory() {
        let bomb = zstd::bulk::compress(&vec![0; MAX_TEXT as usize], 19).expect("packed");
        let forged = |text: u32, stored: &[u8]| {
            let mut bytes = file_header(EXPORT_FORMAT).to_vec();
            let before = *blake3::hash(&bytes).as_bytes();
            let mut header = [0; 16];
            let fields = [3, 0, text, stored.len() as u32];
            for (place, field) in header.chunks_exact_mut(4).zip(fields) {
                place.copy_from_slice(&field.to_le_bytes());
            }
            bytes.extend(header);
            bytes.extend(stored);
            bytes.extend(digest(&before, &header, stored));
            bytes
        };
        for (text, stored) in [
            (MAX_TEXT, bomb.as_slice()),
            (bomb.len() as u32 * 64, &bomb),
            (u32::MAX, b"x"),
            (0, b"x"),
        ] {
            let refused = read(&forged(text, stored)).expect_err("refused");
            assert!(matches!(refused, Unreadable::Invalid(_)), "{refused:?}");
        }
    }
}
