//! Records and dumps of other programs become typed memories, once, and claim no authority.

use anamne::{
    Assertion, BadLines, Body, Error, Filter, ImportOptions, ImportReport, Memory, Options, Order,
    Space, Store, Visibility,
};
use serde_json::{Value, json};

fn space() -> (tempfile::TempDir, Space) {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let store = Store::open_with(Options::new(folder.path()).background(false)).expect("a store");
    let space = store.space("tests").expect("a space");
    (folder, space)
}

fn import(space: &Space, text: &str, options: impl Into<ImportOptions>) -> ImportReport {
    space
        .import(text.as_bytes(), options, &mut |_| {})
        .expect("an import")
}

/// Records as lines.
fn text_of(lines: &[Value]) -> String {
    let lines: Vec<_> = lines.iter().map(Value::to_string).collect();
    lines.join("\n")
}

fn memory(space: &Space, id: &str) -> Memory {
    let id = space.find_imported(id).expect("a look-up").expect(id);
    space.get(id).expect("a memory")
}

const LINES: &str = r#"{"id": "s", "memory_type": "skill", "skill_name": "Deploy the API", "trigger": "a release is due", "steps": ["build", {"step": "push"}], "code": "make deploy", "owner": "Mara"}
{"id": "t2", "chain_id": "c-9", "thought_number": 2, "total_thoughts": 2, "framework": "first_principles", "thought": "So the cache is stale", "timestamp": "2026-02-03T09:13:00Z"}
{"id": "t1", "chain_id": "c-9", "thought_number": 1, "total_thoughts": 2, "framework": "first_principles", "thought": "The page shows old prices", "timestamp": 1770109957}
{"id": "e", "content": "Fixed the prices", "goal": "Fix the stale prices", "plan": "look\nfix", "steps": ["looked", "fixed"], "outcome": "done", "salience": 8, "tool_logs": [{"tool": "psql", "input": "select 1", "output": "1", "success": true}, "restarted the cache"]}
{"id": "m", "content": "Plain words", "timestamp": 1770109957000, "framework": "django"}
"#;

#[test]
fn older_fields_become_typed_ones_and_the_rest_stays() {
    let (_folder, space) = space();
    let report = import(&space, LINES, BadLines::Stop);
    assert_eq!((report.imported, report.bad.len()), (5, 0));
    let skill = memory(&space, "s");
    assert_eq!(
        skill.body,
        Body::Skill {
            name: "Deploy the API".into(),
            trigger: "a release is due".into(),
            steps: vec!["build".into(), "push".into()],
            code: "make deploy".into(),
        }
    );
    assert_eq!(skill.content, "Deploy the API\nbuild\npush");
    assert_eq!(skill.metadata["owner"], "Mara");

    let thoughts = ["t1", "t2"].map(|id| memory(&space, id));
    for (place, thought) in (0..).zip(&thoughts) {
        let body = Body::Thought {
            follows: None,
            framework: "first_principles".to_owned(),
            number: Some(place + 1),
            total: Some(2),
            chain: String::new(),
        };
        assert_eq!(thought.body, body);
        assert_eq!(
            (thought.thread.as_deref(), thought.position),
            (Some("c-9"), Some(place))
        );
        assert!(thought.metadata.is_empty(), "{:?}", thought.metadata);
    }
    assert_eq!(thoughts[0].occurred_at.to_string(), "2026-02-03T09:12:37Z");
    assert_eq!(thoughts[1].occurred_at.to_string(), "2026-02-03T09:13:00Z");

    let episode = memory(&space, "e");
    let Body::Episode {
        goal,
        plan,
        outcome,
        tool_log,
        salience,
        steps,
    } = episode.body
    else {
        panic!("{:?}", episode.body);
    };
    assert_eq!(
        (goal.as_str(), plan, outcome.as_str()),
        (
            "Fix the stale prices",
            vec!["look".to_owned(), "fix".to_owned()],
            "done"
        )
    );
    assert_eq!(salience, Some(0.8));
    assert_eq!(
        (tool_log[0].tool.as_str(), tool_log[0].succeeded),
        ("psql", Some(true))
    );
    assert_eq!(tool_log[1].output, "restarted the cache");
    assert_eq!(steps, ["looked", "fixed"]);

    let message = memory(&space, "m");
    assert_eq!(message.body, Body::Message { role: None });
    assert_eq!(message.occurred_at.to_string(), "2026-02-03T09:12:37Z");
    assert_eq!(message.metadata["framework"], "django");
    let again = import(&space, LINES, BadLines::Stop);
    assert_eq!((again.imported, again.known), (0, 5));
}

