//! Knowledge: extracted from memories, the same when extracted again, shown by recall, and gone after an erasure.

use std::fs;
use std::path::Path;

use anamne::{
    Assertion, ConflictKind, ConsistencyRequest, ContextRequest, ContradictionQuery, Draft,
    EntityQuery, EntityType, LinkType, Options, Recall, Space, Store, ToldEntity, ToldProperty,
};

use crate::common::Home;

fn space(folder: &Path) -> Space {
    let store = Store::open_with(Options::new(folder).background(false)).expect("a store");
    store.space("tests").expect("a space")
}

fn entity(name: &str) -> Assertion {
    Assertion::Entity(ToldEntity {
        name: name.to_owned(),
        entity_type: EntityType::Project,
        ..ToldEntity::default()
    })
}

/// Two statements of one person that contradict each other.
fn contradict(space: &Space) {
    for (hour, text) in [
        (8, "I implemented a Flask route for the homepage."),
        (9, "I have never written any Flask routes in this project."),
    ] {
        let at: jiff::Timestamp = format!("2026-03-0{}T10:00:00Z", hour - 7)
            .parse()
            .expect("an instant");
        space
            .remember(Draft::new(text).author("Ada").occurred_at(at))
            .expect("told");
    }
}

fn all() -> EntityQuery {
    EntityQuery {
        unconfirmed: true,
        limit: 1_000,
        ..EntityQuery::default()
    }
}

#[test]
fn what_was_told_by_hand_is_known_at_once_and_found_by_recall() {
    let folder = tempfile::tempdir().expect("a folder");
    let space = space(folder.path());
    let stored = space.assert(&entity("Skep"), None).expect("told");
    let known = space
        .knowledge()
        .expect("knowledge")
        .entity("skep")
        .expect("known");
    assert_eq!(
        (known.name.as_str(), known.entity_type),
        ("Skep", EntityType::Project)
    );
    let answer = space
        .recall(&Recall::new("what is Skep?"))
        .expect("answered");
    assert_eq!(answer.results[0].memory.id, stored.id);
    space.forget(stored.id).expect("forgotten");
    space
        .knowledge()
        .expect("knowledge")
        .entity("Skep")
        .expect_err("it was taken back");
    let refused = space
        .assert(&entity(""), None)
        .expect_err("a name is needed");
    assert_eq!(refused.refusal().expect("a refusal").field(), "name");
}

#[test]
fn an_outdated_statement_falls_behind_the_one_that_holds() {
    let folder = tempfile::tempdir().expect("a folder");
    let space = space(folder.path());
    let told = |text: &str| {
        let draft = Draft::new(text).author("Ada");
        space.remember(draft).expect("told").id
    };
    let before = told("I use Trello to plan my week.");
    let after = told("I no longer use Trello.");
    let ask = |weight: Option<f32>| {
        let mut recall = Recall::new("What do I use to plan my week, Trello?");
        let weight = weight.map(|weight| ("outdated".to_owned(), weight));
        recall.weights = weight.into_iter().collect();
        let answer = space.recall(&recall).expect("answered");
        let ids: Vec<_> = answer.results.iter().map(|hit| hit.memory.id).collect();
        (ids, answer.results)
    };
    let (found, _) = ask(None);
    assert_eq!(found, [before, after], "nothing is extracted yet");
    space.extract(&mut |_| true).expect("extracted");
    let (found, results) = ask(None);
    assert_eq!(found, [after, before]);
    let features = &results[1].explanation.features;
    let lost = features.iter().find(|(name, ..)| name == "outdated");
    let (_, lead, weight) = lost.expect("the feature is named");
    assert!(*lead > 0.0 && *weight < 0.0, "{lead} {weight}");
    let (found, _) = ask(Some(0.0));
    assert_eq!(found, [before, after], "a weight of 0 turns it off");
}

