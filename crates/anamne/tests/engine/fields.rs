//! The typed fields of every kind are stored, changed, kept through time and copies, and refused where they don't fit.

use anamne::{BadLines, Options};
use anamne::{
    Body, Draft, Edit, ErrorKind, ImportOptions, Kind, Metadata, Recall, Space, Store, ToolCall,
    relate,
};
use jiff::Timestamp;
use serde_json::{Value, json};

use crate::common::Home;

fn fields(value: Value) -> Metadata {
    serde_json::from_value(value).expect("fields")
}

fn body(kind: Kind, value: Value) -> Body {
    Body::from_fields(kind, &fields(value)).expect("a body")
}

fn episode() -> Body {
    body(
        Kind::Episode,
        json!({
            "goal": "Move the kiln", "plan": ["lift it", "carry it"], "steps": ["carried it in parts"],
            "outcome": "moved", "salience": 7, "tool_log": [{ "tool": "crane", "input": "up", "succeeded": true }],
        }),
    )
}

#[test]
fn every_typed_field_is_stored_and_changed_by_name() {
    let home = Home::new();
    let space = home.space();
    let bodies = [
        episode(),
        body(
            Kind::Skill,
            json!({ "name": "roll back", "trigger": "a bad deploy", "steps": ["make rollback"], "code": "x" }),
        ),
        body(
            Kind::Thought,
            json!({ "framework": "first principles", "number": 2, "total": 4, "chain": "cache" }),
        ),
        body(
            Kind::Document,
            json!({ "title": "Runbook", "source": "docs/run.md" }),
        ),
        body(Kind::Message, json!({ "role": "user" })),
        body(Kind::Fact, json!({ "category": "constraint" })),
    ];
    for body in bodies {
        let draft = Draft::new(format!("A {} of some kind", body.kind())).body(body.clone());
        let id = space.remember(draft).expect("told").id;
        assert_eq!(space.read(id).expect("a memory").body, body);
    }
    let id = space
        .remember(Draft::new("The kiln stands").body(episode()))
        .expect("told")
        .id;
    let edit = Edit {
        fields: fields(json!({ "outcome": "broken", "plan": null, "salience": 0.25 })),
        ..Edit::default()
    };
    let Body::Episode {
        goal,
        plan,
        steps,
        outcome,
        salience,
        tool_log,
    } = space.edit(id, &edit).expect("edited").body
    else {
        panic!("not an episode")
    };
    assert_eq!(
        (goal.as_str(), outcome.as_str(), salience),
        ("Move the kiln", "broken", Some(0.25))
    );
    assert_eq!((plan.len(), steps.len(), tool_log.len()), (0, 1, 1));
    // With a new kind, the fields are those of that kind.
    let edit = Edit {
        body: Body::empty(Kind::Skill),
        fields: fields(json!({ "name": "carrying kilns" })),
        ..Edit::default()
    };
    let changed = space.edit(id, &edit).expect("edited");
    assert_eq!(
        changed.body,
        body(Kind::Skill, json!({ "name": "carrying kilns" }))
    );
    // What was done is found, as the plan is.
    let recall = Recall::new("carried in parts").limit(1);
    let stored = space
        .remember(Draft::new("Another one").body(episode()))
        .expect("told")
        .id;
    assert_eq!(
        space.recall(&recall).expect("an answer").results[0]
            .memory
            .id,
        stored
    );
}

#[test]
fn fields_that_do_not_fit_change_nothing() {
    let home = Home::new();
    let space = home.space();
    let id = space
        .remember(Draft::new("A plain message"))
        .expect("told")
        .id;
    let refused = |edit: &Edit| {
        let error = space.edit(id, edit).expect_err("refused");
        assert_eq!(error.kind(), ErrorKind::Refused, "{error}");
        error.to_string()
    };
    let set = |value: Value| Edit {
        fields: fields(value),
        ..Edit::default()
    };
    let text = refused(&set(json!({ "goal": "x" })));
    assert!(text.contains("kind message: role"), "{text}");
    refused(&set(json!({ "role": "nobody" })));
    let thought = |value: Value| Edit {
        body: Body::empty(Kind::Thought),
        ..set(value)
    };
    refused(&thought(json!({ "number": 0 })));
    let text = refused(&thought(json!({ "number": 3, "total": 2 })));
    assert!(text.contains("total"), "{text}");
    refused(&thought(json!({ "chain": "x".repeat(300) })));
    let kind = |value: Value| Edit {
        body: Body::empty(Kind::Episode),
        ..set(value)
    };
    refused(&kind(json!({ "salience": 11 })));
    refused(&kind(json!({ "salience": -0.1 })));
    refused(&kind(json!({ "steps": ["x".repeat(1_000_001)] })));
    assert_eq!(space.read(id).expect("a memory").version, 1);
}

