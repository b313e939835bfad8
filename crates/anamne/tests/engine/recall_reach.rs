//! Where a recall searches: scopes, times mentioned by the query, and why it abstains.

use anamne::{
    Assertion, ContextRequest, Draft, EntityType, Error, ErrorKind, IgnoredTime, NextStep, Recall,
    RecallScope, Space, TimeProblem, TimeWords, ToldEntity,
};
use jiff::Timestamp;

use crate::common::Home;

fn instant(text: &str) -> Timestamp {
    text.parse().expect("an instant")
}

fn texts(space: &Space, recall: &Recall) -> Vec<String> {
    let answer = space.recall(recall).expect("an answer");
    let hits = answer.results.into_iter();
    hits.map(|hit| hit.memory.content).collect()
}

fn sorted(space: &Space, recall: &Recall) -> Vec<String> {
    let mut texts = texts(space, recall);
    texts.sort();
    texts
}

/// Four threads and a note without one: two name Mara Lind, one of them by an alias.
fn harbour(home: &Home) -> Space {
    let space = home.space();
    for (thread, text) in [
        ("berths", "Mara Lind measured berth nine in the morning"),
        ("berths", "berth nine is too short for the dredger"),
        ("pilots", "Marie called the pilot about berth two"),
        ("pilots", "the pilot boat was painted red"),
        ("kitchen", "the cook salted the soup twice"),
        ("kitchen", "the oven in the kitchen needs a new door"),
        ("lamps", "the lantern at the pier went out"),
    ] {
        space
            .remember(Draft::new(text).thread(thread))
            .expect("told");
    }
    space
        .remember("the dredger is booked until May")
        .expect("told");
    let alias = Assertion::Entity(ToldEntity {
        name: "Mara Lind".to_owned(),
        entity_type: EntityType::Person,
        aliases: vec!["Marie".to_owned()],
        ..ToldEntity::default()
    });
    space.assert(&alias, None).expect("told");
    space
}

fn in_scope(scope: RecallScope, words: &str) -> Recall {
    Recall::new(words).limit(100).scope(scope)
}

#[test]
fn a_thread_is_all_that_is_looked_at_when_asked_for() {
    let home = Home::new();
    let space = harbour(&home);
    let recall = in_scope(RecallScope::Thread("berths".into()), "what of berth two?");
    assert_eq!(
        sorted(&space, &recall),
        [
            "Mara Lind measured berth nine in the morning",
            "berth nine is too short for the dredger"
        ]
    );
    let unknown = in_scope(RecallScope::Thread("attic".into()), "what of berth two?");
    assert_eq!(texts(&space, &unknown), Vec::<String>::new());
}

#[test]
fn related_threads_are_those_that_name_the_same_by_any_name() {
    let home = Home::new();
    let space = harbour(&home);
    let recall = in_scope(
        RecallScope::RelatedThreads("berths".into()),
        "berth soup lantern",
    );
    let answer = space.recall(&recall).expect("an answer");
    assert_eq!(answer.degraded, Vec::<String>::new());
    let threads: std::collections::BTreeSet<_> = answer
        .results
        .iter()
        .map(|hit| hit.memory.thread.as_deref().expect("in a thread"))
        .collect();
    assert_eq!(
        threads.into_iter().collect::<Vec<_>>(),
        ["berths", "pilots"]
    );
}

#[test]
fn without_extracted_knowledge_a_thread_is_taken_alone_and_the_answer_says_so() {
    let home = Home::new();
    let space = home.space();
    let drafts: Vec<_> = (0..80)
        .map(|number| {
            Draft::new(format!("Mara Lind read gauge {number}"))
                .thread(format!("log {}", number % 2))
        })
        .collect();
    space.remember_all(&drafts).expect("told");
    let recall = in_scope(RecallScope::RelatedThreads("log 1".into()), "gauge");
    let answer = space.recall(&recall).expect("an answer");
    assert_eq!(answer.degraded, ["knowledge"]);
    assert_eq!(answer.results.len(), 40);
    let named = in_scope(RecallScope::Entity("Mara Lind".into()), "gauge");
    let error = space.recall(&named).expect_err("nobody knows who is named");
    assert_eq!(error.kind(), ErrorKind::Refused);
    assert_eq!(error.next_step(), Some(NextStep::Extract), "{error}");
    space.extract(&mut |_| true).expect("extracted");
    assert_eq!(texts(&space, &named).len(), 80);
}

