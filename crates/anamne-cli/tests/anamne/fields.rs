//! Typed fields, metadata filters and use, on the command line.

use serde_json::{Value, json};

use crate::bench::Bench;

fn memory(bench: &Bench, id: &str) -> Value {
    bench.json(&["show", id])["memory"].clone()
}

fn listed(bench: &Bench, options: &[&str]) -> Vec<String> {
    let list = bench.json(&[&["list", "--oldest-first"], options].concat());
    let memories = list["memories"].as_array().expect("memories");
    let contents = memories.iter().map(|memory| memory["content"].as_str());
    contents
        .map(|content| content.expect("a text").to_owned())
        .collect()
}

#[test]
fn an_episode_has_its_goal_steps_and_tool_log() {
    let bench = Bench::new();
    let log = bench.file(
        "calls.jsonl",
        "{\"tool\": \"make\", \"input\": \"test\", \"succeeded\": false}\n{\"tool\": \"make\", \"output\": \"ok\"}\n",
    );
    let id = bench.remember(&[
        "Moved the API to Go",
        "--kind",
        "episode",
        "--goal",
        "lower latency",
        "--plan-step",
        "measure",
        "--plan-step",
        "port",
        "--step",
        "ported the router",
        "--outcome",
        "half the latency",
        "--salience",
        "7",
        "--tool-log",
        log.to_str().expect("UTF-8"),
        "--file",
        "api/main.go",
        "--file",
        "api/router.go",
        "--entity",
        "Grace",
    ]);
    let stored = memory(&bench, &id);
    for (name, expected) in [
        ("kind", json!("episode")),
        ("goal", json!("lower latency")),
        ("plan", json!(["measure", "port"])),
        ("steps", json!(["ported the router"])),
        ("outcome", json!("half the latency")),
        (
            "metadata",
            json!({ "entities": ["Grace"], "files": ["api/main.go", "api/router.go"] }),
        ),
    ] {
        assert_eq!(stored[name], expected, "{name}");
    }
    assert!(
        (stored["salience"].as_f64().expect("a number") - 0.7).abs() < 1e-6,
        "{stored}"
    );
    assert_eq!(
        stored["tool_log"][0],
        json!({ "tool": "make", "input": "test", "output": "", "succeeded": false })
    );
    let shown = bench.run(&["show", &id]).stdout;
    let words: Vec<_> = shown.split_whitespace().collect();
    let words = words.join(" ");
    for line in [
        "goal lower latency",
        "plan 1. measure",
        "2. port",
        "steps 1. ported the router",
        "salience 0.70",
        "tools make (failed), make",
        "files api/main.go",
        "entities Grace",
    ] {
        assert!(words.contains(line), "{line}: {shown}");
    }
    let edited = bench.json(&[
        "edit",
        &id,
        "--outcome",
        "a third",
        "--step",
        "ported all",
        "--salience",
        "1",
    ]);
    let edited = &edited["memory"];
    assert_eq!(
        (&edited["outcome"], &edited["steps"]),
        (&json!("a third"), &json!(["ported all"]))
    );
    assert_eq!(
        (&edited["salience"], &edited["goal"]),
        (&json!(1.0), &json!("lower latency"))
    );
    let answer = bench.json(&["recall", "ported all"]);
    assert_eq!(
        answer["results"][0]["memory"]["steps"],
        json!(["ported all"])
    );
}

