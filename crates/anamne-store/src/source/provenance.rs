//! The origin of memories, according to their events.

use anamne_types::{ActorKind, EventKind, Memory, Provenance};
use rusqlite::{Connection, params};

use crate::Result;
use crate::clock::to_microseconds;
use crate::space::SpaceSource;

impl SpaceSource {
    /// The origin of each of these memories, in the given order. O(events of these memories), by the index of events.
    pub fn provenance(&self, memories: &[&Memory]) -> Result<Vec<Provenance>> {
        self.read(|reader| {
            // One transaction takes SQLite's read lock once instead of per memory.
            let reader = reader.unchecked_transaction()?;
            memories.iter().map(|memory| of(&reader, memory)).collect()
        })
    }
}

pub(super) fn of(connection: &Connection, memory: &Memory) -> Result<Provenance> {
    if let Some(member) = &memory.member {
        return Ok(member.origin);
    }
    let mut statement = connection.prepare_cached(
        "SELECT kind, at, actor_kind, actor_name FROM events WHERE row = ?1 AND kind IN (?2, ?3)",
    )?;
    let [remembered, edited] = [EventKind::Remembered, EventKind::Edited].map(EventKind::number);
    let mut events = statement.query(params![memory.row.0, remembered, edited])?;
    let mut provenance = Provenance {
        imported: memory.external_id.is_some(),
        ..Provenance::default()
    };
    while let Some(event) = events.next()? {
        // A creation time before its first event means that the memory was imported.
        let learned = to_microseconds(memory.created_at);
        let is_first = event.get::<_, u8>(0)? == remembered;
        let name: String = event.get(3)?;
        provenance.imported |=
            is_first && (event.get::<_, i64>(1)? != learned || name == Provenance::IMPORT);
        let actor = ActorKind::from_number(event.get(2)?).unwrap_or(ActorKind::Tool);
        if caution(actor) > caution(provenance.actor) {
            provenance.actor = actor;
        }
    }
    Ok(provenance)
}

/// The caution level of an actor kind: the higher, the less it is trusted by itself.
fn caution(actor: ActorKind) -> u8 {
    match actor {
        ActorKind::User | ActorKind::System => 0,
        ActorKind::Agent => 1,
        ActorKind::Tool => 2,
    }
}
