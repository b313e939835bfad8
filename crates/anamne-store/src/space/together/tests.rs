use std::collections::BTreeSet;
use std::fs::File;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::Path;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::thread::{Scope, ScopedJoinHandle};

use anamne_types::{Actor, Draft, Edit, MemoryId, Remembered};
use jiff::Timestamp;
use tempfile::TempDir;

use super::*;
use crate::clock::{Clock, SystemClock};
use crate::lock::LONGEST_WAIT;
use crate::space_name::SpaceName;
use crate::storage::{Disk, Storage};

/// A disk that counts the writes and syncs of the journal, and fails if told.
#[derive(Debug, Default)]
struct Counting {
    writes: AtomicUsize,
    syncs: AtomicUsize,
    fails: AtomicBool,
}

impl Storage for Counting {
    fn open(&self, path: &Path) -> std::io::Result<File> {
        Disk.open(path)
    }

    fn write(
        &self,
        path: &Path,
        file: &mut File,
        offset: u64,
        bytes: &[u8],
    ) -> std::io::Result<()> {
        self.writes.fetch_add(1, Ordering::Relaxed);
        if self.fails.load(Ordering::Relaxed) {
            return Err(std::io::Error::other("the disk doesn't answer"));
        }
        Disk.write(path, file, offset, bytes)
    }

    fn resize(&self, path: &Path, file: &File, length: u64) -> std::io::Result<()> {
        Disk.resize(path, file, length)
    }

    fn sync(&self, path: &Path, file: &File) -> std::io::Result<()> {
        self.syncs.fetch_add(1, Ordering::Relaxed);
        Disk.sync(path, file)
    }

    fn rename(&self, from: &Path, to: &Path) -> std::io::Result<()> {
        Disk.rename(from, to)
    }

    fn remove(&self, path: &Path) -> std::io::Result<()> {
        Disk.remove(path)
    }

    fn sync_folder(&self, folder: &Path) -> std::io::Result<()> {
        Disk.sync_folder(folder)
    }
}

/// A clock that panics once if told: when it is read so many times more.
#[derive(Debug, Default)]
struct Unsteady(AtomicUsize);

impl Clock for Unsteady {
    fn now(&self) -> Timestamp {
        let left = self.0.load(Ordering::Relaxed);
        self.0.store(left.saturating_sub(1), Ordering::Relaxed);
        assert!(left != 1, "the clock is broken");
        SystemClock.now()
    }
}

struct Home {
    _folder: TempDir,
    disk: Arc<Counting>,
    clock: Arc<Unsteady>,
    space: SpaceSource,
}

impl Home {
    /// A space with one memory, so that its journal has a segment.
    fn new() -> Self {
        let folder = tempfile::tempdir().expect("a folder");
        let (disk, clock) = (Arc::new(Counting::default()), Arc::new(Unsteady::default()));
        let name = SpaceName::core();
        let space = SpaceSource::open_on(
            disk.clone(),
            &folder.path().join("core"),
            &name,
            clock.clone(),
            true,
        )
        .expect("a space");
        let home = Self {
            _folder: folder,
            disk,
            clock,
            space,
        };
        home.remember("the first entry").expect("stored");
        home
    }

    fn remember(&self, text: &str) -> Result<Remembered> {
        self.space.remember(&Actor::user(), &Draft::new(text))
    }

    fn head(&self) -> u64 {
        use crate::view::MemoryFeed;
        self.space.head().expect("a head").0
    }

    /// Runs `works` at the same time: all of them wait for the turn in this order, so that the first one makes the
    /// changes of all.
    fn at_once<'run, T: Send>(
        &'run self,
        works: Vec<Box<dyn FnOnce() -> T + Send + 'run>>,
    ) -> Vec<std::thread::Result<T>> {
        std::thread::scope(|scope| {
            let turn = self.space.turns.take();
            let threads: Vec<_> = works
                .into_iter()
                .map(|work| self.waiting_thread(scope, work))
                .collect();
            drop(turn);
            threads.into_iter().map(ScopedJoinHandle::join).collect()
        })
    }

    fn waiting_thread<'scope, T: Send + 'scope>(
        &self,
        scope: &'scope Scope<'scope, '_>,
        work: Box<dyn FnOnce() -> T + Send + 'scope>,
    ) -> ScopedJoinHandle<'scope, T> {
        let before = self.space.turns.waiting();
        let thread = scope.spawn(work);
        while self.space.turns.waiting() == before {
            std::thread::yield_now();
        }
        thread
    }

    #[track_caller]
    fn assert_sound(&self) {
        let examined = crate::examine::examine(self.space.folder()).expect("an examination");
        assert_eq!(examined.findings, []);
        let journal = self.space.verify_journal().expect("a report");
        assert_eq!(
            (journal.problems, journal.last_seq),
            (vec![], self.head()),
            "both copies are whole and end together"
        );
    }
}

