//! Members: memories that other spaces of the store show too.
//!
//! A memory is added in two steps: its home records the space, then the space gets a row. The record comes first, so that
//! an erasure in the home knows every place that may hold something derived from its text. A change in the home is
//! followed in the spaces after it is committed; what a crash leaves is done when either space is next opened. Each step
//! may be repeated. All of them hold one lock of the store, and take the write lock of one space at a time.

use std::collections::{BTreeMap, BTreeSet};
use std::path::PathBuf;
use std::sync::Arc;

use anamne_types::{Actor, ActorKind, InvalidValue, MemberTerms, MemoryId, Row, Seq};

use crate::files::is_there;
use crate::lock::WriteLock;
use crate::source::members::{self, Followed, HomeState, Reach};
use crate::source::{end_of_log, read};
use crate::space::SpaceSource;
use crate::space_name::SpaceName;
use crate::storage::Disk;
use crate::{Result, StoreError};

/// Members followed per transaction.
const BATCH: usize = 512;

/// Events of a home after which the position in it is written down again although nothing had to follow.
const FAR_BEHIND: i64 = 4_096;

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
    /// Experience, chunks and private memories are refused. [`StoreError::State`] if a memory is forgotten, is itself a
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
        let states = home.states_at_home(ids, self.name())?;
        let added = self.write(actor, |transaction| {
            let mut rows = Vec::with_capacity(ids.len());
            for (&id, state) in ids.iter().zip(&states) {
                let HomeState::Live(there) = state else {
                    let space = home.name().to_string();
                    return Err(StoreError::NoMemory { id, space });
                };
                rows.push(transaction.add_member(home.name().as_str(), there, terms)?);
            }
            Ok(rows)
        });
        if added.is_err() {
            // Those that are no members after all.
            self.follow_home(home, ids, false)?;
        }
        added
    }

    fn check_shares_with(&self, other: &Self) -> Result<()> {
        if self.folder().parent() != other.folder().parent() || self.name() == other.name() {
            let accepts = "another space of the same store";
            return Err(InvalidValue::new("space", accepts, other.name()).into());
        }
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
    /// Costs two small reads if nothing is to be done.
    pub fn follow_homes(&self) -> Result<()> {
        let unfinished = self.read(members::unfinished)?;
        if !unfinished.is_empty() {
            let lock = self.members_lock();
            let _guard = lock.acquire()?;
            for (space, ids) in unfinished {
                self.reach_member_space(&space, &ids)?;
            }
        }
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
            self.note_repairs(vec![format!(
                "members could not be brought to the state of their homes: {error}"
            )]);
        }
    }

    fn follow_since(&self, home: &str, followed: i64) -> Result<()> {
        let Some(other) = self.other(home)? else {
            if followed >= 0 {
                self.write_quietly(|transaction| transaction.followed(home, -1))?;
            }
            return Ok(());
        };
        let head = other.read(end_of_log)?.0.0 as i64;
        if head == followed {
            return Ok(());
        }
        let members = self.read(|reader| members::of_home(reader, home))?;
        let due = match u64::try_from(followed) {
            // It was missing or restored to an earlier time.
            _ if head < followed => members,
            Err(_) => members,
            Ok(0) => members,
            Ok(followed) => {
                let touched = other.read(|reader| members::touched_since(reader, Seq(followed)))?;
                let is_due = |id: &MemoryId| touched.contains(id);
                members.into_iter().filter(is_due).collect()
            }
        };
        if !due.is_empty() {
            let lock = self.members_lock();
            let _guard = lock.acquire()?;
            self.follow_home(&other, &due, followed < 0)?;
        }
        if !due.is_empty() || followed <= 0 || head - followed > FAR_BEHIND || head < followed {
            self.write_quietly(|transaction| transaction.followed(home, head))?;
        }
        Ok(())
    }

    /// Brings members to the state of their home, and the home's records to what this space has. The lock of members must
    /// be held.
    fn follow_home(&self, home: &Self, ids: &[MemoryId], again: bool) -> Result<()> {
        for batch in ids.chunks(BATCH) {
            let states = home.states_at_home(batch, self.name())?;
            let followed: Vec<Followed> = self.write_freely(&follower(), |transaction| {
                let name = home.name().as_str();
                let pairs = batch.iter().zip(&states);
                pairs
                    .map(|(&id, state)| transaction.follow(id, name, state, again))
                    .collect()
            })?;
            // What was erased here leaves the journal too.
            self.finish_erasures()?;
            let mut stale = Vec::new();
            for ((id, state), followed) in batch.iter().zip(&states).zip(followed) {
                if followed == Followed::NotMember || matches!(state, HomeState::Erased) {
                    stale.push(*id);
                }
            }
            if !stale.is_empty() {
                home.write_freely(&follower(), |transaction| {
                    let space = self.name().as_str();
                    stale
                        .iter()
                        .try_for_each(|&id| transaction.withdraw(id, space))
                })?;
                home.drop_erased_shares(&stale, self.name())?;
            }
        }
        Ok(())
    }

    /// Of erased memories no event says that they were withdrawn, so the write is one without an event.
    fn drop_erased_shares(&self, ids: &[MemoryId], space: &SpaceName) -> Result<()> {
        let erased = self.read(members::unfinished)?;
        if !erased.contains_key(space.as_str()) {
            return Ok(());
        }
        self.write_quietly(|transaction| {
            ids.iter()
                .try_for_each(|&id| transaction.withdraw(id, space.as_str()))
        })
    }

    fn states_at_home(&self, ids: &[MemoryId], asking: &SpaceName) -> Result<Vec<HomeState>> {
        let is_private = self.config().guard.private;
        self.read(|reader| {
            let reader = reader.unchecked_transaction()?;
            ids.iter()
                .map(|&id| {
                    let state = members::at_home(self.names.of(&reader), id, asking.as_str())?;
                    Ok(match state {
                        HomeState::Live(mut there) if is_private => {
                            there.is_shared = false;
                            HomeState::Live(there)
                        }
                        state => state,
                    })
                })
                .collect()
        })
    }

    /// Lets other spaces follow a committed write. What fails is done when one of the spaces is next opened; until then
    /// readers of members still look at the home.
    pub(crate) fn reach_other_spaces(&self, reach: &Reach) {
        if reach.is_empty() {
            return;
        }
        if let Err(error) = self.try_to_reach(reach) {
            self.note_repairs(vec![format!(
                "spaces with members of this change could not follow it yet: {error}"
            )]);
        }
    }

    fn try_to_reach(&self, reach: &Reach) -> Result<()> {
        let lock = self.members_lock();
        let _guard = lock.acquire()?;
        for (space, ids) in &reach.members {
            self.reach_member_space(space, ids)?;
        }
        for (home, ids) in &reach.dropped {
            if let Some(home) = self.other(home)? {
                let ids: Vec<_> = ids.iter().copied().collect();
                self.follow_home(&home, &ids, false)?;
            }
        }
        Ok(())
    }

    /// Lets a space follow memories of this one. If the space is gone, so are its members.
    fn reach_member_space(&self, space: &str, ids: &BTreeSet<MemoryId>) -> Result<()> {
        let ids: Vec<_> = ids.iter().copied().collect();
        if let Some(other) = self.other(space)? {
            return other.follow_home(self, &ids, false);
        }
        let withdraw = |transaction: &mut crate::source::Transaction<'_>| {
            ids.iter()
                .try_for_each(|&id| transaction.withdraw(id, space))
        };
        self.write_freely(&follower(), withdraw)?;
        self.write_quietly(withdraw)
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

    fn members_lock(&self) -> WriteLock {
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
