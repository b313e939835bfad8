//! Backups of a server on a schedule, and what the last ones came to.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use anamne_store::{Clock, StoreError, WriteLock};
use anamne_types::InvalidValue;
use jiff::Timestamp;
use rusqlite::OptionalExtension;
use serde::{Deserialize, Serialize};

use super::copying::{Kind, ServerBackup};
use super::series::Series;
use super::{ServerRecords, json};
use crate::Error;
use crate::maintenance::travel::outside;
use crate::store::{Options, Store};

/// When backups of a server are made, and how many are kept.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BackupSchedule {
    /// The folder of the backups, which must exist: if its disk is not connected, nothing is written beneath.
    pub folder: PathBuf,
    /// The interval.
    pub every: Duration,
    /// The number of complete backups to keep; at least one is.
    pub keep: u32,
}

/// A schedule, and what the last backups came to.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct BackupStatus {
    /// The folder of the backups.
    #[cfg_attr(feature = "openapi", schema(value_type = String))]
    pub folder: PathBuf,
    /// The interval in seconds.
    pub every_seconds: u64,
    /// The number of complete backups to keep.
    pub keep: u32,
    /// Since when there is this schedule.
    pub since: Timestamp,
    /// The number of complete backups.
    pub complete: u64,
    /// The number of backups that don't count: something in them is missing now, was changed, or can't be read.
    pub changed: u64,
    /// The time of the last complete one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub last_at: Option<Timestamp>,
    /// Its folder.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "openapi", schema(value_type = Option<String>))]
    pub last_folder: Option<PathBuf>,
    /// When the last attempt failed, if none succeeded since.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub failed_at: Option<Timestamp>,
    /// Why it failed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub failure: Option<String>,
}

impl BackupStatus {
    /// How long after `now` the next backup is due. At once if the clock was set back, or there is none.
    pub fn due_in(&self, now: Timestamp) -> Duration {
        let age = self.last_at.map(|at| now.duration_since(at));
        let age = age.and_then(|age| Duration::try_from(age).ok());
        age.map_or(Duration::ZERO, |age| {
            Duration::from_secs(self.every_seconds).saturating_sub(age)
        })
    }

    /// Whether there is no complete backup of the last two intervals.
    pub fn is_overdue(&self, now: Timestamp) -> bool {
        let age = now.duration_since(self.last_at.unwrap_or(self.since));
        let most = Duration::from_secs(self.every_seconds.saturating_mul(2));
        Duration::try_from(age).is_ok_and(|age| age > most)
    }

    fn of(schedule: &BackupSchedule, now: Timestamp) -> Self {
        Self {
            folder: schedule.folder.clone(),
            every_seconds: schedule.every.as_secs(),
            keep: schedule.keep,
            since: now,
            complete: 0,
            changed: 0,
            last_at: None,
            last_folder: None,
            failed_at: None,
            failure: None,
        }
    }

    /// What the folder has now.
    fn note_series(&mut self, series: &Series) {
        self.complete = series.complete().count() as u64;
        self.changed = series.changed() as u64;
        let last = series.complete().next_back();
        self.last_at = last.and_then(|last| last.at);
        self.last_folder = last.map(|last| last.folder.clone());
    }

    fn note_failure(&mut self, failure: Option<String>, now: Timestamp) {
        self.failed_at = failure.is_some().then_some(now);
        self.failure = failure;
    }
}

impl Store {
    /// Begins a schedule of backups of the server whose store this is; [`Store::back_up_server_as_scheduled`] makes them.
    ///
    /// Rejects a folder inside this store. A folder that can't be read now is a failure in the status.
    pub fn begin_server_backups(&self, schedule: &BackupSchedule) -> Result<BackupStatus, Error> {
        let records = self.server_records()?;
        outside(&schedule.folder, self.root())?;
        let now = records.now();
        let mut status = records.status_of(schedule)?;
        match self.series(&records, schedule) {
            Ok(series) => status.note_series(&series),
            Err(error) => status.note_failure(Some(error.to_string()), now),
        }
        records.set_backup_status(&status)?;
        Ok(status)
    }

    /// Makes the next backup of the schedule, and then removes the oldest complete ones beyond those to keep. An
    /// interrupted one is continued. Only one process at a time does so; safe during requests, writes and interruptions.
    ///
    /// Nothing is removed unless the new backup is complete, and the number to keep of others is. What fails is in the
    /// status; it is an error only if that can't be written down.
    pub fn back_up_server_as_scheduled(
        &self,
        schedule: &BackupSchedule,
    ) -> Result<BackupStatus, Error> {
        let records = self.server_records()?;
        let mut status = records.status_of(schedule)?;
        let failure = self
            .apart()
            .back_up_into_series(&records, schedule, &mut status);
        let failure = failure.unwrap_or_else(|error| Some(error.to_string()));
        status.note_failure(failure, records.now());
        records.set_backup_status(&status)?;
        Ok(status)
    }

