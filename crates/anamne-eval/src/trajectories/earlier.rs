//! Do earlier trials of a task predict later ones?

use std::collections::HashMap;

use super::data::RunSet;
use super::figures::described;
use super::predictions::{Prediction, auroc, auroc_within_agents, calibration_error};
use super::told::ToldView;
use crate::failure::Failure;
use crate::output::line;

/// A figure of predictions.
type Figure<'figure> = &'figure dyn Fn(&[&Prediction<'_>]) -> f64;

/// Tells one run after another, and predicts each that is not the first of its task.
pub(crate) fn print(set: &RunSet) -> Result<(), Failure> {
    let mut told = ToldView::new()?;
    let mut earlier: HashMap<&str, (f64, f64)> = HashMap::new();
    let mut predictions = Vec::new();
    for run in &set.runs {
        let (successes, all) = earlier.entry(&run.task_id).or_default();
        if *all > 0.0 {
            let found = told.view.run_chance(&run.goal, &run.agent, told.now())?;
            predictions.push(Prediction {
                task: &run.task_id,
                agent: &run.agent,
                chosen_on: run.is_chosen_on(),
                success: run.success,
                ours: found.chance,
                plain: *successes / *all,
            });
        }
        *all += 1.0;
        *successes += f64::from(u8::from(run.success));
        told.add(run, false);
        told.catch_up()?;
    }
    print_predictions("earlier trials of the task", "plain share", &predictions);
    Ok(())
}

/// Prints how good predictions are, next to what they are compared with.
pub(crate) fn print_predictions(title: &str, other: &str, all: &[Prediction<'_>]) {
    let (chosen_on, reported): (Vec<_>, Vec<_>) = all.iter().partition(|one| one.chosen_on);
    line(&format!("  {title}: {} predictions", reported.len()));
    let row = |name: &str, figure: Figure<'_>| {
        let interval = described(&reported, |one| one.task, figure);
        line(&format!(
            "    {name:36} {interval} ({:.3})",
            figure(&chosen_on)
        ));
    };
    row("AUROC", &|of| auroc(of, |one| one.ours));
    row(&format!("AUROC, {other}"), &|of| auroc(of, |one| one.plain));
    row("AUROC within agents", &|of| {
        auroc_within_agents(of, |one| one.ours)
    });
    row(&format!("AUROC within agents, {other}"), &|of| {
        auroc_within_agents(of, |one| one.plain)
    });
    row("calibration error", &|of| {
        calibration_error(of, |one| one.ours)
    });
    row(&format!("calibration error, {other}"), &|of| {
        calibration_error(of, |one| one.plain)
    });
}
