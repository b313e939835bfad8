//! Builds the summaries of changed periods, each in one transaction.

use anamne_store::view::MemoryFeed;
use anamne_types::{Memory, MemoryId};
use rusqlite::{Connection, OptionalExtension, params};
use rustc_hash::FxHashMap;

use super::file::Summaries;
use super::following::is_built_from_days;
use super::notes::{drop_period, drop_sentences};
use super::period::{Level, Span};
use super::reading::{level_of, sentences_between};
use super::{Digest, SummaryError, SummarySentence, Turn};

/// Number of memories read from the source at once.
const READ_AT_ONCE: usize = 256;

/// The result of [`Summaries::build`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, serde::Serialize)]
pub struct SummaryReport {
    /// Number of periods built.
    pub built: usize,
    /// Number of periods left to build.
    pub waiting: usize,
}

/// A period to build, with the event that last touched it.
#[derive(Clone, Copy, Debug)]
struct PendingPeriod {
    level: Level,
    thread: i64,
    span: Span,
    touched: i64,
}

/// A noted memory of the period.
#[derive(Clone, Copy)]
struct PeriodMemory {
    id: MemoryId,
    thread: i64,
    at: i64,
    place: i64,
    row: u32,
}

/// The sentences of a summary, with the number of memories and characters that it covers.
struct SummaryDraft {
    memories: u32,
    characters: u64,
    sentences: Vec<SummarySentence>,
}

impl Summaries {
    /// Builds the summaries of at most `limit` touched periods, sessions and days before weeks and months.
    ///
    /// `progress` is called after each with the number built so far. A period costs about 50 µs per short message and 400 µs
    /// per long one, and at most a thousand passages are compared with each other. Periods that another process built or
    /// touched meanwhile are left to the next call.
    pub fn build(
        &self,
        feed: &dyn MemoryFeed,
        limit: usize,
        progress: &mut dyn FnMut(usize),
    ) -> Result<SummaryReport, SummaryError> {
        let mut built = 0;
        while built < limit {
            let most = (limit - built).min(64);
            let batch = self.with(|connection| waiting(connection, most))?;
            let before = built;
            for period in batch {
                if self.build_one(feed, &period)? {
                    built += 1;
                    progress(built);
                }
            }
            if built == before {
                break;
            }
        }
        Ok(SummaryReport {
            built,
            waiting: self.waiting()?,
        })
    }

    fn build_one(
        &self,
        feed: &dyn MemoryFeed,
        period: &PendingPeriod,
    ) -> Result<bool, SummaryError> {
        let chosen = if is_built_from_days(period.level) {
            self.read_days(period)?
        } else {
            self.read_memories(feed, period)?
        };
        self.change(|transaction| write(transaction, period, &chosen))
    }

    fn read_memories(
        &self,
        feed: &dyn MemoryFeed,
        period: &PendingPeriod,
    ) -> Result<SummaryDraft, SummaryError> {
        let mut notes = self.with(|connection| notes_of(connection, period))?;
        in_reading_order(&mut notes);
        let mut digest = Digest::new();
        let mut thread = None;
        let mut memories = 0;
        for block in notes.chunks(READ_AT_ONCE) {
            let ids: Vec<MemoryId> = block.iter().map(|note| note.id).collect();
            let found = feed.memories(&ids)?;
            let found: FxHashMap<MemoryId, Memory> = found
                .into_iter()
                .map(|memory| (memory.id, memory))
                .collect();
            for note in block {
                // A memory that was forgotten or moved in time meanwhile will touch the period again.
                let Some(memory) = found
                    .get(&note.id)
                    .filter(|memory| memory.occurred_at.as_microsecond() == note.at)
                else {
                    continue;
                };
                if thread.replace(note.thread) != Some(note.thread) || note.thread == 0 {
                    digest.start_conversation();
                }
                read(&mut digest, memory);
                memories += 1;
            }
        }
        Ok(SummaryDraft {
            memories,
            characters: digest.characters() as u64,
            sentences: digest.sentences(&period.level.bounds()),
        })
    }

    /// Chooses from the sentences of the days' summaries.
    fn read_days(&self, period: &PendingPeriod) -> Result<SummaryDraft, SummaryError> {
        let (days, sentences) = self.with(|connection| {
            let days = days_of(connection, period.span)?;
            let sentences = sentences_between(connection, Level::Day, period.span)?;
            Ok((days, sentences))
        })?;
        let mut digest = Digest::new();
        for sentence in sentences {
            digest.read_sentence(sentence);
        }
        let bounds = period.level.bounds();
        let budget = bounds.budget(days.characters as usize);
        Ok(SummaryDraft {
            sentences: digest.sentences_within(&bounds, budget),
            ..days
        })
    }
}

fn read(digest: &mut Digest<'_>, memory: &Memory) {
    let mut text = memory.content.clone();
    memory.body.append_searchable(&mut text);
    let role = match &memory.body {
        anamne_types::Body::Message { role } => *role,
        _ => None,
    };
    digest.read(&Turn {
        id: memory.id,
        row: memory.row,
        author: memory.author.as_deref().unwrap_or_default(),
        role,
        text: &text,
        at: memory.occurred_at,
    });
}

