//! Searches learn from feedback which strategy to use, show nothing twice, and never fail for want of experience.

use std::collections::HashSet;

use anamne::{
    Actor, Body, Conclusion, Draft, Experience, ExperiencedAnswer, LearningSearch, MemoryId,
    Recall, Scope, SearchFeedback, SearchTrace, ShownResults, Space, SpaceSet, Usefulness,
};

use crate::common::Home;

const QUESTION: &str = "when does the pilot boat leave?";

fn filled(home: &Home) -> Space {
    let space = home.space();
    for hour in 0..40 {
        let text = format!("The pilot boat leaves pier {hour} at {hour} o'clock");
        let draft = Draft::new(&text).thread(format!("pier {}", hour % 4));
        space.remember(draft).expect("told");
    }
    space
}

fn search(space: &Space, query: &str, previous: &[MemoryId]) -> ExperiencedAnswer {
    let search = LearningSearch {
        previous: previous.to_vec(),
        ..LearningSearch::new(Recall::new(query))
    };
    space.search_with_experience(&search).expect("an answer")
}

fn results(found: &ExperiencedAnswer) -> Vec<MemoryId> {
    let hits = found.answer.results.iter();
    hits.map(|hit| hit.memory.id).collect()
}

fn trace(space: &Space, search: MemoryId) -> SearchTrace {
    if let Body::Experience { experience } = space.get(search).expect("a memory").body
        && let Experience::Search(trace) = *experience
    {
        return trace;
    }
    panic!("a search was recorded");
}

fn judge(space: &Space, search: MemoryId, usefulness: Usefulness) {
    let feedback = SearchFeedback {
        search,
        usefulness,
        used: Vec::new(),
        reason: String::new(),
        should_ask: String::new(),
        implied: false,
    };
    space.search_feedback(feedback).expect("told");
}

/// Records judged searches like the first search of the question, with this strategy.
fn experience(
    space: &Space,
    strategy: &str,
    usefulness: Usefulness,
    count: usize,
) -> Vec<MemoryId> {
    let first = search(space, QUESTION, &[]).search.expect("recorded");
    let record = SearchTrace {
        strategy: strategy.to_owned(),
        ..trace(space, first)
    };
    let one = || {
        let draft = Draft::experience(Experience::Search(record.clone()));
        let id = space.remember(draft).expect("recorded").id;
        judge(space, id, usefulness);
        id
    };
    (0..count).map(|_| one()).collect()
}

#[test]
fn the_first_search_is_the_default_and_is_recorded() {
    let home = Home::new();
    let space = filled(&home);
    let plain = space.recall(&Recall::new(QUESTION)).expect("an answer");
    let asked = LearningSearch {
        thread: Some("planning".to_owned()),
        agent: Some("builder".to_owned()),
        ..LearningSearch::new(Recall::new(QUESTION))
    };
    let found = space.search_with_experience(&asked).expect("an answer");
    let expected: Vec<MemoryId> = plain.results.iter().map(|hit| hit.memory.id).collect();
    assert_eq!(results(&found), expected);
    assert_eq!(
        (found.strategy.as_str(), found.learned_from),
        ("default", 0)
    );
    assert!(found.worthwhile && !found.explores && found.tried.is_empty());
    assert!(found.answer.degraded.is_empty());
    let memory = space.get(found.search.expect("recorded")).expect("stored");
    assert_eq!(memory.citation(), found.citation);
    assert_eq!(memory.thread.as_deref(), Some("planning"));
    assert_eq!(memory.author.as_deref(), Some("builder"));
    let trace = trace(&space, memory.id);
    assert_eq!(
        (trace.query.as_str(), &trace.results),
        (QUESTION, &expected)
    );
    // What is recorded is no answer to the question.
    let again = space.recall(&Recall::new(QUESTION)).expect("an answer");
    assert!(again.results.iter().all(|hit| hit.memory.id != memory.id));
}

#[test]
fn later_searches_of_a_question_show_nothing_twice() {
    let home = Home::new();
    let space = filled(&home);
    let (mut shown, mut previous) = (HashSet::new(), Vec::new());
    for number in 0..3 {
        let found = search(&space, QUESTION, &previous);
        assert_eq!(found.tried.len(), number);
        assert_eq!(results(&found).len(), 10, "search {number}");
        assert!(results(&found).into_iter().all(|id| shown.insert(id)));
        previous.extend(found.search);
    }
    // Another process knows it from the log.
    drop(space);
    let found = search(&home.space(), QUESTION, &previous);
    assert!(results(&found).into_iter().all(|id| shown.insert(id)));
}

