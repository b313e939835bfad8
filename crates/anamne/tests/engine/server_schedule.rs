//! Backups of a whole server on a schedule.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use crate::common::{SetClock, files_with};
use anamne::{
    BackupSchedule, BackupStatus, Clock, ErrorKind, Options, ServerRestore, Store, TenantQuota,
};
use jiff::{Timestamp, ToSpan};
use tempfile::TempDir;

const START: &str = "2026-03-01T12:00:00Z";

struct Site {
    home: TempDir,
    clock: Arc<SetClock>,
    server: Store,
}

impl Site {
    /// A server with a memory of its own and one of the tenant `acme`.
    fn new() -> Self {
        let home = tempfile::tempdir().expect("a folder");
        std::fs::create_dir(home.path().join("backups")).expect("a folder");
        let clock = Arc::new(SetClock::at(START));
        let site = Self {
            server: open(&home.path().join("server"), &clock),
            home,
            clock,
        };
        Site::tell(&site.server, "The ferry leaves at nine");
        site.create("acme");
        Site::tell(&site.tenant("acme"), "We deploy on Fridays only");
        site
    }

    fn tell(store: &Store, text: &str) {
        let space = store.space("core").expect("a space");
        space.remember(text).expect("told");
    }

    fn create(&self, tenant: &str) {
        let records = self.server.server_records().expect("records");
        let quota = TenantQuota::default();
        records.create_tenant(tenant, &quota).expect("a tenant");
    }

    fn tenant(&self, name: &str) -> Store {
        let records = self.server.server_records().expect("records");
        open(&records.tenant_root(name).expect("a root"), &self.clock)
    }

    fn backups(&self) -> PathBuf {
        self.home.path().join("backups")
    }

    fn schedule(&self, keep: u32) -> BackupSchedule {
        BackupSchedule {
            folder: self.backups(),
            every: Duration::from_hours(24),
            keep,
        }
    }

    fn attempt(&self, keep: u32) -> BackupStatus {
        let schedule = self.schedule(keep);
        let status = self.server.back_up_server_as_scheduled(&schedule);
        status.expect("a status")
    }

    #[track_caller]
    fn back_up(&self, keep: u32) -> BackupStatus {
        let status = self.attempt(keep);
        assert_eq!(status.failure, None, "{status:?}");
        status
    }

    /// Sets the clock to so many days after the start.
    fn on_day(&self, day: i64) {
        let start: Timestamp = START.parse().expect("an instant");
        self.clock.set(&(start + (24 * day).hours()).to_string());
    }

    /// The numbers of the backups in the folder.
    fn numbers(&self) -> Vec<u64> {
        let entries = std::fs::read_dir(self.backups()).expect("a folder");
        let names = entries.map(|entry| entry.expect("an entry").file_name());
        let mut numbers: Vec<u64> = names
            .filter_map(|name| name.to_str()?.split_once('-')?.0.parse().ok())
            .collect();
        numbers.sort_unstable();
        numbers
    }

    fn folder(&self, number: u64) -> PathBuf {
        let entries = std::fs::read_dir(self.backups()).expect("a folder");
        let mut folders = entries.map(|entry| entry.expect("an entry").path());
        let beginning = format!("{number:06}-");
        let found = folders.find(|path| {
            let name = path.file_name().unwrap_or_default();
            name.to_string_lossy().starts_with(&beginning)
        });
        found.expect("a backup")
    }

    fn restore(&self, backup: &Path, name: &str) -> Result<(Store, ServerRestore), anamne::Error> {
        let root = self.home.path().join(name);
        let clock: Arc<dyn Clock> = self.clock.clone();
        let restored = Store::restore_server(backup, &root, &clock)?;
        Ok((open(&root, &self.clock), restored))
    }
}

fn open(root: &Path, clock: &Arc<SetClock>) -> Store {
    let options = Options {
        clock: clock.clone(),
        ..Options::new(root)
    };
    Store::open_with(options.background(false)).expect("a store")
}

fn memories(store: &Store) -> u64 {
    let space = store.existing_space("core").expect("a space");
    space.report().expect("a report").statistics.memories
}

