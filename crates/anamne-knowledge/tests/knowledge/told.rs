//! What people tell about entities, relations and properties, and how use confirms entities.

use anamne_knowledge::graph::{EntityQuery, Graph, Recency};
use anamne_store::view::MemoryFeed;
use anamne_types::{
    Assertion, Attributes, EntityScope, EntityType, KnowledgeState, MemoryId, Perspective,
    Relation, Row, ToldEntity, ToldProperty, ToldRelation,
};
use serde_json::json;

use crate::log_twin::{Log, day};

fn extracted(log: &Log) -> (tempfile::TempDir, Graph) {
    let folder = tempfile::tempdir().expect("a folder");
    let graph = Graph::open(&folder.path().join("knowledge.db"), None).expect("opened");
    follow(&graph, log);
    (folder, graph)
}

fn follow(graph: &Graph, log: &Log) {
    let extracted = graph
        .catch_up(log, 7, day(0), &mut |_| true)
        .expect("extracted");
    assert!(!extracted.busy);
}

fn told(subject: &str, relation: &str, object: &str) -> ToldRelation {
    ToldRelation {
        subject: subject.to_owned(),
        relation: relation.to_owned(),
        object: object.to_owned(),
        ..ToldRelation::default()
    }
}

fn both_ways(subject: &str, relation: &str, object: &str) -> Assertion {
    Assertion::Relation(ToldRelation {
        both_ways: true,
        ..told(subject, relation, object)
    })
}

fn property(entity: &str, frame: Option<&str>, property: &str, value: &str) -> Assertion {
    Assertion::Property(ToldProperty {
        entity: entity.to_owned(),
        frame: Perspective::Custom,
        frame_name: frame.map(str::to_owned),
        property: property.to_owned(),
        value: value.to_owned(),
    })
}

fn entity(name: &str) -> ToldEntity {
    ToldEntity {
        name: name.to_owned(),
        ..ToldEntity::default()
    }
}

fn relations(graph: &Graph, name: &str) -> Vec<Relation> {
    graph.relations(name, day(20)).expect("known")
}

/// The names of the entities that a query finds.
fn names(graph: &Graph, query: &EntityQuery) -> Vec<String> {
    let query = EntityQuery {
        limit: 10,
        ..query.clone()
    };
    let found = graph.entities(&query, day(20)).expect("listed");
    found.into_iter().map(|entity| entity.name).collect()
}

fn found(graph: &Graph, text: &str) -> Vec<String> {
    let query = EntityQuery {
        limit: 10,
        ..EntityQuery::default()
    };
    let found = graph.find(text, &query, day(20)).expect("found");
    assert!(
        found
            .iter()
            .all(|one| (0.0..=1.0).contains(&one.similarity))
    );
    found.into_iter().map(|found| found.entity.name).collect()
}

#[test]
fn a_told_relation_has_weight_confidence_and_evidence_and_is_seen_from_both_ends() {
    let log = Log::default();
    let said = log.say("Ada", 1, "we saw it again today", None);
    let unknown = MemoryId::from_bytes([9; 16]);
    let relation = ToldRelation {
        both_ways: true,
        weight: Some(0.8),
        confidence: Some(0.9),
        evidence: vec![said, unknown],
        ..told("Kestrel", "sails_with", "Heron")
    };
    log.assert(2, &Assertion::Relation(relation));
    let (_folder, graph) = extracted(&log);
    let from_one = relations(&graph, "Kestrel");
    assert_eq!(from_one, relations(&graph, "Heron"));
    let only = &from_one[0];
    assert!(only.both_ways && only.asserted);
    assert_eq!((only.told_weight, only.confidence), (Some(0.8), 0.9));
    assert!((only.weight - 0.72).abs() < 1e-6, "{only:?}");
    let evidence: Vec<_> = only.evidence.iter().map(|one| one.memory).collect();
    assert_eq!((evidence.len(), evidence[1], only.mentions), (2, said, 2));
    for name in ["Kestrel", "Heron"] {
        let id = graph.entity(name).expect("known").id;
        let hops = graph.relations_of_entities(&[id], 10).expect("read");
        assert_eq!((hops.len(), hops[0].backwards), (1, false), "{hops:?}");
        assert!((hops[0].confidence - 0.72).abs() < 1e-6, "{hops:?}");
    }
    log.change(said, None);
    follow(&graph, &log);
    assert_eq!(relations(&graph, "Heron")[0].mentions, 1);
}

