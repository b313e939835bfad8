//! `observed/meta.db`: the query log.

use std::path::Path;

use anamne_recall::{AccessCount, AccessCounts, CreditedResult};
use anamne_store::{SideDatabase, SideFile, StoreError};
use anamne_types::{Door, Row, Temperature, Tier, Work};
use jiff::Timestamp;
use rusqlite::{Connection, OptionalExtension, Transaction, params};
use serde::{Deserialize, Serialize};

use super::learned::{Key, Learned, MOST_TERMS, NEWEST, TermHash, leading, leads_to, went_on};
use super::note::{MemoryAccess, Note};

/// Settings of the file. Losing the latest entries is acceptable.
const DATABASE: SideDatabase = SideDatabase {
    migrations: &[WITH_TOTALS_AND_DOORS],
    ..SideDatabase::new(3, include_str!("meta.sql"))
};

/// Format 2 had only decayed counts, which are at most the totals, and no doors.
const WITH_TOTALS_AND_DOORS: &str =
    "ALTER TABLE openings ADD COLUMN total INTEGER NOT NULL DEFAULT 1;
    UPDATE openings SET total = max(1, CAST(times + 0.999 AS INTEGER));
    ALTER TABLE asked ADD COLUMN door TEXT";

/// Maximum number of queries kept.
const MOST_ASKED: i64 = 10_000;

/// Maximum number of memories with access counts: the most recently opened.
const MOST_OPENED: i64 = 16_384;

/// A logged query with its outcome.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct LoggedQuery {
    /// Its number, never reused.
    pub number: u64,
    /// When it ran.
    pub at: Timestamp,
    /// A keyed hash of its words and filters in hexadecimal; equal for equal queries.
    pub hash: String,
    /// Its words, if the space keeps them.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub words: Option<String>,
    /// Its temperature, depth and filters.
    pub shape: String,
    /// The requested tiers.
    pub temperature: Temperature,
    /// The tiers that were searched.
    pub searched: Vec<Tier>,
    /// The skipped tiers.
    pub left_out: Vec<Tier>,
    /// The work; only tiers if there was nothing to plan.
    pub work: Work,
    /// Number of search stages; 0 if there was nothing to plan.
    pub stages: u32,
    /// Whether tiers beyond the requested ones were searched.
    pub widened: bool,
    /// Milliseconds from the call to the answer.
    pub took_ms: f64,
    /// Results.
    pub results: u64,
    /// The highest confidence.
    pub confidence: f32,
    /// The rows of the first ten results.
    pub found: Vec<Row>,
    /// The door; `None` for queries logged by earlier versions.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub door: Option<Door>,
    #[serde(skip)]
    pub(crate) terms: Vec<i64>,
}

/// The file, opened on first use.
pub(super) struct MetaFile(SideFile);

impl MetaFile {
    pub(super) fn at(path: &Path) -> Self {
        Self(SideFile::at(DATABASE, path))
    }

    pub(super) fn path(&self) -> &Path {
        self.0.path()
    }

    pub(super) fn exists(&self) -> bool {
        self.0.exists()
    }

    /// Deletes it and its quarantined copies.
    pub(super) fn remove(&mut self) -> Result<(), StoreError> {
        self.0.remove()
    }

    fn in_file<T>(
        &self,
        work: impl Fn(&mut Connection) -> rusqlite::Result<T>,
    ) -> Result<T, StoreError> {
        self.0.with(|connection| Ok(work(connection)?))
    }