type Work<'run, T> = Box<dyn FnOnce() -> Result<T> + Send + 'run>;

/// A write of one memory.
fn writing<'run>(home: &'run Home, text: &str) -> Work<'run, MemoryId> {
    let text = text.to_owned();
    Box::new(move || home.remember(&text).map(|stored| stored.id))
}

/// A change with new names that fails or panics after it has written.
fn failing(home: &Home, panics: bool) -> Work<'_, MemoryId> {
    Box::new(move || {
        let draft = Draft::new("never stored").thread("never").tag("never");
        let change = move |transaction: &mut Transaction<'_>, draft: &Draft| {
            let stored = transaction.remember(draft)?;
            assert!(!panics, "a panic after a write");
            Err(StoreError::State {
                id: stored.id,
                state: "is not wanted",
            })
        };
        (home.space).write_together(&Actor::user(), Growth::Counted, &draft, change)
    })
}

fn stored<T>(outcomes: Vec<std::thread::Result<Result<T>>>) -> Vec<T> {
    let stored = outcomes.into_iter();
    stored
        .map(|outcome| outcome.expect("no panic").expect("stored"))
        .collect()
}

#[test]
fn threads_that_wait_share_one_commit_and_one_sync() {
    let home = Home::new();
    let writes = home.disk.writes.load(Ordering::Relaxed);
    let syncs = home.disk.syncs.load(Ordering::Relaxed);
    let mut watch = home.space.watch().expect("a watch");
    assert!(watch.changed().expect("a look"));
    let texts: Vec<_> = (0..20).map(|number| format!("entry {number}")).collect();
    let ids = stored(home.at_once(texts.iter().map(|text| writing(&home, text)).collect()));
    assert_eq!(home.disk.writes.load(Ordering::Relaxed), writes + 1);
    assert_eq!(home.disk.syncs.load(Ordering::Relaxed), syncs + 1);
    assert!(watch.changed().expect("a look"));
    let memories = ids.iter().map(|id| home.space.get(*id).expect("a memory"));
    let seqs: Vec<_> = memories.map(|memory| memory.seq.0).collect();
    assert_eq!(seqs, (2..22).collect::<Vec<_>>(), "in the order of arrival");
    home.assert_sound();
}

#[test]
fn an_error_or_panic_of_one_change_undoes_only_that_change() {
    for first_fails in [false, true] {
        let home = Home::new();
        let named = |name: &'static str| -> Work<'_, MemoryId> {
            let draft = Draft::new(format!("about {name}")).thread(name).tag(name);
            let space = &home.space;
            Box::new(move || Ok(space.remember(&Actor::user(), &draft)?.id))
        };
        let mut works = vec![
            named("north"),
            failing(&home, false),
            named("south"),
            failing(&home, true),
            named("east"),
        ];
        if first_fails {
            works.insert(0, failing(&home, true));
            works.insert(0, failing(&home, false));
        }
        let outcomes = home.at_once(works);
        let panicked = outcomes.iter().filter(|outcome| outcome.is_err()).count();
        let (mut ids, mut refused) = (Vec::new(), 0);
        for outcome in outcomes.into_iter().flatten() {
            match outcome {
                Ok(id) => ids.push(id),
                Err(StoreError::State { .. }) => refused += 1,
                Err(error) => panic!("{error}"),
            }
        }
        let expected = if first_fails { 2 } else { 1 };
        assert_eq!((panicked, refused, ids.len()), (expected, expected, 3));
        for (id, name) in ids.iter().zip(["north", "south", "east"]) {
            let memory = home.space.get(*id).expect("a memory");
            assert_eq!(memory.thread.as_deref(), Some(name));
            assert_eq!(memory.tags, [name], "its names are its own");
        }
        assert_eq!(home.head(), 4, "no gap where changes were undone");
        let names = home.space.read(|reader| {
            Ok(reader.query_row(
                "SELECT count(*) FROM names WHERE name = 'never'",
                [],
                |row| row.get::<_, i64>(0),
            )?)
        });
        assert_eq!(names.expect("a count"), 0);
        home.assert_sound();
        home.remember("afterwards").expect("stored");
    }
}

