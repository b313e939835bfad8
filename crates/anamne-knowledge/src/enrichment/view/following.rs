//! Follows the log: takes memories in and out, and lets those concerned look for links again.

use std::collections::BTreeSet;

use anamne_store::view::{MemoryFeed, MemoryState};
use anamne_types::{Category, EnrichedPart, Enrichment, Memory, Row, Seq};
use rusqlite::{Connection, OptionalExtension, params};

use super::linking::relink;
use super::{KEYS, WINDOW, clear, position};
use crate::enrichment::{Enricher, RULES_VERSION};
use crate::summaries::{Summaries, SummaryError};

/// The outcome of [`Summaries::enrich`].
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, serde::Serialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct EnrichmentReport {
    /// Number of memories enriched or taken out.
    pub memories: u64,
    /// The event reached.
    pub reached: Seq,
}

impl Summaries {
    /// The last event applied to the enrichment; 0 after a change of the rules.
    pub fn enriched_position(&self) -> Result<Seq, SummaryError> {
        self.with(|connection| position(connection))
    }

    /// Applies the events after the position, `batch` memories in a transaction, until `go_on`, called after each with the event
    /// reached, returns false. About 0.5 ms per memory. A log that ends before the position, and new rules, begin anew.
    pub fn enrich(
        &self,
        feed: &dyn MemoryFeed,
        batch: usize,
        go_on: &mut dyn FnMut(Seq) -> bool,
    ) -> Result<EnrichmentReport, SummaryError> {
        let mut report = EnrichmentReport::default();
        // In this order: another process may append to the log and apply it meanwhile.
        let (reached, head) = (self.enriched_position()?, feed.head()?);
        if reached > head || reached == Seq(0) {
            self.change(|transaction| clear(transaction))?;
        }
        loop {
            let from = self.enriched_position()?;
            report.reached = from;
            if from >= head {
                return Ok(report);
            }
            let states = feed.states_since(from, batch)?;
            // Anew for each batch, because it keeps every word that it has seen.
            let mut enricher = Enricher::new();
            let through = match states.last() {
                Some(last) if states.len() == batch => last.seq,
                Some(last) => last.seq.max(head),
                None => head,
            };
            if self.enrich_states(feed, &states, from, through, &mut enricher)? {
                report.memories += states.len() as u64;
            }
            report.reached = through;
            if !go_on(through) {
                return Ok(report);
            }
        }
    }

    /// Applies states in one transaction, unless another process did meanwhile; returns whether this one did.
    fn enrich_states(
        &self,
        feed: &dyn MemoryFeed,
        states: &[MemoryState],
        from: Seq,
        through: Seq,
        enricher: &mut Enricher,
    ) -> Result<bool, SummaryError> {
        self.change_with_feed(|transaction| {
            if position(transaction)? != from {
                return Ok(false);
            }
            let mut concerned = BTreeSet::new();
            for state in states {
                take_out(transaction, state.row, &mut concerned)?;
                if let Some(memory) = state.memory.as_ref().filter(|memory| is_enriched(memory)) {
                    take_in(transaction, memory, state.row, enricher, &mut concerned)?;
                }
            }
            relink(transaction, feed, &concerned, enricher)?;
            let sql = "UPDATE enrichment SET watermark = ?1, rules = ?2";
            transaction.execute(sql, params![through.0 as i64, RULES_VERSION])?;
            Ok(true)
        })
    }
}

/// Whether something may be noted beside this memory.
fn is_enriched(memory: &Memory) -> bool {
    Enrichment::applies_to(memory)
        && !EnrichedPart::removed_from(&memory.metadata).contains(&EnrichedPart::All)
}

fn take_out(
    connection: &Connection,
    row: Row,
    concerned: &mut BTreeSet<Row>,
) -> rusqlite::Result<()> {
    let keys: Option<Vec<u8>> = connection
        .prepare_cached("SELECT keys FROM enriched WHERE row = ?1")?
        .query_row([row.0], |found| found.get(0))
        .optional()?;
    let Some(keys) = keys else {
        return Ok(());
    };
    for key in keys_of(&keys) {
        seekers(connection, key, row, concerned)?;
        connection
            .prepare_cached("DELETE FROM enriched_keys WHERE key = ?1 AND row = ?2")?
            .execute(params![key, row.0])?;
    }
    for sql in [
        "DELETE FROM enriched_links WHERE source = ?1",
        "DELETE FROM enriched_links WHERE target = ?1",
        "DELETE FROM enriched WHERE row = ?1",
    ] {
        connection.prepare_cached(sql)?.execute([row.0])?;
    }
    concerned.remove(&row);
    Ok(())
}

fn take_in(
    connection: &Connection,
    memory: &Memory,
    row: Row,
    enricher: &mut Enricher,
    concerned: &mut BTreeSet<Row>,
) -> rusqlite::Result<()> {
    let judged = Enrichment {
        category: enricher.category(&memory.content),
        ..Enrichment::default()
    };
    let category = judged.beside(memory).category;
    let linkable = enricher.linkable(&memory.content);
    let keys = linkable.keys(KEYS);
    let bytes: Vec<u8> = keys.iter().flat_map(|key| key.to_le_bytes()).collect();
    connection
        .prepare_cached("INSERT INTO enriched VALUES (?1, ?2, ?3, ?4)")?
        .execute(params![
            row.0,
            memory.id.as_bytes(),
            category.map_or(0, Category::number),
            bytes
        ])?;
    for key in keys {
        connection
            .prepare_cached("INSERT OR IGNORE INTO enriched_keys VALUES (?1, ?2)")?
            .execute(params![key, row.0])?;
        seekers(connection, key, row, concerned)?;
    }
    if linkable.may_link() {
        concerned.insert(row);
    }
    Ok(())
}

/// The higher rows whose look-up under this key reaches this row: the nearest ones.
fn seekers(
    connection: &Connection,
    key: u32,
    row: Row,
    concerned: &mut BTreeSet<Row>,
) -> rusqlite::Result<()> {
    let sql = "SELECT row FROM enriched_keys WHERE key = ?1 AND row > ?2 ORDER BY row LIMIT ?3";
    let mut statement = connection.prepare_cached(sql)?;
    let rows = statement.query_map(params![key, row.0, WINDOW as i64], |found| {
        found.get(0).map(Row)
    })?;
    for found in rows {
        concerned.insert(found?);
    }
    Ok(())
}

pub(super) fn keys_of(bytes: &[u8]) -> impl Iterator<Item = u32> {
    bytes
        .chunks_exact(4)
        .map(|four| u32::from_le_bytes([four[0], four[1], four[2], four[3]]))
}