    /// Reads all learned statistics.
    pub(super) fn read(&mut self) -> Result<Learned, StoreError> {
        self.in_file(|connection| {
            let key = connection.query_row("SELECT key FROM state", [], |row| row.get(0))?;
            let mut learned = Learned::new(Key(key));
            read_routes(connection, &mut learned)?;
            let mut best = connection.prepare("SELECT tier, times FROM payoffs WHERE what = 5")?;
            for row in best.query_map([], |row| Ok((row.get(0)?, row.get::<_, f64>(1)?)))? {
                let (tier, times) = row?;
                if let Some(tier) = Tier::from_number(tier) {
                    learned.best.insert(tier, times as f32);
                }
            }
            let mut costs = connection.prepare("SELECT shape, questions, going_on FROM costs")?;
            let costs = costs.query_map([], |row| {
                Ok((row.get(0)?, (row.get(1)?, row.get::<_, f64>(2)? as f32)))
            })?;
            learned.going_on = costs.collect::<Result<_, _>>()?;
            Ok(learned)
        })
    }

    /// Reads the access counts.
    pub(super) fn openings(&mut self) -> Result<AccessCounts, StoreError> {
        self.in_file(|connection| {
            let mut openings = connection.prepare("SELECT row, times, at, total FROM openings")?;
            openings.query_map([], opening)?.collect()
        })
    }

    /// Reads the access counts of one row.
    pub(super) fn opening(&mut self, row: Row) -> Result<Option<AccessCount>, StoreError> {
        self.in_file(|connection| known_opening(connection, row))
    }

    /// Writes buffered entries at the time `now`, except entries that may predate an erasure: older ones, and ones with
    /// a future time, whose clock was set back since.
    pub(super) fn write(
        &mut self,
        now: i64,
        door: Door,
        notes: &[Note],
        opened: &[MemoryAccess],
    ) -> Result<(), StoreError> {
        self.0.change(|transaction| {
            let state = "SELECT key, erased_at FROM state";
            let (key, erased_at): ([u8; 32], i64) =
                transaction.query_row(state, [], |row| Ok((row.get(0)?, row.get(1)?)))?;
            let key = Key(key);
            // An erasure with a future time would block all writes until then.
            transaction.execute("UPDATE state SET erased_at = min(erased_at, ?1)", [now])?;
            let is_later = |at: i64| at > erased_at && at <= now;
            for note in notes.iter().filter(|note| is_later(note.at)) {
                write_asked(transaction, key, door, note)?;
                write_payoffs(transaction, note)?;
                write_costs(transaction, note)?;
                if note.teaches() {
                    write_routes(transaction, key, note)?;
                }
            }
            for opened in opened.iter().filter(|opened| is_later(opened.at)) {
                write_opening(transaction, opened)?;
            }
            Ok(bound(transaction)?)
        })
    }

    /// The latest queries, latest first.
    pub(super) fn log(&mut self, limit: usize) -> Result<Vec<LoggedQuery>, StoreError> {
        let limit = i64::try_from(limit).unwrap_or(i64::MAX);
        self.in_file(|connection| {
            let mut asked = connection.prepare(
                "SELECT number, at, query, words, shape, temperature, searched, left_out, rows, bytes, stages, widened, \
                 took_us, results, confidence, found, terms, door FROM asked ORDER BY number DESC LIMIT ?1",
            )?;
            asked.query_map([limit], logged)?.collect()
        })
    }

    /// The hash of a term in this file.
    pub(super) fn key(&mut self) -> Result<Key, StoreError> {
        self.in_file(|connection| {
            connection
                .query_row("SELECT key FROM state", [], |row| row.get(0))
                .map(Key)
        })
    }

    /// Removes everything about the rows in `gone`, and the words of all queries; `at` is the current time.
    pub(super) fn forget(
        &mut self,
        at: i64,
        gone: &dyn Fn(&[Row]) -> Vec<Row>,
    ) -> Result<(), StoreError> {
        self.0.change(|transaction| -> Result<(), StoreError> {
            transaction.execute("UPDATE state SET erased_at = max(erased_at, ?1)", [at])?;
            transaction.execute("UPDATE asked SET words = NULL WHERE words IS NOT NULL", [])?;
            Ok(forget_rows(transaction, gone)?)
        })?;
        self.0.rewrite()?;
        self.0.truncate_wal()
    }

