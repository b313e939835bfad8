//! Identifies an approved store by its id and its folder.

use std::path::{Path, PathBuf};

use anamne_types::MemoryId;
use jiff::Timestamp;
use serde::{Deserialize, Serialize};

use crate::BridgeError;
use crate::guarded::{Privacy, read_guarded, write_private};

/// The id file of a store: one line, a UUID. Created when the first model is approved.
pub const STORE_ID_FILE: &str = "store.id";

/// Maximum file size in bytes; an id is 36 characters and a line break.
const LONGEST_ID: u64 = 64;

/// The identity of a store on this machine.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct StoreIdentity {
    /// The content of [`STORE_ID_FILE`].
    pub(super) id: String,
    /// The canonical path.
    pub(super) folder: PathBuf,
    /// `device:inode` of the folder, if the file system has inodes.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    number: Option<String>,
}

impl StoreIdentity {
    /// The identity of the store in this folder; `None` if it has no id.
    pub(super) fn read(store: &Path) -> Result<Option<Self>, BridgeError> {
        let path = store.join(STORE_ID_FILE);
        match read_guarded(&path, Privacy::Settings, LONGEST_ID)? {
            None => Ok(None),
            Some(text) => Self::seen(store, text.trim()).map(Some),
        }
    }

    /// The identity of the store in this folder; creates the id if there is none.
    pub(super) fn read_or_make(store: &Path, now: Timestamp) -> Result<Self, BridgeError> {
        if let Some(known) = Self::read(store)? {
            return Ok(known);
        }
        // The 74 random bits of a UUID version 7 can't be guessed.
        let milliseconds = u64::try_from(now.as_millisecond()).unwrap_or_default();
        let id = MemoryId::at(milliseconds).to_string();
        write_private(&store.join(STORE_ID_FILE), format!("{id}\n").as_bytes())?;
        Self::seen(store, &id)
    }

    /// Whether both are the same location: the same path (even if the folder was replaced), or the same folder moved
    /// within its file system. A copy is neither.
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
