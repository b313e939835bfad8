//! Members: memories that other spaces of the store show too.
//!
//! A memory is added in two steps: its home records the space, then the space gets a row. The record comes first, so that
//! an erasure in the home knows every place that may hold something derived from its text. A change in the home is
//! followed in the spaces after it is committed; what a crash leaves is done when either space is next opened. Each step
//! may be repeated. All of them hold one lock of the store, and take the write lock of one space at a time.

use std::collections::{BTreeMap, BTreeSet};
use std::path::PathBuf;
use std::sync::Arc;

use anamne_types::{
    Actor, ActorKind, InvalidValue, MemberTerms, Membership, MemoryId, Row, check_leaves_home,
};
use rusqlite::{Connection, OptionalExtension};

use crate::files::is_there;
use crate::lock::WriteLock;
use crate::source::at_home::{self, HomeState, SeenAtHome};
use crate::source::members::{self, Followed, Reach};
use crate::source::{end_of_log, read};
use crate::space::SpaceSource;
use crate::space_name::SpaceName;
use crate::storage::Disk;
use crate::{Result, StoreError};

/// Members followed per transaction.
const BATCH: usize = 512;

/// A home whose members can't be read, because it is not in this store.
#[derive(Clone, Debug, PartialEq, Eq, serde::Serialize)]
pub struct MissingHome {
    /// Its name.
    pub home: String,
    /// The number of members that are left out.
    pub members: u64,
}

/// The engine, which brings members to the state of their home.
fn follower() -> Actor {
    Actor {
        kind: ActorKind::System,
        name: "home".to_owned(),
    }
}

impl SpaceSource {
    /// Adds memories of `home` as members, or changes what this space says of the members that they are; returns their
    /// rows in this space, in the given order. All or none.
    ///
    /// Experience, chunks and private memories are refused, and those of a private space unless this one is private to the
    /// same principal. [`StoreError::State`] if a memory is forgotten, is itself a
    /// member in `home`, or is in this space already as its own; [`StoreError::WasErased`] if it was erased here.
    /// O(memories); the text is neither copied nor embedded here.
    pub fn add_members(
        &self,
        actor: &Actor,
        home: &Self,
        ids: &[MemoryId],
        terms: &MemberTerms,
    ) -> Result<Vec<Row>> {
        terms.check()?;
        let lock = self.members_lock();
        let _guard = lock.acquire()?;
        home.check_shares_with(self)?;
        home.write(actor, |transaction| {
            ids.iter()
                .try_for_each(|&id| transaction.share(id, self.name().as_str()))
        })?;
        let known = vec![None; ids.len()];
        let seen = home.seen_at_home(ids, self.name(), &known)?;
        let added = self.write(actor, |transaction| {
            let mut rows = Vec::with_capacity(ids.len());
            for (&id, seen) in ids.iter().zip(&seen) {
                let HomeState::Live(there) = &seen.state else {
                    let space = home.name().to_string();
                    return Err(StoreError::NoMemory { id, space });
                };
                rows.push(transaction.add_member(home.name().as_str(), there, terms)?);
            }
            Ok(rows)
        });
        // Also after a failure, for those that are no members after all.
        if let Err(error) = self.follow_home(home, ids, false) {
            self.note_later(&error);
        }
        added
    }

    fn check_shares_with(&self, other: &Self) -> Result<()> {
        if self.folder().parent() != other.folder().parent() || self.name() == other.name() {
            let accepts = "another space of the same store";
            return Err(InvalidValue::new("space", accepts, other.name()).into());
        }
        check_leaves_home("space", self.name().as_str(), other.name().as_str())?;
        if self.config().guard.private {
            let accepts = "a memory of a space that is not private";
            return Err(InvalidValue::new("member", accepts, self.name()).into());
        }
        Ok(())
    }

    /// Removes members from this space; their homes keep them. All or none.
    ///
    /// [`StoreError::State`] if the home of one is this space.
    pub fn remove_members(&self, actor: &Actor, ids: &[MemoryId]) -> Result<()> {
        self.write_freely(actor, |transaction| {
            ids.iter().try_for_each(|&id| {
                if !transaction.is_member(id)? {
                    let state = "has its home in this space; forget it instead";
                    return Err(StoreError::State { id, state });
                }
                transaction.forget(id).map(|_| ())
            })
        })
    }

