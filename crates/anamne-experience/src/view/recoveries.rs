//! What was done after an error.

use std::collections::{BTreeMap, BTreeSet};

use anamne_types::Row;
use jiff::Timestamp;
use rusqlite::{Connection, Params, params};

use super::codes::Vector;
use super::courses::{Failure, recovery};
use super::near::near_errors;
use super::texts::{self, TextKind};
use super::{ExperienceView, codes};
use crate::chance::{Evidence, chance};
use crate::{ExperienceError, normal};

/// Cases that are read.
const MOST_CASES: usize = 256;

/// Cases of the very error that is asked for which are read in any case, and how many of the newest with its form are looked through.
const MOST_SAME: usize = 64;
const MOST_LOOKED_THROUGH: usize = 4_096;

/// The fewest cases of an error with which others like it are not looked at.
const FEW: usize = 3;

/// Similar goals, and the newest runs of each, whose errors are looked at first.
const MOST_GOALS: usize = 8;
const MOST_RUNS: usize = 32;

/// Chosen on half of the tasks of `anamne-eval trajectories`: how steeply the relevance of other goals and errors falls.
const GOAL_POWER: i32 = 4;
const ERROR_POWER: i32 = 2;

/// Chosen on the same half: the weight of a case of another agent than the one that asks, and of an own one in a run that failed.
/// Agents differ in what they can call, and in how they write a call.
const OF_ANOTHER: f64 = 1.0 / 30.0;
const OF_OWN_FAILURE: f64 = 0.1;

/// What was done after an error.
#[derive(Clone, Debug, PartialEq)]
pub struct RecoveryCase {
    /// The call that is named, normalised: the last change before the failed call was repeated, else the first one that succeeded.
    pub call: String,
    /// Its memory's row.
    pub row: Row,
    /// Which tool call of an episode it is; 0 for a record of its own.
    pub step: usize,
    /// When, microseconds since 1970.
    pub at: i64,
    /// Whether the error ended. Not if it came back, or if the failed call went on to fail, before something else helped.
    pub ended: bool,
    /// Whether the whole run succeeded, if known.
    pub run_succeeded: Option<bool>,
    /// The normalised error.
    pub error: String,
    /// What its placeholders stand for: [`normal::error_names`].
    pub error_names: i64,
    /// Where the error was recorded: its memory's row, and which tool call of an episode it is.
    pub failed: (Row, usize),
    /// The goal of the run; empty if unknown.
    pub goal: String,
    /// Who acted; empty if unknown.
    pub agent: String,
    /// How much its goal and its error have to do with those asked for, 0 to 1.
    pub relevance: f64,
}

/// One way to go on after an error.
#[derive(Clone, Debug, PartialEq)]
pub struct Recovery {
    /// The cases: those of this very error first, then those of similar goals, then the newest.
    pub cases: Vec<RecoveryCase>,
    /// The share of successes among all outcomes.
    pub expected: f64,
    /// The relevance of all cases in runs that did not fail. If it is known who asks, others' count a thirtieth, and own ones in
    /// runs that failed a tenth.
    pub support: f64,
    /// The part of it that is of this very error, with its names and numbers.
    pub same_support: f64,
    /// How likely the run then succeeds.
    pub chance: f64,
}

impl ExperienceView {
    /// The ways to go on after an error: those that helped after this very one, with its names and numbers, then the others, each best
    /// supported first. A case counts by how much its goal and its error have to do with those asked for, and more if `agent`, who asks,
    /// acted; empty if unknown. Of 256 cases: at most 64 of this very error, then after any error in runs with a similar goal, then the
    /// newest with the form of this error, and if it has fewer than three, of errors like it. O(goals + length of runs).
    pub fn recoveries(
        &self,
        error: &str,
        goal: &str,
        agent: &str,
        now: Timestamp,
    ) -> Result<Vec<Recovery>, ExperienceError> {
        let expected = f64::from(self.success_share()?);
        let (form, names) = (normal::error(error), normal::error_names(error));
        let mut by_call: BTreeMap<String, Vec<RecoveryCase>> = BTreeMap::new();
        for case in self.recovery_cases(&form, names, goal, MOST_CASES)? {
            by_call.entry(case.call.clone()).or_default().push(case);
        }
        let found = by_call.into_values().map(|cases| {
            let evidence: Vec<_> = cases.iter().map(|case| case.evidence(expected)).collect();
            let is_same = |case: &&RecoveryCase| case.error == form && case.error_names == names;
            let same = cases.iter().filter(is_same);
            Recovery {
                support: cases.iter().map(|case| case.support(agent)).sum(),
                same_support: same.map(|case| case.support(agent)).sum(),
                cases,
                expected,
                chance: chance(expected, &evidence, now),
            }
        });
        let mut found: Vec<Recovery> = found.collect();
        found.sort_by(|one, other| {
            let is_of_same = |way: &Recovery| way.same_support > 0.0;
            let by_error = is_of_same(other).cmp(&is_of_same(one));
            let by_support = other.support.total_cmp(&one.support);
            by_error
                .then(by_support)
                .then(other.chance.total_cmp(&one.chance))
        });
        Ok(found)
    }