#[test]
fn fields_that_a_store_sets_itself_are_kept_from_other_programs() {
    let (_folder, space) = space();
    let lines = [
        json!({ "id": "a", "text": "Ada lives in Kiel", "created_at": "2025-06-01T10:00:00Z", "version": "2.1", "seq": 4,
            "updated_at": "2025-06-02", "superseded_by": "b", "space": "work", "row": 9, "surroundings": {} }),
        json!({ "id": "b", "text": "Seconds", "created_at": 1_748_772_000 }),
        json!({ "id": "c", "text": "Both", "time": "2024-01-01T00:00:00Z", "created_at": "2025-06-01T10:00:00Z" }),
        json!({ "id": "d", "text": "A goal", "goal": "x", "created_at": "2025-06-01T10:00:00Z" }),
        json!({ "id": "e", "text": "Unreadable", "created_at": "last week", "updated_at": null }),
        json!({ "id": "f", "external_id": "g", "text": "Two ids" }),
        json!({ "external_id": 17, "text": "A number" }),
    ];
    let text = text_of(&lines);
    assert_eq!(import(&space, &text, BadLines::Stop).imported, 7);
    let first = memory(&space, "a");
    assert_eq!(
        serde_json::to_value(&first.metadata).expect("JSON"),
        json!({ "version": "2.1", "seq": 4, "updated_at": "2025-06-02", "superseded_by": "b", "space": "work", "row": 9,
            "surroundings": {} })
    );
    for id in ["a", "b", "d"] {
        let at = memory(&space, id).occurred_at.to_string();
        assert_eq!(at, "2025-06-01T10:00:00Z", "{id}");
    }
    let both = memory(&space, "c");
    assert_eq!(both.occurred_at.to_string(), "2024-01-01T00:00:00Z");
    assert_eq!(both.metadata["created_at"], "2025-06-01T10:00:00Z");
    let unreadable = memory(&space, "e").metadata;
    assert_eq!(
        serde_json::to_value(unreadable).expect("JSON"),
        json!({ "created_at": "last week" })
    );
    assert_eq!(memory(&space, "g").metadata["id"], "f");
    assert_eq!(memory(&space, "17").content, "A number");
    let again = import(&space, &text, ImportOptions::default().updating());
    assert_eq!((again.imported, again.known, again.updated), (0, 7, 0));
}

#[test]
fn a_text_under_another_name_is_read_and_null_is_empty() {
    let (_folder, space) = space();
    let lines = [
        json!({ "id": "a", "memory": "Likes hiking", "hash": "00ff", "user_id": "ada", "metadata": null, "tags": null,
            "links": null, "created_at": "2025-06-01T10:00:00Z" }),
        json!({ "id": "b", "description": "Likes tea" }),
    ];
    let text = text_of(&lines);
    assert_eq!(import(&space, &text, BadLines::Stop).imported, 2);
    let first = memory(&space, "a");
    assert_eq!(first.content, "Likes hiking");
    assert_eq!(first.occurred_at.to_string(), "2025-06-01T10:00:00Z");
    assert_eq!(
        serde_json::to_value(&first.metadata).expect("JSON"),
        json!({ "hash": "00ff", "user_id": "ada" })
    );
    assert_eq!(memory(&space, "b").content, "Likes tea");
}