#[test]
fn both_directions_are_one_relation_and_denied_from_either_end() {
    let log = Log::default();
    log.assert(1, &both_ways("Mara", "works_with", "Teo"));
    log.assert(2, &both_ways("Teo", "works_with", "Mara"));
    log.assert(3, &Assertion::Relation(told("Teo", "works_with", "Mara")));
    let (_folder, graph) = extracted(&log);
    for name in ["Mara", "Teo"] {
        let relations = relations(&graph, name);
        let only: Vec<_> = relations
            .iter()
            .map(|one| (one.subject_name.as_str(), one.mentions))
            .collect();
        assert_eq!(only, [("Mara", 3)], "{name}");
    }
    let around = graph.neighbourhood("Teo", 2, 10, day(4)).expect("known");
    assert_eq!((around.entities.len(), around.relations.len()), (2, 1));
    let denial = Assertion::Denial {
        subject: "Teo".to_owned(),
        relation: Some("works_with".to_owned()),
        object: Some("Mara".to_owned()),
    };
    log.assert(4, &denial);
    follow(&graph, &log);
    for name in ["Mara", "Teo"] {
        assert!(relations(&graph, name).is_empty(), "{name}");
        let id = graph.entity(name).expect("known").id;
        let hops = graph.relations_of_entities(&[id], 10).expect("read");
        assert!(hops.is_empty(), "{hops:?}");
    }
}

#[test]
fn a_partner_in_both_directions_is_replaced_at_both_ends() {
    let log = Log::default();
    log.assert(1, &both_ways("Mara", "partner_of", "Teo"));
    log.assert(5, &both_ways("Ines", "partner_of", "Teo"));
    let (_folder, graph) = extracted(&log);
    for name in ["Mara", "Teo"] {
        let relations = relations(&graph, name);
        let first = relations.iter().find(|one| one.subject_name == "Mara");
        assert_eq!(first.expect("kept").valid_to, Some(day(5)), "{name}");
    }
    assert_eq!(relations(&graph, "Ines")[0].valid_to, None);
}

#[test]
fn a_cycle_of_relations_and_a_relation_to_itself_end() {
    let log = Log::default();
    for (subject, object) in [("A1", "B1"), ("B1", "C1"), ("C1", "A1"), ("A1", "A1")] {
        log.assert(1, &Assertion::Relation(told(subject, "feeds", object)));
    }
    let alias = ToldEntity {
        aliases: vec!["Twin".to_owned()],
        ..entity("A1")
    };
    log.assert(2, &both_ways("A1", "feeds", "Twin"));
    log.assert(3, &Assertion::Entity(alias));
    let (_folder, graph) = extracted(&log);
    let around = graph.neighbourhood("A1", 6, 10, day(4)).expect("known");
    assert_eq!((around.entities.len(), around.relations.len()), (3, 4));
}

#[test]
fn a_value_told_later_replaces_the_earlier_one_of_its_frame() {
    let log = Log::default();
    log.assert(1, &property("Hafen", None, "terms", "30 days"));
    log.assert(2, &property("Hafen", Some("billing"), "terms", "30 days"));
    let last = log.assert(3, &property("Hafen", None, "terms", "30"));
    let (_folder, graph) = extracted(&log);
    let values = || {
        let (_, frames) = graph.frames("Hafen", day(4)).expect("known");
        let values = frames.iter().flat_map(|frame| {
            let name = frame.name.clone().unwrap_or_default();
            frame.relations.iter().map(move |relation| {
                let text = relation.object.text().to_owned();
                (name.clone(), text, relation.valid_to)
            })
        });
        let mut values: Vec<_> = values.collect();
        values.sort();
        values
    };
    let own = |text: &str, end| (String::new(), text.to_owned(), end);
    let billing = ("billing".to_owned(), "30 days".to_owned(), None);
    assert_eq!(
        values(),
        [
            own("30", None),
            own("30 days", Some(day(3))),
            billing.clone()
        ]
    );
    log.change(last, None);
    follow(&graph, &log);
    assert_eq!(values(), [own("30 days", None), billing]);
    let denial = Assertion::Denial {
        subject: "Hafen".to_owned(),
        relation: Some("terms".to_owned()),
        object: None,
    };
    log.assert(5, &denial);
    follow(&graph, &log);
    assert_eq!(values(), []);
    log.assert(6, &property("Hafen", None, "terms", "14 days"));
    follow(&graph, &log);
    assert_eq!(values(), [own("14 days", None)]);
}

