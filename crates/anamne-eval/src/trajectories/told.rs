//! A view of experience that is told runs.

use anamne_experience::ExperienceView;
use anamne_types::ActionOutcome;
use jiff::Timestamp;
use tempfile::TempDir;

use super::data::Run;
use super::log::Log;
use crate::failure::Failure;
use crate::store;

/// The action of every step.
pub(crate) const STEP: &str = "act";

/// A view in a folder of its own.
pub(crate) struct ToldView {
    pub(crate) view: ExperienceView,
    log: Log,
    runs: usize,
    _folder: TempDir,
}

impl ToldView {
    pub(crate) fn new() -> Result<Self, Failure> {
        let folder = store::temporary_folder(None)?;
        Ok(Self {
            view: ExperienceView::at(&folder.path().join("experience.db")),
            log: Log::default(),
            runs: 0,
            _folder: folder,
        })
    }

    /// A view of these runs with their steps.
    pub(crate) fn of<'run>(runs: impl Iterator<Item = &'run Run>) -> Result<Self, Failure> {
        let mut told = Self::new()?;
        for run in runs {
            told.add(run, true);
        }
        told.catch_up()?;
        Ok(told)
    }

    /// Adds a run, with its steps or its outcome alone.
    pub(crate) fn add(&mut self, run: &Run, with_steps: bool) {
        self.runs += 1;
        let name = format!("{} {}", self.runs, run.task_id);
        for step in run.steps().filter(|_| with_steps) {
            let outcome = ActionOutcome {
                action: STEP.to_owned(),
                arguments: step.action.to_owned(),
                succeeded: step.error.is_none(),
                error: step.error.unwrap_or_default().to_owned(),
                run: name.clone(),
                ..ActionOutcome::default()
            };
            self.log.add(&run.agent, outcome);
        }
        let outcome = ActionOutcome {
            action: ActionOutcome::TASK.to_owned(),
            succeeded: run.success,
            score: Some(run.score),
            goal: run.goal.clone(),
            run: name,
            ends_run: true,
            ..ActionOutcome::default()
        };
        self.log.add(&run.agent, outcome);
    }

    /// Folds what was added.
    pub(crate) fn catch_up(&mut self) -> Result<(), Failure> {
        self.view.catch_up(&self.log, &mut |_| true)?;
        self.log.told();
        Ok(())
    }

    /// The time of the last outcome.
    pub(crate) fn now(&self) -> Timestamp {
        self.log.now()
    }
}
