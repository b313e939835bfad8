//! For servers: notices of commits, how far views are behind, and whether the store can be written.

use std::collections::BTreeMap;
use std::fs::{File, remove_file};
use std::io::Write;
use std::sync::PoisonError;

use anamne_store::{CommitWatcher, LogQuery, StoreError};
use anamne_types::{Right, Seq};

use crate::Error;
use crate::core::Inner;
use crate::space::Space;
use crate::store::Store;

/// How far a view is behind the log.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct ViewLag {
    /// Events that it doesn't answer for yet.
    pub events: u64,
    /// Seconds since the first of them was written; 0 if there are none.
    pub seconds: f64,
}

impl ViewLag {
    /// Becomes the larger of both, in each respect.
    pub fn extend_to(&mut self, other: Self) {
        self.events = self.events.max(other.events);
        self.seconds = self.seconds.max(other.seconds);
    }
}

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
    /// By view, how far it is behind the log in the open space where it is furthest, after it read what it can. At most
    /// `most` spaces of the scope are asked. O(spaces × views).
    pub fn views_behind(&self, most: usize) -> Result<BTreeMap<String, ViewLag>, Error> {
        let open = self.open.lock().unwrap_or_else(PoisonError::into_inner);
        let readable = open
            .iter()
            .filter(|(name, _)| self.scope.may_read(name.as_str()));
        let spaces: Vec<_> = readable
            .map(|(_, inner)| inner.clone())
            .take(most)
            .collect();
        drop(open);
        let mut largest: BTreeMap<String, ViewLag> = BTreeMap::new();
        for space in spaces {
            for (view, behind) in behind(&space)? {
                largest.entry(view).or_default().extend_to(behind);
            }
        }
        Ok(largest)
    }

    /// Creates and removes a file of 256 KiB in the store's folder. [`Error::Denied`] without [`Right::Configure`];
    /// [`Error::Store`] if nothing can be written there.
    pub fn check_writable(&self) -> Result<(), Error> {
        self.require(Right::Configure)?;
        let path = self
            .root()
            .join(format!(".writable-{}", std::process::id()));
        // On a full disk, an empty file can still be created.
        let written = File::create(&path).and_then(|mut file| file.write_all(&vec![0; 256 << 10]));
        let removed = remove_file(&path);
        Ok(written
            .and(removed)
            .map_err(StoreError::io("write", &path))?)
    }
}

fn behind(space: &Inner) -> Result<Vec<(String, ViewLag)>, Error> {
    let problems = space.derived.tiers.caught_up()?;
    let head = space.source.watch()?.head()?.0;
    let states = space.derived.states(&problems).into_iter();
    let following = states.filter_map(|state| Some((state.name, state.position?)));
    let lag = |(view, position): (String, u64)| {
        let events = head.saturating_sub(position);
        let seconds = match events {
            0 => 0.0,
            _ => seconds_since(space, Seq(position))?,
        };
        Ok((view, ViewLag { events, seconds }))
    };
    following.map(lag).collect()
}

/// How long ago the first event after this one was written.
fn seconds_since(space: &Inner, position: Seq) -> Result<f64, Error> {
    let first = space.source.log(&LogQuery {
        after: Some(position),
        oldest_first: true,
        limit: 1,
        ..LogQuery::default()
    })?;
    let now = space.source.now();
    let ago = first
        .first()
        .map(|entry| now.duration_since(entry.event.at).as_secs_f64());
    Ok(ago.unwrap_or_default().max(0.0))
}
