//! What a retention forgets and erases, and what needs confirmation.

use std::sync::{Arc, Mutex};

use anamne::{Clock, Draft, Options, Store};
use jiff::{SignedDuration, Timestamp};
use serde_json::{Value, json};

use crate::bench::Bench;

/// A clock for writing memories in the past; the command itself uses the system's clock.
struct SetClock(Mutex<Timestamp>);

impl Clock for SetClock {
    fn now(&self) -> Timestamp {
        *self.0.lock().expect("no panic before")
    }
}

/// Stores `each_day` memories on each of the last four days, and on the first also `old` ones that happened long ago.
fn write(bench: &Bench, each_day: usize, old: usize) {
    let now = Timestamp::now();
    let clock = Arc::new(SetClock(Mutex::new(now)));
    let options = Options {
        clock: clock.clone(),
        ..Options::new(bench.store()).background(false)
    };
    let store = Store::open_with(options).expect("a store");
    let space = store.space("core").expect("a space");
    for days in (1..=4).rev() {
        *clock.0.lock().expect("no panic before") = now - SignedDuration::from_hours(24 * days);
        let mut drafts: Vec<_> = (0..each_day)
            .map(|number| Draft::new(format!("a note of {days} days ago, {number}")))
            .collect();
        let long_ago = now - SignedDuration::from_hours(24 * 4_000);
        if days == 4 {
            drafts.extend((0..old).map(|number| {
                Draft::new(format!("an ancient quellfruit, {number}")).occurred_at(long_ago)
            }));
        }
        space.remember_all(&drafts).expect("told");
    }
}

#[track_caller]
fn counts(bench: &Bench) -> [u64; 3] {
    let stats = bench.json(&["stats"]);
    ["memories", "forgotten", "erased"].map(|count| stats[count].as_u64().expect("a count"))
}

/// The arguments of each command that only reads or maintains derived data; `None` for those that write, or that
/// another test covers.
fn reading(command: &str, id: &str) -> Option<Vec<Vec<String>>> {
    let runs: &[&[&str]] = match command {
        "init" => &[&["init"]],
        "recall" => &[
            &["recall", "quellfruit"],
            &["recall", "quellfruit", "--space", "all"],
        ],
        "context" => &[&["context", "quellfruit"]],
        "show" => &[&["show", id]],
        "list" => &[&["list"]],
        "history" => &[&["history", id]],
        "audit" => &[&["audit"]],
        "rewind" => &[&["rewind", "--at", "yesterday", "--into", "rewound"]],
        "knowledge" => &[&["knowledge"], &["knowledge", "list"]],
        "graph" => &[&["graph", "Mara"]],
        "resolve" => &[&["resolve"]],
        "check" => &[&["check", id]],
        "extract" => &[&["extract"]],
        "enrich" => &[
            &["enrich"],
            &["enrich", id],
            &["enrich", "status"],
            &["enrich", "--category", "insight"],
        ],
        "export" => &[&["export"]],
        "stats" => &[&["stats"]],
        "summaries" => &[&["summaries"]],
        "consolidate" => &[&["consolidate"]],
        "spaces" => &[&["spaces"], &["spaces", "set"]],
        "tiers" => &[&["tiers"]],
        "meta" => &[&["meta", "log"], &["meta", "topics"], &["meta", "quality"]],
        "experience" => &[
            &["experience", "ask", "quellfruit"],
            &["experience", "history", "quellfruit"],
        ],
        "experiment" => &[&["experiment"], &["experiment", "strategies"]],
        "working" => &[&["working"]],
        "tasks" => &[&["tasks"], &["tasks", "run"]],
        "model" => &[&["model"]],
        "costs" => &[&["costs"]],
        "doctor" => &[&["doctor"]],
        "backup" => &[&["backup", "copy"]],
        "verify" => &[&["verify"]],
        "repair" => &[&["repair"]],
        "retention" => &[&["retention"]],
        "cache" => &[
            &["cache", "list"],
            &["cache", "savings"],
            &["cache", "invalidate", "--all"],
        ],
        "guard" => &[
            &["guard"],
            &["guard", "test", "quellfruit"],
            &["guard", "scan"],
        ],
        "setup" => &[&["setup", "--status"]],
        "status" => &[&["status"]],
        "hook" => &[
            &["hook", "session-start", "--host", "claude-code"],
            &["hook", "prompt", "--host", "claude-code"],
        ],
        "completions" => &[&["completions", "bash"]],
        "man" => &[&["man"]],
        "keys" => &[&["keys", "list"]],
        "tenants" => &[&["tenants", "list"]],
        "login" => &[&["login", "--end"]],
        "remember" | "think" | "edit" | "forget" | "restore" | "link" | "feedback" | "import"
        | "promote" | "demote"
        // Uses its own store; servers, whose background work is tested in `anamne`; provided by clap.
        | "demo" | "mcp" | "serve" | "help" => return None,
        other => panic!("say here whether {other} tells or changes something"),
    };
    let words = |run: &&[&str]| run.iter().map(|word| (*word).to_owned()).collect();
    Some(runs.iter().map(words).collect())
}

