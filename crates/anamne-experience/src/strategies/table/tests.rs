use anamne_types::{Body, Explanation, Metadata, Row, ScoreParts, Seq};
use jiff::Timestamp;

use super::*;

fn memory(number: u8, thread: &str) -> Memory {
    Memory {
        id: MemoryId::from_bytes([number; 16]),
        row: Row(u32::from(number)),
        space: "tests".to_owned(),
        body: Body::default(),
        content: format!("memory {number}"),
        thread: (!thread.is_empty()).then(|| thread.to_owned()),
        position: None,
        session: None,
        author: None,
        trust: 1.0,
        importance: 5,
        confidence: 1.0,
        tags: Vec::new(),
        metadata: Metadata::new(),
        external_id: None,
        occurred_at: Timestamp::UNIX_EPOCH,
        created_at: Timestamp::UNIX_EPOCH,
        updated_at: Timestamp::UNIX_EPOCH,
        expires_at: None,
        deleted_at: None,
        superseded_by: None,
        member: None,
        version: 1,
        seq: Seq(u64::from(number)),
    }
}

/// An answer with memories of these threads, numbered from 0; an empty name is none.
fn answer(threads: &[&str]) -> Answer {
    let hit = |(number, thread): (u8, &&str)| Hit {
        memory: memory(number, thread),
        score: 1.0,
        confidence: 0.5,
        scores: ScoreParts::default(),
        reasoning: String::new(),
        explanation: Explanation::default(),
        surroundings: Vec::new(),
        disputes: Vec::new(),
        path: Vec::new(),
        entities: Vec::new(),
        related_entities: Vec::new(),
        related_memories: Vec::new(),
        also_in: Vec::new(),
        space: None,
    };
    Answer {
        results: (0..).zip(threads).map(hit).collect(),
        ..Answer::default()
    }
}

fn page(strategy: &str, answer: &Answer, shown: &Shown) -> Vec<u32> {
    let strategy = Strategy::named(strategy).unwrap();
    let hits = strategy.page(answer, shown, 3);
    hits.into_iter().map(|hit| hit.memory.row.0).collect()
}

#[test]
fn names_are_unique_and_the_default_is_first() {
    for (number, strategy) in Strategy::ALL.iter().enumerate() {
        assert_eq!(strategy.number(), number);
        assert_eq!(Strategy::named(strategy.name()), Some(*strategy));
        assert!(!strategy.description().is_empty());
    }
    assert_eq!(Strategy::ALL[0], Strategy::DEFAULT);
    assert_eq!(Strategy::named("Default"), None);
}

#[test]
fn a_page_holds_the_best_that_were_not_shown() {
    let answer = answer(&["a", "a", "a", "b", "", ""]);
    let mut shown = Shown::default();
    assert_eq!(page("default", &answer, &shown), [0, 1, 2]);
    shown.add(&answer.results[1].memory);
    assert_eq!(page("default", &answer, &shown), [0, 2, 3]);
    assert_eq!((shown.len(), shown.is_empty()), (1, false));
}

#[test]
fn other_threads_come_first_and_the_best_follow() {
    let answer = answer(&["a", "a", "b", "b", "c"]);
    let mut shown = Shown::default();
    assert_eq!(page("other_threads", &answer, &shown), [0, 2, 4]);
    shown.add(&memory(9, "a"));
    assert_eq!(page("other_threads", &answer, &shown), [2, 4, 0]);
    shown.add(&memory(8, "b"));
    shown.add(&memory(7, "c"));
    assert_eq!(page("other_threads", &answer, &shown), [0, 1, 2]);
}

#[test]
fn all_candidates_are_valid_and_keep_what_the_caller_set() {
    let mut recall = Recall::new("when?");
    recall.weights.insert("recency".to_owned(), 1.0);
    for strategy in Strategy::ALL {
        let candidates = strategy.candidates(&recall, &Shown::default());
        candidates.check().unwrap();
        assert_eq!(candidates.query, "when?");
        assert!(candidates.limit >= 40);
        let weight = candidates.weights.get("recency");
        let is_lexical = candidates.signals == Signals::Lexical;
        assert_eq!(weight, (!is_lexical).then_some(&1.0), "{}", strategy.name());
    }
    let semantic = Recall {
        signals: Signals::Semantic,
        limit: Limits::RESULTS,
        ..Recall::new("when?")
    };
    for strategy in Strategy::ALL {
        assert_eq!(strategy.candidates(&semantic, &Shown::default()), semantic);
    }
}