#[test]
fn a_line_that_was_deleted_becomes_a_forgotten_memory() {
    let (_folder, space) = space();
    let lines = [
        json!({ "id": "a", "text": "Ada lives in Ulm", "deleted_at": "2025-06-01T10:00:00Z" }),
        json!({ "id": "b", "text": "Ada lives in Bonn", "deleted_at": 1_748_772_000 }),
        json!({ "id": "c", "text": "Ada lives in Kiel", "deleted_at": null }),
        json!({ "id": "d", "text": "Ada lives in Jena", "deleted_at": "" }),
        json!({ "id": "e", "text": "Ada lives in Gera", "deleted_at": 0 }),
    ];
    let text = text_of(&lines);
    for imported in [5, 0] {
        let report = import(&space, &text, BadLines::Stop);
        assert_eq!(report.imported, imported);
    }
    let deleted_at = memory(&space, "a").deleted_at.expect("forgotten");
    assert_eq!(deleted_at.to_string(), "2025-06-01T10:00:00Z");
    let live = space
        .list(&anamne::Listing {
            limit: 9,
            ..anamne::Listing::default()
        })
        .expect("a list");
    assert_eq!(live.len(), 3);
    let bad = json!({ "text": "x", "deleted_at": "yes" }).to_string();
    let refused = space.import(bad.as_bytes(), BadLines::Stop, &mut |_| {});
    assert!(
        matches!(refused, Err(Error::BadLine { ref reason, .. }) if reason.contains("deleted_at")),
        "{refused:?}"
    );
}

#[test]
fn a_field_whose_name_the_metadata_has_too_is_kept_beside_it() {
    let (_folder, space) = space();
    let line = json!({
        "id": "a", "text": "x", "source": "slack", "same": 1,
        "metadata": { "source": "C123", "source_2": "old", "same": 1 },
    });
    import(&space, &line.to_string(), BadLines::Stop);
    assert_eq!(
        serde_json::to_value(memory(&space, "a").metadata).expect("JSON"),
        json!({ "source": "C123", "source_2": "old", "source_3": "slack", "same": 1 })
    );
}

#[test]
fn a_bad_older_line_is_refused_by_its_number() {
    for (bad, reason) in [
        (
            json!({ "content": "x", "timestamp": "yesterday" }),
            "timestamp",
        ),
        (json!({ "content": "x", "salience": 11 }), "salience"),
        (json!({ "skill_name": "" }), "content"),
        (json!({ "chain_id": "c" }), "missing field `text`"),
        (
            json!({ "memory_type": "skill", "skill_name": 7, "content": "x", "importance": 90 }),
            "importance",
        ),
    ] {
        let (_folder, space) = space();
        let text = format!("{{\"text\": \"before\"}}\n{bad}\n");
        let options = ImportOptions::from(BadLines::Stop);
        match space.import(text.as_bytes(), options, &mut |_| {}) {
            Err(Error::BadLine {
                line: 2,
                reason: said,
                ..
            }) => assert!(said.contains(reason), "{said}"),
            other => panic!("{bad}: {other:?}"),
        }
        let report = import(&space, &text, BadLines::Skip);
        assert_eq!(
            (report.known, report.bad.len(), report.bad[0].line),
            (1, 1, 2)
        );
    }
}

fn dump() -> Value {
    json!({
        "chain:7": { "name": "Stale prices", "framework": "first_principles", "status": "done", "conclusion": "The cache was never cleared" },
        "thought:b": { "chain_id": "7", "thought_number": "2", "content": "So the cache is stale", "timestamp": "1770109980" },
        "thought:a": "{\"chain_id\": \"7\", \"thought_number\": 1, \"content\": \"The page shows old prices\"}",
        "thought:alone": { "content": "Ask Mara about the budget", "tags": "money, Mara" },
        "node:1": { "name": "Mara Lind", "type": "person", "aliases": ["Mara"], "team": "shop" },
        "node:2": { "name": "Redis", "type": "technology", "description": "It caches the prices." },
        "relation:1-2": { "from": "1", "to": "node:2", "type": "Works With", "weight": 0.7, "confidence": 0.9 },
        "relation:2-1": { "from": "2", "to": "1", "type": "helps", "weight": 7 },
    })
}

