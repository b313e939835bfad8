//! Proposals for similar memories, and insights from memories that agree.

use anamne_knowledge::consolidation::{Plan, Proposal, ProposalKind, insights, plan};
use anamne_types::{Body, Category, Memory, MemoryId};
use proptest::prelude::*;

use super::twin::{Log, message, numbers};

fn fact(at: &str, text: &str) -> Memory {
    let mut memory = message("", 0, "ana", at, text);
    memory.thread = None;
    memory.position = None;
    memory.body = Body::Fact { category: None };
    memory
}

fn stored(memories: Vec<Memory>) -> Vec<Memory> {
    let mut log = Log::default();
    let ids: Vec<MemoryId> = memories.into_iter().map(|memory| log.add(memory)).collect();
    ids.iter()
        .map(|id| log.live(*id).expect("just told").clone())
        .collect()
}

fn only(plan: &Plan) -> Option<&Proposal> {
    assert!(plan.proposals.len() < 2, "{plan:?}");
    plan.proposals.first()
}

fn beginning(text: &str) -> String {
    text.chars().take(80).collect()
}

/// Checks the proposal for two facts, and that the order of the input doesn't matter.
fn check(earlier: &str, later: &str, expected: Option<ProposalKind>) {
    let mut pair = stored(vec![
        fact("2024-03-01T00:00:00Z", earlier),
        fact("2024-03-05T00:00:00Z", later),
    ]);
    let found = plan(&pair);
    assert_eq!(
        only(&found).map(|proposal| proposal.kind),
        expected,
        "{:?} and {:?}: {found:?}",
        beginning(earlier),
        beginning(later)
    );
    if let Some(proposal) = only(&found) {
        assert!((0.0..=1.0).contains(&proposal.confidence) && !proposal.reason.is_empty());
        assert_eq!(proposal.audit.len(), proposal.losers.len());
        if proposal.kind == ProposalKind::Superseded {
            assert_eq!(proposal.winner, pair[1].id);
        }
    }
    pair.reverse();
    assert_eq!(plan(&pair), found);
}

#[test]
fn facts_that_differ_only_in_form_are_merged() {
    for (a, b) in [
        (
            "The staging server runs on port 8080.",
            "the staging server runs on port 8080",
        ),
        ("We don't deploy on Fridays", "We do not deploy on Fridays!"),
        (
            "The kiln can't exceed 1240 degrees.",
            "the kiln cannot exceed 1240 degrees",
        ),
        (
            "Invoices go to the Basel office",
            "Invoices just go to the Basel office.",
        ),
    ] {
        check(a, b, Some(ProposalKind::Merged));
    }
}

#[test]
fn a_later_fact_that_contains_an_earlier_one_supersedes_it() {
    for (a, b) in [
        (
            "The staging server runs on port 8080",
            "The staging server runs on port 8080, behind the proxy of the lab.",
        ),
        (
            "Backups are written to the tape robot",
            "Backups are written to the tape robot at 02:30 after the last sync.",
        ),
    ] {
        check(a, b, Some(ProposalKind::Superseded));
    }
}

#[test]
fn facts_that_differ_materially_are_kept() {
    for (a, b) in [
        (
            "The staging server runs on port 8080",
            "The staging server runs on port 8081",
        ),
        ("We deploy on Fridays", "We don't deploy on Fridays"),
        (
            "The kiln is serviced by Hannes",
            "The kiln is serviced by Moritz",
        ),
        (
            "The review is on Monday at the depot",
            "The review is on Tuesday at the depot",
        ),
        (
            "Team blue beats team green at chess",
            "Team green beats team blue at chess",
        ),
        (
            "The gauge reads in centimetres",
            "The gauge reads in centimetres unless it was reset.",
        ),
        (
            "The server runs on port 8080",
            "The backup of the server runs on port 8080",
        ),
        ("Ines likes the dog", "Ines likes the dog food"),
        (
            "Deploys happen on Fridays",
            "Deploys to production happen on Fridays at noon",
        ),
        (
            "Backups are written to the tape robot, at 02:30",
            "Backups are written to the tape robot",
        ),
    ] {
        check(a, b, Some(ProposalKind::Kept));
    }
}

#[test]
fn unrelated_facts_get_no_proposal() {
    for (a, b) in [
        (
            "The kiln is serviced in May",
            "Invoices go to the Basel office",
        ),
        ("", "Invoices go to the Basel office"),
        ("yes", "yes"),
        ("🦀", "🦀"),
    ] {
        check(a, b, None);
    }
}

#[test]
fn statements_of_two_people_about_themselves_are_kept() {
    let mut other = fact("2024-03-05T00:00:00Z", "I prefer green tea in the morning");
    other.author = Some("ben".to_owned());
    let pair = stored(vec![
        fact("2024-03-01T00:00:00Z", "I prefer green tea in the morning"),
        other,
    ]);
    assert_eq!(
        only(&plan(&pair)).map(|proposal| proposal.kind),
        Some(ProposalKind::Kept)
    );
}

