//! Finished attempts at a goal, with their steps.

use anamne_types::Row;
use rusqlite::{Connection, Row as SqlRow, params};

use super::ExperienceView;
use super::cases::{Case, FIELDS, SUCCEEDED, case};
use super::codes::Searched;
use super::texts::{self, TextKind};
use crate::ExperienceError;

/// The last steps of an attempt that are read.
const MOST_STEPS: usize = 64;

/// A finished attempt at a goal: a run that ended, or an episode with a goal that was judged.
#[derive(Clone, Debug, PartialEq)]
pub struct Trajectory {
    /// The row of the memory that says what came of it: the outcome of the run, or the episode.
    pub row: Row,
    /// When it ended, microseconds since 1970.
    pub at: i64,
    /// The goal.
    pub goal: String,
    /// Who acted; empty if unknown.
    pub agent: String,
    /// Whether it reached the goal: by the latest judgement, else as recorded.
    pub succeeded: bool,
    /// Its last 64 steps, in order.
    pub steps: Vec<Case>,
    /// How much its goal has to do with the one asked for, 0 to 1: the cosine of both goals, or 1.
    pub relevance: f32,
}

/// The end of an attempt.
struct End {
    trajectory: Trajectory,
    run: i64,
    is_episode: bool,
}

/// The ends of attempts, under a condition on `goal` or `row`. A judgement without a verdict ends no episode.
fn ends(condition: &str) -> String {
    format!(
        "SELECT row, at, (SELECT content FROM texts WHERE text = goal), (SELECT content FROM texts WHERE text = agent),
             succeeded, run, is_episode
         FROM (SELECT row, at, goal, agent, {SUCCEEDED} AS succeeded, run, 0 AS is_episode
               FROM outcomes WHERE ends_run = 1 AND run <> 0 AND goal <> 0
               UNION ALL
               SELECT row, at, goal, agent,
                   (SELECT verdict = 2 FROM judgements WHERE about = episodes.id AND verdict < 4
                    ORDER BY judgements.row DESC LIMIT 1), 0, 1
               FROM episodes)
         WHERE succeeded IS NOT NULL AND {condition}
         ORDER BY at DESC, row DESC LIMIT ?2"
    )
}

impl Trajectory {
    /// A digest of what it was: its goal, its steps and what came of them. O(bytes).
    pub fn digest(&self) -> [u8; 16] {
        let mut hasher = blake3::Hasher::new();
        let mut add = |text: &str, succeeded: bool| {
            hasher.update(&(text.len() as u64).to_le_bytes());
            hasher.update(text.as_bytes());
            hasher.update(&[u8::from(succeeded)]);
        };
        add(&self.goal, self.succeeded);
        for step in &self.steps {
            add(&step.call, step.succeeded);
            add(&step.error, false);
        }
        let first = hasher.finalize().as_bytes().first_chunk().copied();
        first.unwrap_or_default()
    }
}

impl ExperienceView {
    /// The newest finished attempts at each of the goals most similar to `goal`, best goal first. O(goals).
    pub fn similar_trajectories(
        &self,
        goal: &str,
        goals: usize,
        of_each: usize,
    ) -> Result<Vec<Trajectory>, ExperienceError> {
        let similar = self.similar(Searched::Attempts, goal, goals)?;
        let mut found = Vec::new();
        for one in similar {
            let of_goal =
                self.with(|connection| read(connection, "goal = ?1", one.number, of_each))?;
            found.extend(of_goal.into_iter().map(|trajectory| Trajectory {
                relevance: one.cosine.clamp(0.0, 1.0),
                ..trajectory
            }));
        }
        Ok(found)
    }

    /// The newest finished attempts, newest first. O(attempts).
    pub fn newest_trajectories(&self, most: usize) -> Result<Vec<Trajectory>, ExperienceError> {
        self.trajectories_where("row > ?1", -1, most)
    }

