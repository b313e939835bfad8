//! A store on a full disk, in a read-only folder, or with changed settings.

use serde_json::json;

use crate::bench::{Bench, files_under};

#[test]
fn settings_are_set_shown_and_listed() {
    let bench = Bench::new();
    bench.remember(&["Onions first"]);
    let shown = bench.json(&[
        "spaces",
        "set",
        "--description",
        "What we cook",
        "--quota",
        "2GB",
        "--recency-days",
        "90",
    ]);
    assert_eq!(
        shown,
        json!({"name": "core", "description": "What we cook", "recency_days": 90.0, "quota_bytes": 2_000_000_000, "retention_days": 0, "retention_grace_days": 30, "active_days": 30, "recent_days": 90,
            "model": "builtin", "reranker": null, "record_access": false, "query_wait_ms": 800, "batch_from": 0, "kinds": [], "duplicates": "exact", "similarity": 0.95, "quality": 0.0,
            "recompute": {"importance": true, "links": true, "half_life_days": 60.0, "link_half_life_days": 60.0, "link_floor": 0.1},
            "budgets": {"daily_dollars": 0.0, "monthly_dollars": 0.0, "daily_tokens": 0, "monthly_tokens": 0}})
    );
    assert_eq!(bench.json(&["spaces", "set"]), shown);
    assert_eq!(
        bench.json(&["spaces"])["spaces"][0]["description"],
        "What we cook"
    );
    let cleared = bench.json(&["spaces", "set", "--quota", "none"]);
    assert_eq!(cleared["quota_bytes"], 0);
    let ran = bench.run(&["--json", "spaces", "set", "--recency-days", "0"]);
    assert_eq!(
        (ran.code, &ran.error()["field"]),
        (2, &json!("recall.recency_days"))
    );
    assert_eq!(bench.run(&["spaces", "set", "--quota", "much"]).code, 2);
    assert_eq!(bench.run(&["--space", "nowhere", "spaces", "set"]).code, 3);
}

#[test]
fn a_full_space_says_what_makes_room() {
    let bench = Bench::new();
    let id = bench.remember(&["The first of all"]);
    bench.json(&["spaces", "set", "--quota", "100kB"]);
    let ran = bench.run(&["--json", "remember", "One too many"]);
    let error = ran.error();
    assert_eq!((ran.code, &error["kind"]), (2, &json!("refused")));
    assert!(
        error["message"]
            .as_str()
            .is_some_and(|text| text.contains("100000 bytes")),
        "{error}"
    );
    assert!(
        error["hint"]
            .as_str()
            .is_some_and(|text| text.contains("spaces set --quota")),
        "{error}"
    );
    assert_eq!(bench.recall(&["first of all"]), ["The first of all"]);
    assert_eq!(
        bench.json(&["forget", &id, "--hard", "--yes"])["erased"],
        json!([id])
    );
}

#[test]
fn one_space_with_broken_settings_keeps_no_other_from_being_listed() {
    let bench = Bench::new();
    bench.remember(&["--space", "one", "text"]);
    bench.remember(&["--space", "two", "text"]);
    std::fs::write(bench.store().join("spaces/two/space.toml"), "nonsense").expect("written");
    let listed = bench.json(&["spaces"]);
    assert_eq!(listed["spaces"].as_array().map(Vec::len), Some(1));
    assert_eq!(listed["unusable"].as_array().map(Vec::len), Some(1));
    let ran = bench.run(&["spaces"]);
    assert_eq!(ran.code, 0, "{}", ran.stderr);
    assert!(
        ran.stderr.contains("two/space.toml is damaged"),
        "{}",
        ran.stderr
    );
    let doctor = bench.run(&["--json", "doctor"]);
    assert_eq!(
        (doctor.code, &doctor.parsed()["healthy"]),
        (1, &json!(false))
    );
}

/// Simulates a full disk by a file size limit: its signal is ignored, so that writes fail as they do there.
#[cfg(unix)]
#[test]
fn on_a_full_disk_nothing_is_half_written_and_everything_is_found() {
    use std::process::Command;
    let bench = Bench::new();
    bench.remember(&["The lighthouse keeper is called Ines"]);
    let text = "word ".repeat(60_000);
    let limited = |script: &str, argument: &str| {
        Command::new("sh")
            .args(["-c", &format!("trap '' XFSZ; ulimit -f 256; {script}")])
            .arg(env!("CARGO_BIN_EXE_anamne"))
            .arg(argument)
            .current_dir(bench.folder())
            .env("ANAMNE_STORE", bench.store())
            .output()
            .expect("a shell")
    };
    let file = bench.file("long.txt", text);
    let stored = limited(
        "exec \"$0\" --json remember - < \"$1\"",
        file.to_str().expect("UTF-8"),
    );
    let error = String::from_utf8(stored.stderr).expect("UTF-8");
    assert_eq!(stored.status.code(), Some(1), "{error}");
    assert!(error.contains("disk full"), "{error}");
    let found = limited("exec \"$0\" --json recall \"$1\"", "lighthouse keeper");
    assert!(
        String::from_utf8_lossy(&found.stdout).contains("Ines"),
        "{found:?}"
    );
    assert_eq!(bench.json(&["doctor"])["healthy"], true);
    assert_eq!(bench.json(&["stats"])["memories"], 1);
    bench.remember(&["There is room again"]);
}

