//! How far a question reaches, what stands beside its results, and how questions perform.

use serde_json::{Value, json};

use crate::bench::{Bench, RunOutput, lines};

/// The texts of an answer's results, sorted.
fn texts(answer: &Value) -> Vec<String> {
    let results = answer["results"].as_array().expect("results").iter();
    let mut texts: Vec<String> = results
        .map(|hit| {
            hit["memory"]["content"]
                .as_str()
                .expect("a text")
                .to_owned()
        })
        .collect();
    texts.sort();
    texts
}

#[test]
fn several_topics_are_asked_about_at_once() {
    let bench = Bench::new();
    for (thread, text) in [
        ("berths", "berth nine is too short for the dredger"),
        ("kitchen", "the oven in the kitchen needs a new door"),
        ("lamps", "the lantern at the pier went out"),
    ] {
        bench.remember(&[text, "--thread", thread]);
    }
    let ask = |topics: &[&str]| {
        let mut arguments = vec!["recall", "what happened?"];
        for topic in topics {
            arguments.extend(["--about", topic]);
        }
        texts(&bench.json(&arguments))
    };
    let mut apart = ask(&["the dredger"]);
    apart.extend(ask(&["kitchen oven"]));
    apart.sort();
    assert_eq!(ask(&["the dredger", "kitchen oven"]), apart);
    assert_eq!(apart.len(), 2, "{apart:?}");
    let refused = bench.run(&["--json", "recall", "x", "--about", " "]);
    assert_eq!(
        (refused.code, &refused.error()["field"]),
        (2, &json!("topic"))
    );
    let both = bench.run(&["recall", "x", "--about", "a", "--naming", "b"]);
    assert_eq!(both.code, 2, "{}", both.stderr);
}

#[test]
fn results_of_no_confidence_are_counted_and_shown_when_asked_for() {
    let bench = Bench::new();
    for text in [
        "The staging server listens on port 8471",
        "Ines keeps the lighthouse",
        "The apple tree was pruned in February",
        "Bread is baked on Thursdays",
        "The dredger needs a longer berth",
    ] {
        bench.remember(&[text]);
    }
    let question = "which port does the staging server use?";
    let all = texts(&bench.json(&["recall", question]));
    let shown = |arguments: &[&str]| {
        let ran = bench.run(&[&["recall"], arguments].concat());
        let is_shown = |text: &&String| ran.stdout.contains(text.as_str());
        (all.iter().filter(is_shown).count(), ran.stderr)
    };
    assert_eq!(all.len(), 5, "{all:?}");
    let (count, said) = shown(&[question]);
    assert_eq!(count, 1, "{said}");
    assert!(said.contains("4 more at 0 %"), "{said}");
    for option in [&["--min-confidence", "0"][..], &["--explain"]] {
        assert_eq!(shown(&[&[question], option].concat()).0, 5, "{option:?}");
    }
    let (count, said) = shown(&["zebra"]);
    assert_eq!(count, 3, "{said}");
}

/// Runs the command with `--json` in a session of a host.
fn in_session(bench: &Bench, session: &str, arguments: &[&str]) -> Value {
    let ran = bench
        .command(&[&["--json"], arguments].concat())
        .env("ANAMNE_SESSION", session)
        .output()
        .expect("the command starts");
    assert!(
        ran.status.success(),
        "{}",
        String::from_utf8_lossy(&ran.stderr)
    );
    serde_json::from_slice(&ran.stdout).expect("JSON")
}

