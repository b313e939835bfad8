//! Transcripts of OpenCode: an SQLite database of all sessions, and the JSON files of versions before 1.2.
//!
//! A session is always read as a whole. A forked session copies the earlier messages under new ids, so a turn's id comes
//! from what the copies have in common: when its message was made, its place in it, and its text.

mod database;
mod foreign;
mod message;
mod storage;

use std::collections::HashSet;
use std::path::{Path, PathBuf};

use super::folders::files_below;
use super::{Conversation, Position, TranscriptError, TranscriptFile};
use crate::{Machine, Platform};

pub(super) fn find(machine: &Machine) -> (Vec<TranscriptFile>, Vec<TranscriptError>) {
    let folder = data_folder(machine);
    let (databases, mut errors) = databases(machine, &folder);
    let mut files = Vec::new();
    for path in databases {
        match database::sessions(&path) {
            Ok(sessions) => files.extend(sessions),
            Err(error) => errors.push(error),
        }
    }
    let known: HashSet<String> = files.iter().map(|file| file.session.clone()).collect();
    let (older, older_errors) = storage::sessions(&folder.join("storage"), &known);
    files.extend(older);
    errors.extend(older_errors);
    (files, errors)
}

pub(super) fn read(
    file: &TranscriptFile,
    _from: Position,
) -> Result<Conversation, TranscriptError> {
    if file.session.is_empty() {
        return Err(TranscriptError::unknown(
            file,
            "it is not known which of its sessions is meant",
        ));
    }
    if file
        .path
        .extension()
        .is_some_and(|extension| extension == "json")
    {
        storage::read(file)
    } else {
        database::read(file)
    }
}

/// The database that has a session.
pub(super) fn database_of(session: &str, machine: &Machine) -> Option<PathBuf> {
    let (databases, _) = databases(machine, &data_folder(machine));
    let mut databases = databases.into_iter();
    databases.find(|path| database::has_session(path, session).unwrap_or(false))
}

/// OpenCode follows the XDG folders on every system.
fn data_folder(machine: &Machine) -> PathBuf {
    let data = match machine.platform {
        Platform::Windows => machine.folder_or("XDG_DATA_HOME", machine.home.join(".local/share")),
        _ => machine.data.clone(),
    };
    data.join("opencode")
}

/// The databases: one, and one more for each other channel of releases.
fn databases(machine: &Machine, folder: &Path) -> (Vec<PathBuf>, Vec<TranscriptError>) {
    let found = files_below(folder, 0, is_database);
    let mut paths: Vec<PathBuf> = found.files.into_iter().map(|(path, _)| path).collect();
    let named = machine
        .variable("OPENCODE_DB")
        .map(|name| folder.join(name));
    paths.extend(named.filter(|path| path.is_file()));
    paths.sort();
    paths.dedup();
    (paths, found.errors)
}

fn is_database(path: &Path) -> bool {
    let name = path.file_name().map(|name| name.to_string_lossy());
    name.is_some_and(|name| name.starts_with("opencode") && name.ends_with(".db"))
}
