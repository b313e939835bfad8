//! Metrics by set, category and run, as tables or JSON.

use std::collections::BTreeMap;
use std::fmt::Write;

use serde_json::{Map, Value, json};

use super::ablation;
use super::calibration::{auroc, calibration_error, quantile, reliability};
use super::noise;
use super::outcome::Outcome;
use crate::latencies::Latencies;
use crate::sets::{self, Sets, by_category};

const SHOWN: [&str; 10] = [
    "hit@1",
    "hit@3",
    "mrr",
    "ndcg@10",
    "recall@R",
    "recall@5",
    "recall@10",
    "recall@20",
    "session_recall@10",
    "latency_p95_ms",
];

/// All measured outcomes.
#[derive(Default)]
pub(crate) struct Report {
    sets: Sets<Outcome>,
}

impl Report {
    /// Adds the outcomes of one corpus.
    pub(crate) fn add(&mut self, set: &str, outcomes: Vec<Outcome>) {
        sets::add(&mut self.sets, set, outcomes);
    }

    /// The sets whose full recall@10 is below `floor`.
    pub(crate) fn sets_below(&self, floor: Option<f64>) -> Vec<String> {
        sets::below(&self.sets, floor, |outcomes| {
            let counted: Vec<_> = outcomes.iter().filter(|outcome| outcome.counts).collect();
            let figures = figures(&counted, "full");
            figures.get("recall@10").copied().unwrap_or(0.0)
        })
    }

    /// `{set: {category: {run: {metric: value}}}}`, the category `ALL` first.
    pub(crate) fn json(&self) -> String {
        let mut sets = Vec::new();
        for (set, outcomes) in &self.sets {
            // `serde_json::Map` sorts its keys, and capitals sort before lowercase letters, so `ALL` is first.
            let mut object: Map<String, Value> = categories(outcomes)
                .into_iter()
                .map(|(category, outcomes)| (category.to_owned(), category_json(&outcomes)))
                .collect();
            if let Some(Value::Object(all)) = object.get_mut("ALL")
                && let Some(Value::Object(full)) = all.get_mut("full")
            {
                full.extend(confidence_figures(outcomes));
                full.insert("reliability".to_owned(), diagram_json(outcomes));
                full.insert("noise".to_owned(), json!(noise::figures(outcomes)));
            }
            sets.push((set.clone(), Value::Object(object)));
        }
        format!("{:#}", Value::Object(sets.into_iter().collect()))
    }

    /// One table per set.
    pub(crate) fn tables(&self) -> String {
        let mut text = String::new();
        for (set, outcomes) in &self.sets {
            let _ = writeln!(text, "\n{set}");
            let _ = write!(text, "{:<26}{:<9}{:>5}", "category", "run", "n");
            for metric in SHOWN {
                let _ = write!(text, "{metric:>20}");
            }
            text.push('\n');
            for (category, outcomes) in categories(outcomes) {
                for run in runs(&outcomes) {
                    let figures = figures(&outcomes, &run);
                    let _ = write!(text, "{category:<26}{run:<9}{:>5}", outcomes.len());
                    for metric in SHOWN {
                        let _ = write!(text, "{:>20}", cell(figures.get(metric).copied()));
                    }
                    text.push('\n');
                }
            }
            for (metric, value) in confidence_figures(outcomes) {
                let _ = writeln!(text, "{metric}: {:.3}", value.as_f64().unwrap_or(f64::NAN));
            }
            add_diagram(&mut text, outcomes);
            text.push_str(&noise::table(outcomes));
            text.push_str(&ablation::table(outcomes));
        }
        text
    }
}

fn categories(outcomes: &[Outcome]) -> Vec<(&str, Vec<&Outcome>)> {
    let counted = outcomes.iter().filter(|outcome| outcome.counts).collect();
    by_category(counted, |outcome| outcome.category.as_str())
}

fn category_json(outcomes: &[&Outcome]) -> Value {
    let runs: Map<String, Value> = runs(outcomes)
        .into_iter()
        .map(|run| {
            let figures = json!(figures(outcomes, &run));
            (run, figures)
        })
        .collect();
    Value::Object(runs)
}

/// Formats a table cell.
fn cell(figure: Option<f64>) -> String {
    figure.map_or("-".to_owned(), |figure| format!("{figure:.3}"))
}

