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
const METHODS: [&str; 6] = [
    "recoveries",
    "recoveries, agent not told",
    "recoveries, error alone",
    "nearest error",
    "nearest error, own ones first",
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
                        is_found(&told, [error, &run.goal, &run.agent], &form)?,
                        is_found(&told, [error, &run.goal, ""], &form)?,
                        is_found(&told, [error, "", ""], &form)?,
                        errors.finds(error, "", &form)?,
                        errors.finds(error, &run.agent, &form)?,
                        errors_and_goals.finds(&both(error), "", &form)?,
                    ],
                });
            }
        }
        for (error, action) in recoveries(run) {
            let form = normal::call(STEP, action);
            errors.add(error, &run.agent, &form)?;
            errors_and_goals.add(&both(error), &run.agent, &form)?;
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

fn is_found(told: &ToldView, [error, goal, agent]: [&str; 3], form: &str) -> Result<bool, Failure> {
    let found = told.view.recoveries(error, goal, agent, told.now())?;
    let first = found.iter().take(SHOWN).filter_map(|way| way.cases.first());
    Ok(first.into_iter().any(|case| case.call == form))
}

/// Texts with what was done and by whom, by their vectors.
#[derive(Default)]
struct Nearest {
    vectors: Vec<f32>,
    agents: Vec<String>,
    actions: Vec<String>,
}

const DIMENSIONS: usize = 256;

impl Nearest {
    fn add(&mut self, text: &str, agent: &str, action: &str) -> Result<(), Failure> {
        self.vectors.extend(vector(text)?);
        self.agents.push(agent.to_owned());
        self.actions.push(action.to_owned());
        Ok(())
    }

    /// Whether an action is among the first different ones of the most similar texts, those of an agent before all others; the newest
    /// first among equals.
    fn finds(&self, text: &str, agent: &str, action: &str) -> Result<bool, Failure> {
        let wanted = vector(text)?;
        let cosine = |known: &[f32]| -> f32 {
            let each = known.iter().zip(&wanted);
            each.map(|(one, other)| one * other).sum()
        };
        let known = self.vectors.chunks_exact(DIMENSIONS).map(cosine);
        let mut ranked: Vec<(f32, usize)> = known.zip(0..).collect();
        let is_own = |number: usize| self.agents[number] == agent;
        ranked.sort_by(|one, other| {
            let by_agent = is_own(other.1).cmp(&is_own(one.1));
            let by_likeness = other.0.total_cmp(&one.0);
            by_agent.then(by_likeness).then(other.1.cmp(&one.1))
        });
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
    let share = |cases: &[&Hits<'_>], method: usize| {
        let found = cases.iter().filter(|case| case.found[method]);
        found.count() as f64 / cases.len() as f64
    };
    let print = |name: &str, figure: &dyn Fn(&[&Hits<'_>]) -> f64| {
        let interval = described(&reported, |one| one.task, figure);
        let of_others = figure(&chosen_on);
        line(&format!("    {name:36} {interval} ({of_others:.3})"));
    };
    for (number, name) in METHODS.iter().enumerate() {
        print(name, &|cases| share(cases, number));
    }
    for (number, name) in METHODS.iter().enumerate().skip(1) {
        let gain = |cases: &[&Hits<'_>]| share(cases, 0) - share(cases, number);
        print(&format!("gain over {name}"), &gain);
    }
}
