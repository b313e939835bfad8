//! Ranking: formulas, and what a query or a space can change.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use anamne::embed::{EmbedError, ModelIdentity, Reranker};
use anamne::{
    Answer, Body, Category, Draft, ErrorKind, Forest, Hit, Kind, Options, Ranking, Recall,
    RoleConfig, Signals, Space, Store,
};

use crate::common::Home;

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

/// The value and weight of a feature in an explanation.
fn feature(hit: &Hit, name: &str) -> (f32, f32) {
    let mut features = hit.explanation.features.iter();
    let (_, value, weight) = features
        .find(|(known, _, _)| known == name)
        .expect("a feature");
    (*value, *weight)
}

/// The two numbers are equal, except for rounding.
#[track_caller]
fn check_same(one: f32, other: f32) {
    assert!((one - other).abs() < 1e-6, "{one} is not {other}");
}

/// Checks that the explanation of every result adds up to its score.
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
    check_same(feature(&answer.results[0], "importance").1, 100.0);
    check_same(
        feature(&answer.results[0], "words").1,
        feature(&usual.results[0], "words").1,
    );
    check_sums(&answer);
    // The confidence is unchanged, whatever the rank.
    for hit in &answer.results {
        let same = |other: &&Hit| other.memory.id == hit.memory.id;
        let before = usual.results.iter().find(same).expect("found before");
        check_same(hit.confidence, before.confidence);
    }
}