/// SQLite can't create its shared files there. The limit allows files of some hundred bytes only.
#[cfg(unix)]
#[test]
fn a_store_on_a_full_disk_is_read() {
    use std::process::Command;
    let bench = Bench::new();
    bench.remember(&["The lighthouse keeper is called Ines"]);
    for arguments in [
        "recall lighthouse",
        "list",
        "show m1",
        "stats",
        "audit",
        "export",
        "context lighthouse",
    ] {
        let read = Command::new("sh")
            .args([
                "-c",
                &format!("trap '' XFSZ; ulimit -f 1; exec \"$0\" {arguments}"),
            ])
            .arg(env!("CARGO_BIN_EXE_anamne"))
            .current_dir(bench.folder())
            .env("ANAMNE_STORE", bench.store())
            .output()
            .expect("a shell");
        let said = String::from_utf8_lossy(&read.stdout);
        let is_right = match arguments {
            "stats" | "audit" => !said.is_empty(),
            _ => said.contains("Ines"),
        };
        assert!(read.status.success() && is_right, "{arguments}: {read:?}");
    }
    bench.remember(&["There is room again"]);
    assert_eq!(bench.json(&["stats"])["memories"], 2);
}

/// Root may write everywhere, so root runs the command as another user, who gets the store.
#[cfg(unix)]
#[test]
fn a_read_only_store_answers_and_says_why_it_rejects_writes() {
    use std::os::unix::fs::{MetadataExt, PermissionsExt, chown};
    use std::process::Command;

    const NOBODY: u32 = 65_534;
    let bench = Bench::new();
    bench.remember(&["The lighthouse keeper is called Ines"]);
    bench.json(&["doctor"]);
    // What a full disk leaves of a file that could not be filled.
    let mut spaces = std::fs::read_dir(bench.store().join("spaces")).expect("spaces");
    let space = spaces.next().expect("a space").expect("an entry").path();
    std::fs::create_dir_all(space.join("observed")).expect("a folder");
    std::fs::write(space.join("observed/meta.db"), "").expect("written");
    let is_root = std::fs::metadata(bench.folder()).expect("a folder").uid() == 0;
    let set_modes = |folder_mode: u32, file_mode: u32| {
        let mut paths = files_under(&bench.store());
        let folders: std::collections::BTreeSet<_> = paths
            .iter()
            .flat_map(|path| {
                path.ancestors()
                    .skip(1)
                    .take_while(|above| above.starts_with(bench.folder()))
            })
            .map(std::path::Path::to_path_buf)
            .collect();
        paths.extend(folders);
        for path in paths {
            let mode = if path.is_dir() {
                folder_mode
            } else {
                file_mode
            };
            std::fs::set_permissions(&path, std::fs::Permissions::from_mode(mode)).expect("modes");
            if is_root {
                chown(&path, Some(NOBODY), Some(NOBODY)).expect("another owner");
            }
        }
    };
    let run = |arguments: &[&str]| {
        let plain = bench.command(arguments);
        let mut command = if is_root {
            let mut command = Command::new("setpriv");
            command.args(["--reuid=65534", "--regid=65534", "--clear-groups"]);
            command.arg(plain.get_program());
            command.args(arguments);
            command
        } else {
            Command::new(plain.get_program())
        };
        if !is_root {
            command.args(arguments);
        }
        command
            .current_dir(bench.folder())
            .env("ANAMNE_STORE", bench.store())
            .output()
    };
    set_modes(0o500, 0o400);
    let recalled = run(&["--json", "recall", "lighthouse keeper"]);
    let stored = run(&["--json", "remember", "Something new"]);
    let listed = run(&["--json", "list"]);
    let exported = run(&["export"]);
    let shown = run(&["show", "m1"]);
    let examined = [
        run(&["status"]),
        run(&["doctor"]),
        run(&["knowledge", "list"]),
    ];
    set_modes(0o700, 0o600);
    let (Ok(recalled), Ok(stored), Ok(listed), Ok(exported), Ok(shown)) =
        (recalled, stored, listed, exported, shown)
    else {
        assert!(is_root, "only a missing `setpriv` excuses");
        return;
    };
    let answer = String::from_utf8_lossy(&recalled.stdout).into_owned();
    assert!(
        answer.contains("Ines") && answer.contains("\"degraded\":[]"),
        "{recalled:?}"
    );
    for read in [&listed, &exported, &shown] {
        assert!(
            read.status.success() && String::from_utf8_lossy(&read.stdout).contains("Ines"),
            "{read:?}"
        );
    }
    for examined in examined {
        let examined = examined.expect("it starts");
        assert!(examined.status.success(), "{examined:?}");
    }
    let error = String::from_utf8_lossy(&stored.stderr).into_owned();
    assert_eq!(stored.status.code(), Some(1), "{error}");
    assert!(error.contains("Permission denied"), "{error}");
    bench.remember(&["Something new"]);
    assert_eq!(bench.json(&["stats"])["memories"], 2);
}

#[test]
fn a_query_log_that_cannot_be_read_stops_nothing_else() {
    let bench = Bench::new();
    bench.remember(&["The lighthouse keeper is called Ines"]);
    let mut spaces = std::fs::read_dir(bench.store().join("spaces")).expect("spaces");
    let space = spaces.next().expect("a space").expect("an entry").path();
    std::fs::create_dir_all(space.join("observed/meta.db")).expect("a folder in its place");
    let shown = bench.json(&["show", "m1"]);
    assert_eq!(shown["use"], serde_json::Value::Null);
    let status = bench.json(&["status"]);
    let problem = status["today"]["problems"][0].as_str().expect("a problem");
    assert!(problem.contains("meta.db"), "{problem}");
    bench.json(&["recall", "who keeps the lighthouse?"]);
}
