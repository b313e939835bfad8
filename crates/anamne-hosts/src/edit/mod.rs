//! Edits of configuration texts that keep comments, order and formatting.
//!
//! A [`Document`] changes only what it is told to: every other byte of the text stays. Values are JSON values, whatever
//! the syntax.

use serde_json::Value;

/// The syntax of a configuration file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Syntax {
    /// JSON, with comments and trailing commas allowed.
    Json,
    /// TOML.
    Toml,
    /// YAML.
    Yaml,
}

/// Why a text can't be edited.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum EditError {
    /// It isn't a text of this syntax.
    #[error("line {line}: {reason}")]
    Syntax {
        /// The line, from 1.
        line: usize,
        /// What is wrong.
        reason: String,
    },
    /// It has something else where our entry belongs.
    #[error("{place} is not {expected}")]
    Shape {
        /// The place, as keys joined by dots.
        place: String,
        /// What was expected: a table, a list.
        expected: &'static str,
    },
    /// Its notation can't be edited without rewriting it.
    #[error("{0}")]
    Unsupported(String),
}

/// A configuration text that can be edited in place. A path is a list of keys from the root; an empty text is an empty
/// table.
pub trait Document {
    /// The value at a path, if there is one.
    fn get(&self, path: &[&str]) -> Option<Value>;

    /// Sets the value at a path; missing tables on the way are created. The same value again changes nothing.
    fn set(&mut self, path: &[&str], value: &Value) -> Result<(), EditError>;

    /// Removes the value at a path with its key; returns whether there was one. Its parents stay.
    fn remove(&mut self, path: &[&str]) -> Result<bool, EditError>;

    /// Appends a value to the list at a path; missing tables and a missing list are created.
    fn push(&mut self, path: &[&str], value: &Value) -> Result<(), EditError>;

    /// Removes the values from the list at a path for which `keep` is false; returns their number. 0 without a list.
    fn retain(&mut self, path: &[&str], keep: &dyn Fn(&Value) -> bool) -> Result<usize, EditError>;

    /// The text with all edits.
    fn text(&self) -> String;
}

/// Parses a text for editing. O(length of the text); depth and size are bounded.
pub fn open(syntax: Syntax, text: &str) -> Result<Box<dyn Document>, EditError> {
    let _ = (syntax, text);
    Err(EditError::Unsupported("not edited yet".to_owned()))
}
