//! Searches and what came of them.

use anamne_types::{Row, Seq, Usefulness};
use rusqlite::{Connection, Row as SqlRow, params};

use super::codes::Searched;
use super::{ExperienceView, texts};
use crate::ExperienceError;

/// A search with its outcome.
#[derive(Clone, Debug, PartialEq)]
pub struct SearchCase {
    /// The memory's row.
    pub row: Row,
    /// When, microseconds since 1970.
    pub at: i64,
    /// The query.
    pub query: String,
    /// The name of the strategy.
    pub strategy: String,
    /// How many other strategies were tried before for the same question.
    pub tried: usize,
    /// The features from which the strategy was chosen.
    pub features: Vec<f32>,
    /// The experiment; empty if in none.
    pub experiment: String,
    /// The confidence of the best result.
    pub confidence: f32,
    /// The number of results.
    pub results: usize,
    /// How long it took, in microseconds.
    pub took_us: u64,
    /// The latest feedback; told feedback counts before implied one.
    pub usefulness: Option<Usefulness>,
}

impl SearchCase {
    /// Whether it helped, if known: 1 for helpful, ½ for partial, 0 for the rest.
    pub fn success(&self) -> Option<f32> {
        self.usefulness.map(|usefulness| match usefulness {
            Usefulness::Helpful => 1.0,
            Usefulness::Partial => 0.5,
            Usefulness::Useless | Usefulness::Ambiguous => 0.0,
        })
    }
}

/// What came of the searches with one strategy, in an experiment or in none.
#[derive(Clone, Debug, PartialEq)]
pub struct StrategyCount {
    /// The experiment; empty for searches in none.
    pub experiment: String,
    /// The name of the strategy.
    pub strategy: String,
    /// Number of searches.
    pub searches: u64,
    /// Those with feedback.
    pub judged: u64,
    /// The sum of [`SearchCase::success`].
    pub successes: f64,
}

/// The searches of one week.
#[derive(Clone, Debug, PartialEq)]
pub struct WeekOfSearches {
    /// Its beginning, microseconds since 1970: a Monday, 0:00 UTC.
    pub begins: i64,
    /// Number of searches.
    pub searches: u64,
    /// Those with feedback.
    pub judged: u64,
    /// The sum of [`SearchCase::success`].
    pub successes: f64,
    /// The mean confidence of the best result.
    pub confidence: f64,
}

/// The searches of one week with one strategy.
#[derive(Clone, Debug, PartialEq)]
pub struct StrategyWeek {
    /// Its beginning, microseconds since 1970: a Monday, 0:00 UTC.
    pub begins: i64,
    /// The name of the strategy.
    pub strategy: String,
    /// Number of searches.
    pub searches: u64,
    /// Those with feedback.
    pub judged: u64,
    /// The sum of [`SearchCase::success`].
    pub successes: f64,
}

/// The latest feedback on a search.
const USEFULNESS: &str = "(SELECT usefulness FROM search_feedback WHERE search = searches.id
      ORDER BY implied, row DESC LIMIT 1)";

/// The success of feedback `usefulness`.
const SUCCESS: &str =
    "CASE usefulness WHEN 1 THEN 1.0 WHEN 2 THEN 0.5 WHEN 3 THEN 0.0 WHEN 4 THEN 0.0 END";

/// Microseconds of a week, and of the days between the first Monday of 1970 and the epoch.
const WEEK: i64 = 7 * 86_400 * 1_000_000;
const MONDAY: i64 = 4 * 86_400 * 1_000_000;

impl ExperienceView {
    /// The last event that changed what [`ExperienceView::judged_searches`] gives; 0 if there is none. O(1).
    pub fn judged_at(&self) -> Result<Seq, ExperienceError> {
        if !self.file.exists() {
            return Ok(Seq(0));
        }
        self.with(|connection| {
            let mut statement = connection.prepare_cached("SELECT judged FROM state")?;
            let judged: i64 = statement.query_row([], |row| row.get(0))?;
            Ok(Seq(judged as u64))
        })
    }

    /// The searches on which feedback was last given, newest first. O(`most` · log rows).
    pub fn judged_searches(&self, most: usize) -> Result<Vec<SearchCase>, ExperienceError> {
        if !self.file.exists() {
            return Ok(Vec::new());
        }
        self.with(|connection| {
            let condition = "id IN (SELECT search FROM search_feedback ORDER BY row DESC LIMIT ?1)
                             ORDER BY at DESC, row DESC";
            search_cases(connection, condition, &[&(most as i64)])
        })
    }

    /// The newest searches since a time, in microseconds since 1970, that have no feedback. O(log searches + `most`).
    pub fn unjudged_searches(&self, since: i64, most: usize) -> Result<Vec<Row>, ExperienceError> {
        if !self.file.exists() {
            return Ok(Vec::new());
        }
        self.with(|connection| {
            let sql = "SELECT row FROM searches WHERE at >= ?1
                           AND NOT EXISTS (SELECT 1 FROM search_feedback WHERE search = searches.id)
                       ORDER BY at DESC LIMIT ?2";
            let mut statement = connection.prepare_cached(sql)?;
            let rows =
                statement.query_map(params![since, most as i64], |row| row.get(0).map(Row))?;
            rows.collect()
        })
    }

