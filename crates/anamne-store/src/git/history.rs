//! Walks from a branch back to its first commit.

use std::path::Path;

use super::objects::{Id, Objects};
use super::short_text;
use crate::bounded::read_regular;

/// Maximum number of commits walked. Some 20 µs each in a pack.
pub(crate) const LONGEST_HISTORY: usize = 10_000;

/// Maximum size of `packed-refs`.
const LONGEST_REFS: u64 = 16 << 20;

/// Maximum length of a chain of symbolic references.
const MOST_NAMES: usize = 5;

/// The first commit of the first-parent line of HEAD; see [`super::Repository::root_commit`].
pub(super) fn root_commit(store: &Path, most: usize) -> Option<String> {
    // The history of a shallow clone is cut off.
    if std::fs::symlink_metadata(store.join("shallow")).is_ok() {
        return None;
    }
    let mut id = head(store)?;
    let mut objects = Objects::of(store, id.length());
    for _ in 0..most {
        let commit = objects.commit(&id)?;
        match parse(&commit)? {
            Commit::After(parent) if parent.length() == id.length() => id = parent,
            Commit::After(_) => return None,
            Commit::First => return Some(id.to_string()),
        }
    }
    None
}

/// The commit of HEAD.
fn head(store: &Path) -> Option<Id> {
    let mut name = "HEAD".to_owned();
    for _ in 0..MOST_NAMES {
        let text = match short_text(&store.join(&name)).ok()? {
            Some(text) => text,
            None => packed(store, &name)?,
        };
        let text = text.trim();
        match text.strip_prefix("ref:") {
            Some(next) => checked(next.trim())?.clone_into(&mut name),
            None => return Id::parse(text),
        }
    }
    None
}

/// Checks that a branch name is a path inside the repository.
fn checked(name: &str) -> Option<&str> {
    let is_plain = |part: &str| !part.is_empty() && !part.starts_with('.') && !part.contains('\\');
    (name.starts_with("refs/") && name.split('/').all(is_plain)).then_some(name)
}

fn packed(store: &Path, name: &str) -> Option<String> {
    let bytes = read_regular(&store.join("packed-refs"), LONGEST_REFS).ok()??;
    let text = String::from_utf8_lossy(&bytes);
    text.lines().find_map(|line| {
        let (id, found) = line.split_once(' ')?;
        (found.trim_end() == name).then(|| id.to_owned())
    })
}

/// The position of a commit in the history: the root, or after a parent.
enum Commit {
    First,
    After(Id),
}

/// Reads a commit's first parent; `None` if the object is not a commit.
fn parse(commit: &[u8]) -> Option<Commit> {
    let text = String::from_utf8_lossy(commit);
    let mut lines = text.lines();
    lines.next()?.strip_prefix("tree ")?;
    match lines.next().and_then(|line| line.strip_prefix("parent ")) {
        Some(parent) => Id::parse(parent.trim()).map(Commit::After),
        None => Some(Commit::First),
    }
}