    /// Erases members whose home was erased as a whole; those that this space doesn't have are skipped. May be repeated.
    pub fn lose_home(&self, home: &str, ids: &[MemoryId]) -> Result<()> {
        let lock = self.members_lock();
        let _guard = lock.acquire()?;
        for batch in ids.chunks(BATCH) {
            self.write_freely(&follower(), |transaction| {
                batch.iter().try_for_each(|&id| {
                    let followed = transaction.follow(id, home, &HomeState::Erased, false);
                    followed.map(|_| ())
                })
            })?;
        }
        self.finish_erasures()
    }

    /// Records that memories of this space are no members of `space` any more, which was erased as a whole. If there is
    /// another space of that name by now, it says which of them it has. May be repeated.
    pub fn lose_member_space(&self, space: &str, ids: &[MemoryId]) -> Result<()> {
        let lock = self.members_lock();
        let _guard = lock.acquire()?;
        if let Some(another) = self.other(space)? {
            return another.follow_home(self, ids, false);
        }
        for batch in ids.chunks(BATCH) {
            self.write_freely(&follower(), |transaction| {
                batch
                    .iter()
                    .try_for_each(|&id| transaction.withdraw(id, space))
            })?;
        }
        Ok(())
    }

    /// The other spaces of which a memory of this space is a member, sorted; empty if it is itself a member.
    pub fn spaces_with(&self, id: MemoryId) -> Result<Vec<String>> {
        self.read(|reader| {
            let stored = read::by_id(self.names.of(reader), id)?;
            stored.map_or(Ok(Vec::new()), |stored| {
                members::spaces_of(reader, stored.row)
            })
        })
    }

    /// The other spaces that have members from this one, with their number; sorted.
    pub fn shares(&self) -> Result<Vec<(String, u64)>> {
        self.read(members::shares)
    }

    /// The homes of this space's members that are not in the store. O(members) if this space has any.
    pub fn missing_homes(&self) -> Result<Vec<MissingHome>> {
        let homes = self.read(members::homes)?;
        if homes.is_empty() {
            return Ok(Vec::new());
        }
        let mut missing = Vec::new();
        for (home, members) in self.read(members::counts)? {
            if self.other(&home)?.is_none() {
                missing.push(MissingHome { home, members });
            }
        }
        Ok(missing)
    }

    /// Follows what changed in the homes of this space's members, and completes what a crash left in other spaces.
    ///
    /// Costs three small reads if nothing is to be done.
    pub fn follow_homes(&self) -> Result<()> {
        self.try_to_reach(&Reach {
            members: self.read(members::unfinished)?,
            dropped: self.read(members::dropped)?,
        })?;
        for (home, followed) in self.read(members::homes)? {
            self.follow_since(&home, followed)?;
        }
        Ok(())
    }

    /// The same when the space is opened: an error leaves it for later.
    pub(crate) fn settle_members(&self) {
        if let Err(error) = self.follow_homes()
            && !error.is_read_only()
        {
            self.note_later(&error);
        }
    }

    fn note_later(&self, error: &StoreError) {
        self.note_repairs(vec![format!(
            "members could not be brought to the state of their homes, which is tried again: {error}"
        )]);
    }

    fn follow_since(&self, home: &str, seen: i64) -> Result<()> {
        let Some(other) = self.other(home)? else {
            if seen >= 0 {
                self.write_quietly(|transaction| transaction.followed(home, -1))?;
            }
            return Ok(());
        };
        let head = other.read(end_of_log)?.0.0 as i64;
        // It was missing, or restored to an earlier time, or this space was.
        let is_all = seen <= 0 || head < seen;
        let due = if is_all {
            let mut due = self.read(|reader| members::of_home(reader, home))?;
            let space = self.name().as_str();
            due.append(&mut other.read(|reader| members::shared_with(reader, space))?);
            due
        } else {
            let mut unfinished = other.read(members::unfinished)?;
            unfinished.remove(self.name().as_str()).unwrap_or_default()
        };
        if due.is_empty() && !is_all {
            return Ok(());
        }
        let lock = self.members_lock();
        let _guard = lock.acquire()?;
        let due: Vec<_> = due.into_iter().collect();
        self.follow_home(&other, &due, seen < 0)?;
        self.write_quietly(|transaction| transaction.followed(home, head))
    }

