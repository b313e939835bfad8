//! Retention forgets before it erases, and never does either because of a wrong clock alone.

use std::sync::Arc;

use anamne::{Draft, ErrorKind, Kind, Memory, MemoryId, NextStep, Options, Recall, Space, Store};
use jiff::civil::date;
use jiff::{Timestamp, ToSpan};

use crate::common::{Home, SetClock, files_with};

fn restored(space: &Space) -> u64 {
    let undone = space.restore_forgotten_by_retention().expect("restored");
    undone.restored
}

/// A space with a clock, reopened for each day like another process would.
struct Bench {
    home: Home,
    clock: Arc<SetClock>,
}

impl Bench {
    /// A space that keeps memories for this number of days.
    fn keeping(days: u32) -> Self {
        let home = Home::new();
        let (store, clock) = home.store_with_clock("2026-03-01T12:00:00Z");
        let space = store.space("tests").expect("a space");
        space
            .configure(|config| config.retention.days = days)
            .expect("configured");
        Self { home, clock }
    }

    /// The space, opened like a process that has not written yet.
    fn open(&self) -> Space {
        let options = Options {
            clock: self.clock.clone(),
            ..Options::new(self.home.root()).background(false)
        };
        let store = Store::open_with(options).expect("a store");
        store.space("tests").expect("a space")
    }

    fn set(&self, day: &str) {
        self.clock.set(&format!("{day}T12:00:00Z"));
    }

    /// Stores a memory on a day, like a process that settles the space before it ends.
    fn write(&self, day: &str, text: &str) -> MemoryId {
        self.set(day);
        let space = self.open();
        let stored = space.remember(text).expect("told").id;
        space.settle(&mut |_, _| {}).expect("settled");
        stored
    }

    /// Stores many events of a day on that day, in one transaction.
    fn write_much(&self, day: &str, count: usize) {
        self.set(day);
        let drafts: Vec<_> = (0..count)
            .map(|number| Draft::new(format!("much of {day}, number {number}")))
            .collect();
        self.open().remember_all(&drafts).expect("told");
    }

    /// Stores many facts that no retention forgets.
    fn write_retained(&self, day: &str, count: usize) {
        self.set(day);
        let fact = |number| Draft::new(format!("a fact of {day}, number {number}"));
        let drafts: Vec<_> = (0..count)
            .map(|number| fact(number).kind(Kind::Fact).importance(7))
            .collect();
        self.open().remember_all(&drafts).expect("told");
    }

    fn write_old(&self, text: &str) -> MemoryId {
        let happened = at("2020-06-01");
        let stored = self.open().remember(Draft::new(text).occurred_at(happened));
        stored.expect("told").id
    }

    /// Uses the space on this number of consecutive days, from a day on.
    fn use_on_days(&self, first: &str, days: i32) {
        for text in days_from(first, days) {
            self.write(&text, &format!("a note of {text}"));
        }
    }

    fn memory(&self, id: MemoryId) -> Option<Memory> {
        match self.open().get(id) {
            Ok(memory) => Some(memory),
            Err(error) if error.kind() == ErrorKind::NotFound => None,
            Err(error) => panic!("{error}"),
        }
    }

    fn is_live(&self, id: MemoryId) -> bool {
        self.memory(id)
            .is_some_and(|memory| memory.deleted_at.is_none())
    }

    fn is_forgotten(&self, id: MemoryId) -> bool {
        self.memory(id)
            .is_some_and(|memory| memory.deleted_at.is_some())
    }

    /// The numbers of live, forgotten and erased memories.
    fn counts(&self) -> (u64, u64, u64) {
        let found = self.open().report().expect("a report").statistics;
        (found.memories, found.forgotten, found.erased)
    }

    #[track_caller]
    fn nothing_is_lost(&self) {
        let (_, forgotten, erased) = self.counts();
        assert_eq!((forgotten, erased), (0, 0));
    }
}

fn at(day: &str) -> Timestamp {
    format!("{day}T12:00:00Z").parse().expect("an instant")
}

fn days_from(first: &str, days: i32) -> impl Iterator<Item = String> {
    let first: jiff::civil::Date = first.parse().expect("a date");
    (0..days).map(move |number| (first + number.days()).to_string())
}