#[test]
fn an_outdated_statement_and_its_duplicate_both_fall_back() {
    let folder = tempfile::tempdir().expect("a folder");
    let space = space(folder.path());
    let told = |text: &str| {
        let draft = Draft::new(text).author("Ada");
        space.remember(draft).expect("told").id
    };
    let before = told("I use Trello to plan my week.");
    let duplicate = told("I use trello to plan my week.");
    let other = told("Planning a week takes me an hour.");
    let after = told("I no longer use Trello.");
    let ask = || {
        let recall = Recall::new("What do I use to plan my week, Trello?");
        let answer = space.recall(&recall).expect("answered");
        let ids = answer.results.iter().map(|hit| hit.memory.id);
        ids.collect::<Vec<_>>()
    };
    let place =
        |ids: &[anamne::MemoryId], id| ids.iter().position(|found| *found == id).expect("found");
    let found = ask();
    assert!(place(&found, before).min(place(&found, duplicate)) < place(&found, after));
    space.extract(&mut |_| true).expect("extracted");
    let found = ask();
    let outdated = [place(&found, before), place(&found, duplicate)];
    let (first, last) = (outdated[0].min(outdated[1]), outdated[0].max(outdated[1]));
    assert!(place(&found, after) < first, "{found:?}");
    assert!(
        first < place(&found, other),
        "only the duplicate is demoted"
    );
    assert!(place(&found, other) < last, "the duplicate stays demoted");
}

#[test]
fn recall_and_context_show_what_is_contested_until_it_is_decided() {
    let folder = tempfile::tempdir().expect("a folder");
    let space = space(folder.path());
    contradict(&space);
    let ask = || {
        let answer = space
            .recall(&Recall::new("Flask routes"))
            .expect("answered");
        answer
            .results
            .into_iter()
            .map(|hit| {
                (
                    hit.memory.content.contains("never"),
                    hit.disputes,
                    hit.reasoning,
                )
            })
            .collect::<Vec<_>>()
    };
    assert!(
        ask().iter().all(|(_, disputes, _)| disputes.is_empty()),
        "nothing is extracted yet"
    );
    space.extract(&mut |_| true).expect("extracted");
    let hits = ask();
    assert_eq!(hits.len(), 2);
    for (_, disputes, reasoning) in &hits {
        assert_eq!(
            (disputes[0].kind, disputes[0].holds),
            (ConflictKind::Contested, None)
        );
        assert!(reasoning.contains("contradicted by"), "{reasoning}");
    }
    let block = space
        .context(&ContextRequest {
            preset: None,
            recall: Recall::new("Flask routes"),
            token_budget: 500,
        })
        .expect("packed");
    assert!(block.text.contains("(contested by [m"), "{}", block.text);
    let open = ContradictionQuery {
        open: true,
        limit: 10,
        ..ContradictionQuery::default()
    };
    let found = space
        .knowledge()
        .expect("knowledge")
        .contradictions(&open)
        .expect("listed");
    let kept = found[0].earlier.evidence.memory;
    let stranger = space.remember("Lunch was fine").expect("told").id;
    let refused = space
        .resolve_contradiction(&found[0].id, stranger)
        .expect_err("it takes no part");
    assert_eq!(refused.refusal().expect("a refusal").field(), "keep");
    let decided = space
        .resolve_contradiction(&found[0].id, kept)
        .expect("decided");
    assert_eq!(decided.kept, Some(kept));
    for (is_lost, disputes, _) in ask().iter().filter(|(_, disputes, _)| !disputes.is_empty()) {
        assert_eq!(disputes[0].holds, Some(!is_lost));
    }
    let block = space
        .context(&ContextRequest {
            preset: None,
            recall: Recall::new("Flask routes"),
            token_budget: 500,
        })
        .expect("packed");
    assert!(block.text.contains("(wrong: [m"), "{}", block.text);
}

#[test]
fn thrown_away_it_is_extracted_again_the_same() {
    let folder = tempfile::tempdir().expect("a folder");
    let space = space(folder.path());
    contradict(&space);
    space.assert(&entity("Skep"), None).expect("told");
    space.extract(&mut |_| true).expect("extracted");
    let say = |space: &Space| {
        let knowledge = space.knowledge().expect("knowledge");
        let contradictions = knowledge.contradictions(&ContradictionQuery {
            limit: 10,
            ..ContradictionQuery::default()
        });
        format!(
            "{:?} {:?}",
            knowledge.entities(&all()).expect("listed"),
            contradictions.expect("listed")
        )
    };
    let before = say(&space);
    space.extract_again(&mut |_| true).expect("extracted");
    assert_eq!(say(&space), before);
    space.rebuild(&mut |_, _| {}).expect("rebuilt");
    assert_eq!(say(&space), before);
    fs::remove_dir_all(space.folder().join("views")).expect("removed under its hands");
    space.extract(&mut |_| true).expect("extracted");
    assert_eq!(say(&space), before);
}

