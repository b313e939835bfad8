//! Reads many memories of which some are damaged in both copies: returns the sound ones and reports the others.

use std::cell::RefCell;
use std::collections::BTreeSet;

use anamne_types::{Link, Memory, MemoryId, Row, Seq, Skipped};

use crate::source::record::Stored;
use crate::source::states::{self, Selected};
use crate::source::{filter, link, read};
use crate::space::SpaceSource;
use crate::view::{MemoryFeed, MemoryState, ViewError};
use crate::{Listing, Result, StoreError};

/// Sound memories, and damaged ones with their errors.
pub type MemoriesAndDamage = (Vec<Memory>, Vec<(MemoryId, StoreError)>);

/// Sound links, and damaged ones with their errors.
pub type LinksAndDamage = (Vec<Link>, Vec<(Link, StoreError)>);

impl SpaceSource {
    /// The memories with these ids, like [`SpaceSource::get_each`]; those with unrepairable damage are skipped and
    /// added to `passed`.
    pub fn get_undamaged(&self, ids: &[MemoryId], passed: &mut Skipped) -> Result<Vec<Memory>> {
        let (sound, damaged) = self.get_with_damage(ids)?;
        for (id, error) in damaged {
            passed.add(id, &error, error.next_step());
        }
        Ok(sound)
    }

    /// The memories with these ids, like [`SpaceSource::get_each`]; those with unrepairable damage are returned
    /// separately, with their errors.
    pub fn get_with_damage(&self, ids: &[MemoryId]) -> Result<MemoriesAndDamage> {
        let mut damaged = Vec::new();
        let stored = self.sound(ids, |id, error| damaged.push((id, error)))?;
        let there = stored.into_iter().filter(Stored::is_there);
        let sound = there.map(|stored| self.with_space(stored.memory));
        Ok((sound.collect(), damaged))
    }

    /// The memories of a listing, like [`SpaceSource::list`]; those with unrepairable damage are skipped and returned
    /// beside them. They count in the limit and the offset.
    pub fn list_undamaged(&self, listing: &Listing) -> Result<(Vec<Memory>, Skipped)> {
        let mut passed = Skipped::default();
        match self.list(listing) {
            Err(error) if error.is_unrepaired_damage() => {}
            outcome => return Ok((outcome?, passed)),
        }
        let reader = self.reader()?;
        let mut sound = Vec::new();
        for (id, memory) in filter::list(self.names().of(&reader), listing)? {
            match memory {
                Ok(memory) => sound.push(self.with_space(memory)),
                Err(error) if error.is_unrepaired_damage() => {
                    passed.add(id, &error, error.next_step());
                }
                Err(error) => return Err(error),
            }
        }
        Ok((sound, passed))
    }

    /// The live memories of these rows, like [`SpaceSource::get_rows`]; those with unrepairable damage are skipped and
    /// added to `damaged`.
    pub fn get_undamaged_rows(
        &self,
        rows: &[Row],
        damaged: &mut BTreeSet<Row>,
    ) -> Result<Vec<(Row, Memory)>> {
        match self.get_rows(rows) {
            Err(error) if error.is_unrepaired_damage() => {}
            outcome => return outcome,
        }
        let reader = self.reader()?;
        let mut sound = Vec::with_capacity(rows.len());
        for &row in rows {
            match read::verified_by_row(self.names().of(&reader), row) {
                Ok(stored) => sound.extend(
                    stored
                        .filter(|stored| stored.is_there() && stored.memory.deleted_at.is_none())
                        .map(|stored| (row, self.with_space(stored.memory))),
                ),
                Err(error) if error.is_unrepaired_damage() => {
                    damaged.insert(row);
                }
                Err(error) => return Err(error),
            }
        }
        Ok(sound)
    }

    /// Those of these ids whose row is readable, whether verified or not; the others are added to `passed`.
    pub(crate) fn readable(&self, ids: &[MemoryId], passed: &mut Skipped) -> Result<Vec<MemoryId>> {
        let reader = self.reader()?;
        let mut readable = Vec::with_capacity(ids.len());
        for &id in ids {
            match read::by_id(self.names().of(&reader), id) {
                Ok(_) => readable.push(id),
                Err(error) if error.is_unrepaired_damage() => {
                    passed.add(id, &error, error.next_step());
                }
                Err(error) => return Err(error),
            }
        }
        Ok(readable)
    }

