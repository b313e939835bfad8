//! What is left when a run ends at any of its steps.

use std::cell::Cell;
use std::fs;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::{Path, PathBuf};

use tempfile::TempDir;

use super::{Applied, ChangeRecord, Step, apply, apply_observed, take_back, take_back_observed};
use crate::plan::{FileChange, Plan};

const OURS: &str = "anamne\n";

/// A home folder with one file; our entry is a line.
struct Home {
    folder: TempDir,
    file: PathBuf,
    record: ChangeRecord,
    original: Option<&'static str>,
}

impl Home {
    fn new(name: &str, original: Option<&'static str>) -> Self {
        let folder = TempDir::new().expect("a folder");
        let file = folder.path().join(name);
        if let Some(text) = original {
            fs::write(&file, text).expect("a file");
        }
        let path = folder.path().join("ours/changes.json");
        let record = ChangeRecord { path };
        Self {
            folder,
            file,
            record,
            original,
        }
    }

    fn text(&self) -> Option<String> {
        fs::read_to_string(&self.file).ok()
    }

    fn plan(&self, after: impl FnOnce(&str) -> Option<String>) -> Plan {
        let before = self.text();
        let after = after(before.as_deref().unwrap_or_default());
        let is_change = before != after;
        let change = FileChange {
            path: self.file.clone(),
            before,
            after,
            executable: false,
        };
        let changes = is_change.then_some(change).into_iter().collect();
        Plan {
            changes,
            ..Plan::default()
        }
    }

    fn adding(&self, line: &str) -> Plan {
        self.plan(|text| {
            let has_it = text.split_inclusive('\n').any(|other| other == line);
            Some(if has_it {
                text.to_owned()
            } else {
                format!("{text}{line}")
            })
        })
    }

    fn removing(&self, line: &str) -> Plan {
        self.plan(|text| {
            Some(
                text.split_inclusive('\n')
                    .filter(|other| *other != line)
                    .collect(),
            )
        })
    }

    /// All files apart from the record and its lock.
    fn files(&self) -> Vec<String> {
        let mut found = Vec::new();
        list(self.folder.path(), &mut found);
        let root = self.folder.path();
        let names = found.iter().filter_map(|path| path.strip_prefix(root).ok());
        let names = names.map(|name| name.to_string_lossy().into_owned());
        let mut names: Vec<String> = names.filter(|name| !name.starts_with("ours")).collect();
        names.sort();
        names
    }

    fn is_pristine(&self) -> bool {
        let names: Vec<&str> = self.original.iter().map(|_| "settings").collect();
        self.text().as_deref() == self.original && self.files() == names
    }
}

fn list(folder: &Path, found: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(folder).expect("a folder") {
        let path = entry.expect("an entry").path();
        if path.is_dir() {
            list(&path, found);
        }
        found.push(path);
    }
}

/// Runs until the step with this number; whether it came that far.
fn killed_at(number: usize, run: impl FnOnce(&mut dyn FnMut(Step))) -> bool {
    let count = Cell::new(0);
    let mut observer = |_: Step| {
        assert!(count.get() != number, "killed");
        count.set(count.get() + 1);
    };
    catch_unwind(AssertUnwindSafe(|| run(&mut observer))).is_err()
}

/// Kills `run` at each of its steps in a fresh home; the file must be old or new, and everything goes on from there.
fn each_step(home: impl Fn() -> Home, run: impl Fn(&Home, &mut dyn FnMut(Step)), least: usize) {
    for number in 0.. {
        let home = home();
        let before = home.text();
        let was_killed = killed_at(number, |observer| run(&home, observer));
        let now = home.text();
        let with = format!("{}{OURS}", home.original.unwrap_or_default());
        assert!(
            now == before || now.as_deref() == Some(&with) || now.as_deref() == home.original,
            "{now:?}"
        );
        let applied = apply(&home.adding(OURS), "host", &home.record).expect("a record");
        assert_eq!(applied.left_alone, Vec::new());
        assert_eq!(
            home.text().as_deref(),
            Some(with.as_str()),
            "at step {number}"
        );
        // What somebody adds now is kept, and what was there before is in the backup.
        let taken = take_back(&home.removing(OURS), "host", &home.record).expect("a record");
        assert_eq!(taken.left_alone, Vec::new());
        assert!(
            home.is_pristine(),
            "at step {number}: {:?} {:?}",
            home.text(),
            home.files()
        );
        if !was_killed {
            assert!(number >= least, "only {number} steps");
            return;
        }
    }
}