    /// Checks the file; returns its damage.
    pub(super) fn examine(&mut self) -> Result<Option<String>, StoreError> {
        let checked = self.in_file(|connection| {
            connection.query_row("PRAGMA integrity_check(1)", [], |row| {
                row.get::<_, String>(0)
            })
        })?;
        Ok((checked != "ok").then_some(checked))
    }
}

fn read_routes(connection: &Connection, learned: &mut Learned) -> rusqlite::Result<()> {
    let mut terms = connection
        .prepare("SELECT term, tier, times FROM term_routes ORDER BY at DESC LIMIT ?1")?;
    let terms = terms.query_map([MOST_TERMS as i64], |row| {
        Ok((row.get::<_, TermHash>(0)?, row.get(1)?, row.get(2)?))
    })?;
    for row in terms {
        let (term, tier, times) = row?;
        if let Some(tier) = Tier::from_number(tier) {
            learned.terms.entry(term).or_default().push((tier, times));
        }
    }
    Ok(())
}

fn names(tiers: &[Tier]) -> String {
    let names: Vec<String> = tiers.iter().map(ToString::to_string).collect();
    names.join(" ")
}

fn tiers_of(names: &str) -> Vec<Tier> {
    names
        .split(' ')
        .filter_map(|name| name.parse().ok())
        .collect()
}

fn write_asked(
    transaction: &Transaction<'_>,
    key: Key,
    door: Door,
    note: &Note,
) -> rusqlite::Result<()> {
    let trace = &note.trace;
    let terms: Vec<u8> = leading(key, note)
        .into_iter()
        .flat_map(TermHash::to_le_bytes)
        .collect();
    let sql = "INSERT INTO asked (at, query, terms, words, shape, temperature, hops, searched, left_out, rows, bytes, took_us, \
               stages, widened, results, confidence, found, door) \
               VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14, ?15, ?16, ?17, ?18)";
    transaction.prepare_cached(sql)?.execute(params![
        note.at,
        key.query(&note.query, &note.bounds),
        terms,
        note.logged,
        note.shape,
        note.temperature.as_str(),
        note.hops,
        names(&trace.searched),
        names(&trace.left_out),
        trace.work.rows as i64,
        trace.work.bytes as i64,
        (trace.took_ms * 1_000.0) as i64,
        trace.stages,
        trace.widened,
        trace.results as i64,
        f64::from(trace.confidence),
        found_bytes(&trace.found),
        door.as_str(),
    ])?;
    Ok(())
}

/// Which searches found a result: 1 lexical, 2 vector.
fn searches(found: &CreditedResult) -> u8 {
    u8::from(found.by_words) + 2 * u8::from(found.by_meaning)
}

fn found_bytes(found: &[CreditedResult]) -> Vec<u8> {
    let mut bytes = Vec::with_capacity(9 * found.len());
    for found in found {
        bytes.extend(found.row.0.to_le_bytes());
        bytes.extend(found.tier.number().to_le_bytes());
        bytes.push(searches(found));
    }
    bytes
}

fn rows_of(bytes: &[u8]) -> Vec<Row> {
    let (found, _) = bytes.as_chunks::<9>();
    found
        .iter()
        .map(|[a, b, c, d, ..]| Row(u32::from_le_bytes([*a, *b, *c, *d])))
        .collect()
}

fn write_payoffs(transaction: &Transaction<'_>, note: &Note) -> rusqlite::Result<()> {
    let sql = "INSERT INTO payoffs VALUES (?1, ?2, 1) ON CONFLICT DO UPDATE SET times = times + 1";
    let mut count = transaction.prepare_cached(sql)?;
    for tier in &note.trace.searched {
        count.execute(params![tier.number(), 0])?;
    }
    for found in &note.trace.found {
        let what = match searches(found) {
            0 => 4,
            searches => searches,
        };
        count.execute(params![found.tier.number(), what])?;
    }
    if let Some(best) = note.trace.found.first()
        && note.teaches()
    {
        count.execute(params![best.tier.number(), 5])?;
    }
    Ok(())
}

