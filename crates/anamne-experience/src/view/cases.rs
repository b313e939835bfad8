//! The cases behind a pattern: outcomes of one call, error or goal.

use anamne_types::Row;
use rusqlite::{Row as SqlRow, params};

use super::ExperienceView;
use super::texts::{self, TextKind};
use crate::{ExperienceError, normal};

/// One outcome.
#[derive(Clone, Debug, PartialEq)]
pub struct Case {
    /// The memory's row.
    pub row: Row,
    /// Which tool call of an episode it is; 0 for a record of its own.
    pub step: usize,
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
    /// What the placeholders of the call stand for: [`crate::normal::call_names`].
    pub call_names: i64,
    /// What those of the error stand for: [`crate::normal::error_names`].
    pub error_names: i64,
    /// Whether the call only reads.
    pub only_reads: bool,
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

/// Whether a later call of the run undid a step: took its file or everything back, put the former text back, or reverted it as the
/// last commit before.
macro_rules! undone {
    () => {
        "EXISTS (SELECT 1 FROM effects AS made JOIN effects AS back
            ON back.run = made.run AND (back.row, back.step) > (made.row, made.step)
                AND back.effect BETWEEN iif(made.effect = 4, 5, 1) AND iif(made.effect = 4, 5, 3)
            WHERE made.row = outcomes.row AND made.step = outcomes.step AND made.effect IN (1, 4) AND CASE made.effect
                WHEN 1 THEN back.effect = 3
                    OR back.effect = 2 AND (SELECT '/' || taken.content = substr('/' || changed.content, -length(taken.content) - 1)
                        FROM texts AS taken, texts AS changed WHERE taken.text = back.path AND changed.text = made.path)
                    OR back.effect = 1 AND back.path = made.path AND back.former = made.later AND back.later = made.former
                WHEN 4 THEN back.effect = 5 AND NOT EXISTS (SELECT 1 FROM effects AS other
                    WHERE other.run = made.run AND other.effect = 4
                        AND (other.row, other.step) > (made.row, made.step) AND (other.row, other.step) < (back.row, back.step))
                END)"
    };
}

macro_rules! succeeded {
    () => {
        concat!(
            "coalesce((SELECT CASE verdict WHEN 1 THEN 0 WHEN 2 THEN 1 WHEN 3 THEN 0 END \
              FROM judgements WHERE about = outcomes.id ORDER BY judgements.row DESC LIMIT 1), \
              CASE WHEN ",
            undone!(),
            " THEN 0 END, succeeded)"
        )
    };
}

/// Whether an outcome succeeded: by the latest judgement of it (1 correction, 2 approval, 3 rejection), else not if a later call of
/// its run undid it, else as recorded.
pub(super) const SUCCEEDED: &str = succeeded!();

/// The columns of [`case`].
pub(super) const FIELDS: &str = concat!(
    "row, at, (SELECT content FROM texts WHERE text = call), (SELECT content FROM texts WHERE text = error), \
     (SELECT content FROM texts WHERE text = agent), score, ",
    succeeded!(),
    ", ends_run, step, call_names, error_names, only_reads"
);

/// Reads a case from [`FIELDS`].
pub(super) fn case(row: &SqlRow<'_>) -> rusqlite::Result<Case> {
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
        step: row.get::<_, i64>(8)? as usize,
        call_names: row.get(9)?,
        error_names: row.get(10)?,
        only_reads: row.get(11)?,
    })
}

impl ExperienceView {
    /// The calls of an action recorded last, whatever they act on, newest first. O(outcomes).
    pub fn calls_of(&self, action: &str, most: usize) -> Result<Vec<Case>, ExperienceError> {
        if !self.file.exists() {
            return Ok(Vec::new());
        }
        self.with(|connection| {
            // An action may also be told together with what it acts on.
            let whole = texts::find(connection, &normal::call(action, ""), TextKind::Name)?;
            let sql = format!(
                "SELECT {FIELDS} FROM outcomes
                 WHERE call = ?2 OR action IN (SELECT text FROM texts WHERE content = ?1 COLLATE NOCASE)
                 ORDER BY row DESC, step DESC LIMIT ?3"
            );
            let mut statement = connection.prepare_cached(&sql)?;
            let cases = statement.query_map(params![normal::name(action), whole, most as i64], case)?;
            cases.collect()
        })
    }

    /// The newest cases, newest first; steps of a run in their order. O(`most` · log rows).
    pub fn cases(&self, filter: CaseFilter<'_>, most: usize) -> Result<Vec<Case>, ExperienceError> {
        if !self.file.exists() {
            return Ok(Vec::new());
        }
        let newest = "ORDER BY at DESC, row DESC LIMIT ?2";
        let (condition, text, kind) = match filter {
            CaseFilter::Call { action, object } => {
                ("call = ?1", normal::call(action, object), TextKind::Name)
            }
            CaseFilter::Error(error) => (
                "error = ?1 AND error <> 0",
                normal::error(error),
                TextKind::Error,
            ),
            CaseFilter::Goal(goal) => (
                "goal = ?1 AND ends_run = 1",
                goal.to_owned(),
                TextKind::Searched,
            ),
            CaseFilter::Run(run) => ("run = ?1 AND run <> 0", run.to_owned(), TextKind::Name),
        };
        let order = match filter {
            CaseFilter::Run(_) => "ORDER BY row, step LIMIT ?2",
            _ => newest,
        };
        self.with(|connection| {
            let Some(number) = texts::find(connection, &text, kind)? else {
                return Ok(Vec::new());
            };
            let sql = format!("SELECT {FIELDS} FROM outcomes WHERE {condition} {order}");
            let mut statement = connection.prepare_cached(&sql)?;
            let cases = statement.query_map(params![number, most as i64], case)?;
            cases.collect()
        })
    }
}
