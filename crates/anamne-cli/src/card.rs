//! Memories as they are shown to a person.

use anamne::Memory;

use crate::failure::Failure;
use crate::output::{CYAN, DIM, Output, paint};
use crate::wording::{at_most, one_line, wrapped};

/// What a memory is: its kind, and the category of a fact.
pub(crate) fn sort(memory: &Memory) -> String {
    match memory.body.category() {
        Some(category) => format!("{} ({category})", memory.kind()),
        None => memory.kind().to_string(),
    }
}

/// Author, place in its thread, date as given and tags, in one line. The kind is said unless it is a message.
pub(crate) fn origin(memory: &Memory, when: &str) -> String {
    let mut parts = Vec::new();
    if memory.kind() != anamne::Kind::Message {
        parts.push(sort(memory));
    }
    parts.extend(memory.author.as_deref().map(one_line));
    parts.extend(place(memory));
    parts.push(when.to_owned());
    if !memory.tags.is_empty() {
        parts.push(format!("#{}", memory.tags.join(" #")));
    }
    if memory.superseded_by.is_some() {
        parts.push("superseded".to_owned());
    }
    parts.join(" · ")
}

/// The thread and the place in it.
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
    let origin = wrapped(
        &origin(memory, &output.dates.absolute(memory.occurred_at)),
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

/// A text with an indent, wrapped, at most so many lines of it.
pub(crate) fn print_text(
    text: &str,
    indent: &str,
    most: usize,
    output: &mut Output,
) -> Result<(), Failure> {
    let width = output.width.saturating_sub(indent.len());
    for line in at_most(wrapped(text, width), most, width) {
        output.line(format_args!("{indent}{line}").to_string().trim_end())?;
    }
    Ok(())
}

/// Names and values in two columns; values are wrapped.
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