fn write_costs(transaction: &Transaction<'_>, note: &Note) -> rusqlite::Result<()> {
    if note.trace.stages == 0 {
        return Ok(());
    }
    let work = note.trace.work;
    let sql = "INSERT INTO costs VALUES (?1, 1, ?2, ?3, ?4, ?5, ?6) ON CONFLICT (shape) DO UPDATE SET \
               questions = questions + 1, \
               tiers = tiers + (excluded.tiers - tiers) * max(?7, 1.0 / (questions + 1)), \
               rows = rows + (excluded.rows - rows) * max(?7, 1.0 / (questions + 1)), \
               bytes = bytes + (excluded.bytes - bytes) * max(?7, 1.0 / (questions + 1)), \
               ms = ms + (excluded.ms - ms) * max(?7, 1.0 / (questions + 1)), \
               going_on = going_on + (excluded.going_on - going_on) * max(?7, 1.0 / (questions + 1))";
    transaction.prepare_cached(sql)?.execute(params![
        note.shape,
        f64::from(work.tiers),
        work.rows as f64,
        work.bytes as f64,
        note.trace.took_ms,
        f64::from(went_on(note)),
        NEWEST,
    ])?;
    Ok(())
}

fn write_routes(transaction: &Transaction<'_>, key: Key, note: &Note) -> rusqlite::Result<()> {
    if let Some(tier) = leads_to(note) {
        let sql = "INSERT INTO term_routes VALUES (?1, ?2, 1, ?3) \
                   ON CONFLICT DO UPDATE SET times = times + 1, at = excluded.at";
        let mut count = transaction.prepare_cached(sql)?;
        for term in leading(key, note) {
            count.execute(params![term, tier.number(), note.at])?;
        }
    }
    Ok(())
}

fn opening(row: &rusqlite::Row<'_>) -> rusqlite::Result<(Row, AccessCount)> {
    let opening = AccessCount {
        times: row.get::<_, f64>(1)? as f32,
        at: row.get(2)?,
        total: row.get::<_, i64>(3)? as u64,
    };
    Ok((Row(row.get(0)?), opening))
}

fn known_opening(connection: &Connection, row: Row) -> rusqlite::Result<Option<AccessCount>> {
    let sql = "SELECT row, times, at, total FROM openings WHERE row = ?1";
    let mut known = connection.prepare_cached(sql)?;
    let known = known.query_row([row.0], opening).optional()?;
    Ok(known.map(|(_, known)| known))
}

fn write_opening(transaction: &Transaction<'_>, opened: &MemoryAccess) -> rusqlite::Result<()> {
    let before = known_opening(transaction, opened.row)?.unwrap_or_default();
    let now = before.incremented(opened.at);
    let sql = "INSERT OR REPLACE INTO openings (row, times, at, total) VALUES (?1, ?2, ?3, ?4)";
    let mut write = transaction.prepare_cached(sql)?;
    let total = i64::try_from(now.total).unwrap_or(i64::MAX);
    write.execute(params![opened.row.0, f64::from(now.times), now.at, total])?;
    Ok(())
}

/// Deletes entries beyond the limit.
fn bound(transaction: &Transaction<'_>) -> rusqlite::Result<()> {
    let newest = "DELETE FROM asked WHERE number <= (SELECT max(number) FROM asked) - ?1";
    transaction.execute(newest, [MOST_ASKED])?;
    let last = "DELETE FROM openings WHERE row IN (SELECT row FROM openings ORDER BY at DESC LIMIT -1 OFFSET ?1)";
    transaction.execute(last, [MOST_OPENED])?;
    let rows: i64 =
        transaction.query_row("SELECT count(*) FROM term_routes", [], |row| row.get(0))?;
    // A quarter more may accumulate before the oldest are deleted in one batch.
    if rows > (MOST_TERMS + MOST_TERMS / 4) as i64 {
        let nth = "SELECT at FROM term_routes ORDER BY at DESC LIMIT 1 OFFSET ?1";
        let oldest: i64 = transaction.query_row(nth, [MOST_TERMS as i64], |row| row.get(0))?;
        transaction.execute("DELETE FROM term_routes WHERE at <= ?1", [oldest])?;
    }
    Ok(())
}

