//! The page `docs/doors.md`.

use std::fmt::Write;

use super::known::Known;
use super::table::{Door, Entry, HOOKS_REASON, PLACE, Row, Table};

/// The page for a table.
pub(super) fn of(table: &Table, known: &Known) -> String {
    let mut page = format!(
        "# What Anamne can do, and where\n\n\
         In the Rust crate `anamne`, on the command line, as an MCP tool, as a REST endpoint, and in the hooks of agent\n\
         hosts. Generated from `crates/{PLACE}`, which also names the tests of\n\
         every row; a test fails when a public method, a command, a tool, a route or an event is missing here.\n\n\
         A tool with a set in brackets is offered by `anamne mcp --tools SET`; the others are always offered. The word\n\
         after a tool is the argument that does it. A word in italics says why there is nothing; it is explained at\n\
         the end.\n"
    );
    for topic in &table.topics {
        let _ = write!(
            page,
            "\n## {}\n\n| capability | Rust | command | MCP | REST | hooks |\n|---|---|---|---|---|---|\n",
            topic.name
        );
        for row in &topic.rows {
            push_row(&mut page, row, known);
        }
    }
    page.push_str("\n## Why there is nothing\n\n| word | reason |\n|---|---|\n");
    for (word, reason) in &table.reasons {
        let _ = writeln!(page, "| *{word}* | {reason} |");
    }
    page
}

fn push_row(page: &mut String, row: &Row, known: &Known) {
    let cell = |door: Door| match row.entry(door) {
        Some(entry) => cell(entry, |call| shown(door, call, known)),
        None => format!("*{HOOKS_REASON}*"),
    };
    let _ = writeln!(
        page,
        "| {} | {} | {} | {} | {} | {} |",
        row.does,
        cell(Door::Rust),
        cell(Door::CommandLine),
        cell(Door::Mcp),
        cell(Door::Rest),
        cell(Door::Hooks)
    );
}

fn cell(entry: &Entry, shown: impl Fn(&str) -> String) -> String {
    if let Some(word) = &entry.none {
        return format!("*{word}*");
    }
    let calls: Vec<String> = entry.calls.iter().map(|call| shown(call)).collect();
    calls.join(", ")
}

fn shown(door: Door, call: &str, known: &Known) -> String {
    let sets = match door {
        Door::Mcp => known.sets(call),
        _ => &[],
    };
    if sets.is_empty() {
        format!("`{call}`")
    } else {
        format!("`{call}` ({})", sets.join(", "))
    }
}
