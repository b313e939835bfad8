//! The end of the journal: found by reading backwards, then followed while other processes append.

use std::fs::{File, OpenOptions};
use std::io::{ErrorKind, Read, Seek, SeekFrom};
use std::path::{Path, PathBuf};

use anamne_types::Seq;
use serde::Deserialize;

use super::JOURNAL_FORMAT;
use super::line::{Digest, Entry, Header, Line};
use super::reader::LARGEST_SEGMENT;
use super::segment::Segment;
use crate::file_problem::FileProblem;
use crate::files::{FileIdentity, FileState, look_at, look_into, open_private_file};
use crate::settings_file::check_format;
use crate::storage::Storage;
use crate::{Result, StoreError};

/// The number of bytes first read at a segment's end.
const WINDOW: u64 = 64 * 1024;

/// The last sound line of the journal.
#[derive(Debug)]
pub(crate) struct End {
    /// The number of its segment.
    pub(crate) segment: u32,
    pub(crate) seq: Seq,
    pub(crate) hash: Digest,
    /// The segment's file; `None` if it is sealed, so that the next line starts a new segment.
    pub(crate) open: Option<OpenSegment>,
}

/// The segment that receives the next lines.
#[derive(Debug)]
pub(crate) struct OpenSegment {
    path: PathBuf,
    file: File,
    identity: FileIdentity,
    /// Where the last sound line ends.
    length: u64,
    /// Whether unsound bytes follow, to be cut off before the next line.
    torn: bool,
}

impl End {
    /// The end of the journal in `folder`; `None` if nothing was written yet. Changes nothing.
    pub(crate) fn of(folder: &Path) -> Result<Option<Self>> {
        for segment in Segment::list(folder)?.into_iter().rev() {
            // A crash left a segment without a header; nothing in it was acknowledged.
            if let Some(end) = Self::in_segment(&segment)? {
                return Ok(Some(end));
            }
        }
        Ok(None)
    }

    fn in_segment(segment: &Segment) -> Result<Option<Self>> {
        if segment.sealed {
            return Self::in_sealed(segment).map(Some);
        }
        match open_to_append(&segment.path) {
            Ok(file) => Self::in_plain(segment, file),
            Err(error) if error.kind() == ErrorKind::NotFound => {
                Self::in_sealed(&segment.sealed_twin()).map(Some)
            }
            Err(error) => Err(StoreError::io("open", &segment.path)(error)),
        }
    }

    fn in_sealed(segment: &Segment) -> Result<Self> {
        let text = segment.read()?;
        check_header(&text, &segment.path)?;
        match last_line(&text) {
            Some((seq, hash, end)) if end == text.len() => Ok(Self {
                segment: segment.number,
                seq,
                hash,
                open: None,
            }),
            _ => Err(StoreError::damaged(
                &segment.path,
                "its last line is unreadable",
            )),
        }
    }

    fn in_plain(segment: &Segment, mut file: File) -> Result<Option<Self>> {
        let path = &segment.path;
        let FileState { identity, length } = look_into(&file, path)?;
        let mut read = |start, end| read_range(&mut file, path, start, end);
        if !check_header(&read(0, length.min(4096))?, path)? {
            return Ok(None);
        }
        let mut window = WINDOW;
        let (seq, hash, end) = loop {
            let start = length.saturating_sub(window);
            let text = read(start, length)?;
            // A window that begins inside a line is read from the next line on.
            let first = if start == 0 {
                0
            } else {
                after_line_feed(&text)
            };
            if let Some((seq, hash, end)) = last_line(&text[first..]) {
                break (seq, hash, start + (first + end) as u64);
            }
            if start == 0 {
                return Err(StoreError::damaged(path, "no readable line"));
            }
            window *= 8;
        };
        Ok(Some(Self {
            segment: segment.number,
            seq,
            hash,
            open: Some(OpenSegment {
                path: path.clone(),
                file,
                identity,
                length: end,
                torn: end != length,
            }),
        }))
    }

    /// A new segment with only its header.
    pub(crate) fn begun(segment: &Segment, header: &Header) -> Result<Self> {
        let file = open_private_file(&segment.path)?;
        let FileState { identity, length } = look_into(&file, &segment.path)?;
        Ok(Self {
            segment: segment.number,
            seq: header.after_seq,
            hash: header.after_hash,
            open: Some(OpenSegment {
                path: segment.path.clone(),
                file,
                identity,
                length,
                torn: false,
            }),
        })
    }

    /// Follows what other processes appended to the same segment. Returns whether this is now the journal's end; if
    /// not, it must be searched again. Costs two `stat`s if nothing changed.
    pub(crate) fn catch_up(&mut self, folder: &Path) -> Result<bool> {
        let next = Segment::plain(folder, self.segment + 1);
        let Some(open) = &mut self.open else {
            return Ok(false);
        };
        let same = look_at(&open.path)?
            .filter(|state| state.identity == open.identity && state.length >= open.length);
        let Some(state) = same else { return Ok(false) };
        if look_at(&next.path)?.is_some() {
            return Ok(false);
        }
        if state.length == open.length {
            open.torn = false;
            return Ok(true);
        }
        let text = read_range(&mut open.file, &open.path, open.length, state.length)?;
        if let Some((seq, hash, end)) = last_line(&text) {
            (self.seq, self.hash) = (seq, hash);
            open.length += end as u64;
        }
        open.torn = open.length != state.length;
        Ok(true)
    }

