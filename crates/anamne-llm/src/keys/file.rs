//! `model.key`: a key in a file that only its owner reads, with the host that it is for.

use std::path::Path;

use crate::guarded::{Privacy, read_guarded, write_private};
use crate::{BridgeError, Key};

use super::LONGEST_KEY;

/// What stands before the host in the first line.
const FOR: &str = "for ";

/// The file is refused when it is longer: the key, and the host that it is for.
const LONGEST_FILE: u64 = LONGEST_KEY as u64 + 1_024;

/// What a key file holds.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum KeyFile {
    /// A key, and the account that it is for: see [`BridgeConfig::key_account`](crate::BridgeConfig::key_account).
    Bound { account: String, text: String },
    /// A key of which the file does not say what it is for, as earlier versions wrote it.
    Unbound { text: String },
}

/// Reads a key file; `None` where it is missing.
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

/// Writes a key file that only its owner can read, whole or not at all. `account` says what the key is for: see
/// [`BridgeConfig::key_account`](crate::BridgeConfig::key_account).
pub fn write_key_file(path: &Path, account: &str, key: &Key) -> Result<(), BridgeError> {
    let content = format!("{FOR}{account}\n{}\n", key.reveal());
    write_private(path, content.as_bytes())
}

/// Binds the key of an earlier version's file to `account`; says whether there was one.
pub fn bind_key_file(path: &Path, account: &str) -> Result<bool, BridgeError> {
    let Some(KeyFile::Unbound { text }) = read_key_file(path)? else {
        return Ok(false);
    };
    let key = Key::new(&text, &path.display().to_string())?;
    write_key_file(path, account, &key)?;
    Ok(true)
}