/// Every read operation, followed by settling.
fn read_everything(space: &Space, id: MemoryId) {
    space.recall(&Recall::new("much of it")).expect("an answer");
    space.get(id).expect("a memory");
    space.list(&anamne::Listing::default()).expect("a list");
    space.history(id).expect("a history");
    space.report().expect("a report");
    space.is_unsettled().expect("a look");
    space.settle(&mut |_, _| {}).expect("settled");
    space.check_up().expect("a check-up");
}

#[test]
fn reading_neither_forgets_nor_erases() {
    let bench = Bench::keeping(30);
    bench.write_much("2026-03-01", 40);
    let old = bench.write_old("an old conversation");
    bench.write_much("2026-03-02", 1);
    bench.write_much("2026-03-03", 1);
    // It could be forgotten now, but nothing was written since.
    for day in ["2026-03-03", "2036-03-01", "1970-01-01", "2026-03-04"] {
        bench.set(day);
        read_everything(&bench.open(), old);
        bench.nothing_is_lost();
    }
    bench.write("2026-03-04", "a note");
    assert!(bench.is_forgotten(old));
    bench.use_on_days("2026-03-05", 29);
    bench.write_much("2026-04-03", 1);
    bench.set("2036-04-03");
    let plan = bench.open().retention().expect("a state");
    assert_eq!(plan.erasable, 1, "{plan:?}");
    read_everything(&bench.open(), old);
    assert!(bench.is_forgotten(old));
}

#[test]
fn telling_and_asking_ten_years_ahead_loses_nothing() {
    let bench = Bench::keeping(30);
    bench.write_much("2026-03-01", 20);
    bench.use_on_days("2026-03-02", 5);
    bench.write("2036-03-07", "told ten years ahead");
    let space = bench.open();
    let found = space.check_up().expect("a check-up");
    let deferred = found.deferred.join("\n");
    for part in ["25 of 26", "2036-03-07", "three days"] {
        assert!(deferred.contains(part), "{deferred}");
    }
    assert_eq!(found.next_steps, [NextStep::ConfirmRetention]);
    space.recall(&Recall::new("much of it")).expect("an answer");
    space.settle(&mut |_, _| {}).expect("settled");
    bench.nothing_is_lost();
    bench.use_on_days("2026-03-07", 3);
    bench.nothing_is_lost();
    assert_eq!(bench.counts().0, 29);
}

#[test]
fn asking_ten_years_ahead_of_what_was_told_now_loses_nothing() {
    let bench = Bench::keeping(30);
    let stored = bench.write("2026-03-01", "told now");
    bench.use_on_days("2026-03-02", 3);
    bench.set("2036-03-01");
    read_everything(&bench.open(), stored);
    bench.write("2026-03-05", "the clock is right again");
    bench.nothing_is_lost();
}

#[test]
fn a_clock_that_alternates_between_years_loses_nothing() {
    let bench = Bench::keeping(30);
    bench.write_much("2026-03-01", 100);
    for (number, day) in days_from("2026-03-02", 27).enumerate() {
        let wrong = date(2030 + i16::try_from(number).expect("few"), 5, 1).to_string();
        bench.write(&wrong, &format!("under the clock of {wrong}"));
        if number % 2 == 0 {
            bench.write("1970-01-01", &format!("the clock began anew, {number}"));
        }
        // Two correct days between the wrong ones.
        bench.write(&day, &format!("a note of {day}"));
        bench.nothing_is_lost();
    }
}

#[test]
fn what_is_told_while_the_clock_is_set_back_is_not_old_for_that() {
    let bench = Bench::keeping(30);
    bench.write_much("2026-03-01", 60);
    bench.use_on_days("2026-03-02", 7);
    let misdated = bench.write("1970-01-01", "the clock began anew");
    let also = bench.write("1970-01-02", "and went on from there");
    // But a memory that is said to be from then is old.
    let old = bench.write_old("an old conversation, told under the wrong clock");
    bench.use_on_days("2026-03-09", 12);
    assert!(bench.is_live(misdated) && bench.is_live(also));
    assert!(bench.is_forgotten(old));
    assert_eq!(bench.open().count_outdated(30).expect("a count"), 0);
}

