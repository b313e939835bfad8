//! The backups of a schedule: one folder for each, numbered and named by its time, in the folder of the schedule.
//!
//! A backup is made at its place, and its records come last, in one step: they say which stores are complete in it. So an
//! interrupted one has no such records, and the next attempt continues it. The number orders the backups, not the time: a
//! clock may have been wrong.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use anamne_store::{Clock, StoreError, UNFINISHED, entries, is_complete_backup, remove_path};
use anamne_types::{DEFAULT_TENANT, InvalidValue};
use jiff::Timestamp;
use rusqlite::OptionalExtension;

use super::{ServerRecords, time};
use crate::Error;
use crate::store::Store;

/// Digits of a number in the name of a folder; it has more only if it needs them.
const DIGITS: usize = 6;

/// Most digits of a number.
const MOST_DIGITS: usize = 18;

/// The end of the name of a backup that is being removed.
const REMOVED: &str = "removed";

/// How far a backup is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum BackupState {
    /// It was interrupted, or something was skipped; the next attempt continues it.
    Unfinished,
    /// Everything was verified when it was made, and it is unchanged since, except by erasures.
    Complete,
    /// It was complete, and something is missing now, was changed, or can't be read.
    Changed,
}

/// One backup.
#[derive(Debug)]
pub(super) struct NumberedBackup {
    pub(super) number: u64,
    pub(super) folder: PathBuf,
    pub(super) at: Option<Timestamp>,
    pub(super) state: BackupState,
}

/// The backups in the folder of a schedule, by number.
#[derive(Debug)]
pub(super) struct Series {
    folder: PathBuf,
    backups: Vec<NumberedBackup>,
}

impl Series {
    /// Reads the folder, and refuses it if it has backups of another server than `identity`.
    pub(super) fn read(
        folder: &Path,
        clock: &Arc<dyn Clock>,
        identity: Option<&[u8]>,
    ) -> Result<Self, Error> {
        let mut backups = Vec::new();
        for path in entries(folder)? {
            let is_folder = path.symlink_metadata().is_ok_and(|there| there.is_dir());
            if let Some(number) = number_of(&path).filter(|_| is_folder) {
                backups.push(NumberedBackup::read(path, number, clock, identity)?);
            }
        }
        backups.sort_by(|one, other| (one.number, &one.folder).cmp(&(other.number, &other.folder)));
        Ok(Self {
            folder: folder.to_owned(),
            backups,
        })
    }

    pub(super) fn complete(&self) -> impl DoubleEndedIterator<Item = &NumberedBackup> {
        let all = self.backups.iter();
        all.filter(|backup| backup.state == BackupState::Complete)
    }

    /// The number of those that don't count any more.
    pub(super) fn changed(&self) -> usize {
        let all = self.backups.iter();
        all.filter(|backup| backup.state == BackupState::Changed)
            .count()
    }

    /// The folder of the next backup: the unfinished one, so that none pile up, else a new one.
    pub(super) fn next(&self, now: Timestamp) -> PathBuf {
        let last = self.backups.last();
        if let Some(unfinished) = last.filter(|last| last.state == BackupState::Unfinished) {
            return unfinished.folder.clone();
        }
        let number = last.map_or(0, |last| last.number) + 1;
        let at = now.strftime("%Y-%m-%dT%H-%M-%SZ");
        self.folder.join(format!("{number:0DIGITS$}-{at}"))
    }

    /// The oldest complete backups beyond the last `keep`.
    pub(super) fn superfluous(&self, keep: u32) -> impl Iterator<Item = &NumberedBackup> {
        let surplus = self.complete().count().saturating_sub(keep.max(1) as usize);
        self.complete().take(surplus)
    }

    /// The folders of all backups.
    pub(super) fn folders(&self) -> impl Iterator<Item = &Path> {
        self.backups.iter().map(|backup| &*backup.folder)
    }
}

impl NumberedBackup {
    fn read(
        folder: PathBuf,
        number: u64,
        clock: &Arc<dyn Clock>,
        identity: Option<&[u8]>,
    ) -> Result<Self, Error> {
        let records = ServerRecords::of_store(&folder, clock.clone());
        let (at, state) = match records.read_state(identity) {
            Ok(found) => found,
            Err(error) if is_of_content(&error) => (None, BackupState::Changed),
            Err(error) => return Err(error),
        };
        Ok(Self {
            number,
            folder,
            at,
            state,
        })
    }
}

/// Whether the file is the reason, not the disk or a permission.
fn is_of_content(error: &Error) -> bool {
    match error {
        Error::Store(StoreError::Damaged { .. } | StoreError::Newer { .. }) => true,
        Error::Store(error @ StoreError::Sqlite(_)) => error.is_broken_database(),
        _ => false,
    }
}

/// The number in the name of a backup's folder.
fn number_of(folder: &Path) -> Option<u64> {
    let name = folder.file_name()?.to_str()?;
    let (number, at) = name.split_once('-')?;
    let is_number = (DIGITS..=MOST_DIGITS).contains(&number.len())
        && number.bytes().all(|byte| byte.is_ascii_digit());
    let is_named_so = is_number && at.ends_with('Z') && !name.contains(UNFINISHED);
    is_named_so.then(|| number.parse().ok()).flatten()
}

