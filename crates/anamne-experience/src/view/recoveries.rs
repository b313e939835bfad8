//! What was done after an error.

use std::collections::{BTreeMap, BTreeSet};

use anamne_types::Row;
use jiff::Timestamp;
use rusqlite::{Connection, params};

use super::cases::SUCCEEDED;
use super::codes::Vector;
use super::near::near_errors;
use super::{ExperienceView, codes, texts};
use crate::chance::{Evidence, chance};
use crate::{ExperienceError, normal};

/// Cases that are read.
const MOST_CASES: usize = 256;

/// The fewest cases of an error with which others like it are not looked at.
const FEW: usize = 3;

/// Similar goals, and the newest runs of each, whose errors are looked at first.
const MOST_GOALS: usize = 8;
const MOST_RUNS: usize = 32;

/// Chosen on half of the tasks of `anamne-eval trajectories`: how steeply the relevance of other goals and errors falls.
const GOAL_POWER: i32 = 4;
const ERROR_POWER: i32 = 2;

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
    /// The normalised error.
    pub error: String,
    /// The goal of the run; empty if unknown.
    pub goal: String,
    /// How much its goal and its error have to do with those asked for, 0 to 1.
    pub relevance: f64,
}

/// One way to go on after an error.
#[derive(Clone, Debug, PartialEq)]
pub struct Recovery {
    /// The cases, those of similar goals first, then the newest.
    pub cases: Vec<RecoveryCase>,
    /// The share of successes among all outcomes.
    pub expected: f64,
    /// The relevance of all cases in runs that did not fail.
    pub support: f64,
    /// How likely the run then succeeds.
    pub chance: f64,
}

/// A step that failed: its row, its number and its run.
type Failure = (i64, i64, i64);

impl ExperienceView {
    /// The ways to go on after an error, best supported first. A case counts by how much its goal and its error have to do with
    /// those asked for. Of 256 cases: after any error in runs with a similar goal, then the newest of this error, and if it has fewer than
    /// three, of errors like it. O(goals + errors + length of runs).
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
                support: evidence
                    .iter()
                    .filter(|case| case.succeeded)
                    .map(|case| case.relevance)
                    .sum(),
                chance: chance(expected, &evidence, now),
            }
        });
        let mut found: Vec<Recovery> = found.collect();
        found.sort_by(|one, other| {
            let by_support = other.support.total_cmp(&one.support);
            by_support.then(other.chance.total_cmp(&one.chance))
        });
        Ok(found)
    }

    /// What was done after errors in runs with a goal like `goal`, and then after the newest cases of this error: the run's
    /// next call that succeeded. O(goals, errors, and `most` · length of a run).
    fn recovery_cases(
        &self,
        error: &str,
        goal: &str,
        most: usize,
    ) -> Result<Vec<RecoveryCase>, ExperienceError> {
        if !self.file.exists() {
            return Ok(Vec::new());
        }
        let form = normal::error(error);
        let goals = self.similar_goals(goal, MOST_GOALS)?;
        let mut recoveries = self.with(|connection| {
            let error = texts::find(connection, &form, false)?;
            let mut failures = Vec::new();
            for goal in &goals {
                failures.extend(of_goal(connection, goal.number)?);
            }
            let mut of_error = match error {
                Some(error) => newest(connection, error, most)?,
                None => Vec::new(),
            };
            if of_error.len() < FEW {
                for near in near_errors(connection, &form)? {
                    of_error.extend(newest(connection, near, most)?);
                }
            }
            failures.extend(of_error);
            let mut known = BTreeSet::new();
            failures.retain(|(row, step, _)| known.insert((*row, *step)));
            let mut recoveries = Vec::new();
            for failure in failures.into_iter().take(most) {
                recoveries.extend(recovery(connection, failure)?);
            }
            Ok(recoveries)
        })?;
        relate(&mut recoveries, goal, &form)?;
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

/// Sets how much each case has to do with an error and a goal.
fn relate(cases: &mut [RecoveryCase], goal: &str, error: &str) -> Result<(), ExperienceError> {
    let mut goals = Likeness::to(goal.trim(), GOAL_POWER)?;
    let mut errors = Likeness::to(error, ERROR_POWER)?;
    for case in cases {
        case.relevance = goals.of(&case.goal)? * errors.of(&case.error)?;
    }
    Ok(())
}

/// How much texts are like one text: 1 if it is empty or equal, else a power of the cosine.
struct Likeness<'a> {
    text: &'a str,
    vector: Option<Vector>,
    power: i32,
    known: BTreeMap<String, f64>,
}

impl<'a> Likeness<'a> {
    fn to(text: &'a str, power: i32) -> Result<Self, ExperienceError> {
        let vector = (!text.is_empty()).then(|| codes::vector(text));
        Ok(Self {
            text,
            vector: vector.transpose()?,
            power,
            known: BTreeMap::new(),
        })
    }

    fn of(&mut self, other: &str) -> Result<f64, ExperienceError> {
        let Some(vector) = &self.vector else {
            return Ok(1.0);
        };
        if other == self.text {
            return Ok(1.0);
        }
        if let Some(likeness) = self.known.get(other) {
            return Ok(*likeness);
        }
        let cosine = codes::cosine(vector, &codes::vector(other)?).max(0.0);
        let likeness = f64::from(cosine).powi(self.power);
        self.known.insert(other.to_owned(), likeness);
        Ok(likeness)
    }
}

/// The steps that failed in the newest runs with a goal.
fn of_goal(connection: &Connection, goal: i64) -> rusqlite::Result<Vec<Failure>> {
    let sql = "SELECT row, step, run FROM outcomes WHERE error <> 0 AND run IN
                   (SELECT run FROM outcomes WHERE goal = ?1 AND ends_run = 1 AND run <> 0
                    ORDER BY at DESC, row DESC LIMIT ?2)
               ORDER BY at DESC, row DESC, step DESC";
    let mut statement = connection.prepare_cached(sql)?;
    let failures = statement.query_map(params![goal, MOST_RUNS as i64], |row| {
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
             (SELECT content FROM texts WHERE text = (SELECT goal {ending})),
             (SELECT content FROM texts WHERE text = (SELECT error FROM outcomes WHERE row = ?1 AND step = ?2))
         FROM outcomes
         WHERE run = ?3 AND (row, step) > (?1, ?2) AND {SUCCEEDED} = 1 AND ends_run = 0
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
            error: row.get::<_, Option<String>>(6)?.unwrap_or_default(),
            relevance: 1.0,
        })
    })?;
    found.next().transpose()
}
