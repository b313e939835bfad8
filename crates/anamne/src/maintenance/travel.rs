//! History: rewind, versions of a memory, and the log.

use std::path::{Path, PathBuf};

use anamne_store::{LogEntry, LogQuery, Rewound, StoreError, create_private_folder, entries};
use anamne_types::{InvalidValue, MemoryId, Right, Skipped, Version};
use jiff::Timestamp;
use serde::Serialize;

use crate::Error;
use crate::maintenance::upkeep::each_space;
use crate::space::Space;
use crate::store::Store;

/// The result of a rewind.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Rewind {
    /// The time it was rebuilt to.
    pub at: Timestamp,
    /// The folder of the new store.
    pub store: PathBuf,
    /// The spaces in it.
    pub spaces: Vec<Rewound>,
    /// Spaces created later.
    pub absent: Vec<String>,
    /// The spaces that could not be rebuilt, by name.
    #[serde(skip_serializing_if = "Skipped::is_empty")]
    pub skipped: Skipped,
}

impl Store {
    /// Rebuilds the named space, or all spaces, as of a time, as a store in the empty or new `folder`. The result is an
    /// independent store; this one is unchanged.
    ///
    /// Later erasures stay in effect. With all spaces, failing ones are listed; it is an error if none succeeds.
    /// O(bytes of the journals).
    pub fn rewind(
        &self,
        at: Timestamp,
        folder: &Path,
        space: Option<&str>,
    ) -> Result<Rewind, Error> {
        self.require(Right::Configure)?;
        let folder = outside(folder, self.root())?;
        if !entries(&folder)?.is_empty() {
            return Err(StoreError::NotEmpty { path: folder }.into());
        }
        let mut rewind = Rewind {
            at,
            store: folder,
            spaces: Vec::new(),
            absent: Vec::new(),
            skipped: Skipped::default(),
        };
        let (candidates, mut skipped) = self.chosen(space)?;
        let (mut chosen, mut first) = (Vec::new(), None);
        for candidate in candidates {
            match candidate.began() {
                Ok(began) if began <= at => chosen.push(candidate),
                Ok(began) => {
                    rewind.absent.push(candidate.name().to_owned());
                    first = first.map_or(Some(began), |first| Some(began.min(first)));
                }
                Err(error) if space.is_some() => return Err(error),
                Err(error) => skipped.add(candidate.name(), &error, error.next_step()),
            }
        }
        if let Some(first) = first
            && chosen.is_empty()
            && skipped.is_empty()
        {
            let which = if space.is_some() { "the" } else { "the first" };
            let accepts = format!("not before {first:.0}, when {which} space was created");
            return Err(InvalidValue::new("at", accepts, format!("{at:.0}")).into());
        }
        create_private_folder(&rewind.store.join("spaces"))?;
        let rebuild = |space: &Space| Ok(space.source().rewind(at, &rewind.store)?);
        let (spaces, skipped) =
            each_space(&chosen, skipped, space.is_some(), &rewind.store, rebuild)?;
        Ok(Rewind {
            spaces,
            skipped,
            ..rewind
        })
    }
}

impl Space {
    /// A memory as of a time; `None` if it didn't exist yet, and a version without memory if its content is erased.
    /// O(events).
    pub fn as_of(&self, id: MemoryId, at: Timestamp) -> Result<Option<Version>, Error> {
        Ok(self.source().as_of(id, at)?)
    }

    /// The events of the log that match a query, in its order. O(events).
    pub fn log(&self, query: &LogQuery) -> Result<Vec<LogEntry>, Error> {
        Ok(self.source().log(query)?)
    }

    /// When the space was created or first written to, whichever is earlier.
    fn began(&self) -> Result<Timestamp, Error> {
        let first = LogQuery {
            oldest_first: true,
            limit: 1,
            ..LogQuery::default()
        };
        let stored = self.log(&first)?.pop().map(|entry| entry.event.at);
        let made = self.config().created_at;
        Ok(stored.map_or(made, |stored| stored.min(made)))
    }
}

/// The absolute folder, which must not be inside the store.
pub(crate) fn outside(folder: &Path, store: &Path) -> Result<PathBuf, Error> {
    let (folder, store) = (resolved(folder), resolved(store));
    if folder.starts_with(&store) {
        let path = folder;
        return Err(StoreError::Within { path, store }.into());
    }
    Ok(folder)
}

/// The canonical path, as far as it exists.
fn resolved(path: &Path) -> PathBuf {
    let path = std::path::absolute(path).unwrap_or_else(|_| path.to_owned());
    for known in path.ancestors() {
        if let Ok(found) = known.canonicalize() {
            let rest = path.strip_prefix(known).unwrap_or(Path::new(""));
            return if rest.as_os_str().is_empty() {
                found
            } else {
                found.join(rest)
            };
        }
    }
    path
}
