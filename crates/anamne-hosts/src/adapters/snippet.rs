//! What a person has to add to a file that set-up may not change.

use std::path::PathBuf;

use serde_json::Value;

use super::drafts::keys;
use crate::edit::{self, Document, EditError, Syntax};

/// A text for a file.
pub(super) struct Snippet {
    path: PathBuf,
    text: String,
}

impl Snippet {
    /// What these edits make of an empty file; `None` if they can't be made.
    pub(super) fn of(
        path: PathBuf,
        syntax: Syntax,
        change: impl FnOnce(&mut dyn Document) -> Result<(), EditError>,
    ) -> Option<Self> {
        let mut document = edit::open(syntax, "").ok()?;
        change(document.as_mut()).ok()?;
        let text = document.text();
        Some(Self { path, text })
    }

    /// This text.
    pub(super) fn new(path: PathBuf, text: String) -> Self {
        Self { path, text }
    }

    /// What the person has to do.
    pub(super) fn sentence(&self) -> String {
        let (path, text) = (self.path.display(), self.text.trim_end());
        format!("Add to {path}:\n{text}")
    }
}

/// Whether there is a table at a path.
pub(super) fn is_table(document: &dyn Document, at: &[String]) -> bool {
    matches!(document.get(&keys(at, &[])), Some(Value::Object(_)))
}
