//! Acknowledged writes survive if any step of the journal fails, is torn or never happens.

use std::collections::HashMap;
use std::fs::File;
use std::io::Error;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};
use std::thread::ScopedJoinHandle;

use anamne_store::{Disk, SpaceName, SpaceSource, Storage, StoreError};
use anamne_types::{Draft, Edit, MemoryId};

use crate::common::{Home, assert_sound, clock, user};

/// What goes wrong at the chosen step.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Fault {
    /// The step fails, and the disk works again afterwards.
    Once,
    /// The step is half done, and no later step happens, as if the machine had stopped.
    Crash,
    /// Like a crash, and everything that was not synced is lost.
    Loss,
}

/// A disk with one faulty step.
#[derive(Debug)]
struct Faulty {
    fault: Fault,
    /// The number of the step, from 1.
    at: usize,
    state: Mutex<State>,
}

#[derive(Debug, Default)]
struct State {
    steps: usize,
    /// Synced bytes of each file.
    durable: HashMap<PathBuf, u64>,
}

impl Faulty {
    fn at(at: usize, fault: Fault) -> Arc<Self> {
        Arc::new(Self {
            fault,
            at,
            state: Mutex::default(),
        })
    }

    fn steps(&self) -> usize {
        self.state.lock().expect("no panic before").steps
    }

    /// Counts a step; returns whether it fails, and whether it is the faulty step itself.
    fn step(&self) -> (bool, bool) {
        let mut state = self.state.lock().expect("no panic before");
        state.steps += 1;
        let is_it = state.steps == self.at;
        let is_dead = self.fault != Fault::Once && state.steps > self.at;
        (is_it || is_dead, is_it)
    }

    fn failed(&self) -> Error {
        Error::other(format!("step {} goes wrong", self.at))
    }

    fn plainly<T>(&self, work: impl FnOnce() -> std::io::Result<T>) -> std::io::Result<T> {
        match self.step() {
            (true, _) => Err(self.failed()),
            _ => work(),
        }
    }
}

impl Storage for Faulty {
    fn open(&self, path: &Path) -> std::io::Result<File> {
        self.plainly(|| Disk.open(path))
    }

    fn write(
        &self,
        path: &Path,
        file: &mut File,
        offset: u64,
        bytes: &[u8],
    ) -> std::io::Result<()> {
        match self.step() {
            (true, true) => {
                Disk.write(path, file, offset, &bytes[..bytes.len() / 2])?;
                if self.fault == Fault::Loss {
                    Disk.resize(path, file, offset)?;
                }
                Err(self.failed())
            }
            (true, false) => Err(self.failed()),
            _ => Disk.write(path, file, offset, bytes),
        }
    }

    fn resize(&self, path: &Path, file: &File, length: u64) -> std::io::Result<()> {
        self.plainly(|| Disk.resize(path, file, length))
    }

    fn sync(&self, path: &Path, file: &File) -> std::io::Result<()> {
        let (goes_wrong, is_it) = self.step();
        let mut state = self.state.lock().expect("no panic before");
        if !goes_wrong {
            let length = file.metadata()?.len();
            state.durable.insert(path.to_owned(), length);
            return Ok(());
        }
        if is_it && self.fault == Fault::Loss {
            // A segment may have been synced under another name and then renamed.
            let durable = state.durable.get(path).copied();
            let header = || {
                std::fs::read(path)
                    .ok()?
                    .iter()
                    .position(|&byte| byte == b'\n')
            };
            let length = durable.or_else(|| header().map(|end| end as u64 + 1));
            Disk.resize(path, file, length.unwrap_or(0))?;
        }
        Err(self.failed())
    }

    fn rename(&self, from: &Path, to: &Path) -> std::io::Result<()> {
        self.plainly(|| Disk.rename(from, to))
    }

    fn remove(&self, path: &Path) -> std::io::Result<()> {
        self.plainly(|| Disk.remove(path))
    }

    fn sync_folder(&self, folder: &Path) -> std::io::Result<()> {
        self.plainly(|| Disk.sync_folder(folder))
    }

