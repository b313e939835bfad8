//! The stored part of enrichment: tables of [`Summaries`] that follow the log.
//!
//! Only what is searched for is stored: the category, hashed terms, and which memories are linked. Everything else is computed
//! from the texts when it is read, so that it is never out of date, and no word of a text is stored here.
//!
//! The tables are a function of the set of live memories, whatever the order in which they came: a memory looks for links among
//! the `WINDOW` nearest lower rows under each of its keys, and when a row comes, changes or goes, those that may have met it
//! look again.

mod following;
mod linking;

pub use following::EnrichmentReport;

use anamne_store::view::MemoryFeed;
use anamne_types::{Category, EnrichedLink, EnrichedPart, Memory, MemoryId, Row, Seq};
use rusqlite::Connection;

use super::links::link;
use super::{Enricher, RULES_VERSION};
use crate::summaries::{Summaries, SummaryError};

/// Number of lower rows that are looked at under one key.
const WINDOW: usize = 16;

/// Maximum number of keys of a memory.
const KEYS: usize = 8;

/// Maximum number of memories that are compared with one.
const COMPARED: usize = 8;

/// Maximum number of links that begin at a memory.
const LINKS: usize = 3;

/// How far enrichment is.
#[derive(Clone, Debug, Default, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct EnrichmentState {
    /// Number of enriched memories.
    pub memories: u64,
    /// Number of links between them.
    pub links: u64,
    /// Number of memories by category, most frequent first.
    pub categories: Vec<(Category, u64)>,
    /// The last event applied.
    pub position: Seq,
}

impl Summaries {
    /// What is stored of the enrichment. O(memories).
    pub fn enrichment_state(&self) -> Result<EnrichmentState, SummaryError> {
        self.with(|connection| {
            let count = |sql: &str| -> rusqlite::Result<u64> {
                connection.query_row(sql, [], |row| row.get::<_, i64>(0)).map(|count| count as u64)
            };
            let sql = "SELECT category, count(*) FROM enriched WHERE category > 0 GROUP BY category ORDER BY 2 DESC, 1";
            let mut statement = connection.prepare_cached(sql)?;
            let rows = statement.query_map([], |row| Ok((row.get::<_, u8>(0)?, row.get::<_, i64>(1)? as u64)))?;
            let counted: Vec<(u8, u64)> = rows.collect::<rusqlite::Result<_>>()?;
            let known = counted.into_iter();
            Ok(EnrichmentState {
                memories: count("SELECT count(*) FROM enriched")?,
                links: count("SELECT count(*) FROM enriched_links")?,
                categories: known.filter_map(|(number, count)| Some((Category::from_number(number)?, count))).collect(),
                position: position(connection)?,
            })
        })
    }

    /// The links that begin at a memory, strongest first, without those that were removed from it. Their reasons are computed
    /// from both texts; a link that these no longer give is left out.
    pub fn enriched_links(
        &self,
        feed: &dyn MemoryFeed,
        memory: &Memory,
        enricher: &mut Enricher,
    ) -> Result<Vec<EnrichedLink>, SummaryError> {
        let mut ids = self.with(|connection| targets_of(connection, memory.row))?;
        let removed = EnrichedPart::removed_from(&memory.metadata);
        ids.retain(|target| !removed.iter().any(|part| part.removes_link(*target)));
        if ids.is_empty() {
            return Ok(Vec::new());
        }
        let later = enricher.linkable(&memory.content);
        let mut links: Vec<EnrichedLink> = feed
            .memories(&ids)?
            .into_iter()
            .filter_map(|target| {
                let found = link(&later, &enricher.linkable(&target.content))?;
                Some(EnrichedLink {
                    memory: target.id,
                    citation: target.citation(),
                    link_type: found.link_type,
                    strength: found.strength,
                    reason: found.reason,
                })
            })
            .collect();
        links.sort_by(|one, other| {
            let by_strength = other.strength.total_cmp(&one.strength);
            by_strength.then(one.memory.cmp(&other.memory))
        });
        Ok(links)
    }

    /// The rows of a category, highest first, at most `limit`.
    pub fn enriched_rows(
        &self,
        category: Category,
        limit: usize,
    ) -> Result<Vec<Row>, SummaryError> {
        self.with(|connection| {
            let sql = "SELECT row FROM enriched WHERE category = ?1 AND category > 0 ORDER BY row DESC LIMIT ?2";
            let mut statement = connection.prepare_cached(sql)?;
            let rows = statement.query_map((category.number(), limit as i64), |row| row.get(0).map(Row))?;
            rows.collect()
        })
    }

    /// Discards all enrichment. [`Summaries::enrich`] makes the same again.
    pub fn discard_enrichment(&self) -> Result<(), SummaryError> {
        self.change(|transaction| clear(transaction))?;
        self.rewrite()
    }
}

/// The memories to which links of this row lead.
fn targets_of(connection: &Connection, row: Row) -> rusqlite::Result<Vec<MemoryId>> {
    let sql = "SELECT enriched.id FROM enriched_links JOIN enriched ON enriched.row = target \
               WHERE source = ?1 ORDER BY target DESC";
    let mut statement = connection.prepare_cached(sql)?;
    let rows = statement.query_map([row.0], |row| row.get(0).map(uuid::Uuid::from_bytes))?;
    rows.map(|id| id.map(MemoryId)).collect()
}

fn position(connection: &Connection) -> rusqlite::Result<Seq> {
    let sql = "SELECT iif(rules = ?1, watermark, 0) FROM enrichment";
    let mut statement = connection.prepare_cached(sql)?;
    statement.query_row([RULES_VERSION], |row| {
        row.get::<_, i64>(0).map(|seq| Seq(seq as u64))
    })
}

fn clear(connection: &Connection) -> rusqlite::Result<()> {
    connection.execute_batch(
        "DELETE FROM enriched_links; DELETE FROM enriched_keys; DELETE FROM enriched; \
         UPDATE enrichment SET watermark = 0, rules = 0;",
    )
}
