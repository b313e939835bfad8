//! Knowledge: assertions, output, drawings, and resolved contradictions.

use serde_json::{Value, json};

use crate::bench::{Bench, lines};

const NEVER: &str = "I have never written any Flask routes in this project.";
const DID: &str = "I implemented a Flask route for the homepage.";

/// A store with knowledge about Mara Lind.
fn stored() -> Bench {
    let bench = Bench::new();
    for arguments in [
        &[
            "entity",
            "Mara Lind",
            "--type",
            "person",
            "--alias",
            "M. Lind",
        ][..],
        &["entity", "Hafen GmbH", "--type", "organisation"],
        &["entity", "Bonn", "--type", "place"],
        &[
            "relation",
            "Mara Lind",
            "works_at",
            "Hafen GmbH",
            "--from",
            "2026-03",
        ],
        &["relation", "Hafen GmbH", "located_in", "Bonn"],
        &["property", "Mara Lind", "shoe_size", "39"],
    ] {
        bench.json(&[&["knowledge"], arguments].concat());
    }
    bench
}

/// The relations of an entity as (subject, relation, object).
#[track_caller]
fn relations(bench: &Bench, entity: &str) -> Vec<(String, String, String)> {
    let shown = bench.json(&["knowledge", "show", entity]);
    let word = |value: &Value| value.as_str().expect("a word").to_owned();
    let frames = shown["frames"].as_array().expect("frames");
    let relations = frames
        .iter()
        .flat_map(|frame| frame["relations"].as_array().expect("relations"));
    relations
        .map(|relation| {
            let object = &relation["object"];
            let object = if object["value"].is_string() {
                &object["value"]
            } else {
                &object["entity"]["name"]
            };
            (
                word(&relation["subject_name"]),
                word(&relation["relation"]),
                word(object),
            )
        })
        .collect()
}

fn triple(subject: &str, relation: &str, object: &str) -> (String, String, String) {
    (subject.to_owned(), relation.to_owned(), object.to_owned())
}

/// Stores two contradicting memories and returns their ids.
fn contradiction(bench: &Bench) -> (String, String) {
    let never = bench.remember(&[NEVER, "--author", "Ada", "--at", "2026-02-03 10:00"]);
    let did = bench.remember(&[DID, "--author", "Ada", "--at", "2026-02-01 10:00"]);
    (never, did)
}

fn only(bench: &Bench, arguments: &[&str]) -> Value {
    let found = bench.json(&[&["resolve"], arguments].concat());
    let all = found["contradictions"].as_array().expect("contradictions");
    assert_eq!(all.len(), 1, "{found}");
    all[0].clone()
}

#[test]
fn assertions_are_known_with_their_evidence_and_recalled() {
    let bench = stored();
    assert_eq!(
        relations(&bench, "mara lind"),
        [
            triple("Mara Lind", "works_at", "Hafen GmbH"),
            triple("Mara Lind", "shoe_size", "39"),
        ]
    );
    let shown = bench.json(&["knowledge", "show", "M. Lind"]);
    assert_eq!(shown["entity"]["name"], "Mara Lind");
    assert_eq!(shown["entity"]["type"], "person");
    let works = &shown["frames"][0]["relations"][0];
    assert_eq!(works["asserted"], true, "{shown}");
    assert_eq!(works["valid_from"], "2026-03-01T00:00:00Z");
    assert_eq!(works["evidence"][0]["citation"], "m4");
    let found = bench.recall(&["who works at Hafen GmbH?", "-k", "1"]);
    assert!(
        found[0].starts_with("Mara Lind works at Hafen GmbH"),
        "{found:?}"
    );
    let text = bench.run(&["knowledge", "show", "Mara Lind"]).stdout;
    for part in [
        "Mara Lind  person",
        "also called",
        "works_at → Hafen GmbH",
        "since 2026-03-01",
        "m4",
        "shoe_size → 39",
        "latest mentions",
        "mentioned together with",
    ] {
        assert!(text.contains(part), "{part}: {text}");
    }
}

