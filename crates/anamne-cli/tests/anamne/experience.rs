//! What was done, what came of it, and what is learned from it.

use serde_json::{Value, json};

use crate::bench::Bench;

/// Records a run in which `make` fails, and `apt install mold` helps.
fn run_of(bench: &Bench, run: &str) {
    let error = "linker `mold` not found";
    let record = |arguments: &[&str]| {
        let all = [&["experience", "outcome"], arguments, &["--run", run]].concat();
        assert_eq!(bench.run(&all).code, 0, "{all:?}");
    };
    record(&["Bash", "make release", "--error", error]);
    record(&["Bash", "apt install mold"]);
    record(&["task", "--goal", "publish the release", "--ends-run"]);
}

fn texts<'a>(list: &'a Value, field: &str) -> Vec<&'a str> {
    let list = list.as_array().expect("a list");
    let texts = list.iter().map(|one| one[field].as_str());
    texts.map(|text| text.expect("a text")).collect()
}

#[test]
fn outcomes_say_what_helped_after_an_error() {
    let bench = Bench::new();
    bench.remember(&["The release is due in May"]);
    assert_eq!(bench.run(&["experience", "ask", "anything"]).code, 0);
    for run in ["r1", "r2", "r3"] {
        run_of(&bench, run);
    }
    let ask = ["experience", "ask", "--error", "linker `mold` not found"];
    let advice = bench.json(&ask)["advice"].clone();
    assert_eq!(texts(&advice, "kind"), ["recovery"]);
    assert_eq!(
        (
            &advice[0]["successes"],
            &advice[0]["failures"],
            &advice[0]["too_few"]
        ),
        (&json!(3), &json!(0), &json!(false))
    );
    let shown = bench.run(&ask).stdout;
    assert!(shown.contains("apt install mold"), "{shown}");
    assert_eq!(advice[0]["other_error"], Value::Null);
    let ask = ["experience", "ask", "--error", "E   linker mold not found"];
    let near = bench.json(&ask)["advice"].clone();
    assert_eq!(near[0]["other_error"], "linker <value> not found");
    assert!(near[0]["confidence"].as_f64() < advice[0]["confidence"].as_f64());
    let shown = bench.run(&ask).stdout;
    assert!(shown.contains("after another error"), "{shown}");
    let ask = ["experience", "ask", "--error", "linker `lld` not found"];
    let similar = bench.json(&ask)["advice"].clone();
    assert_eq!(similar[0]["differs"], true);
    assert_eq!(similar[0]["recorded_error"], "linker `mold` not found");
    let shown = bench.run(&ask).stdout;
    assert!(shown.contains("after a similar error"), "{shown}");
    assert!(shown.contains("names or numbers differ"), "{shown}");
    assert!(
        shown.contains("that error: linker `mold` not found"),
        "{shown}"
    );
    let goal = bench.json(&["experience", "ask", "publish the release"])["advice"].clone();
    assert_eq!(goal[0]["kind"], "goal");
    let chance = bench.json(&["experience", "ask", "publish the release"])["chance"].clone();
    assert_eq!(
        (&chance["same"], &chance["similar"]),
        (&json!(3), &json!(0))
    );
    assert!(
        chance["chance"].as_f64().expect("a number") > 0.5,
        "{chance}"
    );
    let nothing = bench.run(&["experience", "ask"]);
    assert_eq!(nothing.code, 2, "{}", nothing.stderr);
}

