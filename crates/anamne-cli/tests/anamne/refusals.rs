//! Invalid input is rejected with its name and limit and the right exit code, and changes nothing.

use std::process::Command;

use crate::bench::Bench;

/// The command rejects `field`, and creates no store.
#[track_caller]
fn check(arguments: &[&str], field: &str) {
    let bench = Bench::new();
    let ran = bench.run(&[&["--json"], arguments].concat());
    let error = ran.error();
    assert_eq!(
        (ran.code, error["kind"].as_str()),
        (2, Some("refused")),
        "{arguments:?}: {error}"
    );
    assert_eq!(error["field"], field, "{error}");
    assert!(
        error["message"]
            .as_str()
            .is_some_and(|message| message.contains(field)),
        "{error}"
    );
    assert!(!bench.store().exists(), "{arguments:?} made a store");
}

#[test]
fn vector_instructions_are_selected_by_name_or_refused() {
    let bench = Bench::new();
    bench.remember(&["The lighthouse keeper is called Ines"]);
    let doctor = |level: &str| {
        let mut command = bench.command(&["--json", "doctor"]);
        command.env("ANAMNE_SIMD", level).output().expect("a run")
    };
    let portable: serde_json::Value =
        serde_json::from_slice(&doctor("portable").stdout).expect("JSON");
    assert_eq!(portable["simd"], "portable");
    assert_eq!(doctor("").status.code(), Some(0));
    let other = if cfg!(target_arch = "aarch64") {
        "avx2"
    } else {
        "neon"
    };
    for level in ["best", "AVX2", other] {
        let refused = doctor(level);
        assert_eq!(refused.status.code(), Some(2), "{refused:?}");
        let message = String::from_utf8_lossy(&refused.stderr).into_owned();
        assert!(message.contains("ANAMNE_SIMD"), "{message}");
        assert!(message.contains(level), "{message}");
    }
}

#[test]
fn values_out_of_bounds_are_refused_by_name() {
    check(&["remember", ""], "content");
    check(&["remember", " \n "], "content");
    check(&["remember", "x", "--importance", "11"], "importance");
    check(&["remember", "x", "--importance", "0"], "importance");
    check(&["remember", "x", "--confidence", "1.5"], "confidence");
    check(&["remember", "x", "--at", "the day after never"], "at");
    check(&["remember", "x", "--expires", "yesterday"], "expires");
    check(&["remember", "x", "--position", "3"], "position");
    check(&["remember", "x", "--kind", "chunk"], "kind");
    check(
        &[
            "remember",
            "x",
            "--kind",
            "message",
            "--category",
            "insight",
        ],
        "category",
    );
    check(&["remember", "x", "--tag", ""], "tag");
    check(&["--space", "a/b", "remember", "x"], "space");
    check(&["recall", ""], "query");
    check(&["recall", "x", "-k", "0"], "limit");
    check(&["recall", "x", "-k", "1001"], "limit");
    check(&["recall", "x", "--min-confidence", "2"], "min_confidence");
    check(&["recall", "x", "--since", "nonsense"], "since");
    check(
        &["recall", "x", "--since", "2026", "--until", "2025"],
        "until",
    );
    check(&["context", "x", "--budget", "49"], "token_budget");
    check(&["list", "--limit", "0"], "limit");
    check(&["edit", "0198c0de-7a11"], "edit");
    check(
        &["edit", "0198c0de-7a11", "--importance", "11"],
        "importance",
    );
    check(&["forget", "0198c0de-7a11", "--hard"], "yes");
    check(&["history", "m1", "--as-of", "nonsense"], "as_of");
    check(&["history", "m1", "--as-of", "tomorrow"], "as_of");
    check(&["rewind", "--at", "nonsense", "--into", "old"], "at");
    check(&["rewind", "--at", "tomorrow", "--into", "old"], "at");
    check(&["audit", "--since", "nonsense"], "since");
    check(&["audit", "-k", "0"], "limit");
    check(&["audit", "--since", "2026", "--until", "2025"], "until");
    check(&["audit", "--actor", "agent", "--actor", "Ada"], "actor");
    check(&["knowledge", "list", "--limit", "0"], "limit");
    check(&["knowledge", "list", "--name", " "], "name");
    check(&["knowledge", "entity", " ", "--type", "person"], "name");
    check(
        &[
            "knowledge",
            "entity",
            "Mara",
            "--type",
            "person",
            "--alias",
            "",
        ],
        "alias",
    );
    check(
        &["knowledge", "relation", "", "works_at", "Hafen"],
        "subject",
    );
    check(
        &["knowledge", "relation", "Mara", "works at", "Hafen"],
        "relation",
    );
    check(
        &["knowledge", "relation", "Mara", "works_at", " "],
        "object",
    );
    check(
        &[
            "knowledge",
            "relation",
            "Mara",
            "works_at",
            "Hafen",
            "--from",
            "2026",
            "--until",
            "2025",
        ],
        "until",
    );
    check(
        &[
            "knowledge",
            "relation",
            "Mara",
            "works_at",
            "Hafen",
            "--from",
            "nonsense",
        ],
        "from",
    );
    check(
        &[
            "knowledge",
            "property",
            "Mara",
            "size",
            "39",
            "--expires",
            "yesterday",
        ],
        "expires",
    );
    check(
        &["knowledge", "property", "Mara", "shoe size", "39"],
        "relation",
    );
    check(&["knowledge", "deny", ""], "subject");
    check(&["knowledge", "distinct", "Mara", "mara"], "other");
    check(&["graph", "Mara", "--steps", "0"], "steps");
    check(&["graph", "Mara", "--steps", "7"], "steps");
    check(&["graph", "Mara", "--limit", "0"], "limit");
    check(&["graph", "Mara", "--format", "dot"], "format");
    check(&["resolve", "--limit", "0"], "limit");
}

