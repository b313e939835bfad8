//! The log as knowledge reads it: complete memories of all tiers by their last change.

use anamne_types::{Memory, MemoryId, Row, Seq};
use rusqlite::{Connection, params};

use super::Tables;
use super::feed::head;
use super::read::{by_id, verified};
use super::record::{COLUMNS, Stored};
use crate::Result;
use crate::space::SpaceSource;
use crate::view::{MemoryFeed, MemoryState, ViewError};

/// The memories that a feed contains.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Selected {
    /// All.
    All,
    /// Episodes, experience and what tools said, and every memory that has changed, because it may have been one.
    Experience,
}

impl Selected {
    fn condition(self) -> &'static str {
        match self {
            Self::All => "1",
            Self::Experience => "(kind IN (4, 9) OR role = 3 OR erased OR version > 1)",
        }
    }
}

impl MemoryFeed for SpaceSource {
    fn head(&self) -> Result<Seq, ViewError> {
        Ok(self.read(head)?)
    }

    fn states_since(&self, after: Seq, limit: usize) -> Result<Vec<MemoryState>, ViewError> {
        Ok(self.states(after, limit, Selected::All)?)
    }

    fn memories(&self, ids: &[MemoryId]) -> Result<Vec<Memory>, ViewError> {
        let live = |reader: &Connection| {
            let reader = reader.unchecked_transaction()?;
            let mut memories = Vec::with_capacity(ids.len());
            for &id in ids {
                let stored = by_id(self.names().of(&reader), id)?
                    .map(verified)
                    .transpose()?;
                memories.extend(stored.and_then(alive).map(|memory| self.with_space(memory)));
            }
            Ok(memories)
        };
        Ok(self.read(live)?)
    }
}

impl SpaceSource {
    pub(crate) fn states(
        &self,
        after: Seq,
        limit: usize,
        selected: Selected,
    ) -> Result<Vec<MemoryState>> {
        let states = self.read(|reader| states(self.names().of(reader), after, limit, selected))?;
        Ok(states
            .into_iter()
            .map(|state| self.of_space(state))
            .collect())
    }

    fn of_space(&self, state: MemoryState) -> MemoryState {
        MemoryState {
            memory: state.memory.map(|memory| self.with_space(memory)),
            ..state
        }
    }
}

/// The memory of a row, unless forgotten, erased or gone with its home.
pub(crate) fn alive(stored: Stored) -> Option<Memory> {
    (stored.is_there() && stored.memory.deleted_at.is_none()).then_some(stored.memory)
}

/// Selects the memories that [`states`] returns, by event, row and id only.
pub(crate) fn changed_since(
    connection: &Connection,
    after: Seq,
    limit: usize,
    selected: Selected,
) -> Result<Vec<(Seq, Row, MemoryId)>> {
    let condition = selected.condition();
    let mut statement = connection.prepare_cached(&format!(
        "SELECT seq, row, id FROM memories WHERE seq > ?1 AND {condition} ORDER BY seq LIMIT ?2"
    ))?;
    let most = i64::try_from(limit).unwrap_or(i64::MAX);
    let changed = statement.query_map(params![after.0 as i64, most], |row| {
        Ok((
            Seq(row.get::<_, i64>(0)? as u64),
            Row(row.get(1)?),
            MemoryId::from_bytes(row.get(2)?),
        ))
    })?;
    Ok(changed.collect::<Result<_, _>>()?)
}

fn states(
    tables: Tables<'_>,
    after: Seq,
    limit: usize,
    selected: Selected,
) -> Result<Vec<MemoryState>> {
    let reader = tables.unchecked_transaction()?;
    let condition = selected.condition();
    let sql = format!(
        "SELECT {COLUMNS} FROM memories WHERE seq > ?1 AND {condition} ORDER BY seq LIMIT ?2"
    );
    let mut statement = reader.prepare_cached(&sql)?;
    let most = i64::try_from(limit).unwrap_or(i64::MAX);
    let rows = statement.query_map(params![after.0 as i64, most], Stored::read)?;
    let mut states = Vec::new();
    for stored in rows {
        let stored = verified(stored?.complete(tables)?)?;
        let (seq, row, id): (Seq, Row, MemoryId) =
            (stored.memory.seq, stored.row, stored.memory.id);
        states.push(MemoryState {
            seq,
            row,
            id,
            memory: alive(stored),
        });
    }
    Ok(states)
}