#[test]
fn a_goal_that_was_reached_often_becomes_a_skill_until_it_keeps_failing() {
    let bench = Bench::new();
    for run in ["r1", "r2", "r3"] {
        run_of(&bench, run);
    }
    let listed = bench.json(&["experience", "skills"]);
    assert_eq!(listed["skills"], json!([]));
    assert_eq!(listed["proposals"][0]["subject"], "publish the release");
    assert_eq!(
        listed["proposals"][0]["steps"],
        json!(["Bash apt install mold"])
    );
    let shown = bench.run(&["experience", "skills"]).stdout;
    assert!(
        shown.contains("anamne experience keep 'publish the release'"),
        "{shown}"
    );
    let kept = bench.json(&["experience", "keep", "publish the release"]);
    let skill = kept["id"].as_str().expect("an id");
    let links = bench.json(&["show", skill])["links"].clone();
    assert_eq!(texts(&links, "type"), ["derived_from"; 3]);
    assert_eq!(
        bench.json(&["experience", "skills"])["proposals"],
        json!([])
    );
    assert_eq!(
        bench
            .run(&["experience", "keep", "publish the release"])
            .code,
        3
    );
    let ask = ["experience", "ask", "publish the release"];
    assert!(texts(&bench.json(&ask)["advice"], "kind").contains(&"skill"));
    for _ in 0..6 {
        let failed = ["experience", "outcome", "Bash", "make", "--failed"];
        bench.json(&[&failed[..], &["--in-view", skill]].concat());
    }
    let record = bench.json(&["experience", "skills"])["skills"][0].clone();
    assert_eq!(
        (&record["failures"], &record["set_aside"]),
        (&json!(6), &json!(true))
    );
    assert!(!texts(&bench.json(&ask)["advice"], "kind").contains(&"skill"));
}

#[test]
fn a_skill_that_nobody_used_is_listed_as_such() {
    let bench = Bench::new();
    bench.remember(&[
        "Run make rollback",
        "--kind",
        "skill",
        "--name",
        "rollback",
        "--trigger",
        "a bad deploy",
    ]);
    let shown = bench.run(&["experience", "skills"]).stdout;
    assert!(
        shown.contains("0 succeeded, 0 failed; too few cases"),
        "{shown}"
    );
    let asked = bench.run(&["experience", "ask", "a bad deploy"]).stdout;
    assert!(asked.contains("rollback"), "{asked}");
}

#[test]
fn finished_runs_suggest_lessons_that_are_kept_or_set_aside() {
    let bench = Bench::new();
    bench.remember(&["The archive lies in dist"]);
    let none = bench.run(&["experience", "lessons"]);
    assert_eq!(
        (none.code, none.stdout.as_str()),
        (0, ""),
        "{}",
        none.stderr
    );
    let goal = "publish the release";
    for (run, last, failed) in [
        ("r1", "upload", true),
        ("r2", "sign", false),
        ("r3", "tag", false),
    ] {
        for action in ["make", last] {
            bench.json(&["experience", "outcome", "Bash", action, "--run", run]);
        }
        let end = [
            "experience",
            "outcome",
            "task",
            "--goal",
            goal,
            "--run",
            run,
            "--ends-run",
        ];
        let all: &[&str] = if failed { &["--failed"] } else { &[] };
        bench.json(&[&end[..], all].concat());
    }
    let listed = bench.json(&["experience", "lessons"])["proposals"].clone();
    assert_eq!(texts(&listed, "kind"), ["proposed_lesson"; 2], "{listed}");
    let item = |place: usize| listed[place]["lesson"]["item"].as_str().expect("an item");
    let shown = bench.run(&["experience", "lessons"]).stdout;
    assert!(shown.contains("1. Bash tag"), "{shown}");
    assert!(
        shown.contains(&format!("anamne experience lessons --keep {}", item(0))),
        "{shown}"
    );
    let asked = bench.run(&["experience", "ask", goal]).stdout;
    assert!(
        asked.contains("attempts suggest")
            && asked.contains("1 for it, 0 against it")
            && asked.contains("1. Bash sign"),
        "{asked}"
    );
    bench.json(&["experience", "lessons", "--keep", item(0)]);
    bench.json(&["experience", "lessons", "--set-aside", item(1)]);
    assert_eq!(
        bench.json(&["experience", "lessons"])["proposals"],
        json!([])
    );
    let kinds = bench.json(&["experience", "ask", goal])["advice"].clone();
    assert_eq!(
        texts(&kinds, "kind")
            .iter()
            .filter(|kind| **kind == "lesson")
            .count(),
        1
    );
    for (refused, code) in [
        (&["--keep", item(0)][..], 3),
        (&["--keep", "nothing"], 3),
        (&["--keep", item(0), "--set-aside", item(1)], 2),
    ] {
        let ran = bench.run(&[&["experience", "lessons"], refused].concat());
        assert_eq!(ran.code, code, "{refused:?} {}", ran.stderr);
    }
}

