//! Lessons, working memory and experiments: rows of memories whose content the source has.

use anamne_types::{MemoryId, Row, Verdict};
use rusqlite::params;

use super::ExperienceView;
use super::codes::Searched;
use super::texts::{self, TextKind};
use crate::ExperienceError;

impl ExperienceView {
    /// The lessons that are most similar to a task, best first, with the cosine. O(lessons).
    pub fn lessons(&self, task: &str, most: usize) -> Result<Vec<(f32, Row)>, ExperienceError> {
        let similar = self.similar(Searched::Lessons, task, most)?;
        if similar.is_empty() {
            return Ok(Vec::new());
        }
        self.with(|connection| {
            let sql = "SELECT row FROM lessons WHERE subject = ?1 AND set_aside = 0
                       ORDER BY row DESC LIMIT ?2";
            let mut statement = connection.prepare_cached(sql)?;
            let mut lessons = Vec::new();
            for one in &similar {
                let rows =
                    statement.query_map(params![one.number, most as i64], |row| row.get(0))?;
                for row in rows {
                    lessons.push((one.cosine, Row(row?)));
                }
            }
            lessons.truncate(most);
            Ok(lessons)
        })
    }

    /// The keys of proposed lessons that were kept or set aside, with the row of the memory that says so, and whether it sets
    /// the lesson aside. O(such memories).
    pub fn decided_lessons(&self) -> Result<Vec<(String, Row, bool)>, ExperienceError> {
        if !self.file.exists() {
            return Ok(Vec::new());
        }
        self.with(|connection| {
            let sql = "SELECT (SELECT content FROM texts WHERE text = item), row, set_aside
                       FROM lessons WHERE item <> 0 ORDER BY row";
            let mut statement = connection.prepare_cached(sql)?;
            let decided =
                statement.query_map([], |row| Ok((row.get(0)?, Row(row.get(1)?), row.get(2)?)))?;
            decided.collect()
        })
    }

    /// The newest value of each key of working memory that lives at `now`, by row: of one session and agent, or of all.
    pub fn working(
        &self,
        scope: Option<(&str, &str)>,
        now: i64,
    ) -> Result<Vec<Row>, ExperienceError> {
        if !self.file.exists() {
            return Ok(Vec::new());
        }
        self.with(|connection| {
            let number = |text: &str| -> rusqlite::Result<i64> {
                let found = texts::find(connection, text, TextKind::Name)?;
                // No row has the number of an unknown name.
                Ok(found.unwrap_or(if text.is_empty() { texts::NONE } else { -1 }))
            };
            let of_scope = match scope {
                Some((session, agent)) => Some((number(session)?, number(agent)?)),
                None => None,
            };
            let sql = "SELECT max(row), expires_at, session, agent FROM working
                       GROUP BY session, agent, key ORDER BY 1";
            let mut statement = connection.prepare_cached(sql)?;
            let mut rows = statement.query([])?;
            let mut live = Vec::new();
            while let Some(row) = rows.next()? {
                let expires_at: Option<i64> = row.get(1)?;
                let found = (row.get(2)?, row.get(3)?);
                let is_in_scope = of_scope.is_none_or(|scope| scope == found);
                if is_in_scope && expires_at.is_none_or(|expires_at| expires_at > now) {
                    live.push(Row(row.get(0)?));
                }
            }
            Ok(live)
        })
    }

    /// The newest record of each experiment, by row.
    pub fn experiments(&self) -> Result<Vec<Row>, ExperienceError> {
        if !self.file.exists() {
            return Ok(Vec::new());
        }
        self.with(|connection| {
            let sql = "SELECT max(row) FROM experiments GROUP BY name ORDER BY 1";
            let mut statement = connection.prepare_cached(sql)?;
            let rows = statement.query_map([], |row| row.get(0).map(Row))?;
            rows.collect()
        })
    }

    /// The judgements of a memory: how many of each verdict.
    pub fn judgements(&self, about: MemoryId) -> Result<Vec<(Verdict, u64)>, ExperienceError> {
        if !self.file.exists() {
            return Ok(Vec::new());
        }
        self.with(|connection| {
            let sql = "SELECT verdict, count(*) FROM judgements WHERE about = ?1 GROUP BY verdict";
            let mut statement = connection.prepare_cached(sql)?;
            let counted = statement.query_map([about.as_bytes()], |row| {
                Ok((Verdict::from_number(row.get(0)?), row.get::<_, i64>(1)?))
            })?;
            let mut counts = Vec::new();
            for one in counted {
                if let (Some(verdict), count) = one? {
                    counts.push((verdict, count as u64));
                }
            }
            Ok(counts)
        })
    }
}
