//! Told entities, relations and properties: what is accepted, what lasts, and what stays on this machine.

use anamne::{
    Assertion, Attributes, Draft, EntityQuery, EntityScope, ExportSelection, KnowledgeState,
    MemoryId, Recall, Space, ToldEntity, ToldProperty, ToldRelation, Visibility,
};
use serde_json::{Value, json};

use crate::common::Home;

fn entity(name: &str) -> ToldEntity {
    ToldEntity {
        name: name.to_owned(),
        ..ToldEntity::default()
    }
}

fn relation(object: &str, evidence: Vec<MemoryId>) -> Assertion {
    Assertion::Relation(ToldRelation {
        subject: "Mara Lind".to_owned(),
        relation: "visits".to_owned(),
        object: object.to_owned(),
        weight: Some(0.8),
        confidence: Some(0.9),
        evidence,
        ..ToldRelation::default()
    })
}

fn property(entity: &str, value: &str) -> Assertion {
    Assertion::Property(ToldProperty {
        entity: entity.to_owned(),
        property: "treatment".to_owned(),
        value: value.to_owned(),
        ..ToldProperty::default()
    })
}

#[track_caller]
fn check_refused(space: &Space, assertion: &Assertion, field: &str) {
    let error = space.assert(assertion, None).expect_err("a refusal");
    assert_eq!(
        error.refusal().expect("a refusal").field(),
        field,
        "{error}"
    );
}

#[test]
fn evidence_must_be_a_live_memory_of_the_same_space() {
    let home = Home::new();
    let (store, _) = home.store_with_clock("2026-03-01T12:00:00Z");
    let (space, other) = (
        store.space("one").expect("a space"),
        store.space("two").expect("a space"),
    );
    let own = space
        .remember("She was there on Monday")
        .expect("stored")
        .id;
    let foreign = other.remember("It rained").expect("stored").id;
    let gone = space.remember("A slip of the tongue").expect("stored").id;
    space.forget(gone).expect("forgotten");
    let unknown = MemoryId::from_bytes([7; 16]);
    let before = space.extracted().expect("a log");
    for id in [foreign, gone, unknown] {
        check_refused(&space, &relation("Bonn", vec![own, id]), "evidence");
    }
    check_refused(&space, &relation("two\nlines", vec![own]), "object");
    assert_eq!(
        space.extracted().expect("a log"),
        before,
        "nothing was stored"
    );
    let stored = space
        .assert(&relation("Bonn", vec![own]), None)
        .expect("told");
    let relations = space
        .knowledge()
        .expect("knowledge")
        .relations("Bonn")
        .expect("known");
    let evidence: Vec<_> = relations[0].evidence.iter().map(|one| one.memory).collect();
    assert_eq!(evidence, [stored.id, own]);
    assert_eq!(
        (relations[0].told_weight, relations[0].confidence),
        (Some(0.8), 0.9)
    );
}

#[test]
fn what_was_told_is_recalled_by_its_parts_and_extracted_again_the_same() {
    let home = Home::new();
    let space = home.space();
    let told = ToldEntity {
        custom_type: Some("cargo_vessel".to_owned()),
        tags: Some(vec!["fleet".to_owned()]),
        attributes: Attributes::from([("home_port".to_owned(), json!("Emden"))]),
        ..entity("Kestrel")
    };
    let id = space
        .assert(&Assertion::Entity(told.clone()), None)
        .expect("told")
        .id;
    for question in [
        "cargo vessel",
        "what has the home port Emden?",
        "what is tagged fleet?",
    ] {
        let answer = space.recall(&Recall::new(question)).expect("answered");
        assert_eq!(answer.results[0].memory.id, id, "{question}");
    }
    space
        .assert(&property("Kestrel", "new paint"), None)
        .expect("told");
    space
        .assert(&property("Kestrel", "new engine"), None)
        .expect("told");
    let shown = || {
        let knowledge = space.knowledge().expect("knowledge");
        format!("{:?}", knowledge.frames("Kestrel").expect("known"))
    };
    let before = shown();
    space.extract_again(&mut |_| true).expect("extracted");
    assert_eq!(shown(), before);
    let query = EntityQuery {
        limit: 5,
        ..EntityQuery::default()
    };
    let found = space.knowledge().expect("knowledge").find("ships", &query);
    assert_eq!(found.expect("found")[0].entity.name, "Kestrel");
    let blank = space.knowledge().expect("knowledge").find(" ", &query);
    assert!(blank.is_err());
    let erased = space.erase(id).expect("erased");
    drop(erased);
    let kestrel = space
        .knowledge()
        .expect("knowledge")
        .entity("Kestrel")
        .expect("known");
    assert!(kestrel.attributes.is_empty() && kestrel.tags.is_empty());
}