/// The values or other ends of a relation that hold at the given time, and those that don't with their period.
fn ends(graph: &Graph, name: &str, relation: &str) -> Vec<(String, Option<i64>, Option<i64>)> {
    let day_of = |at: jiff::Timestamp| (at.as_second() - day(0).as_second()).div_euclid(86_400);
    let relations = relations(graph, name).into_iter();
    let mut ends: Vec<_> = relations
        .filter(|one| one.relation == *relation)
        .map(|one| {
            let text = one.object.text().to_owned();
            (text, one.valid_from.map(day_of), one.valid_to.map(day_of))
        })
        .collect();
    ends.sort();
    ends
}

fn end(text: &str, from: Option<i64>, to: Option<i64>) -> (String, Option<i64>, Option<i64>) {
    (text.to_owned(), from, to)
}

/// Tells relations on the days 1, 2 and so on, each with its period.
fn tell_homes(log: &Log, told_ends: &[(&str, Option<i64>, Option<i64>)]) {
    for (on, (place, from, to)) in (1..).zip(told_ends) {
        let relation = ToldRelation {
            valid_from: from.map(day),
            valid_to: to.map(day),
            ..told("Eva Holm", "lives_in", place)
        };
        log.assert(on, &Assertion::Relation(relation));
    }
}

fn check_homes(
    told_ends: &[(&str, Option<i64>, Option<i64>)],
    expected: &[(&str, Option<i64>, Option<i64>)],
) {
    let log = Log::default();
    tell_homes(&log, told_ends);
    let (_folder, graph) = extracted(&log);
    let expected: Vec<_> = expected
        .iter()
        .map(|(text, from, to)| end(text, *from, *to))
        .collect();
    assert_eq!(
        ends(&graph, "Eva Holm", "lives_in"),
        expected,
        "{told_ends:?}"
    );
}

#[test]
fn the_last_word_holds_when_an_earlier_value_is_told_again() {
    let (bergen, tromso) = (("Bergen", None, None), ("Tromso", None, None));
    check_homes(
        &[bergen, tromso, bergen],
        &[bergen, ("Tromso", None, Some(3))],
    );
    check_homes(
        &[bergen, tromso, bergen, tromso, tromso],
        &[("Bergen", None, Some(4)), tromso],
    );
    let log = Log::default();
    for (on, colour) in [(1, "red"), (2, "blue"), (3, "red")] {
        log.assert(on, &property("Gate", None, "colour", colour));
    }
    let (_folder, graph) = extracted(&log);
    let expected = [end("blue", None, Some(3)), end("red", None, None)];
    assert_eq!(ends(&graph, "Gate", "colour"), expected);
}

#[test]
fn telling_the_past_does_not_end_the_present() {
    let past = ("Tromso", Some(-900), Some(-500));
    for bergen in [
        ("Bergen", None, None),
        ("Bergen", Some(-100), None),
        ("Bergen", Some(-700), None),
    ] {
        check_homes(&[bergen, past], &[bergen, past]);
        check_homes(&[past, bergen], &[bergen, past]);
    }
    check_homes(
        &[("Bergen", Some(-100), None), ("Tromso", Some(-900), None)],
        &[
            ("Bergen", Some(-100), None),
            ("Tromso", Some(-900), Some(-100)),
        ],
    );
    let back = ("Tromso", Some(-10), None);
    check_homes(
        &[past, ("Bergen", Some(-100), None), back],
        &[("Bergen", Some(-100), Some(-10)), back],
    );
    check_homes(&[back, past], &[back]);
    check_homes(
        &[("Tromso", None, None), ("Bergen", None, None), past],
        &[("Bergen", None, None), ("Tromso", None, Some(2))],
    );
}

