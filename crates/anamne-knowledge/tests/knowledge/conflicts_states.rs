//! What something is, and relations with one value at a time.

use anamne_knowledge::conflicts::{Conflicts, statement_claims};
use anamne_knowledge::reading::{Utterance, read};
use anamne_types::ConflictKind;

use crate::conflicts::{CONTESTED, SUPERSEDED, check};

#[test]
fn being_so_and_not_being_so_exclude_each_other() {
    check(&[
        (
            "Nora is allergic to shellfish.",
            "Nora is not allergic to shellfish.",
            CONTESTED,
        ),
        (
            "Nora is a vegetarian.",
            "Nora is no longer a vegetarian.",
            SUPERSEDED,
        ),
        (
            "The pipeline is green.",
            "The pipeline is not green.",
            CONTESTED,
        ),
        (
            "The pipeline is not green.",
            "The pipeline is green.",
            SUPERSEDED,
        ),
        (
            "The lease is signed.",
            "The lease isn't signed yet.",
            CONTESTED,
        ),
        (
            "My favourite tea is green.",
            "My favourite tea is not green.",
            CONTESTED,
        ),
        ("The gate is open.", "The gate is closed.", SUPERSEDED),
        ("The bill is unpaid.", "The bill is paid.", SUPERSEDED),
        ("Bug #27 is open.", "Bug #27 is fixed.", SUPERSEDED),
        ("Nora likes tea.", "Nora doesn't like tea.", CONTESTED),
        ("I like tea.", "I don't like tea any more.", SUPERSEDED),
        (
            "Ticket Delta is open.",
            "Ticket Delta is fixed.",
            SUPERSEDED,
        ),
        ("The beta flag is on.", "The beta flag is off.", SUPERSEDED),
    ]);
}

#[test]
fn what_is_said_of_another_thing_or_is_open_excludes_nothing() {
    check(&[
        (
            "Nora is allergic to shellfish.",
            "Nora is not allergic to nuts.",
            None,
        ),
        (
            "Nora is allergic to shellfish.",
            "Lars is not allergic to shellfish.",
            None,
        ),
        (
            "Nora is allergic to shellfish.",
            "Is Nora not allergic to shellfish?",
            None,
        ),
        (
            "Nora is allergic to shellfish.",
            "Lars believes Nora is not allergic to shellfish.",
            None,
        ),
        (
            "The pipeline is green.",
            "The pipeline is not green on Windows.",
            None,
        ),
        (
            "The pipeline is green.",
            "If the pipeline is not green, we wait.",
            None,
        ),
        ("The gate is open.", "The gate is not closed.", None),
        ("I am happy.", "I'm not happy.", None),
        ("The gate was open.", "The gate is closed.", None),
    ]);
}

/// The kind of conflict between the statements of two texts by these authors.
fn kind_of(earlier: &str, later: &str, authors: [&str; 2]) -> Option<ConflictKind> {
    let mut conflicts = Conflicts::new();
    for (row, (text, author)) in [earlier, later].into_iter().zip(authors).enumerate() {
        let at = format!("2024-03-{:02}T09:00:00Z", 4 + row);
        let utterance = Utterance {
            text,
            author,
            role: None,
            at: at.parse().expect("a time"),
        };
        conflicts.insert(row as u32, statement_claims(&utterance, &read(&utterance)));
    }
    conflicts.links().first().map(|link| link.conflict.kind)
}

#[test]
fn a_later_value_of_a_relation_supersedes_the_earlier_one() {
    for (earlier, later, expected) in [
        (
            "Nora works at Siemens.",
            "Nora now works at Bosch.",
            SUPERSEDED,
        ),
        (
            "Nora lives in Hamburg.",
            "Nora lives in Oslo now.",
            SUPERSEDED,
        ),
        ("Nora is 30 years old.", "Nora is 32 years old.", SUPERSEDED),
        (
            "The maximum attachment size is 50 MB.",
            "Correction: the maximum attachment size is 25 MB.",
            SUPERSEDED,
        ),
        (
            "Nora was born in 1990.",
            "Nora was born in 1992.",
            CONTESTED,
        ),
        (
            "The proxy listens on port 8080.",
            "The proxy listens on port 9090.",
            SUPERSEDED,
        ),
        (
            "Nora works at Siemens.",
            "Nora works at the Red Cross on weekends.",
            None,
        ),
        ("Nora works at Siemens.", "Lars works at Bosch.", None),
        ("Nora works at Siemens.", "Does Nora work at Bosch?", None),
        (
            "Nora works at Siemens.",
            "Nora worked at Bosch in 2019.",
            None,
        ),
        ("Nora works at Siemens.", "Nora may work at Bosch.", None),
        (
            "Nora lives in Hamburg.",
            "Nora lives in Hamburg, Germany.",
            None,
        ),
        (
            "The maximum attachment size is 50 MB.",
            "The maximum attachment size was not lowered to 25 MB.",
            None,
        ),
    ] {
        let found = kind_of(earlier, later, ["ada", "ada"]);
        assert_eq!(found, expected, "{earlier} / {later}");
    }
    let found = kind_of(
        "Nora works at Siemens.",
        "Nora now works at Bosch.",
        ["ada", "ben"],
    );
    assert_eq!(found, CONTESTED, "by two people");
}
