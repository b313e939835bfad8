//! Reads the journal from its beginning and verifies every line.

use std::path::Path;

use anamne_types::Seq;
use serde::Serialize;

use super::end::check_header;
use super::line::{Digest, Header, Line};
use super::reader::SegmentReader;
use super::segment::Segment;
use crate::{Result, StoreError};

/// The result of verifying the whole journal.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct JournalReport {
    /// Segments read.
    pub segments: usize,
    /// Lines whose chain and payload verify.
    pub events: u64,
    /// Lines whose payload was erased.
    pub erased: u64,
    /// The last event.
    pub last_seq: u64,
    /// The problems found; empty if there are none.
    pub problems: Vec<String>,
}

/// The lines of a journal in order, each verified against the previous one.
pub struct Lines {
    segments: std::vec::IntoIter<Segment>,
    open: Option<SegmentReader>,
    segments_read: usize,
    seq: Seq,
    hash: Digest,
    failed: bool,
}

impl Lines {
    /// Starts at the first segment in `folder`.
    pub fn of(folder: &Path) -> Result<Self> {
        let segments = Segment::list(folder)?.into_iter();
        Ok(Self {
            segments,
            open: None,
            segments_read: 0,
            seq: Seq(0),
            hash: Digest::default(),
            failed: false,
        })
    }

    /// Reads everything up to the event `last`, at which the chain must have the hash `hash`, and reports.
    ///
    /// Lines appended meanwhile come after `last` and are not read.
    pub(crate) fn verify(folder: &Path, last: Seq, hash: Digest) -> Result<JournalReport> {
        let mut lines = Self::of(folder)?;
        let mut report = JournalReport::default();
        while lines.seq < last {
            match lines.next() {
                Some(Ok(line)) => {
                    report.events += 1;
                    report.erased += u64::from(line.payload.is_none());
                    report.last_seq = line.seq.0;
                }
                Some(Err(error)) => {
                    report.problems.push(error.to_string());
                    break;
                }
                None => {
                    let reason = format!("it ends at event {}, the source at {last}", lines.seq);
                    let problem = StoreError::damaged(folder, reason);
                    report.problems.push(problem.to_string());
                    break;
                }
            }
        }
        if lines.seq == last && lines.hash != hash {
            let reason = format!("its chain differs from the source's at event {last}");
            report
                .problems
                .push(StoreError::damaged(folder, reason).to_string());
        }
        report.segments = lines.segments_read;
        Ok(report)
    }

    fn advance(&mut self) -> Result<Option<Line>> {
        loop {
            if self.open.is_none() && !self.open_next()? {
                return Ok(None);
            }
            let reader = self.open.as_mut().expect("a segment has just been opened");
            let text = reader.line()?;
            if text.is_empty() {
                self.open = None;
                continue;
            }
            let path = reader.segment().path.clone();
            return self.parse(&path, &text).map(Some);
        }
    }

    fn parse(&mut self, path: &Path, text: &[u8]) -> Result<Line> {
        let after = self.seq;
        if text.last() != Some(&b'\n') {
            return Err(StoreError::damaged(
                path,
                format!("the line after event {after} is incomplete"),
            ));
        }
        let line: Line = serde_json::from_slice(text).map_err(|error| {
            StoreError::damaged(path, format!("invalid line after event {after}: {error}"))
        })?;
        line.check(self.seq, self.hash)
            .map_err(|reason| StoreError::damaged(path, reason))?;
        (self.seq, self.hash) = (line.seq, line.hash);
        Ok(line)
    }

    fn open_next(&mut self) -> Result<bool> {
        let Some(segment) = self.segments.next() else {
            return Ok(false);
        };
        let mut reader = segment.open()?;
        let text = reader.line()?;
        if !check_header(&text, &segment.path)? {
            // A crash while the last segment was created: it is empty.
            return match self.segments.len() {
                0 => Ok(false),
                _ => Err(StoreError::damaged(&segment.path, "it has no header")),
            };
        }
        let header: Header = serde_json::from_slice(&text)?;
        if (header.segment, header.after_seq, header.after_hash)
            != (segment.number, self.seq, self.hash)
        {
            let reason = format!("the segment breaks the hash chain after event {}", self.seq);
            return Err(StoreError::damaged(&segment.path, reason));
        }
        self.segments_read += 1;
        self.open = Some(reader);
        Ok(true)
    }
}

impl Iterator for Lines {
    type Item = Result<Line>;

    /// The next line. Ends after the first error, because later lines can't be verified.
    fn next(&mut self) -> Option<Self::Item> {
        if self.failed {
            return None;
        }
        let next = self.advance().transpose();
        self.failed = matches!(next, Some(Err(_)));
        next
    }
}