#[test]
fn no_period_ends_before_it_begins() {
    check_homes(
        &[("Bergen", None, None), ("Tromso", Some(-900), None)],
        &[("Bergen", None, Some(2)), ("Tromso", Some(-900), None)],
    );
    check_homes(
        &[("Bergen", Some(-100), None), ("Tromso", Some(-100), None)],
        &[
            ("Bergen", Some(-100), Some(2)),
            ("Tromso", Some(-100), None),
        ],
    );
    let moves = ("Bergen", Some(900), None);
    check_homes(
        &[moves, ("Tromso", None, None)],
        &[moves, ("Tromso", None, Some(900))],
    );
}

#[test]
fn names_and_values_that_contain_one_another_are_told_apart() {
    check_homes(
        &[("York", None, None), ("New York", None, None)],
        &[("New York", None, None), ("York", None, Some(2))],
    );
    let log = Log::default();
    log.say("Ada", 1, "The Widget Pro costs $5.", None);
    log.say("Ada", 2, "The Widget Pro costs $50.", None);
    log.say("Ada", 1, "Mara Lind works at Hafen.", None);
    log.say("Ada", 2, "Mara Lind works at Hafen Labs.", None);
    let (_folder, graph) = extracted(&log);
    let expected = [end("$5", None, Some(2)), end("$50", None, None)];
    assert_eq!(ends(&graph, "Widget Pro", "costs"), expected);
    let expected = [end("Hafen", None, None), end("Hafen Labs", None, None)];
    assert_eq!(ends(&graph, "Mara Lind", "works_at"), expected);
}

#[test]
fn what_says_a_denied_relation_is_disputed_by_the_denial() {
    let log = Log::default();
    let said = log.say("Ada", 1, "Mara Lind works at Fjordbank.", None);
    let retold = Assertion::Relation(told("Mara Lind", "works_at", "Fjordbank"));
    log.assert(2, &retold);
    log.say("Ada", 3, "Mara Lind visited Skogbank.", None);
    let denied = log.assert(
        4,
        &Assertion::Denial {
            subject: "Mara Lind".to_owned(),
            relation: Some("works_at".to_owned()),
            object: Some("Fjordbank".to_owned()),
        },
    );
    let (_folder, graph) = extracted(&log);
    let disputes = || {
        let rows = [Row(0), Row(1), Row(2), Row(3)];
        let disputes = graph.disputes(&rows).expect("read").into_iter();
        disputes
            .map(|of| {
                of.into_iter()
                    .map(|one| (one.memory, one.holds))
                    .collect::<Vec<_>>()
            })
            .collect::<Vec<_>>()
    };
    let by_denial = vec![(denied, Some(false))];
    assert_eq!(disputes(), [by_denial.clone(), by_denial, vec![], vec![]]);
    let claim = |text: &str| {
        let claimed = log.say("Teo", 5, text, None);
        let claimed = log.memories(&[claimed]).expect("read");
        let found = graph.contradictions_among(&claimed).expect("compared");
        found
            .into_iter()
            .map(|found| found.kept)
            .collect::<Vec<_>>()
    };
    assert_eq!(claim("Mara Lind works at Fjordbank."), [Some(denied)]);
    assert_eq!(claim("Mara Lind works at Skogbank."), []);
    assert_eq!(claim("Mara Lind does not work at Fjordbank."), []);
    log.change(said, Some("Mara Lind likes tea."));
    log.assert(6, &retold);
    follow(&graph, &log);
    assert_eq!(disputes(), [vec![], vec![], vec![], vec![]]);
    assert_eq!(claim("Mara Lind works at Fjordbank."), []);
}