#[test]
fn the_session_of_the_host_is_recorded_and_asked_first() {
    let bench = Bench::new();
    let code = "The greenhouse door is locked with code 4417";
    let stored = in_session(&bench, "s42", &["remember", code]);
    let id = stored["id"].as_str().expect("an id");
    assert_eq!(bench.json(&["show", id])["memory"]["session"], "s42");
    let thought = in_session(&bench, "s42", &["think", "So the door is safe"]);
    let id = thought["id"].as_str().expect("an id");
    assert_eq!(bench.json(&["show", id])["memory"]["session"], "s42");
    // An empty variable is no session, and an option counts before the variable.
    let stored = in_session(
        &bench,
        "",
        &["remember", "The apple tree was pruned in February"],
    );
    let id = stored["id"].as_str().expect("an id");
    assert!(bench.json(&["show", id])["memory"].get("session").is_none());
    let stored = in_session(
        &bench,
        "s42",
        &["remember", "Told apart", "--session", "s7"],
    );
    let id = stored["id"].as_str().expect("an id");
    assert_eq!(bench.json(&["show", id])["memory"]["session"], "s7");

    let question = "which code locks the greenhouse door?";
    let narrow = in_session(&bench, "s42", &["recall", question, "--narrow"]);
    assert_eq!(narrow["reached"], "session", "{narrow}");
    assert_eq!(texts(&narrow).len(), 2, "{narrow}");
    let named = bench.json(&["recall", question, "--narrow=s42"]);
    assert_eq!(named["reached"], "session");
    let wide = bench.json(&["recall", "when was the apple tree pruned?", "--narrow=s42"]);
    assert_eq!(wide["reached"], "space", "{wide}");
    assert!(
        wide["results"][0]["memory"]["content"]
            .as_str()
            .expect("a text")
            .contains("apple")
    );
    let said = bench.run(&["recall", question, "--narrow=s42"]);
    assert!(
        said.stderr.contains("answered by the session"),
        "{}",
        said.stderr
    );
    let block = bench.json(&["context", question, "--narrow=s42"]);
    assert_eq!(block["reached"], "session");
}

#[test]
fn narrow_needs_a_session_and_no_filter_by_session() {
    let bench = Bench::new();
    bench.remember(&["Anything"]);
    let missing = bench.run(&["--json", "recall", "anything", "--narrow"]);
    assert_eq!(
        (missing.code, &missing.error()["field"]),
        (2, &json!("narrow"))
    );
    let hint = missing.error()["hint"].to_string();
    assert!(hint.contains("ANAMNE_SESSION"), "{hint}");
    let twice = bench.run(&[
        "--json",
        "recall",
        "anything",
        "--narrow=a",
        "--session",
        "b",
    ]);
    assert_eq!((twice.code, &twice.error()["field"]), (2, &json!("narrow")));
}

#[test]
fn related_entities_and_memories_stand_below_a_result() {
    let bench = Bench::new();
    bench.remember(&["Runa Olsen repaired the blue crane"]);
    bench.remember(&["The budget was approved by everybody at lunch"]);
    bench.remember(&["Runa Olsen asked for a new lantern"]);
    bench.json(&["link", "m1", "m2", "--type", "requires"]);
    bench.json(&["knowledge", "relation", "Runa Olsen", "works_at", "Nordkai"]);
    bench.json(&["extract"]);
    let question = ["recall", "who repaired the blue crane?", "-k", "1"];
    let answer = bench.json(&[&question[..], &["--related"]].concat());
    let best = &answer["results"][0];
    assert!(
        best["entities"].to_string().contains("Runa Olsen"),
        "{best}"
    );
    assert_eq!(best["related_entities"][0]["name"], "Nordkai", "{best}");
    assert_eq!(best["related_memories"][0]["citation"], "m2", "{best}");
    assert_eq!(best["related_memories"][0]["by"], "requires");
    let shown = bench.run(&[&question[..], &["--related"]].concat()).stdout;
    assert!(shown.contains("m2 (requires): The budget was"), "{shown}");
    assert!(shown.contains("Runa Olsen works at Nordkai"), "{shown}");
    let plain = bench.json(&question);
    for field in ["entities", "related_entities", "related_memories"] {
        assert!(plain["results"][0].get(field).is_none(), "{plain}");
    }
}

