//! Reads a journal that may be damaged: every readable line, and what is wrong where.

use std::collections::VecDeque;
use std::path::Path;

use anamne_types::Seq;

use super::JOURNAL_FORMAT;
use super::end::check_header;
use super::line::{Digest, Header, Line};
use super::reader::SegmentReader;
use super::segment::Segment;
use crate::Result;

/// The result for one position in the journal.
#[derive(Debug)]
pub(crate) struct Scanned {
    /// The segment's file name.
    pub(crate) file: String,
    /// The event expected here.
    pub(crate) event: Seq,
    /// The line, if readable.
    pub(crate) line: Option<Line>,
    /// The problem, if any.
    pub(crate) problem: Option<String>,
    /// Whether the text ends here without a line feed, as after an interrupted write.
    pub(crate) torn: bool,
}

/// Scans all segments and continues past damage.
///
/// A damaged line is reported once: the next line may continue the chain from the damaged line's stored hash or from
/// its expected hash.
pub(crate) struct Scan {
    segments: std::vec::IntoIter<Segment>,
    open: Option<SegmentReader>,
    number: u32,
    seq: Seq,
    /// The possible chain hashes after `seq`; `None` if unknown because of damage.
    hashes: Option<Vec<Digest>>,
    waiting: VecDeque<Scanned>,
}

impl Scan {
    /// Starts at the first segment in `folder`.
    pub(crate) fn of(folder: &Path) -> Result<Self> {
        Ok(Self {
            segments: Segment::list(folder)?.into_iter(),
            open: None,
            number: 0,
            seq: Seq(0),
            hashes: Some(vec![Digest::default()]),
            waiting: VecDeque::new(),
        })
    }

    fn next_event(&self) -> Seq {
        Seq(self.seq.0 + 1)
    }

    fn fault(&mut self, segment: &Segment, problem: impl Into<String>) {
        let scanned = Scanned {
            file: segment.file_name(),
            event: self.next_event(),
            line: None,
            problem: Some(problem.into()),
            torn: false,
        };
        self.waiting.push_back(scanned);
    }

    /// Opens the next segment; returns whether there was one.
    fn open_next(&mut self) -> bool {
        let Some(segment) = self.segments.next() else {
            return false;
        };
        if segment.number != self.number + 1 {
            let missing = self.number + 1;
            self.fault(&segment, format!("segment {missing} before it is missing"));
            self.hashes = None;
        }
        self.number = segment.number;
        let read = segment.open().and_then(|mut reader| {
            let text = reader.line()?;
            Ok((reader, text))
        });
        match read {
            Ok((reader, text)) => {
                self.read_header(&segment, &text);
                self.open = Some(reader);
            }
            Err(error) => self.lose_rest(&segment, &error.to_string()),
        }
        true
    }

    /// The rest of this segment is unreadable; the next header tells where the chain continues.
    fn lose_rest(&mut self, segment: &Segment, problem: &str) {
        self.fault(segment, problem);
        self.hashes = None;
        self.open = None;
    }

    fn read_header(&mut self, segment: &Segment, text: &[u8]) {
        let header = match check_header(text, &segment.path) {
            Ok(true) => serde_json::from_slice::<Header>(text).ok(),
            // A crash while the last segment was created: it is empty.
            Ok(false) if self.segments.len() == 0 => return,
            Ok(false) => return self.fault(segment, "it has no header"),
            Err(error) => return self.fault(segment, error.to_string()),
        };
        let Some(header) = header else { return };
        let continues = self.hashes.as_ref().is_none_or(|hashes| {
            header.after_seq == self.seq && hashes.contains(&header.after_hash)
        });
        let known = self.seq;
        let problem = match header.segment {
            _ if !(1..=JOURNAL_FORMAT).contains(&header.anamne_journal) => {
                format!("its header has format {}", header.anamne_journal)
            }
            number if number != segment.number => {
                format!("its header belongs to segment {number}")
            }
            _ if !continues => {
                format!("the segment breaks the hash chain after event {known}")
            }
            _ => {
                self.seq = header.after_seq;
                self.hashes = Some(vec![header.after_hash]);
                return;
            }
        };
        self.fault(segment, problem);
        if !continues {
            // Either the header or the segment is wrong; the lines carry their own sequence numbers.
            self.hashes = None;
        }
    }

    fn judge(&mut self, file: String, text: &[u8]) -> Scanned {
        let event = self.next_event();
        let torn = text.last() != Some(&b'\n');
        let mut scanned = Scanned {
            file,
            event,
            line: None,
            problem: None,
            torn,
        };
        match serde_json::from_slice::<Line>(text) {
            Ok(line) if !torn => {
                scanned.problem = self.follow(&line);
                scanned.event = self.seq;
                scanned.line = Some(line);
            }
            Ok(_) => scanned.problem = Some("the line is incomplete".to_owned()),
            Err(error) => scanned.problem = Some(format!("invalid line: {error}")),
        }
        if scanned.line.is_none() {
            (self.seq, self.hashes) = (event, None);
        }
        scanned
    }

    /// Applies the next line; returns a problem, if any.
    fn follow(&mut self, line: &Line) -> Option<String> {
        let expected = self.next_event();
        let Some(hashes) = self.hashes.take() else {
            // Unreadable text may have contained several lines, so the line's own number counts.
            let misplaced = line.seq < expected;
            self.seq = line.seq.max(expected);
            self.hashes = (!misplaced).then(|| vec![line.hash]);
            return if misplaced {
                Some(format!("it contains event {}", line.seq))
            } else {
                line.check_payload().err()
            };
        };
        self.seq = expected;
        if line.seq != expected {
            return Some(format!("it contains event {}", line.seq));
        }
        let due: Vec<_> = hashes
            .iter()
            .map(|&previous| line.expected_hash(previous))
            .collect();
        let continues = due.contains(&line.hash);
        self.hashes = Some(if continues {
            vec![line.hash]
        } else {
            due.into_iter().chain([line.hash]).collect()
        });
        match line.check_payload() {
            Ok(()) if !continues => Some("broken hash chain".to_owned()),
            checked => checked.err(),
        }
    }
}

impl Iterator for Scan {
    type Item = Scanned;

    fn next(&mut self) -> Option<Scanned> {
        loop {
            if let Some(waiting) = self.waiting.pop_front() {
                return Some(waiting);
            }
            let Some(reader) = &mut self.open else {
                if self.open_next() {
                    continue;
                }
                return None;
            };
            match reader.line() {
                Ok(text) if text.is_empty() => self.open = None,
                Ok(text) => {
                    let file = reader.segment().file_name();
                    return Some(self.judge(file, &text));
                }
                Err(error) => {
                    let segment = reader.segment().clone();
                    self.lose_rest(&segment, &error.to_string());
                }
            }
        }
    }
}
