//! What is stored can be retrieved, unchanged, through every command.

use serde_json::json;

use crate::bench::Bench;

#[test]
fn a_memory_keeps_everything_it_was_stored_with() {
    let bench = Bench::new();
    let stored = bench.json(&[
        "remember",
        "The staging server",
        "listens on port 8471",
        "--kind",
        "fact",
        "--category",
        "configuration",
        "--tag",
        "staging",
        "--tag",
        "network",
        "--thread",
        "servers",
        "--position",
        "3",
        "--author",
        "Ada",
        "--session",
        "s1",
        "--at",
        "2026-02-03 09:12",
        "--importance",
        "8",
        "--confidence",
        "0.5",
        "--metadata",
        "ticket=42",
        "--metadata",
        "owner=Grace",
        "--expires",
        "2031-12-31",
    ]);
    assert_eq!(stored["space"], "core");
    assert_eq!(stored["duplicate"], false);
    assert!(
        stored["seq"].as_u64().is_some_and(|seq| seq > 0),
        "{stored}"
    );

    let shown = bench.json(&["show", stored["id"].as_str().expect("an id")]);
    let memory = &shown["memory"];
    let expected = json!({
        "content": "The staging server listens on port 8471", "kind": "fact", "category": "configuration",
        "tags": ["network", "staging"], "thread": "servers", "position": 3, "author": "Ada", "session": "s1",
        "occurred_at": "2026-02-03T09:12:00Z", "importance": 8, "confidence": 0.5,
        "metadata": {"ticket": 42, "owner": "Grace"}, "expires_at": "2031-12-31T00:00:00Z", "version": 1,
    });
    for (name, value) in expected.as_object().expect("an object") {
        assert_eq!(&memory[name], value, "{name}");
    }
    let id = memory["id"].as_str().expect("an id");
    let lasting = bench.json(&["edit", id, "--expires", "never"]);
    assert!(lasting["memory"].get("expires_at").is_none(), "{lasting}");
    assert_eq!(shown["links"], json!([]));
}

#[test]
fn a_recall_answers_in_the_documented_shape() {
    let bench = Bench::new();
    bench.remember(&["The staging server listens on port 8471", "--author", "Ada"]);
    bench.remember(&["Grace prefers tabs over spaces in Rust files"]);
    let answer = bench.json(&["recall", "which port does staging use?", "-k", "2"]);
    assert_eq!(answer["degraded"], json!([]));
    assert!(answer["took_ms"].is_number(), "{answer}");
    let best = &answer["results"][0];
    assert!(
        best["memory"]["content"]
            .as_str()
            .is_some_and(|content| content.contains("8471")),
        "{answer}"
    );
    assert_eq!(best["memory"]["kind"], "message");
    for name in ["score", "confidence"] {
        assert!(best[name].is_number(), "{name}: {best}");
    }
    for name in [
        "lexical",
        "semantic",
        "words",
        "neighbours",
        "thread",
        "recency",
        "importance",
        "trust",
    ] {
        assert!(best["scores"][name].is_number(), "{name}: {best}");
    }
    assert!(
        best["reasoning"]
            .as_str()
            .is_some_and(|reasoning| !reasoning.is_empty()),
        "{best}"
    );
}

#[test]
fn filters_restrict_the_results() {
    let bench = Bench::new();
    bench.remember(&[
        "The port of the old server was 1111",
        "--author",
        "Ada",
        "--at",
        "2025-05-01",
        "--tag",
        "old",
    ]);
    bench.remember(&[
        "The port of the new server is 2222",
        "--author",
        "Grace",
        "--at",
        "2026-05-01",
        "--kind",
        "fact",
    ]);
    let old = "The port of the old server was 1111";
    let new = "The port of the new server is 2222";
    for (filter, expected) in [
        (["--since", "2026-01"], new),
        (["--until", "2025"], old),
        (["--author", "Grace"], new),
        (["--tag", "old"], old),
        (["--kind", "fact"], new),
    ] {
        assert_eq!(
            bench.recall(&[&["server port"], &filter[..]].concat()),
            [expected],
            "{filter:?}"
        );
        let listed = bench.json(&[&["list"], &filter[..]].concat());
        assert_eq!(
            listed["memories"].as_array().map(Vec::len),
            Some(1),
            "{filter:?}"
        );
        assert_eq!(listed["memories"][0]["content"], expected, "{filter:?}");
    }
}

#[test]
fn a_duplicate_is_answered_with_the_id_that_is_there() {
    let bench = Bench::new();
    let first = bench.remember(&["We deploy on Fridays only"]);
    let again = bench.json(&["remember", "We deploy on Fridays only"]);
    assert_eq!(
        (again["id"].as_str(), &again["duplicate"]),
        (Some(first.as_str()), &json!(true))
    );
    let listed = bench.json(&["list"]);
    assert_eq!(listed["memories"].as_array().map(Vec::len), Some(1));
}

