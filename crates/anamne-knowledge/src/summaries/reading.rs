//! Reads summaries: by level and time, by period, by thread.

use std::ops::Range;

use anamne_types::{MadeBy, MemoryId, Row};
use jiff::Timestamp;
use rusqlite::{Connection, params};

use super::file::{SUMMARISER, Summaries};
use super::period::{Level, Span, instant, period_of};
use super::{SummaryError, SummarySentence, text_of};

/// The summary of a period.
#[derive(Clone, Debug, PartialEq, serde::Serialize, serde::Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct Summary {
    /// Its level.
    pub level: Level,
    /// The thread, for a session.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub thread: Option<String>,
    /// Start of the period; for a session the time of its first memory.
    pub start: Timestamp,
    /// End of the period, exclusive; for a session just after its last memory.
    pub end: Timestamp,
    /// Number of memories that it covers.
    pub memories: u32,
    /// Number of their characters.
    pub characters: u64,
    /// Whether memories were added or removed since it was built. Removed ones are in none of its sentences.
    pub stale: bool,
    /// What chose the sentences.
    pub made_by: MadeBy,
    /// Its sentences in order of time, each with its source.
    pub sentences: Vec<SummarySentence>,
}

impl Summary {
    /// The summary as plain text, without citations.
    pub fn text(&self) -> String {
        text_of(&self.sentences)
    }
}

const COLUMNS: &str = "SELECT periods.level, periods.thread, periods.start, periods.until, periods.memories, \
    periods.characters, periods.touched, threads.name FROM periods LEFT JOIN threads ON threads.number = periods.thread";

impl Summaries {
    /// The summaries of a level whose periods begin in a span of time, earliest first, at most `limit`.
    ///
    /// Without those that were never built. O(summaries · log n).
    pub fn between(
        &self,
        level: Level,
        span: Range<Timestamp>,
        limit: usize,
    ) -> Result<Vec<Summary>, SummaryError> {
        let condition = "periods.level = ?1 AND periods.start >= ?2 AND periods.start < ?3 AND periods.memories > 0 \
                         ORDER BY periods.start, threads.name LIMIT ?4";
        let span = (span.start.as_microsecond(), span.end.as_microsecond());
        self.found(
            condition,
            params![level.number(), span.0, span.1, limit as i64],
        )
    }

    /// The summary of the day, week or month that contains a time; for sessions see [`Summaries::session`].
    pub fn period(&self, level: Level, at: Timestamp) -> Result<Option<Summary>, SummaryError> {
        let start = period_of(level, at).start;
        let condition = "periods.level = ?1 AND periods.thread = 0 AND periods.start = ?2 AND periods.memories > 0";
        Ok(self.found(condition, params![level.number(), start])?.pop())
    }

    /// The summary of a thread's session that contains a time.
    pub fn session(&self, thread: &str, at: Timestamp) -> Result<Option<Summary>, SummaryError> {
        let condition = "periods.level = ?1 AND threads.name = ?2 AND periods.start <= ?3 AND periods.until > ?3 \
                         AND periods.memories > 0";
        Ok(self
            .found(
                condition,
                params![Level::Session.number(), thread, at.as_microsecond()],
            )?
            .pop())
    }

    /// The summaries of a thread's sessions, earliest first, at most `limit`.
    pub fn sessions_of(&self, thread: &str, limit: usize) -> Result<Vec<Summary>, SummaryError> {
        let condition = "periods.level = ?1 AND threads.name = ?2 AND periods.memories > 0 ORDER BY periods.start LIMIT ?3";
        self.found(
            condition,
            params![Level::Session.number(), thread, limit as i64],
        )
    }

    fn found(
        &self,
        condition: &str,
        parameters: &[&dyn rusqlite::ToSql],
    ) -> Result<Vec<Summary>, SummaryError> {
        self.with(|connection| {
            // Reads periods and sentences from one state of the database.
            let reading = connection.transaction()?;
            periods(&reading, condition, parameters)
        })
    }
}

fn periods(
    connection: &Connection,
    condition: &str,
    parameters: &[&dyn rusqlite::ToSql],
) -> rusqlite::Result<Vec<Summary>> {
    let mut statement = connection.prepare(&format!("{COLUMNS} WHERE {condition}"))?;
    let rows = statement.query_map(parameters, |row| {
        let thread: i64 = row.get(1)?;
        let start: i64 = row.get(2)?;
        let summary = Summary {
            level: level_of(row.get(0)?),
            thread: row.get(7)?,
            start: instant(start),
            end: instant(row.get(3)?),
            memories: row.get(4)?,
            characters: row.get::<_, i64>(5)? as u64,
            stale: row.get::<_, Option<i64>>(6)?.is_some(),
            made_by: MadeBy::rule("summary", SUMMARISER),
            sentences: Vec::new(),
        };
        Ok((thread, start, summary))
    })?;
    let mut found = Vec::new();
    for row in rows {
        let (thread, start, mut summary) = row?;
        summary.sentences = sentences_of(connection, summary.level, thread, start)?;
        found.push(summary);
    }
    Ok(found)
}

const SENTENCES: &str = "SELECT sentences.row, sources.id, sentences.at, sentences.author, sentences.own, sentences.text, \
    sentences.score FROM sentences JOIN sources ON sources.row = sentences.row";

fn sentences_of(
    connection: &Connection,
    level: Level,
    thread: i64,
    start: i64,
) -> rusqlite::Result<Vec<SummarySentence>> {
    let mut statement = connection.prepare_cached(&format!(
        "{SENTENCES} WHERE sentences.level = ?1 AND sentences.thread = ?2 AND sentences.start = ?3 ORDER BY sentences.place"
    ))?;
    let rows = statement.query_map(params![level.number(), thread, start], sentence)?;
    rows.collect()
}

/// The sentences of the summaries that begin in a span, in order of time.
pub(crate) fn sentences_between(
    connection: &Connection,
    level: Level,
    span: Span,
) -> rusqlite::Result<Vec<SummarySentence>> {
    let mut statement = connection.prepare_cached(&format!(
        "{SENTENCES} WHERE sentences.level = ?1 AND sentences.thread = 0 AND sentences.start >= ?2 AND sentences.start < ?3 \
         ORDER BY sentences.start, sentences.place"
    ))?;
    let rows = statement.query_map(params![level.number(), span.start, span.until], sentence)?;
    rows.collect()
}

fn sentence(row: &rusqlite::Row<'_>) -> rusqlite::Result<SummarySentence> {
    Ok(SummarySentence {
        row: Row(row.get(0)?),
        memory: MemoryId::from_bytes(row.get(1)?),
        at: instant(row.get(2)?),
        author: row.get(3)?,
        own: row.get(4)?,
        text: row.get(5)?,
        score: row.get::<_, f64>(6)? as f32,
    })
}

/// The level with this stored number; an unknown number counts as a day.
pub(crate) fn level_of(number: u8) -> Level {
    Level::ALL
        .into_iter()
        .find(|level| level.number() == number)
        .unwrap_or(Level::Day)
}
