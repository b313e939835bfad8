//! Scheduled backups by the background.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use anamne::{BackupConfig, MemoryId, NextStep, Options, Space, Store};
use jiff::{Timestamp, ToSpan};

use crate::common::SetClock;

const START: &str = "2026-03-01T12:00:00Z";

struct Site {
    home: tempfile::TempDir,
    disk: tempfile::TempDir,
    clock: Arc<SetClock>,
}

impl Site {
    fn new() -> Self {
        Self {
            home: tempfile::tempdir().expect("a folder"),
            disk: tempfile::tempdir().expect("a folder"),
            clock: Arc::new(SetClock::at(START)),
        }
    }

    fn store(&self, root: &Path) -> Store {
        let options = Options {
            clock: self.clock.clone(),
            ..Options::new(root)
        };
        Store::open_with(options).expect("a store")
    }

    fn space(&self) -> Space {
        self.store(self.home.path())
            .space("tests")
            .expect("a space")
    }

    fn schedule(&self, keep: u32) {
        let schedule = BackupConfig {
            folder: self.disk.path().to_owned(),
            every_hours: 24,
            keep,
        };
        let store = self.store(self.home.path());
        store
            .schedule_backups(&schedule, Some("tests"))
            .expect("scheduled");
    }

    fn after(&self, hours: i64) {
        let start: Timestamp = START.parse().expect("an instant");
        self.clock.set(&(start + hours.hours()).to_string());
    }

    fn backups(&self) -> Vec<PathBuf> {
        let mut found: Vec<_> = std::fs::read_dir(self.disk.path().join("tests"))
            .into_iter()
            .flatten()
            .map(|entry| entry.expect("an entry").path())
            .collect();
        found.sort();
        found
    }

    fn holds(&self, backup: &Path, id: MemoryId) -> bool {
        let space = self.store(backup).existing_space("tests").expect("a space");
        let memory = space.get(id);
        memory.is_ok_and(|memory| !memory.content.is_empty())
    }
}

fn run(space: &Space) {
    space
        .run_tasks(&mut |ran| assert_eq!(ran.error, ""))
        .expect("run");
}

#[test]
fn one_is_made_a_day_where_something_was_told_and_so_many_are_kept() {
    let site = Site::new();
    let space = site.space();
    site.schedule(3);
    let mut stored = Vec::new();
    for day in 1..=5 {
        stored.push(
            space
                .remember(format!("note of day {day}"))
                .expect("told")
                .id,
        );
        site.after(24 * day);
        run(&space);
        run(&space);
        let made = site.backups().len();
        assert_eq!(
            made,
            usize::try_from(day).expect("a number").min(3),
            "day {day}"
        );
    }
    // Nothing was written since: another backup would replace an older one without need.
    let before = site.backups();
    site.after(24 * 6);
    run(&space);
    assert_eq!(site.backups(), before);
    for (backup, notes) in before.iter().zip(3..) {
        let held = stored.iter().filter(|id| site.holds(backup, **id)).count();
        assert_eq!(held, notes, "{}", backup.display());
    }
    assert_eq!(
        space.backups().expect("known").len(),
        3,
        "what was removed is not looked for"
    );
    let erased = space.erase(stored[0]).expect("erased");
    assert!(erased.is_complete(), "{erased:?}");
    assert!(before.iter().all(|backup| !site.holds(backup, stored[0])));
}

#[test]
fn a_backup_in_which_somebody_works_is_not_removed() {
    let site = Site::new();
    let space = site.space();
    site.schedule(1);
    space.remember("first").expect("told");
    site.after(24);
    run(&space);
    let worked_in = site.backups().remove(0);
    let there = site
        .store(&worked_in)
        .existing_space("tests")
        .expect("a space");
    there.remember("told in the backup").expect("told");
    drop(there);
    for day in 2..=4 {
        space.remember(format!("note of day {day}")).expect("told");
        site.after(24 * day);
        run(&space);
    }
    let left = site.backups();
    assert_eq!(left.len(), 2);
    assert_eq!(left[0], worked_in);
}

#[test]
fn it_ends_when_it_is_switched_off_and_is_refused_within_the_store() {
    let site = Site::new();
    let space = site.space();
    space.remember("first").expect("told");
    let store = site.store(site.home.path());
    let within = BackupConfig {
        folder: site.home.path().join("backups"),
        ..BackupConfig::default()
    };
    assert!(store.schedule_backups(&within, None).is_err());
    site.schedule(7);
    let queue = space.task_queue().expect("a queue");
    let scheduled = || {
        let periodic = queue.periodic().expect("read");
        periodic.iter().any(|periodic| periodic.name == "backup")
    };
    assert!(scheduled());
    let (spaces, _) = store
        .schedule_backups(&BackupConfig::default(), None)
        .expect("switched off");
    assert_eq!(spaces, ["tests"]);
    assert!(!scheduled());
    site.after(48);
    run(&space);
    assert!(site.backups().is_empty());
}

