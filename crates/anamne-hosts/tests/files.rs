//! Files are changed safely, and go back to what they were.

use std::fs;
use std::path::{Path, PathBuf};

use anamne_hosts::files::{Applied, ChangeError, ChangeRecord, apply, difference, take_back};
use anamne_hosts::{FileChange, Plan};
use tempfile::TempDir;

struct Home {
    folder: TempDir,
    record: ChangeRecord,
}

impl Home {
    fn new() -> Self {
        let folder = TempDir::new().unwrap();
        let path = folder.path().join("data/changes.json");
        let record = ChangeRecord { path };
        Self { folder, record }
    }

    fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    fn write(&self, name: &str, text: impl AsRef<[u8]>) {
        fs::write(self.path(name), text).unwrap();
    }

    fn text(&self, name: &str) -> Option<String> {
        fs::read_to_string(self.path(name)).ok()
    }

    /// The plan that gives a file this text, whatever it has now.
    fn plan(&self, name: &str, after: &str) -> Plan {
        change(&self.path(name), self.text(name).as_deref(), Some(after))
    }

    fn apply(&self, host: &str, plan: &Plan) -> Applied {
        apply(plan, host, &self.record).unwrap()
    }

    fn take_back(&self, host: &str, plan: &Plan) -> Applied {
        take_back(plan, host, &self.record).unwrap()
    }

    /// The names in the folder, apart from our data.
    fn names(&self) -> Vec<String> {
        let entries = fs::read_dir(self.folder.path()).unwrap();
        let names = entries.map(|entry| entry.unwrap().file_name().into_string().unwrap());
        let mut names: Vec<String> = names.filter(|name| name != "data").collect();
        names.sort();
        names
    }
}

fn change(path: &Path, before: Option<&str>, after: Option<&str>) -> Plan {
    let (before, after) = (before.map(str::to_owned), after.map(str::to_owned));
    let path = path.to_owned();
    let changes = vec![FileChange {
        path,
        before,
        after,
        executable: false,
    }];
    Plan {
        changes,
        ..Plan::default()
    }
}

fn reasons(applied: &Applied) -> Vec<&str> {
    let reasons = applied.left_alone.iter();
    reasons.map(|left| left.reason.as_str()).collect()
}

#[test]
fn a_backup_lies_beside_the_file_and_goes_when_its_bytes_are_back() {
    let home = Home::new();
    home.write("s.json", "\u{feff}{ }\r\n");
    home.write("s.json.anamne-backup", "somebody's own");
    let plan = home.plan("s.json", "{ \"a\": 1 }");
    let applied = home.apply("host", &plan);
    let backup = home.path("s.json.anamne-backup-2");
    assert_eq!(
        applied.written,
        [(home.path("s.json"), Some(backup.clone()))]
    );
    assert_eq!(fs::read_to_string(backup).unwrap(), "\u{feff}{ }\r\n");
    let taken = home.take_back("host", &home.plan("s.json", "{}"));
    assert_eq!(taken.written, [(home.path("s.json"), None)]);
    assert_eq!(home.text("s.json").unwrap(), "\u{feff}{ }\r\n");
    assert_eq!(home.names(), ["s.json", "s.json.anamne-backup"]);
    assert!(!home.record.path.exists());
}

#[test]
fn a_second_set_up_keeps_the_first_backup_of_a_file_that_is_still_ours() {
    let home = Home::new();
    home.write("s", "original");
    home.apply("host", &home.plan("s", "version 1"));
    home.apply("host", &home.plan("s", "version 2"));
    assert_eq!(home.names(), ["s", "s.anamne-backup"]);
    home.take_back("host", &home.plan("s", "edited"));
    assert_eq!(home.text("s").unwrap(), "original");
    assert_eq!(home.names(), ["s"]);
}

#[test]
fn a_file_that_somebody_changed_loses_our_entry_alone_and_its_backups_stay() {
    let home = Home::new();
    home.write("s", "original\n");
    home.apply("host", &home.plan("s", "original\nours\n"));
    home.write("s", "original\nours\ntheirs\n");
    let taken = home.take_back("host", &home.plan("s", "original\ntheirs\n"));
    let backup = home.path("s.anamne-backup");
    assert_eq!(taken.written, [(home.path("s"), Some(backup.clone()))]);
    assert_eq!(home.text("s").unwrap(), "original\ntheirs\n");
    assert_eq!(fs::read_to_string(backup).unwrap(), "original\n");

    // Set up again on a file that still has our entry: its new backup isn't what it was without us.
    home.write("t", "original\n");
    home.apply("host", &home.plan("t", "original\nours\n"));
    home.write("t", "original\nours\ntheirs\n");
    home.apply("host", &home.plan("t", "original\nours too\ntheirs\n"));
    home.take_back("host", &home.plan("t", "original\ntheirs\n"));
    assert_eq!(home.text("t").unwrap(), "original\ntheirs\n");
}

