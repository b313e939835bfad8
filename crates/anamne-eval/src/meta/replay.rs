//! Replays the query log.

use std::fmt::Write as _;
use std::time::Instant;

use anamne::{Plan, Recall, Work};

use super::log::{LoggedQuestion, QuestionSort};
use super::material::AgedStore;
use crate::failure::Failure;
use crate::latencies::Latencies;

/// Number of questions after which the learned state is saved, as the background does.
const SETTLED_AFTER: usize = 500;

/// The outcome of one question.
pub(super) struct QuestionOutcome {
    /// The share of its answers among the first ten results; the denominator is at most ten.
    recall: f64,
    work: Work,
    milliseconds: f64,
    pub(super) plan: Plan,
}

/// The outcomes of all questions.
pub(super) struct Replay {
    pub(super) went: Vec<QuestionOutcome>,
}

impl Replay {
    pub(super) fn run(
        store: &AgedStore,
        log: &[LoggedQuestion],
        planning: bool,
    ) -> Result<Self, Failure> {
        store.space.forget_meta()?;
        let mut went = Vec::with_capacity(log.len());
        for (number, asked) in log.iter().enumerate() {
            let recall = Recall {
                planning,
                explain_plan: true,
                ..asked.recall.clone()
            };
            let started = Instant::now();
            let answer = store.space.recall(&recall)?;
            let milliseconds = started.elapsed().as_secs_f64() * 1_000.0;
            let first = answer.results.iter().take(10);
            let found = first
                .filter_map(|hit| store.numbers.get(&hit.memory.id))
                .filter(|number| asked.answers.contains(number))
                .count();
            let plan = answer
                .plan
                .ok_or_else(|| format!("no plan for {:?}", recall.query))?;
            went.push(QuestionOutcome {
                recall: found as f64 / asked.answers.len().clamp(1, 10) as f64,
                work: plan.work,
                milliseconds,
                plan,
            });
            if number % SETTLED_AFTER == SETTLED_AFTER - 1 {
                store.space.settle(&mut |_, _| {})?;
            }
        }
        Ok(Self { went })
    }
}

/// Means over a group of questions.
#[derive(Default)]
struct Means {
    questions: f64,
    answerable: f64,
    recall: f64,
    tiers: f64,
    rows: f64,
    bytes: f64,
    milliseconds: Latencies,
}

impl Means {
    fn of<'a>(went: impl Iterator<Item = (&'a LoggedQuestion, &'a QuestionOutcome)>) -> Self {
        let mut means = Self::default();
        for (asked, went) in went {
            means.questions += 1.0;
            if !asked.answers.is_empty() {
                means.answerable += 1.0;
                means.recall += went.recall;
            }
            means.tiers += f64::from(went.work.tiers);
            means.rows += went.work.rows as f64;
            means.bytes += went.work.bytes as f64;
            means.milliseconds.note(went.milliseconds);
        }
        means
    }

    fn recall(&self) -> f64 {
        self.recall / self.answerable.max(1.0)
    }
}

/// The figures of both replays side by side: all questions, the second half, each sort.
pub(super) fn table(log: &[LoggedQuestion], off: &Replay, on: &Replay) -> String {
    let mut text = format!(
        "{:<12} {:>5}  {:>7} {:>7}  {:>6} {:>6}  {:>9} {:>9} {:>6}  {:>9} {:>9} {:>6}  {:>6} {:>6}  {:>6} {:>6}\n",
        "questions",
        "",
        "R@10",
        "planned",
        "tiers",
        "plan",
        "rows",
        "planned",
        "saved",
        "KiB",
        "planned",
        "saved",
        "p50",
        "plan",
        "p95",
        "plan",
    );
    let mut add = |name: &str, kept: &dyn Fn(usize, &LoggedQuestion) -> bool| {
        let means = |replay: &'_ Replay| {
            let pairs = log.iter().zip(&replay.went).enumerate();
            Means::of(
                pairs
                    .filter(|(place, (asked, _))| kept(*place, asked))
                    .map(|(_, pair)| pair),
            )
        };
        let (off, on) = (means(off), means(on));
        let count = off.questions.max(1.0);
        let saved = |off: f64, on: f64| 100.0 * (1.0 - on / off.max(1.0));
        let _ = writeln!(
            text,
            "{name:<12} {:>5}  {:>7.4} {:>7.4}  {:>6.2} {:>6.2}  {:>9.0} {:>9.0} {:>5.1}%  {:>9.0} {:>9.0} {:>5.1}%  {:>6.2} {:>6.2}  {:>6.2} {:>6.2}",
            off.questions,
            off.recall(),
            on.recall(),
            off.tiers / count,
            on.tiers / count,
            off.rows / count,
            on.rows / count,
            saved(off.rows, on.rows),
            off.bytes / count / 1_024.0,
            on.bytes / count / 1_024.0,
            saved(off.bytes, on.bytes),
            off.milliseconds.p50(),
            on.milliseconds.p50(),
            off.milliseconds.p95(),
            on.milliseconds.p95(),
        );
    };
    add("all", &|_, _| true);
    add("second half", &|place, _| place >= log.len() / 2);
    for sort in QuestionSort::ALL {
        add(sort.name(), &|_, asked| asked.sort == sort);
    }
    text
}

/// The questions whose answer was lost through planning, with the plan's reasons.
pub(super) fn lost(log: &[LoggedQuestion], off: &Replay, on: &Replay) -> Vec<String> {
    let both = log.iter().zip(off.went.iter().zip(&on.went));
    let lost = both.filter(|(_, (off, on))| on.recall < off.recall);
    lost.map(|(asked, (_, on))| {
        format!(
            "{}: {} — {}",
            asked.sort.name(),
            asked.recall.query,
            on.plan.reasons.join("; ")
        )
    })
    .collect()
}
