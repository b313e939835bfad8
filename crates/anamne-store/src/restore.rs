//! Mending one copy from the other: the source from the journal, the journal from the source.

use std::borrow::Cow;
use std::path::Path;

use anamne_types::{Actor, ActorKind, Event, EventKind, MemoryId, Row, Seq};
use rusqlite::Connection;
use serde_json::value::RawValue;

use crate::StoreError;
use crate::clock::from_microseconds;
use crate::files::set_aside;
use crate::journal::{Digest, Journal, Line, Lines};
use crate::source::record::Payload;
use crate::source::{Names, Transaction, history, link, read};

/// How many lines are replayed in one transaction.
const REPLAY_BATCH: usize = 10_000;

/// Replays into the source what the journal holds beyond `head`. The write lock must be held.
///
/// A line that can't be read ends the replay: everything before it is in the source afterwards.
pub(crate) fn source_from_journal(
    connection: &Connection,
    names: &Names,
    folder: &Path,
    head: Seq,
) -> Result<u64, StoreError> {
    let mut lines = Lines::of(folder)?
        .skip_while(|line| line.as_ref().is_ok_and(|line| line.seq <= head))
        .peekable();
    let mut replayed = 0;
    while lines.peek().is_some_and(Result::is_ok) {
        let actor = Actor {
            kind: ActorKind::System,
            name: String::new(),
        };
        let mut transaction = Transaction::begin(
            connection,
            names,
            "",
            &actor,
            jiff::Timestamp::UNIX_EPOCH,
            Seq(u64::MAX >> 1),
        )?;
        for line in lines.by_ref().take(REPLAY_BATCH) {
            let Ok(line) = line else { break };
            transaction.replay(&line)?;
            replayed += 1;
        }
        transaction.commit()?;
    }
    Ok(replayed)
}

/// Writes the journal anew from the source's events. The write lock must be held.
///
/// The old folder is set aside. Payloads of states that the source still holds are written out as they
/// were told, which their digests prove; others (a link that was taken away) are left empty.
pub(crate) fn journal_from_source(
    connection: &Connection,
    names: &Names,
    journal: &mut Journal,
) -> Result<u64, StoreError> {
    if journal.folder.exists() {
        set_aside(&journal.folder)?;
    }
    journal.reopen();
    let mut statement = connection.prepare(
        "SELECT events.seq, at, actor_kind, actor_name, events.kind, memories.id, payload_hash, events.hash, events.row
         FROM events JOIN memories USING (row) ORDER BY events.seq",
    )?;
    let mut rows = statement.query([])?;
    let (mut batch, mut written) = (Vec::new(), 0);
    while let Some(row) = rows.next()? {
        let event = Event {
            seq: Seq(row.get::<_, i64>(0)? as u64),
            at: from_microseconds(row.get(1)?),
            actor: Actor {
                kind: ActorKind::from_number(row.get(2)?).unwrap_or(ActorKind::System),
                name: row.get(3)?,
            },
            kind: EventKind::from_number(row.get(4)?).unwrap_or(EventKind::Edited),
            memory: MemoryId::from_bytes(row.get(5)?),
        };
        let payload_hash = Digest(row.get(6)?);
        let payload = payload_of(connection, names, &event, Row(row.get(8)?))?
            .filter(|payload| Digest::of(payload.get().as_bytes()) == payload_hash);
        let seq = event.seq;
        let mut line = Line::unchained(event, payload_hash, payload);
        line.hash = Digest(row.get(7)?);
        batch.push((seq, serde_json::to_string(&line)?));
        written += 1;
        if batch.len() == REPLAY_BATCH {
            journal.append(&batch)?;
            batch.clear();
        }
    }
    journal.append(&batch)?;
    Ok(written)
}

/// What the event said, as far as the source still knows.
fn payload_of(
    connection: &Connection,
    names: &Names,
    event: &Event,
    row: Row,
) -> Result<Option<Box<RawValue>>, StoreError> {
    let Some(stored) = read::by_row(connection, names, row)? else {
        return Ok(None);
    };
    let payload = match event.kind {
        EventKind::Erased => Payload {
            salt: 0,
            memory: None,
            link: None,
        },
        EventKind::Linked => match link::at(connection, event.seq)? {
            Some(link) => Payload {
                salt: stored.salt,
                memory: None,
                link: Some(Cow::Owned(link)),
            },
            None => return Ok(None),
        },
        _ if stored.memory.seq == event.seq => Payload {
            salt: stored.salt,
            memory: Some(Cow::Owned(stored.memory)),
            link: None,
        },
        _ => {
            let state = history::state_text(connection, row, event.seq)?;
            return Ok(state.map(RawValue::from_string).transpose()?);
        }
    };
    Ok(Some(serde_json::value::to_raw_value(&payload)?))
}
