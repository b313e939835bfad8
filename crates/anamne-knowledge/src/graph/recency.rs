//! What counts as confirmed lately.

use std::collections::BTreeSet;

use anamne_types::{KnowledgeState, Row};
use jiff::{SignedDuration, Timestamp};
use rusqlite::Connection;

use super::GraphError;
use super::naming::Name;

/// After this time, what only one memory states is ignored.
const UNCONFIRMED_DAYS: i64 = 30;

/// The time of a question, and the memories that were opened lately: both decide which unconfirmed statements and
/// entities are shown. Neither is stored in the graph.
#[derive(Clone, Debug)]
pub struct Recency {
    pub(super) now: Timestamp,
    opened: BTreeSet<i64>,
}

impl From<Timestamp> for Recency {
    /// Without any use.
    fn from(now: Timestamp) -> Self {
        Self {
            now,
            opened: BTreeSet::new(),
        }
    }
}

impl Recency {
    /// The earliest time at which an opened memory counts at `now`, microseconds since 1970.
    pub fn since(now: Timestamp) -> i64 {
        let age = SignedDuration::from_hours(24 * UNCONFIRMED_DAYS);
        now.checked_sub(age)
            .unwrap_or(Timestamp::MIN)
            .as_microsecond()
    }

    /// At `now`, with the memories that were opened since [`Recency::since`].
    pub fn with_opened(now: Timestamp, opened: impl IntoIterator<Item = Row>) -> Self {
        let opened = opened.into_iter().map(|row| i64::from(row.0)).collect();
        Self { now, opened }
    }

    /// The time before which statements of a single memory are ignored.
    pub(super) fn confirmed_since(&self) -> i64 {
        Self::since(self.now)
    }

    /// Whether one of these memories was opened lately.
    pub(super) fn has_opened<'row>(&self, rows: impl IntoIterator<Item = &'row i64>) -> bool {
        !self.opened.is_empty() && rows.into_iter().any(|row| self.opened.contains(row))
    }

    /// The entities that the opened memories mention. O(names in them).
    pub(super) fn recalled(&self, connection: &Connection) -> Result<BTreeSet<Name>, GraphError> {
        let mut recalled = BTreeSet::new();
        let mut names = connection.prepare_cached(
            "SELECT coalesce(kept, mentions.name) FROM mentions LEFT JOIN canonical ON canonical.name = mentions.name \
             WHERE row = ?1 AND way <> 2",
        )?;
        for row in &self.opened {
            for name in names.query_map([row], |row| row.get(0))? {
                recalled.insert(name?);
            }
        }
        Ok(recalled)
    }
}

/// The state of what was recalled lately: no longer only inferred.
pub(super) fn used(state: KnowledgeState, is_recalled: bool) -> KnowledgeState {
    match state {
        KnowledgeState::Inferred if is_recalled => KnowledgeState::Active,
        state => state,
    }
}