#[test]
fn asserting_prints_how_it_is_undone() {
    let bench = stored();
    let ran = bench.run(&["knowledge", "relation", "Mara Lind", "leads", "Hafen GmbH"]);
    assert_eq!(ran.code, 0, "{}", ran.stderr);
    assert_eq!(ran.stdout, "m7  Mara Lind leads Hafen GmbH.\n");
    assert!(
        ran.stderr.contains("undo with `anamne forget m7`"),
        "{}",
        ran.stderr
    );
    let leads = triple("Mara Lind", "leads", "Hafen GmbH");
    assert!(relations(&bench, "Hafen GmbH").contains(&leads));
    let again = bench.json(&["knowledge", "relation", "Mara Lind", "leads", "Hafen GmbH"]);
    assert_eq!(
        (&again["duplicate"], &again["citation"]),
        (&json!(true), &json!("m7"))
    );
    bench.json(&["forget", "m7"]);
    assert!(!relations(&bench, "Hafen GmbH").contains(&leads));
}

#[test]
fn the_last_word_counts_and_a_sentence_that_someone_said_does_not_stop_it() {
    let bench = stored();
    let works = triple("Mara Lind", "works_at", "Bonn Ferries");
    bench.remember(&["Mara Lind works at Bonn Ferries."]);
    let stored = bench.json(&[
        "knowledge",
        "relation",
        "Mara Lind",
        "works_at",
        "Bonn Ferries",
    ]);
    assert_eq!(stored["duplicate"], false, "{stored}");
    assert!(relations(&bench, "Mara Lind").contains(&works));
    bench.json(&["knowledge", "deny", "Mara Lind", "works_at", "Bonn Ferries"]);
    assert!(!relations(&bench, "Mara Lind").contains(&works));
    let again = bench.json(&[
        "knowledge",
        "relation",
        "Mara Lind",
        "works_at",
        "Bonn Ferries",
    ]);
    assert_eq!(again["duplicate"], false, "{again}");
    assert!(relations(&bench, "Mara Lind").contains(&works));
}

#[test]
fn a_name_is_merged_taken_apart_and_held_apart() {
    let bench = stored();
    bench.json(&["knowledge", "entity", "Mara", "--type", "person"]);
    bench.json(&["knowledge", "property", "Mara", "desk", "by the window"]);
    let merged = bench.json(&["knowledge", "merge", "Mara", "Mara Lind"]);
    assert_eq!(
        bench.json(&["knowledge", "show", "Mara"])["entity"]["name"],
        "Mara Lind"
    );
    let desk = triple("Mara Lind", "desk", "by the window");
    assert!(relations(&bench, "Mara Lind").contains(&desk));
    let ran = bench.run(&["--json", "knowledge", "merge", "mara", "Mara Lind"]);
    assert_eq!((ran.code, ran.error()["field"].as_str()), (2, Some("name")));
    bench.json(&["forget", merged["citation"].as_str().expect("a citation")]);
    assert_eq!(
        bench.json(&["knowledge", "show", "Mara"])["entity"]["name"],
        "Mara"
    );
    let suggested = bench.json(&["knowledge", "suggestions"]);
    let pair = &suggested["suggestions"][0];
    let mut names = [&pair["into"]["name"], &pair["from"]["name"]].map(ToString::to_string);
    names.sort();
    assert_eq!(names, ["\"Mara Lind\"", "\"Mara\""], "{suggested}");
    let text = bench.run(&["knowledge", "suggestions"]).stdout;
    assert!(text.contains("anamne knowledge merge"), "{text}");
    bench.json(&["knowledge", "distinct", "Mara", "Mara Lind"]);
    assert_eq!(
        bench.json(&["knowledge", "suggestions"])["suggestions"],
        json!([])
    );
}

#[test]
fn what_is_true_for_now_ends_by_itself() {
    let bench = stored();
    let asked = [
        "knowledge",
        "property",
        "Bonn",
        "weather",
        "rain",
        "--expires",
        "2031-12-31",
    ];
    let stored = bench.run(&asked);
    assert!(
        stored.stderr.contains("until 2031-12-31"),
        "{}",
        stored.stderr
    );
    let shown = bench.json(&["show", "m7"]);
    assert_eq!(shown["memory"]["expires_at"], "2031-12-31T00:00:00Z");
    assert!(relations(&bench, "Bonn").contains(&triple("Bonn", "weather", "rain")));
}