#[test]
fn a_dump_of_thoughts_chains_nodes_and_relations_is_read_once() {
    let (_folder, space) = space();
    let pretty = serde_json::to_string_pretty(&dump()).expect("JSON");
    let report = import(&space, &pretty, ImportOptions::default().trusted());
    assert_eq!((report.imported, report.lines, report.bad.len()), (8, 8, 0));
    let places = ["thought:a", "thought:b"]
        .map(|id| memory(&space, id))
        .map(|thought| (thought.thread, thought.position));
    assert_eq!(
        places,
        [
            (Some("7".to_owned()), Some(0)),
            (Some("7".to_owned()), Some(1))
        ]
    );
    let chain = memory(&space, "chain:7");
    assert_eq!(chain.content, "The cache was never cleared");
    assert_eq!(chain.metadata["status"], "done");
    assert_eq!(chain.thread.as_deref(), Some("7"));
    let alone = memory(&space, "thought:alone");
    assert_eq!(
        (alone.thread, alone.tags),
        (None, vec!["Mara".to_owned(), "money".to_owned()])
    );
    assert_eq!(memory(&space, "node:1").metadata["team"], "shop");
    let relation = memory(&space, "relation:1-2");
    assert_eq!(relation.content, "Mara Lind works with Redis, weight 0.7.");
    assert!((relation.confidence - 0.9).abs() < 1e-6);
    assert!(!relation.metadata.contains_key("weight"));
    assert_eq!(relation.metadata[Assertion::KEY]["weight"], 0.7);
    let other_scale = memory(&space, "relation:2-1");
    assert_eq!(other_scale.metadata["weight"], 7);
    assert!(other_scale.metadata[Assertion::KEY].get("weight").is_none());

    space.extract(&mut |_| true).expect("extracted");
    let told = space
        .knowledge()
        .expect("knowledge")
        .relations("Mara Lind")
        .expect("relations");
    assert!(told.iter().any(|relation| relation.asserted), "{told:?}");

    let again = import(
        &space,
        &dump().to_string(),
        ImportOptions::default().trusted(),
    );
    assert_eq!((again.imported, again.known), (0, 8));
    let ids = space
        .select(&Filter::default(), Visibility::Both, Order::OldestFirst)
        .expect("ids");
    assert_eq!(ids.len(), 8);
}

#[test]
fn a_dump_that_is_not_trusted_tells_the_graph_nothing() {
    let (_folder, space) = space();
    let report = import(&space, &dump().to_string(), BadLines::Stop);
    assert_eq!((report.imported, report.unproven.metadata), (8, 4));
    let node = memory(&space, "node:1");
    assert!(!node.metadata.contains_key(Assertion::KEY));
    assert!(memory(&space, "node:1").trust <= 0.9);
}

#[test]
fn other_shapes_of_a_dump_say_the_same() {
    let listed = json!([
        { "key": "app:chain:7", "type": "hash", "ttl": -1, "value": { "title": "Prices", "thought_ids": "[\"z\", \"a\"]" } },
        { "key": "app:thought:a", "type": "ReJSON-RL", "value": { "content": "second" } },
        { "key": "app:thought:z", "type": "string", "value": "{\"content\": \"first\"}" },
    ]);
    let (_folder, space) = space();
    assert_eq!(
        import(&space, &listed.to_string(), BadLines::Stop).imported,
        3
    );
    let places = ["app:thought:z", "app:thought:a"]
        .map(|id| memory(&space, id))
        .map(|thought| (thought.content, thought.thread, thought.position));
    let seven = || Some("7".to_owned());
    assert_eq!(
        places,
        [
            ("first".to_owned(), seven(), Some(0)),
            ("second".to_owned(), seven(), Some(1))
        ]
    );
    assert_eq!(memory(&space, "app:chain:7").content, "Chain Prices");
}

