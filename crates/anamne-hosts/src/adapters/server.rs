//! The entry of the MCP server.

use std::path::Path;

use serde_json::{Map, Value, json};

use super::drafts::{Drafts, keys};
use super::places::Places;
use super::snippet::{Snippet, is_table};
use super::table::Server;
use crate::edit::{Document, EditError};
use crate::plan::Connection;

/// The name of our entry.
const NAME: &str = "anamne";

/// The program and arguments of an entry.
type Command = (String, Vec<String>);

/// Adds or updates the entry; returns what the person has to add where set-up may not.
pub(super) fn set_up(
    server: &Server,
    places: Places<'_>,
    drafts: &mut Drafts,
    command: &Command,
) -> Option<Snippet> {
    let files = places.files(&server.person, &server.project);
    let usable = usable(server, &files, drafts);
    for path in &usable {
        drafts.edit(path, server.syntax.0, |document| {
            enter(server, document, command)
        });
    }
    let path = files.into_iter().next_back()?;
    if !usable.is_empty() || drafts.is_left(&path) {
        return None;
    }
    if server.checked {
        drafts.edit(&path, server.syntax.0, |document| {
            enter(server, document, command)
        });
        return None;
    }
    Snippet::of(path, server.syntax.0, |document| {
        enter(server, document, command)
    })
}

/// The existing files that may be changed.
fn usable(
    server: &Server,
    files: &[std::path::PathBuf],
    drafts: &mut Drafts,
) -> Vec<std::path::PathBuf> {
    let mut usable = files.to_vec();
    usable.retain(|path| {
        let document = drafts.document(path, server.syntax.0);
        document.is_some_and(|document| server.checked || is_table(document.as_ref(), &server.at))
    });
    usable
}

/// Writes the entry. Of an existing one only the command changes: a person may have added to the rest. One without a
/// command, such as an address, is replaced.
fn enter(server: &Server, document: &mut dyn Document, command: &Command) -> Result<(), EditError> {
    let entry = keys(&server.at, &[NAME]);
    let wanted = wanted(server, command);
    let old = document.get(&entry);
    if old.is_none_or(|old| old.get(&server.command).is_none()) {
        return document.set(&entry, &wanted);
    }
    for key in [&server.command, &server.arguments] {
        if let Some(value) = wanted.get(key) {
            document.set(&keys(&server.at, &[NAME, key]), value)?;
        }
    }
    Ok(())
}

fn wanted(server: &Server, (program, arguments): &Command) -> Value {
    let mut entry = server.fixed.clone();
    if server.arguments.is_empty() {
        let words: Vec<&String> = std::iter::once(program).chain(arguments).collect();
        entry.insert(server.command.clone(), json!(words));
    } else {
        entry.insert(server.command.clone(), json!(program));
        entry.insert(server.arguments.clone(), json!(arguments));
    }
    Value::Object(entry)
}

/// Takes the entry out, and the table of servers if nothing else is in it.
pub(super) fn remove(server: &Server, places: Places<'_>, drafts: &mut Drafts) {
    for path in places.files(&server.person, &server.project) {
        let entry = keys(&server.at, &[NAME]);
        let document = drafts.document(&path, server.syntax.0);
        if document.is_none_or(|document| document.get(&entry).is_none()) {
            continue;
        }
        drafts.edit(&path, server.syntax.0, |document| {
            document.remove(&entry)?;
            remove_empty(document, &server.at)
        });
        drafts.drop_if_empty(&path, &Map::new());
    }
}

/// Removes a table or list that has become empty.
pub(super) fn remove_empty(document: &mut dyn Document, at: &[String]) -> Result<(), EditError> {
    let at = keys(at, &[]);
    let is_empty = match document.get(&at) {
        Some(Value::Object(table)) => table.is_empty(),
        Some(Value::Array(list)) => list.is_empty(),
        _ => false,
    };
    if is_empty {
        document.remove(&at)?;
    }
    Ok(())
}

/// The connection over all files, and what keeps it from working.
pub(super) fn status(
    server: &Server,
    places: Places<'_>,
    drafts: &mut Drafts,
    command: &Command,
) -> (Connection, Vec<String>) {
    let mut warnings = Vec::new();
    let mut connections = Vec::new();
    for path in places.files(&server.person, &server.project) {
        let connection = connection(server, &path, drafts, command, &mut warnings);
        connections.push(connection);
    }
    let order = [Connection::Different, Connection::Current];
    let found = order.into_iter().find(|one| connections.contains(one));
    (found.unwrap_or(Connection::Absent), warnings)
}

fn connection(
    server: &Server,
    path: &Path,
    drafts: &mut Drafts,
    command: &Command,
    warnings: &mut Vec<String>,
) -> Connection {
    let Some(document) = drafts.document(path, server.syntax.0) else {
        return Connection::Absent;
    };
    let Some(entry) = document.get(&keys(&server.at, &[NAME])) else {
        return Connection::Absent;
    };
    if entry.get(&server.off.key) == Some(&json!(server.off.is)) {
        let path = path.display();
        warnings.push(format!("The entry {NAME} in {path} is switched off."));
    }
    let wanted = wanted(server, command);
    let same = |key: &String| entry.get(key) == wanted.get(key);
    if [&server.command, &server.arguments].into_iter().all(same) {
        Connection::Current
    } else {
        Connection::Different
    }
}