#[test]
fn content_may_have_a_million_bytes_and_not_one_more() {
    let bench = Bench::new();
    let ran = bench.feed(&["--json", "remember", "-"], &vec![b'x'; 1_000_001]);
    let error = ran.error();
    assert_eq!((ran.code, error["field"].as_str()), (2, Some("content")));
    let message = error["message"].as_str().expect("a message");
    assert!(
        message.contains("1000000") && message.contains("1000001"),
        "{message}"
    );
    assert!(!bench.store().exists());

    let ran = bench.feed(&["--json", "remember", "-"], &b"word ".repeat(200_000));
    assert_eq!(ran.code, 0, "{}", ran.stderr);
    let ran = bench.feed(&["--json", "remember", "-"], b"caf\xe9");
    assert_eq!(
        (ran.code, ran.error()["field"].as_str()),
        (2, Some("content"))
    );
}

#[test]
fn a_command_line_that_makes_no_sense_is_usage() {
    let bench = Bench::new();
    for arguments in [
        &["remember"][..],
        &["remember", "x", "--kind", "rumour"],
        &["remember", "x", "--category", "gossip"],
        &["remember", "x", "--metadata", "lonely"],
        &["remember", "x", "--importance", "many"],
        &["link", "a", "b", "--type", "adores"],
        &["frobnicate"],
        &["audit", "--kind", "invented"],
        &["rewind", "--at", "today"],
        &["rewind", "--into", "old"],
        &["backup"],
        &["graph"],
        &["graph", "Mara", "--format", "png"],
        &["resolve", "--keep", "m1"],
        &["resolve", "3f2a", "--all"],
        &["knowledge", "entity", "Mara", "--type", "gnome"],
        &["knowledge", "list", "--type", "gnome"],
        &[
            "knowledge",
            "property",
            "Mara",
            "size",
            "39",
            "--frame",
            "picture",
        ],
        &["mcp", "--tools", "everything"],
    ] {
        let ran = bench.run(arguments);
        assert_eq!((ran.code, ran.stdout.as_str()), (2, ""), "{arguments:?}");
        assert!(
            ran.stderr.starts_with("error: "),
            "{arguments:?}: {}",
            ran.stderr
        );
        let ran = bench.run(&[arguments, &["--json"]].concat());
        assert_eq!(
            (ran.code, ran.error()["kind"].as_str()),
            (2, Some("refused")),
            "{arguments:?}"
        );
    }
}

