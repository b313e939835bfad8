//! History: rewind, versions of a memory, and the log.

use std::path::{Path, PathBuf};

use anamne_store::{
    Disk, LogEntry, LogQuery, Rewound, StoreError, UNFINISHED, WriteLock, create_private_folder,
    entries, remove_path, sync_folder_on,
};
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
    /// All spaces appear in it at once, at the end. What an interrupted rewind left in `folder` is removed by the next one.
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
        check_unused(&folder)?;
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
        let (spaces, skipped) = build_at_once(&rewind.store, |staging| {
            let rebuild = |space: &Space| Ok(space.source().rewind(at, staging)?);
            each_space(&chosen, skipped, space.is_some(), staging, rebuild)
        })?;
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

/// The folder in that of a new store in which its spaces are rebuilt.
fn staging_in(folder: &Path) -> PathBuf {
    folder.join(format!("rewind{UNFINISHED}spaces"))
}

/// Refuses a folder with anything but what an interrupted rewind left.
fn check_unused(folder: &Path) -> Result<(), StoreError> {
    let staging = staging_in(folder);
    if entries(folder)?.iter().all(|path| *path == staging) {
        return Ok(());
    }
    let path = folder.to_owned();
    Err(StoreError::NotEmpty { path })
}

/// Builds a store in `folder` by `build`, which gets a folder for it; until that is done there is no store in `folder`.
fn build_at_once<T>(
    folder: &Path,
    build: impl FnOnce(&Path) -> Result<T, Error>,
) -> Result<T, Error> {
    let staging = staging_in(folder);
    create_private_folder(&staging)?;
    let lock = WriteLock::at(&staging.join("rewind.lock"));
    // Another rewind may take long, so this doesn't wait for it.
    let Some(guard) = lock.try_acquire()? else {
        let waited = std::time::Duration::ZERO;
        return Err(StoreError::Busy {
            path: staging,
            waited,
        }
        .into());
    };
    let built = build_under_lock(folder, &staging, build);
    drop(guard);
    let removed = remove_path(&staging);
    let built = built?;
    removed?;
    Ok(built)
}

fn build_under_lock<T>(
    folder: &Path,
    staging: &Path,
    build: impl FnOnce(&Path) -> Result<T, Error>,
) -> Result<T, Error> {
    let spaces = staging.join("spaces");
    remove_path(&spaces)?;
    create_private_folder(&spaces)?;
    let built = build(staging)?;
    check_unused(folder)?;
    sync_folder_on(&Disk, &spaces.join("."))?;
    let target = folder.join("spaces");
    std::fs::rename(&spaces, &target).map_err(StoreError::io("put in place", &target))?;
    sync_folder_on(&Disk, &target)?;
    Ok(built)
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

#[cfg(test)]
mod tests {
    use std::fs;

    use super::{build_at_once, check_unused};

    #[test]
    fn an_interrupted_rewind_leaves_no_store_and_is_repeated_in_the_same_folder() {
        let folder = tempfile::tempdir().expect("a folder");
        let (folder, place) = (folder.path(), "spaces/a");
        let interrupted = std::panic::catch_unwind(|| {
            let _: Result<(), _> = build_at_once(folder, |staging| {
                fs::create_dir_all(staging.join("spaces/partial")).expect("a folder");
                panic!("killed");
            });
        });
        assert!(interrupted.is_err());
        assert!(!folder.join("spaces").exists());
        check_unused(folder).expect("it may be repeated");
        let repeated = build_at_once(folder, |staging| {
            assert!(!staging.join("spaces/partial").exists());
            let other = build_at_once(folder, |_| Ok(()));
            assert!(other.is_err(), "one at a time");
            fs::create_dir_all(staging.join(place)).expect("a folder");
            Ok(())
        });
        repeated.expect("it is built");
        let names = fs::read_dir(folder).expect("a folder");
        let names: Vec<_> = names.map(|one| one.expect("it").file_name()).collect();
        assert_eq!(names, ["spaces"]);
        assert!(folder.join(place).exists());
        assert!(check_unused(folder).is_err());
    }
}
