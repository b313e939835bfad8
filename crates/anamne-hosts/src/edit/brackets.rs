//! Edits between brackets: JSON objects and arrays, TOML arrays and inline tables, YAML flow collections.
//!
//! An insertion leaves enough behind that the removal of the same entry knows what was there before: `{}`, `{ }`, a brace on
//! a line of its own. So the text after insertion and removal is the text before, byte for byte.

use std::ops::Range;

use super::splice::{Splice, indentation, lead, newline};

/// How comments start.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Comments {
    /// `//` and `/* */`.
    Slash,
    /// `#`.
    Hash,
}

/// The inside of a pair of brackets.
pub(super) struct Brackets<'t> {
    pub(super) text: &'t str,
    /// The bytes between the brackets.
    pub(super) inside: Range<usize>,
    /// The entries, in order.
    pub(super) entries: Vec<Range<usize>>,
    pub(super) comments: Comments,
    /// What stands between a bracket and an entry on one line: a space or nothing.
    pub(super) padding: &'static str,
}

/// What stands between two entries.
#[derive(Default)]
struct Gap {
    comma: Option<usize>,
    /// Where the last comment ends.
    comment_end: Option<usize>,
    /// Where the last comment of the first line ends.
    first_line_comment: Option<usize>,
    has_newline: bool,
    /// Where white space that reaches to the end of the gap starts.
    blank_from: usize,
    /// Whether a line comment is what precedes that white space.
    after_line_comment: bool,
}

