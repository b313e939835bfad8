//! When facts and skills were last returned: those in use don't age.
//!
//! Nobody wrote this, so it is no event, and a database restored from the journal starts over.

use anamne_types::{Kind, MemoryId};
use rusqlite::{Connection, OptionalExtension, params};

use super::transaction::Transaction;
use crate::Result;

/// A use within this time after the last recorded one is not recorded, in microseconds.
const WITHIN: i64 = 24 * 3_600 * 1_000_000;

/// A memory and when it was returned, microseconds since 1970.
pub(crate) type Use = (MemoryId, i64);

/// The uses to record: of facts and skills, more than a day after the last recorded one.
pub(crate) fn unrecorded_uses(connection: &Connection, uses: &[Use]) -> Result<Vec<Use>> {
    let mut statement = connection.prepare_cached(
        "SELECT coalesce(uses.at, 0) FROM memories LEFT JOIN uses USING (row) WHERE id = ?1 AND kind IN (?2, ?3) AND NOT erased",
    )?;
    let mut news = Vec::new();
    for &(id, at) in uses {
        let kinds = (Kind::Fact.number(), Kind::Skill.number());
        let last: Option<i64> = statement
            .query_row(params![id.as_bytes().as_slice(), kinds.0, kinds.1], |row| {
                row.get(0)
            })
            .optional()?;
        if last.is_some_and(|last| last < at.saturating_sub(WITHIN)) {
            news.push((id, at));
        }
    }
    Ok(news)
}

impl Transaction<'_> {
    /// Records when memories were returned.
    pub(crate) fn note_uses(&mut self, uses: &[Use]) -> Result<()> {
        let mut statement = self.tables.prepare_cached(
            "INSERT INTO uses (row, at) SELECT row, ?2 FROM memories WHERE id = ?1 AND NOT erased \
             ON CONFLICT (row) DO UPDATE SET at = max(at, excluded.at)",
        )?;
        for (id, at) in uses {
            statement.execute(params![id.as_bytes().as_slice(), at])?;
        }
        Ok(())
    }
}
