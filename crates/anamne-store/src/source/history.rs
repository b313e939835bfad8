//! The history of a memory.

use anamne_types::{EventKind, Memory, Row, Seq, Version};
use rusqlite::{Connection, OptionalExtension, params};

use super::log::read_event;
use super::packed::Packed;
use super::read::event_digest;
use super::record::{Payload, Stored};
use crate::journal::Digest;
use crate::{Result, StoreError};

/// How a missing earlier state of a live memory is treated.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum MissingState {
    /// As damage: [`StoreError::Unverified`].
    Damage,
    /// As lost from both copies by an earlier repair: a version without memory.
    Loss,
}

/// All states of a memory, oldest first, including the current one, each verified against its event's digest; `stored`
/// must be verified already.
pub(crate) fn of(
    connection: &Connection,
    stored: &Stored,
    missing: MissingState,
) -> Result<Vec<Version>> {
    let id = stored.memory.id;
    let mut statement = connection.prepare_cached(
        "SELECT seq, at, actor_kind, actor_name, kind, ?2 FROM events WHERE row = ?1 ORDER BY seq",
    )?;
    let values = params![stored.row.0, id.as_bytes().as_slice()];
    let mut number = 0;
    let mut versions = Vec::new();
    for event in statement.query_map(values, read_event)? {
        let event = event?;
        let (seq, change) = (event.seq, event.kind);
        if matches!(change, EventKind::Moved | EventKind::Accessed) {
            continue;
        }
        if change.changes_state() {
            number += 1;
        }
        let memory = state_at(connection, stored, seq)?;
        if memory.is_none()
            && change.changes_state()
            && !stored.erased
            && missing == MissingState::Damage
        {
            return Err(StoreError::Unverified { id, seq });
        }
        versions.push(Version {
            version: number,
            seq,
            at: event.at,
            change,
            actor: event.actor,
            memory,
        });
    }
    Ok(versions)
}

/// The state of a memory as of a time; `None` if it did not exist yet.
pub(crate) fn as_of(
    connection: &Connection,
    stored: &Stored,
    at: jiff::Timestamp,
    missing: MissingState,
) -> Result<Option<Version>> {
    let through = super::log::seq_at(connection, at)?;
    Ok(of(connection, stored, missing)?
        .into_iter()
        .rfind(|version| version.seq <= through && version.change.changes_state()))
}

fn state_at(connection: &Connection, stored: &Stored, seq: Seq) -> Result<Option<Memory>> {
    if stored.memory.seq == seq {
        return Ok((!stored.erased).then(|| stored.memory.clone()));
    }
    let Some(state) = state_text(connection, stored.row, seq)? else {
        return Ok(None);
    };
    if event_digest(connection, seq, stored.row)? != Some(Digest::of(state.as_bytes())) {
        let id = stored.memory.id;
        return Err(StoreError::Unverified { id, seq });
    }
    let payload: Payload<'static> = serde_json::from_str(&state)?;
    Ok(payload.memory.map(std::borrow::Cow::into_owned))
}

/// The payload of the event of an earlier version of a memory.
pub(crate) fn state_text(connection: &Connection, row: Row, seq: Seq) -> Result<Option<String>> {
    let state: Option<Packed<'static>> = connection
        .prepare_cached("SELECT state FROM versions WHERE row = ?1 AND seq = ?2")?
        .query_row([i64::from(row.0), seq.0 as i64], |row| row.get(0))
        .optional()?;
    Ok(state.map(|Packed(text)| text.into_owned()))
}
