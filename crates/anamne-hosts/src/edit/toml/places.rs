//! Where tables and keys stand in a TOML text.

use std::ops::Range;

use toml_edit::{Item, Table};

use super::super::splice::{line_end, line_start, next_line, previous_end};

/// A header with the lines below it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Section {
    /// Where the header starts.
    pub(super) start: usize,
    /// Where the last value ends, or the header if there is none.
    pub(super) end: usize,
}

/// The sections of an item and of all that is inside of it, in the order of the text.
pub(super) fn sections(item: &Item) -> Vec<Section> {
    let mut found = Vec::new();
    collect(item, &mut found);
    found.sort_unstable();
    found
}

fn collect(item: &Item, found: &mut Vec<Section>) {
    match item {
        Item::Table(table) => collect_table(table, found),
        Item::ArrayOfTables(list) => list.iter().for_each(|table| collect_table(table, found)),
        _ => {}
    }
}

fn collect_table(table: &Table, found: &mut Vec<Section>) {
    found.extend(section(table));
    table.iter().for_each(|(_, item)| collect(item, found));
}

/// The section of a table with a header of its own.
pub(super) fn section(table: &Table) -> Option<Section> {
    if table.is_implicit() || table.is_dotted() {
        return None;
    }
    let header = table.span().filter(|span| !span.is_empty())?;
    let values = values(table);
    let end = values.last().map_or(header.end, |value| value.end);
    Some(Section {
        start: header.start,
        end,
    })
}

/// The ranges from key to value of the lines of a table, those of dotted keys too, in the order of the text.
pub(super) fn values(table: &Table) -> Vec<Range<usize>> {
    let mut found = Vec::new();
    collect_values(table, &mut found);
    found.sort_unstable_by_key(|range| range.start);
    found
}

fn collect_values(table: &Table, found: &mut Vec<Range<usize>>) {
    for (name, item) in table {
        match item {
            Item::Value(value) => {
                let key = table.key(name).and_then(toml_edit::Key::span);
                let ends = key.zip(value.span());
                found.extend(ends.map(|(key, value)| key.start..value.end));
            }
            Item::Table(inner) if inner.is_dotted() => collect_values(inner, found),
            _ => {}
        }
    }
}

/// Where a new section goes: after the text before `next`, the following section, apart from the comment right above it.
/// The place is the end of the last line that isn't empty, line ending included.
pub(super) fn section_place(text: &str, next: Option<Section>) -> usize {
    let before = next.map_or(text.len(), |next| with_comment(text, next.start));
    let used = text[..before].trim_end().len();
    if used == 0 {
        0
    } else {
        next_line(text, used).min(before)
    }
}

/// Where the comment right above a header starts; the header's line if there is none.
pub(super) fn with_comment(text: &str, header: usize) -> usize {
    let mut start = line_start(text, header);
    while let Some(end) = previous_end(text, start) {
        let above = line_start(text, end);
        if !text[above..end].trim_start().starts_with('#') {
            break;
        }
        start = above;
    }
    start
}

/// The lines of a section with the empty line above it.
pub(super) fn section_lines(text: &str, section: Section) -> Range<usize> {
    let mut start = line_start(text, section.start);
    let end = next_line(text, section.end);
    let ends_open = end == text.len() && !text.ends_with('\n');
    let above = previous_end(text, start).filter(|end| line_start(text, *end) == *end);
    start = above.unwrap_or(start);
    if ends_open {
        start = previous_end(text, start).unwrap_or(start);
    }
    start..end
}

/// What a line of a key and its value takes. A comment behind the value stays.
pub(super) fn value_line(text: &str, value: &Range<usize>) -> Range<usize> {
    let start = line_start(text, value.start);
    let end = line_end(text, value.end);
    if !text[value.end..end].trim().is_empty() {
        return start..value.end;
    }
    let end = next_line(text, value.end);
    if end == text.len() && !text.ends_with('\n') {
        return previous_end(text, start).unwrap_or(start)..end;
    }
    start..end
}
