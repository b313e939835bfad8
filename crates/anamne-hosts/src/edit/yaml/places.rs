//! Where the lines of YAML blocks stand.

use std::ops::Range;

use super::super::node::{Member, Node, Shape};
use super::super::splice::{line_end, line_start, next_line, previous_end};

/// Whether a collection stands between brackets.
pub(super) fn is_flow(text: &str, node: &Node) -> bool {
    let bracket = match node.shape {
        Shape::Scalar(_) => return false,
        Shape::Table(_) => (b'{', b'}'),
        Shape::List(_) => (b'[', b']'),
    };
    let bytes = &text.as_bytes()[node.span.clone()];
    // A block whose first key is a flow collection is refused by the reader, so that the first bracket is its own.
    bytes.len() > 1 && (bytes[0], bytes[bytes.len() - 1]) == bracket && !starts_with_entry(node)
}

/// Whether a collection starts with its first entry, not with a bracket before it.
fn starts_with_entry(node: &Node) -> bool {
    let first = node.spans().first().map(|span| span.start);
    first == Some(node.span.start)
}

/// After the colon of a key; `None` if it isn't on the key's line.
pub(super) fn after_colon(text: &str, member: &Member) -> Option<usize> {
    let rest = &text[member.key.end..];
    let blank = rest.len() - rest.trim_start_matches([' ', '\t']).len();
    rest[blank..]
        .starts_with(':')
        .then_some(member.key.end + blank + 1)
}

/// Where the content of a member ends.
pub(super) fn member_end(text: &str, member: &Member) -> usize {
    let colon = after_colon(text, member).unwrap_or(member.key.end);
    content_end(text, &member.node).max(colon)
}

/// Where the content of a value ends, without the line breaks and comments behind it.
pub(super) fn content_end(text: &str, node: &Node) -> usize {
    if is_flow(text, node) {
        return node.span.end;
    }
    match &node.shape {
        Shape::Scalar(_) => node.span.end,
        Shape::Table(members) => members
            .last()
            .map_or(node.span.end, |member| member_end(text, member)),
        Shape::List(items) => items
            .last()
            .map_or(node.span.end, |item| content_end(text, item)),
    }
}

/// The column of a block: the number of spaces before its first entry, with the dashes of lists around it. `None` if
/// there are tabs or anything else.
pub(super) fn column(text: &str, entry: usize) -> Option<usize> {
    let before = &text[line_start(text, entry)..entry];
    before
        .bytes()
        .all(|byte| matches!(byte, b' ' | b'-'))
        .then_some(before.len())
}

/// Where the dash of a list element stands. `None` if it isn't on the line of the element.
pub(super) fn dash(text: &str, item: &Node) -> Option<usize> {
    let before = &text[line_start(text, item.span.start)..item.span.start];
    let trimmed = before.trim_end_matches(' ');
    // An empty element starts at its dash's end.
    trimmed
        .ends_with('-')
        .then(|| item.span.start - before.len() + trimmed.len() - 1)
}

/// The lines of an entry that starts its line, from the line ending before them, or up to the next line at the start of the
/// text. A comment behind the entry stays.
pub(super) fn lines(text: &str, entry: Range<usize>) -> Range<usize> {
    let end = line_end(text, entry.end);
    if !text[entry.end..end].trim().is_empty() {
        return entry;
    }
    match previous_end(text, line_start(text, entry.start)) {
        Some(previous) => previous..end,
        None => 0..next_line(text, entry.end),
    }
}

/// Where the comment lines right below an entry end, or the entry's own line: those that are indented as entries at
/// `column` or inside of them. At the first column a comment belongs to what follows.
pub(super) fn after_comments(text: &str, entry: usize, column: usize) -> usize {
    let mut end = line_end(text, entry);
    loop {
        let start = next_line(text, end);
        let below = &text[start..line_end(text, start)];
        let comment = below.trim_start_matches(' ');
        let indentation = below.len() - comment.len();
        if !comment.starts_with('#') || indentation < column.max(1) {
            return end;
        }
        end = start + below.len();
    }
}
