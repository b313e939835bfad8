//! Members: a memory of one space that other spaces show too.

use std::collections::{BTreeMap, BTreeSet};

use anamne_types::{
    Draft, Edit, InvalidValue, MemberTerms, Memory, MemoryId, check_leaves_home, check_unreserved,
};
use serde::{Deserialize, Serialize};

use crate::Error;
use crate::core::Inner;
use crate::maintenance::erasing::OutsideErasure;
use crate::query::across::CORE;
use crate::space::Space;
use crate::store::Store;

/// A memory that was added to a space.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct AddedMember {
    /// Its id, the same in every space.
    pub id: MemoryId,
    /// The space with its text.
    pub home: String,
    /// The space of which it is a member.
    pub space: String,
    /// Its citation there.
    pub citation: String,
}

impl Store {
    /// Makes memories of the space `from` members of the space `into`, which is created if missing. A memory that is a
    /// member there already gets the relevance, tags and metadata of `terms` in addition to its own.
    ///
    /// The text stays in its home: it is neither copied nor embedded again, and edits of it are seen in every space. A
    /// reader of `into` sees the memory with that text, but nothing else of the home: no links, no thread, no earlier
    /// versions. A memory that is itself a member in `from` is added from its home. Of each home, all or none are added.
    ///
    /// # Errors
    ///
    /// [`Error::Denied`] without permission to read every home and to write `into`. Private memories, chunks,
    /// experience, kinds that `into` doesn't accept, and texts in which its guard finds something are refused; so is a
    /// memory that is forgotten, or that `into` has as its own, and one whose home is private to a principal (`~ada`),
    /// unless `into` is private to the same. O(memories).
    pub fn add_members(
        &self,
        from: &str,
        ids: &[MemoryId],
        into: &str,
        terms: &MemberTerms,
    ) -> Result<Vec<AddedMember>, Error> {
        terms.check()?;
        let from = self.existing_space(from)?;
        let memories: Vec<Memory> = ids
            .iter()
            .map(|&id| from.read(id))
            .collect::<Result<_, _>>()?;
        let mut homes = BTreeMap::<String, Vec<MemoryId>>::new();
        for memory in &memories {
            let home = memory
                .member
                .as_ref()
                .map_or(from.name(), |member| &member.home);
            homes.entry(home.to_owned()).or_default().push(memory.id);
        }
        // Before a space is created.
        let homes: Vec<_> = homes
            .into_iter()
            .map(|(home, ids)| {
                check_leaves_home("space", &home, into)?;
                Ok((self.existing_space(&home)?, ids))
            })
            .collect::<Result<_, Error>>()?;
        let into = self.space(into)?;
        into.require_write()?;
        let terms = into.guarded_terms(terms)?;
        for (home, ids) in &homes {
            for &id in ids {
                into.check_member(home, &home.read(id)?)?;
            }
        }
        let mut added = Vec::with_capacity(ids.len());
        for (home, ids) in homes {
            let rows = into
                .source()
                .add_members(into.actor(), home.source(), &ids, &terms)?;
            added.extend(ids.iter().zip(rows).map(|(&id, row)| AddedMember {
                id,
                home: home.name().to_owned(),
                space: into.name().to_owned(),
                citation: format!("m{row}"),
            }));
        }
        into.after_write();
        Ok(added)
    }

    /// Makes memories members of `core`, which is read beside every space. See [`Store::add_members`].
    pub fn promote(
        &self,
        from: &str,
        ids: &[MemoryId],
        terms: &MemberTerms,
    ) -> Result<Vec<AddedMember>, Error> {
        self.add_members(from, ids, CORE, terms)
    }

    /// Removes members from `core`. See [`Space::remove_members`].
    pub fn demote(&self, ids: &[MemoryId]) -> Result<(), Error> {
        self.existing_space(CORE)?.remove_members(ids)
    }
}

impl Space {
    /// Removes members from this space, all or none; their homes and other spaces keep them. Forgetting a member does the
    /// same. They can be added again.
    ///
    /// [`Error::Denied`] without permission to write; [`StoreError::State`](crate::StoreError::State) for a memory whose
    /// home is this space.
    pub fn remove_members(&self, ids: &[MemoryId]) -> Result<(), Error> {
        self.require_write()?;
        self.source().remove_members(self.actor(), ids)?;
        self.after_write();
        Ok(())
    }

    /// The other spaces of which a memory of this space is a member, as far as this handle may read them; sorted.
    pub fn spaces_with(&self, id: MemoryId) -> Result<Vec<String>, Error> {
        let mut spaces = self.source().spaces_with(id)?;
        spaces.retain(|space| self.scope().may_read(space));
        Ok(spaces)
    }

    /// The terms after this space's guard.
    fn guarded_terms(&self, terms: &MemberTerms) -> Result<MemberTerms, Error> {
        check_unreserved(&terms.metadata)?;
        let edit = Edit {
            add_tags: terms.tags.clone(),
            metadata: terms.metadata.clone(),
            ..Edit::default()
        };
        edit.check()?;
        let edit = self.guarded_edit(&edit, || Ok(anamne_types::Metadata::new()))?;
        Ok(MemberTerms {
            tags: edit.add_tags,
            metadata: edit.metadata,
            ..terms.clone()
        })
    }

    /// Refuses a memory that this space would not take in as it is.
    fn check_member(&self, home: &Self, memory: &Memory) -> Result<(), Error> {
        self.config().intake.check_kind(memory.kind())?;
        if home.inner.is_private(memory) {
            let accepts = "a memory that is not private; private memories stay in their space";
            return Err(InvalidValue::new("member", accepts, memory.id).into());
        }
        let draft = Draft {
            body: memory.body.clone(),
            ..Draft::new(memory.content.as_str())
        };
        let (_, found) = self.guarded(&draft)?;
        if found.is_empty() {
            return Ok(());
        }
        let kinds: BTreeSet<_> = found.into_iter().map(|note| note.kind).collect();
        let kinds: Vec<_> = kinds.into_iter().collect();
        let accepts = "a text in which the guard of the space finds nothing";
        Err(InvalidValue::new("member", accepts, kinds.join(", ")).into())
    }

    /// Erases memories from derived data and backups of the other spaces that had them as members, whose sources have
    /// followed the erasure already.
    pub(crate) fn finish_in_members(&self, spaces: &BTreeSet<String>, erased: &mut OutsideErasure) {
        if spaces.is_empty() {
            return;
        }
        if let Err(error) = self.source().follow_homes() {
            erased.leave(self.folder(), &error.into());
        }
        for name in spaces {
            let inner = match self.store.inner_of(name) {
                Ok(Some(inner)) => inner,
                Ok(None) => continue,
                Err(error) => {
                    erased.leave(self.folder(), &error);
                    continue;
                }
            };
            inner.finish_erased_members(erased);
        }
    }
}

impl Inner {
    /// Erases from derived data and backups of this space what its source has lost with its homes.
    pub(crate) fn finish_erased_members(&self, erased: &mut OutsideErasure) {
        let done = [
            self.source.finish_erasures().map_err(Error::from),
            self.clean_derived(&mut |_, _| {}),
        ];
        for error in done.into_iter().filter_map(Result::err) {
            erased.leave(self.source.folder(), &error);
        }
        // A backup's folder may be that of the home's backup too, where its own part is still to do.
        let updates = self.erase_in_backups(&mut self.seen(), true);
        erased.add_backups(updates);
    }
}