#[test]
fn an_entity_is_found_by_each_of_its_names_and_an_unknown_one_offers_those_that_are_like_it() {
    let home = Home::new();
    let space = harbour(&home);
    for name in ["Mara Lind", "marie"] {
        let found = sorted(&space, &in_scope(RecallScope::Entity(name.into()), "berth"));
        assert!(
            found.contains(&"Mara Lind measured berth nine in the morning".to_owned())
                && found.contains(&"Marie called the pilot about berth two".to_owned()),
            "{name}: {found:#?}"
        );
        assert!(
            found
                .iter()
                .all(|text| text.contains("Mara Lind") || text.contains("Marie")),
            "{name}: {found:#?}"
        );
    }
    let error = space
        .recall(&in_scope(RecallScope::Entity("Mara Lindt".into()), "berth"))
        .expect_err("nobody is called so");
    assert_eq!(error.kind(), ErrorKind::NotFound);
    assert!(
        error.to_string().contains("did you mean \"Mara Lind\""),
        "{error}"
    );
    assert!(matches!(error, Error::Recall(_)));
}

#[test]
fn a_topic_is_the_threads_and_notes_that_are_about_it() {
    let home = Home::new();
    let space = harbour(&home);
    let recall = in_scope(
        RecallScope::Topics(vec!["the dredger".into()]),
        "how long is the soup booked?",
    );
    assert_eq!(
        sorted(&space, &recall),
        [
            "Mara Lind measured berth nine in the morning",
            "berth nine is too short for the dredger",
            "the dredger is booked until May"
        ]
    );
    let nothing = in_scope(
        RecallScope::Topics(vec!["xylophone lessons".into()]),
        "the dredger",
    );
    assert_eq!(texts(&space, &nothing), Vec::<String>::new());
}

#[test]
fn several_topics_are_searched_together() {
    let home = Home::new();
    let space = harbour(&home);
    let about = |topics: &[&str]| {
        let topics = topics.iter().map(|topic| (*topic).to_owned()).collect();
        in_scope(RecallScope::Topics(topics), "what happened?")
    };
    let mut apart = sorted(&space, &about(&["the dredger"]));
    apart.extend(sorted(&space, &about(&["the kitchen oven"])));
    apart.sort();
    let both = about(&["the dredger", "the kitchen oven"]);
    assert_eq!(sorted(&space, &both), apart);
    assert!(apart.len() > 3 && apart.iter().any(|text| text.contains("oven")));
    for refused in [
        about(&[]),
        about(&["pier"; RecallScope::TOPICS + 1]),
        about(&[" "]),
    ] {
        let error = space
            .recall(&refused)
            .expect_err("too few, too many, blank");
        assert!(error.to_string().contains("topic"), "{error}");
    }
}

#[test]
fn scope_and_filter_both_count() {
    let home = Home::new();
    let space = harbour(&home);
    let recall =
        in_scope(RecallScope::Topics(vec!["the dredger".into()]), "berth").filter(anamne::Filter {
            threads: vec!["pilots".into(), "berths".into()],
            ..anamne::Filter::default()
        });
    assert_eq!(texts(&space, &recall).len(), 2);
}

/// A logbook: the same text on every day of March, and a release on the twelfth.
fn logbook(home: &Home) -> Space {
    let (store, clock) = home.store_with_clock("2026-03-20T12:00:00Z");
    let space = store.space("tests").expect("a space");
    for day in 1..=20 {
        let at = instant(&format!("2026-03-{day:02}T10:00:00Z"));
        let draft = Draft::new(format!("the gauge at the mill was read, entry {day}"));
        space.remember(draft.occurred_at(at)).expect("told");
    }
    let release = Draft::new("we shipped the harbourmaster release");
    space
        .remember(release.occurred_at(instant("2026-03-12T15:00:00Z")))
        .expect("told");
    drop(clock);
    space
}

fn days(space: &Space, recall: &Recall) -> Vec<i8> {
    let answer = space.recall(recall).expect("an answer");
    let hits = answer.results.into_iter();
    hits.filter(|hit| hit.memory.content.contains("gauge"))
        .map(|hit| {
            hit.memory
                .occurred_at
                .to_zoned(jiff::tz::TimeZone::UTC)
                .day()
        })
        .collect()
}

fn asked(words: &str, time_words: TimeWords) -> Recall {
    Recall {
        time_words,
        ..Recall::new(words).limit(40)
    }
}

#[test]
fn a_time_in_the_question_comes_first_or_is_all_or_is_ignored() {
    let home = Home::new();
    let space = logbook(&home);
    let words = "was the gauge read last week?";
    let preferred = days(&space, &asked(words, TimeWords::Prefer));
    assert_eq!(preferred.len(), 20);
    let mut first = preferred[..7].to_vec();
    first.sort_unstable();
    assert_eq!(first, [9, 10, 11, 12, 13, 14, 15]);
    let mut only = days(&space, &asked(words, TimeWords::Only));
    only.sort_unstable();
    assert_eq!(only, [9, 10, 11, 12, 13, 14, 15]);
    let ignored = asked(words, TimeWords::Ignore);
    let elsewhere = Recall {
        asked_at: Some(instant("2026-03-05T12:00:00Z")),
        ..ignored.clone()
    };
    assert_eq!(days(&space, &ignored), days(&space, &elsewhere));
    assert_ne!(days(&space, &ignored), preferred);
}