#[test]
fn a_rejection_counts_instead_of_what_was_recorded() {
    let bench = Bench::new();
    let outcome = bench.json(&["experience", "outcome", "Bash", "make"]);
    let ask = ["experience", "ask", "--action", "Bash", "--object", "make"];
    assert_eq!(bench.json(&ask)["advice"][0]["successes"], json!(1));
    let id = outcome["id"].as_str().expect("an id");
    bench.json(&[
        "feedback",
        id,
        "rejection",
        "--note",
        "it built the wrong target",
    ]);
    assert_eq!(bench.json(&ask)["advice"][0]["failures"], json!(1));
    bench.json(&["feedback", id, "approval"]);
    assert_eq!(bench.json(&ask)["advice"][0]["successes"], json!(1));
}

#[test]
fn lessons_and_feedback_on_work_are_kept() {
    let bench = Bench::new();
    let lesson = [
        "experience",
        "lesson",
        "Check the lock file",
        "--when",
        "a build fails in CI",
        "Compare Cargo.lock before reading the log.",
    ];
    bench.json(&lesson);
    let asked = ["experience", "ask", "find out why the build fails in CI"];
    let advice = bench.json(&asked)["advice"].clone();
    assert_eq!(texts(&advice, "kind"), ["lesson"]);
    let outcome = bench.json(&["experience", "outcome", "Bash", "make"]);
    let id = outcome["id"].as_str().expect("an id").to_owned();
    let judged = ["feedback", &id, "correction", "--wanted", "cargo build"];
    assert_ne!(bench.json(&judged)["id"], outcome["id"]);
}

#[test]
fn working_memory_lives_until_it_expires_or_is_removed() {
    let bench = Bench::new();
    bench.json(&["working", "set", "branch", "feature/login"]);
    bench.json(&["working", "set", "plan", "[1, 2]", "--expires", "3d"]);
    let values = bench.json(&["working"])["values"].clone();
    assert_eq!(texts(&values, "key"), ["branch", "plan"]);
    assert_eq!(values[1]["value"], json!([1, 2]));
    let briefing = ["context", "--preset", "session_start"];
    let briefing = bench.run(&briefing).stdout;
    assert!(briefing.contains("branch = feature/login"), "{briefing}");
    let of_another = ["working", "remove", "branch", "--agent", "builder"];
    assert_eq!(bench.run(&of_another).code, 3);
    let removed = bench.run(&["working", "remove", "branch"]);
    assert_eq!(
        (removed.code, removed.stdout.as_str()),
        (0, "removed branch\n"),
        "{}",
        removed.stderr
    );
    assert_eq!(texts(&bench.json(&["working"])["values"], "key"), ["plan"]);
    let again = bench.run(&["working", "remove", "branch"]);
    assert_eq!(again.code, 3, "{}", again.stderr);
    bench.json(&["working", "set", "branch", "main"]);
    bench.json(&["working", "remove", "branch"]);
    let past = bench.run(&["working", "set", "k", "1", "--expires", "2020-01-01"]);
    assert_eq!(past.code, 2, "{}", past.stderr);
    let null = bench.run(&["working", "set", "branch", "null"]);
    assert_eq!(null.code, 2, "{}", null.stderr);
    assert!(
        null.stderr.contains("anamne working remove branch"),
        "{}",
        null.stderr
    );
}

#[test]
fn a_briefing_says_of_which_session_a_value_is() {
    let bench = Bench::new();
    let long = "s".repeat(100);
    for (session, branch) in [("s1", "feature/a"), (long.as_str(), "feature/b")] {
        bench.json(&["working", "set", "branch", branch, "--session", session]);
    }
    let briefing = bench.run(&["context", "--preset", "session_start"]).stdout;
    let of_long = format!("branch (session {}…) = feature/b", "s".repeat(60));
    assert!(
        briefing.contains("branch (session s1) = feature/a") && briefing.contains(&of_long),
        "{briefing}"
    );
}

fn apples() -> Bench {
    let bench = Bench::new();
    for number in 0..8 {
        let text = format!("Crate {number} of winter apples is in the cellar of house {number}");
        bench.remember(&[&text]);
    }
    bench
}