#[test]
fn the_last_complete_ones_are_kept_and_each_is_a_server() {
    let site = Site::new();
    for day in 0..4 {
        site.on_day(day);
        Site::tell(&site.server, &format!("Lunch of day {day}"));
        let status = site.back_up(2);
        assert_eq!(status.complete, 2.min(day as u64 + 1));
        assert_eq!(status.last_at, Some(site.clock.now()));
        assert_eq!(status.due_in(site.clock.now()), Duration::from_hours(24));
    }
    assert_eq!(site.numbers(), [3, 4]);
    let (third, _) = site.restore(&site.folder(3), "third").expect("restored");
    assert_eq!(memories(&third), 4);
    // The folder of the schedule stands for its newest one.
    let (newest, restored) = site.restore(&site.backups(), "newest").expect("restored");
    assert_eq!(memories(&newest), 5);
    assert_eq!(restored.from, site.folder(4).canonicalize().expect("there"));
    let status = newest.server_records().expect("records").backup_status();
    assert_eq!(status.expect("read"), None);

    // Erasures reach those that are there, and look for no others.
    for store in [&site.server, &site.tenant("acme")] {
        let space = store.existing_space("core").expect("a space");
        let known = space.backups().expect("backups");
        assert_eq!(known.len(), 2, "{known:?}");
        assert!(known.iter().all(|backup| backup.folder.is_dir()));
    }
    // It continues the series of its backup.
    std::fs::rename(
        site.home.path().join("newest"),
        site.home.path().join("moved"),
    )
    .expect("moved");
    let again = open(&site.home.path().join("moved"), &site.clock);
    let status = again.back_up_server_as_scheduled(&site.schedule(2));
    let status = status.expect("a status");
    assert_eq!((status.failure, status.complete), (None, 2));
    assert_eq!(site.numbers(), [4, 5]);
}

#[test]
fn an_interrupted_one_counts_for_nothing_and_is_continued() {
    let site = Site::new();
    site.back_up(1);
    site.on_day(1);
    Site::tell(&site.server, "Lunch is at noon");
    site.back_up(2);
    // The records come last.
    let second = site.folder(2);
    for file in ["server.db", "server.db-wal", "server.db-shm"] {
        let _ = std::fs::remove_file(second.join("server").join(file));
    }
    let (restored, from) = site.restore(&site.backups(), "first").expect("restored");
    assert_eq!(memories(&restored), 1);
    assert_eq!(from.from, site.folder(1).canonicalize().expect("there"));
    let refused = site.restore(&second, "second").err().expect("unfinished");
    assert_eq!(refused.kind(), ErrorKind::Refused, "{refused}");
    let begun = site.server.begin_server_backups(&site.schedule(1));
    assert_eq!(begun.expect("a status").complete, 1);
    site.on_day(2);
    let status = site.back_up(1);
    assert_eq!(site.numbers(), [2]);
    assert_eq!(status.last_at, Some(site.clock.now()));
    let (restored, _) = site.restore(&site.backups(), "again").expect("restored");
    assert_eq!(memories(&restored), 2);
}

#[test]
fn an_interrupted_removal_is_completed_and_never_restored() {
    let site = Site::new();
    site.back_up(2);
    site.on_day(1);
    site.back_up(2);
    let first = site.folder(1);
    let name = first.file_name().expect("a name").to_string_lossy();
    let renamed = first.with_file_name(format!("{name}.tmp-removed"));
    std::fs::rename(&first, &renamed).expect("renamed");
    site.on_day(2);
    assert_eq!(site.back_up(2).complete, 2);
    assert!(!renamed.exists());
    assert_eq!(site.numbers(), [2, 3]);
    let space = site.server.existing_space("core").expect("a space");
    assert_eq!(space.backups().expect("backups").len(), 2);
}

#[test]
fn one_that_was_changed_is_neither_counted_nor_removed() {
    let site = Site::new();
    for day in 0..2 {
        site.on_day(day);
        site.back_up(2);
    }
    let journal = site
        .folder(2)
        .join("server/tenants/acme/spaces/core/journal");
    std::fs::remove_dir_all(&journal).expect("removed");
    Site::tell(&open(&site.folder(1), &site.clock), "Written into a backup");
    for (complete, numbers) in [(1, vec![1, 2, 3]), (2, vec![1, 2, 3, 4])] {
        site.on_day(complete as i64 + 1);
        let status = site.back_up(2);
        assert_eq!((status.complete, status.changed), (complete, 2));
        assert_eq!(site.numbers(), numbers);
    }
    site.on_day(4);
    site.back_up(2);
    assert_eq!(site.numbers(), [1, 2, 4, 5]);
    // Without the store of a tenant, it is none either.
    std::fs::remove_dir_all(site.folder(5).join("server/tenants/acme")).expect("removed");
    site.on_day(5);
    assert_eq!(site.back_up(2).changed, 3);
    assert_eq!(site.numbers(), [1, 2, 4, 5, 6]);
}

