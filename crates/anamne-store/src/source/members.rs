//! Members: memories whose home is another space, and the record in a home of where its memories are members.

use std::collections::{BTreeMap, BTreeSet};

use anamne_text::normal::content_hash;
use anamne_types::{EventKind, MemberTerms, Membership, Memory, MemoryId, Row, Seq};
use rusqlite::{Connection, OptionalExtension, params};

use super::at_home::{AtHome, HomeState, check_shareable, is_shared};
use super::read;
use super::record::{Payload, Stored};
use super::remember::plain_zero;
use super::transaction::Transaction;
use crate::{Result, StoreError};

/// What following a home did to a member.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Followed {
    /// The member agrees with its home.
    Agrees,
    /// The home says that it is a member, but it is not: the home should withdraw it.
    NotMember,
}

/// What a write changed that concerns other spaces: memories by the space that has to follow.
#[derive(Clone, Debug, Default)]
pub(crate) struct Reach {
    /// Changed memories, by the spaces of which they are members.
    pub(crate) members: BTreeMap<String, BTreeSet<MemoryId>>,
    /// Members that this space no longer has, by their homes.
    pub(crate) dropped: BTreeMap<String, BTreeSet<MemoryId>>,
}

impl Reach {
    /// Adds what another change concerns.
    pub(super) fn add(&mut self, other: Self) {
        for (into, from) in [
            (&mut self.members, other.members),
            (&mut self.dropped, other.dropped),
        ] {
            for (space, ids) in from {
                into.entry(space).or_default().extend(ids);
            }
        }
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.members.is_empty() && self.dropped.is_empty()
    }
}

/// The space of which the event `seq` made the memory of a row a member, if it still is.
pub(crate) fn share_at(connection: &Connection, row: Row, seq: Seq) -> Result<Option<String>> {
    Ok(connection
        .prepare_cached("SELECT space FROM shares WHERE row = ?1 AND seq = ?2")?
        .query_row(params![row.0, seq.0 as i64], |row| row.get(0))
        .optional()?)
}

/// The spaces of which the memory of a row is a member, sorted.
pub(crate) fn spaces_of(connection: &Connection, row: Row) -> Result<Vec<String>> {
    let mut statement =
        connection.prepare_cached("SELECT space FROM shares WHERE row = ?1 ORDER BY space")?;
    let spaces = statement.query_map([row.0], |row| row.get(0))?;
    Ok(spaces.collect::<Result<_, _>>()?)
}

/// The spaces of which memories of this space are members, with their number; sorted.
pub(crate) fn shares(connection: &Connection) -> Result<Vec<(String, u64)>> {
    let mut statement = connection
        .prepare_cached("SELECT space, count(*) FROM shares GROUP BY space ORDER BY space")?;
    let shares = statement.query_map([], |row| Ok((row.get(0)?, row.get::<_, i64>(1)? as u64)))?;
    Ok(shares.collect::<Result<_, _>>()?)
}

/// The memories whose last change a space may not have followed yet, by that space. An index lookup if there are none.
pub(crate) fn unfinished(connection: &Connection) -> Result<BTreeMap<String, BTreeSet<MemoryId>>> {
    by_space(
        connection,
        "SELECT shares.space, memories.id FROM shares JOIN memories USING (row) WHERE shares.unfinished",
    )
}

/// Members that this space no longer has, by homes that may not know it yet.
pub(crate) fn dropped(connection: &Connection) -> Result<BTreeMap<String, BTreeSet<MemoryId>>> {
    by_space(
        connection,
        "SELECT dropped.home, memories.id FROM dropped JOIN memories USING (row)",
    )
}

/// The memories that this space shares, by the spaces of which they are members. O(shares).
pub(crate) fn all_shares(connection: &Connection) -> Result<BTreeMap<String, BTreeSet<MemoryId>>> {
    by_space(
        connection,
        "SELECT shares.space, memories.id FROM shares JOIN memories USING (row)",
    )
}

fn by_space(connection: &Connection, sql: &str) -> Result<BTreeMap<String, BTreeSet<MemoryId>>> {
    let mut statement = connection.prepare_cached(sql)?;
    let found = statement.query_map([], |row| {
        Ok((row.get(0)?, MemoryId::from_bytes(row.get(1)?)))
    })?;
    let mut by_space = BTreeMap::<String, BTreeSet<_>>::new();
    for found in found {
        let (space, id) = found?;
        by_space.entry(space).or_default().insert(id);
    }
    Ok(by_space)
}

/// The homes of this space's members, with the last event of each that was seen; see `members.sql`.
pub(crate) fn homes(connection: &Connection) -> Result<Vec<(String, i64)>> {
    let mut statement = connection.prepare_cached("SELECT name, seq FROM homes ORDER BY name")?;
    let homes = statement.query_map([], |row| Ok((row.get(0)?, row.get(1)?)))?;
    Ok(homes.collect::<Result<_, _>>()?)
}