#[test]
fn a_clock_set_back_to_1970_loses_nothing_and_shortens_nothing() {
    let bench = Bench::keeping(30);
    bench.write_much("2026-03-01", 40);
    let old = bench.write_old("an old conversation");
    bench.use_on_days("2026-03-02", 3);
    assert!(bench.is_forgotten(old));
    let left = |bench: &Bench| bench.open().retention().expect("a state").next_erasure;
    let before = left(&bench);
    assert!(before.is_some());
    for number in 0..50 {
        bench.write("1970-01-01", &format!("after a restart, {number}"));
    }
    bench.set("2026-03-05");
    bench.use_on_days("2026-03-05", 3);
    // One day in 1970, and three days of use.
    assert_eq!(left(&bench), before.map(|days| days - 4));
    assert_eq!(bench.counts().2, 0);
}

#[test]
fn a_jump_of_ten_years_is_one_day_of_use() {
    let bench = Bench::keeping(30);
    bench.write_much("2026-03-01", 40);
    let old = bench.write_old("an old conversation");
    bench.use_on_days("2026-03-02", 2);
    assert!(bench.is_forgotten(old));
    bench.write("2036-03-04", "ten years ahead");
    bench.write("2036-03-04", "and again");
    bench.write("2046-03-04", "twenty years ahead");
    assert!(bench.is_forgotten(old), "two jumps are two days of use");
    bench.use_on_days("2026-03-04", 3);
    let state = bench.open().retention().expect("a state");
    assert_eq!(state.next_erasure, Some(25), "{state:?}");
}

#[test]
fn what_is_old_is_forgotten_and_erased_after_thirty_days_of_use_over_restarts() {
    let bench = Bench::keeping(30);
    bench.write_much("2026-03-01", 60);
    let old = bench.write_old("an old vorpalconversation");
    bench.use_on_days("2026-03-02", 1);
    assert!(bench.is_live(old), "two days confirm no date");
    bench.use_on_days("2026-03-03", 1);
    assert!(bench.is_forgotten(old));
    let space = bench.open();
    let state = space.retention().expect("a state");
    assert_eq!((state.outdated, state.forgotten, state.erasable), (0, 1, 0));
    assert_eq!(state.next_erasure, Some(30));
    let change = space
        .history(old)
        .expect("a history")
        .pop()
        .expect("an event");
    assert_eq!(change.actor.name, "retention");
    // Used on one day a week: only days of use count.
    let mut day = date(2026, 3, 4);
    for left in (1..=29).rev() {
        bench.write(&day.to_string(), &format!("a note of {day}"));
        let state = bench.open().retention().expect("a state");
        if state.deferred.is_empty() {
            assert_eq!(state.next_erasure, Some(left), "{day}");
        }
        assert!(bench.memory(old).is_some(), "{day}");
        day += if left % 7 == 0 { 2.days() } else { 1.day() };
    }
    assert!(bench.is_forgotten(old));
    assert!(!files_with(&bench.home.folder(), b"vorpalconversation").is_empty());
    bench.write(&day.to_string(), "the thirtieth day");
    assert_eq!(bench.memory(old), None);
    assert_eq!(
        files_with(&bench.home.folder(), b"vorpalconversation"),
        Vec::<std::path::PathBuf>::new()
    );
    let report = bench.open().verify_journal().expect("a report");
    assert_eq!(report.problems, Vec::<String>::new());
}

#[test]
fn two_processes_on_one_day_count_one_day_of_use() {
    let bench = Bench::keeping(30);
    bench.write_much("2026-03-01", 40);
    let old = bench.write_old("an old conversation");
    bench.use_on_days("2026-03-02", 2);
    assert!(bench.is_forgotten(old));
    bench.set("2026-03-04");
    let processes = [bench.open(), bench.open(), bench.open()];
    for round in 0..3 {
        for (number, space) in processes.iter().enumerate() {
            let text = format!("process {number}, round {round}");
            space.remember(text).expect("told");
            space.settle(&mut |_, _| {}).expect("settled");
        }
    }
    let state = bench.open().retention().expect("a state");
    assert_eq!(state.next_erasure, Some(29), "{state:?}");
}

#[test]
fn two_processes_that_forget_at_once_forget_each_memory_once() {
    let bench = Bench::keeping(30);
    bench.write_much("2026-03-01", 60);
    let old: Vec<_> = (0..5)
        .map(|number| bench.write_old(&format!("old, {number}")))
        .collect();
    bench.write_much("2026-03-02", 1);
    bench.write_much("2026-03-03", 1);
    std::thread::scope(|scope| {
        for _ in 0..2 {
            scope.spawn(|| bench.open().apply_retention(false).expect("applied"));
        }
    });
    for id in old {
        assert_eq!(bench.memory(id).expect("a memory").version, 2);
    }
}

