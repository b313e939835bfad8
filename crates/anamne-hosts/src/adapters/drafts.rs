//! Files that are read and edited in memory.

use std::io::{ErrorKind, Read};
use std::path::{Path, PathBuf};

use serde_json::{Map, Value};

use crate::edit::{self, Document, EditError, Syntax};
use crate::plan::{FileChange, LeftAlone, Plan};

/// Longer files are left alone, in bytes.
const MAX_FILE: u64 = 8 << 20;

/// A file with its edits so far.
struct Draft {
    path: PathBuf,
    before: Option<String>,
    after: Option<String>,
    /// Whether it is a program.
    executable: bool,
}

/// The edited files of one plan. Several edits of one file become one change; if one of them fails, none is made.
#[derive(Default)]
pub(super) struct Drafts {
    files: Vec<Draft>,
    left_alone: Vec<LeftAlone>,
    /// What files were before set-up, as far as it is known.
    former: Vec<(PathBuf, String)>,
}

impl Drafts {
    /// Drafts of files of which is known what they were before set-up.
    pub(super) fn knowing(former: &[(PathBuf, String)]) -> Self {
        Self {
            former: former.to_vec(),
            ..Self::default()
        }
    }

    /// Whether a value was in a file before set-up.
    pub(super) fn was_there(&self, path: &Path, syntax: Syntax, at: &[String]) -> bool {
        let document = self
            .former(path)
            .and_then(|text| edit::open(syntax, text).ok());
        document.is_some_and(|document| document.get(&keys(at, &[])).is_some())
    }

    fn former(&self, path: &Path) -> Option<&str> {
        let target = path.canonicalize().ok();
        let is_this = |known: &Path| known == path || Some(known) == target.as_deref();
        let mut former = self.former.iter();
        let found = former.find(|(known, _)| is_this(known))?;
        Some(&found.1)
    }

    /// The text of a file with the edits so far; `None` if it doesn't exist or is left alone.
    pub(super) fn text(&mut self, path: &Path) -> Option<&str> {
        self.draft(path)?.after.as_deref()
    }

    /// The text of a file, parsed; `None` if it doesn't exist or is left alone.
    pub(super) fn document(&mut self, path: &Path, syntax: Syntax) -> Option<Box<dyn Document>> {
        let parsed = edit::open(syntax, self.text(path)?);
        parsed
            .map_err(|error| self.leave(path, error.to_string()))
            .ok()
    }

    /// Whether a file is left alone.
    pub(super) fn is_left(&mut self, path: &Path) -> bool {
        self.draft(path).is_none()
    }

    /// Edits a file, or an empty one in its place.
    pub(super) fn edit(
        &mut self,
        path: &Path,
        syntax: Syntax,
        change: impl FnOnce(&mut dyn Document) -> Result<(), EditError>,
    ) {
        self.rewrite(path, |text| {
            let mut document = edit::open(syntax, text.unwrap_or_default())?;
            change(document.as_mut())?;
            Ok(Some(document.text()))
        });
    }

    /// Gives a file the text that `change` makes of its present one; `None` is no file.
    pub(super) fn rewrite(
        &mut self,
        path: &Path,
        change: impl FnOnce(Option<&str>) -> Result<Option<String>, EditError>,
    ) {
        let Some(draft) = self.draft(path) else {
            return;
        };
        match change(draft.after.as_deref()) {
            Ok(after) => draft.after = after,
            Err(error) => self.leave(path, error.to_string()),
        }
    }

    /// Makes a file a program with this text.
    pub(super) fn program(&mut self, path: &Path, text: String) {
        if let Some(draft) = self.draft(path) {
            draft.after = Some(text);
            draft.executable = true;
        }
    }

    /// Removes a file in which nothing is left but `root`: set-up made it.
    pub(super) fn drop_if_empty(&mut self, path: &Path, root: &Map<String, Value>) {
        if self.former(path).is_some() {
            return;
        }
        self.rewrite(path, |text| {
            let left: String = text.unwrap_or_default().split_whitespace().collect();
            let of_root = Value::Object(root.clone()).to_string();
            let is_empty = left.is_empty() || left == "{}" || left == of_root;
            Ok(text.filter(|_| !is_empty).map(str::to_owned))
        });
    }

    /// Notes why a file is left alone, and drops its edits.
    pub(super) fn leave(&mut self, path: &Path, reason: String) {
        self.files.retain(|draft| draft.path != path);
        if self.left_alone.iter().all(|left| left.path != path) {
            self.left_alone.push(LeftAlone {
                path: path.to_owned(),
                reason,
            });
        }
    }

    /// The plan of all edits.
    pub(super) fn plan(self, by_hand: Vec<String>) -> Plan {
        let changed = self
            .files
            .into_iter()
            .filter(|draft| draft.before != draft.after);
        let changes = changed.map(|draft| FileChange {
            path: draft.path,
            before: draft.before,
            after: draft.after,
            executable: draft.executable,
        });
        Plan {
            changes: changes.collect(),
            left_alone: self.left_alone,
            by_hand,
        }
    }

    fn draft(&mut self, path: &Path) -> Option<&mut Draft> {
        if self.left_alone.iter().any(|left| left.path == path) {
            return None;
        }
        let known = self.files.iter().position(|draft| draft.path == path);
        let index = match (known, known.is_none().then(|| read(path))) {
            (Some(index), _) => index,
            (None, Some(Err(reason))) => {
                self.leave(path, reason);
                return None;
            }
            (None, read) => {
                let before = read.and_then(Result::ok).flatten();
                self.files.push(Draft {
                    path: path.to_owned(),
                    after: before.clone(),
                    before,
                    executable: false,
                });
                self.files.len() - 1
            }
        };
        self.files.get_mut(index)
    }
}

/// The text of a file; `None` if there is none. Special files are not opened, since reading one may block.
fn read(path: &Path) -> Result<Option<String>, String> {
    let metadata = match path.metadata() {
        Ok(metadata) => metadata,
        Err(error) if error.kind() == ErrorKind::NotFound => {
            return match path.symlink_metadata() {
                Ok(_) => Err("is a link to a file that doesn't exist".to_owned()),
                Err(_) => Ok(None),
            };
        }
        Err(error) => return Err(format!("can't be read: {error}")),
    };
    if !metadata.is_file() {
        return Err("is not a file".to_owned());
    }
    let mut bytes = Vec::new();
    let read =
        std::fs::File::open(path).and_then(|file| file.take(MAX_FILE + 1).read_to_end(&mut bytes));
    read.map_err(|error| format!("can't be read: {error}"))?;
    if bytes.len() as u64 > MAX_FILE {
        return Err(format!("is longer than {} MiB", MAX_FILE >> 20));
    }
    let text = String::from_utf8(bytes).map_err(|_| "is not UTF-8".to_owned())?;
    Ok(Some(text))
}

/// Whether a file can be run. On Windows every file can.
#[cfg(unix)]
pub(super) fn is_executable(path: &Path) -> bool {
    use std::os::unix::fs::PermissionsExt;
    let metadata = path.metadata();
    metadata.is_ok_and(|metadata| metadata.permissions().mode() & 0o111 != 0)
}

#[cfg(not(unix))]
pub(super) fn is_executable(path: &Path) -> bool {
    path.exists()
}

/// Borrows the keys of a path as [`Document`] takes them.
pub(super) fn keys<'a>(table: &'a [String], more: &[&'a str]) -> Vec<&'a str> {
    table
        .iter()
        .map(String::as_str)
        .chain(more.iter().copied())
        .collect()
}