#[test]
fn a_change_sees_the_earlier_ones_of_its_transaction() {
    let home = Home::new();
    let named = |text: &str, id: &str| {
        let mut draft = Draft::new(text);
        draft.external_id = Some(id.to_owned());
        draft
    };
    let remembering = |draft: Draft| -> Box<dyn FnOnce() -> Result<Remembered> + Send + '_> {
        let space = &home.space;
        Box::new(move || space.remember(&Actor::user(), &draft))
    };
    let mut outcomes = home
        .at_once(vec![
            remembering(Draft::new("the same words")),
            remembering(Draft::new("the same words")),
            remembering(named("by name", "a")),
            remembering(named("by name", "a")),
            remembering(named("other words", "a")),
        ])
        .into_iter()
        .map(|outcome| outcome.expect("no panic"));
    let mut next = || outcomes.next().expect("an outcome");
    for _ in 0..2 {
        let (first, again) = (next().expect("stored"), next().expect("known"));
        assert_eq!((first.duplicate, again.duplicate), (false, true));
        assert_eq!(first.id, again.id);
    }
    let conflict = next().expect_err("a conflict");
    assert!(
        matches!(conflict, StoreError::Conflict { .. }),
        "{conflict}"
    );
    assert_eq!(home.head(), 3);
    home.assert_sound();
}

#[test]
fn a_journal_that_cant_be_written_fails_every_change_and_loses_none() {
    let home = Home::new();
    home.disk.fails.store(true, Ordering::Relaxed);
    let texts: Vec<_> = (0..5).map(|number| format!("entry {number}")).collect();
    let outcomes = home.at_once(texts.iter().map(|text| writing(&home, text)).collect());
    for outcome in outcomes {
        let error = outcome.expect("no panic").expect_err("not acknowledged");
        assert!(matches!(error, StoreError::Io { .. }), "{error:?}");
        assert!(error.to_string().contains("doesn't answer"), "{error}");
    }
    home.disk.fails.store(false, Ordering::Relaxed);
    home.remember("afterwards").expect("stored");
    // They were committed, so the next write completes the journal, and none is written twice.
    assert_eq!(home.head(), 7);
    home.assert_sound();
}

#[test]
fn a_full_database_fails_the_changes_that_dont_fit() {
    let home = Home::new();
    let limit_pages = |pages: i64| {
        let mut turn = home.space.turns.take();
        let writer = turn.as_mut().expect("a writer");
        let count = writer
            .connection
            .pragma_query_value(None, "page_count", |row| row.get(0));
        let most = count.map(|count: i64| count + pages).expect("a count");
        (writer.connection)
            .pragma_update_and_check(None, "max_page_count", most, |_| Ok(()))
            .expect("limited");
    };
    limit_pages(12);
    // Unlike repeated text, numbers stay large when packed.
    let large = |seed: u64| {
        let numbers = (0..6_000).map(|number: u64| (number ^ seed).wrapping_mul(0x9E37_79B9_7F4A));
        let words: Vec<_> = numbers.map(|number| number.to_string()).collect();
        words.join(" ")
    };
    let works = vec![
        writing(&home, "small one"),
        writing(&home, &large(1)),
        writing(&home, "small two"),
        writing(&home, &large(2)),
        writing(&home, "small three"),
    ];
    let outcomes: Vec<_> = home
        .at_once(works)
        .into_iter()
        .map(|outcome| outcome.expect("no panic"))
        .collect();
    for (number, outcome) in outcomes.iter().enumerate() {
        match outcome {
            Ok(id) => assert!(home.space.get(*id).is_ok(), "{number}"),
            Err(error) => assert!(matches!(error, StoreError::DiskFull { .. }), "{error:?}"),
        }
    }
    assert_eq!(
        outcomes.iter().map(Result::is_ok).collect::<Vec<_>>(),
        [true, false, true, false, true]
    );
    home.assert_sound();
    limit_pages(1_000_000);
    home.remember(&large(3)).expect("stored");
    home.assert_sound();
}

