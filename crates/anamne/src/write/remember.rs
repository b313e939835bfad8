//! Storing, editing, forgetting and linking memories.

use std::borrow::Cow;

use anamne_store::{PlannedDraft, StoreError};
use anamne_types::{
    Draft, Edit, GuardNote, InvalidValue, Link, LinkType, Memory, MemoryId, Remembered, Seq,
    Version,
};

use crate::Error;
use crate::space::Space;
use crate::write::guarding::kept;

impl Space {
    /// Stores one memory. On return it is durable in both copies, and every process finds it.
    pub fn remember(&self, draft: impl Into<Draft>) -> Result<Remembered, Error> {
        let draft = draft.into();
        self.require_write()?;
        self.admit(&draft)?;
        Ok(self.noticing_rewording(self.write(&draft)?))
    }

    /// Stores a memory worded by the engine itself, which may have reserved metadata.
    pub(crate) fn write(&self, draft: &Draft) -> Result<Remembered, Error> {
        let (draft, notes) = self.prepared(draft)?;
        let remembered = self.inner.source.remember(self.actor(), &draft)?;
        let remembered = self.anew_if_outdated(remembered, &draft, None);
        self.after_write();
        Ok(with_notes(remembered, notes))
    }

    /// Stores many memories in one transaction: all or none.
    pub fn remember_all(&self, drafts: &[Draft]) -> Result<Vec<Remembered>, Error> {
        self.require_write()?;
        drafts.iter().try_for_each(|draft| self.admit(draft))?;
        let (mut guarded, mut notes) = (Vec::new(), Vec::new());
        for draft in drafts {
            let (draft, found) = self.prepared(draft)?;
            guarded.push(draft.into_owned());
            notes.push(found);
        }
        let remembered = self.inner.source.remember_all(self.actor(), &guarded)?;
        self.after_write();
        let told = remembered.into_iter().zip(&guarded).zip(notes);
        Ok(told
            .map(|((one, draft), notes)| {
                let one = self.anew_if_outdated(one, draft, None);
                self.noticing_rewording(with_notes(one, notes))
            })
            .collect())
    }

    /// Stores many memories in one transaction; rejected ones don't affect the others.
    pub fn remember_each(
        &self,
        drafts: &[Draft],
    ) -> Result<Vec<Result<Remembered, StoreError>>, Error> {
        self.require_write()?;
        let guarded: Vec<_> = drafts.iter().map(|draft| self.checked(draft)).collect();
        let accepted: Vec<Draft> = guarded
            .iter()
            .filter_map(|guarded| guarded.as_ref().ok())
            .map(|(draft, _)| draft.clone())
            .collect();
        let stored = self.inner.source.remember_each(self.actor(), &accepted)?;
        self.after_write();
        let again = |(one, draft): (Result<Remembered, StoreError>, &Draft)| {
            one.map(|one| self.anew_if_outdated(one, draft, None))
        };
        let mut stored = stored.into_iter().zip(&accepted).map(again);
        let outcome = |guarded: Result<(Draft, Vec<GuardNote>), InvalidValue>| match guarded {
            Ok((_, notes)) => stored
                .next()
                .map(|one| one.map(|one| self.noticing_rewording(with_notes(one, notes)))),
            Err(refused) => Some(Err(refused.into())),
        };
        Ok(guarded.into_iter().filter_map(outcome).collect())
    }

    /// The same under ids that were planned before. What an earlier attempt stored is not stored again, and its outcome is
    /// the one that it had then.
    pub(crate) fn remember_each_planned(
        &self,
        ids: &[MemoryId],
        drafts: &[Draft],
    ) -> Result<Vec<Result<Remembered, StoreError>>, Error> {
        let (mut planned, mut notes) = (Vec::new(), Vec::new());
        for (&id, draft) in ids.iter().zip(drafts) {
            let checked = self.checked(draft);
            notes.push(
                checked
                    .as_ref()
                    .map_or_else(|_| Vec::new(), |(_, notes)| notes.clone()),
            );
            planned.push(PlannedDraft {
                id,
                draft: checked.map(|(draft, _)| draft),
            });
        }
        let source = &self.inner.source;
        let stored = source.remember_each_planned(self.actor(), &planned)?;
        self.after_write();
        let told = stored.into_iter().zip(&planned).zip(notes);
        Ok(told
            .map(|((one, planned), notes)| {
                let one = match &planned.draft {
                    Ok(draft) => self.anew_if_outdated(one?, draft, Some(planned.id)),
                    Err(_) => one?,
                };
                Ok(self.noticing_rewording(with_notes(one, notes)))
            })
            .collect())
    }