/// The members of this space with this home, erased ones not. O(members).
pub(crate) fn of_home(connection: &Connection, home: &str) -> Result<BTreeSet<MemoryId>> {
    let mut statement = connection.prepare_cached(
        "SELECT id FROM memories WHERE member IS NOT NULL AND json_extract(member, '$.home') = ?1",
    )?;
    let ids = statement.query_map([home], |row| Ok(MemoryId::from_bytes(row.get(0)?)))?;
    Ok(ids.collect::<Result<_, _>>()?)
}

/// The number of live members of each home. O(members).
pub(crate) fn counts(connection: &Connection) -> Result<BTreeMap<String, u64>> {
    let mut statement = connection.prepare_cached(
        "SELECT json_extract(member, '$.home'), count(*) FROM memories \
         WHERE member IS NOT NULL AND deleted_at IS NULL GROUP BY 1",
    )?;
    let counts = statement.query_map([], |row| Ok((row.get(0)?, row.get::<_, i64>(1)? as u64)))?;
    Ok(counts.collect::<Result<_, _>>()?)
}

/// The memories that this space shares with another one. O(shares).
pub(crate) fn shared_with(connection: &Connection, space: &str) -> Result<BTreeSet<MemoryId>> {
    let mut statement = connection.prepare_cached(
        "SELECT memories.id FROM shares JOIN memories USING (row) WHERE shares.space = ?1",
    )?;
    let ids = statement.query_map([space], |row| Ok(MemoryId::from_bytes(row.get(0)?)))?;
    Ok(ids.collect::<Result<_, _>>()?)
}