#[test]
fn no_command_that_reads_forgets_or_erases_anything() {
    let bench = Bench::new();
    write(&bench, 20, 2);
    bench.json(&[
        "spaces",
        "set",
        "--retention-days",
        "365",
        "--grace-days",
        "1",
        "--yes",
    ]);
    // Set with --yes, it has forgotten what is old; it may be erased only on a later day. More has become old since.
    assert_eq!(counts(&bench), [80, 2, 0]);
    let old = r#"{"text": "One more ancient quellfruit", "time": "2001-01-01T00:00:00Z"}"#;
    let file = bench.file("old.jsonl", old);
    // The retention is off during the import.
    bench.json(&["spaces", "set", "--retention-days", "none"]);
    bench.json(&["import", file.to_str().expect("UTF-8")]);
    let toml = bench.store().join("spaces/core/space.toml");
    let text = std::fs::read_to_string(&toml).expect("settings");
    assert!(text.contains("days = 0"), "{text}");
    std::fs::write(&toml, text.replace("\ndays = 0", "\ndays = 365")).expect("written");
    let state = bench.json(&["retention"]);
    assert_eq!(
        (&state["outdated"], &state["forgotten"]),
        (&json!(1), &json!(2))
    );
    let before = counts(&bench);
    assert_eq!(before, [81, 2, 0]);

    let id = bench.json(&["list", "--limit", "1"])["memories"][0]["id"].clone();
    let id = id.as_str().expect("an id");
    let help = bench.run(&["--help"]).stdout;
    let (_, commands) = help.split_once("Commands:\n").expect("commands");
    let (commands, _) = commands.split_once("\n\n").expect("an end");
    let names = commands
        .lines()
        .filter_map(|line| line.strip_prefix("  ")?.split(' ').next())
        .filter(|name| !name.is_empty());
    let mut read = 0;
    for run in names.filter_map(|name| reading(name, id)).flatten() {
        let arguments: Vec<_> = run.iter().map(String::as_str).collect();
        let ran = bench.run(&arguments);
        assert!(matches!(ran.code, 0 | 3), "{run:?}: {}", ran.stderr);
        assert_eq!(counts(&bench), before, "{run:?}");
        read += 1;
    }
    assert!(read > 30);
    bench.remember(&["something new"]);
    assert_eq!(counts(&bench), [81, 3, 0]);
}