    fn segment_bytes(&self) -> u64 {
        3_000
    }
}

/// Everything that the space acknowledged.
#[derive(Debug, Default)]
struct Acknowledged {
    contents: HashMap<MemoryId, String>,
    /// Memories with a failed change: either the old or the new state may be found.
    unsure: HashMap<MemoryId, String>,
    erased: Vec<MemoryId>,
    refused: usize,
}

impl Acknowledged {
    fn stored(&mut self, space: &SpaceSource, texts: &[String]) -> Option<MemoryId> {
        let drafts: Vec<_> = texts.iter().map(|text| Draft::new(text.clone())).collect();
        match space.remember_all(&user(), &drafts) {
            Ok(stored) => {
                let ids = stored.iter().map(|stored| stored.id);
                self.contents.extend(ids.zip(texts.iter().cloned()));
                Some(stored[0].id)
            }
            Err(error) => self.refuse(&error),
        }
    }

    /// Stores one memory in a call that threads share.
    fn stored_alone(&mut self, space: &SpaceSource, text: &str) -> Option<MemoryId> {
        match space.remember(&user(), &Draft::new(text)) {
            Ok(stored) => {
                self.contents.insert(stored.id, text.to_owned());
                Some(stored.id)
            }
            Err(error) => self.refuse(&error),
        }
    }

    fn refuse<T>(&mut self, error: &StoreError) -> Option<T> {
        assert!(matches!(error, StoreError::Io { .. }), "{error:?}");
        self.refused += 1;
        None
    }

    fn edit(&mut self, space: &SpaceSource, id: MemoryId, text: &str) {
        let edit = Edit {
            content: Some(text.to_owned()),
            ..Edit::default()
        };
        match space.edit(&user(), id, &edit) {
            Ok(_) => {
                self.contents.insert(id, text.to_owned());
                self.unsure.remove(&id);
            }
            Err(error) => {
                self.unsure.insert(id, text.to_owned());
                self.refuse::<()>(&error);
            }
        }
    }

    fn erase(&mut self, space: &SpaceSource, id: MemoryId) {
        self.contents.remove(&id);
        match space.erase(&user(), id) {
            Ok(()) => self.erased.push(id),
            Err(error) => {
                self.refuse::<()>(&error);
            }
        }
    }

    fn check(&self, space: &SpaceSource) {
        for (id, text) in &self.contents {
            let content = space.get(*id).expect("an acknowledged memory").content;
            let may_be = self.unsure.get(id);
            assert!(content == *text || Some(&content) == may_be, "{content:?}");
        }
        for id in &self.erased {
            assert!(space.get(*id).is_err(), "what was erased stays erased");
        }
    }
}

/// Writes, edits, erases and seals, ignoring failures.
fn work(space: &SpaceSource, acknowledged: &mut Acknowledged) {
    let text = |round: usize| format!("round {round}: {}", "the sluice is shut, ".repeat(20));
    let mut first = None;
    for round in 0..6 {
        let stored = acknowledged.stored(space, &[text(round)]);
        first = first.or(stored);
        if let Some(id) = stored
            && round % 3 == 1
        {
            acknowledged.edit(space, id, &format!("edited in round {round}"));
        }
    }
    let batch: Vec<_> = (10..15).map(text).collect();
    acknowledged.stored(space, &batch);
    if let Err(error) = space.seal_journal() {
        acknowledged.refuse::<()>(&error);
    }
    if let Some(id) = first {
        acknowledged.erase(space, id);
    }
    acknowledged.stored(space, &[text(20)]);
}

fn run(at: usize, fault: Fault) -> (usize, Acknowledged) {
    let home = Home::new();
    let storage = Faulty::at(at, fault);
    let mut acknowledged = Acknowledged::default();
    let name = SpaceName::core();
    let space = SpaceSource::open_on(storage.clone(), &home.space(), &name, clock(), true);
    if let Ok(space) = space {
        work(&space, &mut acknowledged);
        if fault == Fault::Once {
            // The same process continues after the disk works again.
            acknowledged.check(&space);
        }
        drop(space);
    }
    if !acknowledged.contents.is_empty() {
        // The journal alone is complete: the outbox, which is in the database, was not needed.
        let journal_alone = home.copy();
        journal_alone.remove_database();
        acknowledged.check(&journal_alone.open());
    }
    let space = home.open();
    acknowledged.check(&space);
    space
        .remember(&user(), &"told afterwards".into())
        .expect("a write afterwards");
    assert_sound(&space);
    (storage.steps(), acknowledged)
}