#[test]
fn one_that_was_left_unfinished_is_finished_and_no_others_pile_up() {
    let site = Site::new();
    let space = site.space();
    site.schedule(3);
    space.remember("first").expect("told");
    site.after(24);
    // A folder is in the place of the database, which fails like a full disk.
    let begun = site.disk.path().join("tests/2026-03-02T12-00-00Z");
    let in_the_way = begun.join("spaces/tests/memories/active.db");
    std::fs::create_dir_all(in_the_way.join("x")).expect("made");
    let mut failed = 0;
    space
        .run_tasks(&mut |ran| failed += usize::from(!ran.error.is_empty()))
        .expect("run");
    assert_eq!(failed, 1);
    std::fs::remove_dir_all(&in_the_way).expect("removed");
    site.after(48);
    run(&space);
    assert_eq!(site.backups(), [begun]);
}

#[test]
fn another_store_in_the_place_of_an_old_one_is_not_removed() {
    let (site, other) = (Site::new(), Site::new());
    let (space, elsewhere) = (site.space(), other.space());
    for (site, space) in [(&site, &space), (&other, &elsewhere)] {
        site.schedule(1);
        space.remember("first").expect("told");
        site.after(24);
        run(space);
    }
    let place = site.backups().remove(0);
    std::fs::remove_dir_all(&place).expect("removed");
    std::fs::rename(other.backups().remove(0), &place).expect("put there");
    space.remember("second").expect("told");
    site.after(48);
    run(&space);
    assert_eq!(site.backups().len(), 2);
    assert!(place.join("spaces/tests/memories/active.db").exists());
}

#[test]
fn a_check_says_when_backups_were_made_failed_or_are_overdue() {
    let site = Site::new();
    let space = site.space();
    let check = || {
        let found = space.check_up().expect("a check");
        (found.backups.clone(), found)
    };
    assert_eq!(check().0, None, "nothing is scheduled");
    space.remember("first").expect("told");
    site.schedule(2);
    let (backups, found) = check();
    let backups = backups.expect("scheduled");
    assert_eq!(
        (backups.made, backups.overdue, backups.last_at),
        (0, false, None)
    );
    assert_eq!(
        backups.next_at,
        Some("2026-03-02T12:00:00Z".parse().expect("an instant"))
    );
    assert!(
        found.problems.is_empty()
            && found
                .well
                .iter()
                .any(|well| well.contains("none was made yet"))
    );

    // Nobody ran the background for two days.
    site.after(49);
    let (backups, found) = check();
    assert!(backups.expect("scheduled").overdue);
    assert!(found.problems.is_empty(), "a warning: {:?}", found.problems);
    assert!(
        found
            .deferred
            .iter()
            .any(|line| line.contains("overdue since 2026-03-02T12:00:00Z")),
        "{:?}",
        found.deferred
    );
    assert_eq!(found.next_steps, [NextStep::RunTasks]);

    run(&space);
    let (backups, found) = check();
    let backups = backups.expect("scheduled");
    assert_eq!(
        (backups.made, backups.overdue, backups.events_since),
        (1, false, 0)
    );
    assert_eq!(
        backups.last_at,
        Some("2026-03-03T13:00:00Z".parse().expect("an instant"))
    );
    assert!(found.deferred.is_empty() && found.next_steps.is_empty());
    // Late, but nothing was written since: no backup is needed.
    site.after(400);
    assert!(!check().0.expect("scheduled").overdue);

    // A folder stands in the way of the next one.
    space.remember("second").expect("told");
    let in_the_way = site.disk.path().join("tests/2026-03-18T04-00-00Z");
    std::fs::write(&in_the_way, "a file").expect("made");
    let mut failed = 0;
    space
        .run_tasks(&mut |ran| failed += usize::from(!ran.error.is_empty()))
        .expect("run");
    assert_eq!(failed, 1);
    let (backups, found) = check();
    let backups = backups.expect("scheduled");
    assert_eq!(
        backups.failed_at,
        Some("2026-03-18T04:00:00Z".parse().expect("an instant"))
    );
    assert!(
        backups
            .failure
            .is_some_and(|failure| failure.contains("2026-03-18T04-00-00Z"))
    );
    assert!(
        found
            .problems
            .iter()
            .any(|problem| problem.contains("the last attempt at 2026-03-18T04:00:00Z failed"))
    );
    assert_eq!(found.next_steps, [NextStep::ListTasks, NextStep::BackUp]);
    std::fs::remove_file(&in_the_way).expect("removed");
    site.after(424);
    run(&space);
    let (backups, found) = check();
    assert_eq!(
        (backups.expect("scheduled").failure, found.problems),
        (None, Vec::new())
    );

    // Somebody took the disk away.
    let gone = site.backups().pop().expect("a backup");
    std::fs::remove_dir_all(&gone).expect("removed");
    let (backups, found) = check();
    assert_eq!(backups.expect("scheduled").missing, [gone]);
    assert!(
        found
            .problems
            .iter()
            .any(|problem| problem.contains("is missing"))
    );
    assert!(found.next_steps.contains(&NextStep::ForgetBackup));
}
