//! Edits of configuration texts that keep comments, order and formatting.
//!
//! A [`Document`] changes only what it is told to: every other byte of the text stays. Values are JSON values, whatever
//! the syntax. Each edit inserts or deletes a few ranges of the text. The result is parsed again and must have exactly the
//! expected value; else the edit is refused and the text stays.
//!
//! ```
//! use anamne_hosts::edit::{Syntax, open};
//! use serde_json::json;
//!
//! let mut document = open(Syntax::Json, "{\n  // mine\n  \"theme\": \"dark\"\n}\n")?;
//! document.set(&["mcpServers", "anamne"], &json!({ "command": "anamne" }))?;
//! assert!(document.text().starts_with("{\n  // mine\n  \"theme\": \"dark\",\n  \"mcpServers\": {\n"));
//! # Ok::<(), anamne_hosts::edit::EditError>(())
//! ```

pub mod block;
mod brackets;
mod document;
mod json;
mod keys;
mod node;
mod splice;
mod toml;
mod yaml;

use serde_json::Value;

/// The maximum length of a text in bytes. Longer ones are refused.
pub const MAX_LENGTH: usize = 8 << 20;

/// The maximum nesting of a text. Deeper ones are refused.
pub const MAX_NESTING: usize = 128;

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
/// table. An edit costs O(length of the text); a refused one changes nothing.
pub trait Document {
    /// The value at a path, if there is one. Of duplicated keys the last one counts.
    fn get(&self, path: &[&str]) -> Option<Value>;

    /// Sets the value at a path; missing tables on the way are created. The same value again changes nothing. A table that
    /// replaces a table is merged into it: its comments and the order of its keys stay.
    fn set(&mut self, path: &[&str], value: &Value) -> Result<(), EditError>;

    /// Removes the value at a path with its key; returns whether there was one. Its parents stay, except TOML tables that
    /// exist only through their children.
    fn remove(&mut self, path: &[&str]) -> Result<bool, EditError>;

    /// Appends a value to the list at a path; missing tables and a missing list are created.
    fn push(&mut self, path: &[&str], value: &Value) -> Result<(), EditError>;

    /// Removes the values from the list at a path for which `keep` is false; returns their number. 0 without a list.
    fn retain(&mut self, path: &[&str], keep: &dyn Fn(&Value) -> bool) -> Result<usize, EditError>;

    /// The text with all edits.
    fn text(&self) -> String;
}

/// Parses a text for editing. O(length of the text); length and nesting are bounded by [`MAX_LENGTH`] and
/// [`MAX_NESTING`].
pub fn open(syntax: Syntax, text: &str) -> Result<Box<dyn Document>, EditError> {
    Ok(match syntax {
        Syntax::Json => Box::new(document::Edited::<json::Json>::open(text)?),
        Syntax::Toml => Box::new(document::Edited::<toml::Toml>::open(text)?),
        Syntax::Yaml => Box::new(document::Edited::<yaml::Yaml>::open(text)?),
    })
}

/// The refusal of a nesting above [`MAX_NESTING`].
fn too_deep() -> EditError {
    EditError::Unsupported(format!("more than {MAX_NESTING} levels of nesting"))
}

/// The name of a path for a person.
fn place(path: &[&str]) -> String {
    if path.is_empty() {
        return "the top level".to_owned();
    }
    path.join(".")
}
