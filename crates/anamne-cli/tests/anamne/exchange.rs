//! Import and export: nothing is lost or duplicated, bad lines are reported.

use serde_json::json;

use crate::bench::{self, Bench};

const LINES: &str = r#"{"id": "a", "thread": "standup", "position": 0, "time": "2026-02-03T09:12:37Z", "author": "Ada", "text": "We deploy on Fridays only", "mood": "calm"}

{"id": "b", "thread": "standup", "position": 1, "time": "2026-02-03T09:14:00Z", "author": "Grace", "text": "Then not this Friday", "links": [{"to": "a", "type": "contradicts", "reason": "holiday"}]}
{"id": "c", "kind": "fact", "category": "preference", "text": "Grace prefers tabs", "tags": ["style"]}
"#;

#[test]
fn an_import_that_is_run_again_changes_nothing() {
    let bench = Bench::new();
    let file = bench.file("talk.jsonl", LINES);
    let file = file.to_str().expect("UTF-8");
    let first = bench.json(&["import", file]);
    assert_eq!(
        (
            &first["imported"],
            &first["known"],
            &first["links"],
            &first["bad"]
        ),
        (&json!(3), &json!(0), &json!(1), &json!([]))
    );
    let again = bench.json(&["import", file]);
    assert_eq!(
        (&again["imported"], &again["known"]),
        (&json!(0), &json!(3))
    );
    let shown = bench.json(&["show", "b"]);
    assert_eq!(
        (&shown["memory"]["external_id"], &shown["links"][0]["type"]),
        (&json!("b"), &json!("contradicts"))
    );
    assert_eq!(
        bench.json(&["show", "a"])["memory"]["metadata"],
        json!({"mood": "calm"})
    );
    assert_eq!(
        bench.json(&["list"])["memories"].as_array().map(Vec::len),
        Some(3)
    );
}

#[test]
fn standard_input_is_imported_too() {
    let bench = Bench::new();
    let ran = bench.feed(&["import", "-"], LINES.as_bytes());
    assert_eq!(ran.code, 0, "{}", ran.stderr);
    assert!(
        ran.stdout
            .starts_with("3 memories imported, 1 link drawn in "),
        "{}",
        ran.stdout
    );
}

#[test]
fn a_list_marks_what_has_expired() {
    let bench = Bench::new();
    let lines = bench::lines([
        json!({"text": "Grace is away", "expires": "2001-02-03T00:00:00Z"}),
        json!({"text": "Grace is back"}),
    ]);
    bench.feed(&["import", "-"], lines.as_bytes());
    let listed = bench.run(&["list"]).stdout;
    assert_eq!(listed.matches(" · expired").count(), 1, "{listed}");
}

#[test]
fn a_bad_line_ends_the_import_by_file_and_number_and_can_be_skipped() {
    let bench = Bench::new();
    let mut lines = LINES.to_owned();
    lines.push_str("{\"id\": \"d\", \"text\": \n{\"id\": \"e\", \"text\": \"\"}\n{\"id\": \"f\", \"text\": \"The end\"}\n");
    let file = bench.file("talk.jsonl", lines);
    let file = file.to_str().expect("UTF-8");
    let ran = bench.run(&["--json", "import", file]);
    assert_eq!((ran.code, ran.stdout.as_str()), (1, ""));
    let message = ran.error()["message"]
        .as_str()
        .expect("a message")
        .to_owned();
    assert!(message.starts_with(&format!("{file}:5: ")), "{message}");
    assert_eq!(
        ran.error()["taken"],
        json!({"imported": 3, "known": 0, "links": 0})
    );
    let ran = bench.run(&["import", file]);
    assert!(
        ran.stderr
            .contains("before it: 0 memories imported, 3 known already, 0 links created\nhint: "),
        "{}",
        ran.stderr
    );

    let ran = bench.run(&["--json", "import", file, "--skip-bad"]);
    assert_eq!(ran.code, 4, "{}", ran.stderr);
    let total = ran.parsed();
    assert_eq!(
        (&total["imported"], &total["known"]),
        (&json!(1), &json!(3))
    );
    let bad: Vec<_> = total["bad"]
        .as_array()
        .expect("bad lines")
        .iter()
        .map(|bad| bad["line"].as_u64())
        .collect();
    assert_eq!(bad, [Some(5), Some(6)]);
    let ran = bench.run(&["import", file, "--skip-bad"]);
    assert!(
        ran.stderr.contains("talk.jsonl:6: content"),
        "{}",
        ran.stderr
    );
    assert!(ran.stdout.contains("2 skipped"), "{}", ran.stdout);
}

