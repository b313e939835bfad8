//! Queries with more depth: links, names, relations, threads and second queries.

use std::path::Path;

use anamne::{
    Answer, Assertion, Depth, Draft, EntityType, Filter, Hit, Kind, Link, LinkType, MemoryId,
    Options, Recall, Space, Step, Store, ToldEntity, ToldRelation,
};

fn space(folder: &Path) -> Space {
    let store = Store::open_with(Options::new(folder).background(false)).expect("a store");
    store.space("tests").expect("a space")
}

fn write(space: &Space, text: &str) -> MemoryId {
    space.remember(text).expect("told").id
}

fn link(space: &Space, from: MemoryId, link_type: LinkType, to: MemoryId) {
    let link = Link {
        from,
        to,
        link_type,
        weight: 1.0,
        reason: String::new(),
        created_at: space.now(),
    };
    space.link(&link).expect("linked");
}

fn ask(space: &Space, question: &str, depth: Depth) -> Answer {
    space
        .recall(&Recall::new(question).depth(depth).limit(400))
        .expect("answered")
}

fn hit(answer: &Answer, memory: MemoryId) -> Option<&Hit> {
    answer.results.iter().find(|hit| hit.memory.id == memory)
}

fn stored(path: &[Step]) -> Vec<(&str, &str)> {
    let steps = path.iter();
    steps
        .map(|step| (step.by.as_str(), step.to.as_str()))
        .collect()
}

/// Unrelated memories, so that not every query finds everything.
fn write_noise(space: &Space, count: usize) {
    let drafts: Vec<Draft> = (0..count)
        .map(|number| {
            let things = [
                "kettle", "ladder", "curtain", "bucket", "spoon", "carpet", "shelf",
            ];
            let (one, other) = (things[number % 7], things[number / 7 % 7]);
            Draft::new(format!(
                "the {one} beside a {other} was dusty, count {number}"
            ))
            .occurred_at(jiff::Timestamp::UNIX_EPOCH)
        })
        .collect();
    space.remember_all(&drafts).expect("told");
}

#[test]
fn links_are_followed_both_ways_and_named() {
    let folder = tempfile::tempdir().expect("a folder");
    let space = space(folder.path());
    write_noise(&space, 300);
    let plan = write(&space, "The harbour crane inspection is planned for spring");
    let after = write(&space, "budget approved by everybody at lunch");
    let before = write(&space, "old tender withdrawn, nobody objected");
    link(&space, plan, LinkType::Requires, after);
    link(&space, plan, LinkType::Supersedes, before);
    let question = "harbour crane inspection";
    let answer = ask(&space, question, Depth::Hops(1));
    let citation = |id| space.get(id).expect("there").citation();
    for (id, by) in [(after, "requires"), (before, "supersedes")] {
        let hit = hit(&answer, id).expect("reached");
        assert_eq!(
            stored(&hit.path),
            [("found", citation(plan).as_str()), (by, &citation(id))]
        );
        assert_eq!(hit.path[1].memory, Some(id));
        assert!(hit.explanation.found_by.contains(&"graph".to_owned()));
        let words = format!("eached via {} → {by} this.", citation(plan));
        assert!(hit.reasoning.ends_with(&words), "{}", hit.reasoning);
    }
    let answer = ask(&space, "old tender withdrawn", Depth::Hops(1));
    let back = hit(&answer, plan).expect("reached backwards");
    assert_eq!(back.path[1].by, "superseded_by");
    let far = hit(&answer, after);
    assert!(far.is_none_or(|hit| hit.path.is_empty()), "two hops away");
    let answer = ask(&space, "old tender withdrawn", Depth::Hops(2));
    let far = hit(&answer, after).expect("two hops reach it");
    assert_eq!(
        stored(&far.path),
        [
            ("found", citation(before).as_str()),
            ("superseded_by", &citation(plan)),
            ("requires", &citation(after)),
        ]
    );
    let shallow = ask(&space, question, Depth::Shallow);
    assert!(shallow.results.iter().all(|hit| hit.path.is_empty()));
}

