//! Invariants of the graph: it is a function of the log, assertions outrank extraction, and entities are not merged on a
//! guess.

use std::fmt::Write;
use std::sync::Arc;

use anamne_knowledge::graph::{ContradictionQuery, EntityQuery, Graph};
use anamne_knowledge::reading::{Reading, Statement, Term};
use anamne_knowledge::readings::{ConflictReading, Readings};
use anamne_store::view::MemoryFeed;
use anamne_types::{
    Assertion, Attributes, ConflictKind, EntityType, KnowledgeState, MadeBy, MemoryId, Object,
    Relation, Row, Seq, ToldEntity, ToldProperty, ToldRelation,
};
use proptest::prelude::*;

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

fn relation<'a>(relations: &'a [Relation], relation: &str, object: &str) -> &'a Relation {
    let found = relations
        .iter()
        .find(|one| one.relation == relation && one.object.text() == object);
    found.unwrap_or_else(|| panic!("no {relation} {object} in {relations:#?}"))
}

/// The full content of the graph.
fn everything(graph: &Graph) -> String {
    let all = EntityQuery {
        unconfirmed: true,
        limit: 1_000,
        ..EntityQuery::default()
    };
    let mut said = String::new();
    for entity in graph.entities(&all, day(400)).expect("listed") {
        let id = entity.id.to_string();
        let relations = graph.relations(&id, day(40)).expect("read");
        let mentions = graph.mentions(&id, 100).expect("read");
        let together = graph.named_together(&id, 100).expect("read");
        let _ = writeln!(
            said,
            "{entity:?}\n{relations:?}\n{mentions:?}\n{together:?}"
        );
    }
    said + &format!(
        "{:?}",
        graph.suggested_merges(100, day(400)).expect("suggested")
    )
}

#[test]
fn a_confirmed_relation_becomes_active_and_then_stable() {
    let log = Log::default();
    log.say("Ada", 1, "I heard that Mara Lind lives in Bonn.", None);
    let (_folder, graph) = extracted(&log);
    let state = || {
        let relations = graph.relations("mara lind", day(20)).expect("known");
        relation(&relations, "lives_in", "Bonn").state
    };
    assert_eq!(state(), KnowledgeState::Inferred);
    log.say("Ada", 2, "Mara Lind lives in Bonn.", None);
    follow(&graph, &log);
    assert_eq!(state(), KnowledgeState::Active);
    for on in 3..11 {
        log.say("Ada", on, "Mara Lind lives in Bonn.", None);
    }
    follow(&graph, &log);
    assert_eq!(state(), KnowledgeState::Stable);
}

#[test]
fn an_unconfirmed_relation_is_skipped_after_thirty_days() {
    let log = Log::default();
    log.say("Ada", 1, "I heard that Mara Lind lives in Bonn.", None);
    let (_folder, graph) = extracted(&log);
    let known = |on| graph.relations("Mara Lind", day(on)).expect("known").len();
    assert_eq!((known(31), known(32)), (1, 0));
    let listed = |on| {
        let query = EntityQuery {
            limit: 10,
            ..EntityQuery::default()
        };
        graph.entities(&query, day(on)).expect("listed").len()
    };
    assert!(listed(31) > 0);
    assert_eq!(listed(32), 0);
}

#[test]
fn a_later_statement_of_the_same_person_ends_the_earlier_one() {
    let log = Log::default();
    log.say("Ada", 1, "Mara Lind lives in Bonn.", None);
    log.say("Ada", 9, "Mara Lind lives in Berlin.", None);
    let (_folder, graph) = extracted(&log);
    let relations = graph.relations("Mara Lind", day(20)).expect("known");
    assert_eq!(
        relation(&relations, "lives_in", "Bonn").valid_to,
        Some(day(9))
    );
    let now = relation(&relations, "lives_in", "Berlin");
    assert_eq!((now.valid_to, now.state), (None, KnowledgeState::Inferred));
}

