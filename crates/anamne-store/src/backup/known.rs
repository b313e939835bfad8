//! `backups.toml`: the known backups of a space, so that erasures reach them too.

use std::fs;
use std::path::{Path, PathBuf};

use anamne_types::{InvalidValue, Seq};
use jiff::Timestamp;
use serde::{Deserialize, Serialize};

use crate::files::identity_at;
use crate::settings_file::{read_toml, write_toml};
use crate::{Result, StoreError};

/// The version of the file. Format 1 didn't record erasures pending for a backup, format 2 not whose backups they are.
const FORMAT: i64 = 3;

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

/// The space whose backups a file lists. A copy of the space has neither its folder nor the number of that.
#[derive(Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct ListedSpace {
    folder: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    number: Option<String>,
}

impl ListedSpace {
    fn at(space: &Path) -> Result<Self> {
        let folder = fs::canonicalize(space).map_err(StoreError::io("look at", space))?;
        Ok(Self {
            number: identity_at(&folder).map(|identity| identity.to_string()),
            folder: folder.to_string_lossy().into_owned(),
        })
    }

    /// Whether it is the same one, possibly moved, or restored to the same folder.
    fn is(&self, other: &Self) -> bool {
        self.folder == other.folder || self.number.is_some() && self.number == other.number
    }
}

/// The content of the file.
#[derive(Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct KnownBackups {
    format: i64,
    /// Backups of the space that this one was copied from. Nothing is written to them.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub(crate) inherited: Vec<PathBuf>,
    /// `None` in an earlier format.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    of: Option<ListedSpace>,
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
                inherited: Vec::new(),
                of: Some(ListedSpace::at(space)?),
                backups: Vec::new(),
            });
        };
        let own = ListedSpace::at(space)?;
        if known.of.take().is_some_and(|of| !of.is(&own)) {
            let backups = known.backups.drain(..).map(|backup| backup.folder);
            known.inherited.extend(backups);
        }
        known.of = Some(own);
        if known.format < 2 {
            // Erasures by that version reached neither the views nor the quarantined files of a backup.
            for backup in &mut known.backups {
                backup.pending = Some(Seq(0));
            }
        }
        known.format = FORMAT;
        Ok(known)
    }

    /// Records a backup in `folder` before anything is copied; returns its previous entry. `pending` is for a new entry.
    pub(crate) fn expect(
        &mut self,
        folder: &Path,
        at: Timestamp,
        pending: Option<Seq>,
    ) -> Result<Option<KnownBackup>> {
        if folder.to_str().is_none() {
            return Err(InvalidValue::new("folder", "a path in UTF-8", folder.display()).into());
        }
        if self.inherited.iter().any(|inherited| inherited == folder) {
            let accepts = "no backup of the space that this one was copied from, unless this one has forgotten that backup";
            return Err(InvalidValue::new("folder", accepts, folder.display()).into());
        }
        let known = self.backups.iter().find(|known| known.folder == folder);
        if let Some(known) = known {
            return Ok(Some(known.clone()));
        }
        self.backups.push(KnownBackup {
            folder: folder.to_owned(),
            last_seq: Seq(0),
            at,
            pending,
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

    /// Removes a folder from the list, or from the inherited ones; returns whether it was there.
    pub(crate) fn forget(&mut self, folder: &Path) -> bool {
        let before = self.inherited.len();
        self.inherited.retain(|inherited| inherited != folder);
        self.remove(folder).is_some() || self.inherited.len() < before
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