    /// Bytes of the open segment; `None` if it is sealed.
    pub(crate) fn length(&self) -> Option<u64> {
        self.open.as_ref().map(|open| open.length)
    }

    /// Writes lines after the last one and syncs them. The segment must be open.
    pub(crate) fn write(&mut self, storage: &dyn Storage, lines: &[Entry]) -> Result<()> {
        let (Some(open), Some(last)) = (&mut self.open, lines.last()) else {
            return Ok(());
        };
        let mut text = String::with_capacity(lines.iter().map(|line| line.text.len() + 1).sum());
        for line in lines {
            text.push_str(&line.text);
            text.push('\n');
        }
        open.write(storage, text.as_bytes())?;
        (self.seq, self.hash) = (last.seq, last.hash);
        Ok(())
    }
}

/// Opens a segment for reading and writing, or read-only if it is not writable: a later write then fails.
fn open_to_append(path: &Path) -> std::io::Result<File> {
    match OpenOptions::new().read(true).write(true).open(path) {
        Err(error) if FileProblem::of_io(&error) == Some(FileProblem::PermissionDenied) => {
            File::open(path)
        }
        opened => opened,
    }
}

impl OpenSegment {
    fn write(&mut self, storage: &dyn Storage, text: &[u8]) -> Result<()> {
        if self.torn {
            self.cut(storage)?;
        }
        if let Err(error) = self.write_at_end(storage, text) {
            // If the cut fails too, the next writer finds and cuts the torn line.
            let cut = storage.resize(&self.path, &self.file, self.length);
            self.torn = cut.is_err();
            return Err(StoreError::io("append to", &self.path)(error));
        }
        self.length += text.len() as u64;
        Ok(())
    }

    fn write_at_end(&mut self, storage: &dyn Storage, text: &[u8]) -> std::io::Result<()> {
        storage.write(&self.path, &mut self.file, self.length, text)?;
        storage.sync(&self.path, &self.file)
    }

    /// Cuts off everything after the last sound line. Complete lines in it, which no crash leaves, are saved beside the segment.
    fn cut(&mut self, storage: &dyn Storage) -> Result<()> {
        let length = look_into(&self.file, &self.path)?.length;
        let tail = read_range(&mut self.file, &self.path, self.length, length)?;
        if tail.contains(&b'\n') {
            let kept = self.path.with_extension("jsonl.tail");
            crate::files::replace_file_on(storage, &kept, &tail)?;
            crate::files::set_aside(&kept)?;
        }
        storage
            .resize(&self.path, &self.file, self.length)
            .map_err(StoreError::io("cut", &self.path))?;
        self.torn = false;
        Ok(())
    }
}

/// Reads part of a segment's file, never more than the maximum size of a segment.
fn read_range(file: &mut File, path: &Path, start: u64, end: u64) -> Result<Vec<u8>> {
    let length = end.saturating_sub(start);
    if length > LARGEST_SEGMENT {
        let reason = format!("longer than the maximum of {LARGEST_SEGMENT} bytes");
        return Err(StoreError::damaged(path, reason));
    }
    let mut text = vec![0; length as usize];
    file.seek(SeekFrom::Start(start))
        .and_then(|_| file.read_exact(&mut text))
        .map_err(StoreError::io("read", path))?;
    Ok(text)
}

fn after_line_feed(text: &[u8]) -> usize {
    text.iter()
        .position(|&byte| byte == b'\n')
        .map_or(text.len(), |newline| newline + 1)
}

/// Whether `text` begins with a header; `false` if its first line is incomplete.
pub(crate) fn check_header(text: &[u8], path: &Path) -> Result<bool> {
    #[derive(Deserialize)]
    struct Format {
        anamne_journal: u32,
    }
    let Some(end) = text.iter().position(|&byte| byte == b'\n') else {
        return Ok(false);
    };
    let unreadable =
        |error: serde_json::Error| StoreError::damaged(path, format!("invalid header: {error}"));
    // The version is parsed first: a newer header may contain unknown fields.
    let Format { anamne_journal } = serde_json::from_slice(&text[..end]).map_err(unreadable)?;
    check_format(path, anamne_journal.into(), JOURNAL_FORMAT.into())?;
    serde_json::from_slice::<Header>(&text[..end]).map_err(unreadable)?;
    Ok(true)
}

/// The sequence number, hash and end offset of the last complete, sound line in `text`, which begins with a line.
fn last_line(text: &[u8]) -> Option<(Seq, Digest, usize)> {
    let mut end = text.iter().rposition(|&byte| byte == b'\n')? + 1;
    loop {
        let start = text[..end - 1]
            .iter()
            .rposition(|&byte| byte == b'\n')
            .map_or(0, |newline| newline + 1);
        if let Some((seq, hash)) = parse_end(&text[start..end - 1]) {
            return Some((seq, hash, end));
        }
        if start == 0 {
            return None;
        }
        end = start;
    }
}

fn parse_end(line: &[u8]) -> Option<(Seq, Digest)> {
    if let Ok(line) = serde_json::from_slice::<Line>(line) {
        let is_sound = line.check_payload().is_ok();
        return is_sound.then_some((line.seq, line.hash));
    }
    let header = serde_json::from_slice::<Header>(line).ok()?;
    Some((header.after_seq, header.after_hash))
}