#[test]
fn of_an_entity_the_last_word_on_each_part_counts() {
    let log = Log::default();
    let first = ToldEntity {
        custom_type: Some("vessel".to_owned()),
        tags: Some(vec!["fleet".to_owned()]),
        scope: Some(EntityScope::Personal),
        attributes: Attributes::from([
            ("port".to_owned(), json!("Emden")),
            ("crew".to_owned(), json!([3, "cook"])),
        ]),
        ..entity("Kestrel")
    };
    let told = log.assert(1, &Assertion::Entity(first));
    let second = ToldEntity {
        custom_type: Some("vessel".to_owned()),
        aliases: vec!["MS Kestrel".to_owned()],
        attributes: Attributes::from([
            ("port".to_owned(), json!("Husum")),
            ("crew".to_owned(), json!(null)),
        ]),
        ..entity("Kestrel")
    };
    log.assert(2, &Assertion::Entity(second));
    let (_folder, graph) = extracted(&log);
    let kestrel = graph.entity("ms kestrel").expect("known");
    assert_eq!(
        (kestrel.type_word(), kestrel.scope),
        ("vessel", EntityScope::Personal)
    );
    assert_eq!(kestrel.tags, ["fleet"]);
    assert_eq!(
        kestrel.attributes,
        Attributes::from([("port".to_owned(), json!("Husum"))])
    );
    assert!(graph.is_personal(&["Nobody", "MS Kestrel"]).expect("read"));

    let query = |change: fn(&mut EntityQuery)| {
        let mut query = EntityQuery::default();
        change(&mut query);
        names(&graph, &query)
    };
    let port = |value: &str| vec![("port".to_owned(), value.to_owned())];
    assert_eq!(
        query(|query| query.tags = vec!["fleet".to_owned()]),
        ["Kestrel"]
    );
    assert_eq!(
        query(|query| query.custom_type = Some("vessel".to_owned())),
        ["Kestrel"]
    );
    assert_eq!(
        query(|query| query.scope = Some(EntityScope::Personal)),
        ["Kestrel"]
    );
    assert!(query(|query| query.tags = vec!["flee".to_owned()]).is_empty());
    let mut by_port = EntityQuery::default();
    for (value, count) in [("husum", 1), ("Emden", 0)] {
        by_port.attributes = port(value);
        assert_eq!(names(&graph, &by_port).len(), count, "{value}");
    }

    let third = ToldEntity {
        entity_type: EntityType::Project,
        tags: Some(Vec::new()),
        scope: Some(EntityScope::Shared),
        ..entity("Kestrel")
    };
    log.assert(3, &Assertion::Entity(third));
    follow(&graph, &log);
    let kestrel = graph.entity("Kestrel").expect("known");
    assert_eq!(
        (kestrel.entity_type, kestrel.custom_type),
        (EntityType::Project, None)
    );
    assert!(kestrel.tags.is_empty() && kestrel.scope == EntityScope::Shared);
    log.change(told, None);
    follow(&graph, &log);
    assert!(
        graph
            .entity("Kestrel")
            .expect("known")
            .attributes
            .contains_key("port")
    );
}

#[test]
fn attributes_told_again_and_again_stay_bounded() {
    let log = Log::default();
    for telling in 0..8 {
        let attributes = (0..64).map(|number| (format!("a{telling}_{number}"), json!(number)));
        let told = ToldEntity {
            attributes: attributes.collect(),
            ..entity("Kestrel")
        };
        log.assert(telling, &Assertion::Entity(told));
    }
    let (_folder, graph) = extracted(&log);
    let attributes = graph.entity("Kestrel").expect("known").attributes;
    assert_eq!(attributes.len(), 256);
    assert!(attributes.contains_key("a7_0") && !attributes.contains_key("a0_0"));
}