#[test]
fn two_hosts_of_one_file_give_it_back_in_any_order() {
    for order in [["a", "b"], ["b", "a"]] {
        let home = Home::new();
        home.write("s", "original\n");
        home.apply("a", &home.plan("s", "original\na\n"));
        home.apply("b", &home.plan("s", "original\na\nb\n"));
        // The first one again, as an update does.
        home.apply("a", &home.plan("s", "original\na2\nb\n"));
        for host in order {
            let text = home.text("s").unwrap();
            let lines = text
                .split_inclusive('\n')
                .filter(|line| !line.starts_with(host));
            let plan = home.plan("s", &lines.collect::<String>());
            assert_eq!(home.take_back(host, &plan).left_alone, []);
        }
        assert_eq!(home.text("s").unwrap(), "original\n");
        assert_eq!(home.names(), ["s"], "{order:?}");
    }
}

#[test]
fn a_file_that_was_not_there_goes_with_its_folders_if_they_are_empty() {
    let home = Home::new();
    let name = "project/.host/s.json";
    let applied = home.apply("host", &home.plan(name, "{}"));
    assert_eq!(applied.written, [(home.path(name), None)]);
    home.take_back("host", &home.plan(name, ""));
    assert_eq!(home.names(), [""; 0]);

    home.apply("host", &home.plan(name, "{}"));
    home.write("project/theirs", "x");
    home.take_back("host", &home.plan(name, ""));
    assert_eq!(home.text("project/theirs").unwrap(), "x");
    assert!(!home.path("project/.host").exists());

    home.apply("host", &home.plan(name, "{}"));
    home.write(name, "{\"theirs\": 1}");
    home.take_back("host", &home.plan(name, "{\"theirs\":1}"));
    assert_eq!(home.text(name).unwrap(), "{\"theirs\":1}");
}

#[test]
fn files_without_a_record_lose_the_entry_after_a_backup() {
    let home = Home::new();
    home.write("s", "by hand\n");
    let taken = home.take_back("host", &home.plan("s", ""));
    let backup = home.path("s.anamne-backup");
    assert_eq!(taken.written, [(home.path("s"), Some(backup.clone()))]);
    assert_eq!(home.text("s").unwrap(), "");
    assert_eq!(fs::read_to_string(backup).unwrap(), "by hand\n");
    assert!(!home.record.path.exists());
}

#[test]
fn a_backup_that_was_tampered_with_is_never_restored() {
    let home = Home::new();
    home.write("s", "original\n");
    home.apply("host", &home.plan("s", "original\nours\n"));
    home.write("s.anamne-backup", "evil");
    home.take_back("host", &home.plan("s", "original\n"));
    assert_eq!(home.text("s").unwrap(), "original\n");
    assert_eq!(home.text("s.anamne-backup").unwrap(), "evil");
}

#[test]
fn what_is_not_as_planned_or_no_text_is_left_alone_and_named() {
    let home = Home::new();
    home.write("changed", "now");
    home.write("bytes", b"\xff\xfe");
    fs::create_dir(home.path("folder")).unwrap();
    home.write("file", "");
    let check = |name: &str, before: Option<&str>, reason: &str| {
        let plan = change(&home.path(name), before, Some("ours"));
        for applied in [home.apply("host", &plan), home.take_back("host", &plan)] {
            assert_eq!(applied.written, []);
            assert_eq!(applied.left_alone[0].path, home.path(name));
            assert!(
                applied.left_alone[0].reason.contains(reason),
                "{:?}",
                reasons(&applied)
            );
        }
    };
    check("changed", Some("then"), "changed meanwhile");
    check("changed", None, "changed meanwhile");
    check("gone", Some("then"), "changed meanwhile");
    check("bytes", Some(""), "not UTF-8 text");
    check("folder", None, "is a folder");
    check("file/inside", None, "directory");
    assert_eq!(home.names(), ["bytes", "changed", "file", "folder"]);
    assert_eq!(home.text("changed").unwrap(), "now");
}

