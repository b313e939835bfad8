//! Copies journal segments that are missing or differ.

use std::io::ErrorKind;
use std::path::Path;

use anamne_types::Seq;
use serde::Deserialize;

use crate::bounded::{RejectedFile, read_regular};
use crate::files::{remove_if_there, replace_file};
use crate::journal::{Digest, Header, LARGEST_SEGMENT, Segment};
use crate::{Result, StoreError};

/// The result of copying.
#[derive(Debug, Default)]
pub(super) struct CopiedSegments {
    pub(super) written: usize,
    pub(super) kept: usize,
    pub(super) bytes: u64,
}

/// Makes the journal in `to` equal to the one in `from` up to the event `end`.
///
/// Replaces whole segments in order, so that an interrupted copy ends before or after the database beside it; opening
/// the copy repairs either.
pub(super) fn copy(from: &Path, to: &Path, end: Seq) -> Result<CopiedSegments> {
    let mut copied = CopiedSegments::default();
    let mut segments = Segment::list(from)?.into_iter().peekable();
    let mut last = 0;
    while let Some(segment) = segments.next() {
        if first_after(&segment)?.is_none_or(|after| after >= end) {
            break;
        }
        let next = segments.peek().map(first_after).transpose()?.flatten();
        let is_whole = next.is_some_and(|after| after <= end);
        last = segment.number;
        copy_segment(&segment, to, (!is_whole).then_some(end), &mut copied)?;
    }
    for further in Segment::list(to)? {
        if further.number > last {
            remove_if_there(&further.path)?;
            remove_if_there(&further.sealed_twin().path)?;
        }
    }
    Ok(copied)
}

/// The event before a segment's first one; `None` without a readable header.
fn first_after(segment: &Segment) -> Result<Option<Seq>> {
    let text = segment.open()?.line()?;
    Ok(serde_json::from_slice::<Header>(&text)
        .ok()
        .map(|header| header.after_seq))
}

/// Copies one segment: unchanged, or up to the event `through` as plain text.
fn copy_segment(
    segment: &Segment,
    to: &Path,
    through: Option<Seq>,
    copied: &mut CopiedSegments,
) -> Result<()> {
    let (target, content) = match through {
        None => read_as_it_is(segment, to)?,
        Some(end) => {
            let target = Segment::plain(to, segment.number);
            (target, cut(segment, end)?)
        }
    };
    let known = read_regular(&target.path, LARGEST_SEGMENT).ok().flatten();
    if known.as_deref().map(Digest::of) == Some(Digest::of(&content)) {
        copied.kept += 1;
    } else {
        replace_file(&target.path, &content)?;
        copied.written += 1;
        copied.bytes += content.len() as u64;
    }
    let twin = if target.sealed {
        Segment::plain(to, segment.number)
    } else {
        target.sealed_twin()
    };
    remove_if_there(&twin.path)
}

/// The bytes of a segment's file. If the segment is sealed in the meantime, reads the sealed file.
fn read_as_it_is(segment: &Segment, to: &Path) -> Result<(Segment, Vec<u8>)> {
    let target = Segment::plain(to, segment.number);
    let target_of = |sealed| {
        if sealed {
            target.sealed_twin()
        } else {
            target.clone()
        }
    };
    if let Some(content) = read_file(&segment.path)? {
        return Ok((target_of(segment.sealed), content));
    }
    let sealed = segment.sealed_twin().path;
    let missing = || StoreError::io("read", &sealed)(ErrorKind::NotFound.into());
    let content = read_file(&sealed)?.ok_or_else(missing)?;
    Ok((target_of(true), content))
}

/// Reads a segment's file, which is never longer than a plain segment even when compressed; `None` if it is missing.
fn read_file(path: &Path) -> Result<Option<Vec<u8>>> {
    read_regular(path, LARGEST_SEGMENT).map_err(|unfit| match unfit {
        RejectedFile::Io(error) => StoreError::io("read", path)(error),
        unfit => StoreError::damaged(path, unfit.to_string()),
    })
}

/// The text of a segment up to and including an event that it contains.
fn cut(segment: &Segment, end: Seq) -> Result<Vec<u8>> {
    #[derive(Deserialize)]
    struct Numbered {
        seq: Seq,
    }
    let mut text = segment.read()?;
    let mut length = 0;
    for line in text.split_inclusive(|&byte| byte == b'\n') {
        length += line.len();
        let numbered = serde_json::from_slice::<Numbered>(line);
        if numbered.is_ok_and(|numbered| numbered.seq == end) && line.ends_with(b"\n") {
            text.truncate(length);
            return Ok(text);
        }
    }
    let reason = format!("event {end} is missing");
    Err(StoreError::damaged(&segment.path, reason))
}
