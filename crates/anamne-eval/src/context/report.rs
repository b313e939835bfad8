//! The curve of each set: share of the evidence in blocks, by token budget.

use std::collections::BTreeMap;
use std::fmt::Write;

use serde_json::{Map, Value, json};

use super::runs::{Block, Outcome};
use crate::latencies::Latencies;
use crate::sets::{self, Sets, by_category};

const RUNS: [&str; 3] = ["anamne", "rrf", "newest"];

/// The budget to which the floor applies.
const JUDGED: usize = 1_500;

/// All measured outcomes.
pub(crate) struct Report {
    budgets: Vec<usize>,
    sets: Sets<Outcome>,
}

impl Report {
    pub(crate) fn new(budgets: &[usize]) -> Self {
        Self {
            budgets: budgets.to_vec(),
            sets: Sets::new(),
        }
    }

    /// Adds the outcomes of one corpus, if any.
    pub(crate) fn add(&mut self, set: &str, outcomes: Vec<Outcome>) {
        if !outcomes.is_empty() {
            sets::add(&mut self.sets, set, outcomes);
        }
    }

    /// The sets for which the engine's blocks of [`JUDGED`] tokens are below `floor`.
    pub(crate) fn sets_below(&self, floor: Option<f64>) -> Vec<String> {
        sets::below(&self.sets, floor, |outcomes| {
            let all: Vec<_> = outcomes.iter().collect();
            let figures = figures(&all, RUNS[0], JUDGED);
            figures.get("all_held").copied().unwrap_or(0.0)
        })
    }

    /// `{set: {category: {run: {budget: {metric: value}}}}}`, the category `ALL` first.
    pub(crate) fn json(&self) -> String {
        let mut sets = Map::new();
        for (set, outcomes) in &self.sets {
            let mut of_set = Map::new();
            for (category, outcomes) in categories(outcomes) {
                let mut runs = Map::new();
                for run in RUNS {
                    let curve: Map<String, Value> = self
                        .budgets
                        .iter()
                        .map(|budget| {
                            let figures = figures(&outcomes, run, *budget);
                            (budget.to_string(), json!(figures))
                        })
                        .collect();
                    runs.insert(run.to_owned(), Value::Object(curve));
                }
                of_set.insert(category.to_owned(), Value::Object(runs));
            }
            sets.insert(set.clone(), Value::Object(of_set));
        }
        format!("{:#}", Value::Object(sets))
    }

    /// One table per set.
    pub(crate) fn tables(&self) -> String {
        let mut text = String::new();
        for (set, outcomes) in &self.sets {
            let _ = writeln!(
                text,
                "\n{set}: share of questions all of whose evidence is in the block; mean share of the evidence"
            );
            let _ = write!(text, "{:<26}{:<14}{:>5}", "category", "run", "n");
            for budget in &self.budgets {
                let _ = write!(text, "{budget:>15}");
            }
            text.push('\n');
            for (category, outcomes) in categories(outcomes) {
                for run in RUNS {
                    self.row(
                        &mut text,
                        category,
                        &outcomes,
                        run,
                        ["all_held", "share_held"],
                        run,
                    );
                    if run == RUNS[0] {
                        let metrics = ["all_whole", "share_whole"];
                        self.row(
                            &mut text,
                            category,
                            &outcomes,
                            run,
                            metrics,
                            "anamne, whole",
                        );
                    }
                }
            }
            let all: Vec<_> = outcomes.iter().collect();
            let _ = write!(text, "{:<45}", "milliseconds p50 / p95");
            for budget in &self.budgets {
                let figures = figures(&all, RUNS[0], *budget);
                let of = |metric: &str| figures.get(metric).copied().unwrap_or(f64::NAN);
                let _ = write!(
                    text,
                    "{:>7.2} /{:>6.2}",
                    of("latency_p50_ms"),
                    of("latency_p95_ms")
                );
            }
            text.push('\n');
        }
        text
    }

    fn row(
        &self,
        text: &mut String,
        category: &str,
        outcomes: &[&Outcome],
        run: &str,
        metrics: [&str; 2],
        label: &str,
    ) {
        let _ = write!(text, "{category:<26}{label:<14}{:>5}", outcomes.len());
        for budget in &self.budgets {
            let figures = figures(outcomes, run, *budget);
            let of = |metric: &str| figures.get(metric).copied().unwrap_or(f64::NAN);
            let _ = write!(text, "{:>8.3} {:>6.3}", of(metrics[0]), of(metrics[1]));
        }
        text.push('\n');
    }
}

fn categories(outcomes: &[Outcome]) -> Vec<(&str, Vec<&Outcome>)> {
    by_category(outcomes.iter().collect(), |outcome| {
        outcome.category.as_str()
    })
}

fn figures(outcomes: &[&Outcome], run: &str, budget: usize) -> BTreeMap<&'static str, f64> {
    let blocks: Vec<&Block> = outcomes
        .iter()
        .flat_map(|outcome| &outcome.blocks)
        .filter(|block| block.run == run && block.budget == budget)
        .collect();
    if blocks.is_empty() {
        return BTreeMap::new();
    }
    let mean = |value: &dyn Fn(&Block) -> f64| {
        blocks.iter().map(|block| value(block)).sum::<f64>() / blocks.len() as f64
    };
    let is_all = |share: f64| f64::from(u8::from(share >= 1.0));
    let mut figures = BTreeMap::from([
        ("all_held", mean(&|block| is_all(block.share))),
        ("all_whole", mean(&|block| is_all(block.share_whole))),
        ("share_held", mean(&|block| block.share)),
        ("share_whole", mean(&|block| block.share_whole)),
        ("tokens", mean(&|block| block.tokens as f64)),
        ("questions", blocks.len() as f64),
    ]);
    let times: Latencies = blocks
        .iter()
        .filter_map(|block| block.milliseconds)
        .collect();
    if !times.is_empty() {
        figures.insert("latency_p50_ms", times.p50());
        figures.insert("latency_p95_ms", times.p95());
    }
    figures
}