#[test]
fn a_shared_name_leads_from_one_memory_to_another() {
    let folder = tempfile::tempdir().expect("a folder");
    let space = space(folder.path());
    write_noise(&space, 300);
    let found = write(&space, "The flood barrier was surveyed by Zenobia Quarrel.");
    let wanted = write(&space, "Zenobia Quarrel prefers calls before noon.");
    let not_extracted = ask(&space, "flood barrier survey", Depth::Hops(1));
    assert_eq!(not_extracted.degraded, ["knowledge"]);
    assert!(hit(&not_extracted, wanted).is_none_or(|hit| hit.path.is_empty()));
    assert!(
        ask(&space, "flood barrier survey", Depth::Shallow)
            .degraded
            .is_empty()
    );
    space.extract(&mut |_| true).expect("extracted");
    let answer = ask(&space, "flood barrier survey", Depth::Hops(1));
    assert!(answer.degraded.is_empty(), "{:?}", answer.degraded);
    let reached = hit(&answer, wanted).expect("over the name");
    let citations = [found, wanted].map(|id| space.get(id).expect("there").citation());
    assert_eq!(
        stored(&reached.path),
        [
            ("found", citations[0].as_str()),
            ("mentions", "Zenobia Quarrel"),
            ("mentioned_in", &citations[1]),
        ]
    );
    assert_eq!(reached.entities, ["Zenobia Quarrel"]);
    let first = &answer.results[0];
    assert_eq!(first.memory.id, found);
    assert!(first.path.is_empty(), "the question found it itself");
}

#[test]
fn a_relation_leads_on_to_another_name() {
    let folder = tempfile::tempdir().expect("a folder");
    let space = space(folder.path());
    write_noise(&space, 300);
    let relation = Assertion::Relation(ToldRelation {
        subject: "Zenobia Quarrel".to_owned(),
        relation: "works_at".to_owned(),
        object: "Tarnwick Foundry".to_owned(),
        ..ToldRelation::default()
    });
    for name in ["Zenobia Quarrel", "Tarnwick Foundry"] {
        let entity = Assertion::Entity(ToldEntity {
            name: name.to_owned(),
            entity_type: EntityType::Organisation,
            ..ToldEntity::default()
        });
        space.assert(&entity, None).expect("told");
    }
    space.assert(&relation, None).expect("told");
    write(&space, "The flood barrier was surveyed by Zenobia Quarrel.");
    let wanted = write(
        &space,
        "Closing time of Tarnwick Foundry is half past four.",
    );
    space.extract(&mut |_| true).expect("extracted");
    let one = ask(&space, "flood barrier survey", Depth::Hops(1));
    let reached = hit(&one, wanted);
    assert!(
        reached.is_none_or(|hit| hit.path.is_empty()),
        "one hop is too short"
    );
    let two = ask(&space, "flood barrier survey", Depth::Hops(2));
    let reached = hit(&two, wanted).expect("over the relation");
    let steps = stored(&reached.path);
    assert_eq!(
        steps[1..3],
        [
            ("mentions", "Zenobia Quarrel"),
            ("works_at", "Tarnwick Foundry")
        ]
    );
    let denial = Assertion::Denial {
        subject: "Zenobia Quarrel".to_owned(),
        relation: Some("works_at".to_owned()),
        object: None,
    };
    space.assert(&denial, None).expect("told");
    space.extract(&mut |_| true).expect("extracted");
    let denied = ask(&space, "flood barrier survey", Depth::Deep);
    let over_it = |hit: &Hit| {
        let steps = hit.path.iter();
        steps.filter(|step| step.by.starts_with("works_at")).count() > 0
    };
    assert!(!denied.results.iter().any(over_it));
}