    /// The same store, whose spaces are closed with it: a server must not keep all of them open because of a backup.
    fn apart(&self) -> Self {
        let options = Options {
            background: false,
            ..Options::clone(&self.options)
        };
        Self {
            options: Arc::new(options),
            open: Arc::default(),
            ..self.clone()
        }
    }

    /// Returns what is wrong with a backup that was made, if anything.
    fn back_up_into_series(
        &self,
        records: &ServerRecords,
        schedule: &BackupSchedule,
        status: &mut BackupStatus,
    ) -> Result<Option<String>, Error> {
        let folder = outside(&schedule.folder, self.root())?;
        let series = self.series(records, schedule)?;
        status.note_series(&series);
        let lock = WriteLock::at(&folder.join("backups.lock"));
        let _alone = lock.acquire()?;
        self.finish_removals(records, &folder)?;
        let series = self.series(records, schedule)?;
        let not_erased = records.erase_tenants_in(&series).err();
        let next = series.next(records.now());
        let made = self.back_up_server(records, &next, Kind::Scheduled)?;
        // As it is on the disk.
        let series = self.series(records, schedule)?;
        status.note_series(&series);
        if let Some(skipped) = skipped_in(&made) {
            return Ok(Some(format!("the backup is not complete: {skipped}")));
        }
        if status.last_folder.as_deref() != Some(&next) {
            let said = format!("{} is not complete after it was made", next.display());
            return Ok(Some(said));
        }
        for old in series.superfluous(schedule.keep) {
            self.remove_server_backup(records, old)?;
            status.complete -= 1;
        }
        Ok(not_erased
            .map(|error| format!("an earlier backup may still have erased tenants: {error}")))
    }

    /// The backups of a schedule.
    fn series(&self, records: &ServerRecords, schedule: &BackupSchedule) -> Result<Series, Error> {
        let folder = outside(&schedule.folder, self.root())?;
        if !folder.is_dir() {
            let accepts = "a folder that exists; create it, or connect its disk";
            return Err(
                InvalidValue::new("the folder of backups", accepts, folder.display()).into(),
            );
        }
        Series::read(&folder, &records.clock, Some(&records.identity()?))
    }
}

/// The first thing that a backup lacks, if anything.
fn skipped_in(made: &ServerBackup) -> Option<String> {
    let tenants = made.skipped.first.iter();
    let tenants = tenants.map(|one| format!("tenant {}: {}", one.entry, one.reason));
    let spaces = made.stores.iter().flat_map(|store| {
        let skipped = store.skipped.first.iter();
        let tenant = &store.tenant;
        skipped.map(move |one| format!("space {} of tenant {tenant}: {}", one.entry, one.reason))
    });
    tenants.chain(spaces).next()
}

impl ServerRecords {
    /// The schedule of backups, and what the last ones came to; `None` if the last server had none.
    pub fn backup_status(&self) -> Result<Option<BackupStatus>, Error> {
        self.read(|connection| {
            let sql = "SELECT status FROM backup_status";
            let found = connection.query_row(sql, [], |row| json(row, "status"));
            Ok(found.optional()?)
        })
    }

    /// Notes that there is no schedule of backups.
    pub fn end_server_backups(&self) -> Result<(), Error> {
        if self.backup_status()?.is_none() {
            return Ok(());
        }
        Ok(self
            .writing
            .change(|transaction| -> Result<_, StoreError> {
                transaction.execute("DELETE FROM backup_status", [])?;
                Ok(())
            })?)
    }

    /// The status of this schedule as it was last noted, or a new one.
    fn status_of(&self, schedule: &BackupSchedule) -> Result<BackupStatus, Error> {
        let new = BackupStatus::of(schedule, self.now());
        let known = self.backup_status()?;
        let known = known.filter(|known| known.folder == schedule.folder);
        Ok(known.map_or(new.clone(), |known| BackupStatus {
            every_seconds: new.every_seconds,
            keep: new.keep,
            ..known
        }))
    }

    fn set_backup_status(&self, status: &BackupStatus) -> Result<(), Error> {
        let text = serde_json::to_string(status).map_err(std::io::Error::from);
        let text = text.map_err(|source| Error::Stream {
            action: "write the status of backups",
            source,
        })?;
        Ok(self
            .writing
            .change(|transaction| -> Result<_, StoreError> {
                let sql = "INSERT OR REPLACE INTO backup_status VALUES (1, ?1)";
                transaction.execute(sql, [&text])?;
                Ok(())
            })?)
    }
}

/// The newest complete backup, if `folder` is that of a schedule.
pub(super) fn newest_in(folder: &Path, clock: &Arc<dyn Clock>) -> Result<Option<PathBuf>, Error> {
    let series = Series::read(folder, clock, None)?;
    let newest = series.complete().next_back();
    Ok(newest.map(|newest| newest.folder.clone()))
}