#[test]
fn two_people_who_disagree_leave_both_contested() {
    let log = Log::default();
    log.say("Ada", 1, "Mara Lind lives in Bonn.", None);
    log.say("Teo", 9, "Mara Lind lives in Berlin.", None);
    let (_folder, graph) = extracted(&log);
    let relations = graph.relations("Mara Lind", day(20)).expect("known");
    for place in ["Bonn", "Berlin"] {
        let relation = relation(&relations, "lives_in", place);
        assert_eq!(
            (relation.state, relation.valid_to),
            (KnowledgeState::Contested, None)
        );
    }
}

#[test]
fn assertions_outrank_extraction() {
    let log = Log::default();
    log.say("Ada", 1, "Mara Lind lives in Bonn.", None);
    let stored = Assertion::Relation(ToldRelation {
        subject: "Mara Lind".to_owned(),
        relation: "lives_in".to_owned(),
        object: "Berlin".to_owned(),
        ..ToldRelation::default()
    });
    log.assert(5, &stored);
    let (_folder, graph) = extracted(&log);
    let relations = graph.relations("Mara Lind", day(20)).expect("known");
    assert_eq!(
        relation(&relations, "lives_in", "Bonn").valid_to,
        Some(day(5))
    );
    let stored = relation(&relations, "lives_in", "Berlin");
    assert_eq!(
        (stored.asserted, stored.state),
        (true, KnowledgeState::Active)
    );
    assert_eq!(stored.made_by, MadeBy::Told);
    let read = relation(&relations, "lives_in", "Bonn");
    assert_eq!(read.made_by.to_string(), "rule reading/1");
}

#[test]
fn a_denied_relation_is_not_extracted_again() {
    let log = Log::default();
    log.say("Ada", 1, "Mara Lind lives in Bonn.", None);
    let denial = Assertion::Denial {
        subject: "Mara Lind".to_owned(),
        relation: Some("lives_in".to_owned()),
        object: Some("Bonn".to_owned()),
    };
    let denied = log.assert(2, &denial);
    log.say("Teo", 3, "Mara Lind lives in Bonn.", None);
    let (_folder, graph) = extracted(&log);
    let known = || graph.relations("Mara Lind", day(20)).expect("known").len();
    assert_eq!(known(), 0);
    log.change(denied, None);
    follow(&graph, &log);
    assert_eq!(known(), 1, "the denial was forgotten");
}

#[test]
fn a_denied_entity_is_gone_until_the_denial_is_forgotten() {
    let log = Log::default();
    log.say("Ada", 1, "Mara Lind lives in Bonn.", None);
    let denial = Assertion::Denial {
        subject: "Bonn".to_owned(),
        relation: None,
        object: None,
    };
    let denied = log.assert(2, &denial);
    let (_folder, graph) = extracted(&log);
    graph.entity("Bonn").expect_err("it was denied");
    assert!(
        graph
            .relations("Mara Lind", day(3))
            .expect("known")
            .is_empty()
    );
    log.change(denied, None);
    follow(&graph, &log);
    graph.entity("bonn").expect("it is known again");
}

#[test]
fn an_entity_asserted_after_its_denial_is_back() {
    let log = Log::default();
    let stored = Assertion::Entity(ToldEntity {
        name: "Bonn".to_owned(),
        entity_type: EntityType::Place,
        aliases: vec!["B. on Rhine".to_owned()],
        ..ToldEntity::default()
    });
    log.assert(1, &stored);
    log.assert(
        2,
        &Assertion::Denial {
            subject: "Bonn".to_owned(),
            relation: None,
            object: None,
        },
    );
    let (_folder, graph) = extracted(&log);
    graph.entity("Bonn").expect_err("it was denied");
    log.assert(3, &stored);
    follow(&graph, &log);
    let entity = graph.entity("bonn").expect("it was told again");
    assert_eq!(entity.aliases, ["B. on Rhine"]);
}