#[test]
fn a_name_in_the_question_starts_a_path() {
    let folder = tempfile::tempdir().expect("a folder");
    let space = space(folder.path());
    write_noise(&space, 300);
    let entity = Assertion::Entity(ToldEntity {
        name: "Zenobia Quarrel".to_owned(),
        entity_type: EntityType::Person,
        aliases: vec!["the old badger".to_owned()],
        ..ToldEntity::default()
    });
    space.assert(&entity, None).expect("told");
    let other = write(&space, "The flood barrier was surveyed by Zenobia Quarrel.");
    space.extract(&mut |_| true).expect("extracted");
    let answer = ask(&space, "when does the old badger wake up?", Depth::Hops(1));
    let reached = hit(&answer, other).expect("by its other name");
    assert_eq!(reached.path[0].by, "named");
    assert_eq!(reached.path[0].to, "Zenobia Quarrel");
}

#[test]
fn a_filter_holds_for_what_is_reached() {
    let folder = tempfile::tempdir().expect("a folder");
    let space = space(folder.path());
    write_noise(&space, 300);
    let tagged = |text: &str, tag: &str| {
        let mut draft = Draft::new(text);
        draft.tags.push(tag.to_owned());
        space.remember(draft).expect("told").id
    };
    let plan = tagged("The harbour crane inspection is planned for spring", "open");
    let hidden = tagged("budget approved by everybody at lunch", "closed");
    let shown = tagged("minutes typed twice over, tea was cold", "open");
    link(&space, plan, LinkType::Requires, hidden);
    link(&space, hidden, LinkType::Related, shown);
    let recall = Recall::new("harbour crane inspection")
        .depth(Depth::Hops(2))
        .filter(Filter {
            tags: vec!["open".to_owned()],
            ..Filter::default()
        });
    let answer = space.recall(&recall).expect("answered");
    assert!(hit(&answer, hidden).is_none());
    let reached = hit(&answer, shown).expect("a path may lead over what the filter keeps out");
    assert_eq!(reached.path.len(), 3);
    assert!(
        answer
            .results
            .iter()
            .all(|hit| hit.memory.tags == ["open"] && hit.memory.body.kind() != Kind::Summary)
    );
}

#[test]
fn what_was_forgotten_or_erased_is_neither_reached_nor_passed() {
    let folder = tempfile::tempdir().expect("a folder");
    let space = space(folder.path());
    write_noise(&space, 300);
    let plan = write(
        &space,
        "The harbour crane inspection is planned by Zenobia Quarrel",
    );
    let between = write(&space, "budget approved by everybody at lunch");
    let behind = write(&space, "minutes typed twice over, tea was cold");
    let named = write(&space, "Zenobia Quarrel prefers calls before noon.");
    link(&space, plan, LinkType::Requires, between);
    link(&space, between, LinkType::Related, behind);
    space.extract(&mut |_| true).expect("extracted");
    let question = "harbour crane inspection";
    let before = ask(&space, question, Depth::Hops(2));
    for id in [between, behind, named] {
        assert!(hit(&before, id).is_some_and(|hit| !hit.path.is_empty()));
    }
    space.forget(between).expect("forgotten");
    assert!(space.erase(named).expect("erased").is_complete());
    // The graph has not applied this yet.
    for depth in [Depth::Hops(2), Depth::Deep] {
        let after = ask(&space, question, depth);
        for id in [between, named] {
            assert!(hit(&after, id).is_none());
            let passed = |hit: &Hit| hit.path.iter().any(|step| step.memory == Some(id));
            assert!(!after.results.iter().any(passed));
        }
        let lost = hit(&after, behind);
        assert!(lost.is_none_or(|hit| hit.path.is_empty()));
    }
}