#[test]
fn a_panic_outside_of_all_changes_is_told_to_every_thread() {
    let home = Home::new();
    // The first thread takes the time for itself, then for the second one.
    home.clock.0.store(2, Ordering::Relaxed);
    let texts: Vec<_> = (0..4).map(|number| format!("entry {number}")).collect();
    let works = texts.iter().map(|text| writing(&home, text)).collect();
    let mut outcomes = home.at_once(works).into_iter();
    assert!(outcomes.next().expect("an outcome").is_err());
    let second = outcomes.next().expect("an outcome").expect("no panic");
    let error = second.expect_err("not acknowledged").to_string();
    assert!(error.contains("panicked"), "{error}");
    assert_eq!(stored(outcomes.collect()).len(), 2, "others don't notice");
    assert_eq!(home.head(), 3);
    home.assert_sound();
}

#[test]
fn the_quota_counts_changes_that_are_not_committed_yet() {
    let home = Home::new();
    let text = |number: usize| format!("{number} {}", "measured words ".repeat(2_000));
    home.remember(&text(0)).expect("stored");
    let used = crate::files::bytes_under(home.space.folder()).expect("bytes");
    let limit = used + 700_000;
    (home.space)
        .configure(|config| config.quota.bytes = limit)
        .expect("configured");
    let (mut stored, mut refused) = (0, 0);
    for round in 0..4 {
        let texts: Vec<_> = (1..9).map(|number| text(round * 8 + number)).collect();
        let works = texts.iter().map(|text| writing(&home, text)).collect();
        for outcome in home.at_once(works) {
            match outcome.expect("no panic") {
                Ok(_) => stored += 1,
                Err(StoreError::QuotaExceeded { .. }) => refused += 1,
                Err(error) => panic!("{error}"),
            }
        }
        let used = crate::files::bytes_under(home.space.folder()).expect("bytes");
        assert!(used <= limit, "{used} of {limit}");
    }
    assert!(
        stored >= 4 && refused > 0,
        "{stored} stored, {refused} refused"
    );
    home.assert_sound();
}

#[test]
fn a_damaged_database_is_repaired_for_every_thread() {
    let home = Home::new();
    let ids: Vec<_> = (0..40)
        .map(|number| home.remember(&format!("page {number}")).expect("stored").id)
        .collect();
    let works = ids.iter().map(|id| -> Work<'_, MemoryId> {
        let (space, id) = (&home.space, *id);
        Box::new(move || {
            let edit = Edit {
                importance: Some(9),
                ..Edit::default()
            };
            Ok(space.edit(&Actor::user(), id, &edit)?.id)
        })
    });
    let works: Vec<_> = works.collect();
    let outcomes = std::thread::scope(|scope| {
        let turn = home.space.turns.take();
        let threads: Vec<_> = works
            .into_iter()
            .map(|work| home.waiting_thread(scope, work))
            .collect();
        let writer = turn.as_ref().expect("a writer");
        (writer.connection)
            .query_row("PRAGMA wal_checkpoint(TRUNCATE)", [], |_| Ok(()))
            .expect("everything is in the file");
        let file = File::options().write(true).open(home.space.database());
        file.and_then(|file| file.set_len(5_000)).expect("a cut");
        drop(turn);
        threads
            .into_iter()
            .map(ScopedJoinHandle::join)
            .collect::<Vec<_>>()
    });
    assert_eq!(stored(outcomes).len(), ids.len());
    for id in ids {
        assert_eq!(home.space.get(id).expect("a memory").importance, 9);
    }
    assert!(!home.space.repaired().is_empty());
    home.assert_sound();
}

