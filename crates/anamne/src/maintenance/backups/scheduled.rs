//! Scheduled backups and their rotation.

use std::path::{Path, PathBuf};

use anamne_jobs::{NewTask, Periodic, Priority, Queue, QueueError, Timing};
use anamne_store::view::MemoryFeed;
use anamne_store::{BackupConfig, KnownBackup, remove_path};
use anamne_types::{InvalidValue, Right, Seq};

use crate::Error;
use crate::core::Inner;
use crate::maintenance::travel::outside;
use crate::space::Space;

/// The task kind and schedule name.
pub(crate) const BACK_UP: &str = "backup";

impl Space {
    /// Queues the next scheduled backup as a task that is due now; [`Space::run_tasks`] or the background makes it. O(1).
    ///
    /// # Errors
    ///
    /// If no backups are scheduled, or without the right to configure.
    pub fn queue_backup(&self) -> Result<(), Error> {
        self.require(Right::Configure)?;
        if !self.inner.source.current_config()?.backup.is_on() {
            let accepts = "a space with scheduled backups";
            return Err(InvalidValue::new("space", accepts, "none scheduled").into());
        }
        let task = NewTask::new(BACK_UP, BACK_UP).priority(Priority::Urgent);
        Ok(self.inner.queue()?.enqueue(&task)?)
    }
}

impl Inner {
    /// Applies the backup schedule of the settings.
    pub(crate) fn schedule_backups(&self, queue: &Queue) -> Result<(), QueueError> {
        // Read again: another process may have changed them.
        let config = &self.source.current_config()?.backup;
        if !config.is_on() {
            return queue.unschedule(BACK_UP);
        }
        queue.schedule(&Periodic {
            name: BACK_UP,
            kind: BACK_UP,
            timing: Timing::Every(3_600 * u64::from(config.every_hours)),
            priority: Priority::Low,
        })
    }

    /// Makes a new backup if anything changed since the last one, and deletes the oldest beyond the limit. Returns the
    /// new folder.
    pub(crate) fn back_up_as_scheduled(&self) -> Result<Option<PathBuf>, Error> {
        let config = self.source.current_config()?.backup.clone();
        if !config.is_on() {
            return Ok(None);
        }
        let series = self.series(&config)?;
        let known = self.backups_in(&series)?;
        let head = MemoryFeed::head(&*self.source)?;
        if known.last().is_some_and(|last| last.last_seq == head) {
            return Ok(None);
        }
        // An interrupted backup is completed first, so that none pile up.
        let unfinished = known.into_iter().find(|backup| backup.last_seq == Seq(0));
        let made = unfinished.map_or_else(
            || series.join(self.source.now().strftime("%Y-%m-%dT%H-%M-%SZ").to_string()),
            |backup| backup.folder,
        );
        anamne_store::create_private_folder(&made.join("spaces"))?;
        self.back_up_to(&made)?;
        let mut kept = self.backups_in(&series)?;
        let many = kept.len().saturating_sub(config.keep as usize);
        for old in kept.drain(..many) {
            self.remove_backup(&old, &made)?;
        }
        Ok(Some(made))
    }

    /// The folder of the scheduled backups of this space, which must be outside of the store.
    pub(super) fn series(&self, config: &BackupConfig) -> Result<PathBuf, Error> {
        let space = self.source.folder();
        let root = space.ancestors().nth(2).unwrap_or(space);
        Ok(outside(&config.folder, root)?.join(space.file_name().unwrap_or_default()))
    }

    /// The known backups of a series, earliest first.
    pub(super) fn backups_in(&self, series: &Path) -> Result<Vec<KnownBackup>, Error> {
        let mut known = self.source.backups()?;
        known.retain(|backup| backup.folder.parent() == Some(series));
        known.sort_by(|one, other| {
            (one.last_seq, &one.folder).cmp(&(other.last_seq, &other.folder))
        });
        Ok(known)
    }

    /// Deletes an unmodified backup; a modified or unreadable folder stays.
    fn remove_backup(&self, old: &KnownBackup, made: &Path) -> Result<(), Error> {
        if old.folder != made && self.source.is_as_copied(old).unwrap_or(false) {
            remove_path(&old.folder)?;
            self.source.forget_backup(&old.folder)?;
        }
        Ok(())
    }
}