#[test]
fn a_record_that_can_not_be_understood_stops_everything() {
    let home = Home::new();
    home.write("s", "original");
    fs::create_dir(home.path("data")).unwrap();
    for text in ["{", "[]", "{\"version\": 9, \"files\": []}"] {
        home.write("data/changes.json", text);
        let error = apply(&home.plan("s", "ours"), "host", &home.record).unwrap_err();
        assert!(matches!(error, ChangeError::Record { .. }), "{error}");
        assert_eq!(home.text("data/changes.json").unwrap(), text);
    }
    assert_eq!(home.text("s").unwrap(), "original");
}

#[test]
fn runs_at_the_same_time_tear_nothing() {
    let home = Home::new();
    home.write("s", "original\n");
    // Each adds its line to what it finds, and tries again if it was too late.
    std::thread::scope(|scope| {
        for number in 0..8 {
            let home = &home;
            scope.spawn(move || {
                let host = format!("host{number}");
                loop {
                    let text = home.text("s").unwrap();
                    let plan = change(
                        &home.path("s"),
                        Some(&text),
                        Some(&format!("{text}{host}\n")),
                    );
                    if home.apply(&host, &plan).left_alone.is_empty() {
                        return;
                    }
                }
            });
        }
    });
    let text = home.text("s").unwrap();
    let mut lines: Vec<&str> = text.lines().collect();
    lines.sort_unstable();
    assert_eq!(lines.len(), 9, "{text}");
    lines.dedup();
    assert_eq!(lines.len(), 9, "{text}");
    assert_eq!(home.names().len(), 9, "one backup each: {:?}", home.names());
}

#[cfg(unix)]
mod unix {
    use std::os::unix::fs::{MetadataExt, PermissionsExt, symlink};

    use super::*;

    #[test]
    fn a_symbolic_link_stays_one() {
        let home = Home::new();
        fs::create_dir(home.path("dotfiles")).unwrap();
        home.write("dotfiles/real", "original");
        symlink("dotfiles/real", home.path("middle")).unwrap();
        symlink(home.path("middle"), home.path("s")).unwrap();
        let applied = home.apply("host", &home.plan("s", "ours"));
        assert_eq!(applied.written[0].0, home.path("s"));
        assert_eq!(home.text("dotfiles/real").unwrap(), "ours");
        let is_link = |name| fs::symlink_metadata(home.path(name)).unwrap().is_symlink();
        assert!(is_link("s") && is_link("middle") && !is_link("dotfiles/real"));
        assert_eq!(
            home.text("dotfiles/real.anamne-backup").unwrap(),
            "original"
        );
        home.take_back("host", &home.plan("s", ""));
        assert!(is_link("s"));
        assert_eq!(home.text("dotfiles/real").unwrap(), "original");

        symlink("nowhere/yet", home.path("dangling")).unwrap();
        home.apply("host", &home.plan("dangling", "ours"));
        assert_eq!(home.text("nowhere/yet").unwrap(), "ours");
        home.take_back("host", &home.plan("dangling", ""));
        assert!(is_link("dangling") && !home.path("nowhere").exists());
    }

    #[test]
    fn permissions_stay_and_backups_have_them_too() {
        let home = Home::new();
        home.write("s", "original");
        let mode = |name| fs::metadata(home.path(name)).unwrap().mode() & 0o7777;
        fs::set_permissions(home.path("s"), fs::Permissions::from_mode(0o640)).unwrap();
        home.apply("host", &home.plan("s", "ours"));
        assert_eq!((mode("s"), mode("s.anamne-backup")), (0o640, 0o640));
        assert_eq!(mode("data/changes.json"), 0o600);
        home.take_back("host", &home.plan("s", ""));
        assert_eq!(mode("s"), 0o640);
    }

    #[test]
    fn special_and_read_only_files_are_left_alone() {
        let home = Home::new();
        let pipe = home.path("pipe");
        let made = std::process::Command::new("mkfifo")
            .arg(&pipe)
            .status()
            .unwrap();
        assert!(made.success());
        home.write("fixed", "x");
        fs::set_permissions(home.path("fixed"), fs::Permissions::from_mode(0o444)).unwrap();
        home.write("twice", "x");
        fs::hard_link(home.path("twice"), home.path("again")).unwrap();
        symlink("round", home.path("round")).unwrap();
        let check = |name: &str, before, reason: &str| {
            let plan = change(&home.path(name), before, Some("ours"));
            let applied = home.apply("host", &plan);
            assert!(
                applied.left_alone[0].reason.contains(reason),
                "{:?}",
                reasons(&applied)
            );
        };
        check("pipe", None, "not a regular file");
        check("fixed", Some("x"), "read-only");
        check("twice", Some("x"), "several names");
        check("round", None, "circle");
        assert_eq!(home.names(), ["again", "fixed", "pipe", "round", "twice"]);
    }

