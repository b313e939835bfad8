//! The cases behind a pattern: outcomes of one call, error or goal.

use anamne_types::Row;
use rusqlite::{Connection, Row as SqlRow, params};

use super::{ExperienceView, texts};
use crate::{ExperienceError, normal};

/// One outcome.
#[derive(Clone, Debug, PartialEq)]
pub struct Case {
    /// The memory's row.
    pub row: Row,
    /// When it happened, microseconds since 1970.
    pub at: i64,
    /// The normalised call.
    pub call: String,
    /// The normalised error; empty if there was none.
    pub error: String,
    /// Who acted; empty if unknown.
    pub agent: String,
    /// How well, 0 to 1.
    pub score: f32,
    /// Whether it succeeded.
    pub succeeded: bool,
    /// Whether it is the outcome of a whole run.
    pub ends_run: bool,
}

/// What cases have in common.
#[derive(Clone, Copy, Debug)]
pub enum CaseFilter<'a> {
    /// The same call: action and arguments or target, normalised.
    Call {
        /// The action.
        action: &'a str,
        /// Its arguments, or its target.
        object: &'a str,
    },
    /// The same error, normalised.
    Error(&'a str),
    /// Whole runs with exactly this goal.
    Goal(&'a str),
    /// Steps of one run, in order.
    Run(&'a str),
}

/// What was done after an error.
#[derive(Clone, Debug, PartialEq)]
pub struct RecoveryCase {
    /// The next call of the run that succeeded, normalised.
    pub call: String,
    /// Its memory's row.
    pub row: Row,
    /// When, microseconds since 1970.
    pub at: i64,
    /// Whether the whole run succeeded, if known.
    pub run_succeeded: Option<bool>,
}

/// A run with its goal.
#[derive(Clone, Debug, PartialEq)]
pub struct RunSummary {
    /// The goal.
    pub goal: String,
    /// The run's name; empty if it has none.
    pub run: String,
    /// Its outcome.
    pub outcome: Case,
}

const FIELDS: &str = "row, at, \
     (SELECT content FROM texts WHERE text = call), (SELECT content FROM texts WHERE text = error), \
     (SELECT content FROM texts WHERE text = agent), score, succeeded, ends_run";

fn case(row: &SqlRow<'_>) -> rusqlite::Result<Case> {
    let text = |index| {
        row.get::<_, Option<String>>(index)
            .map(Option::unwrap_or_default)
    };
    Ok(Case {
        row: Row(row.get(0)?),
        at: row.get(1)?,
        call: text(2)?,
        error: text(3)?,
        agent: text(4)?,
        score: row.get::<_, i64>(5)? as f32 / 100.0,
        succeeded: row.get(6)?,
        ends_run: row.get(7)?,
    })
}

impl ExperienceView {
    /// The newest cases, newest first; steps of a run in their order. O(`most` · log rows).
    pub fn cases(&self, filter: CaseFilter<'_>, most: usize) -> Result<Vec<Case>, ExperienceError> {
        if !self.file.exists() {
            return Ok(Vec::new());
        }
        let newest = "ORDER BY at DESC, row DESC LIMIT ?2";
        let (condition, text, is_searched) = match filter {
            CaseFilter::Call { action, object } => {
                ("call = ?1", normal::call(action, object), false)
            }
            CaseFilter::Error(error) => ("error = ?1 AND error <> 0", normal::error(error), false),
            CaseFilter::Goal(goal) => ("goal = ?1 AND ends_run = 1", goal.to_owned(), true),
            CaseFilter::Run(run) => ("run = ?1 AND run <> 0", run.to_owned(), false),
        };
        let order = match filter {
            CaseFilter::Run(_) => "ORDER BY row, step LIMIT ?2",
            _ => newest,
        };
        self.with(|connection| {
            let Some(number) = texts::find(connection, &text, is_searched)? else {
                return Ok(Vec::new());
            };
            let sql = format!("SELECT {FIELDS} FROM outcomes WHERE {condition} {order}");
            let mut statement = connection.prepare_cached(&sql)?;
            let cases = statement.query_map(params![number, most as i64], case)?;
            cases.collect()
        })
    }

    /// The share of successes among the newest thousand outcomes; ½ without any. O(1).
    pub fn success_share(&self) -> Result<f32, ExperienceError> {
        if !self.file.exists() {
            return Ok(0.5);
        }
        let sql = "SELECT avg(succeeded) FROM (SELECT succeeded FROM outcomes ORDER BY row DESC LIMIT 1000)";
        let share: Option<f64> = self.with(|connection| {
            connection
                .prepare_cached(sql)?
                .query_row([], |row| row.get(0))
        })?;
        Ok(share.unwrap_or(0.5) as f32)
    }

    /// What was done after an error: for each of the newest cases of this error in a run, the run's next call that
    /// succeeded. O(`most` · length of a run).
    pub fn recoveries(
        &self,
        error: &str,
        most: usize,
    ) -> Result<Vec<RecoveryCase>, ExperienceError> {
        if !self.file.exists() {
            return Ok(Vec::new());
        }
        let error = normal::error(error);
        self.with(|connection| {
            let Some(number) = texts::find(connection, &error, false)? else {
                return Ok(Vec::new());
            };
            let sql =
                "SELECT row, step, run FROM outcomes WHERE error = ?1 AND error <> 0 AND run <> 0
                       ORDER BY at DESC, row DESC LIMIT ?2";
            let mut statement = connection.prepare_cached(sql)?;
            let failures = statement.query_map(params![number, most as i64], |row| {
                Ok((row.get(0)?, row.get(1)?, row.get(2)?))
            })?;
            let mut recoveries = Vec::new();
            for failure in failures {
                recoveries.extend(recovery(connection, failure?)?);
            }
            Ok(recoveries)
        })
    }

    /// The newest runs with a goal that is one of the most similar, best goal first. O(goals).
    pub fn similar_runs(
        &self,
        goal: &str,
        goals: usize,
        of_each: usize,
    ) -> Result<Vec<(f32, RunSummary)>, ExperienceError> {
        let similar = self.similar_goals(goal, goals)?;
        self.with(|connection| {
            let sql = format!(
                "SELECT {FIELDS}, (SELECT content FROM texts WHERE text = run) FROM outcomes
                 WHERE goal = ?1 AND ends_run = 1 ORDER BY at DESC, row DESC LIMIT ?2"
            );
            let mut statement = connection.prepare_cached(&sql)?;
            let mut runs = Vec::new();
            for one in &similar {
                let of_goal = statement.query_map(params![one.number, of_each as i64], |row| {
                    let run: Option<String> = row.get(8)?;
                    Ok(RunSummary {
                        goal: one.text.clone(),
                        run: run.unwrap_or_default(),
                        outcome: case(row)?,
                    })
                })?;
                for run in of_goal {
                    runs.push((one.cosine, run?));
                }
            }
            Ok(runs)
        })
    }
}

/// The next call of the same run that succeeded after the step of a failure.
fn recovery(
    connection: &Connection,
    (row, step, run): (i64, i64, i64),
) -> rusqlite::Result<Option<RecoveryCase>> {
    let sql = "SELECT row, at, (SELECT content FROM texts WHERE text = call),
                   (SELECT succeeded FROM outcomes WHERE run = ?3 AND ends_run = 1 ORDER BY row DESC LIMIT 1)
               FROM outcomes
               WHERE run = ?3 AND (row, step) > (?1, ?2) AND succeeded = 1 AND ends_run = 0
               ORDER BY row, step LIMIT 1";
    let mut statement = connection.prepare_cached(sql)?;
    let mut found = statement.query_map(params![row, step, run], |row| {
        Ok(RecoveryCase {
            call: row.get::<_, Option<String>>(2)?.unwrap_or_default(),
            row: Row(row.get(0)?),
            at: row.get(1)?,
            run_succeeded: row.get(3)?,
        })
    })?;
    found.next().transpose()
}