#[test]
fn a_wrong_clock_removes_nothing_that_is_to_be_kept() {
    let site = Site::new();
    for day in 0..3 {
        site.on_day(day);
        site.back_up(3);
    }
    let begin = |keep| {
        site.server
            .begin_server_backups(&site.schedule(keep))
            .expect("a status")
    };
    // Ten years ahead: late, and nothing goes before there is a new one.
    site.on_day(3_650);
    let status = begin(3);
    assert_eq!((status.complete, site.numbers()), (3, vec![1, 2, 3]));
    assert!(status.is_overdue(site.clock.now()));
    assert_eq!(status.due_in(site.clock.now()), Duration::ZERO);
    site.back_up(3);
    assert_eq!(site.numbers(), [2, 3, 4]);
    // Set back: the newest is the last one that was made, whatever its time.
    site.on_day(3);
    let status = begin(3);
    assert_eq!(status.due_in(site.clock.now()), Duration::ZERO);
    assert!(!status.is_overdue(site.clock.now()));
    Site::tell(&site.server, "Told after the clock was right again");
    let status = site.back_up(3);
    assert_eq!(site.numbers(), [3, 4, 5]);
    assert_eq!(status.last_at, Some(site.clock.now()));
    let (newest, _) = site.restore(&site.backups(), "newest").expect("restored");
    assert_eq!(memories(&newest), 2);
    assert_eq!(begin(3).due_in(site.clock.now()), Duration::from_hours(24));
}

#[test]
fn what_fails_is_said_and_removes_nothing() {
    let site = Site::new();
    site.back_up(1);
    let made_at = site.clock.now();
    site.on_day(1);
    // Its disk is not there.
    let (backups, away) = (site.backups(), site.home.path().join("away"));
    std::fs::rename(&backups, &away).expect("moved");
    let status = site.attempt(1);
    let failure = status.failure.expect("a failure");
    assert!(failure.contains("connect its disk"), "{failure}");
    assert_eq!((status.complete, status.last_at), (1, Some(made_at)));
    assert!(!backups.exists(), "nothing is written beneath");
    std::fs::rename(&away, &backups).expect("moved");

    // A space can't be copied.
    let space = site.tenant("acme").existing_space("core").expect("a space");
    let settings = space.folder().join("space.toml");
    let sound = std::fs::read(&settings).expect("bytes");
    std::fs::write(&settings, "damaged").expect("damaged");
    drop(space);
    let status = site.attempt(1);
    let failure = status.failure.clone().expect("a failure");
    assert!(failure.contains("acme"), "{failure}");
    assert_eq!((status.complete, status.last_at), (1, Some(made_at)));
    assert_eq!(site.numbers(), [1, 2]);
    let noted = site.server.server_records().expect("records");
    assert_eq!(noted.backup_status().expect("read"), Some(status));
    std::fs::write(&settings, sound).expect("repaired");
    let status = site.back_up(1);
    assert_eq!((status.failed_at, site.numbers()), (None, vec![2]));

    // Backups of another server, and a folder in the store.
    let other = open(&site.home.path().join("other"), &site.clock);
    Site::tell(&other, "Another log");
    let status = other.back_up_server_as_scheduled(&site.schedule(1));
    let failure = status.expect("a status").failure.expect("a failure");
    assert!(failure.contains("another server"), "{failure}");
    assert!(files_with(&site.backups(), b"Another log").is_empty());
    let inside = BackupSchedule {
        folder: site.server.root().join("backups"),
        ..site.schedule(1)
    };
    site.server
        .begin_server_backups(&inside)
        .expect_err("inside");
}

#[test]
fn an_erased_tenant_leaves_every_backup_and_its_successor_stays() {
    let site = Site::new();
    site.create("zenith");
    Site::tell(&site.tenant("zenith"), "The vault code is saffron");
    site.back_up(3);
    site.on_day(1);
    site.back_up(3);
    let records = site.server.server_records().expect("records");
    records.erase_tenant("zenith").expect("erased");
    site.on_day(2);
    records.finish_erasures().expect("finished");
    site.create("zenith");
    Site::tell(&site.tenant("zenith"), "The gate code is cinnamon");
    site.back_up(3);
    assert!(files_with(&site.backups(), b"saffron").is_empty());
    site.on_day(3);
    assert_eq!(site.back_up(3).complete, 3);
    let (newest, _) = site.restore(&site.backups(), "newest").expect("restored");
    let root = newest
        .server_records()
        .expect("records")
        .tenant_root("zenith");
    assert_eq!(memories(&open(&root.expect("a root"), &site.clock)), 1);
    let (older, restored) = site.restore(&site.folder(2), "older").expect("restored");
    assert!(restored.tenants.iter().all(|one| one.name != "zenith"));
    assert_eq!(memories(&older), 1);
}

#[test]
fn a_schedule_is_there_until_it_ends() {
    let site = Site::new();
    let records = site.server.server_records().expect("records");
    records.end_server_backups().expect("none");
    assert_eq!(records.backup_status().expect("read"), None);
    site.back_up(2);
    site.on_day(1);
    let status = site.server.begin_server_backups(&site.schedule(5));
    let status = status.expect("a status");
    assert_eq!((status.keep, status.complete), (5, 1));
    assert_eq!(
        status.since,
        START.parse::<Timestamp>().expect("an instant")
    );
    records.end_server_backups().expect("ended");
    assert_eq!(records.backup_status().expect("read"), None);
    assert_eq!(site.numbers(), [1]);
}