#[test]
fn more_than_a_tenth_waits_until_a_person_confirms_it() {
    let bench = Bench::keeping(30);
    bench.write_much("2026-03-01", 20);
    let old: Vec<_> = (0..5)
        .map(|number| bench.write_old(&format!("old, {number}")))
        .collect();
    bench.use_on_days("2026-03-02", 4);
    bench.nothing_is_lost();
    let space = bench.open();
    let state = space.retention().expect("a state");
    assert_eq!(state.outdated, 5);
    let found = space.check_up().expect("a check-up");
    assert_eq!(found.problems, Vec::<String>::new());
    assert_eq!(found.deferred, state.deferred);
    let [said] = &found.deferred[..] else {
        panic!("{found:?}")
    };
    for part in ["5 of 29", "30 days", "tenth"] {
        assert!(said.contains(part), "{said}");
    }
    assert_eq!(state.next_steps, [NextStep::ConfirmRetention]);
    assert_eq!(found.next_steps, state.next_steps);
    let applied = space.apply_retention(false).expect("applied");
    assert_eq!((applied.forgotten, applied.erased), (0, 0));
    let applied = space.apply_retention(true).expect("applied");
    assert_eq!((applied.forgotten, applied.erased), (5, 0));
    assert!(old.iter().all(|id| bench.is_forgotten(*id)));
    // A confirmation does not shorten the grace period.
    let applied = space.apply_retention(true).expect("applied");
    assert_eq!((applied.forgotten, applied.erased), (0, 0));
}

#[test]
fn more_than_a_tenth_is_not_erased_at_once_without_confirmation() {
    let bench = Bench::keeping(365);
    bench.write_much("2026-03-01", 1);
    let old: Vec<_> = (0..30)
        .map(|number| bench.write_old(&format!("old, {number}")))
        .collect();
    let applied = bench.open().apply_retention(true).expect("applied");
    assert_eq!(applied.forgotten, 30);
    bench.use_on_days("2026-03-02", 40);
    let space = bench.open();
    let state = space.retention().expect("a state");
    assert_eq!((state.erasable, state.forgotten), (30, 30));
    let said = state.deferred.join("\n");
    assert!(said.contains("grace period of 30"), "{said}");
    assert_eq!(
        state.next_steps,
        [NextStep::RestoreRetention, NextStep::ConfirmRetention]
    );
    assert!(old.iter().all(|id| bench.is_forgotten(*id)));
    assert_eq!(space.apply_retention(true).expect("applied").erased, 30);
    assert!(old.iter().all(|id| bench.memory(*id).is_none()));
}

/// Nine days with the right clock, and three that are ten years ahead: these make the first memories old.
fn a_clock_that_stayed_wrong(bench: &Bench) -> MemoryId {
    let first = bench.write("2026-02-20", "told under the right clock");
    bench.use_on_days("2026-02-21", 8);
    bench.write_much("2036-03-01", 60);
    bench.write_much("2036-03-02", 60);
    assert!(bench.is_live(first), "two days confirm nothing");
    bench.use_on_days("2036-03-03", 1);
    assert!(bench.is_forgotten(first));
    first
}

#[test]
fn what_a_clock_that_stays_wrong_forgets_is_brought_back_by_one_command() {
    let bench = Bench::keeping(30);
    let first = a_clock_that_stayed_wrong(&bench);
    bench.use_on_days("2026-03-02", 3);
    assert_eq!(bench.counts().2, 0);
    let space = bench.open();
    assert_eq!(restored(&space), 9);
    assert!(bench.is_live(first));
    bench.use_on_days("2026-03-05", 3);
    assert!(bench.is_live(first));
}

#[test]
fn what_is_not_old_any_more_by_the_right_clock_is_not_erased() {
    let bench = Bench::keeping(60);
    let first = a_clock_that_stayed_wrong(&bench);
    // The grace period passes with the right clock, by which the memory is not old.
    bench.use_on_days("2026-03-02", 45);
    assert!(bench.is_forgotten(first));
    let space = bench.open();
    assert_eq!(restored(&space), 9);
}

