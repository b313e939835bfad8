//! Sessions as JSON files, as versions before 1.2 stored them: `session/PROJECT/ID.json`, `message/SESSION/ID.json`, and
//! `part/MESSAGE/ID.json`.

use std::collections::HashSet;
use std::path::{Path, PathBuf};

use jiff::Timestamp;
use serde::Deserialize;

use super::super::document::content_of;
use super::super::folders::{files_below, transcript};
use super::super::lenient::{Object, Text};
use super::super::{Conversation, TranscriptError, TranscriptFile, TranscriptFormat, stem};
use super::message::{Message, Part, Reading, Revert, Time, plain_id};

#[derive(Default, Deserialize)]
#[serde(default)]
struct Session<'a> {
    #[serde(borrow)]
    id: Text<'a>,
    /// The session that a subagent works for.
    #[serde(borrow, rename = "parentID")]
    parent: Text<'a>,
    #[serde(borrow)]
    directory: Text<'a>,
    time: Object<Time>,
    #[serde(borrow)]
    revert: Object<Revert<'a>>,
}

/// The sessions of people, except those known from elsewhere.
pub(super) fn sessions(
    root: &Path,
    known: &HashSet<String>,
) -> (Vec<TranscriptFile>, Vec<TranscriptError>) {
    let found = files_below(&root.join("session"), 1, is_json);
    let mut errors = found.errors;
    let mut files = Vec::new();
    for (path, metadata) in found.files {
        let session = stem(&path);
        if known.contains(&session) {
            continue;
        }
        let file = transcript(TranscriptFormat::OpenCode, path, session, &metadata);
        match of_person(file) {
            Ok(file) => files.extend(file),
            Err(error) => errors.push(error),
        }
    }
    (files, errors)
}

fn is_json(path: &Path) -> bool {
    path.extension()
        .is_some_and(|extension| extension == "json")
}

/// A session with the time at which it says it was last changed; `None` if it is a subagent's.
fn of_person(file: TranscriptFile) -> Result<Option<TranscriptFile>, TranscriptError> {
    let content = content_of(&file, &file.path)?;
    let session = parse(&file, &content)?;
    if session.parent.get().is_some() {
        return Ok(None);
    }
    let updated = session.time.0.and_then(|time| time.updated.0);
    let updated = updated.and_then(|updated| Timestamp::from_millisecond(updated).ok());
    Ok(Some(TranscriptFile {
        modified: updated.or(file.modified),
        ..file
    }))
}

fn parse<'a>(file: &TranscriptFile, content: &'a str) -> Result<Session<'a>, TranscriptError> {
    let session: Session<'a> = serde_json::from_str(content)
        .map_err(|error| TranscriptError::unknown(file, error.to_string()))?;
    if plain_id(&session.id).is_none() {
        return Err(TranscriptError::unknown(file, "it has no session's id"));
    }
    Ok(session)
}

pub(super) fn read(file: &TranscriptFile) -> Result<Conversation, TranscriptError> {
    let content = content_of(file, &file.path)?;
    let session = parse(file, &content)?;
    let root = file.path.ancestors().nth(3);
    let root = root.ok_or_else(|| TranscriptError::unknown(file, "it stands in no storage"))?;
    let mut reading = Reading::default();
    let id = plain_id(&session.id).unwrap_or_default();
    id.clone_into(&mut reading.conversation.session);
    reading.conversation.folder = session.directory.get().map(PathBuf::from);
    if let Some(revert) = &session.revert.0 {
        reading.live_until(revert);
    }
    let messages = messages_of(file, &root.join("message").join(id), &mut reading)?;
    for (number, message) in messages.iter().enumerate() {
        if reading.is_full() {
            break;
        }
        let is_last = number + 1 == messages.len();
        add(file, root, &mut reading, message, is_last)?;
    }
    Ok(reading.conversation)
}

/// A message's file, and what its place follows from.
struct Stored {
    created: i64,
    id: String,
    path: PathBuf,
}

/// The messages in a folder in order. What stands in one folder is read twice rather than held.
fn messages_of(
    file: &TranscriptFile,
    folder: &Path,
    reading: &mut Reading,
) -> Result<Vec<Stored>, TranscriptError> {
    let mut messages = Vec::new();
    for (number, path) in json_files(folder)?.into_iter().enumerate() {
        let content = content_of(file, &path)?;
        let message: Message<'_> = match serde_json::from_str(&content) {
            Ok(message) => message,
            Err(error) => {
                reading.bad(number, error);
                continue;
            }
        };
        let created = message.time.0.as_ref().and_then(|time| time.created.0);
        match (plain_id(&message.id), created) {
            (Some(id), Some(created)) => messages.push(Stored {
                created,
                id: id.to_owned(),
                path,
            }),
            _ => reading.bad(number, "it has no id or time"),
        }
    }
    messages.sort_by(|left, right| (left.created, &left.id).cmp(&(right.created, &right.id)));
    Ok(messages)
}

fn add(
    file: &TranscriptFile,
    root: &Path,
    reading: &mut Reading,
    stored: &Stored,
    is_last: bool,
) -> Result<(), TranscriptError> {
    let content = content_of(file, &stored.path)?;
    // It was readable a moment ago; a host may have rewritten it since.
    let message: Message<'_> = serde_json::from_str(&content).unwrap_or_default();
    let mut contents = Vec::new();
    for path in json_files(&root.join("part").join(&stored.id))? {
        contents.push(content_of(file, &path)?);
    }
    let mut parts: Vec<Part<'_>> = Vec::new();
    for (number, content) in contents.iter().enumerate() {
        match serde_json::from_str(content) {
            Ok(part) => parts.push(part),
            Err(error) => reading.bad(number, error),
        }
    }
    reading.add(&stored.id, &message, &parts, is_last);
    Ok(())
}

/// The JSON files of a folder, by name.
fn json_files(folder: &Path) -> Result<Vec<PathBuf>, TranscriptError> {
    let found = files_below(folder, 0, is_json);
    if let Some(error) = found.errors.into_iter().next() {
        return Err(error);
    }
    let mut paths: Vec<PathBuf> = found.files.into_iter().map(|(path, _)| path).collect();
    paths.sort();
    Ok(paths)
}
