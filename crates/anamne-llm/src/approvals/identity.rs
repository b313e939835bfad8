//! Which store was approved: the id that it carries, and the folder in which it stood.

use std::path::{Path, PathBuf};

use anamne_types::MemoryId;
use jiff::Timestamp;
use serde::{Deserialize, Serialize};

use crate::BridgeError;
use crate::guarded::{Privacy, read_guarded, write_private};

/// The id of a store, in its folder: one line, a UUID. Made when the first model is approved.
pub const STORE_ID_FILE: &str = "store.id";

/// An id has 36 characters and a line break.
const LONGEST_ID: u64 = 64;

/// A store as it was seen on this machine.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct StoreIdentity {
    /// What [`STORE_ID_FILE`] says.
    pub(super) id: String,
    /// Without symbolic links.
    pub(super) folder: PathBuf,
    /// The number of the folder in its file system, `device:inode`, where there is one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    number: Option<String>,
}

impl StoreIdentity {
    /// The store in this folder; `None` where it has no id.
    pub(super) fn read(store: &Path) -> Result<Option<Self>, BridgeError> {
        let path = store.join(STORE_ID_FILE);
        match read_guarded(&path, Privacy::Settings, LONGEST_ID)? {
            None => Ok(None),
            Some(text) => Self::seen(store, text.trim()).map(Some),
        }
    }

    /// The store in this folder, which gets an id where it has none.
    pub(super) fn read_or_make(store: &Path, now: Timestamp) -> Result<Self, BridgeError> {
        if let Some(known) = Self::read(store)? {
            return Ok(known);
        }
        // Nobody can guess the 74 random bits of a UUID, version 7.
        let milliseconds = u64::try_from(now.as_millisecond()).unwrap_or_default();
        let id = MemoryId::at(milliseconds).to_string();
        write_private(&store.join(STORE_ID_FILE), format!("{id}\n").as_bytes())?;
        Self::seen(store, &id)
    }

    /// The same place: under the same path, also after another folder was put there, or the same folder moved within
    /// its file system. A copy is neither.
    pub(super) fn is_same_place(&self, other: &Self) -> bool {
        self.folder == other.folder || (self.number.is_some() && self.number == other.number)
    }

    fn seen(store: &Path, id: &str) -> Result<Self, BridgeError> {
        let looked = BridgeError::io("look at", store);
        let folder = std::fs::canonicalize(store).map_err(looked)?;
        Ok(Self {
            id: id.to_owned(),
            number: number_of(&folder),
            folder,
        })
    }
}

#[cfg(unix)]
fn number_of(folder: &Path) -> Option<String> {
    use std::os::unix::fs::MetadataExt;
    let metadata = std::fs::metadata(folder).ok()?;
    Some(format!("{}:{}", metadata.dev(), metadata.ino()))
}

#[cfg(not(unix))]
fn number_of(_: &Path) -> Option<String> {
    None
}