#[test]
fn skills_thoughts_and_documents_have_their_fields() {
    let bench = Bench::new();
    let skill = bench.remember(&[
        "How to roll back",
        "--kind",
        "skill",
        "--name",
        "roll back",
        "--trigger",
        "a bad deploy",
        "--step",
        "make rollback",
        "--code",
        "make rollback",
    ]);
    assert_eq!(memory(&bench, &skill)["trigger"], "a bad deploy");
    let document = bench.remember(&[
        "The runbook",
        "--kind",
        "document",
        "--title",
        "Runbook",
        "--source",
        "docs/run.md",
    ]);
    assert_eq!(memory(&bench, &document)["source"], "docs/run.md");
    let think = |arguments: &[&str]| {
        let told = bench.json(&[&["think"], arguments].concat());
        told["id"].as_str().expect("an id").to_owned()
    };
    let first = think(&[
        "What is certain?",
        "--framework",
        "first principles",
        "--chain",
        "cache",
        "--number",
        "1",
        "--total",
        "3",
    ]);
    let second = think(&[
        "It is cold after a deploy",
        "--chain",
        "cache",
        "--number",
        "2",
    ]);
    let stored = memory(&bench, &first);
    assert_eq!(
        (&stored["framework"], &stored["total"]),
        (&json!("first principles"), &json!(3))
    );
    assert_eq!(memory(&bench, &second)["follows"], json!(first));
    let told = bench.remember(&[
        "So warm it",
        "--kind",
        "thought",
        "--follows",
        &second,
        "--number",
        "3",
    ]);
    assert_eq!(memory(&bench, &told)["follows"], json!(second));
    let shown = bench.run(&["show", &first]).stdout;
    assert!(
        shown.contains("1 of 3") && shown.contains("first principles"),
        "{shown}"
    );
    let log = r#"[{"tool": "make"}]"#;
    let from_stdin = bench.feed(
        &[
            "--json",
            "remember",
            "Built it",
            "--kind",
            "episode",
            "--tool-log",
            "-",
        ],
        log.as_bytes(),
    );
    assert_eq!(from_stdin.code, 0, "{}", from_stdin.stderr);
}

/// The command refuses `field` with this message and hint, and creates no store.
#[track_caller]
fn check(arguments: &[&str], field: &str, message: &str) {
    let bench = Bench::new();
    bench.file("bad.json", "[{\"tool\": 3}]");
    let ran = bench.run(&[&["--json"], arguments].concat());
    let error = ran.error();
    assert_eq!(
        (ran.code, &error["field"]),
        (2, &json!(field)),
        "{arguments:?}: {error}"
    );
    let said = error["message"].as_str().expect("a message");
    assert!(said.contains(message), "{said}");
    assert!(!bench.store().exists(), "{arguments:?} made a store");
}

#[test]
fn options_that_do_not_fit_the_kind_are_refused_with_those_they_belong_to() {
    check(
        &["remember", "x", "--goal", "y"],
        "goal",
        "--goal belongs to the kind episode, but the kind is message",
    );
    check(
        &["remember", "x", "--kind", "document", "--step", "y"],
        "steps",
        "--step belongs to the kind episode or skill",
    );
    check(
        &["remember", "x", "--category", "insight", "--chain", "y"],
        "chain",
        "belongs to the kind thought",
    );
    check(
        &["remember", "x", "--kind", "episode", "--salience", "11"],
        "salience",
        "0 to 1",
    );
    check(
        &["remember", "x", "--kind", "thought", "--number", "0"],
        "number",
        "from 1",
    );
    check(
        &[
            "remember",
            "x",
            "--kind",
            "episode",
            "--tool-log",
            "bad.json",
        ],
        "tool_log",
        "not a list of tool calls",
    );
    check(
        &["remember", "-", "--kind", "episode", "--tool-log", "-"],
        "tool_log",
        "standard input",
    );
    check(&["remember", "x", "--file", ""], "file", "1 to 1024");
    check(
        &["think", "x", "--number", "3", "--total", "2"],
        "total",
        "at least the thought's number",
    );
    let bench = Bench::new();
    let id = bench.remember(&["A message"]);
    let ran = bench.run(&["--json", "edit", &id, "--goal", "x"]);
    assert_eq!(
        (ran.code, &ran.error()["field"]),
        (2, &json!("goal")),
        "{}",
        ran.stderr
    );
}

