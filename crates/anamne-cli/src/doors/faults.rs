//! What is wrong with the table, and what to do about it.

use std::collections::BTreeSet;
use std::fmt::Write;

use super::known::{Known, has_test, mentions, test_file};
use super::table::{Door, Entry, HOOKS_REASON, PLACE, Row, Table};

/// All faults of the table, each with what to do.
pub(super) fn all(table: &Table, known: &Known) -> Vec<String> {
    let mut faults = Vec::new();
    for door in Door::ALL {
        faults.extend(unlisted(table, known, door));
        for row in table.rows() {
            faults.extend(of_entry(table, known, row, door));
        }
    }
    faults.extend(unused_reasons(table));
    faults
}

/// What exists and is in no row.
fn unlisted(table: &Table, known: &Known, door: Door) -> Vec<String> {
    let entries = table.rows().filter_map(|row| row.entry(door));
    let listed: BTreeSet<&str> = entries
        .flat_map(|entry| &entry.calls)
        .map(String::as_str)
        .collect();
    let missing = known.required(door).into_iter();
    missing
        .filter(|name| !listed.contains(name))
        .map(|name| {
            format!(
                "`{name}` of {} is in no row of crates/{PLACE}. Add it to the `calls` of a row, or add a row \
                 to a topic:\n\n{}",
                door.name(),
                example(door, name)
            )
        })
        .collect()
}

/// A row to fill in.
fn example(door: Door, name: &str) -> String {
    let mut row = "[[topic.row]]\ndoes = \"WHAT IT DOES\"\n".to_owned();
    for other in [Door::Rust, Door::CommandLine, Door::Mcp, Door::Rest] {
        let call = if other == door { name } else { "CALL" };
        let rest = format!("calls = [\"{call}\"], tests = [\"FILE.rs::TEST\"]");
        let _ = writeln!(row, "{} = {{ {rest} }}", other.key());
    }
    row + "# Where an interface has none: mcp = { none = \"WORD OF [reasons]\" }"
}

/// What is wrong with what a row says of one interface.
fn of_entry(table: &Table, known: &Known, row: &Row, door: Door) -> Vec<String> {
    let (does, name) = (&row.does, door.name());
    let Some(entry) = row.entry(door) else {
        let is_hooks = door == Door::Hooks;
        let fault = format!(
            "The row {does:?} says nothing about {name}. Add `{} = {{ calls = [\"CALL\"], tests = [\"FILE.rs::TEST\"] }}` \
             or `{} = {{ none = \"WORD OF [reasons]\" }}`.",
            door.key(),
            door.key()
        );
        return (!is_hooks).then_some(fault).into_iter().collect();
    };
    if let Some(reason) = &entry.none {
        return without(table, entry, reason, does, name);
    }
    if entry.calls.is_empty() || entry.tests.is_empty() {
        return vec![format!(
            "The row {does:?} needs `calls` and `tests` for {name}, or `none` with a reason."
        )];
    }
    let gone = entry.calls.iter().filter(|call| !known.has(door, call));
    let gone = gone.map(|call| {
        format!(
            "The row {does:?} names `{call}`, which does not exist in {name}. Correct or remove it."
        )
    });
    gone.chain(of_tests(entry, does, door)).collect()
}

fn without(table: &Table, entry: &Entry, reason: &str, does: &str, name: &str) -> Vec<String> {
    let mut faults = Vec::new();
    if !entry.calls.is_empty() || !entry.tests.is_empty() {
        faults.push(format!(
            "The row {does:?} has both calls and a reason that there are none for {name}; keep one."
        ));
    }
    if !table.reasons.contains_key(reason) {
        let words: Vec<&str> = table.reasons.keys().map(String::as_str).collect();
        faults.push(format!(
            "The row {does:?}: [reasons] has no reason `{reason}`; it has {}.",
            words.join(", ")
        ));
    }
    faults
}

/// Tests that don't exist, and calls that none of them mentions.
fn of_tests(entry: &Entry, does: &str, door: Door) -> Vec<String> {
    let mut faults = Vec::new();
    let mut sources = Vec::new();
    for test in &entry.tests {
        let named = test.split_once("::");
        let source = named.and_then(|(file, name)| Some((test_file(door, file)?, name)));
        match source {
            Some((source, name)) if has_test(&source, name) => sources.push(source),
            _ => faults.push(format!(
                "The row {does:?} names the test `{test}`, which does not exist in crates/{}.",
                door.tests()
            )),
        }
    }
    let unproved = entry.calls.iter().filter(|call| {
        let mut sources = sources.iter();
        !sources.any(|source| mentions(source, door, call))
    });
    faults.extend(unproved.map(|call| {
        format!(
            "The row {does:?}: none of its tests of {} mentions `{call}`. Name a test that calls it, or write one.",
            door.name()
        )
    }));
    faults
}

fn unused_reasons(table: &Table) -> Vec<String> {
    let entries = table
        .rows()
        .flat_map(|row| Door::ALL.into_iter().filter_map(|door| row.entry(door)));
    let mut used: BTreeSet<&str> = entries.filter_map(|entry| entry.none.as_deref()).collect();
    used.insert(HOOKS_REASON);
    let unused = table
        .reasons
        .keys()
        .filter(|word| !used.contains(word.as_str()));
    unused
        .map(|word| format!("No row uses the reason `{word}`; remove it from [reasons]."))
        .collect()
}