#[test]
fn a_folder_without_notes_is_named_with_what_was_passed_over() {
    let bench = Bench::new();
    for folder in ["talk/more", "talk/.hidden"] {
        std::fs::create_dir_all(bench.folder().join(folder)).expect("folders");
    }
    bench.file("talk/one.jsonl", LINES);
    bench.file("talk/more/two.txt", "Good morning\n");
    bench.file("talk/.hidden/three.md", "Good evening\n");
    let folder = bench.folder().join("talk");
    let folder = folder.to_str().expect("UTF-8");
    let ran = bench.run(&["import", folder]);
    assert_eq!(ran.code, 0, "{}", ran.stderr);
    assert!(
        ran.stdout
            .starts_with("0 memories imported, 2 other files passed over in "),
        "{}",
        ran.stdout
    );
    assert!(
        ran.stderr.contains("talk: no notes; a folder is read for"),
        "{}",
        ran.stderr
    );
    let total = bench.json(&["import", folder]);
    assert_eq!(total["passed_over"], 2);
}

#[test]
fn the_memory_of_a_refused_link_is_stored_and_not_counted_as_skipped() {
    let bench = Bench::new();
    let lines = r#"{"text": "one"}
{"text": "two", "links": [{"to": "nobody", "type": "extends"}]}
{"text": "three"}
"#;
    let file = bench.file("links.jsonl", lines);
    let file = file.to_str().expect("UTF-8");
    let ran = bench.run(&["import", file]);
    assert_eq!(ran.code, 1);
    for part in [
        "links.jsonl:2: stored without a link: the link target \"nobody\" doesn't exist",
        "every memory is imported, but not every link",
        "3 memories imported",
    ] {
        assert!(ran.stderr.contains(part), "{part}: {}", ran.stderr);
    }
    assert_eq!(bench.json(&["stats"])["memories"], 3);
    let ran = bench.run(&["--json", "import", file, "--skip-bad"]);
    assert_eq!(ran.code, 4, "{}", ran.stderr);
    let total = ran.parsed();
    assert_eq!(
        (&total["known"], &total["bad"][0]["stored"]),
        (&json!(3), &json!(true))
    );
    let ran = bench.run(&["import", file, "--skip-bad"]);
    assert!(
        ran.stdout.contains("3 known already, 1 link refused in"),
        "{}",
        ran.stdout
    );
    assert!(
        ran.stderr.contains("links.jsonl:2: stored without a link"),
        "{}",
        ran.stderr
    );
}

#[test]
fn an_interrupted_import_is_finished_by_running_it_again() {
    let bench = Bench::new();
    let lines = bench::lines((0..1_500).map(|number| {
        json!({"id": format!("n{number}"), "text": format!("Measurement number {number}")})
    }));
    let cut = bench.file("cut.jsonl", &lines[..lines.len() / 2]);
    let whole = bench.file("whole.jsonl", &lines);
    assert_eq!(
        bench.run(&["import", cut.to_str().expect("UTF-8")]).code,
        1,
        "half a line is no line"
    );
    let known = bench.json(&["stats"])["memories"]
        .as_u64()
        .expect("a number");
    assert!((512..1_500).contains(&known), "{known}");
    let total = bench.json(&["import", whole.to_str().expect("UTF-8")]);
    assert_eq!(total["known"], known);
    assert_eq!(bench.json(&["stats"])["memories"], 1_500);
}

