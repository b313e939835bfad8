//! `backups.toml`: where a space was backed up to, so that what is erased can be erased there too.

use std::path::{Path, PathBuf};

use anamne_types::{InvalidValue, Seq};
use jiff::Timestamp;
use serde::{Deserialize, Serialize};

use crate::Result;
use crate::settings_file::{read_toml, write_toml};

/// The version of the file. Format 1 did not say whether an erasure is still to reach a backup.
const FORMAT: i64 = 2;

/// A folder to which a space was backed up.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct KnownBackup {
    /// The folder, which is a store of its own.
    pub folder: PathBuf,
    /// The last event that it held when it was last brought up to date; 0 where the first copy is not finished.
    pub last_seq: Seq,
    /// When that was.
    pub at: Timestamp,
    /// The last event of the log when something was erased that may still stand there; `None` where nothing does.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub pending: Option<Seq>,
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

    /// Reads the file of a space; none where it is missing.
    pub(crate) fn read(space: &Path) -> Result<Self> {
        let Some(mut known) = read_toml::<Self>(&Self::path(space), FORMAT)? else {
            return Ok(Self {
                format: FORMAT,
                backups: Vec::new(),
            });
        };
        if known.format < FORMAT {
            known.format = FORMAT;
            // Erasures of that version reached neither the views of a backup nor what was quarantined there.
            for backup in &mut known.backups {
                backup.pending = Some(Seq(0));
            }
        }
        Ok(known)
    }

    /// Takes note that a backup is going to be in `folder`, before anything is copied there; says what was known of it.
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

    /// Takes note of a backup that is up to date. `is_clean`: whether nothing in it but the copies themselves can hold
    /// what was erased before `last_seq`.
    pub(crate) fn note(&mut self, folder: &Path, last_seq: Seq, at: Timestamp, is_clean: bool) {
        let pending = self.remove(folder).and_then(|known| known.pending);
        self.backups.push(KnownBackup {
            folder: folder.to_owned(),
            last_seq,
            at,
            pending: pending.filter(|pending| !is_clean || *pending > last_seq),
        });
    }

    /// Takes note that nothing that was erased up to `through` is left in a backup.
    pub(crate) fn note_erased(&mut self, folder: &Path, through: Seq) {
        let known = self.backups.iter_mut().find(|one| one.folder == folder);
        if let Some(known) = known {
            known.pending = known.pending.filter(|pending| *pending > through);
        }
    }

    /// Removes a folder from the list; returns what was known of it.
    pub(crate) fn remove(&mut self, folder: &Path) -> Option<KnownBackup> {
        let place = self.backups.iter().position(|one| one.folder == folder)?;
        Some(self.backups.remove(place))
    }

    /// Takes note, in the space in the folder `space`, that what was erased up to `through` may stand in every backup
    /// that is known.
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

    /// Writes the file whole or not at all.
    pub(crate) fn write(&self, space: &Path) -> Result<()> {
        write_toml(&Self::path(space), self)
    }
}