#[test]
fn a_run_that_dies_while_it_applies_leaves_the_old_file_or_the_new_one() {
    let apply = |home: &Home, observer: &mut dyn FnMut(Step)| {
        let applied = apply_observed(&home.adding(OURS), "host", &home.record, observer);
        assert_eq!(applied.expect("a record").left_alone, Vec::new());
    };
    each_step(|| Home::new("settings", Some("a\n")), apply, 6);
    each_step(|| Home::new("settings", None), apply, 5);
    each_step(|| Home::new("project/.host/settings", None), apply, 5);
}

#[test]
fn a_run_that_dies_while_it_takes_back_leaves_the_old_file_or_the_new_one() {
    let set_up = |name: &str, original| {
        let home = Home::new(name, original);
        apply(&home.adding(OURS), "host", &home.record).expect("a record");
        home
    };
    let take_back = |home: &Home, observer: &mut dyn FnMut(Step)| {
        let taken = take_back_observed(&home.removing(OURS), "host", &home.record, observer);
        assert_eq!(taken.expect("a record").left_alone, Vec::new());
    };
    each_step(|| set_up("settings", Some("a\n")), take_back, 5);
    each_step(|| set_up("settings", None), take_back, 5);
    each_step(|| set_up("project/.host/settings", None), take_back, 5);
}

#[test]
fn a_run_that_dies_while_it_takes_its_entry_out_never_undoes_what_others_wrote() {
    for number in 0.. {
        let home = Home::new("settings", Some("a\n"));
        apply(&home.adding(OURS), "host", &home.record).expect("a record");
        fs::write(&home.file, "a\nanamne\ntheirs\n").expect("a file");
        let plan = home.removing(OURS);
        let was_killed = killed_at(number, |observer| {
            take_back_observed(&plan, "host", &home.record, observer).expect("a record");
        });
        let text = home.text().expect("a file");
        assert!(
            ["a\nanamne\ntheirs\n", "a\ntheirs\n"].contains(&text.as_str()),
            "{text}"
        );
        take_back(&home.removing(OURS), "host", &home.record).expect("a record");
        assert_eq!(home.text().as_deref(), Some("a\ntheirs\n"));
        let backup = home.folder.path().join("settings.anamne-backup");
        assert_eq!(fs::read_to_string(backup).expect("a backup"), "a\n");
        if !was_killed {
            assert!(number >= 4, "only {number} steps");
            return;
        }
    }
}

#[test]
fn a_file_that_changes_at_any_step_is_left_alone_and_nothing_is_lost() {
    for number in 0.. {
        let home = Home::new("settings", Some("a\n"));
        let mut count = 0;
        let mut changed_at = None;
        let mut observer = |step: Step| {
            if count == number {
                fs::write(&home.file, "theirs\n").expect("a file");
                changed_at = Some(step);
            }
            count += 1;
        };
        let plan = home.adding(OURS);
        let applied = apply_observed(&plan, "host", &home.record, &mut observer).expect("a record");
        match changed_at {
            None => return assert!(number >= 5, "only {number} steps"),
            Some(Step::RecordDone) => assert_eq!(applied.written.len(), 1),
            Some(_) => assert_eq!(
                applied.left_alone[0].reason,
                "it changed meanwhile; run the command again"
            ),
        }
        assert_eq!(home.text().as_deref(), Some("theirs\n"));
        let is_done = changed_at == Some(Step::RecordDone);
        let names: &[&str] = if is_done {
            &["settings", "settings.anamne-backup"]
        } else {
            &["settings"]
        };
        assert_eq!(home.files(), names);
    }
}

#[test]
fn files_that_were_half_written_when_a_run_died_go_with_the_next_run() {
    let home = Home::new("settings", Some("abc\n"));
    let plan = home.adding(OURS);
    killed_at(3, |observer| {
        apply_observed(&plan, "host", &home.record, observer).expect("a record");
    });
    assert_eq!(home.files(), ["settings", "settings.anamne-backup"]);
    fs::write(home.folder.path().join("settings.anamne-backup"), "ab").expect("a file");
    fs::write(home.folder.path().join(".settings.anamne-new"), "abc\nan").expect("a file");
    apply(&Plan::default(), "host", &home.record).expect("a record");
    assert!(home.is_pristine(), "{:?}", home.files());
}

#[test]
fn a_run_without_changes_says_so() {
    let home = Home::new("settings", Some("a\n"));
    let plan = home.adding(OURS);
    apply(&plan, "host", &home.record).expect("a record");
    let again = apply(&plan, "host", &home.record).expect("a record");
    assert_eq!(again, Applied::default());
}
