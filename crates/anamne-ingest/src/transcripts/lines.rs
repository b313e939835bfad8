//! Complete lines of an append-only file, from a position on.
//!
//! A last line without a line break counts as complete if it is a whole JSON object: what copies a file may drop the break.

use std::fs::{self, File};
use std::io::{BufRead, BufReader, Read, Seek, SeekFrom};
use std::path::{Path, PathBuf};

use serde::de::IgnoredAny;

use super::{Position, TranscriptError};

/// The longest line that is read, in bytes. Longer ones are skipped.
pub(super) const MAX_LINE_BYTES: usize = 32 << 20;

/// How many of the last bytes before a position its mark is made of.
const MARKED_BYTES: u64 = 4 << 10;

/// How much of a line that is too long is held while it is skipped.
const SKIP_BYTES: u64 = 64 << 10;

/// One complete line.
pub(super) struct Line<'a> {
    /// Its number, counted from 1 at the position where the reading began.
    pub(super) number: u64,
    /// Where it begins.
    pub(super) start: u64,
    /// Its content without the line break; `None` if it is longer than [`MAX_LINE_BYTES`].
    pub(super) content: Option<&'a [u8]>,
}

/// Reads complete lines: what follows the last line break is left for the next reading. Holds one line at a time.
pub(super) struct Lines {
    path: PathBuf,
    reader: BufReader<File>,
    buffer: Vec<u8>,
    number: u64,
    reached: u64,
    end: End,
}

/// How a file ends, as far as it was read.
#[derive(Clone, Copy, PartialEq, Eq)]
enum End {
    NotReached,
    /// With a line break, or with a line that lacks nothing else.
    Complete,
    /// In the middle of a line.
    Unfinished,
}

impl Lines {
    /// Opens a file at a position. A position beyond its end, or in the middle of a line, is of an earlier file under
    /// this name: the reading begins at the start.
    pub(super) fn open(path: &Path, from: Position) -> Result<Self, TranscriptError> {
        let file = open_file(path)?;
        let mut reader = BufReader::with_capacity(1 << 16, file);
        let reached = start_of_line(&mut reader, from.bytes).map_err(TranscriptError::io(path))?;
        Ok(Self {
            path: path.to_owned(),
            reader,
            buffer: Vec::new(),
            number: 0,
            reached,
            end: End::NotReached,
        })
    }

    /// Bytes of the complete lines before the next one.
    pub(super) fn reached(&self) -> Position {
        Position {
            bytes: self.reached,
            mark: None,
        }
    }

    /// The number of the line in the middle of which the file ends, if it does and was read to its end.
    pub(super) fn unfinished(&self) -> Option<u64> {
        (self.end == End::Unfinished).then_some(self.number + 1)
    }

    /// The next complete line. O(its length) time; memory at most [`MAX_LINE_BYTES`].
    pub(super) fn next_line(&mut self) -> Result<Option<Line<'_>>, TranscriptError> {
        if self.end != End::NotReached {
            return Ok(None);
        }
        let start = self.reached;
        let Some(whole) = self.read_line().map_err(TranscriptError::io(&self.path))? else {
            return Ok(None);
        };
        self.number += 1;
        let content = if start == 0 {
            without_mark(&self.buffer)
        } else {
            &self.buffer
        };
        Ok(Some(Line {
            number: self.number,
            start,
            content: whole.then_some(content),
        }))
    }

    /// Reads up to the next line break: whether the line fits the buffer, `None` without a complete line.
    fn read_line(&mut self) -> std::io::Result<Option<bool>> {
        self.buffer.clear();
        let limit = MAX_LINE_BYTES as u64 + 1;
        let mut length = self.read_piece(limit)?;
        let whole = self.buffer.last() == Some(&b'\n');
        if !whole && length < limit {
            return Ok(self.read_rest());
        }
        while self.buffer.last() != Some(&b'\n') {
            self.buffer.clear();
            let piece = self.read_piece(SKIP_BYTES)?;
            if piece == 0 {
                self.end = End::Unfinished;
                return Ok(None);
            }
            length += piece;
        }
        self.buffer.pop();
        self.reached += length;
        Ok(Some(whole))
    }

    /// What follows the last line break, if it is a complete line. The next reading begins with it, as its line break may follow.
    fn read_rest(&mut self) -> Option<bool> {
        let rest = without_mark(&self.buffer).trim_ascii();
        let is_object =
            rest.starts_with(b"{") && serde_json::from_slice::<IgnoredAny>(rest).is_ok();
        self.end = if is_object || rest.is_empty() {
            End::Complete
        } else {
            End::Unfinished
        };
        is_object.then_some(true)
    }

    fn read_piece(&mut self, limit: u64) -> std::io::Result<u64> {
        let mut piece = (&mut self.reader).take(limit);
        Ok(piece.read_until(b'\n', &mut self.buffer)? as u64)
    }
}

/// A file's content without the byte-order mark that some editors write before it.
pub(super) fn without_mark(content: &[u8]) -> &[u8] {
    content
        .strip_prefix("\u{feff}".as_bytes())
        .unwrap_or(content)
}

/// Opens a regular file: another kind, such as a pipe, could block for ever.
pub(super) fn open_file(path: &Path) -> Result<File, TranscriptError> {
    let metadata = fs::metadata(path).map_err(TranscriptError::io(path))?;
    if !metadata.is_file() {
        let reason = std::io::Error::other("it is not a regular file");
        return Err(TranscriptError::io(path)(reason));
    }
    File::open(path).map_err(TranscriptError::io(path))
}

