//! How fast outcomes are folded, and the size of the file.

use std::time::Instant;

use anamne_experience::ExperienceView;
use anamne_types::ActionOutcome;

use super::log::Log;
use crate::chance::Chance;
use crate::failure::Failure;
use crate::output::line;
use crate::store;

/// Outcomes of a run.
const RUN: u32 = 10;

/// Outcomes that are told at once.
const TOLD: u32 = 8_192;

/// Of a hundred steps, those that fail.
const FAILING: usize = 25;

/// Folds generated outcomes, and prints the speed and the size.
pub(crate) fn measure(outcomes: u32) -> Result<(), Failure> {
    let folder = store::temporary_folder(None)?;
    let path = folder.path().join("experience.db");
    let view = ExperienceView::at(&path);
    let mut log = Log::default();
    let mut chance = Chance::new(41);
    let mut seconds = 0.0;
    for number in 0..outcomes {
        log.add(
            &format!("agent {}", number / RUN % 8),
            outcome(number, &mut chance),
        );
        if (number + 1) % TOLD == 0 || number + 1 == outcomes {
            let started = Instant::now();
            view.catch_up(&log, &mut |_| true)?;
            seconds += started.elapsed().as_secs_f64();
            log.told();
        }
    }
    drop(view);
    let bytes = std::fs::metadata(&path)?.len();
    line(&format!(
        "{outcomes} outcomes: {:.0} folded per second, {:.1} MB, {:.0} bytes each",
        f64::from(outcomes) / seconds,
        bytes as f64 / 1e6,
        bytes as f64 / f64::from(outcomes),
    ));
    Ok(())
}

/// Steps of runs of ten; the last is the outcome of the run.
fn outcome(number: u32, chance: &mut Chance) -> ActionOutcome {
    let run = number / RUN;
    let succeeded = chance.below(100) >= FAILING;
    let common = ActionOutcome {
        run: format!("run-{run}"),
        succeeded,
        ..ActionOutcome::default()
    };
    if number % RUN == RUN - 1 {
        return ActionOutcome {
            action: ActionOutcome::TASK.to_owned(),
            goal: goal(chance),
            ends_run: true,
            ..common
        };
    }
    ActionOutcome {
        action: ["shell", "sql", "edit", "fetch"][chance.below(4)].to_owned(),
        arguments: call(chance),
        error: if succeeded {
            String::new()
        } else {
            error(number, chance)
        },
        ..common
    }
}

/// One of 20 000 goals.
fn goal(chance: &mut Chance) -> String {
    let verb = ["publish", "repair", "measure", "describe", "translate"][chance.below(5)];
    let object = ["release", "parser", "invoice", "schedule", "index"][chance.below(5)];
    format!("{verb} the {object} of customer {}", chance.below(800))
}

/// Mostly one of few calls, else nearly always a new one.
fn call(chance: &mut Chance) -> String {
    if chance.below(100) < 60 {
        let program = ["make", "cargo test", "git status", "ls -la"][chance.below(4)];
        return format!("{program} part-{}", chance.below(500));
    }
    format!(
        "grep -rn 'word{}' src/module_{}/file_{}.rs --max-count {}",
        chance.below(5_000),
        chance.below(90),
        chance.below(400),
        chance.below(20),
    )
}

/// One of a few hundred errors, with paths and numbers of its own.
fn error(number: u32, chance: &mut Chance) -> String {
    let what = [
        "No such file or directory",
        "Permission denied",
        "timed out",
    ][chance.below(3)];
    format!(
        "module{}: /srv/build/{number}/main.rs:{}:{}: {what} after {} ms",
        ["alpha", "beta", "gamma", "delta"][chance.below(4)],
        chance.below(2_000),
        chance.below(80),
        chance.below(30_000),
    )
}