    /// The finished attempt whose end this row tells, with the others at the same goal, newest first. O(attempts).
    pub fn trajectories_beside(
        &self,
        row: Row,
        most: usize,
    ) -> Result<Vec<Trajectory>, ExperienceError> {
        let ended = "goal = (SELECT goal FROM outcomes WHERE row = ?1 AND ends_run = 1
                            UNION ALL SELECT goal FROM episodes WHERE row = ?1)";
        self.trajectories_where(ended, i64::from(row.0), most)
    }

    /// The newest finished runs that met errors with these normal forms, each once; those of the first form first, the newest first.
    /// O(forms · `most` · log rows).
    pub fn trajectories_with(
        &self,
        forms: &[String],
        most: usize,
    ) -> Result<Vec<Trajectory>, ExperienceError> {
        let met = "(run IN (SELECT run FROM outcomes WHERE error = ?1 AND run <> 0)
                    OR is_episode AND row IN (SELECT row FROM outcomes WHERE error = ?1))";
        let mut found: Vec<Trajectory> = Vec::new();
        for form in forms {
            let error = self.with(|connection| texts::find(connection, form, TextKind::Error))?;
            let Some(error) = error else { continue };
            let of_form = self.trajectories_where(met, error, most)?.into_iter();
            let is_new = |one: &Trajectory| found.iter().all(|known| known.row != one.row);
            let of_form: Vec<Trajectory> = of_form.filter(is_new).collect();
            found.extend(of_form);
        }
        found.truncate(most);
        Ok(found)
    }

    fn trajectories_where(
        &self,
        condition: &str,
        value: i64,
        most: usize,
    ) -> Result<Vec<Trajectory>, ExperienceError> {
        if !self.file.exists() {
            return Ok(Vec::new());
        }
        self.with(|connection| read(connection, condition, value, most))
    }
}

fn read(
    connection: &Connection,
    condition: &str,
    value: i64,
    most: usize,
) -> rusqlite::Result<Vec<Trajectory>> {
    let mut statement = connection.prepare_cached(&ends(condition))?;
    let found = statement.query_map(params![value, most as i64], end)?;
    let found: Vec<End> = found.collect::<Result<_, _>>()?;
    let with_steps = found.into_iter().map(|end| {
        let steps = steps_before(connection, &end)?;
        Ok(Trajectory {
            steps,
            ..end.trajectory
        })
    });
    with_steps.collect()
}

fn end(row: &SqlRow<'_>) -> rusqlite::Result<End> {
    let text = |index| {
        row.get::<_, Option<String>>(index)
            .map(Option::unwrap_or_default)
    };
    Ok(End {
        trajectory: Trajectory {
            row: Row(row.get(0)?),
            at: row.get(1)?,
            goal: text(2)?,
            agent: text(3)?,
            succeeded: row.get(4)?,
            steps: Vec::new(),
            relevance: 1.0,
        },
        run: row.get(5)?,
        is_episode: row.get(6)?,
    })
}

/// The steps of an attempt: the tool calls of the episode, or the steps of the run since it ended before.
fn steps_before(connection: &Connection, end: &End) -> rusqlite::Result<Vec<Case>> {
    let condition = if end.is_episode {
        "row = ?1 AND ?2 = 0"
    } else {
        "run = ?2 AND row < ?1
         AND row > coalesce((SELECT max(row) FROM outcomes WHERE run = ?2 AND ends_run = 1 AND row < ?1), -1)"
    };
    let sql = format!(
        "SELECT {FIELDS} FROM outcomes WHERE ends_run = 0 AND {condition}
         ORDER BY row DESC, step DESC LIMIT ?3"
    );
    let mut statement = connection.prepare_cached(&sql)?;
    let of = params![end.trajectory.row.0, end.run, MOST_STEPS as i64];
    let steps = statement.query_map(of, case)?;
    let mut steps: Vec<Case> = steps.collect::<Result<_, _>>()?;
    steps.reverse();
    Ok(steps)
}