#[test]
fn entities_named_together_twice_are_neighbours() {
    let log = Log::default();
    log.say("Ada", 1, "Mara Lind met Teo Marchand.", None);
    let (_folder, graph) = extracted(&log);
    let beside = |name: &str| {
        let around = graph.neighbourhood(name, 1, 10, day(5)).expect("known");
        let named = around
            .relations
            .into_iter()
            .filter(|one| one.relation == "named_with");
        named
            .map(|one| (one.id, one.mentions, one.evidence.len()))
            .collect::<Vec<_>>()
    };
    assert!(beside("Mara Lind").is_empty(), "once is chance");
    log.say("Ada", 2, "Then Mara Lind called Teo Marchand.", None);
    follow(&graph, &log);
    let from_one = beside("Mara Lind");
    assert_eq!(from_one.len(), 1);
    assert_eq!((from_one[0].1, from_one[0].2), (2, 2));
    assert_eq!(
        beside("Teo Marchand"),
        from_one,
        "the same from either side"
    );
}

#[test]
fn a_late_memory_has_its_thirty_days_too() {
    let log = Log::default();
    let stored = log.say("Ada", 1, "Mara Lind lives in Bonn.", None);
    log.set_stored_at(stored, day(300));
    let (_folder, graph) = extracted(&log);
    let known = |on| graph.relations("Mara Lind", day(on)).expect("known").len();
    assert_eq!((known(329), known(331)), (1, 0));
}

#[test]
fn an_expired_memory_counts_as_forgotten() {
    let log = Log::default();
    let stored = log.say("Ada", 1, "Mara Lind lives in Bonn.", None);
    log.expire(stored, day(9));
    let (_folder, graph) = extracted(&log);
    graph.entity("Mara Lind").expect("known");
    let follow_on = |on| {
        graph
            .catch_up(&log, 7, day(on), &mut |_| true)
            .expect("extracted")
    };
    follow_on(8);
    graph.entity("Mara Lind").expect("still known");
    follow_on(9);
    graph.entity("Mara Lind").expect_err("it has expired");
    let folder = tempfile::tempdir().expect("a folder");
    let again = Graph::open(&folder.path().join("knowledge.db"), None).expect("opened");
    again
        .catch_up(&log, 7, day(9), &mut |_| true)
        .expect("extracted");
    again
        .entity("Mara Lind")
        .expect_err("extracted again it is not there either");
}

#[test]
fn memories_expired_by_a_wrong_clock_come_back() {
    let log = Log::default();
    let stored = log.say("Ada", 1, "Mara Lind lives in Bonn.", None);
    log.expire(stored, day(9));
    let (_folder, graph) = extracted(&log);
    let follow_on = |on| {
        graph
            .catch_up(&log, 7, day(on), &mut |_| true)
            .expect("extracted")
    };
    follow_on(3_650);
    graph
        .entity("Mara Lind")
        .expect_err("expired by the wrong clock");
    // Written and expired while the clock was ahead, so the graph has never extracted it.
    let later = log.say("Ada", 2, "Teo Marchand lives in Ulm.", None);
    log.expire(later, day(12));
    follow_on(3_650);
    graph
        .entity("Teo Marchand")
        .expect_err("expired by the wrong clock");
    assert!(!graph.is_expiry_due(day(3_650)).expect("a look"));
    assert!(graph.is_expiry_due(day(8)).expect("a look"));
    follow_on(8);
    graph.entity("Mara Lind").expect("read again");
    graph.entity("Teo Marchand").expect("read again");
    assert!(!graph.is_expiry_due(day(8)).expect("a look"));
    follow_on(9);
    graph.entity("Mara Lind").expect_err("it has expired");
    graph.entity("Teo Marchand").expect("it has not");
    log.expire(stored, day(20));
    follow_on(10);
    graph.entity("Mara Lind").expect("its expiry was postponed");
}