#[test]
fn what_a_person_restored_has_its_whole_term_again_in_days_of_use() {
    let bench = Bench::keeping(10);
    bench.write_retained("2026-03-01", 300);
    let old = bench.write_old("an old conversation");
    bench.use_on_days("2026-03-02", 2);
    assert!(bench.is_forgotten(old));
    bench.open().restore(old).expect("restored");
    bench.use_on_days("2026-03-04", 6);
    // Ten years count as one day of use, and the next day doesn't confirm them.
    bench.write("2036-03-10", "ten years ahead");
    assert!(bench.is_live(old));
    bench.open().apply_retention(true).expect("applied");
    assert!(bench.is_live(old), "also where a person confirms");
    bench.use_on_days("2026-03-10", 3);
    assert!(bench.is_forgotten(old));
}

#[test]
fn what_a_person_forgot_is_left_alone() {
    let bench = Bench::keeping(30);
    bench.write_much("2026-03-01", 60);
    let old = bench.write_old("an old conversation");
    bench.open().forget(old).expect("forgotten");
    bench.use_on_days("2026-03-02", 40);
    assert!(bench.is_forgotten(old));
    assert_eq!(
        bench
            .open()
            .restore_forgotten_by_retention()
            .expect("looked")
            .restored,
        0
    );
    assert!(bench.is_forgotten(old));
}

#[test]
fn facts_and_skills_that_matter_are_kept() {
    let bench = Bench::keeping(365);
    bench.write_much("2026-03-01", 60);
    let space = bench.open();
    let write = |text: &str, kind: Kind, importance: u8| {
        let draft = Draft::new(text).kind(kind).importance(importance);
        let stored = space.remember(draft.occurred_at(at("2025-01-10")));
        stored.expect("told").id
    };
    let fact = write("an old fact that matters", Kind::Fact, 7);
    let skill = write("an old skill that matters", Kind::Skill, 10);
    let trifle = write("an old fact that matters little", Kind::Fact, 6);
    let message = write("an old message", Kind::Message, 9);
    assert_eq!(space.count_outdated(365).expect("a count"), 2);
    bench.use_on_days("2026-03-02", 3);
    assert!(bench.is_live(fact) && bench.is_live(skill));
    assert!(bench.is_forgotten(trifle) && bench.is_forgotten(message));
}

#[test]
fn without_a_retention_nothing_more_is_forgotten_or_erased() {
    let bench = Bench::keeping(30);
    bench.write_much("2026-03-01", 60);
    let old = bench.write_old("an old conversation");
    bench.use_on_days("2026-03-02", 2);
    assert!(bench.is_forgotten(old));
    bench
        .open()
        .configure(|config| config.retention.days = 0)
        .expect("configured");
    bench.use_on_days("2026-03-04", 40);
    assert!(bench.is_forgotten(old));
    assert_eq!(bench.open().retention().expect("a state").forgotten, 1);
    assert_eq!(
        bench
            .open()
            .restore_forgotten_by_retention()
            .expect("restored")
            .restored,
        1
    );
    assert!(bench.is_live(old));
}

#[test]
fn a_store_of_before_keeps_its_retention_with_the_usual_grace_period() {
    let bench = Bench::keeping(30);
    let path = bench.home.folder().join("space.toml");
    let text = std::fs::read_to_string(&path).expect("settings");
    let settings = text.lines().filter(|line| !line.starts_with('#'));
    let text: String = settings.flat_map(|line| [line, "\n"]).collect();
    assert!(text.contains("[retention]\ndays = 30\n"), "{text}");
    assert!(
        !text.contains("grace"),
        "as versions before wrote it: {text}"
    );
    bench.write_much("2026-03-01", 60);
    let old = bench.write_old("an old conversation");
    bench.use_on_days("2026-03-02", 3);
    assert!(bench.is_forgotten(old));
    let state = bench.open().retention().expect("a state");
    assert_eq!((state.days, state.grace_days), (30, 30));
}

#[test]
fn a_grace_period_of_ones_own_is_kept_to() {
    let bench = Bench::keeping(30);
    bench
        .open()
        .configure(|config| config.retention.grace_days = 2)
        .expect("configured");
    let refused = bench
        .open()
        .configure(|config| config.retention.grace_days = 0);
    assert_eq!(refused.expect_err("refused").kind(), ErrorKind::Refused);
    bench.write_much("2026-03-01", 60);
    let old = bench.write_old("an old conversation");
    bench.use_on_days("2026-03-02", 3);
    assert!(bench.is_forgotten(old));
    bench.use_on_days("2026-03-05", 1);
    assert_eq!(bench.memory(old), None);
}
