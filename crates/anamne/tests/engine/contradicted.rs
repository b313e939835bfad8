//! What contradictions say about a claim, an earlier time, and what the graph ended.

use std::path::Path;

use anamne::{ConflictKind, ConsistencyRequest, Draft, Options, Recall, Space, Store};

fn space(folder: &Path) -> Space {
    let store = Store::open_with(Options::new(folder).background(false)).expect("a store");
    store.space("tests").expect("a space")
}

/// Stores these texts, a month apart each from March 2026 on, and extracts them.
fn told_by_month(space: &Space, texts: &[&str]) -> Vec<anamne::MemoryId> {
    let ids = (3..).zip(texts).map(|(month, text)| {
        let at: jiff::Timestamp = format!("2026-{month:02}-01T10:00:00Z")
            .parse()
            .expect("an instant");
        space
            .remember(Draft::new(*text).occurred_at(at))
            .expect("told")
            .id
    });
    let ids = ids.collect();
    space.extract(&mut |_| true).expect("extracted");
    ids
}

#[test]
fn a_claim_outdates_nothing_and_is_compared_with_what_holds() {
    let folder = tempfile::tempdir().expect("a folder");
    let space = space(folder.path());
    let stored = told_by_month(
        &space,
        &[
            "The session timeout is 15 minutes.",
            "The session timeout was raised to 45 minutes.",
        ],
    );
    for claim in [
        "The session timeout is 15 minutes.",
        "The session timeout is 90 minutes.",
        "The session timeout was raised to 90 minutes.",
    ] {
        let report = space.check_claim(claim, 10).expect("checked");
        let against: Vec<_> = report
            .contradictions
            .iter()
            .map(|found| {
                let contradiction = &found.contradiction;
                assert_eq!(contradiction.later.evidence.citation, "claim");
                (
                    contradiction.earlier.evidence.memory,
                    contradiction.kind,
                    found.holds,
                )
            })
            .collect();
        assert_eq!(
            against,
            [(stored[1], ConflictKind::Contested, None)],
            "{claim}"
        );
    }
    for claim in [
        "The session timeout is 45 minutes.",
        "The session timeout was raised to 45 minutes.",
    ] {
        let report = space.check_claim(claim, 10).expect("checked");
        assert!(report.is_consistent(), "{claim}: {report:?}");
    }
}

#[test]
fn a_claim_that_was_ended_is_contradicted() {
    let folder = tempfile::tempdir().expect("a folder");
    let space = space(folder.path());
    let stored = told_by_month(&space, &["I use Trello.", "I no longer use Trello."]);
    let report = space.check_claim("I use Trello.", 10).expect("checked");
    let against: Vec<_> = report
        .contradictions
        .iter()
        .map(|found| found.contradiction.earlier.evidence.memory)
        .collect();
    assert_eq!(against, [stored[1]]);
}

#[test]
fn at_an_earlier_time_only_what_held_then_is_found() {
    let folder = tempfile::tempdir().expect("a folder");
    let space = space(folder.path());
    let stored = told_by_month(
        &space,
        &[
            "Ember has 40 licences.",
            "Ember has 60 licences now.",
            "Ember has 55 licences now.",
        ],
    );
    for (month, expected) in [(3, stored[0]), (4, stored[1]), (5, stored[2])] {
        let mut recall = Recall::new("how many licences does Ember have?");
        recall.as_of.held = Some(
            format!("2026-{month:02}-15T10:00:00Z")
                .parse()
                .expect("an instant"),
        );
        let answer = space.recall(&recall).expect("recalled");
        let found: Vec<_> = answer.results.iter().map(|hit| hit.memory.id).collect();
        assert_eq!(found, [expected], "in month {month}");
        let disputes = &answer.results[0].disputes;
        assert!(
            disputes.iter().all(|dispute| dispute.holds == Some(true)),
            "{disputes:?}"
        );
    }
}

#[test]
fn what_the_graph_ends_is_outdated_everywhere() {
    let folder = tempfile::tempdir().expect("a folder");
    let space = space(folder.path());
    let stored = told_by_month(
        &space,
        &["Nora works at Siemens.", "Nora now works at Bosch."],
    );
    let answer = space
        .recall(&Recall::new("where does Nora work?"))
        .expect("recalled");
    let found: Vec<_> = answer
        .results
        .iter()
        .map(|hit| {
            (
                hit.memory.id,
                hit.disputes.first().and_then(|one| one.holds),
            )
        })
        .collect();
    assert_eq!(found, [(stored[1], Some(true)), (stored[0], Some(false))]);
    let report = space
        .check_consistency(&ConsistencyRequest {
            memories: stored.clone(),
            topic: None,
            limit: 10,
        })
        .expect("checked");
    let holding: Vec<_> = report.contradictions.iter().map(|one| one.holds).collect();
    assert_eq!(holding, [Some(stored[1])]);
    let claim = space
        .check_claim("Nora works at Siemens.", 10)
        .expect("checked");
    assert_eq!(claim.contradictions.len(), 1, "{claim:?}");
}
