//! The entry of the MCP server.

use std::path::Path;

use serde_json::{Map, Value, json};

use super::drafts::{Drafts, keys};
use super::places::Places;
use super::snippet::{Snippet, is_table};
use super::table::Server;
use crate::edit::{self, Document, EditError, Syntax};
use crate::plan::Connection;

/// The name of our entry.
const NAME: &str = "anamne";

/// The argument that starts the server.
const START: &str = "mcp";

/// The options before it that set-up writes itself, each with a value.
const OPTIONS: [&str; 2] = ["--store", "--space"];

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

/// Writes the entry. Of an existing one only the command changes, and its arguments stay: a person may have added to them
/// and to the rest. One without a command, such as an address, is replaced.
fn enter(server: &Server, document: &mut dyn Document, command: &Command) -> Result<(), EditError> {
    let entry = keys(&server.at, &[NAME]);
    let old = document.get(&entry);
    let wanted = wanted(server, command, old.as_ref());
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

/// The entry that set-up writes in place of an old one.
fn wanted(server: &Server, (program, arguments): &Command, old: Option<&Value>) -> Value {
    let old = old.and_then(|entry| arguments_of(server, entry));
    let arguments = with_own(arguments, &old.unwrap_or_default());
    let mut entry = server.fixed.clone();
    if server.arguments.is_empty() {
        let words: Vec<&String> = std::iter::once(program).chain(&arguments).collect();
        entry.insert(server.command.clone(), json!(words));
    } else {
        entry.insert(server.command.clone(), json!(program));
        entry.insert(server.arguments.clone(), json!(arguments));
    }
    Value::Object(entry)
}

/// The arguments of an entry; `None` if it isn't a list of texts.
fn arguments_of(server: &Server, entry: &Value) -> Option<Vec<String>> {
    let (key, program) = if server.arguments.is_empty() {
        (&server.command, 1)
    } else {
        (&server.arguments, 0)
    };
    let words = entry.get(key)?.as_array()?.iter().skip(program);
    words.map(|word| word.as_str().map(str::to_owned)).collect()
}

/// The arguments that set-up wants, with those that the entry of a person has beside them. Of an option that set-up gives,
/// its value counts.
fn with_own(wanted: &[String], old: &[String]) -> Vec<String> {
    let Some((_, given)) = wanted
        .split_last()
        .filter(|_| old.iter().any(|word| word == START))
    else {
        return wanted.to_vec();
    };
    let is_given = |word: &str| given.iter().step_by(2).any(|option| option == word);
    let mut arguments = given.to_vec();
    let mut words = old.iter();
    while let Some(word) = words.next() {
        let (option, value) = word.split_once('=').unwrap_or((word, ""));
        if !is_given(option) {
            arguments.push(word.clone());
        } else if value.is_empty() {
            words.next();
        }
    }
    arguments
}

/// What a person added to the arguments that set-up writes; empty if nothing. Options before [`START`] may be of set-up.
fn own(arguments: &[String]) -> &[String] {
    let mut rest = arguments;
    while let [option, _, more @ ..] = rest
        && OPTIONS.contains(&option.as_str())
    {
        rest = more;
    }
    match rest {
        [start] if start == START => &[],
        _ if arguments.iter().any(|word| word == START) => arguments,
        _ => &[],
    }
}

/// Takes the entry out, and the table of servers if set-up made it and nothing else is in it. An entry with arguments of a
/// person stays; returns what the person is told of it.
pub(super) fn remove(server: &Server, places: Places<'_>, drafts: &mut Drafts) -> Vec<String> {
    let mut staying = Vec::new();
    for path in places.files(&server.person, &server.project) {
        let entry = keys(&server.at, &[NAME]);
        let document = drafts.document(&path, server.syntax.0);
        let Some(old) = document.and_then(|document| document.get(&entry)) else {
            continue;
        };
        if !own(&arguments_of(server, &old).unwrap_or_default()).is_empty() {
            let path = path.display();
            staying.push(format!(
                "The entry {NAME} in {path} has arguments that set-up didn't write, so it stays: take it out if you don't need it."
            ));
            continue;
        }
        let was_there = drafts.was_there(&path, server.syntax.0, &server.at);
        drafts.edit(&path, server.syntax.0, |document| {
            document.remove(&entry)?;
            if was_there {
                return Ok(());
            }
            remove_empty(document, server.syntax.0, &server.at)
        });
        drafts.drop_if_empty(&path, &Map::new());
    }
    staying
}

/// Removes a table or list that has become empty, unless a comment is in it.
pub(super) fn remove_empty(
    document: &mut dyn Document,
    syntax: Syntax,
    at: &[String],
) -> Result<(), EditError> {
    let at = keys(at, &[]);
    let is_empty = match document.get(&at) {
        Some(Value::Object(table)) => table.is_empty(),
        Some(Value::Array(list)) => list.is_empty(),
        _ => false,
    };
    if !is_empty {
        return Ok(());
    }
    let before = document.text();
    let mut without = edit::open(syntax, &before)?;
    without.remove(&at)?;
    if !has_comment(removed(&before, &without.text()), syntax) {
        document.remove(&at)?;
    }
    Ok(())
}

/// The part of a text that another one lacks.
fn removed<'a>(before: &'a str, after: &str) -> &'a [u8] {
    let (before, after) = (before.as_bytes(), after.as_bytes());
    let same = |one: &mut dyn Iterator<Item = (&u8, &u8)>| one.take_while(|(a, b)| a == b).count();
    let head = same(&mut before.iter().zip(after));
    let (rest, other) = (&before[head..], &after[head..]);
    let tail = same(&mut rest.iter().rev().zip(other.iter().rev()));
    &rest[..rest.len() - tail]
}