impl ServerRecords {
    /// How far the backup with these records is, and its time.
    fn read_state(
        &self,
        identity: Option<&[u8]>,
    ) -> Result<(Option<Timestamp>, BackupState), Error> {
        let at = self.copied_at()?;
        let of = self.known_identity()?;
        if let (Some(of), Some(identity)) = (&of, identity)
            && of != identity
        {
            let accepts = "a folder without backups of another server";
            let folder = self.folder.parent().unwrap_or(&self.folder);
            return Err(InvalidValue::new("folder", accepts, folder.display()).into());
        }
        let stores: Vec<String> = self.read(|connection| {
            let mut statement = connection.prepare("SELECT tenant FROM complete_stores")?;
            let tenants = statement.query_map([], |row| row.get(0))?;
            Ok(tenants.collect::<Result<_, _>>()?)
        })?;
        if at.is_none() || stores.is_empty() {
            return Ok((at, BackupState::Unfinished));
        }
        let mut is_complete = self.check()?.is_none();
        for tenant in &stores {
            is_complete = is_complete && self.is_store_complete(tenant)?;
        }
        let state = if is_complete {
            BackupState::Complete
        } else {
            BackupState::Changed
        };
        Ok((at, state))
    }

    /// Whether every space of a tenant's store in this backup is complete.
    fn is_store_complete(&self, tenant: &str) -> Result<bool, Error> {
        let root = if tenant == DEFAULT_TENANT {
            self.folder.parent().unwrap_or(&self.folder).to_owned()
        } else {
            self.tenant_root(tenant)?
        };
        let spaces = root.join("spaces");
        if !spaces.is_dir() {
            return Ok(false);
        }
        for space in entries(&spaces)? {
            if !is_complete_backup(&space)? {
                return Ok(false);
            }
        }
        Ok(true)
    }

    /// The tenants that were erased, with the time of their creation.
    fn erased_tenants(&self) -> Result<Vec<(String, Timestamp)>, Error> {
        self.read(|connection| {
            let sql = "SELECT name, created_at FROM erased_tenants";
            let mut statement = connection.prepare(sql)?;
            let erased = statement.query_map([], |row| {
                Ok((row.get(0)?, time(row, "created_at")?.unwrap_or_default()))
            })?;
            Ok(erased.collect::<Result<_, _>>()?)
        })
    }

    /// Removes what other backups of the series still have of tenants that were erased here.
    pub(super) fn erase_tenants_in(&self, series: &Series) -> Result<(), Error> {
        let erased = self.erased_tenants()?;
        if erased.is_empty() {
            return Ok(());
        }
        for folder in series.folders() {
            let backup = Self::of_store(folder, self.clock.clone());
            for tenant in backup.tenants()? {
                let is_erased = |(name, at): &(String, Timestamp)| {
                    *name == tenant.name && Some(*at) == tenant.created_at
                };
                if erased.iter().any(is_erased) {
                    backup.remove_copied_tenant(&tenant.name)?;
                }
            }
        }
        Ok(())
    }

    /// When the last of the tenants of this name was erased, if any was.
    pub fn tenant_erased_at(&self, name: &str) -> Result<Option<Timestamp>, Error> {
        self.read(|connection| {
            let sql = "SELECT max(erased_at) AS at FROM erased_tenants WHERE name = ?1";
            let mut statement = connection.prepare_cached(sql)?;
            let found = statement.query_row([name], |row| time(row, "at"));
            Ok(found.optional()?.flatten())
        })
    }
}

impl Store {
    /// Removes a backup of this server. It first loses its name, so that it is never taken for a whole one, and then the
    /// spaces forget it; an interrupted removal is completed by [`Store::finish_removals`].
    pub(super) fn remove_server_backup(
        &self,
        records: &ServerRecords,
        backup: &NumberedBackup,
    ) -> Result<(), Error> {
        let name = backup.folder.file_name().unwrap_or_default();
        let renamed = format!("{}{UNFINISHED}{REMOVED}", name.to_string_lossy());
        let removed = backup.folder.with_file_name(renamed);
        std::fs::rename(&backup.folder, &removed)
            .map_err(StoreError::io("rename", &backup.folder))?;
        self.finish_removal(records, &backup.folder, &removed)
    }

    /// Completes interrupted removals of backups.
    pub(super) fn finish_removals(
        &self,
        records: &ServerRecords,
        folder: &Path,
    ) -> Result<(), Error> {
        let ending = format!("{UNFINISHED}{REMOVED}");
        for path in entries(folder)? {
            let name = path.file_name().unwrap_or_default().to_string_lossy();
            let Some(former) = name.strip_suffix(&ending) else {
                continue;
            };
            let former = path.with_file_name(former);
            if number_of(&former).is_some() {
                self.finish_removal(records, &former, &path)?;
            }
        }
        Ok(())
    }

    fn finish_removal(
        &self,
        records: &ServerRecords,
        backup: &Path,
        renamed: &Path,
    ) -> Result<(), Error> {
        self.forget_backup(backup, None)?;
        let target = ServerRecords::of_store(backup, self.clock());
        for (tenant, root) in records.roots()? {
            if tenant != DEFAULT_TENANT {
                let models = Arc::new(self.models.of_store(&root));
                let store = Self::at(&root, models, self.clock());
                store.forget_backup(&target.tenant_root(&tenant)?, None)?;
            }
        }
        Ok(remove_path(renamed)?)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_folders_that_are_named_by_number_and_time_are_backups() {
        let number = |name: &str| number_of(Path::new("/backups").join(name).as_path());
        assert_eq!(number("000012-2026-02-03T04-05-06Z"), Some(12));
        assert_eq!(number("1234567-2026-02-03T04-05-06Z"), Some(1_234_567));
        for other in [
            "12-2026-02-03T04-05-06Z",
            "000012",
            "000012-photos",
            "+00012-2026-02-03T04-05-06Z",
            "9999999999999999999-2026-02-03T04-05-06Z",
            "000012-2026-02-03T04-05-06Z.tmp-removed",
        ] {
            assert_eq!(number(other), None, "{other}");
        }
    }
}