#[test]
fn threads_are_related_by_rare_names_only() {
    let log = Log::default();
    for thread in 0..9 {
        let name = format!("log {thread}");
        log.say("Ada", thread, "Teo Marchand was there.", Some((&name, 0)));
        let text = match thread {
            2 => "Mara Lind lives in Bonn.",
            5 => "Then Marie called.",
            _ => "It rained.",
        };
        log.say("Ada", thread, text, Some((&name, 1)));
    }
    log.say("Ada", 9, "Mara Lind called.", None);
    log.assert(
        10,
        &Assertion::Entity(ToldEntity {
            name: "Mara Lind".to_owned(),
            entity_type: EntityType::Person,
            aliases: vec!["Marie".to_owned()],
            ..ToldEntity::default()
        }),
    );
    let (_folder, graph) = extracted(&log);
    let related = |thread: &str, limit| {
        let related = graph.related_threads(thread, limit).expect("read");
        let threads = related.into_iter().map(|related| related.thread);
        threads.collect::<Vec<_>>()
    };
    assert_eq!(related("log 2", 10), ["log 5"]);
    assert_eq!(related("log 5", 10), ["log 2"]);
    assert_eq!(related("log 2", 0), Vec::<String>::new());
    assert_eq!(related("log 3", 10), Vec::<String>::new());
    assert_eq!(related("no such thread", 10), Vec::<String>::new());
    let naming = |name: &str| graph.rows_naming(name).expect("known");
    assert_eq!(naming("marie"), naming("Mara Lind"));
    assert_eq!(naming("Teo Marchand").len(), 9);
    graph.rows_naming("Nobody At All").expect_err("not known");
}

#[test]
fn aliases_merge_entities() {
    let log = Log::default();
    log.say("Ada", 1, "Mara Lind lives in Bonn.", None);
    log.say("Ada", 2, "Marie lives in Bonn.", None);
    let (_folder, graph) = extracted(&log);
    assert_eq!(graph.entity("Mara Lind").expect("known").mentions, 1);
    let joined = Assertion::Entity(ToldEntity {
        name: "Mara Lind".to_owned(),
        entity_type: EntityType::Person,
        aliases: vec!["Marie".to_owned()],
        ..ToldEntity::default()
    });
    log.assert(3, &joined);
    follow(&graph, &log);
    let entity = graph.entity("marie").expect("known");
    assert_eq!((entity.name.as_str(), entity.mentions), ("Mara Lind", 3));
    assert_eq!(entity.aliases, ["Marie"]);
    let relations = graph.relations("Marie", day(4)).expect("known");
    assert_eq!(relation(&relations, "lives_in", "Bonn").mentions, 2);
    let (one, other) = ("Marie".to_owned(), "Mara Lind".to_owned());
    log.assert(4, &Assertion::Distinct { one, other });
    follow(&graph, &log);
    assert_eq!(graph.entity("marie").expect("known").mentions, 1);
}

#[test]
fn a_first_name_refers_to_the_person_of_the_thread() {
    let log = Log::default();
    log.say("Ada", 1, "You know Mara Lind?", Some(("one", 0)));
    log.say("Teo", 1, "Mara lives in Bonn.", Some(("one", 1)));
    log.say("Teo", 1, "Mara lives in Berlin.", Some(("two", 0)));
    let (_folder, graph) = extracted(&log);
    let relations = graph.relations("Mara Lind", day(2)).expect("known");
    relation(&relations, "lives_in", "Bonn");
    let others = graph.relations("Mara", day(2)).expect("known");
    relation(&others, "lives_in", "Berlin");
    let suggested = graph.suggested_merges(10, day(2)).expect("suggested");
    let names: Vec<_> = suggested
        .iter()
        .map(|one| [one.into.name.as_str(), one.from.name.as_str()])
        .collect();
    assert!(
        names.contains(&["Mara Lind", "Mara"]) || names.contains(&["Mara", "Mara Lind"]),
        "{names:?}"
    );
}

