//! Every word has one spelling and one number, and values survive a round trip.

use std::collections::BTreeSet;
use std::fmt::{Debug, Display};
use std::str::FromStr;

use anamne_types::{
    ActorKind, Body, Category, Draft, EventKind, Filter, InvalidValue, Kind, Limits, LinkType,
    Membership, Memory, MemoryId, Metadata, Provenance, Recall, Role, Row, Seq, ToolCall,
};
use jiff::Timestamp;
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::json;

#[track_caller]
fn check_words<T>(all: &[T], number: fn(T) -> u8, from: fn(u8) -> Option<T>, field: &str)
where
    T: Copy
        + Debug
        + Display
        + PartialEq
        + FromStr<Err = InvalidValue>
        + Serialize
        + DeserializeOwned,
{
    let numbers: BTreeSet<u8> = all.iter().map(|&word| number(word)).collect();
    assert_eq!(numbers.len(), all.len(), "no number is given twice");
    assert_eq!(from(0), None, "0 stands for none");
    for &word in all {
        assert_eq!(from(number(word)), Some(word));
        assert_eq!(
            word.to_string().parse::<T>().expect("its own spelling"),
            word
        );
        let text = serde_json::to_string(&word).expect("JSON");
        assert_eq!(text, format!("\"{word}\""), "one spelling everywhere");
        assert_eq!(
            serde_json::from_str::<T>(&text).expect("its own JSON"),
            word
        );
    }
    let refusal = "no such word".parse::<T>().expect_err("a refusal");
    assert_eq!(refusal.field(), field);
    assert!(refusal.accepts().contains(&all[0].to_string()), "{refusal}");
    assert_eq!(refusal.given(), "no such word");
}

#[test]
fn words_are_spelt_and_numbered_once() {
    check_words(Kind::ALL, Kind::number, Kind::from_number, "kind");
    check_words(
        Category::ALL,
        Category::number,
        Category::from_number,
        "category",
    );
    check_words(Role::ALL, Role::number, Role::from_number, "role");
    check_words(
        EventKind::ALL,
        EventKind::number,
        EventKind::from_number,
        "event kind",
    );
    check_words(
        ActorKind::ALL,
        ActorKind::number,
        ActorKind::from_number,
        "actor",
    );
    check_words(
        LinkType::ALL,
        LinkType::number,
        LinkType::from_number,
        "link type",
    );
}

/// A body of every kind with all fields set.
fn bodies() -> Vec<Body> {
    let id = MemoryId::at(1_760_000_000_000);
    let text = |text: &str| text.to_owned();
    vec![
        Body::Message {
            role: Some(Role::Assistant),
        },
        Body::thought(Some(id)),
        Body::Fact {
            category: Some(Category::BugFix),
        },
        Body::Episode {
            goal: text("cross"),
            plan: vec![text("look"), text("go")],
            steps: vec![text("went")],
            outcome: text("crossed"),
            tool_log: vec![ToolCall {
                tool: text("bridge"),
                input: text("{}"),
                output: String::new(),
                succeeded: Some(true),
            }],
            salience: Some(0.1),
        },
        Body::Skill {
            name: text("row"),
            trigger: text("a boat"),
            steps: vec![text("pull")],
            code: text("fn row() {}"),
        },
        Body::Document {
            title: text("Rivers"),
            source: text("rivers.md"),
        },
        Body::Chunk {
            document: id,
            heading: text("Floods"),
        },
        Body::Summary {
            sources: vec![id, id],
        },
    ]
}