#[test]
fn a_text_that_says_the_date_itself_stands_beside_what_happened_then() {
    let home = Home::new();
    let (store, _) = home.store_with_clock("2026-03-20T12:00:00Z");
    let space = store.space("tests").expect("a space");
    let write = |text: &str, at: &str| {
        let draft = Draft::new(text).occurred_at(instant(at));
        space.remember(draft).expect("told");
    };
    write(
        "the council meets on 7 February 2026",
        "2026-01-02T10:00:00Z",
    );
    for day in 10..20 {
        let text = format!("the council was told of matter {day}");
        write(&text, &format!("2026-02-{day}T10:00:00Z"));
    }
    write("the harbour froze over", "2026-02-07T10:00:00Z");
    let recall = Recall::new("what did the council do on 7 February 2026?").limit(1);
    assert_eq!(
        texts(&space, &recall),
        ["the council meets on 7 February 2026"]
    );
    let times = space.recall(&recall).expect("an answer").times;
    assert_eq!(times[0].since, Some(instant("2026-02-07T00:00:00Z")));
}

#[test]
fn what_was_understood_of_a_time_is_said() {
    let home = Home::new();
    let space = logbook(&home);
    let words = "was the gauge read last week?";
    let times = space
        .recall(&asked(words, TimeWords::Prefer))
        .expect("an answer")
        .times;
    assert_eq!(times.len(), 1);
    assert_eq!(times[0].words, "last week");
    assert_eq!(times[0].since, Some(instant("2026-03-09T00:00:00Z")));
    assert_eq!(times[0].until, Some(instant("2026-03-16T00:00:00Z")));
    let earlier = Recall {
        asked_at: Some(instant("2026-03-11T12:00:00Z")),
        zone: Some("America/New_York".to_owned()),
        ..asked("was the gauge read yesterday?", TimeWords::Only)
    };
    assert_eq!(days(&space, &earlier), [10]);
    let times = space.recall(&earlier).expect("an answer").times;
    assert_eq!(times[0].since, Some(instant("2026-03-10T04:00:00Z")));
    let plain = space.recall(&Recall::new("who reads the gauge?"));
    assert!(plain.expect("an answer").times.is_empty());
}

#[test]
fn a_time_counted_from_an_event_is_counted_from_the_memory_of_it() {
    let home = Home::new();
    let space = logbook(&home);
    let words = "was the gauge read the day before the harbourmaster release?";
    let answer = space
        .recall(&asked(words, TimeWords::Only))
        .expect("an answer");
    assert_eq!(answer.times.len(), 1, "{:?}", answer.times);
    assert_eq!(answer.times[0].since, Some(instant("2026-03-11T00:00:00Z")));
    let event = answer.times[0].event.expect("an event");
    let event = space.get(event).expect("a memory");
    assert_eq!(event.content, "we shipped the harbourmaster release");
    assert_eq!(days(&space, &asked(words, TimeWords::Only)), [11]);
    let unknown = "was the gauge read the day before the xylophone festival?";
    let answer = space
        .recall(&asked(unknown, TimeWords::Only))
        .expect("an answer");
    assert!(answer.times.is_empty(), "{:?}", answer.times);
    assert!(answer.results.len() > 10);
    let ignored = |words: &str, reason| IgnoredTime {
        words: words.to_owned(),
        reason,
    };
    let missing = ignored(
        "the day before the xylophone festival",
        TimeProblem::EventNotFound,
    );
    assert_eq!(answer.ignored_times, [missing]);
    let unclear = "was the gauge read last week, and not in March?";
    let answer = space
        .recall(&asked(unclear, TimeWords::Only))
        .expect("an answer");
    assert_eq!(answer.times[0].words, "last week");
    let expected = [ignored("in March", TimeProblem::Unclear)];
    assert_eq!(answer.ignored_times, expected);
    let context = space
        .context(&ContextRequest {
            recall: asked(unclear, TimeWords::Only),
            ..ContextRequest::new("", 1_000)
        })
        .expect("a block");
    assert_eq!(context.ignored_times, expected);
    let without = space.recall(&asked(unclear, TimeWords::Ignore));
    assert!(without.expect("an answer").ignored_times.is_empty());
}

#[test]
fn a_relative_time_in_which_nothing_happened_changes_nothing() {
    let home = Home::new();
    let space = logbook(&home);
    let later = Recall {
        asked_at: Some(instant("2031-03-11T12:00:00Z")),
        ..asked("was the gauge read last month?", TimeWords::Prefer)
    };
    let ignored = Recall {
        time_words: TimeWords::Ignore,
        ..later.clone()
    };
    assert_eq!(days(&space, &later), days(&space, &ignored));
}