#[test]
fn results_that_were_not_shown_may_be_shown_by_a_later_search() {
    let home = Home::new();
    let space = filled(&home);
    let all = search(&space, QUESTION, &[]);
    let least = all.answer.results[4].confidence;
    let certain = all.answer.results[0].confidence + 1.0;
    for (min_confidence, at_least, expected) in [
        (
            least,
            0,
            all.answer
                .results
                .iter()
                .rposition(|hit| hit.confidence >= least),
        ),
        (certain, 3, Some(2)),
        (certain, 0, None),
    ] {
        let expected = expected.map_or(0, |last| last + 1);
        let asked = LearningSearch {
            shown: ShownResults {
                min_confidence,
                at_least,
            },
            ..LearningSearch::new(Recall::new(QUESTION))
        };
        let found = space.search_with_experience(&asked).expect("an answer");
        assert_eq!(asked.shown.count(&found.answer), expected);
        let id = found.search.expect("recorded");
        let (shown, held_back) = results(&found).into_iter().enumerate().fold(
            (Vec::new(), Vec::new()),
            |(mut shown, mut held_back), (place, id)| {
                if place < expected {
                    &mut shown
                } else {
                    &mut held_back
                }
                .push(id);
                (shown, held_back)
            },
        );
        assert_eq!(trace(&space, id).results, shown);
        let later = search(&space, QUESTION, &[id]);
        assert!(results(&later).iter().all(|id| !shown.contains(id)));
        assert!(held_back.is_empty() || results(&later).iter().any(|id| held_back.contains(id)));
    }
}

#[test]
fn searches_with_other_queries_are_not_similar() {
    let home = Home::new();
    let space = filled(&home);
    search(&space, "why does the printer jam?", &[]);
    let similar = |query: &str| space.similar_searches(query, 10).expect("searches").len();
    assert_eq!(similar("why is the printer jammed?"), 1);
    assert_eq!(similar("deploy on fridays"), 0);
}

#[test]
fn the_strategy_that_helped_is_used() {
    let home = Home::new();
    let space = filled(&home);
    let useless = experience(&space, "default", Usefulness::Useless, 15);
    let helpful = experience(&space, "words", Usefulness::Helpful, 15);
    let found = search(&space, QUESTION, &[]);
    assert_eq!(found.strategy, "words");
    assert_eq!(found.learned_from, 15);
    assert!(found.why.contains("15 searches"), "{}", found.why);
    // The same from the log, by another process.
    let again = search(&home.space(), QUESTION, &[]);
    assert_eq!((again.strategy, again.why), (found.strategy, found.why));
    // Forgotten searches teach nothing.
    for search in useless.iter().chain(&helpful) {
        space.forget(*search).expect("forgotten");
    }
    let found = search(&space, QUESTION, &[]);
    assert_eq!(
        (found.strategy.as_str(), found.learned_from),
        ("default", 0)
    );
}

#[test]
fn what_another_process_was_told_is_learned_from() {
    let home = Home::new();
    let space = filled(&home);
    assert_eq!(search(&space, QUESTION, &[]).learned_from, 0);
    let other = home.space();
    experience(&other, "default", Usefulness::Useless, 15);
    experience(&other, "words", Usefulness::Helpful, 15);
    assert_eq!(search(&space, QUESTION, &[]).strategy, "words");
}

#[test]
fn a_judgement_that_is_taken_back_is_not_learned_from() {
    let home = Home::new();
    let space = filled(&home);
    let searches = experience(&space, "default", Usefulness::Helpful, 3);
    assert_eq!(search(&space, QUESTION, &[]).learned_from, 3);
    judge(&space, searches[0], Usefulness::Useless);
    let found = search(&space, QUESTION, &[]);
    assert_eq!(found.learned_from, 3, "each search counts once");
}

#[test]
fn nothing_is_learned_from_strategies_and_features_that_are_unknown() {
    let home = Home::new();
    let space = filled(&home);
    experience(&space, "from a later version", Usefulness::Helpful, 20);
    let foreign = SearchTrace {
        query: QUESTION.to_owned(),
        strategy: "words".to_owned(),
        features: vec![1.0; 3],
        ..SearchTrace::default()
    };
    for _ in 0..20 {
        let draft = Draft::experience(Experience::Search(foreign.clone()));
        let id = space.remember(draft).expect("recorded").id;
        judge(&space, id, Usefulness::Helpful);
    }
    let found = search(&space, QUESTION, &[]);
    assert_eq!(
        (found.strategy.as_str(), found.learned_from),
        ("default", 0)
    );
}