#[test]
fn a_block_is_sized_for_a_model_and_says_when_it_does_not_know_it() {
    let bench = Bench::new();
    for number in 0..60 {
        bench.remember(&[&format!(
            "Rule {number}: tools of bench {number} go back to hook {number} after use"
        )]);
    }
    let ask =
        |model: &str| bench.run(&["context", "rules for tools after use", "--for-model", model]);
    let small = ask("gpt-4");
    assert!(
        small.stderr.contains("250 tokens for gpt-4"),
        "{}",
        small.stderr
    );
    assert!(small.stderr.contains("of 250 tokens"), "{}", small.stderr);
    let large = ask("anthropic/claude-sonnet-4");
    assert!(
        large.stderr.contains("2,000 tokens for claude-sonnet"),
        "{}",
        large.stderr
    );
    assert!(large.stdout.len() > small.stdout.len());
    let unknown = ask("qzx-9");
    assert_eq!(unknown.code, 0);
    assert!(
        unknown
            .stderr
            .contains("unknown model qzx-9: the usual 1,000 tokens"),
        "{}",
        unknown.stderr
    );
    let both = bench.run(&[
        "context",
        "rules",
        "--for-model",
        "gpt-4",
        "--budget",
        "500",
    ]);
    assert_eq!(both.code, 2, "{}", both.stderr);
}

#[test]
fn a_block_of_several_spaces_cites_them() {
    let bench = Bench::new();
    bench.json(&[
        "--space",
        "recipes",
        "remember",
        "Sourdough wants a day of rest",
    ]);
    bench.json(&[
        "--space",
        "garden",
        "remember",
        "Tomatoes are watered at six",
    ]);
    let question = "when are the tomatoes watered, and how long does sourdough rest?";
    let block = bench.json(&["context", question, "--across", "recipes,garden"]);
    let text = block["text"].as_str().expect("a text");
    assert!(
        text.contains("[garden:m1]") && text.contains("[recipes:m1]"),
        "{text}"
    );
    let spaces: Vec<_> = block["entries"]
        .as_array()
        .expect("entries")
        .iter()
        .map(|entry| entry["space"].clone())
        .collect();
    assert!(
        spaces.contains(&json!("garden")) && spaces.contains(&json!("recipes")),
        "{spaces:?}"
    );
    let everywhere = bench.json(&["context", question, "--across", "all"]);
    assert_eq!(
        everywhere["entries"].as_array().map(Vec::len),
        Some(2),
        "{everywhere}"
    );
    let missing = bench.run(&["context", question, "--across", "garden,cellar"]);
    assert_eq!(missing.code, 3, "{}", missing.stderr);
    let preset = bench.run(&[
        "--json",
        "context",
        "--preset",
        "session_start",
        "--across",
        "garden,recipes",
    ]);
    assert_eq!(
        (preset.code, &preset.error()["field"]),
        (2, &json!("preset"))
    );
}

#[test]
fn performance_is_shown_by_week_plan_tiers_and_door() {
    let bench = Bench::new();
    bench.remember(&["The harbour has two cranes"]);
    bench.json(&["recall", "how many cranes has the harbour?"]);
    let input = lines([
        json!({"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": {
            "protocolVersion": "2025-11-25", "capabilities": {},
            "clientInfo": {"name": "test", "version": "1"}}}),
        json!({"jsonrpc": "2.0", "method": "notifications/initialized"}),
        json!({"jsonrpc": "2.0", "id": 2, "method": "tools/call", "params": {
            "name": "memory_search", "arguments": {"query": "cranes"}}}),
    ]);
    assert_eq!(bench.feed(&["mcp"], input.as_bytes()).code, 0);
    let report = bench.json(&["meta", "performance"]);
    let week = &report["weeks"][0];
    assert_eq!(week["all"]["queries"], 2, "{report}");
    let doors = week["doors"].as_array().expect("doors");
    let mut doors: Vec<_> = doors
        .iter()
        .map(|door| door["name"].as_str().expect("a name"))
        .collect();
    doors.sort_unstable();
    assert_eq!(doors, ["cli", "mcp"]);
    assert_eq!(week["tiers"][0]["name"], "active");
    let shown = bench.run(&["meta", "performance"]).stdout;
    for part in ["week of", "median", "plan", "tiers active", "door"] {
        assert!(shown.contains(part), "{part} in {shown}");
    }
    bench.json(&["meta", "clear"]);
    assert_eq!(bench.json(&["meta", "performance"])["weeks"], json!([]));
    assert!(bench.run(&["meta", "performance"]).stdout.contains("empty"));
}