impl Brackets<'_> {
    /// Whether the entries stand on lines of their own. `None` without entries.
    pub(super) fn is_multiline(&self) -> Option<bool> {
        let (first, last) = (self.entries.first()?, self.entries.last()?);
        let before = self.gap(self.inside.start..first.start);
        let after = self.gap(last.end..self.inside.end);
        Some(before.has_newline || after.has_newline)
    }

    /// Whether the brackets hold a line break, but no entry.
    pub(super) fn has_newline(&self) -> bool {
        self.text[self.inside.clone()].contains('\n')
    }

    /// The indentation of the entries, or of new ones if there is none.
    pub(super) fn inner_indentation(&self, unit: &str) -> String {
        let mut last = self.entries.iter().rev().take(16);
        let found = last.find_map(|entry| lead(self.text, entry.start));
        found.map_or_else(|| format!("{}{unit}", self.outer()), str::to_owned)
    }

    /// The indentation of the line of the opening bracket.
    fn outer(&self) -> &str {
        indentation(self.text, self.inside.start)
    }

    /// Adds an entry at the end: on a line of its own with this indentation, or on the same line.
    pub(super) fn insert(&self, entry: &str, indentation: Option<&str>) -> Vec<Splice> {
        let newline = newline(self.text);
        let open = indentation.map(|inner| format!("{newline}{inner}"));
        match self.entries.last() {
            None => {
                let close = indentation.map(|_| format!("{newline}{}", self.outer()));
                let open = open.unwrap_or_else(|| self.padding.to_owned());
                let close = close.unwrap_or_else(|| self.padding.to_owned());
                self.insert_first(&format!("{open}{entry}"), &close, indentation.is_some())
            }
            Some(last) => self.insert_after(last, entry, open.as_deref()),
        }
    }

    fn insert_first(&self, entry: &str, close: &str, is_multiline: bool) -> Vec<Splice> {
        let gap = self.gap(self.inside.clone());
        let closed = format!("{entry}{close}");
        let splice = match gap.comment_end {
            Some(end) if is_multiline && gap.has_newline => Splice::insert(end, entry),
            None if is_multiline && gap.has_newline => Splice::insert(self.inside.start, closed),
            _ => Splice::insert(self.inside.end, closed),
        };
        vec![splice]
    }

    fn insert_after(&self, last: &Range<usize>, entry: &str, open: Option<&str>) -> Vec<Splice> {
        let gap = self.gap(last.end..self.inside.end);
        let after_comma = gap.comma.map(|comma| comma + 1);
        let place = after_comma.unwrap_or(last.end);
        let trailing = if after_comma.is_some() { "," } else { "" };
        let mut splices = Vec::new();
        if after_comma.is_none() {
            splices.push(Splice::insert(last.end, ","));
        }
        let (place, open) = match open {
            Some(open) => (gap.first_line_comment.unwrap_or(place).max(place), open),
            None => (place, self.separator()),
        };
        splices.push(Splice::insert(place, format!("{open}{entry}{trailing}")));
        splices
    }

    /// What follows a comma on one line: what the first one is followed by.
    fn separator(&self) -> &'static str {
        let [first, second, ..] = self.entries.as_slice() else {
            return " ";
        };
        let between = &self.text[first.end..second.start];
        if between == "," { "" } else { " " }
    }

    /// Removes the entries with these indices, which ascend.
    pub(super) fn remove(&self, removed: &[usize]) -> Vec<Splice> {
        if removed.is_empty() {
            return Vec::new();
        }
        let mut is_kept = vec![true; self.entries.len()];
        for &index in removed {
            is_kept[index] = false;
        }
        let last_kept = is_kept.iter().rposition(|kept| *kept);
        let mut splices = Vec::new();
        for &index in removed {
            self.remove_entry(index, last_kept, &mut splices);
        }
        // The removed run at the end takes the comma before it along, unless it brings a comma of its own.
        if let Some(last) = last_kept.filter(|last| last + 1 < self.entries.len())
            && self.comma(self.entries.len() - 1).is_none()
        {
            splices.extend(self.comma(last).map(|at| Splice::delete(at..at + 1)));
        }
        if last_kept.is_none() {
            splices.extend(self.closing());
        }
        splices
    }

    fn comma(&self, index: usize) -> Option<usize> {
        self.gap(self.after(index)).comma
    }

    /// The gap before an entry, and the one after it.
    fn before(&self, index: usize) -> Range<usize> {
        let start = index.checked_sub(1).map(|index| self.entries[index].end);
        start.unwrap_or(self.inside.start)..self.entries[index].start
    }

    fn after(&self, index: usize) -> Range<usize> {
        let next = self.entries.get(index + 1);
        self.entries[index].end..next.map_or(self.inside.end, |next| next.start)
    }

    /// Removes an entry with the white space before it and the comma after it. Comments stay.
    fn remove_entry(&self, index: usize, last_kept: Option<usize>, splices: &mut Vec<Splice>) {
        let entry = self.entries[index].clone();
        let after = self.gap(self.after(index));
        let comma = after.comma;
        let end = comma.map_or(entry.end, |comma| comma + 1);
        let start = self.removed_from(index, last_kept, end);
        if start == entry.start && after.first_line_comment.is_some() {
            // The comment takes the place of the entry.
            let rest = self.text[end..].trim_start_matches([' ', '\t']);
            splices.push(Splice::delete(end..self.text.len() - rest.len()));
        }
        if self.is_first_on_line(index, last_kept)
            && let Some(next) = self.entries.get(index + 1)
        {
            splices.push(Splice::delete(entry.start..next.start));
            return;
        }
        splices.push(Splice::delete(start..entry.end));
        splices.extend(comma.map(|comma| Splice::delete(comma..comma + 1)));
    }

    /// Where the removal of an entry that ends at `end` starts.
    fn removed_from(&self, index: usize, last_kept: Option<usize>, end: usize) -> usize {
        let entry = &self.entries[index];
        let gap = self.gap(self.before(index));
        let blank = &self.text[gap.blank_from..entry.start];
        let rest = self.text[end..self.inside.end].trim_start_matches([' ', '\t']);
        let ends_line = rest.starts_with(['\n', '\r']);
        let followed_by_comment = rest.starts_with(['/', '#']);
        if blank.contains('\n') && (followed_by_comment || (gap.after_line_comment && !ends_line)) {
            return entry.start;
        }
        if last_kept.is_some() || index > 0 {
            return gap.blank_from;
        }
        match blank.rfind('\n') {
            Some(at) => gap.blank_from + at - usize::from(blank[..at].ends_with('\r')),
            None if blank.ends_with(self.padding) => entry.start - self.padding.len(),
            None => entry.start,
        }
    }

    /// Whether the next entry can take the place of this one, the first of a line.
    fn is_first_on_line(&self, index: usize, last_kept: Option<usize>) -> bool {
        let gap = self.gap(self.after(index));
        let is_plain = !gap.has_newline && gap.comment_end.is_none();
        index == 0 && last_kept.is_some() && is_plain
    }

    /// After the removal of all entries: the white space that the first insertion put before the closing bracket.
    fn closing(&self) -> Option<Splice> {
        let last = self.entries.len() - 1;
        if (1..=last).any(|index| self.gap(self.before(index)).comment_end.is_some()) {
            return None;
        }
        let before = self.gap(self.before(0));
        let blank = &self.text[before.blank_from..self.entries[0].start];
        let after = self.gap(self.after(last));
        let from = after
            .comma
            .map_or(self.entries[last].end, |comma| comma + 1);
        let rest = &self.text[from..self.inside.end];
        let close = match blank.rfind('\n') {
            Some(at) => {
                let removed = before.blank_from + at;
                let left = &self.text[self.inside.start..removed];
                if before.comment_end.is_some() && left.trim_end_matches('\r').contains('\n') {
                    return None;
                }
                let newline = if left.ends_with('\r') { "\r\n" } else { "\n" };
                format!("{newline}{}", self.outer())
            }
            None => self.padding.to_owned(),
        };
        let is_ours = rest.starts_with(&close) && !close.is_empty();
        is_ours.then(|| Splice::delete(from..from + close.len()))
    }

    /// Reads white space, comments and a comma. O(length of the range).
    fn gap(&self, range: Range<usize>) -> Gap {
        let bytes = self.text.as_bytes();
        let mut gap = Gap {
            blank_from: range.start,
            ..Gap::default()
        };
        let mut at = range.start;
        while at < range.end {
            if let Some(end) = self.comment(at, range.end) {
                gap.note_comment(end, &self.text[at..end]);
                at = end;
                continue;
            }
            match bytes[at] {
                b',' => gap.note_comma(at),
                b'\n' => gap.has_newline = true,
                _ => {}
            }
            at += 1;
        }
        gap
    }

    /// Where the comment that starts at `at` ends, before its line ending.
    fn comment(&self, at: usize, end: usize) -> Option<usize> {
        let rest = &self.text.as_bytes()[at..end];
        let line = || {
            let length = rest.iter().position(|byte| *byte == b'\n')?;
            Some(at + length - usize::from(rest[..length].ends_with(b"\r")))
        };
        match (self.comments, rest) {
            (Comments::Hash, [b'#', ..]) | (Comments::Slash, [b'/', b'/', ..]) => {
                Some(line().unwrap_or(end))
            }
            (Comments::Slash, [b'/', b'*', inner @ ..]) => {
                let length = inner.windows(2).position(|pair| pair == b"*/");
                Some(length.map_or(end, |length| at + length + 4))
            }
            _ => None,
        }
    }
}

impl Gap {
    fn note_comment(&mut self, end: usize, comment: &str) {
        if !self.has_newline {
            self.first_line_comment = Some(end);
        }
        let is_line = comment.starts_with("//") || comment.starts_with('#');
        self.has_newline |= comment.contains('\n');
        self.comment_end = Some(end);
        self.blank_from = end;
        self.after_line_comment = is_line;
    }

    fn note_comma(&mut self, at: usize) {
        self.comma = Some(at);
        self.blank_from = at + 1;
        self.after_line_comment = false;
    }
}