#[track_caller]
fn fail_each_step(fault: Fault) {
    let (steps, all) = run(usize::MAX, fault);
    assert!(steps > 50, "{steps}");
    assert_eq!((all.refused, all.erased.len()), (0, 1));
    let mut noticed = 0;
    for at in 1..=steps {
        let (_, acknowledged) = run(at, fault);
        noticed += usize::from(acknowledged.refused > 0);
    }
    assert!(
        noticed > steps / 2,
        "{noticed} of {steps} faults were noticed"
    );
}

#[test]
fn a_step_that_fails_once_loses_nothing() {
    fail_each_step(Fault::Once);
}

#[test]
fn a_crash_in_the_middle_of_any_step_loses_nothing() {
    fail_each_step(Fault::Crash);
}

#[test]
fn a_crash_that_takes_what_was_not_yet_durable_loses_nothing() {
    fail_each_step(Fault::Loss);
}

/// Threads of a crowd, and what each of them writes.
const CROWD: usize = 4;
const EACH: usize = 3;

/// Several threads write and edit at once, ignoring failures; each knows what was acknowledged to it.
fn work_together(space: &SpaceSource) -> Vec<Acknowledged> {
    std::thread::scope(|scope| {
        let work = |thread: usize| {
            let mut acknowledged = Acknowledged::default();
            for round in 0..EACH {
                let text = format!("{thread}, {round}: {}", "the sluice is shut, ".repeat(9));
                let stored = acknowledged.stored_alone(space, &text);
                if let (Some(id), 1) = (stored, round) {
                    acknowledged.edit(space, id, &format!("{thread} edited in round {round}"));
                }
            }
            acknowledged
        };
        let threads: Vec<_> = (0..CROWD)
            .map(|thread| scope.spawn(move || work(thread)))
            .collect();
        let ended = threads.into_iter().map(ScopedJoinHandle::join);
        ended.map(|ended| ended.expect("no panic")).collect()
    })
}

/// Runs a crowd on a disk with one faulty step; returns the number of steps and of failures.
fn run_crowd(at: usize, fault: Fault) -> (usize, usize) {
    let home = Home::new();
    let storage = Faulty::at(at, fault);
    let name = SpaceName::core();
    let space = SpaceSource::open_on(storage.clone(), &home.space(), &name, clock(), true);
    let space = space.expect("opening writes nothing to the journal");
    let all = work_together(&space);
    drop(space);
    if all.iter().any(|one| !one.contents.is_empty()) {
        let journal_alone = home.copy();
        journal_alone.remove_database();
        let restored = journal_alone.open();
        for one in &all {
            one.check(&restored);
        }
    }
    let space = home.open();
    for one in &all {
        one.check(&space);
    }
    assert_sound(&space);
    // What was not acknowledged is there whole or not at all.
    let most = (CROWD * EACH) as u64;
    assert!(space.statistics().expect("counts").memories <= most);
    (
        storage.steps(),
        all.iter().map(|one| one.refused).sum::<usize>(),
    )
}

#[test]
fn a_fault_among_threads_that_write_at_once_loses_nothing() {
    for fault in [Fault::Once, Fault::Crash, Fault::Loss] {
        let (steps, refused) = run_crowd(usize::MAX, fault);
        assert!(steps > 5, "{steps}");
        assert_eq!(refused, 0);
        // How many steps there are depends on how many threads meet.
        let noticed = (1..=steps).filter(|at| run_crowd(*at, fault).1 > 0).count();
        assert!(
            noticed > steps / 3,
            "{noticed} of {steps} faults were noticed"
        );
    }
}