/// Deletes queries with erased rows among their results, what was learned from their words, and the access counts of
/// these rows.
fn forget_rows(
    transaction: &Transaction<'_>,
    gone: &dyn Fn(&[Row]) -> Vec<Row>,
) -> rusqlite::Result<()> {
    let mut asked = transaction.prepare("SELECT number, terms, found FROM asked")?;
    let asked = asked.query_map([], |row| {
        let found: Vec<u8> = row.get(2)?;
        Ok((row.get(0)?, row.get(1)?, rows_of(&found)))
    })?;
    let asked: Vec<(i64, Vec<u8>, Vec<Row>)> = asked.collect::<Result<_, _>>()?;
    let mut rows: Vec<Row> = asked.iter().flat_map(|(.., rows)| rows).copied().collect();
    let mut opened = transaction.prepare("SELECT row FROM openings")?;
    for row in opened.query_map([], |row| Ok(Row(row.get(0)?)))? {
        rows.push(row?);
    }
    rows.sort_unstable();
    rows.dedup();
    let gone = gone(&rows);
    for row in &gone {
        transaction.execute("DELETE FROM openings WHERE row = ?1", [row.0])?;
    }
    let names_gone = |rows: &[Row]| rows.iter().any(|row| gone.binary_search(row).is_ok());
    for (number, terms, _) in asked.iter().filter(|(.., rows)| names_gone(rows)) {
        transaction.execute("DELETE FROM asked WHERE number = ?1", [number])?;
        for term in hashes(terms) {
            transaction.execute("DELETE FROM term_routes WHERE term = ?1", [term])?;
        }
    }
    Ok(())
}

fn hashes(bytes: &[u8]) -> Vec<TermHash> {
    let (terms, _) = bytes.as_chunks::<8>();
    terms
        .iter()
        .map(|term| TermHash::from_le_bytes(*term))
        .collect()
}

fn logged(row: &rusqlite::Row<'_>) -> rusqlite::Result<LoggedQuery> {
    let hash: [u8; 16] = row.get(2)?;
    let searched = tiers_of(&row.get::<_, String>(6)?);
    Ok(LoggedQuery {
        number: row.get::<_, i64>(0)? as u64,
        at: Timestamp::from_microsecond(row.get(1)?).unwrap_or(Timestamp::UNIX_EPOCH),
        hash: format!("{:032x}", u128::from_be_bytes(hash)),
        words: row.get(3)?,
        shape: row.get(4)?,
        temperature: row.get::<_, String>(5)?.parse().unwrap_or_default(),
        left_out: tiers_of(&row.get::<_, String>(7)?),
        work: Work {
            tiers: searched.len() as u32,
            rows: row.get::<_, i64>(8)? as u64,
            bytes: row.get::<_, i64>(9)? as u64,
            ..Work::default()
        },
        searched,
        stages: row.get(10)?,
        widened: row.get(11)?,
        took_ms: row.get::<_, i64>(12)? as f64 / 1_000.0,
        results: row.get::<_, i64>(13)? as u64,
        confidence: row.get::<_, f64>(14)? as f32,
        found: rows_of(&row.get::<_, Vec<u8>>(15)?),
        terms: hashes(&row.get::<_, Vec<u8>>(16)?),
        door: row
            .get::<_, Option<String>>(17)?
            .and_then(|door| door.parse().ok()),
    })
}
