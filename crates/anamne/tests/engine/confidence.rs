//! Confidence is low for queries that the memory can't answer and high for queries that it answers, whatever its size;
//! it is lower for statements of another person.

use anamne::{Answer, Draft, Options, Recall, Signals, Space, Store};
use tempfile::TempDir;

fn space() -> (TempDir, Space) {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let store = Store::open_with(Options::new(folder.path()).background(false)).expect("a store");
    let space = store.space("tests").expect("a space");
    (folder, space)
}

const NOTES: [&str; 20] = [
    "The staging server listens on port 8471",
    "Bees dance to show the others the way to the flowers",
    "Rosa moved the piano lessons to Thursday afternoon",
    "The invoice for the roof repair was paid in March",
    "Our oldest apple tree bears fruit every second year",
    "The night train to Vienna leaves from platform nine",
    "Backups are encrypted before they leave the house",
    "Grandfather kept his stamps in a cigar box",
    "The parser rejects numbers with a leading zero",
    "Low tide on Sunday is shortly before noon",
    "The choir sings the requiem in the old church",
    "Marta prefers tea without sugar",
    "The left brake of the bicycle squeaks in the rain",
    "A new battery for the smoke alarm lies in the drawer",
    "The museum is closed on Mondays",
    "Our cat hides under the sofa when it thunders",
    "The sourdough needs twelve hours in the fridge",
    "The contract with the printer ends in October",
    "Two of the chess pieces were carved anew from walnut",
    "The glacier has lost a third of its length since 1900",
];

/// Queries that the memory can't answer.
const ELSEWHERE: [&str; 4] = [
    "How many goals did the striker score in the cup final?",
    "Which vaccine did the doctor recommend for the journey to Kenya?",
    "What colour is the spaceship of the alien emperor?",
    "mortgage",
];

fn stored(notes: &[&str]) -> (TempDir, Space) {
    let (folder, space) = space();
    for note in notes {
        space.remember(*note).expect("remembered");
    }
    (folder, space)
}

/// The answer, after checks that apply to all.
fn asked(space: &Space, recall: &Recall) -> Answer {
    let answer = space.recall(recall).expect("an answer");
    assert!((0.0..=1.0).contains(&answer.answered), "{answer:#?}");
    for hit in &answer.results {
        let range = 0.0..=answer.answered;
        assert!(range.contains(&hit.confidence), "{hit:#?}");
    }
    answer
}

fn best(answer: &Answer) -> f32 {
    answer.results.first().map_or(0.0, |hit| hit.confidence)
}

#[test]
fn a_question_about_something_else_gets_a_low_confidence_in_a_memory_of_any_size() {
    for size in [0, 1, 3, 20] {
        let (_folder, space) = stored(&NOTES[..size]);
        for question in ELSEWHERE {
            let answer = asked(&space, &Recall::new(question));
            assert!(best(&answer) < 0.2, "{size} {question:?}: {answer:#?}");
        }
    }
}

#[test]
fn a_question_in_the_words_of_a_memory_gets_a_high_confidence_in_a_memory_of_any_size() {
    for size in [1, 3, 20] {
        let (_folder, space) = stored(&NOTES[..size]);
        for (question, note) in [
            ("The staging server listens on which port?", NOTES[0]),
            ("the staging server listens on port 8471", NOTES[0]),
            ("which port does staging use?", NOTES[0]),
        ] {
            let answer = asked(&space, &Recall::new(question));
            assert_eq!(answer.results[0].memory.content, note);
            assert!(best(&answer) > 0.5, "{size} {question:?}: {answer:#?}");
        }
    }
}

#[test]
fn questions_with_little_or_nothing_in_them_are_judged_soberly() {
    let (_folder, space) = stored(&NOTES);
    for question in ["?!", "🦀", "the of and", "what is it?", "x"] {
        let answer = asked(&space, &Recall::new(question));
        assert!(best(&answer) < 0.3, "{question:?}: {answer:#?}");
    }
    let answer = asked(&space, &Recall::new("glacier"));
    assert_eq!(answer.results[0].memory.content, NOTES[19]);
    assert!(best(&answer) > 0.5, "{answer:#?}");
}

#[test]
fn other_languages_are_judged_by_the_words_they_share() {
    let (_folder, space) = stored(&[
        "Die Häuser am Fluss wurden letztes Jahr renoviert",
        "Резервные копии хранятся на втором сервере",
        "東京の倉庫は毎週月曜日に棚卸しをします",
        "Les chevaux de la ferme mangent le matin",
    ]);
    let of = |question: &str| best(&asked(&space, &Recall::new(question)));
    assert!(of("Wann wurden die Häuser am Fluss renoviert?") > 0.5);
    assert!(of("Где хранятся резервные копии?") > 0.5);
    assert!(of("Wie viele Tore schoss der Stürmer im Finale?") < 0.2);
    // The vocabulary splits such words into letters, which occur in every text of the language.
    assert!(of("Сколько голов забил нападающий?") < 0.5);
}

#[test]
fn what_another_person_said_of_themselves_does_not_answer() {
    let (_folder, space) = space();
    for (position, (author, text)) in (0..).zip([
        ("Ada", "I planted tomatoes on the balcony last week."),
        (
            "Ben",
            "Wow, you planted tomatoes on the balcony? How are your plants doing?",
        ),
        ("Ada", "They love the sun. My balcony is full of them now."),
        ("Ben", "I sold my old motorcycle to a neighbour yesterday."),
        ("Ada", "Did you get a good price for your motorcycle?"),
        ("Ben", "It paid for my new kitchen, so I am happy."),
    ]) {
        let turn = Draft::new(text).thread("talk").author(author);
        let turn = Draft {
            position: Some(position),
            ..turn
        };
        space.remember(turn).expect("remembered");
    }
    for (stored, not_written) in [
        (
            "What did Ada plant on the balcony?",
            "What did Ben plant on the balcony?",
        ),
        (
            "Whom did Ben sell the motorcycle to?",
            "Whom did Ada sell the motorcycle to?",
        ),
    ] {
        let [stored, not_written] =
            [stored, not_written].map(|question| asked(&space, &Recall::new(question)));
        assert!(
            stored.answered > 2.0 * not_written.answered,
            "{stored:#?}\n{not_written:#?}"
        );
        assert!(best(&stored) > 2.0 * best(&not_written));
    }
}

#[test]
fn one_search_alone_is_judged_too() {
    let (_folder, space) = stored(&NOTES);
    for signals in [Signals::Lexical, Signals::Semantic] {
        let of = |question: &str| asked(&space, &Recall::new(question).signals(signals));
        let (sure, unsure) = (
            of("which port does the staging server listen on?"),
            of(ELSEWHERE[0]),
        );
        assert!(best(&sure) > best(&unsure), "{sure:#?}\n{unsure:#?}");
        assert!(best(&unsure) < 0.2, "{unsure:#?}");
    }
}

#[test]
fn a_result_says_what_its_confidence_was_judged_by() {
    let (_folder, space) = stored(&NOTES);
    let answer = asked(
        &space,
        &Recall::new("which port does the staging server listen on?"),
    );
    let names: Vec<&str> = answer.results[0]
        .explanation
        .judged_by
        .iter()
        .map(|(name, _)| name.as_ref())
        .collect();
    for name in ["met", "turned", "spread", "least", "ahead"] {
        assert!(names.contains(&name), "{name} is not among {names:?}");
    }
}