#[test]
fn more_than_a_tenth_waits_for_a_yes_and_doctor_names_it() {
    let bench = Bench::new();
    write(&bench, 2, 3);
    let ran = bench.run(&["spaces", "set", "--retention-days", "365"]);
    assert_eq!(ran.code, 2, "{}", ran.stderr);
    assert!(ran.stderr.contains("forgets 3 memories"), "{}", ran.stderr);
    let toml = bench.store().join("spaces/core/space.toml");
    let text = std::fs::read_to_string(&toml).expect("settings");
    std::fs::write(&toml, format!("{text}\n[retention]\ndays = 365\n")).expect("written");
    bench.remember(&["something new"]);
    assert_eq!(counts(&bench), [12, 0, 0]);

    let doctor = bench.json(&["doctor"]);
    assert_eq!(doctor["healthy"], true);
    let deferred = &doctor["spaces"][0]["deferred"];
    let said = deferred[0].as_str().expect("a line");
    for part in ["3 of 12", "365 days"] {
        assert!(said.contains(part), "{said}");
    }
    let retention = bench.json(&["retention"]);
    for stored in [&doctor["spaces"][0], &retention] {
        assert_eq!(
            stored["next_steps"],
            json!(["confirm_retention"]),
            "{stored}"
        );
        let hint = stored["hints"][0].as_str().expect("a hint");
        assert!(hint.contains("anamne retention --apply --yes"), "{hint}");
    }
    for shown in [bench.run(&["doctor"]), bench.run(&["retention"])] {
        for part in ["waiting", "anamne retention --apply --yes"] {
            assert!(shown.stdout.contains(part), "{}", shown.stdout);
        }
    }
    assert_eq!(&retention["deferred"], deferred);
    let applied = bench.json(&["retention", "--apply"]);
    assert_eq!(
        applied["done"],
        json!({"forgotten": 0, "erased": 0, "restored": 0})
    );
    assert_eq!(
        bench.run(&["retention", "--yes"]).code,
        2,
        "nothing to confirm"
    );
    let applied = bench.json(&["retention", "--apply", "--yes"]);
    assert_eq!(
        applied["done"],
        json!({"forgotten": 3, "erased": 0, "restored": 0})
    );
    assert_eq!(applied["deferred"], json!([]));
    assert_eq!(applied["next_erasure"], 30);
    assert_eq!(counts(&bench), [9, 3, 0]);
    assert_eq!(bench.json(&["doctor"])["spaces"][0]["deferred"], json!([]));

    let restored = bench.json(&["retention", "--restore"]);
    assert_eq!(
        restored["done"],
        json!({"forgotten": 0, "erased": 0, "restored": 3})
    );
    assert_eq!(counts(&bench), [12, 0, 0]);
    // They get the full grace period again.
    let again = bench.json(&["retention", "--apply", "--yes"]);
    assert_eq!(again["done"]["forgotten"], 0);
}

#[test]
fn a_retention_that_is_set_with_a_yes_forgets_what_can_be_brought_back() {
    let bench = Bench::new();
    let file = bench.file(
        "old.jsonl",
        "{\"text\": \"An ancient quellfruit\", \"time\": \"2001-01-01T00:00:00Z\"}\n",
    );
    bench.json(&["import", file.to_str().expect("UTF-8")]);
    bench.remember(&["Something new"]);
    let set = bench.json(&["spaces", "set", "--retention-days", "365", "--yes"]);
    assert_eq!(
        (&set["retention_days"], &set["retention_grace_days"]),
        (&json!(365), &json!(30))
    );
    assert_eq!(counts(&bench), [1, 1, 0]);
    let shown = bench.run(&["retention"]);
    for part in [
        "365 days",
        "30 days of use",
        "1; restore with `anamne retention --restore`",
    ] {
        assert!(shown.stdout.contains(part), "{}", shown.stdout);
    }
    let ran = bench.run(&["--json", "spaces", "set", "--grace-days", "0"]);
    assert_eq!(
        (ran.code, &ran.error()["field"]),
        (2, &json!("retention.grace_days"))
    );
    bench.json(&["retention", "--restore"]);
    assert_eq!(bench.recall(&["quellfruit"])[0], "An ancient quellfruit");
    assert_eq!(bench.json(&["retention"])["days"], Value::from(365));
}