#[test]
fn entities_are_found_by_meaning_words_and_what_was_told() {
    let log = Log::default();
    let vessel = ToldEntity {
        custom_type: Some("vessel".to_owned()),
        attributes: Attributes::from([("home_port".to_owned(), json!("Emden"))]),
        ..entity("Kestrel")
    };
    let database = ToldEntity {
        entity_type: EntityType::Tool,
        aliases: vec!["Postgres".to_owned()],
        ..entity("PostgreSQL")
    };
    log.assert(1, &Assertion::Entity(vessel));
    log.assert(1, &Assertion::Entity(database));
    log.assert(
        1,
        &property("PostgreSQL", None, "purpose", "relational database"),
    );
    log.assert(
        1,
        &property("Mara Lind", None, "job", "she repairs violins"),
    );
    let (_folder, graph) = extracted(&log);
    for (text, name) in [
        ("ship", "Kestrel"),
        ("boats in the harbour", "Kestrel"),
        ("emden", "Kestrel"),
        ("Postgres", "PostgreSQL"),
        ("storing data in SQL tables", "PostgreSQL"),
        ("musical instruments", "Mara Lind"),
    ] {
        assert_eq!(
            found(&graph, text).first().map(String::as_str),
            Some(name),
            "{text}"
        );
    }
    assert!(found(&graph, "quarterly tax declaration").is_empty());
    assert_eq!(found(&graph, &"emden ".repeat(200_000)).len(), 1);
}

#[test]
fn what_was_dropped_is_active_again_when_a_memory_of_it_is_opened() {
    let log = Log::default();
    log.say("Ada", 1, "I heard that Mara Lind lives in Bonn.", None);
    let (_folder, graph) = extracted(&log);
    let state = |recency: Recency| {
        let query = EntityQuery {
            limit: 10,
            ..EntityQuery::default()
        };
        let listed = graph.entities(&query, recency.clone()).expect("listed");
        let state = listed.iter().find(|entity| entity.name == "Mara Lind");
        let relations = graph
            .relations("Mara Lind", recency.clone())
            .expect("known");
        let counted: u64 = graph
            .entity_counts(recency)
            .expect("counted")
            .iter()
            .map(|(_, count)| count)
            .sum();
        assert_eq!(listed.len() as u64, counted);
        (
            state.map(|entity| entity.state),
            relations.first().map(|relation| relation.state),
        )
    };
    let inferred = Some(KnowledgeState::Inferred);
    let active = Some(KnowledgeState::Active);
    assert_eq!(state(day(20).into()), (inferred, inferred));
    assert_eq!(state(day(90).into()), (None, None));
    let opened = Recency::with_opened(day(90), [Row(0), Row(77)]);
    assert_eq!(state(opened.clone()), (active, active));
    let (entity, frames) = graph.frames("Mara Lind", opened.clone()).expect("known");
    assert_eq!((entity.state, frames.len()), (KnowledgeState::Active, 1));
    let around = graph
        .neighbourhood("Mara Lind", 1, 10, opened)
        .expect("known");
    assert_eq!(around.entities.len(), 2);
    let only_unrelated = Recency::with_opened(day(90), [Row(77)]);
    assert_eq!(state(only_unrelated), (None, None));
    for on in 80..90 {
        log.say("Teo", on, "Mara Lind called again.", None);
    }
    follow(&graph, &log);
    assert_eq!(state(day(200).into()).0, Some(KnowledgeState::Stable));
}

#[test]
fn nothing_of_a_forgotten_description_stays_in_the_file() {
    let log = Log::default();
    let described = ToldEntity {
        custom_type: Some("zeppelin".to_owned()),
        tags: Some(vec!["quokka".to_owned()]),
        attributes: Attributes::from([("wombat".to_owned(), json!("numbat"))]),
        ..entity("Kestrel")
    };
    let rows = [
        log.assert(1, &Assertion::Entity(described)),
        log.assert(1, &property("Kestrel", Some("echidna"), "bilby", "dunnart")),
    ];
    let (folder, graph) = extracted(&log);
    let holds = |word: &str| {
        let files = std::fs::read_dir(folder.path()).expect("read").flatten();
        let contents = files.map(|file| std::fs::read(file.path()).expect("read"));
        contents.into_iter().any(|bytes| {
            bytes
                .windows(word.len())
                .any(|window| window == word.as_bytes())
        })
    };
    let words = [
        "zeppelin", "quokka", "wombat", "numbat", "echidna", "bilby", "dunnart",
    ];
    for word in words {
        assert!(holds(word), "{word}");
    }
    for row in rows {
        log.change(row, None);
    }
    follow(&graph, &log);
    graph.purge().expect("purged");
    for word in words {
        assert!(!holds(word), "{word}");
    }
}