    /// The searches whose query is most similar, best first, with the cosine. O(queries).
    pub fn similar_searches(
        &self,
        query: &str,
        most: usize,
    ) -> Result<Vec<(f32, SearchCase)>, ExperienceError> {
        let similar = self.similar(Searched::Queries, query, most)?;
        self.with(|connection| {
            let mut found = Vec::new();
            for one in &similar {
                let condition = "query = ?1 ORDER BY at DESC, row DESC LIMIT ?2";
                let cases = search_cases(connection, condition, &[&one.number, &(most as i64)])?;
                found.extend(cases.into_iter().map(|case| (one.cosine, case)));
            }
            found.truncate(most);
            Ok(found)
        })
    }

    /// What came of the searches with each strategy. O(searches).
    pub fn strategy_counts(&self) -> Result<Vec<StrategyCount>, ExperienceError> {
        if !self.file.exists() {
            return Ok(Vec::new());
        }
        self.with(|connection| {
            let sql = format!(
                "SELECT experiment, strategy, count(*), count(usefulness), total({SUCCESS})
                 FROM (SELECT experiment, strategy, {USEFULNESS} AS usefulness FROM searches)
                 GROUP BY experiment, strategy ORDER BY 3 DESC, strategy"
            );
            let mut statement = connection.prepare_cached(&sql)?;
            let counts = statement.query_map([], |row| {
                Ok(StrategyCount {
                    experiment: texts::content(connection, row.get(0)?)?,
                    strategy: texts::content(connection, row.get(1)?)?,
                    searches: row.get::<_, i64>(2)? as u64,
                    judged: row.get::<_, i64>(3)? as u64,
                    successes: row.get(4)?,
                })
            })?;
            counts.collect()
        })
    }

    /// The searches by week and strategy, oldest week first. O(searches).
    pub fn strategy_weeks(&self) -> Result<Vec<StrategyWeek>, ExperienceError> {
        if !self.file.exists() {
            return Ok(Vec::new());
        }
        self.with(|connection| {
            let sql = format!(
                "SELECT week, strategy, count(*), count(usefulness), total({SUCCESS})
                 FROM (SELECT (at - ?1) / ?2 AS week, strategy, {USEFULNESS} AS usefulness FROM searches)
                 GROUP BY week, strategy ORDER BY week, 3 DESC, strategy"
            );
            let mut statement = connection.prepare_cached(&sql)?;
            let weeks = statement.query_map(params![MONDAY, WEEK], |row| {
                Ok(StrategyWeek {
                    begins: row.get::<_, i64>(0)? * WEEK + MONDAY,
                    strategy: texts::content(connection, row.get(1)?)?,
                    searches: row.get::<_, i64>(2)? as u64,
                    judged: row.get::<_, i64>(3)? as u64,
                    successes: row.get(4)?,
                })
            })?;
            weeks.collect()
        })
    }

    /// The searches by week, oldest first. O(searches).
    pub fn search_weeks(&self) -> Result<Vec<WeekOfSearches>, ExperienceError> {
        if !self.file.exists() {
            return Ok(Vec::new());
        }
        self.with(|connection| {
            let sql = format!(
                "SELECT week, count(*), count(usefulness), total({SUCCESS}), avg(confidence)
                 FROM (SELECT (at - ?1) / ?2 AS week, confidence, {USEFULNESS} AS usefulness FROM searches)
                 GROUP BY week ORDER BY week"
            );
            let mut statement = connection.prepare_cached(&sql)?;
            let weeks = statement.query_map(params![MONDAY, WEEK], |row| {
                Ok(WeekOfSearches {
                    begins: row.get::<_, i64>(0)? * WEEK + MONDAY,
                    searches: row.get::<_, i64>(1)? as u64,
                    judged: row.get::<_, i64>(2)? as u64,
                    successes: row.get(3)?,
                    confidence: row.get(4)?,
                })
            })?;
            weeks.collect()
        })
    }
}

fn search_cases(
    connection: &Connection,
    condition: &str,
    values: &[&dyn rusqlite::ToSql],
) -> rusqlite::Result<Vec<SearchCase>> {
    let sql = format!(
        "SELECT row, at, query, strategy, tried, features, experiment, confidence, results, took_us, {USEFULNESS}
         FROM searches WHERE {condition}"
    );
    let mut statement = connection.prepare_cached(&sql)?;
    let cases = statement.query_map(values, |row| search_case(connection, row))?;
    cases.collect()
}

fn search_case(connection: &Connection, row: &SqlRow<'_>) -> rusqlite::Result<SearchCase> {
    let bytes: Vec<u8> = row.get(5)?;
    let (features, _) = bytes.as_chunks();
    let usefulness: Option<u8> = row.get(10)?;
    Ok(SearchCase {
        row: Row(row.get(0)?),
        at: row.get(1)?,
        query: texts::content(connection, row.get(2)?)?,
        strategy: texts::content(connection, row.get(3)?)?,
        tried: row.get::<_, i64>(4)? as usize,
        features: features
            .iter()
            .map(|bytes| f32::from_le_bytes(*bytes))
            .collect(),
        experiment: texts::content(connection, row.get(6)?)?,
        confidence: row.get::<_, f64>(7)? as f32,
        results: row.get::<_, i64>(8)? as usize,
        took_us: row.get::<_, i64>(9)? as u64,
        usefulness: usefulness.and_then(Usefulness::from_number),
    })
}