#[test]
fn metadata_filters_reach_every_command_that_selects() {
    let bench = Bench::new();
    for (text, ticket, priority) in [
        ("Fix the pump", "42", "3"),
        ("Paint the pump", "43", "5"),
        ("Sell the pump", "\"42\"", "1"),
    ] {
        let (ticket, priority) = (format!("ticket={ticket}"), format!("priority={priority}"));
        bench.remember(&[
            text,
            "--metadata",
            &ticket,
            "--metadata",
            &priority,
            "--file",
            "docs/pump.md",
        ]);
    }
    bench.remember(&["No metadata about the pump"]);
    assert_eq!(listed(&bench, &["--where", "ticket=42"]), ["Fix the pump"]);
    assert_eq!(
        listed(&bench, &["--where", "ticket=\"42\""]),
        ["Sell the pump"]
    );
    assert_eq!(
        listed(&bench, &["--where", "priority>=3", "--where", "ticket!=42"]),
        ["Paint the pump"]
    );
    assert_eq!(listed(&bench, &["--where", "files~pump.md"]).len(), 3);
    assert_eq!(listed(&bench, &["--where", "ticket"]).len(), 3);
    assert_eq!(
        bench.recall(&["pump", "--where", "priority<3"]),
        ["Sell the pump"]
    );
    let context = bench.json(&["context", "pump", "--where", "priority=5"]);
    let text = context["text"].as_str().expect("a text");
    assert!(text.contains("Paint") && !text.contains("Fix"), "{text}");
    let forgotten = bench.json(&["forget", "--where", "priority>=5", "--yes"]);
    assert_eq!(
        forgotten["forgotten"].as_array().map(Vec::len),
        Some(1),
        "{forgotten}"
    );
    assert_eq!(listed(&bench, &["--where", "ticket"]).len(), 2);
    for wrong in ["", "=3", "priority<true", "a!b", "ticket=[1]"] {
        assert_eq!(bench.run(&["list", "--where", wrong]).code, 2, "{wrong}");
    }
}

#[test]
fn use_is_shown_listed_and_logged_on_request() {
    let bench = Bench::new();
    let [one, two] = ["Fix the pump", "Paint the pump"].map(|text| bench.remember(&[text]));
    assert_eq!(bench.json(&["show", &one])["use"], Value::Null);
    assert_eq!(bench.json(&["show", &one])["use"]["count"], 1);
    bench.json(&["show", &two]);
    let shown = bench.run(&["show", &one]).stdout;
    assert!(shown.contains("opened 2 times before, last "), "{shown}");
    let sorted = |order: &str| {
        let list = bench.json(&["list", "--sort", order]);
        let memories = list["memories"].as_array().expect("memories");
        memories
            .iter()
            .map(|memory| memory["id"].clone())
            .collect::<Vec<_>>()
    };
    assert_eq!(sorted("access-count"), [json!(one), json!(two)]);
    assert_eq!(sorted("accessed"), [json!(one), json!(two)]);
    assert_eq!(listed(&bench, &["--min-accesses", "2"]), ["Fix the pump"]);
    assert_eq!(listed(&bench, &["--accessed-since", "yesterday"]).len(), 2);
    assert_eq!(
        bench
            .run(&["list", "--sort", "accessed", "--forgotten"])
            .code,
        2
    );
    let accessed = || bench.json(&["audit", "--kind", "accessed"])["events"].clone();
    assert_eq!(accessed(), json!([]));
    let set = bench.json(&["spaces", "set", "--record-access", "on"]);
    assert_eq!(set["record_access"], true);
    bench.json(&["show", &two]);
    bench.recall(&["pump"]);
    let events = accessed();
    assert_eq!(events.as_array().map(Vec::len), Some(1), "{events}");
    assert_eq!(
        (&events[0]["memory"], &events[0]["actor"]["kind"]),
        (&json!(two), &json!("user"))
    );
    bench.json(&["spaces", "set", "--record-access", "off"]);
    bench.json(&["show", &two]);
    assert_eq!(accessed(), events);
    assert_eq!(bench.run(&["verify"]).code, 0);
}

