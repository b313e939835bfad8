//! Passwords in the columns of tables: Markdown, CSV and TSV, and the rows of `COPY … FROM stdin`.

use std::ops::Range;

use super::judge::{Place, is_secret};
use super::names::{Class, Name};
use super::places::is_unlike_a_word;
use crate::secrets::scan::{Basis, Scan};
use crate::secrets::shape::Shape;
use crate::secrets::steps;

/// The longest header or row that is read, in bytes.
const MOST: usize = 240;
/// The rows that are read.
const MOST_ROWS: usize = 6;
/// The columns of a table that are read.
const MOST_COLUMNS: usize = 4;

/// Looks for values in the column that a name heads; whether there are any.
pub(super) fn find(scan: &mut Scan, name: &Name) -> bool {
    if !matches!(
        name.class,
        Class::Password | Class::ShortPassword | Class::Secret | Class::Key
    ) || !is_cell(scan, &name.span)
    {
        return false;
    }
    let start = scan.line_start(name.span.start, MOST);
    let end = scan.line_end(name.span.end, MOST);
    if !is_whole(scan, start, end) || is_exhausted(scan, start) {
        return false;
    }
    let header = super::floor(scan, start, end);
    let Some(separator) = separator(scan.slice(&header)) else {
        return false;
    };
    let column = cells(scan, &header, separator)
        .iter()
        .position(|cell| cell.start <= name.span.start && name.span.end <= cell.end);
    let Some(column) = column else {
        return false;
    };
    let width = cells(scan, &header, separator).len();
    let (mut at, mut is_found) = (end, false);
    for _ in 0..MOST_ROWS {
        let Some(row) = next_line(scan, at) else {
            break;
        };
        at = row.end;
        let cells = cells(scan, &row, separator);
        if cells.len() != width {
            break;
        }
        let value = cells[column].clone();
        let text = scan.slice(&value);
        if is_likely(text, separator)
            && is_secret(text, name.class, Place::Quoted { is_label: false })
        {
            scan.add(Basis::Name, name.kind(), value);
            is_found = true;
        }
    }
    is_found
}

/// Whether a place is a whole line.
fn is_whole(scan: &Scan, start: usize, end: usize) -> bool {
    let begins = start == 0 || scan.bytes[start - 1] == b'\n';
    begins && matches!(scan.bytes.get(end), Some(b'\n' | b'\r'))
}

/// Whether enough columns of the header that begins at a place were read, so that a hostile header costs little.
fn is_exhausted(scan: &mut Scan, start: usize) -> bool {
    if scan.table_header.0 != start {
        scan.table_header = (start, 0);
    }
    scan.table_header.1 += 1;
    scan.table_header.1 > MOST_COLUMNS
}

/// Whether a cell may be a secret. Commas also stand between the arguments of calls, so that a value there must look generated.
fn is_likely(text: &str, separator: char) -> bool {
    let shape = Shape::of(text);
    let is_strong = shape.sorts() >= 3 || shape.is_random(12);
    let is_part = |byte: u8| byte.is_ascii_lowercase() || byte.is_ascii_digit() || byte == b'_';
    let is_name =
        text.bytes().filter(|byte| *byte == b'_').count() >= 2 && text.bytes().all(is_part);
    is_unlike_a_word(text)
        && !is_name
        && (separator == '|' || (is_strong && !text.contains(['=', '(', '<'])))
}

/// Whether a separator or the end of the line follows a name, and a separator or the line's start precedes it.
fn is_cell(scan: &Scan, name: &Range<usize>) -> bool {
    let is_edge = |byte: Option<&u8>| {
        matches!(
            byte,
            None | Some(b'|' | b',' | b'\t' | b';' | b'\n' | b'\r' | b')' | b'(')
        )
    };
    let skip = |byte: &&u8| matches!(byte, b' ' | b'"' | b'*');
    let after = scan.bytes[name.end..]
        .iter()
        .take(8)
        .find(|byte| !skip(byte));
    let before = scan.bytes[..name.start]
        .iter()
        .rev()
        .take(8)
        .find(|byte| !skip(byte));
    steps::count(16);
    is_edge(after) && is_edge(before)
}

/// What separates the cells of a header: all cells are names.
fn separator(header: &str) -> Option<char> {
    let separator = ['|', '\t', ',', ';']
        .into_iter()
        .find(|one| header.contains(*one))?;
    let is_name = |cell: &str| {
        let cell = cell.trim_matches([' ', '"', '*', '`']);
        cell.len() <= 32
            && cell
                .chars()
                .all(|one| one.is_alphanumeric() || " _-/".contains(one))
    };
    let is_empty = |cell: &&str| cell.trim_matches([' ', '"']).is_empty();
    let (empty, named): (Vec<&str>, Vec<&str>) = header.split(separator).partition(is_empty);
    let is_code =
        separator != '|' && (!empty.is_empty() || header.starts_with([' ', '\t', '"', '\'']));
    (named.len() >= 2 && !is_code && named.into_iter().all(is_name)).then_some(separator)
}

/// The cells of a row without blanks, quotes and code marks around them.
fn cells(scan: &Scan, row: &Range<usize>, separator: char) -> Vec<Range<usize>> {
    let text = scan.slice(row);
    let mut start = row.start;
    let mut all = Vec::new();
    for cell in text.split(separator) {
        let is_edge = [' ', '"', '`', '\'', '*', '\r'];
        let lead = cell.len() - cell.trim_start_matches(is_edge).len();
        let bare = cell.trim_matches(is_edge);
        all.push(start + lead..start + lead + bare.len());
        start += cell.len() + 1;
    }
    all
}

/// The line after a place, if it isn't longer than a row may be; a line of hyphens is skipped.
fn next_line(scan: &Scan, at: usize) -> Option<Range<usize>> {
    let mut start = at;
    for _ in 0..2 {
        start += match scan.bytes.get(start..) {
            Some([b'\r', b'\n', ..]) => 2,
            Some([b'\n', ..]) => 1,
            _ => return None,
        };
        let end = scan.line_end(start, MOST);
        let line = super::floor(scan, start, end);
        let text = scan.slice(&line);
        let is_rule = !text.is_empty() && text.bytes().all(|byte| b"|-: +".contains(&byte));
        if !is_rule {
            return (!text.is_empty() && matches!(scan.bytes.get(end), None | Some(b'\n' | b'\r')))
                .then_some(line);
        }
        start = end;
    }
    None
}