#[test]
fn the_last_day_of_a_relation_is_shown_as_it_was_told() {
    let bench = stored();
    let until = |object, day| {
        let relation = ["knowledge", "relation", "Mara Lind", "lives_in", object];
        bench.run(&[&relation[..], &["--until", day]].concat());
        bench.run(&["knowledge", "show", "Mara Lind"]).stdout
    };
    let shown = until("Kiel", "2015-01-01");
    assert!(shown.contains("ended 2015-01-01"), "{shown}");
    let shown = until("Bonn", "2999-12-31");
    assert!(shown.contains("until 2999-12-31"), "{shown}");
}

#[test]
fn an_overview_counts_and_a_list_is_narrowed() {
    let bench = stored();
    let overview = bench.json(&["knowledge"]);
    assert_eq!(
        overview["entities"],
        json!({"person": 1, "organisation": 1, "place": 1})
    );
    assert_eq!(
        (&overview["behind"], &overview["events"]),
        (&json!(0), &json!(6))
    );
    let names = |arguments: &[&str]| {
        let listed = bench.json(&[&["knowledge", "list"], arguments].concat());
        let entities = listed["entities"].as_array().expect("entities").clone();
        let name = |entity: &Value| entity["name"].as_str().expect("a name").to_owned();
        (
            entities.iter().map(name).collect::<Vec<_>>(),
            listed["more"].clone(),
        )
    };
    assert_eq!(
        names(&["--type", "place"]),
        (vec!["Bonn".to_owned()], json!(false))
    );
    assert_eq!(
        names(&["--name", "HAFEN"]),
        (vec!["Hafen GmbH".to_owned()], json!(false))
    );
    let (first, more) = names(&["--limit", "1", "--all"]);
    assert_eq!((first.len(), more), (1, json!(true)));
    let text = bench.run(&["knowledge"]).stdout;
    assert!(
        text.contains("organisation") && text.contains("Hafen GmbH"),
        "{text}"
    );
}

#[test]
fn a_name_that_is_not_known_is_not_found_and_the_nearest_are_offered() {
    let bench = stored();
    for arguments in [
        &["knowledge", "show", "Mara Lnid"][..],
        &["knowledge", "deny", "Mara Lnid"],
        &["knowledge", "merge", "Mara", "Mara Lnid"],
        &["knowledge", "distinct", "Mara Lind", "Mara Lnid"],
        &["graph", "Mara Lnid"],
    ] {
        let ran = bench.run(&[&["--json"], arguments].concat());
        let error = ran.error();
        assert_eq!(
            (ran.code, error["kind"].as_str()),
            (3, Some("not_found")),
            "{error}"
        );
        let hint = error["hint"].as_str().unwrap_or_default();
        assert!(hint.contains("'Mara Lind'"), "{arguments:?}: {error}");
    }
    let ran = bench.run(&["--json", "graph", "Zyx"]);
    assert_eq!(ran.code, 3);
    assert!(ran.stderr.contains("knowledge list"), "{}", ran.stderr);
    let ran = bench.run(&["--json", "knowledge", "show", " "]);
    assert_eq!(
        (ran.code, ran.error()["field"].as_str()),
        (2, Some("entity"))
    );
    let ran = bench.run(&["knowledge", "list", "--type", "gnome"]);
    assert!(
        ran.stderr.contains("organisation") && ran.stderr.contains("concept"),
        "{}",
        ran.stderr
    );
}

