//! The readers of OpenCode, Cline and Cursor, on files as these hosts write them.

mod cline;
mod cursor;
mod mutations;
mod opencode;

use std::fs;
use std::path::Path;

use anamne_ingest::Machine;
use anamne_ingest::transcripts::{
    Conversation, Position, Speaker, TranscriptFile, TranscriptFormat, find, read,
};
use tempfile::TempDir;

/// An account with files.
fn machine(files: &[(&str, &str)]) -> (TempDir, Machine) {
    let home = tempfile::tempdir().expect("a folder");
    for (path, content) in files {
        write(&home.path().join(path), content);
    }
    let machine = Machine::at(home.path());
    (home, machine)
}

fn write(path: &Path, content: &str) {
    fs::create_dir_all(path.parent().expect("a folder")).expect("a folder");
    fs::write(path, content).expect("a file");
}

/// The sessions that are found, without errors.
fn sessions(format: TranscriptFormat, machine: &Machine) -> Vec<TranscriptFile> {
    let (files, errors) = find(format, machine);
    assert!(errors.is_empty(), "{errors:?}");
    files
}

/// The one conversation that is found.
fn only(format: TranscriptFormat, machine: &Machine) -> Conversation {
    let files = sessions(format, machine);
    assert_eq!(files.len(), 1, "{files:?}");
    read(&files[0], Position::default()).expect("a conversation")
}

/// The turns as lines: `P`erson, `A`gent or `T`ool, and the text.
fn lines(conversation: &Conversation) -> Vec<String> {
    let line = |speaker, text: &str| match speaker {
        Speaker::Person => format!("P {text}"),
        Speaker::Agent => format!("A {text}"),
        Speaker::Tool => format!("T {text}"),
    };
    let turns = conversation.turns.iter();
    turns.map(|turn| line(turn.speaker, &turn.text)).collect()
}

fn ids(conversation: &Conversation) -> Vec<&str> {
    conversation
        .turns
        .iter()
        .map(|turn| turn.id.as_str())
        .collect()
}

fn times(conversation: &Conversation) -> Vec<Option<i64>> {
    let turns = conversation.turns.iter();
    turns
        .map(|turn| turn.at.map(jiff::Timestamp::as_millisecond))
        .collect()
}