impl Transaction<'_> {
    /// Records in the home that a memory is a member of `space`.
    pub(crate) fn share(&mut self, id: MemoryId, space: &str) -> Result<()> {
        let stored = self.live(id)?;
        if stored.memory.is_member() {
            return Err(StoreError::State {
                id,
                state: "is a member here; add it from its home",
            });
        }
        check_shareable(&stored.memory)?;
        if is_shared(&self.tables, stored.row, space)? {
            return Ok(());
        }
        self.record_share(stored.row, space, self.next_seq())?;
        let payload = Payload::of_share(stored.salt, space);
        self.log(EventKind::Shared, stored.row, id, &payload)
    }

    pub(super) fn record_share(&self, row: Row, space: &str, seq: Seq) -> Result<()> {
        self.tables
            .prepare_cached("INSERT OR REPLACE INTO shares (row, space, seq) VALUES (?1, ?2, ?3)")?
            .execute(params![row.0, space, seq.0 as i64])?;
        Ok(())
    }

    pub(super) fn remove_share(&self, row: Row, space: &str) -> Result<bool> {
        let removed = self
            .tables
            .prepare_cached("DELETE FROM shares WHERE row = ?1 AND space = ?2")?
            .execute(params![row.0, space])?;
        Ok(removed > 0)
    }

    /// Records in the home that a memory is no longer a member of `space`. Of an erased one, no event is left.
    pub(crate) fn withdraw(&mut self, id: MemoryId, space: &str) -> Result<()> {
        let Some(stored) = read::by_id(self.tables, id)? else {
            return Ok(());
        };
        if self.remove_share(stored.row, space)? && !stored.erased {
            let payload = Payload::of_share(stored.salt, space);
            self.log(EventKind::Withdrawn, stored.row, id, &payload)?;
        }
        Ok(())
    }

    /// Adds a memory of another space as a member, or changes what this space says of the member that it is; returns its
    /// citation.
    pub(crate) fn add_member(
        &mut self,
        home: &str,
        there: &AtHome,
        terms: &MemberTerms,
    ) -> Result<Row> {
        let id = there.memory.id;
        let Some(stored) = read::by_id(self.tables, id)? else {
            let row = self.next_row;
            let new = Memory {
                row,
                space: String::new(),
                thread: None,
                position: None,
                session: None,
                tags: Vec::new(),
                metadata: anamne_types::Metadata::new(),
                external_id: None,
                updated_at: self.now,
                superseded_by: None,
                version: 1,
                seq: self.next_seq(),
                ..there.memory.without_text()
            };
            let member = with_terms(there.mirrored_in(new, home), terms)?;
            self.insert_as(EventKind::Added, &member, content_hash(&member.content))?;
            return Ok(row);
        };
        match &stored.memory.member {
            _ if stored.erased => return Err(StoreError::WasErased { id }),
            None => {
                return Err(StoreError::State {
                    id,
                    state: "is in this space already, as its own memory",
                });
            }
            Some(member) if member.home != home => {
                return Err(StoreError::State {
                    id,
                    state: "is in this space already, as a member from another home",
                });
            }
            Some(_) => {}
        }
        let is_back = stored.memory.deleted_at.is_some();
        let mirrored = there.mirrored_in(stored.memory.without_text(), home);
        let member = with_terms(mirrored, terms)?;
        if member != stored.memory.without_text() {
            let kind = if is_back {
                EventKind::Restored
            } else {
                EventKind::Edited
            };
            self.change(&stored, member, kind)?;
        }
        Ok(stored.row)
    }

    /// Whether a memory is a member of this space.
    pub(crate) fn is_member(&self, id: MemoryId) -> Result<bool> {
        Ok(self.present(id)?.memory.is_member())
    }

    /// Brings a member to the state of its home; with `again`, also views that could not read its text.
    pub(crate) fn follow(
        &mut self,
        id: MemoryId,
        home: &str,
        there: &HomeState,
        again: bool,
    ) -> Result<Followed> {
        self.is_following = true;
        let followed = self.follow_home(id, home, there, again);
        self.is_following = false;
        followed
    }

    fn follow_home(
        &mut self,
        id: MemoryId,
        home: &str,
        there: &HomeState,
        again: bool,
    ) -> Result<Followed> {
        let stored = read::by_id(self.tables, id)?.filter(|stored| !stored.erased);
        let Some((stored, member)) = stored.and_then(|stored| {
            let member = stored.memory.member.clone()?;
            (member.home == home).then_some((stored, member))
        }) else {
            return Ok(Followed::NotMember);
        };
        let is_live = stored.memory.deleted_at.is_none();
        match there {
            HomeState::Erased => self.erase(&BTreeSet::from([id]))?,
            HomeState::Live(there) if there.is_shared => {
                if !is_live && !member.hidden {
                    return Ok(Followed::NotMember);
                }
                if !is_live || again || member.seq != there.memory.seq {
                    let kind = if is_live {
                        EventKind::Edited
                    } else {
                        EventKind::Restored
                    };
                    let memory = there.mirrored_in(stored.memory.without_text(), home);
                    self.change(&stored, memory, kind)?;
                }
            }
            _ if !is_live => {}
            gone => {
                let hidden = matches!(gone, HomeState::Hidden);
                let memory = Memory {
                    deleted_at: Some(self.now),
                    member: Some(Box::new(Membership { hidden, ..*member })),
                    ..stored.memory.without_text()
                };
                self.change(&stored, memory, EventKind::Forgotten)?;
                if !hidden {
                    return Ok(Followed::NotMember);
                }
            }
        }
        Ok(Followed::Agrees)
    }

    /// Records that a space has followed a memory up to its event `seq`, unless it changed since.
    pub(crate) fn finished(&mut self, id: MemoryId, space: &str, seq: Seq) -> Result<()> {
        let id = id.as_bytes().as_slice();
        // Of an erased memory no event says that it was withdrawn.
        for sql in [
            "DELETE FROM shares WHERE space = ?2 AND row = (SELECT row FROM memories WHERE id = ?1 AND seq = ?3 AND erased)",
            "UPDATE shares SET unfinished = 0 WHERE space = ?2 AND row = (SELECT row FROM memories WHERE id = ?1 AND seq = ?3)",
        ] {
            self.tables
                .prepare_cached(sql)?
                .execute(params![id, space, seq.0 as i64])?;
        }
        Ok(())
    }

    /// Records that the home knows that this space no longer has a member.
    pub(crate) fn dropped(&mut self, id: MemoryId) -> Result<()> {
        self.tables
            .prepare_cached(
                "DELETE FROM dropped WHERE row = (SELECT row FROM memories WHERE id = ?1)",
            )?
            .execute([id.as_bytes().as_slice()])?;
        Ok(())
    }

    /// Records the last event of a home that was seen, or -1 if it is missing.
    pub(crate) fn followed(&mut self, home: &str, seq: i64) -> Result<()> {
        self.tables
            .prepare_cached("UPDATE homes SET seq = ?2 WHERE name = ?1")?
            .execute(params![home, seq])?;
        Ok(())
    }

    /// Notes that the new state of a memory concerns other spaces.
    pub(super) fn note_reach(&mut self, stored: &Stored, kind: EventKind) -> Result<()> {
        let id = stored.memory.id;
        if self.is_following {
            return Ok(());
        }
        match &stored.memory.member {
            Some(member) if kind == EventKind::Forgotten || kind == EventKind::Erased => {
                self.tables
                    .prepare_cached("INSERT OR REPLACE INTO dropped (row, home) VALUES (?1, ?2)")?
                    .execute(params![stored.row.0, member.home])?;
                let home = self.reach.dropped.entry(member.home.clone());
                home.or_default().insert(id);
            }
            Some(_) => {}
            None => {
                let spaces = spaces_of(&self.tables, stored.row)?;
                if !spaces.is_empty() {
                    self.tables
                        .prepare_cached("UPDATE shares SET unfinished = 1 WHERE row = ?1")?
                        .execute([stored.row.0])?;
                }
                for space in spaces {
                    self.reach.members.entry(space).or_default().insert(id);
                }
            }
        }
        Ok(())
    }
}

fn with_terms(mut member: Memory, terms: &MemberTerms) -> Result<Memory> {
    if let (Some(membership), Some(relevance)) = (&mut member.member, terms.relevance) {
        membership.relevance = plain_zero(relevance);
    }
    member.tags.extend(terms.tags.iter().cloned());
    member.tags.sort();
    member.tags.dedup();
    for (name, value) in &terms.metadata {
        if value.is_null() {
            member.metadata.remove(name);
        } else {
            member.metadata.insert(name.clone(), value.clone());
        }
    }
    member.check()?;
    Ok(member)
}
