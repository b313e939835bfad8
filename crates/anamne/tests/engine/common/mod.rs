//! Shared by the tests: a store in its own folder, a clock that tests set, a search in raw files.

pub(crate) mod public_methods;
pub(crate) mod site;
pub(crate) mod sources;
pub(crate) mod traces;

use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};

use anamne::{Clock, Link, LinkType, MemoryId, Options, Space, Store};
use jiff::Timestamp;
use tempfile::TempDir;

/// A clock that only changes when it is set.
pub(crate) struct SetClock(Mutex<Timestamp>);

impl SetClock {
    pub(crate) fn at(instant: &str) -> Self {
        Self(Mutex::new(instant.parse().expect("an instant")))
    }

    pub(crate) fn set(&self, instant: &str) {
        *self.0.lock().expect("no panic before") = instant.parse().expect("an instant");
    }
}

impl Clock for SetClock {
    fn now(&self) -> Timestamp {
        *self.0.lock().expect("no panic before")
    }
}

/// A store's folder, deleted when the test ends.
pub(crate) struct Home(TempDir);

impl Home {
    pub(crate) fn new() -> Self {
        Self(tempfile::tempdir().expect("a temporary folder"))
    }

    pub(crate) fn root(&self) -> &Path {
        self.0.path()
    }

    /// The folder of the test space.
    pub(crate) fn folder(&self) -> PathBuf {
        self.root().join("spaces/tests")
    }

    /// The space, opened as another process would.
    pub(crate) fn space(&self) -> Space {
        let store = Store::open_with(Options::new(self.root()).background(false)).expect("a store");
        store.space("tests").expect("a space")
    }

    pub(crate) fn store_with_clock(&self, now: &str) -> (Store, Arc<SetClock>) {
        let clock = Arc::new(SetClock::at(now));
        let options = Options {
            clock: clock.clone(),
            ..Options::new(self.root()).background(false)
        };
        (Store::open_with(options).expect("a store"), clock)
    }
}

pub(crate) fn link(from: MemoryId, to: MemoryId, reason: &str) -> Link {
    Link {
        from,
        to,
        link_type: LinkType::Supports,
        weight: 0.5,
        reason: reason.to_owned(),
        created_at: Timestamp::UNIX_EPOCH,
    }
}

pub(crate) fn files_under(folder: &Path) -> Vec<PathBuf> {
    let mut files = Vec::new();
    for entry in std::fs::read_dir(folder).expect("a folder") {
        let path = entry.expect("an entry").path();
        if path.is_dir() {
            files.extend(files_under(&path));
        } else {
            files.push(path);
        }
    }
    files
}

/// The files that contain a needle, ignoring case.
pub(crate) fn files_with(folder: &Path, needle: &[u8]) -> Vec<PathBuf> {
    let holds = |path: &PathBuf| {
        assert!(
            path.extension().is_none_or(|extension| extension != "zst"),
            "packed: {}",
            path.display()
        );
        let bytes = std::fs::read(path).expect("a file");
        bytes
            .windows(needle.len())
            .any(|window| window.eq_ignore_ascii_case(needle))
    };
    files_under(folder).into_iter().filter(holds).collect()
}
