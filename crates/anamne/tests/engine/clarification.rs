//! Queries that may mean several things say so; those with one reading don't.

use anamne::{Answer, Assertion, Draft, EntityType, ReadingKind, Recall, Space, ToldEntity};

use crate::common::Home;

fn space(home: &Home, texts: &[&str]) -> Space {
    let space = home.space();
    for text in texts {
        space.remember(*text).expect("told");
    }
    for name in ["Runa Olsen", "Runa Berg"] {
        let entity = Assertion::Entity(ToldEntity {
            name: name.to_owned(),
            entity_type: EntityType::Person,
            ..ToldEntity::default()
        });
        space.assert(&entity, None).expect("told");
    }
    space.extract(&mut |_| true).expect("extracted");
    space
}

fn ask(space: &Space, query: &str) -> Answer {
    space.recall(&Recall::new(query)).expect("an answer")
}

const BOTH: [&str; 3] = [
    "Runa Olsen repaired the crane at berth nine",
    "Runa Berg repaired the boat at berth two",
    "The pilot had soup for lunch",
];

#[test]
fn a_name_that_several_have_is_ambiguous() {
    let home = Home::new();
    let space = space(&home, &BOTH);
    let answer = ask(&space, "what did Runa repair at the berth?");
    let clarification = answer.needs_clarification.expect("two have this name");
    assert_eq!(clarification.words, "runa");
    let mut readings: Vec<_> = clarification.readings.iter().collect();
    readings.sort_by(|one, other| one.name.cmp(&other.name));
    let names: Vec<_> = readings
        .iter()
        .map(|reading| reading.name.as_str())
        .collect();
    assert_eq!(names, ["Runa Berg", "Runa Olsen"]);
    assert!(
        readings
            .iter()
            .all(|reading| reading.kind == ReadingKind::Entity)
    );
    assert!(
        readings[0].results.contains(&"m2".to_owned()),
        "{readings:?}"
    );
    assert!(
        readings[1].results.contains(&"m1".to_owned()),
        "{readings:?}"
    );
}

#[test]
fn a_full_name_or_one_bearer_leaves_one_reading() {
    let home = Home::new();
    let both = space(&home, &BOTH);
    let answer = ask(&both, "what did Runa Olsen repair at the berth?");
    assert_eq!(answer.needs_clarification, None);
    let alone = Home::new();
    let alone = space(&alone, &BOTH[..1]);
    let answer = ask(&alone, "what did Runa repair at the berth?");
    assert_eq!(answer.needs_clarification, None);
}

#[test]
fn results_with_the_same_words_and_names_of_their_own_are_readings() {
    let home = Home::new();
    let space = home.space();
    for text in BOTH {
        space.remember(text).expect("told");
    }
    // The graph has not read them yet.
    let answer = ask(&space, "what did Runa repair at the berth?");
    let clarification = answer.needs_clarification.expect("both have these words");
    let mut names: Vec<_> = clarification
        .readings
        .iter()
        .map(|reading| (reading.name.as_str(), reading.results.clone()))
        .collect();
    names.sort();
    assert_eq!(
        names,
        [
            ("Berg", vec!["m2".to_owned()]),
            ("Olsen", vec!["m1".to_owned()])
        ]
    );
    // One of them has more of the query's words, or all are of one thing.
    let answer = ask(&space, "what did Runa repair at berth nine?");
    assert_eq!(answer.needs_clarification, None);
    let home = Home::new();
    let space = home.space();
    for text in ["The boat is green", "The boat is at berth nine"] {
        space
            .remember(Draft::new(text).thread("boats"))
            .expect("told");
    }
    assert_eq!(
        ask(&space, "what about the boat?").needs_clarification,
        None
    );
}

#[test]
fn a_short_query_that_two_threads_answer_equally_well_is_ambiguous() {
    let home = Home::new();
    let space = home.space();
    for (thread, text) in [
        (
            "ferry project",
            "The release guide is on the shelf in the office",
        ),
        (
            "crane project",
            "The release guide is on the shelf in the office of the crane",
        ),
        ("kitchen", "The soup was salted twice"),
    ] {
        space
            .remember(Draft::new(text).thread(thread))
            .expect("told");
    }
    let answer = ask(&space, "where is the release guide?");
    let sure = answer.results[0].confidence;
    match &answer.needs_clarification {
        Some(clarification) => {
            let threads: Vec<_> = clarification.readings.iter().collect();
            assert!(
                threads
                    .iter()
                    .all(|reading| reading.kind == ReadingKind::Thread)
            );
            assert_eq!(threads.len(), 2, "{threads:?}");
        }
        None => panic!("{sure}: {:?}", answer.results),
    }
    let answer = ask(&space, "was the soup salted twice?");
    assert_eq!(answer.needs_clarification, None);
}
