//! Adds a memory's rows.

use anamne_types::{
    ActionOutcome, Body, Experience, ExperimentSetup, Lesson, Memory, MemoryId, Row,
    SearchFeedback, SearchTrace, ToolCall, WorkFeedback, WorkingValue,
};
use rusqlite::{Connection, params};

use super::texts::Texts;
use crate::original::object_of;
use crate::reading::only_reads;
use crate::undone::{Effect, effects, undone};
use crate::{ExperienceError, normal};

/// Maximum number of tool calls of one episode that are read.
const MOST_CALLS: usize = 4_096;

/// Adds the rows of memories in one transaction.
pub(super) struct Insertion<'a> {
    connection: &'a Connection,
    texts: Texts<'a>,
}

/// One step: the outcome of a record, or a tool call of an episode.
struct Step<'a> {
    number: usize,
    action: &'a str,
    call: String,
    /// What it was done with, as recorded.
    input: &'a str,
    error: &'a str,
    goal: &'a str,
    run: &'a str,
    score: f32,
    succeeded: bool,
    ends_run: bool,
    /// Whether it is all that the memory records.
    is_record: bool,
}

impl<'a> Insertion<'a> {
    pub(super) fn new(connection: &'a Connection) -> Self {
        Self {
            connection,
            texts: Texts::new(connection),
        }
    }

    /// Adds what a live memory tells.
    pub(super) fn add(&mut self, row: Row, memory: &Memory) -> Result<(), ExperienceError> {
        match &memory.body {
            Body::Episode { .. } if is_in_transcript(memory) => Ok(()),
            Body::Episode { goal, tool_log, .. } => self.add_calls(row, memory, goal, tool_log),
            Body::Message { .. } => match memory.told_call() {
                Some(call) => self.add_calls(row, memory, "", &[call]),
                None => Ok(()),
            },
            Body::Experience { experience } => match &**experience {
                Experience::Outcome(outcome) => self.add_outcome(row, memory, outcome),
                Experience::Feedback(feedback) => self.add_judgement(row, memory, feedback),
                Experience::Search(search) => self.add_search(row, memory, search),
                Experience::SearchFeedback(feedback) => self.add_search_feedback(row, feedback),
                Experience::Lesson(lesson) => self.add_lesson(row, memory, lesson),
                Experience::Working(working) => self.add_working(row, memory, working),
                Experience::Experiment(experiment) => self.add_experiment(row, experiment),
            },
            _ => Ok(()),
        }
    }

    fn add_outcome(
        &mut self,
        row: Row,
        memory: &Memory,
        outcome: &ActionOutcome,
    ) -> Result<(), ExperienceError> {
        let default = if outcome.succeeded { 1.0 } else { 0.0 };
        let step = Step {
            number: 0,
            action: &outcome.action,
            call: normal::call(&outcome.action, object_of(outcome)),
            input: object_of(outcome),
            error: &outcome.error,
            goal: &outcome.goal,
            run: run_of(memory, &outcome.run),
            score: outcome.score.unwrap_or(default),
            succeeded: outcome.succeeded,
            ends_run: outcome.ends_run,
            is_record: true,
        };
        self.add_step(row, memory, &step)?;
        let sql = "INSERT OR IGNORE INTO in_view VALUES (?1, ?2)";
        let mut statement = self.connection.prepare_cached(sql)?;
        for seen in &outcome.in_view {
            statement.execute(params![row.0, seen.as_bytes()])?;
        }
        Ok(())
    }

