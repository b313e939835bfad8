//! Files of settings in TOML, each with the version of its format.

use std::fs;
use std::path::Path;

use anamne_text::echo::shorten_values;
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};

use crate::bounded::{Unfit, read_regular};
use crate::files::replace_file;
use crate::{Result, StoreError};

/// Settings that are longer than this were not written by anyone who means well.
const LONGEST_SETTINGS: u64 = 1 << 20;

/// Reads a file of settings in TOML of a format up to `known`; `None` where it is missing.
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
    // Read on its own first: a newer file may hold what this version does not know.
    let Format { format } = toml::from_str(&text).map_err(unreadable)?;
    check_format(path, format, known)?;
    toml::from_str(&text).map(Some).map_err(unreadable)
}

/// Writes a file of settings in TOML whole or not at all.
pub(crate) fn write_toml(path: &Path, settings: &impl Serialize) -> Result<()> {
    let text =
        toml::to_string(settings).map_err(|error| StoreError::damaged(path, error.to_string()))?;
    replace_file(path, text.as_bytes())
}

/// Refuses a file that has a higher format than `known`.
pub(crate) fn check_format(path: &Path, found: i64, known: i64) -> Result<()> {
    if found > known {
        let path = path.to_owned();
        return Err(StoreError::Newer { path, found, known });
    }
    Ok(())
}

/// Reads a file of settings; `None` where it is missing. Refused where it is no regular file, or far too long.
fn read_settings(path: &Path) -> Result<Option<String>> {
    if fs::symlink_metadata(path).is_ok_and(|metadata| metadata.is_symlink()) {
        return Err(StoreError::damaged(path, "it is a symbolic link"));
    }
    let bytes = match read_regular(path, LONGEST_SETTINGS) {
        Ok(bytes) => bytes,
        Err(Unfit::Io(error)) => return Err(StoreError::io("read", path)(error)),
        Err(unfit) => return Err(StoreError::damaged(path, unfit.to_string())),
    };
    let text = bytes.map(String::from_utf8).transpose();
    text.map_err(|_| StoreError::damaged(path, "it is not UTF-8"))
}

/// What is wrong with a TOML file of this text, on one line, with no more than the beginning of a value.
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