#[test]
fn properties_and_neighbours_are_found() {
    let log = Log::default();
    let stored = [
        ("Skep", "runs_on", "Hetzner"),
        ("Mara Lind", "works_on", "Skep"),
        ("Hetzner", "located_in", "Falkenstein"),
    ];
    for (subject, relation, object) in stored {
        let (subject, relation, object) =
            (subject.to_owned(), relation.to_owned(), object.to_owned());
        log.assert(
            1,
            &Assertion::Relation(ToldRelation {
                subject,
                relation,
                object,
                ..ToldRelation::default()
            }),
        );
    }
    let property = Assertion::Property(ToldProperty {
        entity: "Skep".to_owned(),
        frame: anamne_types::Perspective::Custom,
        property: "colour".to_owned(),
        value: "yellow".to_owned(),
        ..ToldProperty::default()
    });
    log.assert(2, &property);
    let (_folder, graph) = extracted(&log);
    let around = |steps| {
        let around = graph
            .neighbourhood("skep", steps, 10, day(3))
            .expect("known");
        let names: Vec<_> = around
            .entities
            .into_iter()
            .map(|(away, entity)| (away, entity.name))
            .collect();
        (names, around.relations.len())
    };
    let names = |of: &[(u32, &str)]| {
        of.iter()
            .map(|(away, name)| (*away, (*name).to_owned()))
            .collect::<Vec<_>>()
    };
    let (one, relations) = around(1);
    assert_eq!(one.len(), 3);
    assert_eq!(relations, 3);
    let (two, relations) = around(2);
    assert_eq!(two.last(), names(&[(2, "Falkenstein")]).last());
    assert_eq!((two.len(), relations), (4, 4));
    let (_, frames) = graph.frames("Skep", day(3)).expect("known");
    let custom = frames
        .iter()
        .find(|frame| frame.frame == anamne_types::Perspective::Custom)
        .expect("a frame");
    assert_eq!(
        custom.relations[0].object,
        Object::Value("yellow".to_owned())
    );
}

#[test]
fn forgotten_text_leaves_no_trace_in_the_file() {
    let log = Log::default();
    let secret = log.say(
        "Zebedee Quark",
        1,
        "Wilhelmina Oddfellow lives in Timbuktu.",
        Some(("quiet", 0)),
    );
    log.say("Ada", 1, "Mara Lind lives in Bonn.", None);
    let (folder, graph) = extracted(&log);
    let holds = |word: &str| {
        let files = std::fs::read_dir(folder.path()).expect("read").flatten();
        let contents = files.map(|file| std::fs::read(file.path()).expect("read"));
        contents.into_iter().any(|bytes| {
            let lower = bytes.to_ascii_lowercase();
            lower
                .windows(word.len())
                .any(|window| window == word.as_bytes())
        })
    };
    assert!(holds("oddfellow") && holds("zebedee"));
    log.change(secret, None);
    follow(&graph, &log);
    graph.purge().expect("purged");
    for word in ["oddfellow", "timbuktu", "zebedee", "quiet"] {
        assert!(!holds(word), "{word}");
    }
    assert!(holds("mara lind"));
}

