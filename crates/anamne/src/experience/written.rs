//! Lessons that the optional language model writes of finished attempts, in place of those of the rules.
//!
//! Nothing waits for it. If it fails, exceeds its budget or is disabled, the lessons of the rules stay.

use std::collections::BTreeMap;

use anamne_experience::lessons::{Words, Written};
use anamne_experience::{Trajectory, original};
use anamne_jobs::{TaskContext, TaskError};
use anamne_knowledge::readings::{Readings, WrittenLesson};
use anamne_llm::{Bridge, BridgeError, Call, tasks};
use anamne_types::{Memory, Row};

use crate::Error;
use crate::core::Inner;
use crate::knowledge::modelling::after;
use crate::models::remote::budgets;

/// The newest attempts that a model is asked about.
const MOST_ATTEMPTS: usize = 64;

impl Inner {
    /// Whether there are finished attempts that the model has not seen.
    pub(crate) fn has_unwritten_lessons(&self) -> Result<bool, Error> {
        if self.site.bridge.is_none() {
            return Ok(false);
        }
        let Some(readings) = self.derived.readings.open()? else {
            return Ok(false);
        };
        Ok(!self.unwritten(&readings)?.is_empty())
    }

    /// The newest attempts with steps that the model has not seen as they are, newest first.
    fn unwritten(&self, readings: &Readings) -> Result<Vec<Trajectory>, Error> {
        let Some(view) = self.derived.experience.caught_up()? else {
            return Ok(Vec::new());
        };
        let mut unwritten = Vec::new();
        for attempt in view.newest_trajectories(MOST_ATTEMPTS)? {
            let known = || readings.lessons(attempt.row, &attempt.digest());
            if !attempt.steps.is_empty() && known()?.is_none() {
                unwritten.push(attempt);
            }
        }
        Ok(unwritten)
    }

    /// Lets the model write the lessons of the newest attempts, one by one. An attempt is asked about once as it is.
    pub(crate) fn write_lessons_by_model(
        &self,
        context: &mut TaskContext<'_>,
    ) -> Result<(), TaskError> {
        let (Some(bridge), Some(readings)) = (
            &self.site.bridge,
            self.derived.readings.open().map_err(TaskError::failed)?,
        ) else {
            return Ok(());
        };
        let unwritten = self.unwritten(&readings).map_err(TaskError::failed)?;
        let all = unwritten.len() as u64;
        for (done, attempt) in unwritten.into_iter().enumerate() {
            if context.should_stop() {
                return Err(TaskError::Stopped);
            }
            context.renew()?;
            let rows = rows_of(&attempt);
            let memories = self.source.get_rows(&rows).map_err(TaskError::failed)?;
            let memories: BTreeMap<Row, Memory> = memories.into_iter().collect();
            let may_send = memories.len() == rows.len()
                && memories
                    .values()
                    .all(|memory| self.may_send(bridge, memory));
            let lessons = if may_send {
                let written = self.lessons_of(bridge, &attempt, &memories);
                written.or_else(|error| after(&error, context).map(|()| Vec::new()))?
            } else {
                Vec::new()
            };
            let digest = attempt.digest();
            let put = readings.put_lessons(attempt.row, &digest, &rows, bridge.model(), &lessons);
            put.map_err(TaskError::failed)?;
            context.progress(done as u64 + 1, all, "attempts")?;
        }
        Ok(())
    }

    fn lessons_of(
        &self,
        bridge: &Bridge,
        attempt: &Trajectory,
        memories: &BTreeMap<Row, Memory>,
    ) -> Result<Vec<WrittenLesson>, BridgeError> {
        let recorded = attempt.steps.iter().map(|step| {
            let memory = memories.get(&step.row);
            let call = memory.and_then(|memory| original::call(memory, step.step));
            let error = memory
                .filter(|_| !step.error.is_empty())
                .and_then(|memory| original::error(memory, step.step));
            (
                call.unwrap_or_default(),
                error.unwrap_or_default(),
                step.succeeded,
            )
        });
        let recorded: Vec<_> = recorded.collect();
        let steps = recorded
            .iter()
            .map(|(call, error, succeeded)| tasks::StepText {
                call,
                error,
                succeeded: *succeeded,
            });
        let steps: Vec<_> = steps.collect();
        let budgets = budgets(&self.source.config().budgets);
        let call = Call::of(self.source.name().as_str()).within_budgets(&budgets);
        let found = tasks::lessons(bridge, &call, &attempt.goal, attempt.succeeded, &steps)?;
        let lesson = |found: tasks::LessonText| WrittenLesson {
            title: found.title,
            description: found.description,
            content: found.content,
            steps: found.steps,
        };
        Ok(found.into_iter().map(lesson).collect())
    }

    /// The lessons that a model wrote of these attempts, by the rows that tell their ends; those without are not in it.
    pub(super) fn written_lessons(
        &self,
        attempts: &[Trajectory],
    ) -> Result<BTreeMap<Row, Written>, Error> {
        let mut written = BTreeMap::new();
        if attempts.is_empty() {
            return Ok(written);
        }
        let Some(readings) = self.derived.readings.open()? else {
            return Ok(written);
        };
        for attempt in attempts {
            let Some((model, lessons)) = readings.lessons(attempt.row, &attempt.digest())? else {
                continue;
            };
            let words = |lesson: WrittenLesson| {
                let words = Words {
                    title: lesson.title,
                    description: lesson.description,
                    content: lesson.content,
                };
                (words, lesson.steps)
            };
            if !lessons.is_empty() {
                let lessons = lessons.into_iter().map(words).collect();
                written.insert(attempt.row, (lessons, model));
            }
        }
        Ok(written)
    }
}

/// The rows that an attempt consists of, each once.
fn rows_of(attempt: &Trajectory) -> Vec<Row> {
    let steps = attempt.steps.iter().map(|step| step.row);
    let mut rows: Vec<Row> = steps.chain([attempt.row]).collect();
    rows.sort_unstable();
    rows.dedup();
    rows
}