#[test]
fn a_search_is_recorded_judged_and_followed_by_other_results() {
    let bench = apples();
    let question = [
        "recall",
        "where are the winter apples?",
        "-k",
        "3",
        "--learn",
    ];
    let found = bench.json(&question);
    let ids = |found: &Value| -> Vec<String> {
        let results = found["results"].as_array().expect("results").iter();
        results.map(|hit| hit["memory"]["id"].to_string()).collect()
    };
    assert_eq!(
        (ids(&found).len(), &found["strategy"]),
        (3, &json!("default"))
    );
    let search = found["citation"].as_str().expect("a citation");
    bench.json(&["feedback", search, "useless"]);
    let next = bench.json(&[&question[..], &["--after", search]].concat());
    assert_eq!(next["tried"], json!(["default"]));
    assert!(ids(&next).iter().all(|id| !ids(&found).contains(id)));
    let shown = bench.run(&question).stdout;
    assert!(shown.contains("strategy "), "{shown}");
    let history = bench.json(&["experience", "history", "winter apples"]);
    let judged = history["searches"].as_array().expect("searches").iter();
    assert_eq!(
        judged.filter(|one| one["usefulness"] == "useless").count(),
        1
    );
    let weeks = bench.json(&["meta", "quality"])["weeks"].clone();
    assert_eq!(
        (&weeks[0]["searches"], &weeks[0]["judged"]),
        (&json!(3), &json!(1))
    );
    for refused in [
        &["--after", search][..],
        &["--learn", "--across", "all"],
        &["--learn", "--after", "m1"],
    ] {
        let ran = bench.run(&[&question[..4], refused].concat());
        assert_eq!(ran.code, 2, "{refused:?} {}", ran.stderr);
    }
    let unknown = bench.run(&[&question[..], &["--after", "m999"]].concat());
    assert_eq!(unknown.code, 3, "{}", unknown.stderr);
}

#[test]
fn an_experiment_assigns_counts_is_drawn_and_stops() {
    let bench = apples();
    assert_eq!(bench.json(&["experiment"]), json!({ "experiments": [] }));
    bench.json(&["experiment", "start", "pages", "default", "words"]);
    let unjudged = bench.run(&["experiment", "show", "pages"]).stdout;
    assert!(
        unjudged.contains("not comparable yet") && !unjudged.contains("points"),
        "{unjudged}"
    );
    assert_eq!(
        bench.json(&["experiment", "show", "pages"])["uplifts"],
        json!([])
    );
    for number in 0..12 {
        let question = format!("which crate of apples is in house {number}?");
        let found = bench.json(&["recall", &question, "--learn"]);
        assert_eq!(found["experiment"], "pages", "{found}");
        let search = found["citation"].as_str().expect("a citation");
        bench.json(&["feedback", search, "useful"]);
    }
    let picture = bench.folder().join("pages.svg");
    let path = picture.to_str().expect("a path");
    let shown = bench.run(&["experiment", "show", "pages", "--output", path]);
    assert!(
        shown.stdout.contains("no conclusion yet"),
        "{}",
        shown.stdout
    );
    let drawn = std::fs::read_to_string(&picture).expect("a picture");
    assert!(
        drawn.starts_with("<svg") && drawn.contains("words"),
        "{drawn}"
    );
    let report = bench.json(&["experiment", "show", "pages"]);
    let arms = report["arms"].as_array().expect("arms").iter();
    let judged: u64 = arms
        .map(|arm| arm["judged"].as_u64().expect("a count"))
        .sum();
    assert_eq!(judged, 12, "{report}");
    let weeks = bench.folder().join("weeks.svg");
    let path = weeks.to_str().expect("a path");
    bench.run(&["experiment", "strategies", "--output", path]);
    assert!(weeks.exists());
    assert_eq!(
        bench.json(&["experiment", "stop", "pages"])["running"],
        false
    );
    let after = bench.json(&["recall", "which crate of apples?", "--learn"]);
    assert_eq!(after["experiment"], "");
    for refused in [
        &["start", "pages", "default", "words"][..],
        &["start", "new", "default"],
        &["start", "new", "default", "splendid"],
        &["start", "new", "default", "words", "--alpha", "2"],
    ] {
        let ran = bench.run(&[&["experiment"], refused].concat());
        assert_eq!(ran.code, 2, "{refused:?} {}", ran.stderr);
    }
    for change in ["show", "stop"] {
        let ran = bench.run(&["experiment", change, "unknown"]);
        assert_eq!(ran.code, 3, "{}", ran.stderr);
        assert!(
            ran.stderr.contains("list them with `anamne experiment`"),
            "{}",
            ran.stderr
        );
    }
}