#[test]
fn neighbourhoods_are_drawn_in_every_format() {
    let bench = stored();
    let drawn = bench.run(&["graph", "Mara Lind", "--steps", "2"]).stdout;
    let expected = [
        "Mara Lind  person",
        "├─ shoe_size → 39  asserted · m6",
        "└─ works_at → Hafen GmbH  organisation · asserted · since 2026-03-01 · m4",
        "   └─ located_in → Bonn  place · asserted · m5",
    ];
    let mut found: Vec<_> = drawn.lines().collect();
    // The two branches have equal confidence but a defined order.
    assert_eq!(found.len(), 4, "{drawn}");
    assert_eq!(found.remove(0), expected[0]);
    assert_eq!(found, expected[1..]);

    let near = bench.json(&["graph", "Mara Lind"]);
    assert_eq!(near["entity"], "Mara Lind");
    assert_eq!(near["entities"].as_array().map(Vec::len), Some(2), "{near}");
    assert_eq!(near["entities"][1]["steps"], 1);
    let cut = bench.json(&["graph", "Mara Lind", "--steps", "2", "-k", "2"]);
    assert_eq!(cut["cut"], true);
    let same = bench.run(&["graph", "Mara Lind", "--format", "json"]);
    assert_eq!(same.parsed(), near);

    let dot = bench.run(&["graph", "Mara Lind", "--format", "dot"]).stdout;
    assert!(
        dot.starts_with("digraph anamne {") && dot.ends_with("}\n"),
        "{dot}"
    );
    assert!(
        dot.contains("label=\"Mara Lind\\nperson\"") && dot.contains("label=\"works_at\""),
        "{dot}"
    );
}

#[test]
fn a_drawing_is_written_into_the_file_that_is_named() {
    let bench = stored();
    let path = bench.folder().join("mara.svg");
    let path = path.to_str().expect("UTF-8");
    let ran = bench.run(&["graph", "Mara Lind", "--steps", "2", "--output", path]);
    assert_eq!(ran.code, 0, "{}", ran.stderr);
    assert!(
        ran.stdout.contains("3 entities, 3 relations"),
        "{}",
        ran.stdout
    );
    let picture = std::fs::read_to_string(path).expect("a file");
    assert!(
        picture.starts_with("<svg ") && picture.ends_with("</svg>\n"),
        "{picture}"
    );
    assert!(
        picture.contains(">Mara Lind</text>") && picture.contains("works_at"),
        "{picture}"
    );
    let again = bench.run(&["graph", "Mara Lind", "--steps", "2", "--format", "svg"]);
    assert_eq!(
        again.stdout, picture,
        "the same graph gives the same picture"
    );
    for (name, begins) in [
        ("m.dot", "digraph"),
        ("m.json", "{"),
        ("m.txt", "Mara Lind"),
    ] {
        let path = bench.folder().join(name);
        let ran = bench.run(&["graph", "Mara Lind", "-o", path.to_str().expect("UTF-8")]);
        assert_eq!(ran.code, 0, "{}", ran.stderr);
        let written = std::fs::read_to_string(path).expect("a file");
        assert!(written.starts_with(begins), "{name}: {written}");
    }
    let unknown = bench.folder().join("m.png");
    let ran = bench.run(&["graph", "Mara Lind", "-o", unknown.to_str().expect("UTF-8")]);
    assert_eq!(ran.code, 2, "{}", ran.stderr);
    assert!(
        ran.stderr.contains(".png") && ran.stderr.contains(".svg") && !unknown.exists(),
        "{}",
        ran.stderr
    );
    let nowhere = bench.folder().join("no/such/folder.svg");
    let ran = bench.run(&["graph", "Mara Lind", "-o", nowhere.to_str().expect("UTF-8")]);
    assert_eq!(ran.code, 1);
    assert!(ran.stderr.contains("can't write"), "{}", ran.stderr);
}

#[test]
fn no_name_is_obeyed_by_a_terminal_or_breaks_a_drawing() {
    let bench = Bench::new();
    let hostile = "<b>\"x\" & \\N 巣箱";
    bench.json(&["knowledge", "entity", hostile, "--type", "symbol"]);
    bench.json(&["knowledge", "property", hostile, "says", "</svg>"]);
    bench.remember(&["Plain \u{1b}[2J words about nobody"]);
    for arguments in [
        &["knowledge"][..],
        &["knowledge", "list"],
        &["knowledge", "show", hostile],
        &["graph", hostile],
        &["graph", hostile, "--format", "dot"],
        &["graph", hostile, "--format", "svg"],
    ] {
        let ran = bench.run(arguments);
        assert_eq!(ran.code, 0, "{arguments:?}: {}", ran.stderr);
        assert!(ran.stdout.contains("巣箱"), "{arguments:?}: {}", ran.stdout);
        assert!(!ran.stdout.contains(['\u{1b}', '\u{9b}']), "{arguments:?}");
    }
    let picture = bench.run(&["graph", hostile, "--format", "svg"]).stdout;
    assert!(
        !picture.contains("<b>") && picture.matches("</svg>").count() == 1,
        "{picture}"
    );
}

