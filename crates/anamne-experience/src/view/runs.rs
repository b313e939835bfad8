//! Whole runs: those with similar goals, and how often whoever acts succeeds.

use jiff::Timestamp;
use rusqlite::{Connection, params};
use rustc_hash::FxHashMap;
use serde::{Deserialize, Serialize};

use super::ExperienceView;
use super::cases::{Case, FIELDS, case};
use super::texts::{self, TextKind};
use crate::chance::{self, Evidence};
use crate::{ExperienceError, normal};

/// Newest outcomes of which the shares of successes are computed.
const MOST_COUNTED: i64 = 1_000;

/// Newest outcomes among which whole runs are looked for.
const MOST_SEARCHED: i64 = 20_000;

/// Similar goals from which a chance is computed, and the newest runs of each.
const MOST_GOALS: usize = 8;
const MOST_RUNS: usize = 64;

/// Chosen on half of the tasks of `anamne-eval trajectories`: a run of another goal counts little unless it is much alike.
const RELEVANCE_POWER: i32 = 8;

/// Weight of everybody's share in that of an agent, in runs. Chosen on the same half.
const PRIOR_RUNS: f64 = 5.0;

/// Cosine from which another goal is called similar.
const SIMILAR: f32 = 0.6;

/// Share of successes that is expected without any case.
const UNKNOWN: f64 = 0.5;

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

impl ExperienceView {
    /// The share of successes among the newest thousand outcomes; ½ without any. O(1).
    pub fn success_share(&self) -> Result<f32, ExperienceError> {
        if !self.file.exists() {
            return Ok(UNKNOWN as f32);
        }
        let sql = "SELECT avg(succeeded) FROM (SELECT succeeded FROM outcomes ORDER BY row DESC LIMIT ?1)";
        let share: Option<f64> = self.with(|connection| {
            connection
                .prepare_cached(sql)?
                .query_row([MOST_COUNTED], |row| row.get(0))
        })?;
        Ok(share.unwrap_or(UNKNOWN) as f32)
    }

    /// The share of runs that succeed, of everybody and then of each agent: of their newest thousand runs, with
    /// everybody's share as the prior. O(agents).
    pub fn run_shares(&self, agents: &[&str]) -> Result<RunShares, ExperienceError> {
        if !self.file.exists() {
            return Ok(RunShares::default());
        }
        self.with(|connection| {
            let mut shares = RunShares {
                everybody: everybody(connection)?,
                of_agents: FxHashMap::default(),
            };
            for agent in agents {
                if !shares.of_agents.contains_key(*agent) {
                    let share = of_agent(connection, agent, shares.everybody)?;
                    shares.of_agents.insert((*agent).to_owned(), share);
                }
            }
            Ok(shares)
        })
    }

    /// How likely a run with a goal succeeds, after the runs of similar goals and then of this one. `agent` is who would run it;
    /// empty if unknown. O(goals).
    pub fn run_chance(
        &self,
        goal: &str,
        agent: &str,
        now: Timestamp,
    ) -> Result<RunChance, ExperienceError> {
        let runs = self.similar_runs(goal, MOST_GOALS, MOST_RUNS)?;
        let agents = runs.iter().map(|(_, run)| run.outcome.agent.as_str());
        let agents: Vec<&str> = agents.chain([agent]).collect();
        let shares = self.run_shares(&agents)?;
        let asked = normal::name(goal).to_lowercase();
        let (same, similar): (Vec<_>, Vec<_>) = runs
            .iter()
            .partition(|(_, run)| run.goal.to_lowercase() == asked);
        let of_same = same
            .iter()
            .map(|(_, run)| shares.evidence(&run.outcome, 1.0));
        let of_similar = similar
            .iter()
            .map(|(cosine, run)| shares.evidence(&run.outcome, relevance(*cosine)));
        let of_similar: Vec<Evidence> = of_similar.collect();
        let of_same: Vec<Evidence> = of_same.collect();
        Ok(RunChance {
            chance: chance::chance_beside(shares.of(agent), &of_similar, &of_same, now),
            same: same.len(),
            similar: similar
                .iter()
                .filter(|(cosine, _)| *cosine >= SIMILAR)
                .count(),
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
        if similar.is_empty() {
            return Ok(Vec::new());
        }
        self.with(|connection| {
            let sql = format!(
                "SELECT {FIELDS}, (SELECT content FROM texts WHERE text = run) FROM outcomes
                 WHERE goal = ?1 AND ends_run = 1 ORDER BY at DESC, row DESC LIMIT ?2"
            );
            let mut statement = connection.prepare_cached(&sql)?;
            let mut runs = Vec::new();
            for one in &similar {
                let of_goal = statement.query_map(params![one.number, of_each as i64], |row| {
                    let run: Option<String> = row.get(12)?;
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

/// How likely a run succeeds.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct RunChance {
    /// The chance, 0 to 1.
    pub chance: f64,
    /// Earlier runs with the same goal.
    pub same: usize,
    /// Those with similar ones: a cosine of at least 0.6. Others count for less.
    pub similar: usize,
}

/// How much runs with a goal of this cosine say about another goal.
fn relevance(cosine: f32) -> f64 {
    f64::from(cosine.max(0.0)).powi(RELEVANCE_POWER)
}

/// How often runs succeed.
#[derive(Clone, Debug, PartialEq)]
pub struct RunShares {
    everybody: f64,
    of_agents: FxHashMap<String, f64>,
}

impl Default for RunShares {
    fn default() -> Self {
        Self {
            everybody: UNKNOWN,
            of_agents: FxHashMap::default(),
        }
    }
}

impl RunShares {
    /// The share of an agent; everybody's for one that was not asked for.
    pub fn of(&self, agent: &str) -> f64 {
        self.of_agents.get(agent).copied().unwrap_or(self.everybody)
    }

    /// A run as evidence.
    pub fn evidence(&self, run: &Case, relevance: f64) -> Evidence {
        Evidence {
            at: run.at,
            succeeded: run.succeeded,
            expected: self.of(&run.agent),
            relevance,
        }
    }
}

fn everybody(connection: &Connection) -> rusqlite::Result<f64> {
    let sql = "SELECT total(succeeded), count(*) FROM
               (SELECT succeeded FROM
                   (SELECT row, succeeded, ends_run FROM outcomes ORDER BY row DESC LIMIT ?1)
                WHERE ends_run = 1 ORDER BY row DESC LIMIT ?2)";
    let mut statement = connection.prepare_cached(sql)?;
    statement.query_row([MOST_SEARCHED, MOST_COUNTED], |row| {
        Ok(chance::share(row.get(0)?, row.get(1)?, UNKNOWN, PRIOR_RUNS))
    })
}

/// The share of an agent, or everybody's if it is not known who acted.
fn of_agent(connection: &Connection, agent: &str, everybody: f64) -> rusqlite::Result<f64> {
    let Some(number) = texts::find(connection, agent, TextKind::Name)? else {
        return Ok(everybody);
    };
    let sql = "SELECT total(succeeded), count(*) FROM (SELECT succeeded FROM outcomes
               WHERE agent = ?1 AND ends_run = 1 ORDER BY row DESC LIMIT ?2)";
    let mut statement = connection.prepare_cached(sql)?;
    statement.query_row([number, MOST_COUNTED], |row| {
        Ok(chance::share(
            row.get(0)?,
            row.get(1)?,
            everybody,
            PRIOR_RUNS,
        ))
    })
}