#[test]
fn a_memory_of_every_kind_reads_back_as_it_was_written() {
    let empty = Kind::ALL.iter().filter_map(|kind| Body::empty(*kind));
    for body in bodies().into_iter().chain(empty) {
        let instant: Timestamp = "2026-03-01T12:00:00.123456Z".parse().expect("an instant");
        let memory = Memory {
            id: MemoryId::at(1),
            row: Row(7),
            space: "core".to_owned(),
            content: "line\n\u{0}é".to_owned(),
            thread: Some("t".to_owned()),
            position: Some(u32::MAX),
            session: None,
            author: Some("Ines".to_owned()),
            trust: 0.1,
            importance: 10,
            confidence: 1.0,
            tags: vec!["a".to_owned()],
            metadata: Metadata::from([(
                "n".to_owned(),
                json!([0.123_456_789_012_345_68, 1e300, null]),
            )]),
            external_id: None,
            occurred_at: instant,
            created_at: instant,
            updated_at: instant,
            expires_at: Some(instant),
            deleted_at: None,
            superseded_by: Some(MemoryId::at(2)),
            member: Some(Box::new(Membership {
                home: "atlas".to_owned(),
                relevance: 0.7,
                added_at: instant,
                origin: Provenance::default(),
                seq: Seq(8),
                digest: "0".repeat(32),
                hidden: false,
            })),
            version: 3,
            seq: Seq(9),
            body,
        };
        let text = serde_json::to_string(&memory).expect("JSON");
        let read: Memory = serde_json::from_str(&text).expect("its own JSON");
        assert_eq!(read, memory);
        assert_eq!(
            serde_json::to_string(&read).expect("JSON"),
            text,
            "byte for byte, for digests are over it"
        );
    }
}

#[test]
fn ids_are_ordered_by_birth_and_never_twice_the_same() {
    let ids: Vec<_> = (0..1000).map(MemoryId::at).collect();
    assert!(ids.is_sorted());
    let same: BTreeSet<_> = (0..1000).map(|_| MemoryId::at(5)).collect();
    assert_eq!(same.len(), 1000);
    for id in [ids[0], MemoryId::at(u64::MAX >> 20)] {
        assert_eq!(id.to_string().parse::<MemoryId>().expect("an id"), id);
        assert_eq!(MemoryId::from_bytes(*id.as_bytes()), id);
    }
}

#[test]
fn a_draft_that_holds_something_unknown_is_refused() {
    let draft: Draft = serde_json::from_value(json!({"content": "a note"})).expect("a draft");
    assert_eq!(draft, Draft::new("a note"));
    for bad in [
        json!({"content": "a", "colour": "red"}),
        json!({"content": "a", "body": {"kind": "fact", "colour": "red"}}),
        json!({"content": "a", "body": {"kind": "poem"}}),
        json!({"contents": "a"}),
    ] {
        assert!(
            serde_json::from_value::<Draft>(bad.clone()).is_err(),
            "{bad}"
        );
    }
}

#[track_caller]
fn check_question(change: impl FnOnce(&mut Recall), field: &str) {
    let mut question = Recall::new("what did we decide");
    assert_eq!(question.check(), Ok(()));
    change(&mut question);
    assert_eq!(question.check().expect_err("a refusal").field(), field);
}

#[test]
fn a_question_outside_the_limits_is_refused_by_field() {
    let instant = |text: &str| -> Option<Timestamp> { Some(text.parse().expect("an instant")) };
    check_question(|question| question.query = String::new(), "query");
    check_question(
        |question| question.query = "x".repeat(Limits::QUERY_BYTES + 1),
        "query",
    );
    check_question(|question| question.limit = 0, "limit");
    check_question(|question| question.limit = Limits::RESULTS + 1, "limit");
    check_question(
        |question| question.min_confidence = f32::NAN,
        "min_confidence",
    );
    check_question(
        |question| question.filter.min_importance = Some(11),
        "min_importance",
    );
    check_question(
        |question| question.filter.min_trust = Some(-1.0),
        "min_trust",
    );
    check_question(
        |question| question.filter.tags = vec!["a".to_owned(); Limits::TAGS + 1],
        "tag",
    );
    check_question(
        |question| question.filter.kinds = vec![Kind::Fact; Limits::FILTER_VALUES + 1],
        "kind",
    );
    check_question(
        |question| {
            question.filter = Filter {
                since: instant("2026-01-02T00:00:00Z"),
                until: instant("2026-01-02T00:00:00Z"),
                ..Filter::default()
            };
        },
        "until",
    );
}

#[test]
fn a_refusal_shortens_what_was_given_between_characters() {
    let refusal = InvalidValue::new("tag", "short", "水".repeat(200));
    assert_eq!(refusal.given().chars().count(), 81);
    assert!(refusal.to_string().ends_with("水…"), "{refusal}");
}