    /// What was done after this very error, after errors in runs with a goal like `goal`, and then after the newest cases with the form
    /// of this error. O(goals, and `most` · length of a run).
    fn recovery_cases(
        &self,
        form: &str,
        names: i64,
        goal: &str,
        most: usize,
    ) -> Result<Vec<RecoveryCase>, ExperienceError> {
        if !self.file.exists() {
            return Ok(Vec::new());
        }
        let goals = self.similar_goals(goal, MOST_GOALS)?;
        let mut recoveries = self.with(|connection| {
            let mut failures = Failures::up_to(most);
            let same = texts::find(connection, form, TextKind::Error)?;
            if let Some(error) = same {
                failures.add_same(connection, error, names)?;
            }
            for goal in &goals {
                failures.add_of_goal(connection, goal.number)?;
            }
            let met = match same {
                Some(error) => failures.add_newest(connection, error)?,
                None => 0,
            };
            if met < FEW && !failures.is_full() {
                for near in near_errors(connection, form)? {
                    failures.add_newest(connection, near)?;
                }
            }
            let mut recoveries = Vec::new();
            for failure in failures.found {
                recoveries.extend(recovery(connection, failure)?);
            }
            Ok(recoveries)
        })?;
        relate(&mut recoveries, goal, form)?;
        Ok(recoveries)
    }
}

impl RecoveryCase {
    /// It as evidence; `expected` is the share of successes among all outcomes.
    pub fn evidence(&self, expected: f64) -> Evidence {
        Evidence {
            at: self.at,
            succeeded: self.has_helped(),
            expected,
            relevance: self.relevance,
        }
    }

    /// Whether the error ended, in a run that did not fail.
    fn has_helped(&self) -> bool {
        self.ended && self.run_succeeded != Some(false)
    }

    /// How much it supports doing the same again.
    fn support(&self, asking: &str) -> f64 {
        let has_failed = !self.has_helped();
        let is_own = !asking.is_empty() && self.agent == asking;
        let weight = match (is_own, has_failed) {
            (true, false) => 1.0,
            (true, true) => OF_OWN_FAILURE,
            (false, false) if asking.is_empty() => 1.0,
            (false, false) => OF_ANOTHER,
            (false, true) => 0.0,
        };
        weight * self.relevance
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

/// Steps that failed, each once, in the order in which they were found.
struct Failures {
    most: usize,
    known: BTreeSet<(i64, i64)>,
    found: Vec<Failure>,
}

impl Failures {
    fn up_to(most: usize) -> Self {
        Self {
            most,
            known: BTreeSet::new(),
            found: Vec::new(),
        }
    }

    fn is_full(&self) -> bool {
        self.found.len() >= self.most
    }

    /// Adds the steps that failed in the newest runs with a goal, the newest run first.
    fn add_of_goal(&mut self, connection: &Connection, goal: i64) -> rusqlite::Result<()> {
        let sql = "SELECT run FROM outcomes WHERE goal = ?1 AND ends_run = 1 AND run <> 0
                   ORDER BY at DESC, row DESC LIMIT ?2";
        let mut statement = connection.prepare_cached(sql)?;
        let runs = statement.query_map(params![goal, MOST_RUNS as i64], |row| row.get(0))?;
        for run in runs {
            let run: i64 = run?;
            let sql =
                "SELECT row, step, run FROM outcomes WHERE run = ?1 AND run <> 0 AND error <> 0
                       ORDER BY row DESC, step DESC LIMIT ?2";
            self.add(connection, sql, params![run, self.most as i64])?;
        }
        Ok(())
    }

    /// Adds the newest steps of runs with this error and these names and numbers.
    fn add_same(
        &mut self,
        connection: &Connection,
        error: i64,
        names: i64,
    ) -> rusqlite::Result<usize> {
        let sql = format!(
            "SELECT row, step, run FROM
                 (SELECT row, step, run, at, error_names FROM outcomes WHERE error = ?1 AND error <> 0 AND run <> 0
                  ORDER BY at DESC, row DESC LIMIT {MOST_LOOKED_THROUGH})
             WHERE error_names = ?3 ORDER BY at DESC, row DESC LIMIT min(?2, {MOST_SAME})"
        );
        self.add(connection, &sql, params![error, self.most as i64, names])
    }

    /// Adds the newest steps of runs with an error; returns how many there are, as far as there is room.
    fn add_newest(&mut self, connection: &Connection, error: i64) -> rusqlite::Result<usize> {
        let sql = "SELECT row, step, run FROM outcomes WHERE error = ?1 AND error <> 0 AND run <> 0
                   ORDER BY at DESC, row DESC LIMIT ?2";
        self.add(connection, sql, params![error, self.most as i64])
    }

    fn add(
        &mut self,
        connection: &Connection,
        sql: &str,
        values: impl Params,
    ) -> rusqlite::Result<usize> {
        let mut statement = connection.prepare_cached(sql)?;
        let mut rows = statement.query(values)?;
        let mut count = 0;
        while !self.is_full()
            && let Some(row) = rows.next()?
        {
            let failure = Failure {
                row: row.get(0)?,
                step: row.get(1)?,
                run: row.get(2)?,
            };
            count += 1;
            if self.known.insert((failure.row, failure.step)) {
                self.found.push(failure);
            }
        }
        Ok(count)
    }
}