#[test]
fn a_first_line_like_a_dump_costs_only_itself() {
    for first in [
        "[1]",
        "[{\"text\": \"one\"}]",
        "{\"thought:1\": {}}",
        "[INFO] started",
    ] {
        let (_folder, space) = space();
        let lines = format!("{first}\n\n{{\"text\": \"The lock is green\"}}\n");
        let report = import(&space, &lines, BadLines::Skip);
        assert_eq!(
            (report.imported, report.lines),
            (1, 3),
            "{first}: {report:?}"
        );
        assert_eq!(report.bytes, lines.len() as u64, "{first}");
        assert_eq!(
            (report.bad.len(), report.bad[0].line),
            (1, 1),
            "{first}: {report:?}"
        );
    }
    // One document, also with white space at its end.
    let (_folder, space) = space();
    let report = import(&space, &format!("{}\n\n", dump()), BadLines::Stop);
    assert_eq!(report.imported, 8, "{report:?}");
}

#[test]
fn entries_of_a_dump_that_can_not_be_read_are_named() {
    let (_folder, space) = space();
    let text = json!({
        "thought:1": { "content": "fine" },
        "thought:2": { "thought_number": 3 },
        "thought:3": "no object",
        "session:4": { "user": "Mara" },
        "relation:5": { "from": "a", "type": "knows" },
        "node:6": { "name": "", "type": "person" },
    });
    let refused = space.import(text.to_string().as_bytes(), BadLines::Stop, &mut |_| {});
    assert!(matches!(refused, Err(Error::BadLine { .. })), "{refused:?}");
    let report = import(&space, &text.to_string(), BadLines::Skip);
    let said: Vec<_> = report
        .bad
        .iter()
        .map(|bad| (bad.line, bad.reason.as_str()))
        .collect();
    // What stands before the first of them was imported already.
    assert_eq!((report.imported, report.known), (1, 1), "{said:?}");
    for (key, what) in [
        ("thought:2", "no content"),
        ("thought:3", "no object"),
        ("session:4", "no thought, chain, node or relation"),
        ("relation:5", "no end"),
    ] {
        assert!(
            said.iter()
                .any(|(_, reason)| reason.contains(key) && reason.contains(what)),
            "{key}: {said:?}"
        );
    }
    // The keys stand in another order than that of their names.
    let pretty = r#"{
  "thought:9": { "content": "before it" },

  "thought:2": {
    "thought_number": 3
  }, "session:1": 1,
  "thought:1": { "content": "after it" }
}"#;
    let (_folder, space) = self::space();
    let stopped = space.import(pretty.as_bytes(), BadLines::Stop, &mut |_| {});
    let Err(Error::BadLine { line, taken, .. }) = stopped else {
        panic!("{stopped:?}");
    };
    assert_eq!((line, taken.imported), (4, 1));
    assert_eq!(memory(&space, "thought:9").content, "before it");
    let report = import(&space, pretty, BadLines::Skip);
    let lines: Vec<_> = report.bad.iter().map(|bad| bad.line).collect();
    assert_eq!((report.imported, report.known, lines), (1, 1, vec![4, 6]));

    let other = r#"[{"title": "A chat", "mapping": {"a": 1}}]"#;
    let report = import(&space, other, BadLines::Skip);
    assert_eq!((report.imported, report.bad.len()), (0, 1), "{report:?}");
    assert!(report.bad[0].reason.contains("no dump"), "{report:?}");
    for broken in [
        "[",
        "[1, 2]",
        "{\"thought:1\": ",
        &format!("[{}]", "[".repeat(200_000)),
    ] {
        let (_folder, space) = self::space();
        let report = import(&space, broken, BadLines::Skip);
        assert_eq!(report.imported, 0, "{broken:.20}");
        assert!(!report.bad.is_empty(), "{broken:.20}");
    }
}
