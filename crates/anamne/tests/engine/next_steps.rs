//! The engine names next steps by a word. Only doors know commands, so no engine crate mentions one.

use std::fs;
use std::path::{Path, PathBuf};

use anamne::NextStep;

/// Crates that must not mention commands.
const ENGINE: [&str; 10] = [
    "anamne",
    "anamne-embed",
    "anamne-index",
    "anamne-jobs",
    "anamne-knowledge",
    "anamne-llm",
    "anamne-recall",
    "anamne-store",
    "anamne-text",
    "anamne-types",
];

fn crates() -> PathBuf {
    let here = Path::new(env!("CARGO_MANIFEST_DIR"));
    here.parent().expect("the folder of all crates").to_owned()
}

fn entries(folder: &Path) -> impl Iterator<Item = PathBuf> {
    let entries = fs::read_dir(folder).expect("a folder");
    entries.map(|entry| entry.expect("an entry").path())
}

fn sources(folder: &Path) -> Vec<PathBuf> {
    entries(folder)
        .flat_map(|path| {
            if path.is_dir() {
                sources(&path)
            } else {
                vec![path]
            }
        })
        .filter(|path| path.extension().is_some_and(|kind| kind == "rs"))
        .collect()
}

/// The commands of the binary: each has its own file or folder.
fn commands() -> Vec<String> {
    let folder = crates().join("anamne-cli/src/commands");
    entries(&folder)
        .filter_map(|path| Some(path.file_stem()?.to_str()?.to_owned()))
        .filter(|name| name != "mod" && !name.contains('_'))
        .collect()
}

/// The command in a line: what follows the program's name, unless that is in the middle of a word or path.
fn command_in<'a>(line: &str, commands: &'a [String]) -> Option<&'a str> {
    let is_apart = |at: usize| !line[..at].ends_with(|letter: char| letter.is_alphanumeric());
    let places = line
        .match_indices("anamne ")
        .filter(|(at, _)| is_apart(*at));
    let mut words = places.filter_map(|(at, name)| {
        let rest = &line[at + name.len()..];
        rest.split(|letter: char| !letter.is_ascii_lowercase())
            .next()
    });
    words
        .find_map(|word| commands.iter().find(|command| *command == word))
        .map(String::as_str)
}

#[test]
fn a_command_is_found_where_one_is_named() {
    let commands = commands();
    for known in ["repair", "doctor", "model", "tasks", "spaces", "extract"] {
        assert!(commands.iter().any(|command| command == known), "{known}");
    }
    for (line, found) in [
        ("/// `anamne repair` mends it", Some("repair")),
        ("\"extract it first (anamne extract)\"", Some("extract")),
        ("the word of anamne alone", None),
        ("use anamne as engine;", None),
        ("`anamne repairs`", None),
    ] {
        assert_eq!(command_in(line, &commands), found, "{line}");
    }
}

#[test]
fn no_engine_crate_names_a_command() {
    let commands = commands();
    let mut looked_at = 0;
    for name in ENGINE {
        for file in sources(&crates().join(name).join("src")) {
            let text = fs::read_to_string(&file).expect("a source");
            looked_at += 1;
            for (line, number) in text.lines().zip(1..) {
                if let Some(command) = command_in(line, &commands) {
                    panic!("{}:{number} names `anamne {command}`", file.display());
                }
            }
        }
    }
    assert!(looked_at > 300, "{looked_at}");
}

#[test]
fn a_step_is_one_word_in_json() {
    let word = serde_json::to_string(&NextStep::ConfirmRetention).expect("JSON");
    assert_eq!(word, "\"confirm_retention\"");
}
