//! What the log knows of the links that start at a memory, so that an import brings only what is new.

use std::collections::{HashMap, HashSet};

use anamne_types::{EventKind, Link, LinkType, MemoryId, Provenance, Seq};
use jiff::Timestamp;
use rusqlite::{Connection, params};

use super::link;
use super::read::digest_of;
use super::record::{Payload, Stored};
use crate::Result;
use crate::clock::from_microseconds;
use crate::journal::Digest;

/// The links that start at a memory, and those that were removed.
#[derive(Debug)]
pub struct KnownLinks {
    from: MemoryId,
    salt: i64,
    links: HashMap<(MemoryId, LinkType), KnownLink>,
    removals: Vec<Removal>,
}

/// The removal of a link. Only the journal says of which.
#[derive(Debug)]
struct Removal {
    at: Timestamp,
    digest: Digest,
}

/// A link of the store.
#[derive(Clone, Debug)]
pub struct KnownLink {
    /// The link.
    pub link: Link,
    /// Whether an import wrote it.
    pub imported: bool,
}

impl KnownLinks {
    /// Where the links start.
    pub fn from(&self) -> MemoryId {
        self.from
    }

    /// The link to `to` of this type, if the store has it.
    pub fn get(&self, to: MemoryId, link_type: LinkType) -> Option<&KnownLink> {
        self.links.get(&(to, link_type))
    }

    /// Whether a link to `to` of this type was removed. A hash for each removal of a link of the memory.
    pub fn was_removed(&self, to: MemoryId, link_type: LinkType) -> Result<bool> {
        for removal in &self.removals {
            let removed = removed_link(self.from, to, link_type, removal.at);
            if digest_of(&Payload::of_link(self.salt, &removed))? == removal.digest {
                return Ok(true);
            }
        }
        Ok(false)
    }
}

/// A removed link, as its event has it.
pub(super) fn removed_link(
    from: MemoryId,
    to: MemoryId,
    link_type: LinkType,
    at: Timestamp,
) -> Link {
    Link {
        from,
        to,
        link_type,
        weight: 0.0,
        reason: String::new(),
        created_at: at,
    }
}

/// The links that start at a memory, verified. O(its links and events).
pub(crate) fn of(connection: &Connection, stored: &Stored) -> Result<KnownLinks> {
    // A consistent snapshot for both reads.
    let reader = connection.unchecked_transaction()?;
    let (imports, removals) = events(&reader, stored)?;
    let links = link::starting_at(&reader, stored.row)?;
    let known = links.into_iter().map(|(seq, link)| {
        let imported = imports.contains(&seq);
        ((link.to, link.link_type), KnownLink { link, imported })
    });
    Ok(KnownLinks {
        from: stored.memory.id,
        salt: stored.salt,
        links: known.collect(),
        removals,
    })
}

/// The events by which imports wrote links of a memory, and the removals.
fn events(connection: &Connection, stored: &Stored) -> Result<(HashSet<Seq>, Vec<Removal>)> {
    let (mut imports, mut removals) = (HashSet::new(), Vec::new());
    let mut statement = connection.prepare_cached(
        "SELECT kind, seq, at, actor_name, payload_hash FROM events WHERE row = ?1 AND kind IN (?2, ?3)",
    )?;
    let [linked, unlinked] = [EventKind::Linked, EventKind::Unlinked].map(EventKind::number);
    let mut events = statement.query(params![stored.row.0, linked, unlinked])?;
    while let Some(event) = events.next()? {
        if event.get::<_, u8>(0)? == unlinked {
            removals.push(Removal {
                at: from_microseconds(event.get(2)?),
                digest: Digest(event.get(4)?),
            });
        } else if event.get::<_, String>(3)? == Provenance::IMPORT {
            imports.insert(Seq(event.get::<_, i64>(1)? as u64));
        }
    }
    Ok((imports, removals))
}