#[test]
fn a_name_that_everybody_says_leads_nowhere_and_a_hub_stays_within_its_budget() {
    let folder = tempfile::tempdir().expect("a folder");
    let space = space(folder.path());
    let hub = write(&space, "The harbour crane inspection is planned for spring");
    let drafts: Vec<Draft> = (0..2_000)
        .map(|number| Draft::new(format!("Zenobia Quarrel wrote letter {number} by hand")))
        .collect();
    let spokes = space.remember_all(&drafts).expect("told");
    space.settle(&mut |_, _| {}).expect("settled");
    for spoke in spokes.iter().take(300) {
        link(&space, hub, LinkType::References, spoke.id);
    }
    space.extract(&mut |_| true).expect("extracted");
    let recall = Recall::new("harbour crane inspection")
        .depth(Depth::Deep)
        .limit(1_000);
    let answer = space.recall(&recall).expect("answered");
    let over_links = |hit: &&Hit| hit.path.last().is_some_and(|step| step.by == "references");
    let reached = answer.results.iter().filter(over_links).count();
    // The latest 32 of 300 links are read.
    assert_eq!(reached, 32);
    let over_the_name = |hit: &Hit| hit.path.iter().any(|step| step.to == "Zenobia Quarrel");
    assert!(!answer.results.iter().any(over_the_name));
}

#[test]
fn neighbours_in_the_thread_are_reached_a_few_places_on() {
    let folder = tempfile::tempdir().expect("a folder");
    let space = space(folder.path());
    write_noise(&space, 300);
    let mut turns = Vec::new();
    for text in [
        "The harbour crane inspection is planned for spring",
        "who pays then",
        "nobody knows that yet",
        "let us see on monday",
        "fine with me too",
    ] {
        let draft = Draft::new(text).thread("dock").author("Ada");
        turns.push(space.remember(draft).expect("told").id);
    }
    let answer = ask(&space, "harbour crane inspection", Depth::Hops(1));
    let path = |turn: usize| hit(&answer, turns[turn]).map(|hit| stored(&hit.path).len());
    assert_eq!(path(3), Some(2), "three places on");
    assert_eq!(path(4).unwrap_or(0), 0, "four places on is another hop");
}

#[test]
fn a_deep_question_is_asked_again_with_what_was_found() {
    let folder = tempfile::tempdir().expect("a folder");
    let space = space(folder.path());
    write_noise(&space, 300);
    let found = write(&space, "our captain keeps an axolotl in the galley");
    let wanted = write(&space, "an axolotl eats worms and small shrimps");
    let answer = ask(&space, "what animal does the captain keep", Depth::Deep);
    let reached = hit(&answer, wanted).expect("found by the second question");
    let last = reached.path.last().expect("a path");
    assert_eq!(last.by, "asked again");
    assert!(last.to.contains("axolotl"), "{}", last.to);
    assert_eq!(last.memory, Some(wanted));
    assert_eq!(reached.path[0].memory, Some(found));
    assert!(reached.reasoning.contains("second query “"));
    assert_eq!(answer.degraded, ["knowledge"]);
}

#[test]
fn the_same_question_has_the_same_answer_whatever_the_extraction() {
    let folders = [(); 2].map(|()| tempfile::tempdir().expect("a folder"));
    let answers = [1, 1_000].map(|batch| {
        let folder = &folders[usize::from(batch == 1)];
        let space = space(folder.path());
        write_noise(&space, 100);
        for name in ["Zenobia Quarrel", "Otto Fennimore", "Petra Holloway"] {
            for place in ["Tarnwick", "Marrowgate"] {
                write(
                    &space,
                    &format!("{name} surveyed the flood barrier of {place}."),
                );
                if batch == 1 {
                    space.extract(&mut |_| true).expect("extracted");
                }
            }
        }
        space.extract(&mut |_| true).expect("extracted");
        let say = || {
            let answer = ask(&space, "flood barrier", Depth::Deep);
            let say = |hit: &Hit| {
                (
                    hit.memory.content.clone(),
                    format!("{:.6}", hit.score),
                    hit.entities.clone(),
                    stored(&hit.path)
                        .into_iter()
                        .map(|(by, to)| format!("{by} {to}"))
                        .collect::<Vec<_>>(),
                )
            };
            answer.results.iter().map(say).collect::<Vec<_>>()
        };
        let first = say();
        assert_eq!(first, say());
        first
    });
    assert_eq!(answers[0], answers[1]);
}
