//! The queue of a space's background work: what was queued, done and noted is observed, not told.

use std::path::PathBuf;
use std::sync::{Arc, Mutex, PoisonError};

use anamne_jobs::{Activity, Queue, QueueError};
use anamne_store::{Budget, Class, Derived, SpaceSource, remove_derived};

use super::Site;
use crate::Error;

/// Its name in reports.
const NAME: &str = "tasks";

/// The queue, opened when it is first used.
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

    /// The queue; `first` is done with it when this process opens it.
    pub(crate) fn open(
        &self,
        first: impl FnOnce(&Queue) -> Result<(), QueueError>,
    ) -> Result<Queue, QueueError> {
        let mut opened = self.opened.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(queue) = &*opened {
            return Ok(queue.clone());
        }
        let queue = Queue::open(&self.path(), self.source.clock())?;
        first(&queue)?;
        *opened = Some(queue.clone());
        Ok(queue)
    }

    /// Writes down for others what this process was asked and told.
    pub(crate) fn note_activity(&self) {
        let opened = self.opened.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(queue) = &*opened {
            // It decides nothing but when work is done.
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

    /// Takes out what finished tasks left behind.
    fn purge(&self, _: &mut Budget<'_>) -> Result<(), Error> {
        if !self.exists() {
            return Ok(());
        }
        let opened = self.opened.lock().unwrap_or_else(PoisonError::into_inner);
        let queue = match &*opened {
            Some(queue) => queue.clone(),
            // Not kept: what is periodic is scheduled by whoever opens it to work.
            None => Queue::open(&self.path(), self.source.clock())?,
        };
        Ok(queue.purge()?)
    }

    fn remove(&self) -> Result<(), Error> {
        *self.opened.lock().unwrap_or_else(PoisonError::into_inner) = None;
        Ok(remove_derived(&self.path())?)
    }
}
