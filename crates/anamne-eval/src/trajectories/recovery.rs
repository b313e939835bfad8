//! After an error: is what helped among three ways to go on?

use anamne_embed::{Embedder, StaticModel};
use anamne_experience::normal;

use super::data::{Run, RunSet};
use super::figures::described;
use super::told::{STEP, ToldView};
use crate::failure::Failure;
use crate::output::line;

/// Ways to go on that are looked at.
const SHOWN: usize = 3;

/// How ways to go on are found.
const METHODS: [&str; 4] = [
    "recoveries",
    "recoveries, goal not told",
    "nearest error",
    "nearest error and goal",
];

/// An error, and whether the first valid action after it was found by each method.
struct Hits<'run> {
    task: &'run str,
    chosen_on: bool,
    /// By the number of the method in [`METHODS`].
    found: [bool; METHODS.len()],
}

/// Tells one run after another; asks after each error of a run that succeeds and goes on.
pub(crate) fn print(set: &RunSet) -> Result<(), Failure> {
    let mut told = ToldView::new()?;
    let (mut errors, mut errors_and_goals) = (Nearest::default(), Nearest::default());
    let mut all = Vec::new();
    for run in &set.runs {
        let both = |error: &str| format!("{}\n{error}", run.goal);
        for (error, action) in recoveries(run) {
            let form = normal::call(STEP, action);
            if run.success && run.trial > 0 {
                all.push(Hits {
                    task: &run.task_id,
                    chosen_on: run.is_chosen_on(),
                    found: [
                        is_found(&told, error, &run.goal, &form)?,
                        is_found(&told, error, "", &form)?,
                        errors.finds(error, &form)?,
                        errors_and_goals.finds(&both(error), &form)?,
                    ],
                });
            }
        }
        for (error, action) in recoveries(run) {
            let form = normal::call(STEP, action);
            errors.add(error, &form)?;
            errors_and_goals.add(&both(error), &form)?;
        }
        told.add(run, true);
        told.catch_up()?;
    }
    print_shares(&all);
    Ok(())
}

/// Each error with the first valid action after it.
pub(super) fn recoveries(run: &Run) -> Vec<(&str, &str)> {
    let steps: Vec<_> = run.steps().collect();
    let failed = steps.iter().enumerate();
    let recovered = failed.filter_map(|(number, step)| {
        let next = steps[number..].iter().find(|next| next.error.is_none())?;
        Some((step.error?, next.action))
    });
    recovered.collect()
}

fn is_found(told: &ToldView, error: &str, goal: &str, form: &str) -> Result<bool, Failure> {
    let found = told.view.recoveries(error, goal, told.now())?;
    let first = found.iter().take(SHOWN).filter_map(|way| way.cases.first());
    Ok(first.into_iter().any(|case| case.call == form))
}

/// Texts with what was done, by their vectors.
#[derive(Default)]
struct Nearest {
    vectors: Vec<f32>,
    actions: Vec<String>,
}

const DIMENSIONS: usize = 256;

impl Nearest {
    fn add(&mut self, text: &str, action: &str) -> Result<(), Failure> {
        self.vectors.extend(vector(text)?);
        self.actions.push(action.to_owned());
        Ok(())
    }

    /// Whether an action is among the first different ones of the most similar texts; the newest first among equals.
    fn finds(&self, text: &str, action: &str) -> Result<bool, Failure> {
        let wanted = vector(text)?;
        let cosine = |known: &[f32]| -> f32 {
            let each = known.iter().zip(&wanted);
            each.map(|(one, other)| one * other).sum()
        };
        let known = self.vectors.chunks_exact(DIMENSIONS).map(cosine);
        let mut ranked: Vec<(f32, usize)> = known.zip(0..).collect();
        ranked.sort_by(|one, other| other.0.total_cmp(&one.0).then(other.1.cmp(&one.1)));
        let mut shown: Vec<&str> = Vec::new();
        for (_, number) in ranked {
            if !shown.contains(&self.actions[number].as_str()) {
                shown.push(&self.actions[number]);
            }
            if shown.len() == SHOWN {
                break;
            }
        }
        Ok(shown.contains(&action))
    }
}

fn vector(text: &str) -> Result<[f32; DIMENSIONS], Failure> {
    let mut vector = [0.0; DIMENSIONS];
    StaticModel::builtin().embed_into(text, &mut vector)?;
    Ok(vector)
}

fn print_shares(all: &[Hits<'_>]) {
    let (chosen_on, reported): (Vec<_>, Vec<_>) = all.iter().partition(|one| one.chosen_on);
    line(&format!(
        "  first valid action after an error among {SHOWN}: {} errors",
        reported.len()
    ));
    for (number, name) in METHODS.iter().enumerate() {
        let mean = |cases: &[&Hits<'_>]| {
            let found = cases.iter().filter(|case| case.found[number]);
            found.count() as f64 / cases.len() as f64
        };
        let interval = described(&reported, |one| one.task, mean);
        line(&format!(
            "    {name:36} {interval} ({:.3})",
            mean(&chosen_on)
        ));
    }
}