    /// The tool calls of an episode, or the one of a transcript's message, whose outcome is known; one that was undone counts as
    /// a failure.
    fn add_calls(
        &mut self,
        row: Row,
        memory: &Memory,
        goal: &str,
        calls: &[ToolCall],
    ) -> Result<(), ExperienceError> {
        let calls = &calls[..calls.len().min(MOST_CALLS)];
        self.add_episode(row, memory, goal, calls)?;
        let undone = undone(calls);
        let known = calls.iter().zip(undone).enumerate();
        let known = known.filter_map(|(number, (call, undone))| {
            Some((number, call, call.succeeded? && !undone))
        });
        for (number, call, succeeded) in known {
            let step = Step {
                number,
                action: &call.tool,
                call: normal::call(&call.tool, &call.input),
                input: &call.input,
                error: if call.succeeded == Some(true) {
                    ""
                } else {
                    &call.output
                },
                goal,
                run: run_of(memory, ""),
                score: if succeeded { 1.0 } else { 0.0 },
                succeeded,
                ends_run: false,
                is_record: false,
            };
            self.add_step(row, memory, &step)?;
        }
        Ok(())
    }

    /// An attempt that a judgement of the episode ends.
    fn add_episode(
        &mut self,
        row: Row,
        memory: &Memory,
        goal: &str,
        calls: &[ToolCall],
    ) -> Result<(), ExperienceError> {
        if goal.trim().is_empty() || calls.iter().all(|call| call.succeeded.is_none()) {
            return Ok(());
        }
        let agent = memory.author.as_deref().unwrap_or_default();
        let values = params![
            row.0,
            memory.occurred_at.as_microsecond(),
            self.texts.searchable(goal)?,
            self.texts.number(agent)?,
            memory.id.as_bytes(),
        ];
        let sql = "INSERT INTO episodes VALUES (?1, ?2, ?3, ?4, ?5)";
        self.connection.prepare_cached(sql)?.execute(values)?;
        Ok(())
    }

