//! The queue of a space's background work: observed data, not derived from the log.

use std::path::PathBuf;
use std::sync::{Arc, Mutex, PoisonError};

use anamne_jobs::{Activity, Queue, QueueError};
use anamne_store::{Budget, Class, Derived, SpaceSource, remove_derived};

use super::Site;
use crate::Error;

/// Its name in reports.
const NAME: &str = "tasks";

/// The queue, opened on first use.
pub(crate) struct TasksFile {
    source: Arc<SpaceSource>,
    opened: Mutex<Option<Queue>>,
    /// The load of this process.
    pub(crate) activity: Arc<Activity>,
}

impl TasksFile {
    pub(super) fn new(site: &Site) -> Self {
        Self {
            activity: Arc::new(Activity::new(site.source.clock())),
            source: site.source.clone(),
            opened: Mutex::default(),
        }
    }

    fn path(&self) -> PathBuf {
        self.source.folder().join("tasks.db")
    }

    /// The queue; `first` is called when this process opens it. A queue that this user can't write is opened to read.
    pub(crate) fn open(
        &self,
        first: impl FnOnce(&Queue) -> Result<(), QueueError>,
    ) -> Result<Queue, QueueError> {
        let mut opened = self.opened.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(queue) = &*opened {
            return Ok(queue.clone());
        }
        let queue = Queue::open(&self.path(), self.source.clock())?;
        match first(&queue) {
            Err(QueueError::Store(error)) if error.is_read_only() => Ok(queue),
            done => {
                done?;
                *opened = Some(queue.clone());
                Ok(queue)
            }
        }
    }

    /// Writes this process's activity to the queue, for other processes.
    pub(crate) fn note_activity(&self) {
        let opened = self.opened.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(queue) = &*opened {
            // A failure only affects when work is done.
            let _ = self.activity.flush(queue);
        }
    }
}

impl Derived<Error> for TasksFile {
    fn name(&self) -> &'static str {
        NAME
    }

    fn class(&self) -> Class {
        Class::Observed
    }

    fn files(&self) -> Vec<PathBuf> {
        vec![self.path()]
    }

    /// Removes the data of finished tasks.
    fn purge(&self, _: &mut Budget<'_>) -> Result<(), Error> {
        if !self.exists() {
            return Ok(());
        }
        let opened = self.opened.lock().unwrap_or_else(PoisonError::into_inner);
        let queue = match &*opened {
            Some(queue) => queue.clone(),
            // Not kept open: `open` must schedule the periodic tasks first.
            None => Queue::open(&self.path(), self.source.clock())?,
        };
        Ok(queue.purge()?)
    }

    fn remove(&self) -> Result<(), Error> {
        *self.opened.lock().unwrap_or_else(PoisonError::into_inner) = None;
        Ok(remove_derived(&self.path())?)
    }
}