#[test]
fn a_contradiction_is_listed_decided_and_opened_again() {
    let bench = Bench::new();
    let (never, did) = contradiction(&bench);
    let open = only(&bench, &[]);
    let id = open["id"].as_str().expect("an id").to_owned();
    assert_eq!(open["kind"], "contested", "{open}");
    assert_eq!(
        (&open["earlier"]["memory"], &open["later"]["memory"]),
        (&json!(did), &json!(never)),
        "{open}"
    );
    assert_eq!(open["later"]["author"], "Ada");
    let listed = bench.run(&["resolve"]);
    for part in [
        &id,
        "“I have never written any Flask routes",
        "m2",
        "Ada · 2026-02-03",
    ] {
        assert!(listed.stdout.contains(part), "{part}: {}", listed.stdout);
    }
    assert!(listed.stderr.contains("--keep"), "{}", listed.stderr);
    assert!(
        bench
            .run(&["knowledge"])
            .stdout
            .contains("1 open contradiction")
    );

    let decided = bench.json(&["resolve", &id[..5], "--keep", "m2"]);
    assert_eq!(decided["contradiction"]["kept"], did, "{decided}");
    assert_eq!(bench.json(&["resolve"])["contradictions"], json!([]));
    assert_eq!(only(&bench, &["--all"])["kept"], did);
    let wrong = bench.run(&["show", &never]).stdout;
    assert!(wrong.contains("resolved as wrong: m2 holds"), "{wrong}");

    // A decision can be changed, and changed back.
    for keep in ["m1", "m2"] {
        let decided = bench.json(&["resolve", &id, "--keep", keep]);
        let kept = if keep == "m1" { &never } else { &did };
        assert_eq!(decided["contradiction"]["kept"], *kept, "{decided}");
    }
    let last = bench.json(&["resolve", &id, "--keep", "m2"]);
    let listed = bench.json(&["list", "--limit", "50"]);
    let decisions = listed["memories"].as_array().expect("memories");
    for memory in decisions
        .iter()
        .filter(|memory| memory["metadata"]["knowledge"].is_object())
    {
        bench.json(&["forget", memory["id"].as_str().expect("an id")]);
    }
    assert!(last["decision"]["citation"].is_string());
    assert!(only(&bench, &[])["kept"].is_null());
}

#[test]
fn only_a_side_can_be_kept_and_only_a_known_contradiction_decided() {
    let bench = Bench::new();
    contradiction(&bench);
    bench.remember(&["The harbour was calm."]);
    let id = only(&bench, &[])["id"].as_str().expect("an id").to_owned();
    let ran = bench.run(&["--json", "resolve", &id, "--keep", "m3"]);
    let error = ran.error();
    assert_eq!(
        (ran.code, error["field"].as_str()),
        (2, Some("keep")),
        "{error}"
    );
    let message = error["message"].as_str().expect("a message");
    assert!(
        message.contains("m1") && message.contains("m2") && message.ends_with("m3"),
        "{message}"
    );
    for (id, keep) in [
        (id.as_str(), "m99"),
        ("ffff0000ffff", "m1"),
        ("no-id", "m1"),
    ] {
        let ran = bench.run(&["--json", "resolve", id, "--keep", keep]);
        assert_eq!(
            (ran.code, ran.error()["kind"].as_str()),
            (3, Some("not_found")),
            "{id}"
        );
    }
    assert!(only(&bench, &[])["kept"].is_null(), "nothing was changed");
}