#[test]
fn current_importance_and_strength_are_shown_listed_and_switched_off() {
    let bench = Bench::new();
    let one = bench.remember(&["Fix the pump", "--kind", "fact", "--importance", "8"]);
    let two = bench.remember(&["Paint the pump", "--kind", "fact", "--importance", "7"]);
    bench.json(&["link", &one, &two, "--type", "requires", "--weight", "0.8"]);
    let shown = bench.run(&["show", &one]).stdout;
    assert!(
        shown.contains("current importance 5.89 of 10")
            && shown.contains("= base 5.20 (told 8) + use 0.00 + links 0.2"),
        "{shown}"
    );
    assert!(shown.contains("(weight 0.80)"), "{shown}");
    // After nine millionths of a second half of the strength is left.
    let set = [
        "spaces",
        "set",
        "--link-half-life",
        "0.0000000001",
        "--half-life",
        "30",
    ];
    let set = bench.json(&[&set[..], &["--link-floor", "0.25"]].concat());
    let half_lives = json!({ "importance": true, "links": true, "half_life_days": 30.0, "link_half_life_days": 0.0,
        "link_floor": 0.25 });
    assert_eq!(set["recompute"], half_lives);
    let json = bench.json(&["show", &one]);
    let link = &json["links"][0];
    for (name, expected) in [("weight", 0.8), ("strength", 0.2)] {
        let found = link[name].as_f64().expect("a number");
        assert!((found - expected).abs() < 1e-6, "{name}: {link}");
    }
    assert_eq!(link["since"], link["created_at"]);
    let (signals, parts) = (&json["signals"], &json["signals"]["parts"]);
    assert_eq!(
        (&parts["told"], &json["memory"]["importance"]),
        (&json!(8), &json!(8))
    );
    let points = ["base", "uses", "links", "age"].map(|part| parts[part].as_f64().expect("points"));
    let sum: f64 = points.iter().sum();
    assert!(
        (sum - signals["importance"].as_f64().expect("an importance")).abs() < 1e-9,
        "{signals}"
    );
    assert!(points[1] > 0.4, "it was opened before: {signals}");
    let shown = bench.run(&["show", &two]).stdout;
    assert!(shown.contains("(weight 0.80, now 0.20)"), "{shown}");
    // Opened often, the less important one comes first; as told, it doesn't.
    let listed = || {
        let list = bench.json(&["list", "--sort", "importance"])["memories"].clone();
        let memories = list.as_array().expect("memories").iter();
        memories
            .map(|memory| memory["id"].clone())
            .collect::<Vec<_>>()
    };
    for _ in 0..6 {
        bench.json(&["show", &two]);
    }
    assert_eq!(listed(), [json!(two), json!(one)]);
    let set = bench.json(&[
        "spaces",
        "set",
        "--recompute-importance",
        "off",
        "--recompute-links",
        "off",
    ]);
    assert_eq!(
        (&set["recompute"]["importance"], &set["recompute"]["links"]),
        (&json!(false), &json!(false))
    );
    assert_eq!(listed(), [json!(one), json!(two)]);
    let json = bench.json(&["show", &one]);
    assert_eq!(
        json["signals"],
        json!({ "utility": 0.5, "importance": 8.0 })
    );
    assert_eq!(json["links"][0]["strength"], json["links"][0]["weight"]);
    let shown = bench.run(&["show", &one]).stdout;
    assert!(
        shown.contains("importance as told") && shown.contains("(weight 0.80)"),
        "{shown}"
    );
    let settings = bench.run(&["spaces", "set"]).stdout;
    assert!(
        settings.contains("importance as told; links as told"),
        "{settings}"
    );
    bench.json(&[
        "spaces",
        "set",
        "--recompute-importance",
        "on",
        "--recompute-links",
        "on",
    ]);
    let back = bench.json(&["show", &one])["signals"]["parts"]["base"].clone();
    assert_eq!(back, parts["base"]);
    for wrong in [
        ["--half-life", "0"],
        ["--link-half-life", "36526"],
        ["--link-floor", "1.5"],
    ] {
        assert_eq!(
            bench.run(&[&["spaces", "set"], &wrong[..]].concat()).code,
            2,
            "{wrong:?}"
        );
    }
    assert_eq!(
        bench
            .run(&["list", "--sort", "importance", "--forgotten"])
            .code,
        2
    );
}