    /// The stored states of these ids. Repairs damage first if possible.
    fn sound(
        &self,
        ids: &[MemoryId],
        mut skip: impl FnMut(MemoryId, StoreError),
    ) -> Result<Vec<Stored>> {
        let all = self.read(|reader| {
            let reader = reader.unchecked_transaction()?;
            let found = ids
                .iter()
                .map(|&id| read::verified_by_id(self.names().of(&reader), id));
            found.collect::<Result<Vec<_>, _>>()
        });
        match all {
            Ok(found) => return Ok(found.into_iter().flatten().collect()),
            Err(error) if !error.is_unrepaired_damage() => return Err(error),
            Err(_) => {}
        }
        let reader = self.reader()?;
        let mut sound = Vec::with_capacity(ids.len());
        for &id in ids {
            match read::verified_by_id(self.names().of(&reader), id) {
                Ok(found) => sound.extend(found),
                Err(error) if error.is_unrepaired_damage() => skip(id, error),
                Err(error) => return Err(error),
            }
        }
        Ok(sound)
    }

    /// Every link of the space, like [`SpaceSource::all_links`]; those with unrepairable damage are returned separately
    /// as stored, with their errors.
    pub fn links_with_damage(&self) -> Result<LinksAndDamage> {
        match self.all_links() {
            Ok(links) => return Ok((links, Vec::new())),
            Err(error) if !error.is_unrepaired_damage() => return Err(error),
            Err(_) => {}
        }
        let (mut sound, mut damaged) = LinksAndDamage::default();
        let reader = self.reader()?;
        for (link, verified) in link::each_verified(&reader)? {
            match verified {
                Ok(()) => sound.push(link),
                Err(error) if error.is_unrepaired_damage() => damaged.push((link, error)),
                Err(error) => return Err(error),
            }
        }
        Ok((sound, damaged))
    }

    /// The log as knowledge and summaries read it; memories with unrepairable damage count as forgotten.
    pub fn undamaged_feed(&self) -> UndamagedFeed<'_> {
        UndamagedFeed {
            space: self,
            selected: Selected::All,
            passed: RefCell::default(),
        }
    }

    /// The same, of episodes, experience and what tools said, and of every changed memory, because it may have been one.
    pub fn experience_feed(&self) -> UndamagedFeed<'_> {
        UndamagedFeed {
            selected: Selected::Experience,
            ..self.undamaged_feed()
        }
    }
}

/// A [`MemoryFeed`] that skips damaged memories and records them.
pub struct UndamagedFeed<'space> {
    space: &'space SpaceSource,
    selected: Selected,
    passed: RefCell<(BTreeSet<MemoryId>, Skipped)>,
}

impl UndamagedFeed<'_> {
    /// The skipped memories, each once.
    pub fn skipped(self) -> Skipped {
        self.passed.into_inner().1
    }

    fn skip(&self, id: MemoryId, error: &StoreError) {
        let (known, passed) = &mut *self.passed.borrow_mut();
        if known.insert(id) {
            passed.add(id, error, error.next_step());
        }
    }
}

impl MemoryFeed for UndamagedFeed<'_> {
    fn head(&self) -> Result<Seq, ViewError> {
        MemoryFeed::head(self.space)
    }

    fn states_since(&self, after: Seq, limit: usize) -> Result<Vec<MemoryState>, ViewError> {
        let skip = |id, error: &StoreError| self.skip(id, error);
        Ok(self
            .space
            .undamaged_states(after, limit, self.selected, &skip)?)
    }

    fn memories(&self, ids: &[MemoryId]) -> Result<Vec<Memory>, ViewError> {
        let found = self.space.sound(ids, |id, error| self.skip(id, &error))?;
        let alive = found.into_iter().filter_map(states::alive);
        Ok(alive.map(|memory| self.space.with_space(memory)).collect())
    }
}

impl SpaceSource {
    fn undamaged_states(
        &self,
        after: Seq,
        limit: usize,
        selected: Selected,
        skip: &dyn Fn(MemoryId, &StoreError),
    ) -> Result<Vec<MemoryState>> {
        match self.states(after, limit, selected) {
            Err(error) if error.is_unrepaired_damage() => {}
            states => return states,
        }
        let reader = self.reader()?;
        let mut states = Vec::new();
        for (seq, row, id) in states::changed_since(&reader, after, limit, selected)? {
            let memory = match read::verified_by_row(self.names().of(&reader), row) {
                Ok(stored) => stored.and_then(states::alive),
                Err(error) if error.is_unrepaired_damage() => {
                    skip(id, &error);
                    None
                }
                Err(error) => return Err(error),
            };
            states.push(MemoryState {
                seq,
                row,
                id,
                memory: memory.map(|memory| self.with_space(memory)),
            });
        }
        Ok(states)
    }
}