/// The runs of the questions, in order.
fn runs(outcomes: &[&Outcome]) -> Vec<String> {
    let rankings = outcomes.first().map(|outcome| &outcome.rankings);
    let runs = rankings.into_iter().flatten();
    runs.map(|(run, _)| run.clone()).collect()
}

/// The mean of every metric over the questions that have it, and the latency of the run.
fn figures(outcomes: &[&Outcome], run: &str) -> BTreeMap<String, f64> {
    let mut sums: BTreeMap<String, (f64, usize)> = BTreeMap::new();
    let mut times = Latencies::default();
    for outcome in outcomes {
        for (_, ranking) in outcome.rankings.iter().filter(|(name, _)| name == run) {
            times.note(ranking.milliseconds);
            for (metric, value) in &ranking.figures {
                let sum = sums.entry(metric.clone()).or_default();
                sum.0 += value;
                sum.1 += 1;
            }
        }
    }
    let mut means: BTreeMap<_, _> = sums
        .into_iter()
        .map(|(metric, (sum, n))| (metric, sum / n as f64))
        .collect();
    means.insert("questions".to_owned(), outcomes.len() as f64);
    if run != "rrf" && !times.is_empty() {
        means.insert("latency_p50_ms".to_owned(), times.p50());
        means.insert("latency_p95_ms".to_owned(), times.p95());
    }
    means
}

/// Confidence and relevance of the first ten results of each counted question.
fn judged(outcomes: &[Outcome]) -> Vec<(f32, bool)> {
    outcomes
        .iter()
        .filter(|outcome| outcome.counts)
        .flat_map(|outcome| outcome.judged.iter().copied())
        .collect()
}

/// The reliability diagram as ten entries: stated confidence, share relevant, count.
fn diagram_json(outcomes: &[Outcome]) -> Value {
    let bins = reliability(&judged(outcomes)).map(|bin| {
        json!({
            "confidence": bin.confidence(),
            "relevant": bin.share_relevant(),
            "count": bin.count,
        })
    });
    json!(bins)
}

/// Appends the reliability diagram as table lines.
fn add_diagram(text: &mut String, outcomes: &[Outcome]) {
    let _ = writeln!(
        text,
        "{:<13}{:>12}{:>12}{:>9}",
        "reliability", "confidence", "relevant", "results"
    );
    for (tenth, bin) in reliability(&judged(outcomes)).iter().enumerate() {
        let from = tenth as f64 / 10.0;
        let _ = write!(text, "{from:.1} to {:.1}   ", from + 0.1);
        let (confidence, relevant) = (cell(bin.confidence()), cell(bin.share_relevant()));
        let _ = writeln!(text, "{confidence:>12}{relevant:>12}{:>9}", bin.count);
    }
}

/// Calibration of the first ten results, and how well the answer's and the best result's confidence separate answerable
/// questions from unanswerable ones of the conversation and from those of other sets.
fn confidence_figures(outcomes: &[Outcome]) -> Map<String, Value> {
    let of = |figure: fn(&Outcome) -> f32, answerable: bool, foreign: bool| -> Vec<f32> {
        outcomes
            .iter()
            .filter(|outcome| (outcome.answerable, outcome.foreign) == (answerable, foreign))
            .map(figure)
            .collect()
    };
    let apart = |figure: fn(&Outcome) -> f32, foreign: bool| {
        auroc(&of(figure, true, false), &of(figure, false, foreign))
    };
    let answered: fn(&Outcome) -> f32 = |outcome| outcome.answered;
    let best: fn(&Outcome) -> f32 = |outcome| outcome.best_confidence;
    let figures = [
        ("calibration_error", calibration_error(&judged(outcomes))),
        ("abstention_auroc", apart(answered, false)),
        ("first_result_abstention_auroc", apart(best, false)),
        ("foreign_auroc", apart(answered, true)),
        ("first_result_foreign_auroc", apart(best, true)),
        (
            "foreign_confidence_p95",
            quantile(&of(best, false, true), 0.95).map(f64::from),
        ),
    ];
    figures
        .into_iter()
        .filter_map(|(name, value)| Some((name.to_owned(), json!(value?))))
        .collect()
}
