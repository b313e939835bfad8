//! What was done after an error.

use std::collections::{BTreeMap, BTreeSet};

use anamne_types::Row;
use jiff::Timestamp;
use rusqlite::{Connection, params};

use super::cases::SUCCEEDED;
use super::{ExperienceView, codes, texts};
use crate::chance::{Evidence, chance};
use crate::{ExperienceError, normal};

/// Cases that are read.
const MOST_CASES: usize = 256;

/// Similar goals, and the newest runs of each, whose errors are looked at first.
const MOST_GOALS: usize = 8;
const MOST_RUNS: usize = 32;

/// What was done after an error.
#[derive(Clone, Debug, PartialEq)]
pub struct RecoveryCase {
    /// The next call of the run that succeeded, normalised.
    pub call: String,
    /// Its memory's row.
    pub row: Row,
    /// Which tool call of an episode it is; 0 for a record of its own.
    pub step: usize,
    /// When, microseconds since 1970.
    pub at: i64,
    /// Whether the whole run succeeded, if known.
    pub run_succeeded: Option<bool>,
    /// The goal of the run; empty if unknown.
    pub goal: String,
    /// How much its goal has to do with the one asked for, 0 to 1.
    pub relevance: f64,
}

/// One way to go on after an error.
#[derive(Clone, Debug, PartialEq)]
pub struct Recovery {
    /// The cases, those of similar goals first, then the newest.
    pub cases: Vec<RecoveryCase>,
    /// The share of successes among all outcomes.
    pub expected: f64,
    /// How likely the run then succeeds.
    pub chance: f64,
}

/// A step that failed: its row, its number and its run.
type Failure = (i64, i64, i64);

impl ExperienceView {
    /// The ways to go on after an error, likeliest first. A case counts by how much its goal has to do with `goal`. Of the
    /// newest 256 cases of similar goals and of all. O(goals + length of runs).
    pub fn recoveries(
        &self,
        error: &str,
        goal: &str,
        now: Timestamp,
    ) -> Result<Vec<Recovery>, ExperienceError> {
        let expected = f64::from(self.success_share()?);
        let mut by_call: BTreeMap<String, Vec<RecoveryCase>> = BTreeMap::new();
        for case in self.recovery_cases(error, goal, MOST_CASES)? {
            by_call.entry(case.call.clone()).or_default().push(case);
        }
        let found = by_call.into_values().map(|cases| {
            let evidence: Vec<_> = cases.iter().map(|case| case.evidence(expected)).collect();
            Recovery {
                cases,
                expected,
                chance: chance(expected, &evidence, now),
            }
        });
        let mut found: Vec<Recovery> = found.collect();
        found.sort_by(|one, other| other.chance.total_cmp(&one.chance));
        Ok(found)
    }

    /// What was done after an error: for each case of this error in a run, the run's next call that succeeded. Cases in runs
    /// with a goal like `goal` come first, then the newest. O(goals, and `most` · length of a run).
    fn recovery_cases(
        &self,
        error: &str,
        goal: &str,
        most: usize,
    ) -> Result<Vec<RecoveryCase>, ExperienceError> {
        if !self.file.exists() {
            return Ok(Vec::new());
        }
        let error = normal::error(error);
        let goals = self.similar_goals(goal, MOST_GOALS)?;
        let mut recoveries = self.with(|connection| {
            let Some(error) = texts::find(connection, &error, false)? else {
                return Ok(Vec::new());
            };
            let mut failures = Vec::new();
            for goal in &goals {
                failures.extend(of_goal(connection, error, goal.number)?);
            }
            failures.extend(newest(connection, error, most)?);
            let mut known = BTreeSet::new();
            failures.retain(|(row, step, _)| known.insert((*row, *step)));
            let mut recoveries = Vec::new();
            for failure in failures.into_iter().take(most) {
                recoveries.extend(recovery(connection, failure)?);
            }
            Ok(recoveries)
        })?;
        relate(&mut recoveries, goal)?;
        Ok(recoveries)
    }
}

