//! The state of one pass over a text.

use std::cell::Cell;
use std::ops::Range;

use super::assignments::{Connections, Verdicts};
use super::steps;
use crate::{DataKind, Finding};

/// How well a finding is founded; better ones win where they overlap.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Basis {
    /// A vendor's format.
    Format,
    /// A structure: a key file, a header, a URL.
    Structure,
    /// A name that says so.
    Name,
    /// Its look and the words around it.
    Context,
    /// The same value elsewhere in the text.
    Repeat,
}

/// How much a detector has read of a part of a text. Ordinary texts cause a detector to read each byte a few times at most; one
/// that is full of what it looks for would cause it to read each byte hundreds of times. The rest of such a part is not read by it.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Effort {
    until: usize,
    spent: usize,
}

impl Effort {
    /// The length of a part.
    const PART: usize = 4_096;

    /// Whether a detector may read at a place, which it does this many times at most for each byte.
    pub(super) fn may_read(&mut self, at: usize, times: usize) -> bool {
        if at >= self.until {
            let until = at + Self::PART;
            *self = Self { until, spent: 0 };
        }
        self.spent < times * Self::PART
    }

    /// Counts what was read.
    pub(super) fn add(&mut self, bytes: usize) {
        self.spent += bytes;
    }
}

/// What detectors have read.
#[derive(Debug, Default)]
pub(super) struct Efforts {
    pub(super) formats: Effort,
    pub(super) credentials: Effort,
    pub(super) calls: Effort,
    pub(super) hashes: Effort,
    pub(super) names: Effort,
    pub(super) values: Effort,
}

/// Places that don't overlap, in order.
pub(super) struct Places(Vec<Range<usize>>);

impl Places {
    /// Whether one of them overlaps a place. O(log n).
    pub(super) fn overlap(&self, place: &Range<usize>) -> bool {
        let after = self.0.partition_point(|one| one.end <= place.start);
        self.0.get(after).is_some_and(|one| one.start < place.end)
    }
}

/// A text and what was found in it.
pub(super) struct Scan<'text> {
    pub(super) text: &'text str,
    pub(super) bytes: &'text [u8],
    found: Vec<(Basis, Finding)>,
    /// Where the name that was read last ends: anchors before it belong to the same name.
    pub(super) name_end: usize,
    /// Where the key file, token, cookies and record that were read last end.
    pub(super) block_end: usize,
    pub(super) token_end: usize,
    pub(super) cookie_end: usize,
    pub(super) record_end: usize,
    pub(super) pipe_end: usize,
    pub(super) call_end: usize,
    /// Where the last command ends that sets the names after it.
    pub(super) setter_end: usize,
    /// Where the line begins that was read last as the header of a table, and how many of its columns were read.
    pub(super) table_header: (usize, usize),
    /// Up to where each command has been read.
    pub(super) command_ends: Vec<usize>,
    pub(super) efforts: Efforts,
    /// What was said about words near names.
    pub(super) verdicts: Verdicts,
    pub(super) connections: Connections,
    /// Where the line begins that was asked for last, and up to where it was read.
    line_before: Cell<(usize, usize)>,
    /// The part of a line without a break that was read last.
    line_after: Cell<(usize, usize)>,
}

impl<'text> Scan<'text> {
    pub(super) fn new(text: &'text str) -> Self {
        Self {
            text,
            bytes: text.as_bytes(),
            found: Vec::new(),
            name_end: 0,
            block_end: 0,
            token_end: 0,
            cookie_end: 0,
            record_end: 0,
            pipe_end: 0,
            call_end: 0,
            setter_end: 0,
            table_header: (usize::MAX, 0),
            command_ends: Vec::new(),
            efforts: Efforts::default(),
            verdicts: Verdicts::default(),
            connections: Connections::default(),
            line_before: Cell::new((0, 0)),
            line_after: Cell::new((0, 0)),
        }
    }

    /// The text of a place; empty if it isn't on character boundaries.
    pub(super) fn slice(&self, span: &Range<usize>) -> &'text str {
        self.text.get(span.clone()).unwrap_or_default()
    }

    /// Records a finding if its place is on character boundaries and not empty.
    pub(super) fn add(&mut self, basis: Basis, kind: DataKind, span: Range<usize>) {
        if !self.slice(&span).is_empty() {
            self.found.push((basis, Finding { kind, span }));
        }
    }

    /// Where the line of a place begins, at most `most` bytes before it. O(1), amortised over places that follow one another.
    pub(super) fn line_start(&self, at: usize, most: usize) -> usize {
        let least = at.saturating_sub(most);
        let (known, done) = self.line_before.get();
        let is_known = known <= at && least <= done;
        let from = if is_known { done.min(at) } else { least };
        let unread = &self.bytes[from..at];
        steps::count(unread.len());
        let (start, done) = match unread.iter().rposition(|byte| *byte == b'\n') {
            Some(length) => (from + length + 1, at),
            None if is_known => (known, done.max(at)),
            None => return least,
        };
        self.line_before.set((start, done));
        start.max(least)
    }

    /// Where the line of a place ends, at most `most` bytes after it. O(1), amortised over places that follow one another.
    pub(super) fn line_end(&self, at: usize, most: usize) -> usize {
        let until = self.bytes.len().min(at.saturating_add(most)).max(at);
        let (known, done) = self.line_after.get();
        let is_known = (known..=done).contains(&at);
        let (known, done) = if is_known { (known, done) } else { (at, at) };
        let from = done.min(until);
        let unread = self.bytes.get(from..until).unwrap_or_default();
        let is_break = |byte: &u8| matches!(byte, b'\n' | b'\r');
        let length = unread.iter().position(is_break).unwrap_or(unread.len());
        steps::count(length);
        self.line_after.set((known, done.max(from + length)));
        if unread.is_empty() {
            until
        } else {
            from + length
        }
    }

    /// Whether a literal stands at a place.
    pub(super) fn has(&self, at: usize, literal: &str) -> bool {
        self.bytes
            .get(at..)
            .is_some_and(|rest| rest.starts_with(literal.as_bytes()))
    }

    /// What was found so far.
    pub(super) fn found(&self) -> impl Iterator<Item = &Finding> {
        self.found.iter().map(|(_, finding)| finding)
    }

    /// Where something was found. O(n log n).
    pub(super) fn found_places(&self) -> Places {
        let mut places: Vec<_> = self.found().map(|finding| finding.span.clone()).collect();
        places.sort_by_key(|place| place.start);
        places.dedup_by(|next, last| {
            let is_in_reach = next.start <= last.end;
            if is_in_reach {
                last.end = last.end.max(next.end);
            }
            is_in_reach
        });
        Places(places)
    }

    /// The findings; of those that overlap, a weaker one inside a better one is dropped. O(n log n).
    pub(super) fn finish(mut self) -> Vec<Finding> {
        self.found.sort_by_key(|(basis, finding)| {
            (
                finding.span.start,
                std::cmp::Reverse(finding.span.end),
                *basis,
            )
        });
        let mut kept: Vec<(Basis, Finding)> = Vec::with_capacity(self.found.len());
        for (basis, finding) in self.found {
            let is_covered = kept.last().is_some_and(|(other, last)| {
                last.span == finding.span || (last.span.end >= finding.span.end && *other <= basis)
            });
            if !is_covered {
                kept.push((basis, finding));
            }
        }
        kept.into_iter().map(|(_, finding)| finding).collect()
    }
}