#[test]
fn only_searches_can_be_earlier_searches() {
    let home = Home::new();
    let space = filled(&home);
    let other = space.remember("no search").expect("told").id;
    let first = search(&space, QUESTION, &[]).search.expect("recorded");
    for previous in [vec![other], vec![first; 9]] {
        let asked = LearningSearch {
            previous,
            ..LearningSearch::new(Recall::new(QUESTION))
        };
        let error = space.search_with_experience(&asked).expect_err("refused");
        assert_eq!(
            error.refusal().map(anamne::InvalidValue::field),
            Some("after")
        );
    }
    let found = search(&space, QUESTION, &[first; 4]);
    assert!(!found.worthwhile, "four searches are enough");
}

#[test]
fn without_the_right_to_write_the_default_answers_and_nothing_is_recorded() {
    let home = Home::new();
    let space = filled(&home);
    experience(&space, "default", Usefulness::Useless, 15);
    experience(&space, "words", Usefulness::Helpful, 15);
    let before = space
        .log(&anamne::LogQuery::default())
        .expect("the log")
        .len();
    let store = anamne::Store::open(home.root()).expect("a store");
    let scope = Scope::of(Actor::agent("reader")).reading(SpaceSet::All);
    let reader = store.narrowed(&scope).existing_space("tests");
    let found = search(&reader.expect("readable"), QUESTION, &[]);
    assert_eq!(found.strategy, "default");
    assert_eq!((found.search, found.citation.as_str()), (None, ""));
    assert!(found.why.contains("nothing may be recorded"));
    assert_eq!(results(&found).len(), 10);
    let after = space
        .log(&anamne::LogQuery::default())
        .expect("the log")
        .len();
    assert_eq!(after, before);
}

#[test]
fn broken_experience_does_not_break_a_search() {
    let home = Home::new();
    let space = filled(&home);
    experience(&space, "words", Usefulness::Helpful, 3);
    drop(space);
    let view = home.folder().join("views/experience.db");
    std::fs::remove_file(&view).expect("removed");
    // A folder in its place can't be replaced.
    std::fs::create_dir_all(view.join("in the way")).expect("a folder");
    let found = search(&home.space(), QUESTION, &[]);
    assert_eq!(found.strategy, "default");
    assert_eq!(found.answer.degraded, ["experience"]);
    assert_eq!(results(&found).len(), 10);
    assert!(found.search.is_some(), "it is recorded all the same");
}

#[test]
fn an_experiment_assigns_questions_and_ends_with_a_conclusion() {
    let home = Home::new();
    let space = filled(&home);
    let arms = ["default", "words"].map(str::to_owned);
    space
        .start_experiment("signals", &arms, 0.05)
        .expect("started");
    let mut searches = 0;
    for number in 0..200 {
        let found = search(&space, &format!("which boat leaves pier {number}?"), &[]);
        if found.experiment.is_empty() {
            break;
        }
        searches += 1;
        assert!(arms.contains(&found.strategy) && found.explores);
        let same = search(&space, &format!(" Which boat leaves PIER {number}? "), &[]);
        assert_eq!(same.strategy, found.strategy, "a question keeps its arm");
        let usefulness = match found.strategy.as_str() {
            "words" => Usefulness::Helpful,
            _ => Usefulness::Useless,
        };
        judge(&space, found.search.expect("recorded"), usefulness);
    }
    let report = space.experiment("signals").expect("a report");
    assert!(!report.running, "{report:?}");
    assert_eq!(report.conclusion, Some(Conclusion::Better("words".into())));
    assert_eq!(
        report.arms.iter().map(|arm| arm.judged).sum::<u64>(),
        searches
    );
    assert!(searches < 60, "{searches}");
    let uplift = &report.uplifts[0];
    assert!(uplift.low > 0.0 && uplift.high <= 1.0 && uplift.p_value < 0.05);
    assert_eq!(report.arms[1].rate, Some(1.0));
}

#[test]
fn an_experiment_is_stopped_by_hand_and_its_name_is_not_used_again() {
    let home = Home::new();
    let space = filled(&home);
    let arms = |names: [&str; 2]| names.map(str::to_owned);
    let refused = |names: [&str; 2], alpha: f64| {
        let started = space.start_experiment("signals", &arms(names), alpha);
        assert!(started.is_err(), "{names:?} {alpha}");
    };
    refused(["default", "guessing"], 0.05);
    refused(["default", "default"], 0.05);
    refused(["default", "words"], 1.0);
    assert!(space.experiment("signals").is_err());
    space
        .start_experiment("signals", &arms(["default", "words"]), 0.05)
        .expect("started");
    refused(["default", "words"], 0.05);
    let found = search(&space, QUESTION, &[]);
    assert_eq!(found.experiment, "signals");
    let later = search(&space, QUESTION, &[found.search.expect("recorded")]);
    assert_eq!(later.experiment, "", "only first searches are compared");
    let report = space.stop_experiment("signals").expect("stopped");
    assert!(!report.running && report.conclusion.is_none());
    assert_eq!(search(&space, QUESTION, &[]).experiment, "");
    assert_eq!(space.experiments().expect("reports"), [report]);
}