impl RecoveryCase {
    /// It as evidence; `expected` is the share of successes among all outcomes.
    pub fn evidence(&self, expected: f64) -> Evidence {
        Evidence {
            at: self.at,
            succeeded: self.run_succeeded != Some(false),
            expected,
            relevance: self.relevance,
        }
    }
}

/// How much the recoveries of runs with each goal have to do with `goal`: 1 if none is given, else the square of the cosine.
fn relate(recoveries: &mut [RecoveryCase], goal: &str) -> Result<(), ExperienceError> {
    if goal.trim().is_empty() {
        return Ok(());
    }
    let wanted = codes::vector(goal.trim())?;
    let mut known: BTreeMap<String, f64> = BTreeMap::new();
    for case in recoveries {
        case.relevance = if let Some(relevance) = known.get(&case.goal) {
            *relevance
        } else {
            let cosine = codes::cosine(&wanted, &codes::vector(&case.goal)?);
            let relevance = f64::from(cosine.max(0.0)).powi(2);
            known.insert(case.goal.clone(), relevance);
            relevance
        };
    }
    Ok(())
}

/// The steps with an error in the newest runs with a goal.
fn of_goal(connection: &Connection, error: i64, goal: i64) -> rusqlite::Result<Vec<Failure>> {
    let sql = "SELECT row, step, run FROM outcomes WHERE error = ?1 AND run IN
                   (SELECT run FROM outcomes WHERE goal = ?2 AND ends_run = 1 AND run <> 0
                    ORDER BY at DESC, row DESC LIMIT ?3)
               ORDER BY at DESC, row DESC, step DESC";
    let mut statement = connection.prepare_cached(sql)?;
    let failures = statement.query_map(params![error, goal, MOST_RUNS as i64], |row| {
        Ok((row.get(0)?, row.get(1)?, row.get(2)?))
    })?;
    failures.collect()
}

/// The newest steps of runs with an error.
fn newest(connection: &Connection, error: i64, most: usize) -> rusqlite::Result<Vec<Failure>> {
    let sql = "SELECT row, step, run FROM outcomes WHERE error = ?1 AND error <> 0 AND run <> 0
               ORDER BY at DESC, row DESC LIMIT ?2";
    let mut statement = connection.prepare_cached(sql)?;
    let failures = statement.query_map(params![error, most as i64], |row| {
        Ok((row.get(0)?, row.get(1)?, row.get(2)?))
    })?;
    failures.collect()
}

/// The next call of the same run that succeeded after the step of a failure.
fn recovery(
    connection: &Connection,
    (row, step, run): Failure,
) -> rusqlite::Result<Option<RecoveryCase>> {
    let ending = "FROM outcomes WHERE run = ?3 AND ends_run = 1 ORDER BY row DESC LIMIT 1";
    let sql = format!(
        "SELECT row, at, (SELECT content FROM texts WHERE text = call), (SELECT {SUCCEEDED} {ending}), step,
             (SELECT content FROM texts WHERE text = (SELECT goal {ending}))
         FROM outcomes
         WHERE run = ?3 AND (row, step) > (?1, ?2) AND succeeded = 1 AND ends_run = 0
         ORDER BY row, step LIMIT 1"
    );
    let mut statement = connection.prepare_cached(&sql)?;
    let mut found = statement.query_map(params![row, step, run], |row| {
        Ok(RecoveryCase {
            call: row.get::<_, Option<String>>(2)?.unwrap_or_default(),
            row: Row(row.get(0)?),
            step: row.get::<_, i64>(4)? as usize,
            at: row.get(1)?,
            run_succeeded: row.get(3)?,
            goal: row.get::<_, Option<String>>(5)?.unwrap_or_default(),
            relevance: 1.0,
        })
    })?;
    found.next().transpose()
}
