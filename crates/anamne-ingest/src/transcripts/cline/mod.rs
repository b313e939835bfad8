//! Transcripts of Cline.
//!
//! New: `~/.cline/data/sessions/ID/ID.messages.json`, with the session's folder in `ID.json` beside it. Old, by the
//! extension of VS Code and its relatives: `tasks/ID/api_conversation_history.json`, with the times of its messages in
//! `ui_messages.json`. Both are rewritten at each turn, so they are always read as a whole.

mod markup;
mod session;
mod speech;
mod task;

use std::path::{Path, PathBuf};

use jiff::Timestamp;

use super::folders::{files_below, transcript};
use super::{Conversation, Position, TranscriptError, TranscriptFile, TranscriptFormat, stem};
use crate::{Machine, Platform};

/// The file of an old transcript.
const TASK_FILE: &str = "api_conversation_history.json";

/// How the name of a new transcript ends.
const SESSION_END: &str = ".messages.json";

/// The folders of VS Code and its relatives among the configurations.
const EDITORS: [&str; 6] = [
    "Code",
    "Code - Insiders",
    "VSCodium",
    "Cursor",
    "Windsurf",
    "Trae",
];

/// Where the extension keeps its data in an editor's folder.
const EXTENSION: &str = "User/globalStorage/saoudrizwan.claude-dev/tasks";

/// The folders of editors that run on a server.
const SERVERS: [&str; 3] = [
    ".vscode-server",
    ".vscode-server-insiders",
    ".cursor-server",
];

pub(super) fn find(machine: &Machine) -> (Vec<TranscriptFile>, Vec<TranscriptError>) {
    let sessions = files_below(&sessions_folder(machine), 1, is_session);
    let tasks = task_folders(machine);
    let tasks = tasks.iter().map(|folder| files_below(folder, 1, is_task));
    let mut files = Vec::new();
    let mut errors = Vec::new();
    for found in tasks.chain([sessions]) {
        errors.extend(found.errors);
        files.extend(found.files.into_iter().map(|(path, metadata)| {
            let session = session_of(&path);
            transcript(TranscriptFormat::Cline, path, session, &metadata)
        }));
    }
    (files, errors)
}

/// The transcript of a session.
pub(super) fn recorded_at(session: &str, machine: &Machine) -> Option<PathBuf> {
    let is_plain = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_');
    if session.is_empty() || !session.bytes().all(is_plain) {
        return None;
    }
    let folder = sessions_folder(machine).join(session);
    let new = folder.join(format!("{session}{SESSION_END}"));
    let tasks = task_folders(machine).into_iter();
    let old = tasks.map(|folder| folder.join(session).join(TASK_FILE));
    std::iter::once(new).chain(old).find(|path| path.is_file())
}

pub(super) fn read(
    file: &TranscriptFile,
    _from: Position,
) -> Result<Conversation, TranscriptError> {
    let mut conversation = if is_task(&file.path) {
        task::read(file)
    } else if file.path.to_string_lossy().ends_with(SESSION_END) {
        session::read(file)
    } else {
        Err(TranscriptError::unknown(
            file,
            "its name is of no known kind",
        ))
    }?;
    if conversation.session.is_empty() {
        conversation.session = session_of(&file.path);
    }
    Ok(conversation)
}

/// When a task began: its id is that time in milliseconds since 1970.
pub(super) fn began_at(file: &TranscriptFile) -> Option<Timestamp> {
    let is_time = |id: &&String| id.len() == 13 && id.bytes().all(|byte| byte.is_ascii_digit());
    let id = Some(&file.session).filter(|_| is_task(&file.path));
    task::time_of(id.filter(is_time)?.parse().ok()?)
}

/// The folder of Cline's own data.
fn data_folder(machine: &Machine) -> PathBuf {
    let cline = machine.folder_or("CLINE_DIR", machine.home.join(".cline"));
    machine.folder_or("CLINE_DATA_DIR", cline.join("data"))
}

fn sessions_folder(machine: &Machine) -> PathBuf {
    let default = data_folder(machine).join("sessions");
    machine.folder_or("CLINE_SESSION_DATA_DIR", default)
}

fn task_folders(machine: &Machine) -> Vec<PathBuf> {
    let editors = match machine.platform {
        Platform::MacOs => machine.home.join("Library/Application Support"),
        _ => machine.config.clone(),
    };
    let mut folders = vec![data_folder(machine).join("tasks")];
    folders.extend(
        EDITORS
            .iter()
            .map(|name| editors.join(name).join(EXTENSION)),
    );
    let servers = SERVERS.iter().map(|name| machine.home.join(name));
    folders.extend(servers.map(|server| server.join("data").join(EXTENSION)));
    folders
}

/// Whether a path is `ID/ID.messages.json`. Those of subagents stand beside it under other names.
fn is_session(path: &Path) -> bool {
    let name = path.file_name().map(|name| name.to_string_lossy());
    let session = name
        .as_deref()
        .and_then(|name| name.strip_suffix(SESSION_END));
    session.is_some() && session == folder_name(path).as_deref()
}

fn is_task(path: &Path) -> bool {
    path.file_name().is_some_and(|name| name == TASK_FILE)
}

/// The id of the session that a path names.
pub(super) fn session_of(path: &Path) -> String {
    let named = is_task(path).then(|| folder_name(path)).flatten();
    named.unwrap_or_else(|| {
        let stem = stem(path);
        stem.strip_suffix(".messages").unwrap_or(&stem).to_owned()
    })
}

fn folder_name(path: &Path) -> Option<String> {
    let name = path.parent()?.file_name()?;
    Some(name.to_string_lossy().into_owned())
}