#[test]
fn other_trees_rank_the_queries_of_one_handle_alone() {
    let home = Home::new();
    let space = told_of_pumps(&home);
    let recall = Recall::new("pump in the cellar");
    let corrections = |space: &Space| -> Vec<f32> {
        let answer = ask(space, &recall);
        check_sums(&answer);
        let hits = answer.results.iter();
        hits.map(|hit| feature(hit, "second_look").0).collect()
    };
    let usual = corrections(&space);
    assert!(usual.iter().any(|value| value.abs() > 1e-3), "{usual:?}");
    let untreed = space.ranked_by(Some(Arc::default()));
    let none = corrections(&untreed);
    assert!(none.iter().all(|value| value.abs() < 1e-6), "{none:?}");
    let acting = untreed.acting_as(space.scope().actor().clone());
    assert_eq!(corrections(&acting.expect("the same actor")), none);
    for back in [&space, &untreed.ranked_by(None)] {
        assert_eq!(corrections(back), usual);
    }
    let malformed = Forest::read("lexical\n").expect_err("other inputs");
    assert!(malformed.to_string().contains("inputs"), "{malformed}");
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

fn by(ranking: Ranking, query: &str) -> Recall {
    Recall {
        ranking,
        ..Recall::new(query)
    }
}

const FORMULAS: [Ranking; 3] = [
    Ranking::ReciprocalRank,
    Ranking::MeaningFirst,
    Ranking::WordsFirst,
];

/// Memories about boats: the lexical and the vector search find different ones, with different neighbours and
/// importance.
fn told_of_boats(home: &Home) -> Space {
    let space = home.space();
    for (content, importance) in [
        ("The ferry leaves the harbour at seven", 5),
        ("Tickets are sold on board", 5),
        ("A sailing boat was moored beside the quay", 9),
        ("Harbour dues are paid every spring", 2),
        ("The ship's crossing takes an hour", 5),
        ("The harbour master keeps the log of every ferry", 7),
        ("Bread is baked before dawn", 5),
    ] {
        let draft = Draft::new(content).thread("boats").importance(importance);
        space.remember(draft).expect("remembered");
    }
    space
}

#[test]
fn every_formula_orders_by_its_own_parts_and_is_as_sure_as_the_full_one() {
    let home = Home::new();
    let space = told_of_boats(&home);
    let query = "when does the ferry leave the harbour?";
    let full = ask(&space, &Recall::new(query));
    for ranking in FORMULAS {
        let answer = ask(&space, &by(ranking, query));
        assert!(answer.results.len() >= 3, "{ranking:?}");
        check_sums(&answer);
        let scores: Vec<f32> = answer.results.iter().map(|hit| hit.score).collect();
        assert!(
            scores.is_sorted_by(|better, worse| better >= worse),
            "{ranking:?} {scores:?}"
        );
        for hit in &answer.results {
            let same = |other: &&Hit| other.memory.id == hit.memory.id;
            let known = full
                .results
                .iter()
                .find(same)
                .expect("found by the full formula too");
            check_same(hit.confidence, known.confidence);
        }
    }
}

#[test]
fn parts_of_formulas_are_normalised_as_documented() {
    let home = Home::new();
    let space = told_of_boats(&home);
    let query = "ferry harbour";
    let by_words = ask(&space, &Recall::new(query).signals(Signals::Lexical));
    let best = by_words.results[0].scores.lexical;
    let answer = ask(&space, &by(Ranking::WordsFirst, query));
    for hit in &answer.results {
        let alone = by_words
            .results
            .iter()
            .find(|other| other.memory.id == hit.memory.id);
        let share = alone.map_or(0.0, |alone| alone.scores.lexical / best);
        let (lexical, weight) = feature(hit, "lexical");
        assert!((lexical - share).abs() < 1e-5, "{hit:#?}");
        check_same(weight, 0.5);
        check_same(hit.scores.lexical, lexical);
        assert_eq!(
            feature(hit, "importance"),
            (f32::from(hit.memory.importance) / 10.0, 0.2)
        );
        assert_eq!(feature(hit, "recency"), (hit.scores.recency, 0.1));
    }
    let places = |answer: &Answer, name: &str| -> Vec<u32> {
        let hits = answer.results.iter();
        let reciprocal = hits
            .map(|hit| feature(hit, name).0)
            .filter(|value| *value > 0.0);
        let mut places: Vec<_> = reciprocal
            .map(|value| (1.0 / value).round() as u32 - 60)
            .collect();
        places.sort_unstable();
        places
    };
    let answer = ask(&space, &by(Ranking::ReciprocalRank, query));
    for name in ["lexical_place", "semantic_place"] {
        let places = places(&answer, name);
        let last = u32::try_from(places.len()).expect("few");
        assert_eq!(places, (1..=last).collect::<Vec<_>>(), "{name}");
    }
    let first = &answer.results[0];
    assert_eq!(feature(first, "lexical_place"), (1.0 / 61.0, 1.0));
}

#[test]
fn what_is_linked_or_stands_beside_a_find_is_near_to_it() {
    let home = Home::new();
    let space = home.space();
    let write = |content: &str, thread: &str| {
        let draft = Draft::new(content).thread(thread);
        space.remember(draft).expect("remembered").id
    };
    let lamp = write("The lamp of the lighthouse turns", "one");
    let _beside = write("Its lens was ground abroad", "one");
    let far = write("A lamp hangs in the attic", "two");
    let linked = write("The lamp oil is in barrels", "three");
    space
        .link(&crate::common::link(linked, lamp, "it burns that"))
        .expect("linked");
    let answer = ask(&space, &by(Ranking::MeaningFirst, "lamp of the lighthouse"));
    let graph = |id| {
        let hit = answer
            .results
            .iter()
            .find(|hit| hit.memory.id == id)
            .expect("found");
        feature(hit, "graph")
    };
    assert_eq!(graph(lamp), (1.0, 0.2));
    assert_eq!(graph(linked), (1.0, 0.2));
    assert_eq!(graph(far), (0.0, 0.2));
}

#[test]
fn what_would_say_nothing_beside_another_formula_is_refused() {
    let home = Home::new();
    let space = told_of_boats(&home);
    let weighed = Recall {
        ranking: Ranking::ReciprocalRank,
        ..weighing("ferry", &[("recency", 1.0)])
    };
    let in_a_role = Recall {
        role: Some("developer".to_owned()),
        ..by(Ranking::WordsFirst, "ferry")
    };
    let single = by(Ranking::WordsFirst, "ferry").signals(Signals::Lexical);
    for (recall, field) in [
        (weighed, "weights"),
        (in_a_role, "role"),
        (single, "ranking"),
    ] {
        let error = space.recall(&recall).expect_err("refused");
        assert_eq!(
            error.refusal().map(anamne::InvalidValue::field),
            Some(field),
            "{error}"
        );
    }
}

fn diverse(query: &str, diversity: f32, limit: usize) -> Recall {
    Recall {
        diversity,
        ..Recall::new(query).limit(limit)
    }
}

#[test]
fn diversity_brings_what_else_there_is_among_the_first() {
    let home = Home::new();
    let space = home.space();
    for content in [
        "The kiln in the pottery reaches 1200 degrees",
        "The kiln in the pottery reaches 1200 degrees quickly",
        "The kiln of the pottery reaches 1200 degrees slowly",
        "Firing the kiln takes all night and needs dry beech wood",
    ] {
        space.remember(content).expect("remembered");
    }
    let query = "kiln in the pottery";
    let alike = ask(&space, &Recall::new(query).limit(2));
    assert!(
        contents(&alike)
            .iter()
            .all(|content| content.contains("1200"))
    );
    assert_eq!(alike.results[1].explanation.likeness, None);
    let spread = ask(&space, &diverse(query, 0.6, 2));
    assert_eq!(contents(&spread)[0], contents(&alike)[0]);
    assert!(contents(&spread)[1].contains("beech"), "{spread:#?}");
    let likeness = spread.results[1].explanation.likeness.expect("told");
    assert!((0.0..0.9).contains(&likeness), "{likeness}");
    check_sums(&spread);
    let everything = ask(&space, &diverse(query, 0.6, 10));
    assert_eq!(everything.results.len(), 4, "nothing is lost");
}

#[test]
fn diversity_keeps_to_the_confidence_that_is_asked_for() {
    let home = Home::new();
    let space = told_of_boats(&home);
    let query = "when does the ferry leave the harbour?";
    let all = ask(&space, &Recall::new(query));
    let least = all.results[1].confidence;
    let sure = Recall {
        min_confidence: least,
        ..diverse(query, 0.9, 10)
    };
    let answer = ask(&space, &sure);
    let enough = all
        .results
        .iter()
        .filter(|hit| hit.confidence >= least)
        .count();
    assert_eq!(answer.results.len(), enough);
    assert!(answer.results.iter().all(|hit| hit.confidence >= least));
}

fn of_category(content: &str, category: Category) -> Draft {
    Draft {
        body: Body::Fact {
            category: Some(category),
        },
        ..Draft::new(content)
    }
}

#[test]
fn a_question_favours_what_its_wording_asks_for_among_near_equals_alone() {
    let home = Home::new();
    let space = home.space();
    for (content, category) in [
        ("The gateway counts by tenant", Category::Constraint),
        ("The gateway sorts by tenant", Category::Configuration),
        ("The gateway reads by tenant", Category::Preference),
        ("The gateway waits by tenant", Category::BugFix),
        (
            "The gateway moves by tenant",
            Category::ArchitectureDecision,
        ),
        ("A tenant was seen at the gateway", Category::Insight),
    ] {
        space
            .remember(of_category(content, category))
            .expect("remembered");
    }
    let place = |answer: &Answer, category| {
        let mut hits = answer.results.iter();
        hits.position(|hit| hit.memory.body.category() == Some(category))
            .expect("found")
    };
    let mut moved = 0;
    for (query, category) in [
        (
            "what went wrong with the gateway by tenant",
            Category::BugFix,
        ),
        (
            "why did we choose the gateway by tenant",
            Category::ArchitectureDecision,
        ),
        (
            "what does Mina say she likes, the gateway by tenant",
            Category::Preference,
        ),
        ("what must the gateway do by tenant", Category::Constraint),
        ("setting of the gateway by tenant", Category::Configuration),
    ] {
        let without = ask(&space, &weighing(query, &[("category", 0.0)]));
        let with = ask(&space, &Recall::new(query));
        let favoured = &with.results[place(&with, category)];
        let (value, weight) = feature(favoured, "category");
        check_same(value, 1.0);
        assert!(weight > 0.0, "{query}");
        let (before, after) = (place(&without, category), place(&with, category));
        assert!(after <= before, "{query}: from {before} to {after}");
        moved += before - after;
        // It overtook no result that was better by more than the feature's weight.
        for passed in &without.results[after..before] {
            let own = &without.results[before];
            assert!(
                passed.score - own.score <= weight + 1e-4,
                "{query}: {passed:#?}"
            );
        }
    }
    assert!(moved > 0, "near equals change places");
    let plain = ask(&space, &Recall::new("the gateway by tenant"));
    let values = plain.results.iter().map(|hit| feature(hit, "category").0);
    check_same(values.sum::<f32>(), 0.0);
}

#[test]
fn a_question_how_to_do_something_favours_skills() {
    let home = Home::new();
    let space = home.space();
    let skill = Draft {
        body: Body::Skill {
            name: "changing the filter".to_owned(),
            trigger: String::new(),
            steps: Vec::new(),
            code: String::new(),
        },
        ..Draft::new("A wrench opens the pump")
    };
    space.remember(skill).expect("remembered");
    space.remember("The pump has a filter").expect("remembered");
    for (query, expected) in [
        ("how do I change the filter of the pump", 1.0),
        ("wie kann ich den filter wechseln", 1.0),
        ("filter of the pump", 0.0),
    ] {
        let answer = ask(&space, &Recall::new(query));
        for hit in &answer.results {
            let fits = if hit.memory.kind() == Kind::Skill {
                expected
            } else {
                0.0
            };
            check_same(feature(hit, "category").0, fits);
        }
    }
}

#[test]
fn a_wording_does_not_bury_what_answers_better() {
    let home = Home::new();
    let space = home.space();
    space
        .remember("To drain the boiler, open the valve below it and wait ten minutes")
        .expect("remembered");
    for (number, content) in [
        "Greasing the hinges of the gate",
        "Sharpening the scythe",
        "Draining the marsh",
    ]
    .into_iter()
    .enumerate()
    {
        let skill = Draft {
            body: Body::Skill {
                name: format!("skill {number}"),
                trigger: String::new(),
                steps: Vec::new(),
                code: String::new(),
            },
            ..Draft::new(content)
        };
        space.remember(skill).expect("remembered");
    }
    space
        .remember(of_category(
            "The boiler was bought in spring",
            Category::ArchitectureDecision,
        ))
        .expect("remembered");
    let best = |query: &str| contents(&ask(&space, &Recall::new(query)))[0].to_owned();
    for query in [
        "how do I drain the boiler",
        "steps to drain the boiler",
        "which decision on draining the boiler",
    ] {
        assert!(
            best(query).starts_with("To drain"),
            "{query}: {}",
            best(query)
        );
    }
}

fn asked_as(role: &str, query: &str) -> Recall {
    Recall {
        role: Some(role.to_owned()),
        ..Recall::new(query)
    }
}

/// Four facts about a gateway with the same meaning, one per category.
fn told_of_the_gateway(home: &Home) -> Space {
    let space = home.space();
    for (content, category) in [
        (
            "The gateway decides by tenant",
            Category::ArchitectureDecision,
        ),
        ("The gateway crashes by tenant", Category::BugFix),
        ("The gateway refuses by tenant", Category::Constraint),
        ("The gateway pleases by tenant", Category::Preference),
    ] {
        space
            .remember(of_category(content, category))
            .expect("remembered");
    }
    space
}

#[test]
fn a_role_favours_its_own_categories_and_leaves_confidence_alone() {
    let home = Home::new();
    let space = told_of_the_gateway(&home);
    let usual = ask(&space, &Recall::new("gateway by tenant"));
    for (role, favoured) in [
        ("developer", "crashes"),
        ("architect", "decides"),
        ("assistant", "pleases"),
    ] {
        let answer = ask(&space, &asked_as(role, "gateway by tenant"));
        check_sums(&answer);
        assert_eq!(
            feature(&answer.results[0], "role_fit"),
            (1.0, 1.0),
            "{role} {answer:#?}"
        );
        let first: Vec<_> = answer
            .results
            .iter()
            .filter(|hit| feature(hit, "role_fit").0 > 0.0)
            .collect();
        assert!(
            first
                .iter()
                .any(|hit| hit.memory.content.contains(favoured)),
            "{role}"
        );
        for hit in &answer.results {
            let known = usual
                .results
                .iter()
                .find(|other| other.memory.id == hit.memory.id);
            assert_eq!(
                known.map(|known| known.confidence),
                Some(hit.confidence),
                "{role}"
            );
        }
    }
    for hit in &usual.results {
        check_same(feature(hit, "role_fit").0, 0.0);
    }
}

#[test]
fn a_space_has_roles_of_its_own_which_outlive_the_process() {
    let home = Home::new();
    let space = told_of_the_gateway(&home);
    let settings = home.folder().join("space.toml");
    let before = std::fs::read_to_string(&settings).expect("read");
    assert!(!before.contains("roles"), "earlier versions read it too");
    let reviewer = RoleConfig {
        importance: 2.0,
        kinds: [(Kind::Fact, 0.5)].into(),
        categories: [(Category::Preference, 2.0)].into(),
    };
    space
        .configure(|config| {
            config
                .recall
                .roles
                .insert("reviewer".to_owned(), reviewer.clone());
        })
        .expect("configured");
    drop(space);
    let space = home.space();
    assert_eq!(space.config().recall.roles["reviewer"], reviewer);
    let answer = ask(&space, &asked_as("reviewer", "gateway by tenant"));
    assert!(contents(&answer)[0].contains("pleases"), "{answer:#?}");
    assert_eq!(feature(&answer.results[0], "role_fit"), (2.5, 1.0));
    let error = space
        .recall(&asked_as("pilot", "gateway"))
        .expect_err("refused");
    assert_eq!(error.kind(), ErrorKind::Refused);
    for name in ["architect", "reviewer"] {
        assert!(error.to_string().contains(name), "{error}");
    }
    let heavy = space.configure(|config| {
        let role = config.recall.roles.get_mut("reviewer").expect("there");
        role.importance = 3.5;
    });
    assert_eq!(
        heavy
            .expect_err("refused")
            .refusal()
            .map(anamne::InvalidValue::field),
        Some("recall.roles.reviewer")
    );
}

#[test]
fn a_role_is_read_as_people_write_it() {
    let home = Home::new();
    drop(told_of_the_gateway(&home));
    let path = home.folder().join("space.toml");
    let settings = std::fs::read_to_string(&path).expect("read");
    let role = "\n[recall.roles.tester]\nimportance = 1\nkinds = { fact = 0.5 }\ncategories = { bug_fix = 1.0 }\n";
    std::fs::write(&path, settings + role).expect("written");
    let answer = ask(&home.space(), &asked_as("tester", "gateway by tenant"));
    assert!(contents(&answer)[0].contains("crashes"), "{answer:#?}");
}

/// A model that prefers texts with a certain word, and fails on request.
struct Likes {
    identity: ModelIdentity,
    word: &'static str,
    is_dead: bool,
    shown: AtomicUsize,
}

impl Likes {
    fn new(word: &'static str, is_dead: bool) -> Arc<Self> {
        Arc::new(Self {
            identity: ModelIdentity::new("likes", "1"),
            word,
            is_dead,
            shown: AtomicUsize::new(0),
        })
    }

    fn space(self: &Arc<Self>, home: &Home) -> Space {
        let options = Options {
            reranker: Some(self.clone()),
            ..Options::new(home.root()).background(false)
        };
        let store = Store::open_with(options).expect("a store");
        store.space("tests").expect("a space")
    }
}

impl Reranker for Likes {
    fn model(&self) -> &ModelIdentity {
        &self.identity
    }

    fn scores(&self, _: &str, texts: &[&str]) -> Result<Vec<f32>, EmbedError> {
        self.shown.store(texts.len(), Ordering::SeqCst);
        if self.is_dead {
            return Err(EmbedError::Rerank {
                model: self.identity.to_string(),
                problem: "the line is dead".to_owned(),
            });
        }
        let score = |text: &&str| f32::from(u8::from(text.contains(self.word)));
        Ok(texts.iter().map(score).collect())
    }
}

#[test]
fn a_reranker_has_as_much_say_as_all_before_it() {
    let home = Home::new();
    let space = told_of_boats(&home);
    let query = "when does the ferry leave the harbour?";
    let usual = ask(&space, &Recall::new(query));
    drop(space);
    let space = Likes::new("log of every", false).space(&home);
    for recall in [Recall::new(query), by(Ranking::ReciprocalRank, query)] {
        let answer = ask(&space, &recall);
        assert!(contents(&answer)[0].contains("log of every"), "{answer:#?}");
        check_sums(&answer);
        check_same(feature(&answer.results[0], "reranker").0, 1.0);
        for hit in &answer.results {
            let known = usual
                .results
                .iter()
                .find(|other| other.memory.id == hit.memory.id);
            assert_eq!(known.map(|known| known.confidence), Some(hit.confidence));
        }
    }
    let alone = ask(&space, &Recall::new(query).signals(Signals::Lexical));
    assert!(
        !contents(&alone)[0].contains("log of every"),
        "a single signal and nothing else"
    );
}

#[test]
fn a_reranker_looks_at_the_first_twenty_alone() {
    let home = Home::new();
    let space = home.space();
    for number in 0..40 {
        let words = "meadow ".repeat(number % 7 + 1);
        space
            .remember(format!("{words} number {number}"))
            .expect("remembered");
    }
    drop(space);
    let likes = Likes::new("number", false);
    let answer = ask(&likes.space(&home), &Recall::new("meadow").limit(40));
    assert_eq!(likes.shown.load(Ordering::SeqCst), 20);
    let looked_at = |hit: &Hit| {
        hit.explanation
            .features
            .iter()
            .any(|(name, _, _)| name == "reranker")
    };
    assert!(answer.results.iter().take(20).all(looked_at));
    assert!(!answer.results.iter().skip(20).any(looked_at));
}

#[test]
fn a_reranker_that_fails_leaves_the_order_and_is_named() {
    let home = Home::new();
    let space = told_of_boats(&home);
    let query = "when does the ferry leave the harbour?";
    let usual = ask(&space, &Recall::new(query));
    drop(space);
    let space = Likes::new("log", true).space(&home);
    let answer = space.recall(&Recall::new(query)).expect("an answer");
    assert_eq!(answer.degraded, ["reranker"]);
    assert_eq!(contents(&answer), contents(&usual));
    check_sums(&answer);
    let request = anamne::ContextRequest {
        recall: Recall::new(query),
        token_budget: 200,
        preset: None,
    };
    assert_eq!(
        space.context(&request).expect("a context").degraded,
        ["reranker"]
    );
}