#[test]
fn without_json_remember_prints_the_id_alone() {
    let bench = Bench::new();
    let ran = bench.run(&["remember", "We deploy on Fridays only"]);
    assert_eq!(
        (ran.code, ran.stdout.trim().len()),
        (0, 36),
        "{:?}",
        ran.stdout
    );
    assert!(
        ran.stderr.contains("remembered as m1 in the space core"),
        "{}",
        ran.stderr
    );
    let shown = bench.run(&["show", ran.stdout.trim()]);
    assert!(
        shown.stdout.starts_with("│ We deploy on Fridays only\n"),
        "{}",
        shown.stdout
    );
}

#[test]
fn standard_input_is_taken_word_for_word_but_for_the_last_line_break() {
    let bench = Bench::new();
    let ran = bench.feed(
        &["--json", "remember", "-"],
        b"  first line\n\nlast line \n",
    );
    assert_eq!(ran.code, 0, "{}", ran.stderr);
    let listed = bench.json(&["list"]);
    assert_eq!(
        listed["memories"][0]["content"],
        "  first line\n\nlast line "
    );
    let asked = bench.feed(&["--json", "recall", "-"], b"last line\n");
    assert_eq!(asked.parsed()["results"].as_array().map(Vec::len), Some(1));
}

#[test]
fn thoughts_form_a_chain_in_their_thread() {
    let bench = Bench::new();
    let first = bench.json(&["think", "The cache is cold after a deploy"]);
    let second = bench.json(&["think", "So the first requests time out"]);
    let apart = bench.json(&["think", "Elsewhere", "--thread", "another"]);
    let follows = |stored: &serde_json::Value| {
        let shown = bench.json(&["show", stored["id"].as_str().expect("an id")]);
        assert_eq!(shown["memory"]["kind"], "thought");
        shown["memory"]["follows"].clone()
    };
    assert!(follows(&first).is_null());
    assert_eq!(follows(&second), first["id"]);
    assert!(follows(&apart).is_null());
    let listed = bench.json(&["list", "--thread", "thoughts", "--oldest-first"]);
    assert_eq!(listed["memories"][1]["position"], 1);
}

#[test]
fn an_edit_changes_what_it_names_and_history_keeps_the_rest() {
    let bench = Bench::new();
    let id = bench.remember(&["Port 8417", "--tag", "idea", "--metadata", "draft=true"]);
    let other = bench.remember(&["Port 8471 it is"]);
    let edited = bench.json(&[
        "edit",
        &id,
        "--content",
        "Port 8471",
        "--importance",
        "9",
        "--tag",
        "urgent",
        "--untag",
        "idea",
        "--metadata",
        "draft=null",
        "--category",
        "configuration",
        "--superseded-by",
        &other,
    ]);
    let memory = &edited["memory"];
    assert_eq!(memory["content"], "Port 8471");
    assert_eq!(
        (&memory["importance"], &memory["version"]),
        (&json!(9), &json!(2))
    );
    assert_eq!(
        (&memory["tags"], &memory["kind"]),
        (&json!(["urgent"]), &json!("fact"))
    );
    assert!(memory["metadata"].get("draft").is_none());
    assert_eq!(memory["superseded_by"], other);

    let history = bench.json(&["history", &id]);
    let versions = history["versions"].as_array().expect("versions");
    assert_eq!(versions[0]["memory"]["space"], memory["space"]);
    let stored: Vec<_> = versions
        .iter()
        .map(|version| {
            (
                version["change"].as_str(),
                version["memory"]["content"].as_str(),
            )
        })
        .collect();
    assert_eq!(
        stored,
        [
            (Some("remembered"), Some("Port 8417")),
            (Some("edited"), Some("Port 8471"))
        ]
    );
    let shown = bench.run(&["history", &id]);
    assert!(
        shown.stdout.contains("importance: 5 → 9"),
        "{}",
        shown.stdout
    );
}

#[test]
fn links_are_created_shown_and_removed() {
    let bench = Bench::new();
    let bug = bench.remember(&["The TLS certificate expired"]);
    let fix = bench.remember(&["Renewal timer enabled"]);
    let drawn = bench.json(&[
        "link",
        &fix,
        &bug,
        "--type",
        "supersedes",
        "--weight",
        "0.5",
        "--reason",
        "cause found",
    ]);
    assert_eq!(
        drawn,
        json!({"from": fix, "to": bug, "type": "supersedes", "linked": true})
    );
    let links = bench.json(&["show", &bug])["links"].clone();
    assert_eq!(
        (&links[0]["from"], &links[0]["weight"], &links[0]["reason"]),
        (&json!(fix), &json!(0.5), &json!("cause found"))
    );
    let shown = bench.run(&["show", &bug]).stdout;
    assert!(
        shown.contains("← supersedes") && shown.contains("Renewal timer enabled"),
        "{shown}"
    );

    let removed = bench.json(&["link", &fix, &bug, "--type", "supersedes", "--remove"]);
    assert_eq!(removed["linked"], false);
    assert_eq!(
        bench
            .run(&["link", &fix, &bug, "--type", "supersedes", "--remove"])
            .code,
        3
    );
}