/// Sorts by thread, the threads by their beginning; a memory without a thread counts as a thread of its own.
fn in_reading_order(notes: &mut [PeriodMemory]) {
    let own = |note: &PeriodMemory| (note.at, note.place, note.row);
    let mut begun: FxHashMap<i64, (i64, i64, u32)> = FxHashMap::default();
    for note in notes.iter().filter(|note| note.thread != 0) {
        let first = begun.entry(note.thread).or_insert_with(|| own(note));
        *first = (*first).min(own(note));
    }
    notes.sort_by_key(|note| {
        (
            begun
                .get(&note.thread)
                .copied()
                .unwrap_or_else(|| own(note)),
            own(note),
        )
    });
}

/// The periods to build next. Weeks and months come after all sessions and days.
fn waiting(connection: &Connection, limit: usize) -> rusqlite::Result<Vec<PendingPeriod>> {
    let mut statement = connection.prepare_cached(
        "SELECT level, thread, start, until, touched FROM periods WHERE touched IS NOT NULL ORDER BY level, start, thread \
         LIMIT ?1",
    )?;
    let rows = statement.query_map([limit as i64], |row| {
        Ok(PendingPeriod {
            level: level_of(row.get(0)?),
            thread: row.get(1)?,
            span: Span {
                start: row.get(2)?,
                until: row.get(3)?,
            },
            touched: row.get(4)?,
        })
    })?;
    rows.collect()
}

fn notes_of(
    connection: &Connection,
    period: &PendingPeriod,
) -> rusqlite::Result<Vec<PeriodMemory>> {
    let text = if period.level == Level::Session {
        "SELECT row, id, thread, place, at FROM sources WHERE thread = ?1 AND at >= ?2 AND at < ?3"
    } else {
        "SELECT row, id, thread, place, at FROM sources WHERE ?1 = 0 AND at >= ?2 AND at < ?3"
    };
    let mut statement = connection.prepare_cached(text)?;
    let rows = statement.query_map(
        params![period.thread, period.span.start, period.span.until],
        |row| {
            Ok(PeriodMemory {
                row: row.get(0)?,
                id: MemoryId::from_bytes(row.get(1)?),
                thread: row.get(2)?,
                place: row.get(3)?,
                at: row.get(4)?,
            })
        },
    )?;
    rows.collect()
}

/// The number of memories and characters of the days in a span.
fn days_of(connection: &Connection, span: Span) -> rusqlite::Result<SummaryDraft> {
    connection
        .prepare_cached(
            "SELECT coalesce(sum(memories), 0), coalesce(sum(characters), 0) FROM periods \
             WHERE level = ?1 AND thread = 0 AND start >= ?2 AND start < ?3",
        )?
        .query_row(
            params![Level::Day.number(), span.start, span.until],
            |row| {
                Ok(SummaryDraft {
                    memories: row.get(0)?,
                    characters: row.get::<_, i64>(1)? as u64,
                    sentences: Vec::new(),
                })
            },
        )
}

/// Stores a summary, unless the period was touched again or built by another process, or its days aren't built yet.
fn write(
    connection: &Connection,
    period: &PendingPeriod,
    chosen: &SummaryDraft,
) -> rusqlite::Result<bool> {
    if !is_unchanged(connection, period)?
        || (is_built_from_days(period.level) && has_waiting_days(connection, period.span)?)
    {
        return Ok(false);
    }
    let key = (period.level, period.thread, period.span.start);
    if chosen.memories == 0 {
        drop_period(connection, key.0, key.1, key.2)?;
        return Ok(true);
    }
    drop_sentences(connection, key.0, key.1, key.2)?;
    let mut insert = connection.prepare_cached(
        "INSERT INTO sentences (level, thread, start, place, row, at, author, own, text, score) \
         VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10)",
    )?;
    for (place, sentence) in chosen.sentences.iter().enumerate() {
        insert.execute(params![
            period.level.number(),
            period.thread,
            period.span.start,
            place as i64,
            sentence.row.0,
            sentence.at.as_microsecond(),
            sentence.author,
            sentence.own,
            sentence.text,
            f64::from(sentence.score),
        ])?;
    }
    connection
        .prepare_cached(
            "UPDATE periods SET memories = ?4, characters = ?5, touched = NULL WHERE level = ?1 AND thread = ?2 AND start = ?3",
        )?
        .execute(params![
            period.level.number(),
            period.thread,
            period.span.start,
            chosen.memories,
            chosen.characters as i64,
        ])?;
    Ok(true)
}

fn is_unchanged(connection: &Connection, period: &PendingPeriod) -> rusqlite::Result<bool> {
    let touched: Option<Option<i64>> = connection
        .prepare_cached("SELECT touched FROM periods WHERE level = ?1 AND thread = ?2 AND start = ?3 AND until = ?4")?
        .query_row(
            params![period.level.number(), period.thread, period.span.start, period.span.until],
            |row| row.get(0),
        )
        .optional()?;
    Ok(touched == Some(Some(period.touched)))
}

fn has_waiting_days(connection: &Connection, span: Span) -> rusqlite::Result<bool> {
    connection
        .prepare_cached(
            "SELECT EXISTS (SELECT 1 FROM periods WHERE level = ?1 AND start >= ?2 AND start < ?3 AND touched IS NOT NULL)",
        )?
        .query_row(params![Level::Day.number(), span.start, span.until], |row| row.get(0))
}
