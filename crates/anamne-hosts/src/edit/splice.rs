//! Ranges of a text: lines, line endings, and what is cut out or put in.

use std::ops::Range;

/// Text that replaces a range of another text.
pub(super) struct Splice {
    pub(super) range: Range<usize>,
    pub(super) text: String,
}

impl Splice {
    pub(super) fn insert(at: usize, text: impl Into<String>) -> Self {
        Self::replace(at..at, text)
    }

    pub(super) fn delete(range: Range<usize>) -> Self {
        Self::replace(range, "")
    }

    pub(super) fn replace(range: Range<usize>, text: impl Into<String>) -> Self {
        let text = text.into();
        Self { range, text }
    }
}

/// The text after all splices. Those at one place apply in their order; what overlaps is cut once. O(length).
pub(super) fn spliced(text: &str, mut splices: Vec<Splice>) -> String {
    splices.sort_by_key(|splice| splice.range.start);
    let mut result = String::with_capacity(text.len() + 256);
    let mut copied = 0;
    for splice in splices {
        result.push_str(text.get(copied..splice.range.start).unwrap_or_default());
        result.push_str(&splice.text);
        copied = copied.max(splice.range.end);
    }
    result.push_str(text.get(copied..).unwrap_or_default());
    result
}

/// The line ending of the text: that of its first line.
pub(super) fn newline(text: &str) -> &'static str {
    match text.find('\n') {
        Some(at) if text[..at].ends_with('\r') => "\r\n",
        _ => "\n",
    }
}

/// Where the line of `at` starts.
pub(super) fn line_start(text: &str, at: usize) -> usize {
    text[..at].rfind('\n').map_or(0, |newline| newline + 1)
}

/// Where the line of `at` ends, before its line ending.
pub(super) fn line_end(text: &str, at: usize) -> usize {
    let Some(length) = text[at..].find('\n') else {
        return text.len();
    };
    let end = at + length;
    end - usize::from(end > at && text[..end].ends_with('\r'))
}

/// Where the line after that of `at` starts; the end of the text if there is none.
pub(super) fn next_line(text: &str, at: usize) -> usize {
    text[at..]
        .find('\n')
        .map_or(text.len(), |length| at + length + 1)
}

/// Where the line before the one that starts at `start` ends, before its line ending; `None` at the first line.
pub(super) fn previous_end(text: &str, start: usize) -> Option<usize> {
    let before = text[..start].strip_suffix('\n')?;
    Some(before.strip_suffix('\r').unwrap_or(before).len())
}

/// The spaces and tabs at the start of the line of `at`.
pub(super) fn indentation(text: &str, at: usize) -> &str {
    let line = &text[line_start(text, at)..];
    let rest = line.trim_start_matches([' ', '\t']);
    &line[..line.len() - rest.len()]
}

/// The part of the line of `at` before `at`, if it is spaces and tabs alone.
pub(super) fn lead(text: &str, at: usize) -> Option<&str> {
    let lead = &text[line_start(text, at)..at];
    let is_blank = lead.bytes().all(|byte| matches!(byte, b' ' | b'\t'));
    is_blank.then_some(lead)
}