    /// A draft after the guard, with the author of this scope if it names none.
    fn prepared<'a>(
        &self,
        draft: &'a Draft,
    ) -> Result<(Cow<'a, Draft>, Vec<GuardNote>), InvalidValue> {
        let (mut draft, notes) = self.guarded(draft)?;
        if let (None, Some(author)) = (&draft.author, self.scope().author()) {
            draft.to_mut().author = Some(author.to_owned());
        }
        Ok((draft, notes))
    }

    /// A draft that this caller may write, after the guard.
    fn checked(&self, draft: &Draft) -> Result<(Draft, Vec<GuardNote>), InvalidValue> {
        self.admit(draft)?;
        let (draft, notes) = self.prepared(draft)?;
        Ok((draft.into_owned(), notes))
    }

    /// Edits a memory and returns its new state.
    pub fn edit(&self, id: MemoryId, edit: &Edit) -> Result<Memory, Error> {
        self.edited(id, edit, |edit| {
            self.inner.source.edit(self.actor(), id, edit)
        })
    }

    /// Edits a memory if it has this version still; otherwise [`StoreError::VersionDiffers`], and nothing is changed.
    pub fn edit_if(&self, id: MemoryId, version: u32, edit: &Edit) -> Result<Memory, Error> {
        self.edited(id, edit, |edit| {
            let source = &self.inner.source;
            source.edit_if(self.actor(), id, version, edit)
        })
    }

    pub(super) fn edited(
        &self,
        id: MemoryId,
        edit: &Edit,
        write: impl FnOnce(&Edit) -> Result<Memory, StoreError>,
    ) -> Result<Memory, Error> {
        self.require_write()?;
        self.admit_edit(edit)?;
        let edit = self.guarded_edit(edit, || Ok(self.inner.source.get(id)?.metadata))?;
        let memory = write(&edit)?;
        self.after_write();
        Ok(memory)
    }

    /// Forgets a memory; [`Space::restore`] brings it back.
    pub fn forget(&self, id: MemoryId) -> Result<Memory, Error> {
        self.require_write()?;
        Ok(self.inner.source.forget(self.actor(), id)?)
    }

    /// Forgets a memory if it has this version still; otherwise [`StoreError::VersionDiffers`], and nothing is changed.
    pub fn forget_if(&self, id: MemoryId, version: u32) -> Result<Memory, Error> {
        self.require_write()?;
        Ok(self.inner.source.forget_if(self.actor(), id, version)?)
    }

    /// Forgets many memories in one transaction: all or none.
    pub fn forget_all(&self, ids: &[MemoryId]) -> Result<Vec<Memory>, Error> {
        self.require_write()?;
        Ok(self.inner.source.forget_all(self.actor(), ids)?)
    }

    /// Restores a forgotten memory.
    pub fn restore(&self, id: MemoryId) -> Result<Memory, Error> {
        self.require_write()?;
        Ok(self.inner.source.restore(self.actor(), id)?)
    }

    /// Creates a link; its `created_at` is set to now.
    pub fn link(&self, link: &Link) -> Result<Seq, Error> {
        self.require_write()?;
        let link = self.guarded_link(link)?;
        Ok(self.inner.source.link(self.actor(), &link)?)
    }

    /// Removes a link; returns whether it existed.
    pub fn unlink(&self, from: MemoryId, to: MemoryId, link_type: LinkType) -> Result<bool, Error> {
        self.require_write()?;
        Ok(self
            .inner
            .source
            .unlink(self.actor(), from, to, link_type)?)
    }

    /// The links that start or end at a memory.
    pub fn links(&self, id: MemoryId) -> Result<Vec<Link>, Error> {
        Ok(self.inner.source.links(id)?)
    }

    /// Every link of the space.
    pub fn all_links(&self) -> Result<Vec<Link>, Error> {
        Ok(self.inner.source.all_links()?)
    }

    /// Every version of a memory, the current one last.
    pub fn history(&self, id: MemoryId) -> Result<Vec<Version>, Error> {
        Ok(self.inner.source.history(id)?)
    }
}

fn with_notes(remembered: Remembered, notes: Vec<GuardNote>) -> Remembered {
    Remembered {
        guard: kept(notes),
        ..remembered
    }
}