#[test]
fn where_nothing_is_sure_enough_the_answer_says_what_was_looked_at_and_what_came_nearest() {
    let home = Home::new();
    let space = logbook(&home);
    let unsure = Recall {
        min_confidence: 1.0,
        filter: anamne::Filter {
            since: Some(instant("2026-03-10T00:00:00Z")),
            ..anamne::Filter::default()
        },
        ..Recall::new("who mended the gauge at the mill?")
    };
    let answer = space.recall(&unsure).expect("an answer");
    assert!(answer.results.is_empty());
    let abstained = answer.abstained.expect("it declines");
    assert!((abstained.threshold - 1.0).abs() < f32::EPSILON);
    assert_eq!(
        abstained.looked_at,
        "Searched 12 memories in the active tier dated since 2026-03-10, by words, meaning and threads."
    );
    let nearest = abstained.nearest.expect("something came near");
    assert!(nearest.excerpt.contains("gauge at the mill"));
    assert!(nearest.excerpt.chars().count() <= 160);
    assert!(nearest.confidence > 0.0 && nearest.confidence < 1.0);
    let memory = space.resolve(&nearest.citation).expect("a memory");
    assert_eq!(memory, nearest.memory);
    let context = space
        .context(&ContextRequest {
            recall: unsure.clone(),
            token_budget: 200,
            preset: None,
        })
        .expect("a context");
    assert_eq!(context.entries.len(), 0);
    let said = context.abstained.expect("it declines too");
    assert_eq!(said.nearest.expect("the same").memory, nearest.memory);
    let content = Recall {
        min_confidence: nearest.confidence,
        ..unsure
    };
    let answer = space.recall(&content).expect("an answer");
    assert_eq!(answer.results[0].memory.id, nearest.memory);
    assert!(answer.abstained.is_none());
    let sure = space.recall(&Recall::new("quartz")).expect("an answer");
    assert!(sure.abstained.is_none());
}

#[test]
fn results_below_the_threshold_are_counted() {
    let home = Home::new();
    let space = logbook(&home);
    let all = space
        .recall(&Recall::new("who mended the gauge at the mill?"))
        .expect("an answer");
    assert_eq!(all.dropped, 0);
    let mut confidences: Vec<f32> = all.results.iter().map(|hit| hit.confidence).collect();
    confidences.sort_by(f32::total_cmp);
    let middle = confidences[confidences.len() / 2];
    let unlikely = confidences.iter().filter(|one| **one < middle).count();
    let sure = Recall {
        min_confidence: middle,
        ..Recall::new("who mended the gauge at the mill?")
    };
    let answer = space.recall(&sure).expect("an answer");
    assert!(unlikely > 0);
    assert_eq!(answer.dropped, unlikely);
    assert_eq!(answer.results.len() + unlikely, all.results.len());
}

#[test]
fn an_empty_space_declines_with_nothing_near() {
    let home = Home::new();
    let space = home.space();
    let recall = Recall {
        min_confidence: 0.5,
        ..Recall::new("anything?")
    };
    let abstained = space
        .recall(&recall)
        .expect("an answer")
        .abstained
        .expect("it declines");
    assert!(abstained.nearest.is_none());
    assert!(abstained.looked_at.starts_with("Searched 0 memories"));
}

#[test]
fn a_question_for_all_of_a_time_is_answered_by_the_memories_of_that_time() {
    let home = Home::new();
    let space = home.space();
    for (at, content) in [
        ("2026-06-08", "Deploys happen on Tuesdays and Thursdays."),
        ("2026-07-01", "What a week: the server burned down."),
        ("2026-08-01", "Nothing ever happens in this project."),
        ("2026-09-10", "Code review takes two days on average."),
        (
            "2026-11-16",
            "The production API moved from port 8443 to 443.",
        ),
        ("2026-11-18", "Anna fixed the login bug."),
        ("2026-11-20", "We bought a new printer."),
    ] {
        let draft = Draft::new(content).occurred_at(instant(&format!("{at}T10:00:00Z")));
        space.remember(draft).expect("remembered");
    }
    for query in [
        "what happened last week?",
        "what happened between 16 and 20 November?",
    ] {
        let recall = Recall {
            asked_at: Some(instant("2026-11-29T09:00:00Z")),
            ..Recall::new(query)
        };
        let answer = space.recall(&recall).expect("an answer");
        let times = answer.results.iter().map(|hit| hit.memory.occurred_at);
        let first: Vec<_> = times.take(3).collect();
        let week = instant("2026-11-16T00:00:00Z")..instant("2026-11-23T00:00:00Z");
        assert!(
            first.iter().all(|at| week.contains(at)),
            "{query}: {first:?}"
        );
    }
}
