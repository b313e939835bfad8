//! What came of memories that were in view, and of goals that were reached again and again.

use anamne_types::MemoryId;
use rusqlite::params;

use super::ExperienceView;
use super::cases::{Case, FIELDS, SUCCEEDED, case};
use crate::ExperienceError;

impl ExperienceView {
    /// The newest outcomes of those who had a memory in view, newest first. O(outcomes with it in view).
    pub fn uses(&self, memory: MemoryId, most: usize) -> Result<Vec<Case>, ExperienceError> {
        if !self.file.exists() {
            return Ok(Vec::new());
        }
        self.with(|connection| {
            let sql = format!(
                "SELECT {FIELDS} FROM outcomes WHERE row IN (SELECT row FROM in_view WHERE memory = ?1)
                 ORDER BY at DESC, row DESC LIMIT ?2"
            );
            let mut statement = connection.prepare_cached(&sql)?;
            let cases = statement.query_map(params![memory.as_bytes(), most as i64], case)?;
            cases.collect()
        })
    }

    /// The goals of which at least `least` runs succeeded, most successes first. O(runs).
    pub fn reached_goals(&self, least: usize, most: usize) -> Result<Vec<String>, ExperienceError> {
        if !self.file.exists() {
            return Ok(Vec::new());
        }
        self.with(|connection| {
            let sql = format!(
                "SELECT (SELECT content FROM texts WHERE text = goal), total({SUCCEEDED}) AS successes
                 FROM outcomes WHERE ends_run = 1 AND goal <> 0
                 GROUP BY goal HAVING successes >= ?1 ORDER BY successes DESC, max(at) DESC LIMIT ?2"
            );
            let mut statement = connection.prepare_cached(&sql)?;
            let goals = statement.query_map(params![least as i64, most as i64], |row| row.get(0))?;
            goals.collect()
        })
    }
}