    fn add_step(
        &mut self,
        row: Row,
        memory: &Memory,
        step: &Step<'_>,
    ) -> Result<(), ExperienceError> {
        let goal = if step.ends_run {
            self.texts.searchable(step.goal)?
        } else {
            self.texts.number(step.goal)?
        };
        let values = params![
            row.0,
            step.number as i64,
            memory.occurred_at.as_microsecond(),
            self.texts.number(step.action)?,
            self.texts.number(&step.call)?,
            self.texts.error(&normal::error(step.error))?,
            goal,
            self.texts.number(step.run)?,
            self.texts
                .number(memory.author.as_deref().unwrap_or_default())?,
            (f64::from(step.score) * 100.0).round() as i64,
            step.succeeded,
            step.ends_run,
            step.is_record.then(|| memory.id.as_bytes()),
            normal::call_names(step.action, step.input),
            normal::error_names(step.error),
            only_reads(step.action, step.input),
        ];
        let sql = "INSERT INTO outcomes
             VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14, ?15, ?16)";
        self.connection.prepare_cached(sql)?.execute(values)?;
        if step.succeeded && !step.ends_run {
            self.add_effects(row, step)?;
        }
        Ok(())
    }

    /// What a step changes and takes back, if it is of a run.
    fn add_effects(&mut self, row: Row, step: &Step<'_>) -> Result<(), ExperienceError> {
        let effects = effects(step.input);
        if effects.is_empty() || step.run.is_empty() {
            return Ok(());
        }
        let run = self.texts.number(step.run)?;
        for effect in effects {
            let (number, path, texts) = match &effect {
                Effect::Changes(path, texts) => (1, path.as_str(), *texts),
                Effect::TakesBack(path) => (2, path.as_str(), None),
                Effect::TakesBackAll => (3, "", None),
                Effect::Commits => (4, "", None),
                Effect::Reverts => (5, "", None),
            };
            let path = self.texts.number(path.trim_start_matches("./"))?;
            let (former, later) = texts.unzip();
            let values = params![row.0, step.number as i64, run, number, path, former, later];
            let sql = "INSERT OR IGNORE INTO effects VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7)";
            self.connection.prepare_cached(sql)?.execute(values)?;
        }
        Ok(())
    }

    fn add_judgement(
        &mut self,
        row: Row,
        memory: &Memory,
        feedback: &WorkFeedback,
    ) -> Result<(), ExperienceError> {
        let about = feedback.about.as_ref().map(MemoryId::as_bytes);
        let at = memory.occurred_at.as_microsecond();
        let values = params![row.0, at, about, feedback.verdict.number()];
        let sql = "INSERT INTO judgements VALUES (?1, ?2, ?3, ?4)";
        self.connection.prepare_cached(sql)?.execute(values)?;
        Ok(())
    }

    fn add_search(
        &mut self,
        row: Row,
        memory: &Memory,
        search: &SearchTrace,
    ) -> Result<(), ExperienceError> {
        let features: Vec<u8> = search
            .features
            .iter()
            .flat_map(|value| value.to_le_bytes())
            .collect();
        let values = params![
            row.0,
            memory.id.as_bytes(),
            memory.occurred_at.as_microsecond(),
            self.texts.searchable(&search.query)?,
            self.texts.number(&search.strategy)?,
            search.after.len() as i64,
            features,
            self.texts.number(&search.experiment)?,
            f64::from(search.confidence),
            search.results.len() as i64,
            search.took_us as i64,
        ];
        let sql = "INSERT INTO searches VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11)";
        self.connection.prepare_cached(sql)?.execute(values)?;
        Ok(())
    }

    fn add_search_feedback(
        &mut self,
        row: Row,
        feedback: &SearchFeedback,
    ) -> Result<(), ExperienceError> {
        let values = params![
            row.0,
            feedback.search.as_bytes(),
            feedback.usefulness.number(),
            feedback.used.len() as i64,
            feedback.implied,
        ];
        let sql = "INSERT INTO search_feedback VALUES (?1, ?2, ?3, ?4, ?5)";
        self.connection.prepare_cached(sql)?.execute(values)?;
        Ok(())
    }

    fn add_lesson(
        &mut self,
        row: Row,
        memory: &Memory,
        lesson: &Lesson,
    ) -> Result<(), ExperienceError> {
        let subject = format!("{}\n{}", lesson.title, lesson.description);
        let values = params![
            row.0,
            memory.occurred_at.as_microsecond(),
            self.texts.searchable(&subject)?,
            lesson.succeeded,
            self.texts.number(&lesson.item)?,
            lesson.set_aside,
        ];
        let sql = "INSERT INTO lessons VALUES (?1, ?2, ?3, ?4, ?5, ?6)";
        self.connection.prepare_cached(sql)?.execute(values)?;
        Ok(())
    }

    fn add_working(
        &mut self,
        row: Row,
        memory: &Memory,
        working: &WorkingValue,
    ) -> Result<(), ExperienceError> {
        let values = params![
            row.0,
            self.texts
                .number(memory.session.as_deref().unwrap_or_default())?,
            self.texts
                .number(memory.author.as_deref().unwrap_or_default())?,
            self.texts.number(&working.key)?,
            memory.expires_at.map(jiff::Timestamp::as_microsecond),
        ];
        let sql = "INSERT INTO working VALUES (?1, ?2, ?3, ?4, ?5)";
        self.connection.prepare_cached(sql)?.execute(values)?;
        Ok(())
    }

    fn add_experiment(
        &mut self,
        row: Row,
        experiment: &ExperimentSetup,
    ) -> Result<(), ExperienceError> {
        let name = self.texts.number(&experiment.name)?;
        let sql = "INSERT INTO experiments VALUES (?1, ?2, ?3)";
        let values = params![row.0, name, experiment.ended];
        self.connection.prepare_cached(sql)?.execute(values)?;
        Ok(())
    }
}

/// Whether a hook of Claude Code told it of a failed call, as older set-ups have it: its transcript tells the same call.
fn is_in_transcript(memory: &Memory) -> bool {
    let id = memory.external_id.as_deref().unwrap_or_default();
    id.starts_with("claude-code:") && id.ends_with(":outcome")
}

/// The run that a step belongs to: the one named, else the session, else the thread.
fn run_of<'a>(memory: &'a Memory, named: &'a str) -> &'a str {
    let told = [memory.session.as_deref(), memory.thread.as_deref()];
    match named {
        "" => told.into_iter().flatten().next().unwrap_or_default(),
        named => named,
    }
}