#[test]
fn a_contradiction_stays_open_until_someone_decides() {
    let log = Log::default();
    let did = log.say(
        "Ada",
        1,
        "I implemented a Flask route for the homepage.",
        None,
    );
    log.say("Ada", 1, "Lunch was fine.", None);
    let never = log.say(
        "Ada",
        5,
        "I have never written any Flask routes in this project.",
        None,
    );
    let (_folder, graph) = extracted(&log);
    let open = ContradictionQuery {
        open: true,
        limit: 10,
        ..ContradictionQuery::default()
    };
    let found = graph.contradictions(&open).expect("listed");
    assert_eq!(found.len(), 1, "{found:?}");
    let found = &found[0];
    assert_eq!((found.kind, found.kept), (ConflictKind::Contested, None));
    assert_eq!(
        (found.earlier.evidence.memory, found.later.evidence.memory),
        (did, never)
    );
    assert!(
        found.later.quote.contains("never written any Flask routes"),
        "{}",
        found.later.quote
    );
    let holds = || {
        let disputes = graph.disputes(&[Row(0), Row(1), Row(2)]).expect("read");
        disputes
            .iter()
            .map(|of| of.first().map(|dispute| dispute.holds))
            .collect::<Vec<_>>()
    };
    assert_eq!(holds(), [Some(None), None, Some(None)]);
    let contradiction = found.id.clone();
    let decided = log.assert(
        6,
        &Assertion::Resolution {
            contradiction,
            kept: did,
            lost: never,
        },
    );
    follow(&graph, &log);
    assert_eq!(holds(), [Some(Some(true)), None, Some(Some(false))]);
    assert!(graph.contradictions(&open).expect("listed").is_empty());
    assert_eq!(
        graph.contradiction(&found.id[..6]).expect("known").kept,
        Some(did)
    );
    log.change(decided, None);
    follow(&graph, &log);
    assert_eq!(
        holds(),
        [Some(None), None, Some(None)],
        "the decision was forgotten"
    );
    log.change(did, Some("I implemented nothing yet."));
    follow(&graph, &log);
    assert!(graph.contradictions(&open).expect("listed").is_empty());
}

#[test]
fn a_correction_is_later_than_what_was_said_before_it() {
    let log = Log::default();
    let port = |port: u32| format!("The payments service uses port {port}.");
    let corrected = log.say("Ada", 1, &port(7000), None);
    let said = log.say("Ada", 5, &port(7001), None);
    let (_folder, graph) = extracted(&log);
    let order = || {
        let all = ContradictionQuery {
            limit: 10,
            ..ContradictionQuery::default()
        };
        let found = graph.contradictions(&all).expect("listed");
        assert_eq!(found.len(), 1, "{found:?}");
        let among = [corrected, said].map(|id| log.memories(&[id]).expect("read").remove(0));
        let among = graph.contradictions_among(&among).expect("compared");
        assert_eq!(among[0].id, found[0].id);
        let sides = [&found[0].earlier, &found[0].later];
        sides.map(|side| side.evidence.memory)
    };
    assert_eq!(order(), [corrected, said]);
    log.correct(corrected, 9, &port(7002));
    follow(&graph, &log);
    assert_eq!(order(), [said, corrected]);
    // It was told when it happened.
    log.set_stored_at(corrected, day(2));
    follow(&graph, &log);
    assert_eq!(order(), [corrected, said]);

    let moved = log.say("Ada", 1, "Mara Lind lives in Bonn.", None);
    log.say("Ada", 5, "Mara Lind lives in Kiel.", None);
    log.correct(moved, 9, "Mara Lind lives in Oslo.");
    follow(&graph, &log);
    let relations = graph.relations("Mara Lind", day(20)).expect("known");
    let ends = ["Kiel", "Oslo"].map(|place| relation(&relations, "lives_in", place).valid_to);
    assert_eq!(ends, [Some(day(9)), None]);
}