    /// Brings members to the state of their home, and the home's records to what this space has. The lock of members must
    /// be held.
    fn follow_home(&self, home: &Self, ids: &[MemoryId], again: bool) -> Result<()> {
        let (space, name) = (self.name().as_str(), home.name().as_str());
        for batch in ids.chunks(BATCH) {
            let known = |reader: &Connection| {
                let membership = |&id: &MemoryId| at_home::membership(reader, id);
                batch.iter().map(membership).collect::<Result<Vec<_>>>()
            };
            let seen = home.seen_at_home(batch, self.name(), &self.read(known)?)?;
            let followed: Vec<Followed> = self.write_freely(&follower(), |transaction| {
                let pairs = batch.iter().zip(&seen);
                pairs
                    .map(|(&id, seen)| transaction.follow(id, name, &seen.state, again))
                    .collect()
            })?;
            // What was erased here leaves the journal too.
            self.finish_erasures()?;
            home.write_freely(&follower(), |transaction| {
                for (&id, followed) in batch.iter().zip(&followed) {
                    if *followed == Followed::NotMember {
                        transaction.withdraw(id, space)?;
                    }
                }
                Ok(())
            })?;
            home.write_quietly(|transaction| {
                let pairs = batch.iter().zip(&seen);
                pairs
                    .into_iter()
                    .try_for_each(|(&id, seen)| transaction.finished(id, space, seen.seq))
            })?;
        }
        Ok(())
    }

    fn seen_at_home(
        &self,
        ids: &[MemoryId],
        asking: &SpaceName,
        known: &[Option<Membership>],
    ) -> Result<Vec<SeenAtHome>> {
        let is_private = self.config().guard.private;
        self.read(|reader| {
            let reader = reader.unchecked_transaction()?;
            let tables = self.names.of(&reader);
            let seen = |(&id, known): (&MemoryId, &Option<Membership>)| {
                let mut seen = at_home::at_home(tables, id, asking.as_str(), known.as_ref())?;
                if let HomeState::Live(there) = &mut seen.state {
                    there.is_shared &= !is_private;
                }
                Ok(seen)
            };
            ids.iter().zip(known).map(seen).collect()
        })
    }

    /// Lets other spaces follow a committed write. What fails is done when one of the spaces is next opened; until then
    /// readers of members still look at the home.
    pub(crate) fn reach_other_spaces(&self, reach: &Reach) {
        if let Err(error) = self.try_to_reach(reach) {
            self.note_later(&error);
        }
    }

    fn try_to_reach(&self, reach: &Reach) -> Result<()> {
        if reach.is_empty() {
            return Ok(());
        }
        let lock = self.members_lock();
        let _guard = lock.acquire()?;
        for (space, ids) in &reach.members {
            self.reach_member_space(space, ids)?;
        }
        for (home, ids) in &reach.dropped {
            if let Some(other) = self.other(home)? {
                let ids: Vec<_> = ids.iter().copied().collect();
                self.follow_home(&other, &ids, false)?;
                self.write_quietly(|transaction| {
                    ids.iter().try_for_each(|&id| transaction.dropped(id))
                })?;
            }
        }
        Ok(())
    }

    /// Lets a space follow memories of this one. If it is missing, it follows once it is back.
    fn reach_member_space(&self, space: &str, ids: &BTreeSet<MemoryId>) -> Result<()> {
        let ids: Vec<_> = ids.iter().copied().collect();
        match self.other(space)? {
            Some(other) => other.follow_home(self, &ids, false),
            None => Ok(()),
        }
    }

    /// Another space of the store, by its name; `None` if there is none.
    fn other(&self, name: &str) -> Result<Option<Self>> {
        let name: SpaceName = name.parse()?;
        let Some(folder) = self
            .folder()
            .parent()
            .map(|spaces| spaces.join(name.folder()))
        else {
            return Ok(None);
        };
        if !is_there(&folder.join("memories").join("active.db"))?
            && !is_there(&folder.join("journal"))?
        {
            return Ok(None);
        }
        Self::open_alone(Arc::new(Disk), &folder, &name, self.clock(), false).map(Some)
    }