#[test]
fn a_part_that_the_sentence_leaves_out_is_stored_too() {
    let home = Home::new();
    let space = home.space();
    let first = space
        .assert(&Assertion::Entity(entity("Rao")), None)
        .expect("told");
    let personal = ToldEntity {
        scope: Some(EntityScope::Personal),
        ..entity("Rao")
    };
    let second = space
        .assert(&Assertion::Entity(personal.clone()), None)
        .expect("told");
    assert!(!second.duplicate && first.id != second.id);
    let scope = || {
        space
            .knowledge()
            .expect("knowledge")
            .entity("Rao")
            .expect("known")
            .scope
    };
    assert_eq!(scope(), EntityScope::Personal);
    let third = space
        .assert(&Assertion::Entity(personal), None)
        .expect("told");
    assert!(third.duplicate);
    space.forget(second.id).expect("forgotten");
    space.restore(first.id).expect("restored");
    assert_eq!(scope(), EntityScope::Shared);
}

#[test]
fn forms_of_earlier_versions_are_read_and_written_unchanged() {
    for form in [
        json!({"asserts": "entity", "name": "Skep", "type": "project", "aliases": ["the hive book"]}),
        json!({"asserts": "relation", "subject": "Mara", "relation": "lives_in", "object": "Bonn",
               "valid_from": "2026-03-01T00:00:00Z"}),
        json!({"asserts": "property", "entity": "Skep", "frame": "custom", "property": "colour", "value": "yellow"}),
    ] {
        let read: Assertion = serde_json::from_value(form.clone()).expect("a form");
        assert_eq!(serde_json::to_value(&read).expect("JSON"), form);
        let mut unknown = form;
        unknown["mood"] = Value::Null;
        assert!(serde_json::from_value::<Assertion>(unknown).is_err());
    }
}

#[test]
fn exports_leave_out_what_was_told_of_personal_entities() {
    let home = Home::new();
    let space = home.space();
    let personal = ToldEntity {
        aliases: vec!["the doctor".to_owned()],
        scope: Some(EntityScope::Personal),
        ..entity("Rao")
    };
    space
        .assert(&property("the doctor", "rest"), None)
        .expect("told");
    space
        .assert(&Assertion::Entity(personal), None)
        .expect("told");
    space
        .assert(&property("Kestrel", "new paint"), None)
        .expect("told");
    space.remember("Rao called at noon").expect("stored");
    let exported = |selection: ExportSelection| {
        let mut lines = Vec::new();
        let report = space
            .export_visibility(&mut lines, selection)
            .expect("exported");
        (
            report.exported,
            report.personal,
            String::from_utf8(lines).expect("UTF-8"),
        )
    };
    let (written, left_out, text) = exported(Visibility::Live.into());
    assert_eq!((written, left_out), (2, 2));
    assert!(
        text.contains("new paint") && text.contains("called at noon"),
        "{text}"
    );
    assert!(!text.contains("the doctor"), "{text}");
    let all = ExportSelection {
        personal: true,
        ..Visibility::Live.into()
    };
    assert_eq!((exported(all).0, exported(all).1), (4, 0));
    let notes = home.root().join("vault");
    let report = space
        .export_notes(&notes, Visibility::Live)
        .expect("exported");
    assert_eq!((report.exported, report.personal), (2, 2));
    space
        .assert(
            &Assertion::Entity(ToldEntity {
                scope: Some(EntityScope::Shared),
                ..entity("Rao")
            }),
            None,
        )
        .expect("told");
    let mut lines = Vec::new();
    let report = space.export(&mut lines).expect("exported");
    // The fact that says personal stays at home for ever.
    assert_eq!((report.exported, report.personal), (4, 1));
}

#[test]
fn an_entity_that_faded_is_active_again_after_its_memory_is_opened() {
    let home = Home::new();
    let (store, clock) = home.store_with_clock("2026-03-01T12:00:00Z");
    let space = store.space("tests").expect("a space");
    let id = space
        .remember(Draft::new("I heard that Mara Lind lives in Bonn.").author("Ada"))
        .expect("stored")
        .id;
    space.extract(&mut |_| true).expect("extracted");
    let query = EntityQuery {
        limit: 10,
        ..EntityQuery::default()
    };
    let state = || {
        let listed = space
            .knowledge()
            .expect("knowledge")
            .entities(&query)
            .expect("listed");
        let mara = listed.iter().find(|entity| entity.name == "Mara Lind");
        mara.map(|entity| entity.state)
    };
    assert_eq!(state(), Some(KnowledgeState::Inferred));
    clock.set("2026-05-01T12:00:00Z");
    assert_eq!(state(), None);
    space.get(id).expect("opened");
    assert_eq!(state(), Some(KnowledgeState::Active));
    clock.set("2026-07-01T12:00:00Z");
    assert_eq!(state(), None, "it was not opened again");
    clock.set("2026-05-02T12:00:00Z");
    assert_eq!(
        state(),
        Some(KnowledgeState::Active),
        "a clock that was ahead lost nothing"
    );
}
