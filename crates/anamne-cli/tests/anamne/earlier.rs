//! Set-up offers to import the conversations that a host recorded before.

use serde_json::{Value, json};

use crate::bench::{Bench, RunOutput};

const SAID: &str = "The ferry to Ferrol leaves at nine";

/// A home folder with Claude Code and these conversations of one message each.
fn home_with(conversations: u32) -> Bench {
    let bench = Bench::new();
    let folder = bench.folder().join(".claude/projects/-nowhere");
    std::fs::create_dir_all(&folder).expect("a folder");
    for number in 0..conversations {
        let session = format!("00000000-0000-4000-8000-00000000000{number}");
        let line = json!({
            "type": "user", "uuid": format!("u{number}"), "parentUuid": null, "sessionId": session,
            "timestamp": "2026-03-02T09:12:37Z", "cwd": "/nowhere", "isSidechain": false,
            "message": {"role": "user", "content": format!("{SAID} on day {number}")},
        });
        let file = folder.join(format!("{session}.jsonl"));
        std::fs::write(&file, format!("{line}\n")).expect("a transcript");
        let age = std::time::Duration::from_hours(24 * u64::from(20 + number));
        let changed = std::time::SystemTime::now() - age;
        let opened = std::fs::File::options().append(true).open(&file);
        let set = opened.and_then(|file| file.set_modified(changed));
        set.expect("a time");
    }
    bench
}

/// How often the sentence of the conversations is stored.
fn stored(bench: &Bench) -> u64 {
    let ran = bench.run(&["--space", "unfiled", "list", "--json"]);
    let list: Value = serde_json::from_str(&ran.stdout).unwrap_or_default();
    let memories = list["memories"].as_array().map_or(&[][..], Vec::as_slice);
    let is_said = |memory: &&Value| memory["content"].to_string().contains(SAID);
    memories.iter().filter(is_said).count() as u64
}

#[test]
fn set_up_without_a_terminal_counts_conversations_and_imports_them_only_if_told() {
    let bench = home_with(3);
    let set_up = ["setup", "--all", "--yes"];
    let ran = bench.run(&set_up);
    assert_eq!(ran.code, 0, "{}", ran.stderr);
    let expected =
        "Claude Code has 3 earlier conversations on this machine, the oldest from 3 weeks ago";
    let shown = ran.stdout.split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(shown.contains(expected), "{shown}");
    assert!(shown.contains("deletes them after 30 days"), "{shown}");
    assert!(
        ran.stderr.contains("anamne import --from claude-code"),
        "{}",
        ran.stderr
    );
    assert_eq!(stored(&bench), 0);
    let done = bench.json(&[&set_up[..], &["--import"]].concat());
    let earlier = &done["hosts"][0]["earlier"];
    assert_eq!(earlier["imported"]["kept"], 3, "{done}");
    assert_eq!(earlier["conversations"], 3, "{done}");
    assert_eq!(stored(&bench), 3);
    let again = bench.run(&[&set_up[..], &["--import"]].concat());
    assert!(
        again.stdout.contains("0 memories from 3 conversations"),
        "{}",
        again.stdout
    );
    let silent = bench.json(&[&set_up[..], &["--no-import"]].concat());
    assert_eq!(silent["hosts"][0]["earlier"], Value::Null, "{silent}");
}

#[test]
fn an_import_is_refused_before_anything_changes_where_it_can_t_be() {
    let bench = home_with(1);
    let set_up = ["setup", "--all", "--yes", "--import"];
    for other in ["--dry-run", "--no-import", "--remove", "--status"] {
        let ran = bench.run(&[&set_up[..], &[other]].concat());
        assert_eq!(ran.code, 2, "{other}: {}", ran.stdout);
    }
    let mut command = bench.command(&set_up);
    command.env_remove("ANAMNE_STORE");
    command.env("ANAMNE_SERVER", &bench.server().address);
    let ran: RunOutput = command.output().expect("started").into();
    assert_eq!(ran.code, 2, "{}", ran.stdout);
    assert!(ran.stderr.contains("no conversations"), "{}", ran.stderr);
    assert!(!bench.folder().join(".claude.json").exists());
}

#[cfg(unix)]
#[test]
fn set_up_asks_a_person_once_and_no_is_the_default() {
    for (answers, expected) in [("y\n\n", 0), ("y\nno\n", 0), ("y\ny\n", 2)] {
        let bench = home_with(2);
        let shown = bench.at_terminal(&["setup"], answers);
        assert!(shown.contains("Import them now?"), "{shown}");
        assert_eq!(stored(&bench), expected, "{answers:?}: {shown}");
        let again = bench.at_terminal(&["setup"], "y\ny\n");
        assert!(again.contains("nothing to change"), "{again}");
        assert!(!again.contains("Import them now?"), "{again}");
        assert_eq!(stored(&bench), expected, "{again}");
    }
}