fn has_comment(text: &[u8], syntax: Syntax) -> bool {
    match syntax {
        Syntax::Json => text.windows(2).any(|two| two == b"//" || two == b"/*"),
        Syntax::Toml | Syntax::Yaml => text.contains(&b'#'),
    }
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
    let own = own(&arguments_of(server, &entry).unwrap_or_default()).join(" ");
    if !own.is_empty() {
        let (path, own) = (path.display(), shortened(&own));
        warnings.push(format!(
            "The entry {NAME} in {path} has arguments of its own, which set-up keeps: {own}."
        ));
    }
    let wanted = wanted(server, command, Some(&entry));
    let same = |key: &String| entry.get(key) == wanted.get(key);
    if [&server.command, &server.arguments].into_iter().all(same) {
        Connection::Current
    } else {
        Connection::Different
    }
}

/// The beginning of a text that a person is shown.
fn shortened(text: &str) -> String {
    const LONGEST: usize = 120;
    match text.char_indices().nth(LONGEST) {
        Some((end, _)) => format!("{}…", &text[..end]),
        None => text.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn words(text: &str) -> Vec<String> {
        text.split_whitespace().map(str::to_owned).collect()
    }

    #[test]
    fn arguments_of_a_person_stay_and_those_of_set_up_are_updated() {
        let check = |wanted: &str, old: &str, expected: &str| {
            let merged = with_own(&words(wanted), &words(old));
            assert_eq!(merged, words(expected), "{old}");
            assert_eq!(with_own(&words(wanted), &merged), merged, "{old} again");
        };
        check("mcp", "", "mcp");
        check("mcp", "serve", "mcp");
        check(
            "mcp",
            "mcp --space work --tools knowledge",
            "mcp --space work --tools knowledge",
        );
        check(
            "--store /a mcp",
            "mcp --tools all",
            "--store /a mcp --tools all",
        );
        check(
            "--store /a mcp",
            "--store /b mcp --space=x",
            "--store /a mcp --space=x",
        );
        check("--space a mcp", "mcp --space=b", "--space a mcp");
        check("--space a mcp", "mcp --space", "--space a mcp");
    }

    #[test]
    fn what_a_person_added_is_told_from_what_set_up_writes() {
        for ours in [
            "mcp",
            "--store /a mcp",
            "--store /a --space b mcp",
            "serve",
            "",
        ] {
            assert_eq!(own(&words(ours)), &[] as &[String], "{ours}");
        }
        for theirs in [
            "mcp --space b",
            "--server https://a mcp",
            "--space b mcp --tools all",
        ] {
            assert_eq!(own(&words(theirs)), words(theirs), "{theirs}");
        }
    }
}
