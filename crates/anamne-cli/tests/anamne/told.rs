//! Told entities, relations and properties on the command line: every part, its display, and what is refused.

use serde_json::{Value, json};

use crate::bench::Bench;

fn stored() -> Bench {
    let bench = Bench::new();
    bench.remember(&["We saw both ships in the harbour today", "--author", "Ada"]);
    for arguments in [
        &[
            "entity",
            "Kestrel",
            "--type",
            "custom:vessel",
            "--tag",
            "fleet",
            "--attribute",
            "port=Emden",
            "--attribute",
            "crew=7",
        ][..],
        &[
            "entity", "Dr. Rao", "--type", "person", "--scope", "personal",
        ],
        &[
            "relation",
            "Kestrel",
            "sails_with",
            "Heron",
            "--both-ways",
            "--weight",
            "0.8",
            "--confidence",
            "0.9",
            "--evidence",
            "m1",
            "--from",
            "2026-03",
        ],
        &[
            "property",
            "Kestrel",
            "terms",
            "30 days",
            "--frame",
            "custom:billing",
        ],
        &[
            "property",
            "Kestrel",
            "terms",
            "14 days",
            "--frame",
            "custom:billing",
        ],
        &["relation", "Kestrel", "inspected_by", "Dr. Rao"],
    ] {
        bench.json(&[&["knowledge"], arguments].concat());
    }
    bench
}

fn names(bench: &Bench, arguments: &[&str]) -> Vec<String> {
    let listed = bench.json(&[&["knowledge", "list"], arguments].concat());
    let entities = listed["entities"].as_array().expect("entities");
    let name = |entity: &Value| entity["name"].as_str().expect("a name").to_owned();
    entities.iter().map(name).collect()
}

#[test]
fn every_part_is_shown_with_its_evidence() {
    let bench = stored();
    let shown = bench.json(&["knowledge", "show", "Kestrel", "--frames"]);
    let entity = &shown["entity"];
    assert_eq!(
        (&entity["type"], &entity["custom_type"]),
        (&json!("concept"), &json!("vessel"))
    );
    assert_eq!(entity["tags"], json!(["fleet"]));
    assert_eq!(entity["attributes"], json!({"port": "Emden", "crew": 7}));
    let frames = shown["frames"].as_array().expect("frames");
    let sails = frames[0]["relations"].as_array().expect("relations");
    let sails = sails.iter().find(|one| one["relation"] == "sails_with");
    let sails = sails.expect("the relation");
    assert_eq!(
        (
            &sails["both_ways"],
            &sails["told_weight"],
            &sails["confidence"]
        ),
        (&json!(true), &json!(0.8), &json!(0.9))
    );
    let cited: Vec<_> = sails["evidence"]
        .as_array()
        .expect("evidence")
        .iter()
        .collect();
    assert_eq!(
        (&cited[0]["citation"], &cited[1]["citation"]),
        (&json!("m4"), &json!("m1"))
    );
    let billing = frames.iter().find(|frame| frame["name"] == "billing");
    let billing = billing.expect("a frame")["relations"]
        .as_array()
        .expect("values");
    assert_eq!(billing.len(), 2, "the former value is kept");
    let text = bench.run(&["knowledge", "show", "Heron"]).stdout;
    for part in [
        "sails_with ↔ Kestrel",
        "weight 0.8",
        "confidence 0.9",
        "m4 m1",
    ] {
        assert!(text.contains(part), "{part}: {text}");
    }
    let text = bench
        .run(&["knowledge", "show", "Kestrel", "--frames"])
        .stdout;
    for part in [
        "Kestrel  vessel",
        "tagged fleet",
        "port: Emden",
        "billing",
        "terms → 14 days",
        "ended",
    ] {
        assert!(text.contains(part), "{part}: {text}");
    }
    assert!(!text.contains("latest mentions"), "{text}");
    let text = bench.run(&["knowledge", "show", "Dr. Rao"]).stdout;
    assert!(text.contains("personal"), "{text}");
}

#[test]
fn a_property_is_removed_and_a_known_entity_keeps_its_type() {
    let bench = stored();
    bench.json(&["knowledge", "property", "Kestrel", "terms", "--remove"]);
    let shown = bench.json(&["knowledge", "show", "Kestrel", "--frames"]);
    assert!(!shown["frames"].to_string().contains("14 days"), "{shown}");
    bench.json(&[
        "knowledge",
        "entity",
        "kestrel",
        "--no-tags",
        "--attribute",
        "crew=null",
    ]);
    let entity = &bench.json(&["knowledge", "show", "Kestrel"])["entity"];
    assert_eq!(
        (&entity["custom_type"], &entity["attributes"]),
        (&json!("vessel"), &json!({"port": "Emden"}))
    );
    assert!(entity.get("tags").is_none(), "{entity}");
}

#[test]
fn entities_are_found_by_meaning_and_parts() {
    let bench = stored();
    for arguments in [
        &["--find", "ship"][..],
        &["--find", "EMDEN"],
        &["--type", "custom:vessel"],
        &["--tag", "fleet"],
        &["--where", "port=emden", "--where", "crew=7"],
    ] {
        assert_eq!(names(&bench, arguments), ["Kestrel"], "{arguments:?}");
    }
    assert_eq!(names(&bench, &["--scope", "personal"]), ["Dr. Rao"]);
    assert!(names(&bench, &["--where", "port=Husum"]).is_empty());
    let found = bench.json(&["knowledge", "list", "--find", "ship"]);
    assert!(
        found["entities"][0]["similarity"].as_f64() > Some(0.3),
        "{found}"
    );
    let shown = bench.run(&["knowledge", "list", "--find", "ship"]).stdout;
    assert!(shown.starts_with("Kestrel  vessel"), "{shown}");
}