fn usefulness(space: &Space, search: MemoryId) -> Option<Usefulness> {
    let past = space.similar_searches(QUESTION, 50).expect("searches");
    past.into_iter()
        .find(|past| past.memory == search)
        .expect("recorded")
        .usefulness
}

#[test]
fn what_is_done_with_results_implies_feedback_until_some_is_told() {
    let home = Home::new();
    let space = filled(&home);
    let first = search(&space, QUESTION, &[]);
    let id = first.search.expect("recorded");
    let elsewhere = space
        .remember("The harbour master is Ada")
        .expect("told")
        .id;
    assert_eq!(space.note_used(&[elsewhere]).expect("noted"), None);
    let cited = space.get(results(&first)[1]).expect("a memory").citation();
    let said = format!("It leaves early, see {cited} and m999999.");
    assert_eq!(space.note_cited(&said).expect("noted"), Some(id));
    assert_eq!(usefulness(&space, id), Some(Usefulness::Helpful));
    // Already judged, so that using more of it says nothing new.
    assert_eq!(space.note_used(&results(&first)).expect("noted"), None);
    judge(&space, id, Usefulness::Useless);
    assert_eq!(usefulness(&space, id), Some(Usefulness::Useless));
}

#[test]
fn a_question_asked_again_was_not_answered_before() {
    let home = Home::new();
    let space = filled(&home);
    let first = search(&space, QUESTION, &[]).search.expect("recorded");
    let again = search(&space, QUESTION, &[first]).search.expect("recorded");
    assert_eq!(usefulness(&space, first), Some(Usefulness::Useless));
    assert_eq!(usefulness(&space, again), None);
    assert_eq!(trace(&space, again).similar, [first]);
}

#[test]
fn old_searches_and_readers_imply_nothing() {
    let home = Home::new();
    let (store, clock) = home.store_with_clock("2031-05-01T08:00:00Z");
    let space = store.space("core").expect("a space");
    space
        .remember("The pilot boat leaves at six")
        .expect("told");
    let first = search(&space, QUESTION, &[]);
    let reader = Scope::of(Actor::agent("reader")).reading(SpaceSet::All);
    let reading = store
        .narrowed(&reader)
        .existing_space("core")
        .expect("readable");
    assert_eq!(reading.note_used(&results(&first)).expect("allowed"), None);
    clock.set("2031-05-01T09:30:00Z");
    assert_eq!(space.note_used(&results(&first)).expect("noted"), None);
}

#[test]
fn the_same_question_in_other_words_in_one_session_says_that_the_first_search_did_not_help() {
    let home = Home::new();
    let (store, clock) = home.store_with_clock("2031-03-04T09:00:00Z");
    let space = store.space("atlas").expect("a space");
    space
        .remember("PostgreSQL 16 is installed with apt")
        .expect("told");
    let ask = |query: &str, session: &str| {
        let asked = LearningSearch {
            session: Some(session.to_owned()),
            ..LearningSearch::new(Recall::new(query))
        };
        let found = space.search_with_experience(&asked).expect("found");
        found.search.expect("recorded")
    };
    let useless = |search: MemoryId| {
        let past = space
            .similar_searches("install postgres", 20)
            .expect("searches");
        let one = past
            .into_iter()
            .find(|one| one.memory == search)
            .expect("the search");
        one.usefulness == Some(anamne::Usefulness::Useless)
    };
    let first = ask("install postgres 16 on ubuntu", "s1");
    let elsewhere = ask("How do I install PostgreSQL 16 on Ubuntu?", "s2");
    assert!(!useless(first), "another session");
    let other = ask("install postgres 15 on ubuntu", "s1");
    assert!(!useless(first), "another question");
    ask("install postgres 16 on ubuntu", "s1");
    assert!(!useless(first), "the same words");
    ask("How do I install PostgreSQL 16 on Ubuntu?", "s1");
    assert!(useless(first) && !useless(other) && !useless(elsewhere));
    clock.set("2031-03-04T09:20:00Z");
    ask("install postgres 16 on ubuntu", "s2");
    assert!(!useless(elsewhere), "too late");
}