#[test]
fn readings_and_verdicts_of_a_model_replace_the_rules() {
    let log = Log::default();
    let text = "Mara Lind lives in Bonn.";
    log.say("Ada", 1, text, None);
    log.say(
        "Ada",
        2,
        "I implemented a Flask route for the homepage.",
        None,
    );
    log.say(
        "Ada",
        5,
        "I have never written any Flask routes in this project.",
        None,
    );
    let folder = tempfile::tempdir().expect("a folder");
    let readings = Arc::new(Readings::open(&folder.path().join("readings.db")).expect("opened"));
    let path = folder.path().join("knowledge.db");
    let graph = Graph::open(&path, Some(readings.clone())).expect("opened");
    follow(&graph, &log);
    let statement = Statement {
        span: 0..24,
        subject: Term::Entity("Mara Lind".to_owned(), EntityType::Person),
        relation: "likes".into(),
        object: Term::Entity("Bonn".to_owned(), EntityType::Place),
        negated: false,
        valid_from: Some(day(1)),
        valid_to: None,
        confidence: 0.9,
    };
    let reading = Reading {
        mentions: Vec::new(),
        statements: vec![statement],
    };
    readings
        .put(Row(0), Seq(1), "scripted", Some((&reading, text)))
        .expect("kept");
    let of = |seq, text| readings.of(Row(0), Seq(seq), text).expect("read");
    assert_eq!(of(1, text), Some(reading));
    assert_eq!(of(2, text), None, "it has changed since");
    assert_eq!(of(1, "Mara Lind"), None, "another memory stands there");
    graph.follow_readings(&log).expect("taken");
    let contradictions = ContradictionQuery {
        limit: 10,
        ..ContradictionQuery::default()
    };
    let found = graph.contradictions(&contradictions).expect("listed");
    let rule = found[0].made_by.to_string();
    assert!(rule.starts_with("rule contradiction/"), "{rule}");
    let agrees = ConflictReading {
        kind: Some(ConflictKind::Contested),
        reason: String::new(),
    };
    readings
        .judge(&found[0].id, "scripted", &agrees)
        .expect("kept");
    graph.refresh_contradiction(&found[0].id).expect("looked");
    let judged = graph.contradiction(&found[0].id).expect("known");
    assert_eq!(judged.made_by, MadeBy::Model("scripted".to_owned()));
    assert_eq!(
        graph.contradictions(&contradictions).expect("listed"),
        [judged]
    );
    let verdict = ConflictReading {
        kind: None,
        reason: "another project".to_owned(),
    };
    readings
        .judge(&found[0].id, "scripted", &verdict)
        .expect("kept");
    graph.refresh_contradiction(&found[0].id).expect("looked");
    let check = |graph: &Graph| {
        let relations = graph.relations("Mara Lind", day(3)).expect("known");
        let names: Vec<_> = relations.iter().map(|one| one.relation.as_str()).collect();
        assert_eq!(names, ["likes"]);
        assert!(
            graph
                .contradictions(&contradictions)
                .expect("listed")
                .is_empty()
        );
    };
    check(&graph);
    drop(graph);
    Graph::remove(&path).expect("removed");
    let again = Graph::open(&path, Some(readings.clone())).expect("opened");
    follow(&again, &log);
    check(&again);
    readings.purge(&|row| row != Row(0)).expect("purged");
    assert_eq!(of(1, text), None);
}

/// One step of a random history.
#[derive(Clone, Debug)]
enum Step {
    Say {
        author: usize,
        text: usize,
        place: Option<(usize, u32)>,
    },
    Change {
        row: usize,
        text: usize,
    },
    Forget {
        row: usize,
    },
    Assert {
        which: usize,
    },
    Follow,
}

const AUTHORS: [&str; 3] = ["Ada", "Teo", ""];

const TEXTS: [&str; 12] = [
    "I have never written any Flask routes in this project.",
    "I implemented a Flask route for the homepage.",
    "The deadline for the Skep release is March 15.",
    "The deadline for the Skep release is now April 1.",
    "Mara Lind lives in Bonn.",
    "Mara lives in Berlin.",
    "I think Mara no longer lives in Bonn.",
    "Then Teo Marchand likes Skep, and Mara Lind likes Skep.",
    "so mara told teo about the skep release",
    "Yesterday Mara Lind, also called Marie, went home.",
    "Marie lives in Colmar.",
    "",
];