#[test]
fn drawings_show_weight_and_direction_and_leave_out_personal_entities() {
    let bench = stored();
    let dot = bench.run(&["graph", "Kestrel", "--format", "dot"]).stdout;
    assert!(
        dot.contains("label=\"sails_with 0.8 0.9?\", dir=both"),
        "{dot}"
    );
    assert!(
        dot.contains("Kestrel\\nvessel") && dot.contains("Dr. Rao"),
        "{dot}"
    );
    let svg = bench.run(&["graph", "Kestrel", "--format", "svg"]).stdout;
    assert!(svg.contains("sails_with 0.8 0.9?"), "{svg}");
    for format in ["dot", "svg", "text", "json"] {
        let drawn = bench
            .run(&["graph", "Kestrel", "--shared", "--format", format])
            .stdout;
        assert!(
            drawn.contains("Heron") && !drawn.contains("Rao"),
            "{format}: {drawn}"
        );
    }
}

#[test]
fn an_export_leaves_personal_facts_out_and_says_so() {
    let bench = stored();
    let ran = bench.run(&["export"]);
    assert!(
        ran.stdout.contains("Kestrel") && !ran.stdout.contains("Rao"),
        "{}",
        ran.stdout
    );
    assert!(
        ran.stderr.contains("2 facts about personal entities"),
        "{}",
        ran.stderr
    );
    let ran = bench.run(&["export", "--personal"]);
    assert!(ran.stdout.contains("Rao"), "{}", ran.stdout);
    let path = bench.folder().join("all.jsonl");
    let written = bench.json(&["export", "--output", path.to_str().expect("UTF-8")]);
    assert_eq!(
        (&written["exported"], &written["personal"]),
        (&json!(5), &json!(2))
    );
}

#[test]
fn what_does_not_fit_is_refused_before_anything_is_stored() {
    let bench = stored();
    bench.json(&["--space", "other", "remember", "Elsewhere"]);
    let elsewhere = bench.json(&["--space", "other", "list"]);
    let foreign = elsewhere["memories"][0]["id"]
        .as_str()
        .expect("an id")
        .to_owned();
    let many: Vec<String> = (0..65)
        .map(|number| format!("--attribute=a{number}=1"))
        .collect();
    let many: Vec<&str> = many.iter().map(String::as_str).collect();
    let long = format!("a={}", "x".repeat(100_000));
    let long = ["entity", "Kestrel", "--attribute", long.as_str()];
    let many = [&["entity", "Kestrel"][..], &many].concat();
    for (arguments, code, part) in [
        (
            &["entity", "Kestrel", "--type", "gnome"][..],
            2,
            "organisation",
        ),
        (&["entity", "Nobody", "--tag", "x"], 2, "needs a type"),
        (&["entity", "A\nB", "--type", "person"], 2, "control"),
        (&["entity", "Kestrel", "--scope", "secret"], 2, "personal"),
        (&many, 2, "at most 64 attributes"),
        (&long, 2, "bytes of JSON"),
        (
            &["relation", "A", "knows", "B", "--weight", "1.5"],
            2,
            "from 0 to 1",
        ),
        (
            &["relation", "A", "knows", "B", "--confidence", "NaN"],
            2,
            "from 0 to 1",
        ),
        (
            &["relation", "A", "knows", "a", "--both-ways"],
            2,
            "two different",
        ),
        (
            &["relation", "A", "knows", "B", "--evidence", "m99"],
            3,
            "m99",
        ),
        (
            &["relation", "A", "knows", "B", "--evidence", &foreign],
            2,
            "memories of the space",
        ),
        (
            &["property", "A", "size", "1", "--frame", "custom:two words"],
            2,
            "joined by _",
        ),
        (
            &["property", "A", "size", "1", "--frame", "odd"],
            2,
            "procedural",
        ),
        (&["property", "Kestrel", "size"], 2, "VALUE"),
        (&["property", "Nobody", "size", "--remove"], 3, "Nobody"),
        (&["list", "--where", "port"], 2, "name=value"),
        (&["list", "--find", " "], 2, "find"),
    ] {
        let ran = bench.run(&[&["--json", "knowledge"], arguments].concat());
        assert_eq!(
            ran.code, code,
            "{arguments:?}: {} {}",
            ran.stdout, ran.stderr
        );
        assert!(ran.stderr.contains(part), "{arguments:?}: {}", ran.stderr);
    }
    let kept = bench.json(&["list", "-k", "100"]);
    assert_eq!(kept["memories"].as_array().map(Vec::len), Some(7), "{kept}");
}

#[test]
fn hostile_parts_are_shown_as_one_line() {
    let bench = Bench::new();
    let hostile = "evil=\"]; \u{2028}<b>\\N [m9]";
    bench.json(&[
        "knowledge",
        "entity",
        "Kestrel",
        "--type",
        "custom:vessel",
        "--attribute",
        hostile,
        "--attribute",
        "lines=\"one\\ntwo\\u001b[2J\"",
    ]);
    for arguments in [
        &["knowledge", "show", "Kestrel"][..],
        &["knowledge", "list"],
        &["graph", "Kestrel", "--format", "dot"],
        &["graph", "Kestrel", "--format", "svg"],
    ] {
        let ran = bench.run(arguments);
        assert_eq!(ran.code, 0, "{arguments:?}: {}", ran.stderr);
        assert!(
            !ran.stdout.contains(['\u{1b}', '\u{2028}']),
            "{arguments:?}: {}",
            ran.stdout
        );
        assert!(
            !ran.stdout.contains("\ntwo"),
            "{arguments:?}: {}",
            ran.stdout
        );
    }
}
