//! Extraction of names.

use anamne_knowledge::reading::{Utterance, read};
use jiff::Timestamp;
use proptest::prelude::*;

fn check(text: &str, expected: &[&str]) {
    let at: Timestamp = "2026-03-11T12:00:00Z".parse().expect("a timestamp");
    let found: Vec<String> = read(&Utterance {
        text,
        author: "",
        role: None,
        at,
    })
    .mentions
    .iter()
    .map(|mention| format!("{}: {}", mention.entity_type, mention.name))
    .collect();
    assert_eq!(found, expected, "{text:?}");
}

#[test]
fn people_by_title_first_name_and_verb() {
    check(
        "I met Dr. Okafor and Priya in Lyon.",
        &["person: Okafor", "person: Priya", "place: Lyon"],
    );
    check(
        "Jean-Luc told Zorica about it.",
        &["person: Jean-Luc", "person: Zorica"],
    );
    check("ask haruka, she knows", &["person: haruka"]);
    check(
        "Klinikum Nordwest and the Toyama Thunderbirds called Prof. Dr. Ada Winkel at 8:15.",
        &[
            "organisation: Klinikum Nordwest",
            "organisation: Toyama Thunderbirds",
            "person: Ada Winkel",
            "date: 8:15",
        ],
    );
    check(
        "My Pixel 7 shows ABC-123 from 8 to 12 June at Sunny Meadows.",
        &[
            "tool: Pixel 7",
            "concept: ABC-123",
            "date: 8 to 12 June",
            "organisation: Sunny Meadows",
        ],
    );
    check("J. R. R. Tolkien wrote it.", &["person: J. R. R. Tolkien"]);
    check(
        "Mark said that Will is late.",
        &["person: Mark", "person: Will"],
    );
    check(
        "Frau Keller and Herr Yilmaz came.",
        &["person: Keller", "person: Yilmaz"],
    );
}

#[test]
fn a_required_capital_is_no_evidence() {
    check("Thanks! Wow, great. Will you go? Mark it.", &[]);
    check("Tests are green. We ran the tests.", &[]);
    check(
        "# Project Overview\n\n**Key Takeaways**: none\n1. Step One",
        &[],
    );
    check("I AM SO HAPPY TODAY", &["date: TODAY"]);
    check(
        "Das Haus und der Garten sind groß, die Schule ist klein.",
        &[],
    );
}

#[test]
fn places_organisations_and_works() {
    check(
        "We stayed at the Grand Hotel near Lake Bled.",
        &["place: Grand Hotel", "place: Lake Bled"],
    );
    check(
        "She studied at the University of Oxford.",
        &["organisation: University of Oxford"],
    );
    check(
        "Blauberg GmbH moved to Neustadt.",
        &["organisation: Blauberg GmbH", "place: Neustadt"],
    );
    check("He is reading The Hobbit again.", &["concept: Hobbit"]);
    check(
        "The Vienna Marathon starts here.",
        &["concept: Vienna Marathon"],
    );
}

#[test]
fn tools_and_versions() {
    check(
        "We use Node.js 20 and PostgreSQL 16.",
        &[
            "tool: Node.js",
            "version: Node.js 20",
            "tool: PostgreSQL",
            "version: PostgreSQL 16",
        ],
    );
    check(
        "rust tests and the go service, go home",
        &["tool: rust", "tool: go"],
    );
    check(
        "Released v2.1.0 and 1.0.3 today.",
        &["version: v2.1.0", "version: 1.0.3", "date: today"],
    );
    check("GitHub Actions is down.", &["tool: GitHub Actions"]);
}

#[test]
fn code_and_addresses() {
    check(
        "See `src/main.rs` and /etc/hosts or https://example.com/a.",
        &[
            "file: src/main.rs",
            "file: /etc/hosts",
            "url: https://example.com/a",
        ],
    );
    check(
        "`parse_header()` calls parseBody and snake_case.",
        &[
            "symbol: parse_header",
            "symbol: parseBody",
            "symbol: snake_case",
        ],
    );
    check(
        "Write to mara@example.org, not to and/or.",
        &["url: mara@example.org"],
    );
    check(
        "```rust\nfn fold_state() {}\nstruct Ledger;\n```",
        &["symbol: fold_state", "symbol: Ledger"],
    );
    check("The item(s) in 24/7 mode", &[]);
}

#[test]
fn days() {
    check(
        "On March 3, 2025 and next Friday",
        &["date: March 3, 2025", "date: next Friday"],
    );
    check(
        "since 2019, until 2026-05-01, in May",
        &["date: 2019", "date: 2026-05-01", "date: May"],
    );
    check("You may march on; it may rain.", &[]);
    check(
        "two weeks ago, the first of May",
        &["date: two weeks ago", "date: first of May"],
    );
    check(
        "Am 3. März 2026 kommt Anna.",
        &["date: 3. März 2026", "person: Anna"],
    );
    check("It takes 3 days and 20 minutes.", &[]);
    check(
        "Tuesday 14 April works, the 22nd too",
        &["date: Tuesday 14 April"],
    );
}

fn check_spans(text: &str) {
    let at: Timestamp = "2026-03-11T12:00:00Z".parse().expect("a timestamp");
    let reading = read(&Utterance {
        text,
        author: "Nora",
        role: None,
        at,
    });
    for span in reading
        .mentions
        .iter()
        .map(|mention| &mention.span)
        .chain(reading.statements.iter().map(|statement| &statement.span))
    {
        assert!(
            span.start <= span.end && text.get(span.clone()).is_some(),
            "{span:?} in {text:?}"
        );
    }
    for mention in &reading.mentions {
        assert!(!mention.name.is_empty() && (0.0..=1.0).contains(&mention.confidence));
    }
    anamne_knowledge::reading::echoes(
        text,
        &reading
            .mentions
            .iter()
            .map(|mention| (mention.name.clone(), mention.entity_type))
            .collect::<Vec<_>>(),
    );
}

#[test]
fn long_repetitive_texts_are_extracted() {
    for piece in [
        "(",
        "`",
        "\"",
        "Mara ",
        "Mara of ",
        "a/b ",
        "and Mara, ",
        "I use Redis and ",
        "is ",
        "'",
        "**",
        "X (",
        "字",
        "1.",
        "```\n",
        "x",
        "PostgreSQL 16 ",
        "Dr. ",
    ] {
        check_spans(&piece.repeat(20_000 / piece.len()));
    }
}

#[test]
fn endless_titles_are_not_a_name() {
    check(&"Dr. ".repeat(200_000), &[]);
    check(&"!".repeat(1_000_000), &[]);
    check(
        "I met Prof. Dr. Dr. Ada Winkel there.",
        &["person: Ada Winkel"],
    );
}

proptest! {
    #[test]
    fn spans_are_valid_for_any_text(text in any::<String>()) {
        check_spans(&text);
    }

    #[test]
    fn spans_are_valid_for_any_prose(text in "(Mara|Dr\\.|I|my|sister|uses|is|`[a-z_=]{0,5}`|[A-ZÄa-zäß’'.,()/@#*0-9-]{1,6}|the|of|in|since|May|\\$|€|\"|“|”|\n| ){0,60}") {
        check_spans(&text);
    }

    #[test]
    fn spans_are_valid_for_any_word_order(words in proptest::collection::vec("Mara|Anna|I|my|sister|dog|uses|is|not|lives|in|Berlin|at|since|March|2024|3|the|port|named|replaced|by|with|Redis|16|,|a|and|to|moved|from|'s|Google", 0..30)) {
        check_spans(&words.join(" "));
    }
}
