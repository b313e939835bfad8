//! `model.key`: a key and its host, in a file that only its owner can read.

use std::path::Path;

use crate::guarded::{Privacy, read_guarded, write_private};
use crate::{BridgeError, Key};

use super::LONGEST_KEY;

/// The prefix of the first line, before the account.
const FOR: &str = "for ";

/// Maximum file size: the key, and the account that it is for.
const LONGEST_FILE: u64 = LONGEST_KEY as u64 + 1_024;

/// The content of a key file.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum KeyFile {
    /// A key with its account: see [`BridgeConfig::key_account`](crate::BridgeConfig::key_account).
    Bound { account: String, text: String },
    /// A key without account, as earlier versions wrote it.
    Unbound { text: String },
}

/// Reads a key file; `None` if it is missing.
pub(crate) fn read_key_file(path: &Path) -> Result<Option<KeyFile>, BridgeError> {
    let Some(text) = read_guarded(path, Privacy::Secret, LONGEST_FILE)? else {
        return Ok(None);
    };
    let bound = text
        .strip_prefix(FOR)
        .and_then(|rest| rest.split_once('\n'));
    Ok(Some(match bound {
        Some((account, text)) => KeyFile::Bound {
            account: account.trim_end().to_owned(),
            text: text.to_owned(),
        },
        None => KeyFile::Unbound { text },
    }))
}

/// The key in a file, if the file is there and its key is for `account`.
pub fn key_in_file(path: &Path, account: &str) -> Result<Option<String>, BridgeError> {
    Ok(match read_key_file(path)? {
        Some(KeyFile::Bound { account: of, text }) if of == account => Some(text.trim().to_owned()),
        _ => None,
    })
}

/// Atomically writes a key file that only its owner can read. `account` is what the key is for: see
/// [`BridgeConfig::key_account`](crate::BridgeConfig::key_account).
pub fn write_key_file(path: &Path, account: &str, key: &Key) -> Result<(), BridgeError> {
    let content = format!("{FOR}{account}\n{}\n", key.reveal());
    write_private(path, content.as_bytes())
}

/// Adds `account` to the key file of an earlier version; returns whether there was one.
pub fn bind_key_file(path: &Path, account: &str) -> Result<bool, BridgeError> {
    let Some(KeyFile::Unbound { text }) = read_key_file(path)? else {
        return Ok(false);
    };
    let key = Key::new(&text, &path.display().to_string())?;
    write_key_file(path, account, &key)?;
    Ok(true)
}
