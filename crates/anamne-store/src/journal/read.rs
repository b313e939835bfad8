//! Reading the journal from its beginning, and checking every line on the way.

use std::io::BufRead;
use std::path::{Path, PathBuf};

use anamne_types::Seq;
use serde::Serialize;

use super::JOURNAL_FORMAT;
use super::line::{Digest, Header, Line};
use super::segment::Segment;
use crate::StoreError;

/// What a check of the whole journal found.
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
    /// What is wrong, and where; empty when all is well.
    pub problems: Vec<String>,
}

/// The lines of a journal in order, each checked against the one before it.
pub struct Lines {
    segments: std::vec::IntoIter<Segment>,
    open: Option<(PathBuf, Box<dyn BufRead + Send>)>,
    segments_read: usize,
    seq: Seq,
    hash: Digest,
    failed: bool,
}

impl Lines {
    /// Starts at the first segment in `folder`.
    pub fn of(folder: &Path) -> Result<Self, StoreError> {
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

    /// Reads everything and reports.
    pub fn verify(folder: &Path) -> Result<JournalReport, StoreError> {
        let mut lines = Self::of(folder)?;
        let mut report = JournalReport::default();
        for line in &mut lines {
            match line {
                Ok(line) => {
                    report.events += 1;
                    report.erased += u64::from(line.payload.is_none());
                    report.last_seq = line.seq.0;
                }
                Err(error) => report.problems.push(error.to_string()),
            }
        }
        report.segments = lines.segments_read;
        Ok(report)
    }

    fn advance(&mut self) -> Result<Option<Line>, StoreError> {
        loop {
            if self.open.is_none() && !self.open_next()? {
                return Ok(None);
            }
            let (path, reader) = self.open.as_mut().expect("a segment was opened just now");
            let mut text = Vec::new();
            reader
                .read_until(b'\n', &mut text)
                .map_err(StoreError::io("read", path))?;
            if text.is_empty() {
                self.open = None;
                continue;
            }
            let path = path.clone();
            return self.parse(&path, &text).map(Some);
        }
    }

    fn parse(&mut self, path: &Path, text: &[u8]) -> Result<Line, StoreError> {
        let after = self.seq;
        if text.last() != Some(&b'\n') {
            return Err(StoreError::damaged(
                path,
                format!("the line after event {after} is torn"),
            ));
        }
        let line: Line = serde_json::from_slice(text).map_err(|error| {
            StoreError::damaged(
                path,
                format!("the line after event {after} can't be read: {error}"),
            )
        })?;
        line.check(self.seq, self.hash)
            .map_err(|reason| StoreError::damaged(path, reason))?;
        (self.seq, self.hash) = (line.seq, line.hash);
        Ok(line)
    }

    fn open_next(&mut self) -> Result<bool, StoreError> {
        let Some(segment) = self.segments.next() else {
            return Ok(false);
        };
        let mut reader = segment.open()?;
        let mut text = Vec::new();
        reader
            .read_until(b'\n', &mut text)
            .map_err(StoreError::io("read", &segment.path))?;
        let header: Header = serde_json::from_slice(&text).map_err(|error| {
            StoreError::damaged(&segment.path, format!("the header can't be read: {error}"))
        })?;
        if header.anamne_journal > JOURNAL_FORMAT {
            return Err(StoreError::Newer {
                path: segment.path,
                found: i64::from(header.anamne_journal),
                known: i64::from(JOURNAL_FORMAT),
            });
        }
        if (header.segment, header.after_seq, header.after_hash)
            != (segment.number, self.seq, self.hash)
        {
            let reason = format!(
                "the segment does not continue the chain after event {}",
                self.seq
            );
            return Err(StoreError::damaged(&segment.path, reason));
        }
        self.segments_read += 1;
        self.open = Some((segment.path, reader));
        Ok(true)
    }
}

impl Iterator for Lines {
    type Item = Result<Line, StoreError>;

    /// The next line; after the first error there are no more, for nothing behind it is proven.
    fn next(&mut self) -> Option<Self::Item> {
        if self.failed {
            return None;
        }
        let next = self.advance().transpose();
        self.failed = matches!(next, Some(Err(_)));
        next
    }
}
