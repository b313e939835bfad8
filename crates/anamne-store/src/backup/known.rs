//! `backups.toml`: where a space was backed up to, so that what is erased can be erased there too.

use std::path::{Path, PathBuf};

use anamne_types::{Refusal, Seq};
use jiff::Timestamp;
use serde::{Deserialize, Serialize};

use crate::StoreError;
use crate::files::replace_file;
use crate::special_files::read_settings;

/// The version of the file.
const FORMAT: i64 = 1;

/// A folder to which a space was backed up.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct KnownBackup {
    /// The folder, which is a store of its own.
    pub folder: PathBuf,
    /// The last event that it held when it was last brought up to date.
    pub last_seq: Seq,
    /// When that was.
    pub at: Timestamp,
}

/// All of them.
#[derive(Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct KnownBackups {
    format: i64,
    #[serde(default, rename = "backup")]
    pub(crate) backups: Vec<KnownBackup>,
}

impl KnownBackups {
    fn path(space: &Path) -> PathBuf {
        space.join("backups.toml")
    }

    /// Reads the file of a space; none where it is not there.
    pub(crate) fn read(space: &Path) -> Result<Self, StoreError> {
        #[derive(Deserialize)]
        struct Format {
            format: i64,
        }
        let path = Self::path(space);
        let Some(text) = read_settings(&path)? else {
            return Ok(Self {
                format: FORMAT,
                backups: Vec::new(),
            });
        };
        let unreadable = |error: toml::de::Error| StoreError::damaged(&path, error.to_string());
        let Format { format } = toml::from_str(&text).map_err(unreadable)?;
        if format > FORMAT {
            return Err(StoreError::Newer {
                path,
                found: format,
                known: FORMAT,
            });
        }
        toml::from_str(&text).map_err(unreadable)
    }

    /// Takes note of a backup that is up to date.
    pub(crate) fn note(
        &mut self,
        folder: &Path,
        last_seq: Seq,
        at: Timestamp,
    ) -> Result<(), StoreError> {
        if folder.to_str().is_none() {
            return Err(Refusal::new("folder", "a path in UTF-8", folder.display()).into());
        }
        self.backups.retain(|known| known.folder != folder);
        self.backups.push(KnownBackup {
            folder: folder.to_owned(),
            last_seq,
            at,
        });
        Ok(())
    }

    /// Writes the file whole or not at all.
    pub(crate) fn write(&self, space: &Path) -> Result<(), StoreError> {
        let path = Self::path(space);
        let text =
            toml::to_string(self).map_err(|error| StoreError::damaged(&path, error.to_string()))?;
        replace_file(&path, text.as_bytes())
    }
}