#[test]
fn of_equal_statements_the_one_that_holds_is_shown() {
    let folder = tempfile::tempdir().expect("a folder");
    let space = space(folder.path());
    for number in 0..20 {
        let text = format!("Lunch {number} is at noon in room {number}.");
        space.remember(text).expect("told");
    }
    let told = |port: u16| {
        let draft = Draft::new(format!("The staging database listens on port {port}."));
        let fact = anamne::Body::Fact { category: None };
        let draft = Draft {
            body: fact,
            ..draft
        };
        space.remember(draft).expect("told").id
    };
    let (first, between, last) = (told(5432), told(6000), told(5432));
    assert_ne!(first, last, "it is news again");
    space.extract(&mut |_| true).expect("extracted");
    let mut recall = Recall::new("which port does the staging database listen on?");
    recall.min_confidence = Recall::UNLIKELY;
    let answer = space.recall(&recall).expect("answered");
    let found: Vec<_> = answer.results.iter().map(|hit| hit.memory.id).collect();
    assert_eq!(found[..2], [last, between], "{found:?}");
    let request = anamne::ContextRequest {
        preset: None,
        recall,
        token_budget: 500,
    };
    let block = space.context(&request).expect("a block");
    let shown: Vec<_> = block.entries.iter().map(|entry| entry.id).collect();
    assert!(
        shown.contains(&last) && !shown.contains(&first),
        "{shown:?}"
    );
}

#[test]
fn a_damaged_graph_is_extracted_anew() {
    let folder = tempfile::tempdir().expect("a folder");
    {
        let space = space(folder.path());
        space.assert(&entity("Skep"), None).expect("told");
        space.extract(&mut |_| true).expect("extracted");
    }
    let file = folder.path().join("spaces/tests/views/knowledge.db");
    fs::write(&file, "this is no database, however long one looks at it").expect("damaged");
    let space = space(folder.path());
    space
        .knowledge()
        .expect("knowledge")
        .entity("Skep")
        .expect("known");
}

#[test]
fn nothing_of_what_was_erased_stays_in_the_graph() {
    let folder = tempfile::tempdir().expect("a folder");
    let space = space(folder.path());
    let stored = space
        .assert(&entity("Operation Quillfeather"), None)
        .expect("told");
    space.assert(&entity("Skep"), None).expect("told");
    space.extract(&mut |_| true).expect("extracted");
    assert!(space.erase(stored.id).expect("erased").is_complete());
    for entry in fs::read_dir(space.folder().join("views"))
        .expect("read")
        .flatten()
    {
        let Ok(bytes) = fs::read(entry.path()) else {
            continue;
        };
        let bytes = bytes.to_ascii_lowercase();
        assert!(
            !bytes.windows(12).any(|window| window == b"quillfeather"),
            "{:?}",
            entry.path()
        );
    }
    space
        .knowledge()
        .expect("knowledge")
        .entity("Skep")
        .expect("known");
}

#[test]
fn several_may_extract_at_once() {
    let folder = tempfile::tempdir().expect("a folder");
    let write = space(folder.path());
    for number in 0..120 {
        write
            .assert(&entity(&format!("Project Number{number}")), None)
            .expect("told");
    }
    std::thread::scope(|scope| {
        for _ in 0..4 {
            scope.spawn(|| {
                let space = space(folder.path());
                while space
                    .knowledge()
                    .expect("knowledge")
                    .behind()
                    .expect("read")
                    > 0
                {
                    space.extract(&mut |_| true).expect("extracted");
                }
            });
        }
    });
    let knowledge = write.knowledge().expect("knowledge");
    assert_eq!(knowledge.entities(&all()).expect("listed").len(), 120);
    let one = knowledge.entity("Project Number77").expect("known");
    assert_eq!(one.mentions, 1);
}