#[test]
fn an_export_is_read_back_by_an_import() {
    let bench = Bench::new();
    bench.feed(&["import", "-"], LINES.as_bytes());
    bench.run(&[
        "remember",
        "A control \u{1b} and a quote \" stay",
        "--metadata",
        "n=[1,2]",
        "--importance",
        "9",
    ]);
    let exported = bench.run(&["export"]);
    assert_eq!((exported.code, exported.stdout.lines().count()), (0, 4));
    let lines: Vec<serde_json::Value> = exported
        .stdout
        .lines()
        .map(|line| serde_json::from_str(line).expect("JSON"))
        .collect();
    assert!(
        lines
            .iter()
            .all(|line| line["id"].is_string() && line["content"].is_string()),
        "{lines:?}"
    );

    let ran = bench.feed(
        &["--json", "--space", "copy", "import", "-"],
        exported.stdout.as_bytes(),
    );
    assert_eq!(
        (ran.code, &ran.parsed()["imported"]),
        (0, &json!(4)),
        "{}",
        ran.stderr
    );
    let essence = |space: &str| {
        let listed = bench.json(&["--space", space, "list", "--oldest-first"]);
        let memories = listed["memories"].as_array().expect("memories").clone();
        let field = |memory: &serde_json::Value| {
            [
                "content",
                "kind",
                "thread",
                "position",
                "author",
                "occurred_at",
                "importance",
                "tags",
                "metadata",
            ]
            .map(|name| memory[name].clone())
        };
        memories.iter().map(field).collect::<Vec<_>>()
    };
    assert_eq!(essence("core"), essence("copy"));

    let file = bench.folder().join("out.jsonl");
    let written = bench.json(&["export", "--output", file.to_str().expect("UTF-8")]);
    assert_eq!(written["exported"], 4);
    assert_eq!(
        std::fs::read_to_string(&file).expect("the file"),
        exported.stdout
    );
}

#[test]
fn a_store_comes_back_equal_from_lines_and_from_notes() {
    let bench = Bench::new();
    bench.feed(&["import", "-"], LINES.as_bytes());
    let put_away = bench.remember(&["Put away, not lost"]);
    bench.json(&["forget", &put_away]);
    let vault = bench.folder().join("vault");
    let vault = vault.to_str().expect("UTF-8");
    let lines = bench.folder().join("all.jsonl");
    let lines = lines.to_str().expect("UTF-8");
    assert_eq!(
        bench.json(&["export", "--all", "--output", lines])["exported"],
        4
    );
    let notes = bench.json(&["export", "--all", "--format", "markdown", "--into", vault]);
    assert_eq!(notes, json!({"exported": 4, "output": vault}));
    let export = |space: &str| {
        let ran = bench.run(&["--space", space, "export", "--all"]);
        let mut lines: Vec<_> = ran
            .stdout
            .lines()
            .map(|line| {
                let mut value: serde_json::Value = serde_json::from_str(line).expect("JSON");
                for own in ["row", "seq", "space", "version"] {
                    value.as_object_mut().expect("an object").remove(own);
                }
                value.to_string()
            })
            .collect();
        lines.sort();
        lines
    };
    for (space, from) in [("by-lines", lines), ("by-notes", vault)] {
        let report = bench.json(&["--space", space, "import", from]);
        assert_eq!(
            (&report["imported"], &report["links"]),
            (&json!(4), &json!(1))
        );
        assert_eq!(export(space), export("core"), "{space}");
    }
    let refused = bench.run(&["export", "--format", "markdown", "--into", vault]);
    assert_eq!(refused.code, 2, "it is not empty: {}", refused.stderr);
    assert_eq!(bench.run(&["export", "--format", "markdown"]).code, 2);
    assert_eq!(bench.run(&["export", "--into", vault]).code, 2);
}