#[test]
fn a_thread_that_needs_the_writer_alone_gets_it_in_its_turn() {
    let home = Home::new();
    let heads = std::thread::scope(|scope| {
        let turn = home.space.turns.take();
        let mut threads = vec![home.waiting_thread(scope, writing(&home, "entry 0"))];
        let alone = home.waiting_thread(
            scope,
            Box::new(|| {
                let drafts = ["batch 1", "batch 2"].map(Draft::from);
                let stored = home.space.remember_all(&Actor::user(), &drafts);
                stored.map(|stored| stored[1].seq.0)
            }),
        );
        for number in 1..4 {
            let text = format!("entry {number}");
            threads.push(home.waiting_thread(scope, writing(&home, &text)));
        }
        drop(turn);
        stored(threads.into_iter().map(ScopedJoinHandle::join).collect());
        alone.join().expect("no panic").expect("stored")
    });
    assert_eq!(heads, 7, "after the four that the first one wrote");
    home.assert_sound();
}

#[test]
fn every_thread_learns_that_another_process_keeps_the_lock() {
    let home = Home::new();
    let other = crate::lock::WriteLock::at(&home.space.folder().join("write.lock"));
    let guard = other.acquire().expect("the lock");
    let began = Instant::now();
    let texts: Vec<_> = (0..3).map(|number| format!("entry {number}")).collect();
    let outcomes = home.at_once(texts.iter().map(|text| writing(&home, text)).collect());
    for outcome in outcomes {
        let error = outcome.expect("no panic").expect_err("locked");
        assert!(matches!(error, StoreError::Busy { .. }), "{error}");
    }
    assert!(began.elapsed() < LONGEST_WAIT * 2, "they waited together");
    drop(guard);
    home.remember("afterwards").expect("stored");
}

#[test]
fn many_threads_with_errors_and_panics_lose_nothing_that_was_acknowledged() {
    const THREADS: usize = 12;
    let home = Home::new();
    let acknowledged: Vec<MemoryId> = std::thread::scope(|scope| {
        let threads: Vec<_> = (0..THREADS)
            .map(|thread| {
                scope.spawn({
                    let home = &home;
                    move || work_badly(home, thread)
                })
            })
            .collect();
        let joined = threads
            .into_iter()
            .map(|thread| thread.join().expect("no panic"));
        joined.flatten().collect()
    });
    let different: BTreeSet<_> = acknowledged.iter().collect();
    assert_eq!(different.len(), acknowledged.len());
    let mut seqs = Vec::new();
    for id in &acknowledged {
        seqs.push(home.space.history(*id).expect("a history")[0].seq);
    }
    seqs.sort();
    seqs.dedup();
    assert_eq!(seqs.len(), acknowledged.len());
    let memories = home.space.statistics().expect("counts").memories;
    assert_eq!(
        memories,
        acknowledged.len() as u64 + 1,
        "and nothing else is stored"
    );
    home.assert_sound();
}

/// Writes, edits, fails and panics in a fixed order; returns what was acknowledged.
fn work_badly(home: &Home, thread: usize) -> Vec<MemoryId> {
    let mut ids = Vec::new();
    for round in 0..60 {
        match (round * 7 + thread) % 11 {
            3 => {
                let panicked = catch_unwind(AssertUnwindSafe(failing(home, true)));
                assert!(panicked.is_err());
            }
            5 => assert!(failing(home, false)().is_err()),
            7 => {
                let edit = Edit {
                    importance: Some(8),
                    ..Edit::default()
                };
                let unknown = ids.last().copied().unwrap_or_else(|| MemoryId::at(0));
                let edited = home.space.edit(&Actor::user(), unknown, &edit);
                assert_eq!(edited.is_ok(), !ids.is_empty());
            }
            9 => {
                let drafts: Vec<_> = (0..30)
                    .map(|part| Draft::new(format!("batch {thread} {round} {part}")))
                    .collect();
                let batch = home
                    .space
                    .remember_all(&Actor::user(), &drafts)
                    .expect("a batch");
                ids.extend(batch.iter().map(|stored| stored.id));
            }
            _ => {
                let draft = Draft::new(format!("entry {thread} {round}"))
                    .thread(format!("thread {}", round % 5));
                ids.push(
                    home.space
                        .remember(&Actor::user(), &draft)
                        .expect("stored")
                        .id,
                );
            }
        }
    }
    ids
}