/// Moves to `position` if a line begins there, else to the start. Returns where the reader stands.
fn start_of_line(reader: &mut BufReader<File>, position: u64) -> std::io::Result<u64> {
    if position > 0 && position <= reader.get_ref().metadata()?.len() {
        reader.seek(SeekFrom::Start(position - 1))?;
        let mut before = [0];
        reader.read_exact(&mut before)?;
        if before == *b"\n" {
            return Ok(position);
        }
    }
    reader.seek(SeekFrom::Start(0))
}

/// The position, if what was read before it is still there; else the start.
pub(super) fn still_valid(path: &Path, from: Position) -> Result<Position, TranscriptError> {
    let is_valid = from.mark.is_none() || from.mark == mark(path, from.bytes)?;
    Ok(if is_valid { from } else { Position::default() })
}

/// The mark of a position in a file: the digest of the bytes before it. `None` at the start, and beyond the end.
pub(super) fn mark(path: &Path, position: u64) -> Result<Option<[u8; 16]>, TranscriptError> {
    if position == 0 {
        return Ok(None);
    }
    let mut file = open_file(path)?;
    let read = move || -> std::io::Result<Option<Vec<u8>>> {
        let start = position.saturating_sub(MARKED_BYTES);
        file.seek(SeekFrom::Start(start))?;
        let mut before = Vec::new();
        file.take(position - start).read_to_end(&mut before)?;
        Ok((before.len() as u64 == position - start).then_some(before))
    };
    let before = read().map_err(TranscriptError::io(path))?;
    Ok(before.map(|before| {
        let mut mark = [0; 16];
        mark.copy_from_slice(&blake3::hash(&before).as_bytes()[..16]);
        mark
    }))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(bytes: u64) -> Position {
        Position { bytes, mark: None }
    }

    fn check(content: &[u8], from: u64, expected: &[&[u8]], reached: u64) {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("lines.jsonl");
        fs::write(&path, content).expect("a file");
        let mut lines = Lines::open(&path, at(from)).expect("lines");
        let mut found = Vec::new();
        while let Some(line) = lines.next_line().expect("a line") {
            found.push(line.content.unwrap_or(b"too long").to_vec());
        }
        assert_eq!(found, expected);
        assert_eq!(lines.reached().bytes, reached);
        let is_unfinished = [b"rest".as_slice(), b"12", b"x"];
        let is_unfinished = is_unfinished.iter().any(|end| content.ends_with(end));
        assert_eq!(lines.unfinished().is_some(), is_unfinished);
    }

    #[test]
    fn an_unfinished_line_is_left_for_the_next_reading() {
        check(b"", 0, &[], 0);
        check(b"a\n\nb\nrest", 0, &[b"a", b"", b"b"], 5);
        check(b"a\nb\nrest\n", 4, &[b"rest"], 9);
        check(b"a\n", 2, &[], 2);
    }

    #[test]
    fn a_last_line_that_lacks_only_its_line_break_is_complete() {
        check(b"a\n{\"b\":1}", 0, &[b"a", b"{\"b\":1}"], 2);
        check(b"{\"b\":1}\r", 0, &[b"{\"b\":1}\r"], 0);
        check(b"a\n{\"b\":\"rest", 0, &[b"a"], 2);
        check(b"a\n12", 0, &[b"a"], 2);
    }

    #[test]
    fn a_byte_order_mark_is_no_part_of_the_first_line() {
        check(
            "\u{feff}a\n\u{feff}b\n".as_bytes(),
            0,
            &[b"a", "\u{feff}b".as_bytes()],
            10,
        );
        check("\u{feff}{}".as_bytes(), 0, &[b"{}"], 0);
    }

    #[test]
    fn a_position_of_an_earlier_file_begins_at_the_start() {
        check(b"a\nb\n", 50, &[b"a", b"b"], 4);
        check(b"abc\nd\n", 2, &[b"abc", b"d"], 6);
    }

    #[test]
    fn a_position_is_valid_while_what_was_read_is_there() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("lines.jsonl");
        let check = |content: &str, from: Position, expected: u64| {
            fs::write(&path, content).expect("a file");
            let valid = still_valid(&path, from).expect("read");
            assert_eq!(valid.bytes, expected, "{content:?}");
        };
        fs::write(&path, "a\nb\n").expect("a file");
        let from = Position {
            bytes: 4,
            mark: mark(&path, 4).expect("read"),
        };
        assert!(from.mark.is_some());
        check("a\nb\nc\n", from, 4);
        check("a\nc\nd\n", from, 0);
        check("a\nc\n", from, 0);
        check("a\n", from, 0);
        check("a\nc\nd\n", at(4), 4);
        fs::write(&path, "x".repeat(10_000)).expect("a file");
        assert_ne!(
            mark(&path, 9_000).expect("read"),
            mark(&path, 10).expect("read")
        );
    }

    #[test]
    fn a_line_that_is_too_long_is_skipped() {
        let mut content = vec![b'x'; MAX_LINE_BYTES + 1];
        content.extend_from_slice(b"\nb\n");
        check(&content, 0, &[b"too long", b"b"], content.len() as u64);
        content.truncate(MAX_LINE_BYTES + 1);
        check(&content, 0, &[], 0);
    }

    #[test]
    fn what_is_no_regular_file_is_an_error() {
        let folder = tempfile::tempdir().expect("a folder");
        assert!(Lines::open(folder.path(), Position::default()).is_err());
        assert!(Lines::open(&folder.path().join("none"), Position::default()).is_err());
    }
}
