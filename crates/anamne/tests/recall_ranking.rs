//! By which formula results are ordered, and what a question or a space may change about it.

mod common;

use anamne::{Answer, Draft, ErrorKind, Hit, Recall, Space};
use common::Home;

fn ask(space: &Space, recall: &Recall) -> Answer {
    let answer = space.recall(recall).expect("an answer");
    assert_eq!(answer.degraded, Vec::<String>::new());
    answer
}

fn contents(answer: &Answer) -> Vec<&str> {
    let hits = answer.results.iter();
    hits.map(|hit| hit.memory.content.as_str()).collect()
}

fn weighing(query: &str, weights: &[(&str, f32)]) -> Recall {
    let weights = weights
        .iter()
        .map(|(name, weight)| ((*name).to_owned(), *weight));
    Recall {
        weights: weights.collect(),
        ..Recall::new(query)
    }
}

/// Value and weight of a feature in an explanation.
fn feature(hit: &Hit, name: &str) -> (f32, f32) {
    let mut features = hit.explanation.features.iter();
    let (_, value, weight) = features
        .find(|(known, _, _)| known == name)
        .expect("a feature");
    (*value, *weight)
}

/// The explanation of every result adds up to its score.
#[track_caller]
fn check_sums(answer: &Answer) {
    for hit in &answer.results {
        let features = hit.explanation.features.iter();
        let sum: f32 = features.map(|(_, value, weight)| value * weight).sum();
        let difference = (sum - hit.score).abs();
        assert!(
            difference <= 1e-4 * hit.score.abs().max(1.0),
            "{sum} {hit:#?}"
        );
    }
}

fn told_of_pumps(home: &Home) -> Space {
    let space = home.space();
    for (content, importance) in [
        ("The pump in the cellar runs on two phases", 3),
        ("The pump behind the mill was painted green", 9),
        ("Lunch is served at noon", 5),
    ] {
        let draft = Draft::new(content).importance(importance);
        space.remember(draft).expect("remembered");
    }
    space
}

#[test]
fn a_question_weighs_features_as_it_likes_and_the_explanation_says_so() {
    let home = Home::new();
    let space = told_of_pumps(&home);
    let query = "pump in the cellar";
    let usual = ask(&space, &Recall::new(query));
    assert!(contents(&usual)[0].contains("cellar"), "{usual:#?}");
    check_sums(&usual);
    let answer = ask(&space, &weighing(query, &[("importance", 100.0)]));
    assert!(contents(&answer)[0].contains("green"), "{answer:#?}");
    assert_eq!(feature(&answer.results[0], "importance").1, 100.0);
    assert_eq!(
        feature(&answer.results[0], "words").1,
        feature(&usual.results[0], "words").1
    );
    check_sums(&answer);
    // What was found is as sure as before, whatever its place.
    for hit in &answer.results {
        let same = |other: &&Hit| other.memory.id == hit.memory.id;
        let before = usual.results.iter().find(same).expect("found before");
        assert_eq!(hit.confidence, before.confidence, "{}", hit.memory.content);
    }
}

#[test]
fn a_space_weighs_features_and_a_question_goes_before_it() {
    let home = Home::new();
    let space = told_of_pumps(&home);
    space
        .configure(|config| {
            config.recall.weights.insert("importance".to_owned(), 100.0);
        })
        .expect("configured");
    for space in [space, home.space()] {
        let by_space = ask(&space, &Recall::new("pump in the cellar"));
        assert!(contents(&by_space)[0].contains("green"), "{by_space:#?}");
        let by_question = ask(
            &space,
            &weighing("pump in the cellar", &[("importance", 0.0)]),
        );
        assert!(
            contents(&by_question)[0].contains("cellar"),
            "{by_question:#?}"
        );
    }
    let settings = std::fs::read_to_string(home.folder().join("space.toml")).expect("read");
    assert!(
        settings.contains("[recall.weights]\nimportance = 100.0"),
        "{settings}"
    );
}

#[test]
fn a_feature_that_is_none_is_refused_wherever_it_is_told() {
    let home = Home::new();
    let space = told_of_pumps(&home);
    let error = space
        .recall(&weighing("pump", &[("colour", 1.0)]))
        .expect_err("refused");
    assert_eq!(error.kind(), ErrorKind::Refused);
    assert!(error.to_string().contains("superseded"), "{error}");
    let colour = |config: &mut anamne::SpaceConfig| {
        config.recall.weights.insert("colour".to_owned(), 1.0);
    };
    let error = space.configure(colour).expect_err("refused");
    assert_eq!(
        error.refusal().expect("a refusal").field(),
        "recall.weights"
    );
    assert!(space.config().recall.weights.is_empty());
    drop(space);
    let path = home.folder().join("space.toml");
    let settings = std::fs::read_to_string(&path).expect("read");
    std::fs::write(&path, settings + "\n[recall.weights]\ncolour = 1.0\n").expect("written");
    let opened = anamne::Store::open(home.root())
        .expect("a store")
        .space("tests");
    let error = opened.err().expect("not opened").to_string();
    assert!(
        error.contains("space.toml") && error.contains("superseded"),
        "{error}"
    );
}

#[test]
fn a_weight_that_is_no_number_is_refused() {
    let home = Home::new();
    let space = told_of_pumps(&home);
    for weight in [f32::NAN, f32::INFINITY, 1_001.0, -1_001.0] {
        let asked = space.recall(&weighing("pump", &[("recency", weight)]));
        assert_eq!(
            asked.expect_err("refused").kind(),
            ErrorKind::Refused,
            "{weight}"
        );
        let set = space.configure(|config| {
            config.recall.weights.insert("recency".to_owned(), weight);
        });
        assert_eq!(
            set.expect_err("refused").kind(),
            ErrorKind::Refused,
            "{weight}"
        );
    }
}