#[test]
fn memories_that_name_the_same_are_associated() {
    let folder = tempfile::tempdir().expect("a folder");
    let space = space(folder.path());
    let property = |value: &str| {
        Assertion::Property(ToldProperty {
            entity: "Skep".to_owned(),
            frame: anamne::Perspective::Custom,
            property: "colour".to_owned(),
            value: value.to_owned(),
            ..ToldProperty::default()
        })
    };
    let one = space.assert(&entity("Skep"), None).expect("told").id;
    let other = space.assert(&property("yellow"), None).expect("told").id;
    space.assert(&entity("Hetzner"), None).expect("told");
    let found = space
        .knowledge()
        .expect("knowledge")
        .associations(one, 10)
        .expect("found");
    assert_eq!(found.len(), 1);
    assert_eq!(
        (found[0].memory, found[0].link_type),
        (other, LinkType::Related)
    );
    assert!(found[0].reason.contains("Skep"), "{}", found[0].reason);
}

#[test]
fn one_may_throw_the_graph_away_while_others_extract_and_ask() {
    let folder = tempfile::tempdir().expect("a folder");
    let write = space(folder.path());
    for number in 0..60 {
        write
            .assert(&entity(&format!("Project Number{number}")), None)
            .expect("told");
    }
    std::thread::scope(|scope| {
        for _ in 0..2 {
            scope.spawn(|| {
                let space = space(folder.path());
                for _ in 0..5 {
                    space.extract_again(&mut |_| true).expect("extracted");
                }
            });
        }
        scope.spawn(|| {
            let space = space(folder.path());
            for _ in 0..40 {
                space.extract(&mut |_| true).expect("extracted");
                let knowledge = space.knowledge().expect("knowledge");
                assert!(knowledge.entities(&all()).expect("listed").len() <= 60);
                space.recall(&Recall::new("Number7")).expect("answered");
            }
        });
    });
    write.extract(&mut |_| true).expect("extracted");
    let knowledge = write.knowledge().expect("knowledge");
    assert_eq!(knowledge.entities(&all()).expect("listed").len(), 60);
}

#[test]
fn an_outdated_statement_that_is_told_again_holds_again() {
    let folder = tempfile::tempdir().expect("a folder");
    let space = space(folder.path());
    let told = |text: &str| space.remember(text).expect("told");
    let first = told("Nora lives in Oslo");
    told("Nora lives in Bergen");
    let again = told("Nora lives in Oslo");
    assert!(!again.duplicate && again.id != first.id, "{again:?}");
    let third = told("Nora lives in Oslo");
    assert_eq!((third.id, third.duplicate), (again.id, true));
    space.extract(&mut |_| true).expect("extracted");
    let relations = space
        .knowledge()
        .expect("knowledge")
        .relations("Nora")
        .expect("relations");
    let current = relations
        .iter()
        .filter(|relation| relation.valid_to.is_none());
    let current: Vec<_> = current.map(|relation| relation.object.text()).collect();
    assert!(current.contains(&"Oslo"), "{relations:#?}");

    let (old, new) = (
        told("We deploy by hand"),
        told("We deploy from the pipeline now"),
    );
    let successor = anamne::Edit {
        superseded_by: Some(new.id),
        ..anamne::Edit::default()
    };
    space.edit(old.id, &successor).expect("edited");
    assert!(!told("We deploy by hand").duplicate);
}

