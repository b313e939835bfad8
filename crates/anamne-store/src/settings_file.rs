//! Settings files in TOML, each with a format version.

use std::fs;
use std::path::Path;

use anamne_text::echo::shorten_values;
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};

use crate::bounded::{RejectedFile, read_regular};
use crate::files::replace_file;
use crate::{Result, StoreError};

/// Maximum size of a settings file; a longer one is rejected.
const LONGEST_SETTINGS: u64 = 1 << 20;

/// Reads a TOML settings file of a format up to `known`; `None` if it is missing.
pub(crate) fn read_toml<T: DeserializeOwned>(path: &Path, known: i64) -> Result<Option<T>> {
    #[derive(Deserialize)]
    struct Format {
        format: i64,
    }
    let Some(text) = read_settings(path)? else {
        return Ok(None);
    };
    let unreadable =
        |error: toml::de::Error| StoreError::damaged(path, toml_problem(&text, &error));
    // The format is parsed first: a newer file may contain unknown fields.
    let Format { format } = toml::from_str(&text).map_err(unreadable)?;
    check_format(path, format, known)?;
    toml::from_str(&text).map(Some).map_err(unreadable)
}

/// Writes a TOML settings file atomically.
pub(crate) fn write_toml(path: &Path, settings: &impl Serialize) -> Result<()> {
    let text =
        toml::to_string(settings).map_err(|error| StoreError::damaged(path, error.to_string()))?;
    replace_file(path, text.as_bytes())
}

/// Rejects a file with a newer format than `known`.
pub(crate) fn check_format(path: &Path, found: i64, known: i64) -> Result<()> {
    if found > known {
        let path = path.to_owned();
        return Err(StoreError::Newer { path, found, known });
    }
    Ok(())
}

/// Reads a settings file; `None` if it is missing. Rejects anything but a regular file of acceptable size.
fn read_settings(path: &Path) -> Result<Option<String>> {
    if fs::symlink_metadata(path).is_ok_and(|metadata| metadata.is_symlink()) {
        return Err(StoreError::damaged(path, "it is a symbolic link"));
    }
    let bytes = match read_regular(path, LONGEST_SETTINGS) {
        Ok(bytes) => bytes,
        Err(RejectedFile::Io(error)) => return Err(StoreError::io("read", path)(error)),
        Err(unfit) => return Err(StoreError::damaged(path, unfit.to_string())),
    };
    let text = bytes.map(String::from_utf8).transpose();
    text.map_err(|_| StoreError::damaged(path, "it is not UTF-8"))
}

/// The error in a TOML file with this text, on one line, quoting only the beginning of a value.
pub fn toml_problem(text: &str, error: &toml::de::Error) -> String {
    let message = shorten_values(error.message()).replace('\n', ", ");
    let before = error.span().and_then(|span| text.get(..span.start));
    let Some(before) = before else {
        return message;
    };
    let line = before.matches('\n').count() + 1;
    let column = before.chars().rev().take_while(|&c| c != '\n').count() + 1;
    format!("line {line}, column {column}: {message}")
}
