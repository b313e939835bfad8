//! `backups.toml`: the known backups of a space, so that erasures reach them too.

use std::path::{Path, PathBuf};

use anamne_types::{InvalidValue, Seq};
use jiff::Timestamp;
use serde::{Deserialize, Serialize};

use crate::Result;
use crate::settings_file::{read_toml, write_toml};

/// The version of the file. Format 1 didn't record erasures pending for a backup.
const FORMAT: i64 = 2;

/// A folder to which a space was backed up.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(deny_unknown_fields)]
pub struct KnownBackup {
    /// The folder, which is itself a store.
    #[cfg_attr(feature = "openapi", schema(value_type = String))]
    pub folder: PathBuf,
    /// The last event in it at its last update; 0 if the first copy is unfinished.
    pub last_seq: Seq,
    /// The time of that update.
    pub at: Timestamp,
    /// The last event of the log at an erasure that may not have reached the backup; `None` if none is pending.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub pending: Option<Seq>,
}

/// The content of the file.
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

    /// Reads the file of a space; an empty list if it is missing.
    pub(crate) fn read(space: &Path) -> Result<Self> {
        let Some(mut known) = read_toml::<Self>(&Self::path(space), FORMAT)? else {
            return Ok(Self {
                format: FORMAT,
                backups: Vec::new(),
            });
        };
        if known.format < FORMAT {
            known.format = FORMAT;
            // Erasures by that version reached neither the views nor the quarantined files of a backup.
            for backup in &mut known.backups {
                backup.pending = Some(Seq(0));
            }
        }
        Ok(known)
    }

    /// Records a backup in `folder` before anything is copied; returns its previous entry.
    pub(crate) fn expect(&mut self, folder: &Path, at: Timestamp) -> Result<Option<KnownBackup>> {
        if folder.to_str().is_none() {
            return Err(InvalidValue::new("folder", "a path in UTF-8", folder.display()).into());
        }
        let known = self.backups.iter().find(|known| known.folder == folder);
        if let Some(known) = known {
            return Ok(Some(known.clone()));
        }
        self.backups.push(KnownBackup {
            folder: folder.to_owned(),
            last_seq: Seq(0),
            at,
            pending: None,
        });
        Ok(None)
    }

    /// Records an up-to-date backup. `is_clean`: only the copied files can hold content erased before `last_seq`.
    pub(crate) fn note(&mut self, folder: &Path, last_seq: Seq, at: Timestamp, is_clean: bool) {
        let pending = self.remove(folder).and_then(|known| known.pending);
        self.backups.push(KnownBackup {
            folder: folder.to_owned(),
            last_seq,
            at,
            pending: pending.filter(|pending| !is_clean || *pending > last_seq),
        });
    }

    /// Records that all erasures up to `through` have reached a backup.
    pub(crate) fn note_erased(&mut self, folder: &Path, through: Seq) {
        let known = self.backups.iter_mut().find(|one| one.folder == folder);
        if let Some(known) = known {
            known.pending = known.pending.filter(|pending| *pending > through);
        }
    }

    /// Removes a folder from the list; returns its entry.
    pub(crate) fn remove(&mut self, folder: &Path) -> Option<KnownBackup> {
        let place = self.backups.iter().position(|one| one.folder == folder)?;
        Some(self.backups.remove(place))
    }

    /// Records, for the space in the folder `space`, that erasures up to `through` are pending for every known backup.
    pub(crate) fn note_erasure(space: &Path, through: Seq) -> Result<()> {
        let mut known = Self::read(space)?;
        if known.backups.is_empty() {
            return Ok(());
        }
        for backup in &mut known.backups {
            backup.pending = Some(through);
        }
        known.write(space)
    }

    /// Writes the file atomically.
    pub(crate) fn write(&self, space: &Path) -> Result<()> {
        write_toml(&Self::path(space), self)
    }
}
