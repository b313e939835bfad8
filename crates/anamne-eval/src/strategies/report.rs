//! What is printed.

use std::collections::{BTreeMap, BTreeSet};

use anamne_experience::strategies::{Learned, Strategy};

use super::figures::{Figures, Outcomes};
use super::learning::{Told, apply, in_hindsight, in_order, learn};
use super::recorded::Question;
use super::replay::MOST_SEARCHES;
use crate::output::line;

/// Number of orders in which the questions are learned from.
const ORDERS: u64 = 5;

/// Learns from the questions of every other conversation, and prints the figures of the rest.
pub(crate) fn print(questions: &[Question]) {
    let (learned_from, measured) = halves(questions);
    line(&format!(
        "{} questions learned from, {} measured, {} strategies, {ORDERS} orders",
        learned_from.len(),
        measured.len(),
        Strategy::ALL.len(),
    ));
    line(
        "evidence among five results of a search, at most four searches; intervals: 95 %, by conversation\n",
    );
    let default = in_order(&measured, &[0]);
    let paging = in_order(&measured, &[0; MOST_SEARCHES]);
    let order: Vec<usize> = (0..MOST_SEARCHES).collect();
    print_strategies(&measured);
    row("default, one search", &default, &paging);
    row(
        "best strategy in hindsight",
        &in_hindsight(&measured),
        &paging,
    );
    for pages in 2..MOST_SEARCHES {
        let title = format!("default, {pages} pages");
        row(&title, &in_order(&measured, &vec![0; pages]), &paging);
    }
    row("default, 4 pages", &paging, &paging);
    row("fixed order", &in_order(&measured, &order), &paging);
    let learned = learned(&learned_from, Told::Truth);
    let told = applied(&measured, &learned);
    row("learned", &told, &paging);
    let shuffled = self::learned(&learned_from, Told::Shuffled);
    row(
        "learned, feedback shuffled",
        &applied(&measured, &shuffled),
        &paging,
    );
    print_sets(&told, &default, &paging);
    print_other_sets(&learned_from, &measured);
    print_cost_of_learning(&learned_from);
}

/// Every other conversation of a set, in the order of their names, and the rest.
fn halves(questions: &[Question]) -> (Vec<&Question>, Vec<&Question>) {
    let mut conversations: BTreeMap<&str, BTreeSet<&str>> = BTreeMap::new();
    for question in questions {
        let of_set = conversations.entry(&question.set).or_default();
        of_set.insert(&question.corpus);
    }
    let number = |question: &&Question| {
        let mut known = conversations[question.set.as_str()].iter();
        known.position(|name| *name == question.corpus)
    };
    let counted = questions.iter().filter(|question| question.counts);
    counted.partition(|question| number(question).is_some_and(|number| number % 2 == 0))
}

fn learned(questions: &[&Question], told: Told) -> Vec<Learned> {
    let seeds = 0..ORDERS;
    seeds
        .map(|seed| learn(questions, seed, told).learned)
        .collect()
}

fn applied(questions: &[&Question], learned: &[Learned]) -> Outcomes {
    let mut outcomes = Outcomes::default();
    for learned in learned {
        outcomes.merge(apply(questions, learned));
    }
    outcomes
}

fn row(title: &str, outcomes: &Outcomes, paging: &Outcomes) {
    let mean = outcomes.mean();
    let more = |one: &Figures, other: &Figures| one.success - other.success;
    let fewer = |one: &Figures, other: &Figures| one.until / other.until - 1.0;
    line(&format!(
        "{title:28} {}  against 4 pages: success {}, searches until success {}",
        described(&mean),
        signed(more(&mean, &paging.mean()), outcomes.interval(paging, more)),
        signed(
            fewer(&mean, &paging.mean()),
            outcomes.interval(paging, fewer)
        ),
    ));
}

fn described(mean: &Figures) -> String {
    format!(
        "success {:.3}, first search {:.3}, searches {:.2}, until success {:.2}, {:.1} ms, {:.0} tokens",
        mean.success, mean.first, mean.searches, mean.until, mean.milliseconds, mean.tokens
    )
}

fn signed(value: f64, [low, high]: [f64; 2]) -> String {
    format!(
        "{:+.1} % [{:+.1}, {:+.1}]",
        value * 100.0,
        low * 100.0,
        high * 100.0
    )
}

fn print_strategies(measured: &[&Question]) {
    for strategy in Strategy::ALL {
        let alone = in_order(measured, &[strategy.number()]).mean();
        line(&format!("  {:14} {}", strategy.name(), described(&alone)));
    }
    line("");
}

fn print_sets(learned: &Outcomes, default: &Outcomes, paging: &Outcomes) {
    line("");
    for set in learned.sets() {
        let of = |outcomes: &Outcomes| outcomes.of_set(&set).mean();
        line(&format!(
            "  {set:10} default {:.3}, 4 pages {:.3} in {:.2} searches, learned {:.3} in {:.2}",
            of(default).success,
            of(paging).success,
            of(paging).searches,
            of(learned).success,
            of(learned).searches,
        ));
    }
}

/// Learns without one set, and measures on that set.
fn print_other_sets(learned_from: &[&Question], measured: &[&Question]) {
    line("\nlearned from the other sets only");
    let sets: BTreeSet<&str> = measured.iter().map(|one| one.set.as_str()).collect();
    for set in sets {
        let mut others = learned_from.to_vec();
        others.retain(|question| question.set != set);
        let mut own = measured.to_vec();
        own.retain(|question| question.set == set);
        let outcomes = applied(&own, &learned(&others, Told::Truth));
        row(set, &outcomes, &in_order(&own, &[0; MOST_SEARCHES]));
    }
}

/// What came of the questions that were learned from, while they were.
fn print_cost_of_learning(learned_from: &[&Question]) {
    line("\nwhile learning, on the questions learned from");
    let mut during = Outcomes::default();
    for seed in 0..ORDERS {
        during.merge(learn(learned_from, seed, Told::Truth).outcomes);
    }
    let paging = in_order(learned_from, &[0; MOST_SEARCHES]);
    row("default, 4 pages", &paging, &paging);
    row("learning", &during, &paging);
}
