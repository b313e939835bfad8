//! Shared test helpers: a space in a temporary folder, a deterministic clock, child processes.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::atomic::{AtomicI64, Ordering};
use std::sync::{Arc, Mutex};

use anamne_store::view::{Change, ChangeFeed, Fold, Health, View, ViewError};
use anamne_store::{Clock, Lines, SpaceName, SpaceSource, StoreError};
use anamne_types::{Actor, Row, Seq};
use jiff::Timestamp;

/// A clock that advances by a millisecond on every call.
#[derive(Debug)]
pub(crate) struct SteppingClock(pub AtomicI64);

impl Clock for SteppingClock {
    fn now(&self) -> Timestamp {
        let milliseconds = self.0.fetch_add(1, Ordering::Relaxed);
        Timestamp::from_millisecond(milliseconds).expect("an instant of this century")
    }
}

pub(crate) fn clock() -> Arc<SteppingClock> {
    Arc::new(SteppingClock(AtomicI64::new(1_760_000_000_000)))
}

/// A temporary folder with a space in it.
pub(crate) struct Home(tempfile::TempDir);

impl Home {
    pub(crate) fn new() -> Self {
        Self(tempfile::tempdir().expect("a temporary folder"))
    }

    pub(crate) fn space(&self) -> PathBuf {
        self.0.path().join("core")
    }

    pub(crate) fn at(&self, path: &str) -> PathBuf {
        self.space().join(path)
    }

    pub(crate) fn database(&self) -> PathBuf {
        self.at("memories/active.db")
    }

    pub(crate) fn journal(&self) -> PathBuf {
        self.at("journal")
    }

    pub(crate) fn open(&self) -> SpaceSource {
        open(&self.space()).expect("the space opens")
    }

    /// A copy of the space's current files.
    pub(crate) fn copy(&self) -> Self {
        let copy = Self::new();
        copy_folder(&self.space(), &copy.space());
        copy
    }

    pub(crate) fn remove_database(&self) {
        for file in ["active.db", "active.db-wal", "active.db-shm"] {
            let path = self.at("memories").join(file);
            if path.exists() {
                fs::remove_file(path).expect("a file that can be removed");
            }
        }
    }

    pub(crate) fn remove_journal(&self) {
        fs::remove_dir_all(self.journal()).expect("a folder that can be removed");
    }
}

pub(crate) fn open(folder: &Path) -> Result<SpaceSource, StoreError> {
    SpaceSource::open(folder, &SpaceName::core(), clock(), true)
}

pub(crate) fn user() -> Actor {
    Actor::user()
}

pub(crate) fn head(space: &SpaceSource) -> Seq {
    space.feed().head().expect("the log's end")
}

#[track_caller]
pub(crate) fn assert_sound(space: &SpaceSource) {
    let report = space.verify_journal().expect("a journal that can be read");
    assert_eq!(report.problems, Vec::<String>::new());
    assert_eq!(
        Seq(report.last_seq),
        head(space),
        "both copies end together"
    );
    assert_eq!(
        space
            .verify_database()
            .expect("a database that can be read"),
        Vec::<String>::new()
    );
    let found = anamne_store::examine(space.folder()).expect("an examination");
    assert_eq!(found.findings, []);
}

/// All lines of a journal, with the chain checked.
pub(crate) fn lines(home: &Home) -> Vec<anamne_store::Line> {
    Lines::of(&home.journal())
        .expect("a journal")
        .collect::<Result<_, _>>()
        .expect("a sound journal")
}

pub(crate) fn copy_folder(from: &Path, to: &Path) {
    fs::create_dir_all(to).expect("a folder");
    for entry in fs::read_dir(from).expect("a folder") {
        let entry = entry.expect("an entry");
        let target = to.join(entry.file_name());
        if entry.path().is_dir() {
            copy_folder(&entry.path(), &target);
        } else {
            fs::copy(entry.path(), target).expect("a copy");
        }
    }
}

pub(crate) fn files_under(folder: &Path) -> Vec<PathBuf> {
    let mut files = Vec::new();
    for entry in fs::read_dir(folder).expect("a folder") {
        let path = entry.expect("an entry").path();
        if path.is_dir() {
            files.extend(files_under(&path));
        } else {
            files.push(path);
        }
    }
    files
}

/// A command that runs only the test `function` of this binary, with the space and a number in environment variables.
pub(crate) fn child(function: &str, space: &Path, number: usize) -> Command {
    let mut command = Command::new(std::env::current_exe().expect("this very program"));
    command
        .args(["--exact", function, "--nocapture", "--test-threads=1"])
        .env("ANAMNE_TEST_SPACE", space)
        .env("ANAMNE_TEST_CHILD", number.to_string())
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::inherit());
    command
}

/// The space and number passed to a child; `None` in the main test process.
pub(crate) fn child_task() -> Option<(PathBuf, usize)> {
    let space = std::env::var_os("ANAMNE_TEST_SPACE")?;
    let number = std::env::var("ANAMNE_TEST_CHILD").ok()?.parse().ok()?;
    Some((space.into(), number))
}

/// Opens an existing space as a child does: with the system clock.
pub(crate) fn open_in_child(folder: &Path) -> SpaceSource {
    let clock = Arc::new(anamne_store::SystemClock);
    SpaceSource::open(folder, &SpaceName::core(), clock, true).expect("the space opens in a child")
}

/// Marks output of a child that is meant for its parent.
pub(crate) const MARK: &str = "told:";

/// A view that keeps every row's text in memory.
#[derive(Debug, Default)]
pub(crate) struct MemoryView {
    state: Mutex<(Seq, BTreeMap<Row, String>)>,
    pub(crate) calls: Mutex<Vec<Seq>>,
}

impl MemoryView {
    pub(crate) fn starting_at(position: Seq) -> Self {
        Self {
            state: Mutex::new((position, BTreeMap::new())),
            calls: Mutex::default(),
        }
    }

    pub(crate) fn rows(&self) -> BTreeMap<Row, String> {
        self.state.lock().expect("no panic before").1.clone()
    }
}

impl View for MemoryView {
    fn name(&self) -> &'static str {
        "memory"
    }

    fn health(&self) -> Health {
        Health::Whole
    }

    fn refresh(&self) {}

    fn watermark(&self) -> Seq {
        Seq(1)
    }

    fn position(&self) -> Seq {
        self.state.lock().expect("no panic before").0
    }

    fn tail_rows(&self) -> usize {
        0
    }

    fn follow(&self, changes: &[Change], through: Seq) {
        let mut state = self.state.lock().expect("no panic before");
        assert!(through > state.0, "a view is never taken back");
        for change in changes
            .iter()
            .filter(|change| change.seq > state.0)
            .cloned()
            .collect::<Vec<_>>()
        {
            match change.record {
                Some(record) => state.1.insert(change.row, record.text),
                None => state.1.remove(&change.row),
            };
        }
        state.0 = through;
        self.calls.lock().expect("no panic before").push(through);
    }

    fn fold(&self, _: &dyn ChangeFeed, _: &mut dyn FnMut(Seq)) -> Result<Fold, ViewError> {
        Ok(Fold::Nothing)
    }

    fn purge(&self, _: &dyn ChangeFeed, _: &mut dyn FnMut(Seq)) -> Result<Fold, ViewError> {
        Ok(Fold::Nothing)
    }

    fn verify(&self) -> Health {
        Health::Whole
    }
}