fn assertion(which: usize) -> Assertion {
    let name = |name: &str| name.to_owned();
    match which {
        0 => Assertion::Entity(ToldEntity {
            name: name("Skep"),
            entity_type: EntityType::Project,
            aliases: vec![name("the hive book")],
            ..ToldEntity::default()
        }),
        1 => Assertion::Denial {
            subject: name("Mara Lind"),
            relation: Some(name("lives_in")),
            object: None,
        },
        2 => Assertion::Distinct {
            one: name("Marie"),
            other: name("Mara Lind"),
        },
        3 => Assertion::Entity(ToldEntity {
            name: name("Mara Lind"),
            entity_type: EntityType::Person,
            aliases: vec![name("Mara")],
            ..ToldEntity::default()
        }),
        4 => Assertion::Relation(ToldRelation {
            subject: name("Mara"),
            relation: name("partner_of"),
            object: name("Teo Marchand"),
            both_ways: true,
            weight: Some(0.5),
            evidence: vec![MemoryId::from_bytes(2_u128.to_be_bytes())],
            ..ToldRelation::default()
        }),
        5 => Assertion::Relation(ToldRelation {
            subject: name("Teo Marchand"),
            relation: name("partner_of"),
            object: name("Marie"),
            both_ways: true,
            confidence: Some(0.4),
            ..ToldRelation::default()
        }),
        6 => Assertion::Entity(ToldEntity {
            name: name("the hive book"),
            custom_type: Some(name("almanac")),
            tags: Some(vec![name("bees")]),
            attributes: Attributes::from([(name("pages"), 320.into())]),
            ..ToldEntity::default()
        }),
        7 => Assertion::Property(ToldProperty {
            entity: name("Skep"),
            frame_name: Some(name("press")),
            property: name("colour"),
            value: name("yellow"),
            ..ToldProperty::default()
        }),
        8 => Assertion::Property(ToldProperty {
            entity: name("the hive book"),
            frame_name: Some(name("press")),
            property: name("colour"),
            value: name("green"),
            ..ToldProperty::default()
        }),
        _ => Assertion::Relation(ToldRelation {
            subject: name("Mara"),
            relation: name("lives_in"),
            object: name("Colmar"),
            ..ToldRelation::default()
        }),
    }
}

fn step() -> impl Strategy<Value = Step> {
    let place = proptest::option::of((0..2_usize, 0..6_u32));
    prop_oneof![
        4 => (0..3_usize, 0..TEXTS.len(), place).prop_map(|(author, text, place)| Step::Say { author, text, place }),
        1 => (any::<usize>(), 0..TEXTS.len()).prop_map(|(row, text)| Step::Change { row, text }),
        1 => any::<usize>().prop_map(|row| Step::Forget { row }),
        2 => (0..10_usize).prop_map(|which| Step::Assert { which }),
        1 => Just(Step::Follow),
    ]
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(48))]

    #[test]
    fn the_graph_is_a_function_of_the_log(steps in proptest::collection::vec(step(), 1..40)) {
        let log = Log::default();
        let (_folder, graph) = extracted(&log);
        for (on, step) in steps.into_iter().enumerate() {
            let on = on as i64;
            match step {
                Step::Say { author, text, place } => {
                    let place = place.map(|(thread, position)| (["one", "two"][thread], position));
                    log.say(AUTHORS[author], on, TEXTS[text], place);
                }
                Step::Change { row, text } if log.len() > 0 => log.change(log.id_of(row % log.len()), Some(TEXTS[text])),
                Step::Forget { row } if log.len() > 0 => log.change(log.id_of(row % log.len()), None),
                Step::Assert { which } => { log.assert(on, &assertion(which)); }
                Step::Follow => follow(&graph, &log),
                Step::Change { .. } | Step::Forget { .. } => {}
            }
        }
        follow(&graph, &log);
        let (_other, again) = extracted(&log);
        prop_assert_eq!(everything(&graph), everything(&again));
    }
}