#[test]
fn an_id_that_fits_several_contradictions_says_so() {
    let bench = Bench::new();
    let tools = [
        "Flask", "Django", "Rails", "Tornado", "Falcon", "Bottle", "Sanic", "Pyramid", "Express",
    ];
    let mut stored = Vec::new();
    for (day, tool) in tools.iter().enumerate() {
        let at = |hour: usize| format!("2026-02-{:02}T{hour:02}:00:00Z", day + 1);
        stored.push(json!({"text": format!("I implemented a {tool} route for the homepage."), "author": "Ada", "time": at(9)}));
        stored.push(json!({"text": format!("I have never written any {tool} routes in this project."), "author": "Ada", "time": at(12)}));
    }
    let ran = bench.feed(&["import", "-"], lines(stored).as_bytes());
    assert_eq!(ran.code, 0, "{}", ran.stderr);
    let found = bench.json(&["resolve", "--all", "--limit", "1000"]);
    let ids: Vec<&str> = found["contradictions"]
        .as_array()
        .expect("contradictions")
        .iter()
        .map(|one| one["id"].as_str().expect("an id"))
        .collect();
    let mut firsts: Vec<&str> = ids.iter().map(|id| &id[..1]).collect();
    firsts.sort_unstable();
    let shared = firsts.windows(2).find(|pair| pair[0] == pair[1]);
    // Ids are derived from random ones, so no two of them need to share a first character; then it identifies a single
    // one.
    let Some(shared) = shared else {
        assert_eq!(bench.run(&["resolve", firsts[0]]).code, 0);
        return;
    };
    let ran = bench.run(&["--json", "resolve", shared[0]]);
    assert_eq!(
        (ran.code, ran.error()["field"].as_str()),
        (2, Some("id")),
        "{}",
        ran.stderr
    );
    let matches = firsts.iter().filter(|first| **first == shared[0]).count();
    let said = format!("{matches} match");
    assert!(ran.stderr.contains(&said), "{}", ran.stderr);
}

#[test]
fn memories_are_compared_by_name_or_on_a_topic_and_the_exit_code_says_whether_they_agree() {
    let bench = Bench::new();
    let (never, did) = contradiction(&bench);
    bench.remember(&["The harbour was calm."]);
    let ran = bench.run(&["check", "m1", "m2", "m3"]);
    assert_eq!(ran.code, 1, "{}", ran.stderr);
    assert!(ran.stdout.contains("open"), "{}", ran.stdout);
    assert!(
        ran.stdout
            .contains("“I have never written any Flask routes"),
        "{}",
        ran.stdout
    );
    assert!(
        ran.stderr.contains("1 contradiction open in 3 memories"),
        "{}",
        ran.stderr
    );
    let ran = bench.run(&["--json", "check", "--topic", "Flask routes"]);
    assert_eq!(ran.code, 1, "{}", ran.stderr);
    let report: Value = serde_json::from_str(&ran.stdout).expect("JSON");
    let found = &report["contradictions"][0];
    assert_eq!(
        (&found["earlier"]["memory"], &found["later"]["memory"]),
        (&json!(did), &json!(never)),
        "{report}"
    );
    assert!(
        found["holds"].is_null() && report["checked"].is_u64(),
        "{report}"
    );
    let agreed = bench.run(&["check", "m1", "m3"]);
    assert_eq!(
        (agreed.code, agreed.stdout.as_str()),
        (0, ""),
        "{}",
        agreed.stderr
    );
    let id = found["id"].as_str().expect("an id");
    bench.json(&["resolve", id, "--keep", "m2"]);
    let decided = bench.json(&["check", "m1", "m2"]);
    assert_eq!(decided["contradictions"][0]["holds"], did, "{decided}");
    assert_eq!(bench.run(&["check", "m99"]).code, 3);
    assert_eq!(bench.run(&["check"]).code, 2);
}

#[test]
fn a_host_starts_a_session_without_a_question() {
    let bench = Bench::new();
    bench.remember(&[
        "Plates are fired in two passes",
        "--kind",
        "fact",
        "--category",
        "architecture_decision",
    ]);
    bench.remember(&["Who tests the cobalt glaze on the large plates?"]);
    let ran = bench.run(&["context", "--preset", "session-start"]);
    assert_eq!(ran.code, 0, "{}", ran.stderr);
    for part in [
        "## Decided",
        "two passes",
        "## Open",
        "Who tests the cobalt",
    ] {
        assert!(ran.stdout.contains(part), "{part}: {}", ran.stdout);
    }
    assert!(ran.stderr.contains("of 1,500 tokens"), "{}", ran.stderr);
    let block = bench.json(&["context", "--preset", "session_start", "--budget", "5000"]);
    assert!(
        block["tokens"]
            .as_u64()
            .is_some_and(|tokens| tokens <= 1_500),
        "{block}"
    );
    assert_eq!(bench.run(&["context"]).code, 2);
    assert_eq!(bench.run(&["context", "--preset", "lunch"]).code, 2);
}