    #[test]
    fn a_read_only_folder_is_left_alone() {
        let home = Home::new();
        fs::create_dir(home.path("folder")).unwrap();
        home.write("folder/s", "original");
        let set = |mode| fs::set_permissions(home.path("folder"), fs::Permissions::from_mode(mode));
        set(0o555).unwrap();
        // Root may write anyway.
        let may_write = fs::write(home.path("folder/probe"), "").is_ok();
        let _ = fs::remove_file(home.path("folder/probe"));
        let applied = home.apply("host", &home.plan("folder/s", "ours"));
        set(0o755).unwrap();
        let expected = if may_write { "ours" } else { "original" };
        assert_eq!(home.text("folder/s").unwrap(), expected);
        assert_eq!(applied.left_alone.is_empty(), may_write);
        assert_eq!(home.text("folder/s.anamne-backup").is_some(), may_write);
    }
}

#[test]
fn a_difference_has_three_lines_of_context_and_no_control_characters() {
    let path = PathBuf::from("/home/s.json");
    let before = "1\n2\n3\n4\n5\u{1b}[2J\n6\n7\n";
    let after = before.replace("6\n", "6\nours\n");
    let (before, after) = (Some(before.to_owned()), Some(after));
    let text = difference(&FileChange {
        path,
        before,
        after,
        executable: false,
    });
    assert_eq!(
        text,
        "--- /home/s.json\n+++ /home/s.json\n@@ -4,4 +4,5 @@\n 4\n 5\\u{1b}[2J\n 6\n+ours\n 7\n"
    );
    let path = PathBuf::from("/home/new");
    let after = Some("a\r\nb".to_owned());
    let text = difference(&FileChange {
        path,
        before: None,
        after,
        executable: false,
    });
    assert_eq!(
        text,
        "--- /dev/null\n+++ /home/new\n@@ -0,0 +1,2 @@\n+a\n+b\n\\ No newline at end of file\n"
    );
}

#[test]
fn a_difference_of_hostile_texts_takes_bounded_time() {
    let text = |seed: u32| {
        let lines = (0..40_000_u32).map(|line| format!("{}\n", line.wrapping_mul(seed) >> 20));
        lines.collect::<String>()
    };
    let (before, after) = (Some(text(0x9E37_79B9)), Some(text(0x85EB_CA6B)));
    let started = std::time::Instant::now();
    let path = PathBuf::from("s");
    let length = difference(&FileChange {
        path,
        before,
        after,
        executable: false,
    })
    .len();
    assert!(length > 40_000);
    assert!(
        started.elapsed() < std::time::Duration::from_secs(20),
        "{:?}",
        started.elapsed()
    );
}

#[test]
fn the_last_host_of_a_shared_file_gives_it_its_former_bytes() {
    for original in [None, Some("original\n")] {
        let home = Home::new();
        let path = home.path("s");
        if let Some(text) = original {
            home.write("s", text);
        }
        home.apply("one", &change(&path, original, Some("original\nours\n")));
        // The other one's removal left it, because this host reads it as well.
        let removal = change(&path, Some("original\nours\n"), original);
        home.take_back("other", &removal);
        assert_eq!(home.text("s").as_deref(), original);
        assert_eq!(home.names().len(), usize::from(original.is_some()));
        assert!(!home.record.path.exists());
    }
}

#[cfg(unix)]
#[test]
fn a_program_can_be_run_and_goes_again_and_an_existing_file_keeps_its_mode() {
    use std::os::unix::fs::PermissionsExt;
    let home = Home::new();
    let program = |name: &str, after: Option<&str>| {
        let mut plan = change(&home.path(name), home.text(name).as_deref(), after);
        plan.changes[0].executable = true;
        plan
    };
    let mode = |name: &str| fs::metadata(home.path(name)).unwrap().permissions().mode() & 0o777;
    home.write("plain", "x");
    let usual = mode("plain");
    assert!(difference(&program("script", Some("#!\n")).changes[0]).contains("(executable)"));
    home.apply("host", &program("script", Some("#!\n")));
    assert_eq!(mode("script"), usual | ((usual & 0o444) >> 2));
    home.apply("host", &program("script", Some("#! 2\n")));
    assert_eq!(mode("script"), usual | ((usual & 0o444) >> 2));
    home.take_back("host", &program("script", None));
    assert_eq!(home.names(), ["plain"]);
    home.apply("host", &program("plain", Some("y")));
    assert_eq!(mode("plain"), usual);
    home.take_back("host", &program("plain", None));
    assert_eq!(
        (home.text("plain").as_deref(), mode("plain")),
        (Some("x"), usual)
    );
}