#[test]
fn a_changed_note_updates_its_memory_on_request() {
    let bench = Bench::new();
    let vault = bench.folder().join("notes");
    std::fs::create_dir(&vault).expect("a folder");
    let note = vault.join("staging.md");
    std::fs::write(&note, "The staging server listens on port 8471\n").expect("written");
    std::fs::write(vault.join("bees.md"), "Bees dance\n").expect("written");
    let folder = vault.to_str().expect("UTF-8");
    assert_eq!(bench.json(&["import", folder])["imported"], 2);
    std::fs::write(&note, "The staging server listens on port 9000\n").expect("written");
    let refused = bench.run(&["import", folder]);
    assert_eq!(refused.code, 1, "{}", refused.stderr);
    assert!(
        refused.stderr.contains("staging.md") && refused.stderr.contains("--update"),
        "{}",
        refused.stderr
    );
    let updated = bench.run(&["import", folder, "--update"]);
    assert_eq!(updated.code, 0, "{}", updated.stderr);
    let said = "0 memories imported, 1 known already, 1 updated in ";
    assert!(updated.stdout.starts_with(said), "{}", updated.stdout);
    let again = bench.json(&["import", folder, "--update"]);
    assert_eq!((&again["known"], &again["updated"]), (&json!(2), &json!(0)));
    let found = bench.json(&["recall", "which port does staging use?"]);
    let memory = &found["results"][0]["memory"];
    assert_eq!(memory["content"], "The staging server listens on port 9000");
    let history = bench.run(&["history", memory["id"].as_str().expect("an id")]);
    assert!(history.stdout.contains("8471"), "{}", history.stdout);

    let bees = vault.join("bees.md");
    std::fs::remove_file(&bees).expect("removed");
    let gone = bench.json(&["import", folder, "--update"]);
    let gone = gone["gone"].as_array().expect("notes that are gone");
    assert_eq!(gone.len(), 1, "{gone:?}");
    assert_eq!(gone[0]["file"], json!(bees), "{gone:?}");
    let citation = gone[0]["citation"].as_str().expect("a citation");
    let told = bench.run(&["import", folder, "--update"]);
    let note = format!("bees.md: the note is gone; {citation} stays");
    assert!(told.stderr.contains(&note), "{}", told.stderr);
    let said = "0 memories imported, 1 known already, 1 without their note in ";
    assert!(told.stdout.starts_with(said), "{}", told.stdout);
    let shown = bench.run(&["show", citation]);
    assert!(shown.stdout.contains("Bees dance"), "{}", shown.stdout);
    assert_eq!(bench.json(&["import", folder])["gone"], json!(null));
}

#[test]
fn notes_are_what_was_told_unless_experience_is_asked_for() {
    let bench = Bench::new();
    bench.remember(&["Backups are encrypted"]);
    bench.json(&["experience", "outcome", "Bash", "make", "--run", "build"]);
    let vault = |name: &str| bench.folder().join(name).display().to_string();
    let export = |into: &str, rest: &[&str]| {
        let command = ["export", "--format", "markdown", "--into", into];
        bench.run(&[&command, rest].concat())
    };
    let notes = export(&vault("notes"), &[]);
    assert_eq!(notes.code, 0, "{}", notes.stderr);
    assert!(
        notes
            .stderr
            .contains("1 record of experience left out; --experience includes them"),
        "{}",
        notes.stderr
    );
    let described = export(&vault("described"), &["--json"]);
    let described: serde_json::Value = serde_json::from_str(&described.stdout).expect("JSON");
    assert_eq!(
        (&described["exported"], &described["experience"]),
        (&json!(1), &json!(1))
    );
    let all = export(&vault("all"), &["--experience", "--json"]);
    let all: serde_json::Value = serde_json::from_str(&all.stdout).expect("JSON");
    assert_eq!((&all["exported"], all.get("experience")), (&json!(2), None));
    let lines = bench.run(&["export"]);
    assert_eq!(lines.stdout.lines().count(), 2, "lines are complete");
    assert_eq!(bench.run(&["export", "--experience"]).code, 2);
}

#[test]
fn a_note_is_imported_by_its_file() {
    let bench = Bench::new();
    let note = bench.folder().join("lighthouse.md");
    std::fs::write(&note, "The keeper is called Ines.\n").expect("a note");
    let note = note.to_str().expect("a path");
    assert_eq!(bench.json(&["import", note])["imported"], 1);
    assert_eq!(bench.json(&["import", note])["known"], 1);
    let listed = bench.json(&["list"]);
    assert_eq!(listed["memories"][0]["title"], "lighthouse");

    std::fs::write(note, "---\nkind: rumour\n---\nx\n").expect("a note");
    let ran = bench.run(&["import", note]);
    assert_eq!(ran.code, 1);
    assert!(ran.stderr.contains("lighthouse.md: "), "{}", ran.stderr);
}

#[test]
fn a_corpus_is_a_line_for_each_thread() {
    let bench = Bench::new();
    bench.feed(&["import", "-"], LINES.as_bytes());
    let ran = bench.run(&["export", "--format", "corpus"]);
    assert_eq!(ran.code, 0, "{}", ran.stderr);
    assert_eq!(
        ran.parsed(),
        json!({"thread": "standup", "messages": [
            {"role": "user", "content": "We deploy on Fridays only", "name": "Ada"},
            {"role": "user", "content": "Then not this Friday", "name": "Grace"},
        ]})
    );
    assert!(ran.stderr.contains("1 memory left out"), "{}", ran.stderr);
    assert_eq!(
        bench.run(&["export", "--format", "corpus", "--all"]).code,
        2
    );
}