#[test]
fn a_correction_is_the_later_statement_and_other_edits_are_not() {
    let home = Home::new();
    let (store, clock) = home.store_with_clock("2026-03-01T12:00:00Z");
    let space = store.space("tests").expect("a space");
    let port = |port: u32| format!("The payments service uses port {port}.");
    let first = space.remember(port(7000)).expect("told").id;
    clock.set("2026-03-02T12:00:00Z");
    let second = space.remember(port(7001)).expect("told").id;
    let holder_after = |at: &str, edit: anamne::Edit| {
        clock.set(at);
        let edited = space.edit(first, &edit).expect("edited");
        space.extract(&mut |_| true).expect("extracted");
        let both = ConsistencyRequest::among(vec![first, second]);
        let compared = space.check_consistency(&both).expect("compared");
        let holder = compared.contradictions[0].holds;
        let disputes = space.disputes(&edited).expect("disputes");
        assert_eq!(disputes[0].holds, Some(holder == Some(first)));
        holder
    };
    let tagged = |tag: &str| anamne::Edit {
        add_tags: vec![tag.to_owned()],
        ..anamne::Edit::default()
    };
    let corrected = anamne::Edit {
        content: Some(port(7002)),
        ..anamne::Edit::default()
    };
    assert_eq!(
        holder_after("2026-03-03T12:00:00Z", tagged("a")),
        Some(second)
    );
    assert_eq!(holder_after("2026-03-04T12:00:00Z", corrected), Some(first));
    clock.set("2026-03-05T12:00:00Z");
    let third = space.remember(port(7003)).expect("told").id;
    assert_eq!(
        holder_after("2026-03-06T12:00:00Z", tagged("b")),
        Some(first)
    );
    let read = space.read(third).expect("read");
    let disputes = space.disputes(&read).expect("disputes");
    assert!(
        disputes.iter().all(|dispute| dispute.holds == Some(true)),
        "{disputes:?}"
    );
}

#[test]
fn what_was_denied_is_marked_and_found_by_a_check() {
    let folder = tempfile::tempdir().expect("a folder");
    let space = space(folder.path());
    let text = "Ingrid Moe works at Fjordbank.";
    let said = space.remember(text).expect("told").id;
    let denial = Assertion::Denial {
        subject: "Ingrid Moe".to_owned(),
        relation: Some("works_at".to_owned()),
        object: Some("Fjordbank".to_owned()),
    };
    let denied = space.assert(&denial, None).expect("denied").id;
    space.extract(&mut |_| true).expect("extracted");
    let answer = space
        .recall(&Recall::new("where does Ingrid Moe work?"))
        .expect("recalled");
    let hit = answer.results.iter().find(|hit| hit.memory.id == said);
    let disputes = &hit.expect("found").disputes;
    let marked: Vec<_> = disputes.iter().map(|one| (one.memory, one.holds)).collect();
    assert_eq!(marked, [(denied, Some(false))]);
    let checked = space.check_claim(text, 10).expect("checked");
    let holding: Vec<_> = checked.contradictions.iter().map(|one| one.holds).collect();
    assert_eq!(holding, [Some(denied)]);
    assert!(space.remember(text).expect("told").duplicate);
}

#[test]
fn a_changed_text_is_not_marked_by_what_it_said_before() {
    let folder = tempfile::tempdir().expect("a folder");
    let space = space(folder.path());
    let port = |port: u32| format!("The vault service uses port {port}.");
    let [first, second] = [7000, 7001].map(|number| space.remember(port(number)).expect("told").id);
    space.extract(&mut |_| true).expect("extracted");
    let marked = || {
        let answer = space
            .recall(&Recall::new("which port does the vault service use?"))
            .expect("recalled");
        let hits = answer.results.iter().filter(|hit| !hit.disputes.is_empty());
        let mut marked: Vec<_> = hits.map(|hit| hit.memory.id).collect();
        marked.sort();
        marked
    };
    assert_eq!(marked(), [first, second]);
    let tagged = anamne::Edit {
        add_tags: vec!["network".to_owned()],
        ..anamne::Edit::default()
    };
    space.edit(first, &tagged).expect("edited");
    assert_eq!(marked(), [first, second]);
    let reworded = anamne::Edit {
        content: Some("The vault service was shut down in May.".to_owned()),
        ..anamne::Edit::default()
    };
    space.edit(first, &reworded).expect("edited");
    assert_eq!(marked(), []);
}

#[test]
fn a_merged_memory_that_is_told_again_is_known() {
    let folder = tempfile::tempdir().expect("a folder");
    let space = space(folder.path());
    let fact = |text: &str| Draft {
        body: anamne::Body::Fact { category: None },
        ..Draft::new(text)
    };
    let texts = [
        "The deploy happens every Friday at noon from the Hamburg office",
        "the deploy happens every Friday at noon from the Hamburg office.",
    ];
    for text in texts {
        space.remember(fact(text)).expect("told");
    }
    let (merged, _) = space.consolidate().expect("consolidated");
    assert_eq!(merged.len(), 1);
    for text in texts {
        assert!(
            space.remember(fact(text)).expect("told").duplicate,
            "{text}"
        );
    }
}
