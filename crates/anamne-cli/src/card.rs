//! Formats memories for a person.

use anamne::Memory;
use jiff::Timestamp;

use crate::failure::Failure;
use crate::output::{CYAN, DIM, Output, paint};
use crate::wording::{at_most, one_line, wrapped};

/// The kind of a memory, with the category of a fact in parentheses.
pub(crate) fn sort(memory: &Memory) -> String {
    match memory.body.category() {
        Some(category) => format!("{} ({category})", memory.kind()),
        None => memory.kind().to_string(),
    }
}

/// Author, position in its thread, date as given and tags, on one line; and the kind, unless it is `message`; whether it
/// is superseded, and has expired by `now`.
pub(crate) fn origin(memory: &Memory, when: &str, now: Timestamp) -> String {
    let mut parts = Vec::new();
    if memory.kind() != anamne::Kind::Message {
        parts.push(sort(memory));
    }
    parts.extend(memory.author.as_deref().map(one_line));
    parts.extend(place(memory));
    parts.push(when.to_owned());
    if !memory.tags.is_empty() {
        parts.push(format!("#{}", tags(memory).join(" #")));
    }
    if memory.superseded_by.is_some() {
        parts.push("superseded".to_owned());
    }
    if memory.has_expired(now) {
        parts.push("expired".to_owned());
    }
    parts.join(" · ")
}

/// The tags, each on one line.
pub(crate) fn tags(memory: &Memory) -> Vec<String> {
    memory.tags.iter().map(|tag| one_line(tag)).collect()
}

/// The thread, and the position in it.
pub(crate) fn place(memory: &Memory) -> Option<String> {
    let thread = one_line(memory.thread.as_deref()?);
    Some(match memory.position {
        Some(position) => format!("{thread} [{position}]"),
        None => thread,
    })
}

/// A memory in a list: citation and origin, then the beginning of its text.
pub(crate) fn print_row(memory: &Memory, output: &mut Output) -> Result<(), Failure> {
    let id = memory.citation();
    let width = output.width;
    let when = output.dates.absolute(memory.occurred_at);
    let origin = wrapped(
        &origin(memory, &when, output.dates.now),
        width.saturating_sub(id.len() + 2),
    );
    for (index, line) in origin.iter().enumerate() {
        let head = if index == 0 {
            paint(CYAN, &id)
        } else {
            " ".repeat(id.len())
        };
        output.line(format_args!("{head}  {}", paint(DIM, line)))?;
    }
    print_text(&memory.content, "    ", 2, output)
}

/// The prefix of each line of a memory's text, so that none of them can look like a line about the memory.
pub(crate) const MARK: &str = "│ ";

/// The indent before the mark.
pub(crate) const MARK_INDENT: &str = "  ";

/// Prints a memory's text with an indent that includes the mark, wrapped, at most `most` lines.
pub(crate) fn print_text(
    text: &str,
    indent: &str,
    most: usize,
    output: &mut Output,
) -> Result<(), Failure> {
    let width = output.width.saturating_sub(indent.len());
    let margin = " ".repeat(indent.len().saturating_sub(MARK_INDENT.len()));
    for line in at_most(wrapped(text, width), most, width) {
        let marked = format!("{margin}{}{line}", paint(DIM, MARK));
        output.line(marked)?;
    }
    Ok(())
}

/// Prints a list item with an indent, wrapped, at most `most` lines; continuation lines are indented further.
pub(crate) fn print_item(
    text: &str,
    indent: &str,
    most: usize,
    output: &mut Output,
) -> Result<(), Failure> {
    let width = output.width.saturating_sub(indent.len() + 2);
    let lines = at_most(wrapped(text, width), most, width);
    for (place, line) in lines.iter().enumerate() {
        let further = if place == 0 { "" } else { "  " };
        output.line(format_args!("{indent}{further}{line}"))?;
    }
    Ok(())
}

/// Prints names and values in two columns; values are wrapped.
pub(crate) fn print_table(
    rows: &[(&str, String)],
    indent: &str,
    output: &mut Output,
) -> Result<(), Failure> {
    let column = rows.iter().map(|(name, _)| name.len()).max().unwrap_or(0);
    let width = output.width.saturating_sub(indent.len() + column + 2);
    for (name, value) in rows {
        for (index, line) in wrapped(value, width).iter().enumerate() {
            let name = if index == 0 { name } else { "" };
            let name = paint(DIM, format_args!("{name:column$}"));
            output.line(format_args!("{indent}{name}  {line}"))?;
        }
    }
    Ok(())
}