    /// What [`SpaceSource::own_copies`] says in another space of the store, which is opened and closed for it.
    pub fn own_copies_in(&self, space: &str, ids: &[MemoryId]) -> Result<Vec<(MemoryId, bool)>> {
        let other = self.other(space)?;
        other.map_or(Ok(Vec::new()), |other| other.own_copies(ids))
    }

    /// The memories of this space whose copies in another space of the store go with it: what a transfer left behind there.
    /// A copy that a transfer took there stays: it is live there and forgotten here, or was told there later than here.
    /// O(memories of the smaller space).
    pub(crate) fn copies_left_in(&self, space: &str) -> Result<Vec<MemoryId>> {
        let Some(other) = self.other(space)? else {
            return Ok(Vec::new());
        };
        let (fewer, more) = if self.last_row()? <= other.last_row()? {
            (self, &other)
        } else {
            (&other, self)
        };
        let candidates: Vec<MemoryId> = fewer.own_ids()?;
        let shared = more.own_copies(&candidates)?;
        let shared: Vec<MemoryId> = shared.into_iter().map(|(id, _)| id).collect();
        let (here, there) = (self.own_copies(&shared)?, other.own_copies(&shared)?);
        let mut left = Vec::new();
        for ((id, is_forgotten), (_, is_forgotten_there)) in here.into_iter().zip(there) {
            let goes = match (is_forgotten, is_forgotten_there) {
                (false, _) => true,
                (true, false) => false,
                (true, true) => other.told_at(id)? < self.told_at(id)?,
            };
            left.extend(goes.then_some(id));
        }
        Ok(left)
    }

    fn last_row(&self) -> Result<u32> {
        self.read(|reader| {
            let sql = "SELECT ifnull(max(row), 0) FROM memories";
            Ok(reader
                .prepare_cached(sql)?
                .query_row([], |row| row.get(0))?)
        })
    }

    /// The memories whose home this space is, forgotten ones included. O(memories).
    fn own_ids(&self) -> Result<Vec<MemoryId>> {
        self.read(|reader| {
            let sql = "SELECT id FROM memories WHERE NOT erased AND member IS NULL";
            let mut statement = reader.prepare_cached(sql)?;
            let ids = statement.query_map([], |row| Ok(MemoryId::from_bytes(row.get(0)?)))?;
            Ok(ids.collect::<Result<_, _>>()?)
        })
    }

    /// The live memories whose home this space is. O(memories).
    pub(crate) fn own_live_ids(&self) -> Result<Vec<MemoryId>> {
        let own = self.own_copies(&self.own_ids()?)?;
        let live = own.into_iter().filter(|(_, is_forgotten)| !is_forgotten);
        Ok(live.map(|(id, _)| id).collect())
    }

    /// When this space was told of a memory, in microseconds, by its log.
    fn told_at(&self, id: MemoryId) -> Result<Option<i64>> {
        self.read(|reader| {
            let sql = "SELECT at FROM events WHERE row = (SELECT row FROM memories WHERE id = ?1) \
                       ORDER BY seq LIMIT 1";
            let mut statement = reader.prepare_cached(sql)?;
            let told = statement.query_row([id.as_bytes().as_slice()], |row| row.get(0));
            Ok(told.optional()?)
        })
    }

    /// Those of these memories that this space has as its own, and whether each is forgotten. An index lookup each.
    pub fn own_copies(&self, ids: &[MemoryId]) -> Result<Vec<(MemoryId, bool)>> {
        self.read(|reader| {
            let sql = "SELECT deleted_at IS NOT NULL FROM memories WHERE id = ?1 AND NOT erased AND member IS NULL";
            let mut statement = reader.prepare_cached(sql)?;
            let mut copies = Vec::new();
            for &id in ids {
                let found = statement.query_row([id.as_bytes().as_slice()], |row| row.get(0));
                copies.extend(found.optional()?.map(|is_forgotten| (id, is_forgotten)));
            }
            Ok(copies)
        })
    }

    pub(crate) fn members_lock(&self) -> WriteLock {
        let spaces = self
            .folder()
            .parent()
            .map_or_else(PathBuf::new, PathBuf::from);
        let root = spaces.parent().unwrap_or(&spaces);
        WriteLock::at(&root.join("members.lock"))
    }

    /// The members that a space has of each home, by name; live ones. O(members).
    pub fn members_by_home(&self) -> Result<BTreeMap<String, u64>> {
        self.read(members::counts)
    }
}
