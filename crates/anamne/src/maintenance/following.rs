//! For servers: notices of commits, how far views are behind, and whether the store can be written.

use std::collections::BTreeMap;
use std::fs::{File, remove_file};
use std::sync::PoisonError;

use anamne_store::{CommitWatcher, StoreError};
use anamne_types::{Right, Seq};

use crate::Error;
use crate::core::Inner;
use crate::space::Space;
use crate::store::Store;

/// Notices what any process writes to a space.
pub struct SpaceWatch(CommitWatcher);

impl SpaceWatch {
    /// The last event of the log, if anything was committed since the last call. Costs 3–5 µs without a commit.
    pub fn changed(&mut self) -> Result<Option<Seq>, Error> {
        if !self.0.changed()? {
            return Ok(None);
        }
        Ok(Some(self.0.head()?))
    }
}

impl Space {
    /// Watches the space's log; events are read with [`Space::log`].
    pub fn watch(&self) -> Result<SpaceWatch, Error> {
        Ok(SpaceWatch(self.inner.source.watch()?))
    }
}

impl Store {
    /// By view, the largest number of events that a view of an open space doesn't answer for yet, after it read what it
    /// can. At most `most` spaces of the scope are asked. O(spaces × views).
    pub fn events_behind(&self, most: usize) -> Result<BTreeMap<String, u64>, Error> {
        let open = self.open.lock().unwrap_or_else(PoisonError::into_inner);
        let readable = open
            .iter()
            .filter(|(name, _)| self.scope.may_read(name.as_str()));
        let spaces: Vec<_> = readable
            .map(|(_, inner)| inner.clone())
            .take(most)
            .collect();
        drop(open);
        let mut largest = BTreeMap::new();
        for space in spaces {
            for (view, behind) in behind(&space)? {
                let largest = largest.entry(view).or_default();
                *largest = behind.max(*largest);
            }
        }
        Ok(largest)
    }

    /// Creates and removes an empty file in the store's folder. [`Error::Denied`] without [`Right::Configure`];
    /// [`Error::Store`] if nothing can be written there.
    pub fn check_writable(&self) -> Result<(), Error> {
        self.require(Right::Configure)?;
        let path = self
            .root()
            .join(format!(".writable-{}", std::process::id()));
        let written = File::create(&path).and_then(|_| remove_file(&path));
        Ok(written.map_err(StoreError::io("write", &path))?)
    }
}

fn behind(space: &Inner) -> Result<Vec<(String, u64)>, Error> {
    let problems = space.derived.tiers.caught_up()?;
    let head = space.source.watch()?.head()?.0;
    let states = space.derived.states(&problems).into_iter();
    let behind =
        states.filter_map(|state| Some((state.name, head.saturating_sub(state.position?))));
    Ok(behind.collect())
}