#[test]
fn a_command_without_its_subcommand_shows_its_help() {
    for command in ["keys", "cache", "experience"] {
        // Without any option, as a person writes it.
        let ran = Command::new(env!("CARGO_BIN_EXE_anamne"))
            .arg(command)
            .output()
            .expect("the command starts");
        let said = String::from_utf8(ran.stderr).expect("UTF-8");
        assert_eq!(
            (ran.status.code(), ran.stdout.len()),
            (Some(2), 0),
            "{said}"
        );
        assert!(!said.contains("error:"), "{said}");
        assert!(said.contains("\nCommands:\n"), "{said}");
        let ran = Bench::new().run(&[command, "--json"]);
        assert_eq!(ran.error()["kind"], "refused", "{command}");
    }
}

#[test]
fn what_is_not_there_is_not_found_and_nothing_is_made() {
    let bench = Bench::new();
    let reading = [
        &["recall", "x"][..],
        &["context", "x"],
        &["list"],
        &["show", "0198c0de"],
        &["history", "0198c0de"],
        &["edit", "0198c0de", "--importance", "3"],
        &["forget", "0198c0de"],
        &["restore", "0198c0de"],
        &["link", "0198c0de", "0198c0df", "--type", "related"],
        &["export"],
        &["stats"],
        &["spaces"],
        &["doctor"],
        &["audit"],
        &["rewind", "--at", "today", "--into", "old"],
        &["backup", "copy"],
        &["verify"],
        &["repair"],
        &["import", "nowhere.jsonl"],
        &["knowledge"],
        &["knowledge", "list"],
        &["knowledge", "show", "Mara"],
        &["knowledge", "deny", "Mara"],
        &["knowledge", "merge", "Mara", "Mara Lind"],
        &["knowledge", "distinct", "Mara", "Mara Lind"],
        &["knowledge", "suggestions"],
        &["graph", "Mara"],
        &["resolve"],
        &["resolve", "3f2a", "--keep", "m1"],
        &["extract"],
    ];
    for arguments in reading {
        let ran = bench.run(arguments);
        assert_eq!(
            (ran.code, ran.stdout.as_str()),
            (3, ""),
            "{arguments:?}: {}",
            ran.stderr
        );
        assert!(!bench.store().exists(), "{arguments:?} made a store");
    }
    assert!(bench.run(&["recall", "x"]).stderr.contains("no store in"));

    bench.remember(&["Known in core"]);
    let before = crate::bench::files_under(&bench.store().join("spaces")).len();
    let ran = bench.run(&["--json", "--space", "recipes", "recall", "x"]);
    assert_eq!(
        (ran.code, ran.error()["kind"].as_str()),
        (3, Some("not_found"))
    );
    assert!(
        ran.error()["hint"]
            .as_str()
            .is_some_and(|hint| hint.contains("anamne")),
        "{}",
        ran.stderr
    );
    assert_eq!(
        std::fs::read_dir(bench.store().join("spaces"))
            .expect("a folder")
            .count(),
        1
    );
    for id in ["ffffffff", "0198c0de-7a11-7c3e-9d2f-6b1f0a5e4d21"] {
        let ran = bench.run(&["--json", "show", id]);
        assert_eq!(
            (ran.code, ran.error()["kind"].as_str()),
            (3, Some("not_found")),
            "{id}"
        );
    }
    assert!(before > 0);
    let ran = bench.run(&["--json", "show", "no id at all"]);
    assert_eq!((ran.code, ran.error()["field"].as_str()), (2, Some("id")));
}

#[test]
fn forgotten_memories_are_not_changed_and_live_ones_not_restored() {
    let bench = Bench::new();
    let id = bench.remember(&["Put away soon"]);
    assert_eq!(bench.run(&["restore", &id]).code, 2);
    assert_eq!(bench.run(&["forget", &id]).code, 0);
    let ran = bench.run(&["--json", "edit", &id, "--importance", "3"]);
    assert_eq!(
        (ran.code, ran.error()["kind"].as_str()),
        (2, Some("refused"))
    );
    assert!(
        ran.error()["hint"]
            .as_str()
            .is_some_and(|hint| hint.contains("restore")),
        "{}",
        ran.stderr
    );
}
