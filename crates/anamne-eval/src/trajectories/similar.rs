//! Do similar tasks predict tasks that were never run?

use super::data::RunSet;
use super::earlier::print_predictions;
use super::predictions::Prediction;
use super::told::ToldView;
use crate::failure::Failure;

/// Tasks from which the baseline predicts, and the runs of each.
const NEAREST: usize = 5;
const RUNS_OF_EACH: usize = 64;

/// Predicts the runs of each half of the tasks from those of the other half.
pub(crate) fn print(set: &RunSet) -> Result<(), Failure> {
    let mut predictions = Vec::new();
    for chosen_on in [true, false] {
        let mut told = ToldView::new()?;
        for run in set
            .runs
            .iter()
            .filter(|run| run.is_chosen_on() != chosen_on)
        {
            told.add(run, false);
        }
        told.catch_up()?;
        for run in set
            .runs
            .iter()
            .filter(|run| run.is_chosen_on() == chosen_on)
        {
            let found = told.view.run_chance(&run.goal, &run.agent, told.now())?;
            predictions.push(Prediction {
                task: &run.task_id,
                agent: &run.agent,
                chosen_on,
                success: run.success,
                ours: found.chance,
                plain: nearest_share(&told, &run.goal)?,
            });
        }
    }
    print_predictions("similar tasks", "five nearest tasks", &predictions);
    Ok(())
}

/// The share of successes of the five nearest tasks.
fn nearest_share(told: &ToldView, goal: &str) -> Result<f64, Failure> {
    let runs = told.view.similar_runs(goal, NEAREST, RUNS_OF_EACH)?;
    let successes = runs.iter().filter(|(_, run)| run.outcome.succeeded);
    Ok(successes.count() as f64 / runs.len().max(1) as f64)
}