#[test]
fn ids_may_be_shortened_as_far_as_they_mean_one_memory() {
    let bench = Bench::new();
    let id = bench.remember(&["The only one"]);
    for beginning in [&id[..13], &id[..18], &id[..]] {
        assert_eq!(bench.json(&["show", beginning])["memory"]["id"], id);
    }
    let row = bench.json(&["show", &id])["memory"]["row"].clone();
    let citation = format!("m{row}");
    let listed = bench.run(&["list"]).stdout;
    assert!(listed.starts_with(&format!("{citation}  ")), "{listed}");
    assert_eq!(bench.json(&["show", &citation])["memory"]["id"], id);
}

#[test]
fn a_context_keeps_to_its_budget_and_cites_its_sources() {
    let bench = Bench::new();
    for day in 1..=20 {
        bench.remember(&[&format!(
            "Release {day} of the gateway was deployed without trouble on a calm morning"
        )]);
    }
    let context = bench.json(&["context", "releases of the gateway", "--budget", "150"]);
    assert!(
        context["tokens"]
            .as_u64()
            .is_some_and(|tokens| tokens <= 150),
        "{context}"
    );
    let entries = context["entries"].as_array().expect("entries");
    let left_out = context["left_out"].as_array().expect("what was left out");
    assert!(!entries.is_empty() && !left_out.is_empty(), "{context}");
    let shown = bench.run(&["context", "releases of the gateway", "--budget", "150"]);
    assert!(shown.stdout.contains("gateway"), "{}", shown.stdout);
    assert!(
        shown.stderr.contains("of 150 tokens") && shown.stderr.contains("left out"),
        "{}",
        shown.stderr
    );
}

#[test]
fn spaces_are_isolated_and_a_project_has_its_own() {
    let bench = Bench::new();
    bench.remember(&["Known everywhere"]);
    bench.json(&["--space", "recipes", "remember", "Bread wants time"]);
    let project = bench.folder().join("river-watch");
    std::fs::create_dir_all(project.join(".git")).expect("folders");
    let stored = bench
        .command(&["--json", "remember", "Gauges read in centimetres"])
        .current_dir(&project)
        .output();
    assert!(stored.expect("the command starts").status.success());

    let spaces = bench.json(&["spaces"]);
    let names: Vec<_> = spaces["spaces"]
        .as_array()
        .expect("spaces")
        .iter()
        .map(|space| space["name"].as_str())
        .collect();
    assert_eq!(names, [Some("core"), Some("recipes"), Some("river-watch")]);
    assert_eq!(spaces["here"], "core");
    assert_eq!(
        bench.recall(&["--space", "recipes", "bread"]),
        ["Bread wants time"]
    );
    assert!(
        bench
            .recall(&["bread wants time"])
            .iter()
            .all(|content| content == "Known everywhere")
    );
}

#[test]
fn stats_count_and_a_sound_store_is_healthy() {
    let bench = Bench::new();
    bench.remember(&["One", "--kind", "fact"]);
    bench.remember(&["Two", "--thread", "numbers"]);
    let stats = bench.json(&["stats"]);
    assert_eq!(
        (&stats["memories"], &stats["by_kind"]),
        (&json!(2), &json!({"fact": 1, "message": 1}))
    );
    assert_eq!(
        (&stats["threads"], &stats["space"]),
        (&json!(1), &json!("core"))
    );
    let views = stats["views"].as_array().expect("views");
    assert!(views.iter().all(|view| view["problem"] == ""), "{stats}");
    for name in ["lexical", "columns", "vectors"] {
        let view = views.iter().find(|view| view["name"] == name);
        assert_eq!(view.expect("a view")["position"], stats["events"], "{name}");
    }

    let found = bench.json(&["doctor"]);
    assert_eq!(found["healthy"], true);
    assert_eq!(found["spaces"][0]["problems"], json!([]));
    for command in ["stats", "doctor", "spaces"] {
        let ran = bench.run(&[command]);
        assert!(
            ran.code == 0 && ran.stdout.contains("core"),
            "{command}: {}",
            ran.stdout
        );
    }
}

#[test]
fn init_makes_the_space_once() {
    let bench = Bench::new();
    let made = bench.json(&["--space", "recipes", "init"]);
    assert_eq!(
        (&made["space"], &made["created"]),
        (&json!("recipes"), &json!(true))
    );
    assert_eq!(
        bench.json(&["--space", "recipes", "init"])["created"],
        false
    );
    assert_eq!(bench.run(&["--space", "recipes", "list"]).code, 0);
}

#[test]
fn terminal_commands_are_never_printed() {
    let bench = Bench::new();
    let id = bench.remember(&["before \u{1b}[2J\u{7} after \u{9b}"]);
    for arguments in [
        &["show", &id][..],
        &["list"],
        &["recall", "before after", "--explain"],
        &["history", &id],
        &["context", "before after"],
    ] {
        let shown = bench.run(arguments).stdout;
        assert!(shown.contains("before"), "{arguments:?}: {shown}");
        assert!(
            !shown.contains(['\u{1b}', '\u{7}', '\u{9b}']),
            "{arguments:?}: {shown:?}"
        );
    }
}