#[test]
fn an_ambiguous_question_says_what_it_may_mean() {
    let bench = Bench::new();
    bench.remember(&["Runa Olsen repaired the crane at berth nine"]);
    bench.remember(&["Runa Berg repaired the boat at berth two"]);
    for name in ["Runa Olsen", "Runa Berg"] {
        bench.json(&["knowledge", "entity", name, "--type", "person"]);
    }
    bench.json(&["extract"]);
    let question = ["recall", "what did Runa repair at the berth?"];
    let answer = bench.json(&question);
    let clarification = &answer["needs_clarification"];
    assert_eq!(clarification["words"], "runa", "{answer}");
    assert_eq!(clarification["readings"].as_array().map(Vec::len), Some(2));
    let said = bench.run(&question).stderr;
    assert!(
        said.contains("“runa” may be Runa") && said.contains("which?"),
        "{said}"
    );
    let full = bench.json(&["recall", "what did Runa Berg repair at the berth?"]);
    assert!(full.get("needs_clarification").is_none(), "{full}");
}

#[test]
fn times_in_a_question_are_in_the_zone_in_which_times_are_shown() {
    for zone in ["Pacific/Kiritimati", "<-12>12"] {
        let bench = Bench::new();
        let run = |arguments: &[&str]| {
            let command = bench.command(arguments).env("TZ", zone).output();
            RunOutput::from(command.expect("the command starts"))
        };
        let told = [
            ("2d", "two"),
            ("yesterday 00:05", "first"),
            ("yesterday 23:55", "last"),
            ("today 00:00", "now"),
        ];
        for (at, text) in told {
            let told = run(&["remember", &format!("the standup, {text}"), "--at", at]);
            assert_eq!(told.code, 0, "{}", told.stderr);
        }
        let asked = "standup yesterday";
        let found = run(&["--json", "recall", "--times", "only", asked]).parsed();
        let expected = ["the standup, first", "the standup, last"];
        assert_eq!(texts(&found), expected, "{zone}");
        let block = run(&["context", "--times", "only", asked]).stdout;
        let is_in = |text: &str| block.contains(&format!("standup, {text}"));
        let found = ["two", "first", "last", "now"].map(is_in);
        assert_eq!(found, [false, true, true, false], "{zone}: {block}");
    }
}

#[test]
fn a_time_that_is_not_understood_is_named_instead_of_silently_not_used() {
    let bench = Bench::new();
    bench.remember(&["The parser crashed"]);
    for (asked, said) in [
        (
            "parser crashed except in March",
            "“in March” had no effect: it is unclear which time is meant",
        ),
        (
            "who crashed the day after the wedding?",
            "“the day after the wedding” had no effect: no memory of the event was found",
        ),
    ] {
        for command in ["recall", "context"] {
            let ran = bench.run(&[command, "--times", "only", asked]);
            assert!(ran.stdout.contains("The parser crashed"), "{}", ran.stdout);
            assert!(ran.stderr.contains(said), "{}", ran.stderr);
            let answer = bench.json(&[command, "--times", "only", asked]);
            let words = answer["ignored_times"][0]["words"].as_str().expect("words");
            assert!(said.contains(words), "{answer}");
        }
    }
}