#[test]
fn fields_stay_through_time_and_copies() {
    let home = Home::new();
    let (store, clock) = home.store_with_clock("2026-03-01T00:00:00Z");
    let space = store.space("tests").expect("a space");
    let mut draft = Draft::new("The kiln stands").body(episode());
    relate(
        &mut draft.metadata,
        vec!["plan/kiln.dwg".into()],
        vec!["Runa".into()],
    )
    .expect("related");
    let id = space.remember(draft).expect("told").id;
    let before = space.read(id).expect("a memory");
    assert_eq!(before.related(), [vec!["plan/kiln.dwg"], vec!["Runa"]]);
    let then: Timestamp = "2026-03-02T00:00:00Z".parse().expect("an instant");
    clock.set("2026-03-03T00:00:00Z");
    let edit = Edit {
        fields: fields(json!({ "steps": ["nothing"] })),
        ..Edit::default()
    };
    space.edit(id, &edit).expect("edited");
    let version = space
        .as_of(id, then)
        .expect("a version")
        .expect("it was there");
    assert_eq!(version.memory.map(|memory| memory.body), Some(episode()));
    let folder = tempfile::tempdir().expect("a folder");
    store.rewind(then, folder.path(), None).expect("rewound");
    let rewound = Store::open_with(Options::new(folder.path()).background(false)).expect("a store");
    let rewound = rewound.existing_space("tests").expect("a space");
    assert_eq!(rewound.read(id).expect("a memory").body, episode());
    let mut lines = Vec::new();
    space.export(&mut lines).expect("exported");
    let copy = Home::new();
    let copied = copy.space();
    let options = ImportOptions::from(BadLines::Stop).trusted();
    copied
        .import(lines.as_slice(), options, &mut |_| {})
        .expect("imported");
    let known = copied.read(id).expect("a memory");
    assert_eq!(
        (known.body, known.metadata),
        (space.read(id).expect("a memory").body, before.metadata)
    );
}

#[test]
fn a_line_of_json_has_the_fields_of_its_kind() {
    let home = Home::new();
    let space = home.space();
    let lines = [
        json!({ "id": "e", "text": "moved it", "kind": "episode", "steps": ["carried it"], "salience": 8 }),
        json!({ "id": "t", "text": "so it is", "kind": "thought", "number": 1, "total": 3, "chain": "kiln", "framework": "5 whys" }),
        json!({ "id": "m", "text": "a message", "number": 7, "chain": "is metadata here" }),
    ];
    let lines = lines.map(|line| line.to_string()).join("\n");
    space
        .import(lines.as_bytes(), BadLines::Stop, &mut |_| {})
        .expect("imported");
    let read = |id: &str| {
        let id = space
            .find_imported(id)
            .expect("an id")
            .expect("it is there");
        space.read(id).expect("a memory")
    };
    assert_eq!(
        read("e").body,
        body(
            Kind::Episode,
            json!({ "steps": ["carried it"], "salience": 0.8 })
        )
    );
    let thought = json!({ "number": 1, "total": 3, "chain": "kiln", "framework": "5 whys" });
    assert_eq!(read("t").body, body(Kind::Thought, thought));
    assert_eq!(
        read("m").metadata,
        fields(json!({ "number": 7, "chain": "is metadata here" }))
    );
    let bad = json!({ "text": "wrong", "kind": "thought", "number": "three" }).to_string();
    assert!(
        space
            .import(bad.as_bytes(), BadLines::Stop, &mut |_| {})
            .is_err()
    );
}

#[test]
fn the_guard_reads_every_new_field() {
    // In the published format of access keys.
    let token = format!("AK{}{}", "IA", "QX7B3NT2WLC6PJ4D");
    let home = Home::new();
    let space = home.space();
    let check = |space: &Space, memory: anamne::MemoryId| {
        let text = serde_json::to_string(&space.read(memory).expect("a memory")).expect("JSON");
        assert!(!text.contains(&token), "{text}");
    };
    let leaking = body(
        Kind::Episode,
        json!({ "steps": [format!("export KEY={token}")] }),
    );
    let id = space
        .remember(Draft::new("Set up the runner").body(leaking))
        .expect("told")
        .id;
    check(&space, id);
    let thought = body(Kind::Thought, json!({ "chain": token }));
    check(
        &space,
        space
            .remember(Draft::new("About the token").body(thought))
            .expect("told")
            .id,
    );
    let edit = Edit {
        fields: fields(json!({ "steps": [token], "outcome": token })),
        ..Edit::default()
    };
    space.edit(id, &edit).expect("edited");
    check(&space, id);
}

#[test]
fn a_body_of_an_earlier_version_reads_unchanged() {
    let earlier = r#"{"kind":"episode","goal":"g","plan":["p"],"outcome":"o","tool_log":[{"tool":"t","input":"","output":""}],"salience":0.5}"#;
    let body: Body = serde_json::from_str(earlier).expect("a body");
    assert_eq!(serde_json::to_string(&body).expect("JSON"), earlier);
    let call = ToolCall {
        tool: "t".into(),
        input: String::new(),
        output: String::new(),
        succeeded: None,
    };
    assert!(matches!(body, Body::Episode { tool_log, .. } if tool_log == [call]));
    let earlier = r#"{"kind":"thought"}"#;
    let body: Body = serde_json::from_str(earlier).expect("a body");
    assert_eq!(serde_json::to_string(&body).expect("JSON"), earlier);
}