#[test]
fn recall_and_context_say_what_contradicts_a_memory() {
    let bench = Bench::new();
    contradiction(&bench);
    bench.json(&["extract"]);
    let asked = "who wrote a Flask route for the homepage?";
    let text = bench.run(&["recall", asked]).stdout;
    assert!(
        text.contains("contested by m1:") && text.contains("contested by m2:"),
        "{text}"
    );
    let answer = bench.json(&["recall", asked]);
    assert_eq!(
        answer["results"][0]["disputes"][0]["kind"], "contested",
        "{answer}"
    );
    let context = bench.run(&["context", asked]).stdout;
    assert!(context.contains("(contested by [m1])"), "{context}");
    let shown = bench.json(&["show", "m1"]);
    assert_eq!(shown["disputes"][0]["citation"], "m2", "{shown}");
    assert!(
        bench
            .run(&["show", "m1"])
            .stdout
            .contains("contested by m2: ")
    );
}

#[test]
fn commands_extract_what_they_wrote() {
    let bench = Bench::new();
    for (port, day) in [(8471, "2026-01-05"), (8472, "2026-02-05")] {
        let text = format!("The staging server listens on port {port}");
        bench.remember(&[&text, "--category", "configuration", "--at", day]);
    }
    let asked = bench.run(&["recall", "which port does staging use?"]);
    let (first, _) = asked.stdout.split_once("8471").expect("both ports");
    assert!(first.contains("8472"), "{}", asked.stdout);
    assert!(asked.stdout.contains("outdated by m2"), "{}", asked.stdout);
    assert_eq!(bench.json(&["extract"])["memories"], 0);
}

#[test]
fn extracting_again_gives_the_same_and_nothing_twice() {
    let bench = stored();
    contradiction(&bench);
    let extracted = bench.json(&["extract", "--again"]);
    assert_eq!(
        (&extracted["memories"], &extracted["behind"]),
        (&json!(8), &json!(0))
    );
    assert_eq!(bench.json(&["extract"])["memories"], 0);
    assert!(
        bench
            .run(&["extract"])
            .stdout
            .contains("nothing to extract")
    );
    let before = (
        bench.json(&["graph", "Mara Lind", "--steps", "3"]),
        only(&bench, &[]),
    );
    let again = bench.json(&["extract", "--again"]);
    assert_eq!(
        (&again["memories"], &again["busy"]),
        (&json!(8), &json!(false))
    );
    let after = (
        bench.json(&["graph", "Mara Lind", "--steps", "3"]),
        only(&bench, &[]),
    );
    assert_eq!(before, after);
}

#[test]
fn two_processes_assert_and_extract_at_once() {
    let bench = Bench::new();
    let stored = (0..300).map(|number| json!({"text": format!("Boat {number} was painted.")}));
    assert_eq!(
        bench.feed(&["import", "-"], lines(stored).as_bytes()).code,
        0
    );
    let running: Vec<_> = (0..6)
        .map(|number| {
            let boat = format!("Boat {number}");
            let arguments: &[&str] = if number % 2 == 0 {
                &["--json", "extract"]
            } else {
                &["--json", "knowledge", "property", &boat, "colour", "blue"]
            };
            bench
                .command(arguments)
                .spawn()
                .expect("the command starts")
        })
        .collect();
    for child in running {
        let ended = child.wait_with_output().expect("the command ends");
        let said = String::from_utf8_lossy(&ended.stderr);
        assert!(ended.status.success(), "{said}");
    }
    for number in [1, 3, 5] {
        let boat = format!("Boat {number}");
        assert!(relations(&bench, &boat).contains(&triple(&boat, "colour", "blue")));
    }
    assert_eq!(bench.json(&["knowledge"])["behind"], 0);
}