#[test]
fn messages_and_other_categories_are_never_merged() {
    let text = "The staging server runs on port 8080";
    let said = |position| message("chat", position, "ana", "2024-03-01T00:00:00Z", text);
    assert_eq!(plan(&stored(vec![said(0), said(1)])).proposals, []);
    let mut setting = fact("2024-03-02T00:00:00Z", text);
    setting.body = Body::Fact {
        category: Some(Category::Configuration),
    };
    assert_eq!(
        plan(&stored(vec![fact("2024-03-01T00:00:00Z", text), setting])).proposals,
        []
    );
    let mut gone = fact("2024-03-02T00:00:00Z", text);
    gone.superseded_by = Some(MemoryId::from_bytes([9; 16]));
    assert_eq!(
        plan(&stored(vec![fact("2024-03-01T00:00:00Z", text), gone])).proposals,
        []
    );
}

#[test]
fn a_merge_keeps_the_one_that_matters_most_and_names_every_other_once() {
    let text = "The staging server runs on port 8080";
    let mut all: Vec<Memory> = (0..40)
        .map(|_| fact("2024-03-01T00:00:00Z", text))
        .collect();
    all[17].importance = 9;
    let all = stored(all);
    let found = plan(&all);
    let proposal = only(&found).expect("one proposal");
    assert_eq!(proposal.winner, all[17].id);
    assert_eq!(proposal.losers.len(), 39);
    assert!(found.pairs <= 40 * 12 * 16);
}

#[test]
fn work_is_bounded_for_similar_facts() {
    let many: Vec<Memory> = (0..2_000)
        .map(|number| {
            fact(
                "2024-03-01T00:00:00Z",
                &format!("Crate {number} stands in the hall of the depot"),
            )
        })
        .collect();
    let found = plan(&stored(many));
    assert!(found.pairs <= 2_000 * 12 * 16, "{}", found.pairs);
    assert!(
        found
            .proposals
            .iter()
            .all(|proposal| proposal.kind == ProposalKind::Kept)
    );
}

#[test]
fn huge_facts_are_compared_like_others() {
    let numbers = numbers(5_000);
    check(&numbers, &numbers, Some(ProposalKind::Merged));
    check(
        &numbers,
        &numbers.replace(" 2000 ", " 2001 "),
        Some(ProposalKind::Kept),
    );
    check(&"x".repeat(100_000), &"x".repeat(100_000), None);
}

#[test]
fn a_statement_on_several_days_becomes_an_insight() {
    let lines = [
        (
            "2024-03-01T08:00:00Z",
            "The harbour crane jams whenever it rains.",
        ),
        (
            "2024-03-04T08:00:00Z",
            "Hey! The harbour crane jams again when it rains.",
        ),
        (
            "2024-03-09T08:00:00Z",
            "When it rains the harbour crane jams.",
        ),
        ("2024-03-09T09:00:00Z", "Lunch is at noon in the canteen."),
        (
            "2024-03-10T09:00:00Z",
            "The harbour crane doesn't jam when it rains.",
        ),
    ];
    let said = |count: usize| {
        stored(
            lines[..count]
                .iter()
                .enumerate()
                .map(|(at, (when, text))| message("log", at as u32, "ana", when, text))
                .collect(),
        )
    };
    assert_eq!(insights(&said(2)), []);
    let memories = said(5);
    let mut found = insights(&memories);
    assert_eq!(found.len(), 1, "{found:?}");
    let insight = found.remove(0);
    assert!(
        insight
            .text
            .starts_with("ana said 3 times between 2024-03-01 and 2024-03-09: \""),
        "{}",
        insight.text
    );
    assert_eq!(
        insight.sources,
        [memories[0].id, memories[1].id, memories[2].id]
    );
    assert!(
        lines[..3]
            .iter()
            .any(|line| line.1.ends_with(&insight.sentence)),
        "{}",
        insight.sentence
    );
    assert_eq!(insight.days, 3);
    let mut turned = memories.clone();
    turned.reverse();
    assert_eq!(insights(&turned), [insight]);
}

#[test]
fn one_day_is_not_enough_for_an_insight() {
    let all = (0..4)
        .map(|at| {
            message(
                "log",
                at,
                "ana",
                "2024-03-01T08:00:00Z",
                "The harbour crane jams whenever it rains.",
            )
        })
        .collect();
    assert_eq!(insights(&stored(all)), []);
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn any_memories_give_a_plan_that_their_order_does_not_change(
        texts in prop::collection::vec(
            "((the|no|not|is|Graz|port|8080|runs|on|server|but|at)[ ,.]){0,9}|\\PC{0,40}", 0..12
        ),
        turn in 0usize..12,
    ) {
        let mut memories = stored(texts.iter().map(|text| fact("2024-03-01T00:00:00Z", text)).collect());
        let found = plan(&memories);
        let mut losers: Vec<MemoryId> = found
            .proposals
            .iter()
            .filter(|proposal| proposal.kind != ProposalKind::Kept)
            .flat_map(|proposal| proposal.losers.clone())
            .collect();
        let before = losers.len();
        losers.sort_unstable();
        losers.dedup();
        prop_assert_eq!(losers.len(), before);
        for proposal in &found.proposals {
            prop_assert!(!losers.contains(&proposal.winner));
        }
        let drawn = insights(&memories);
        if !memories.is_empty() {
            let turn = turn % memories.len();
            memories.rotate_left(turn);
        }
        prop_assert_eq!(plan(&memories), found);
        prop_assert_eq!(insights(&memories), drawn);
    }
}
