//! Memories with a word that at most three memories contain come first, whatever their length and the other matches.

use anamne::{Answer, Draft, Filter, Ranking, Recall, Space};

use crate::common::Home;

const TOPICS: [&str; 8] = [
    "release", "harbour", "invoice", "garden", "server", "ticket", "library", "engine",
];

/// Short memories that answer questions with common words.
fn write_ordinary(space: &Space) {
    for number in 0..300 {
        let topic = TOPICS[number % TOPICS.len()];
        let content = format!(
            "Entry {number}: the {topic} notes say who keeps the {topic} up to date and what to do when it fails."
        );
        let draft = Draft::new(content)
            .thread(format!("{topic} {}", number / 40))
            .author("Ada");
        space.remember(draft).expect("remembered");
    }
}

/// A long memory on many topics that contains a word.
fn write_long(space: &Space, word: &str, thread: &str) {
    let mut words: Vec<String> = (0..280)
        .map(|number| format!("{} {number}", TOPICS[number % TOPICS.len()]))
        .collect();
    words.insert(200, word.to_owned());
    words.push(format!("as told in {thread}"));
    let draft = Draft::new(words.join(" ")).thread(thread);
    space.remember(draft).expect("remembered");
}

fn ask(space: &Space, recall: &Recall) -> Answer {
    let answer = space.recall(recall).expect("an answer");
    assert_eq!(answer.degraded, Vec::<String>::new());
    answer
}

/// The number of leading results that contain the word.
fn leading(answer: &Answer, word: &str) -> usize {
    let hits = answer.results.iter();
    hits.take_while(|hit| hit.memory.content.contains(word))
        .count()
}

#[test]
fn a_word_of_one_two_or_three_memories_brings_them_first() {
    let home = Home::new();
    let space = home.space();
    write_ordinary(&space);
    let words = ["zelvortak", "pg_zelstat_8213", "qux-7731", "№4417b"];
    for (number, word) in words.iter().enumerate() {
        for place in 0..=number % 3 {
            write_long(&space, word, &format!("long {number} {place}"));
        }
    }
    for (number, word) in words.iter().enumerate() {
        for query in [
            (*word).to_owned(),
            format!("Who keeps the release notes about {word} up to date?"),
            format!("{word}: what do the server notes say to do when it fails"),
        ] {
            let answer = ask(&space, &Recall::new(query.as_str()));
            assert_eq!(leading(&answer, word), 1 + number % 3, "{query}");
            let found_by = &answer.results[0].explanation.found_by;
            assert!(found_by.contains(&"rare_word".to_owned()), "{found_by:?}");
            let reasoning = &answer.results[0].reasoning;
            assert!(
                reasoning.contains("few memories that contain"),
                "{reasoning}"
            );
        }
    }
}

#[test]
fn a_word_of_four_memories_and_two_rare_words_change_nothing() {
    let home = Home::new();
    let space = home.space();
    write_ordinary(&space);
    for place in 0..4 {
        write_long(&space, "brixolane", &format!("long {place}"));
    }
    write_long(&space, "zelvortak", "one");
    write_long(&space, "quandrivex", "another");
    for query in [
        "Who keeps the brixolane release notes up to date?",
        "Who keeps the zelvortak release notes or the quandrivex ones up to date?",
        "Who keeps the unheardof release notes up to date?",
    ] {
        for hit in ask(&space, &Recall::new(query)).results {
            let found_by = hit.explanation.found_by;
            assert!(
                !found_by.contains(&"rare_word".to_owned()),
                "{query}: {found_by:?}"
            );
        }
    }
}

#[test]
fn a_filter_a_formula_and_what_was_forgotten_go_before_a_rare_word() {
    let home = Home::new();
    let space = home.space();
    write_ordinary(&space);
    write_long(&space, "zelvortak", "one");
    write_long(&space, "zelvortak", "another");
    let query = "Who keeps the release notes about zelvortak up to date?";
    let leads = |recall: &Recall| leading(&ask(&space, recall), "zelvortak");
    assert_eq!(leads(&Recall::new(query)), 2);
    let filter = Filter {
        threads: vec!["one".to_owned(), "release 0".to_owned()],
        ..Filter::default()
    };
    assert_eq!(leads(&Recall::new(query).filter(filter)), 1);
    let by_formula = Recall {
        ranking: Ranking::MeaningFirst,
        ..Recall::new(query)
    };
    assert_eq!(leads(&by_formula), 0);
    let answer = ask(&space, &Recall::new("zelvortak"));
    space
        .forget(answer.results[0].memory.id)
        .expect("forgotten");
    assert_eq!(leads(&Recall::new(query)), 1);
}
