//! The write operations of a space, each in one transaction.

use std::collections::{BTreeSet, HashMap};
use std::time::Duration;

use anamne_types::{
    Actor, Draft, Edit, Feedback, Link, LinkType, Memory, MemoryId, Remembered, Seq,
};

use crate::arrival::{ImportItem, PlannedDraft, Replacement};
use crate::cleaning;
use crate::lock::WriteLock;
use crate::source::{Transaction, erasure};
use crate::space::{Growth, SpaceSource};
use crate::{Result, StoreError};

/// The results of a batch written in one transaction, in input order.
#[derive(Debug)]
pub struct BatchResult<T> {
    /// The result of each item.
    pub outcomes: Vec<Result<T>>,
    /// How long the write lock was held: including the transaction and the `fsync` of the database and of the journal.
    pub held: Duration,
}

impl SpaceSource {
    /// Writes one memory. On return it is durable in the source and in the journal.
    pub fn remember(&self, actor: &Actor, draft: &Draft) -> Result<Remembered> {
        draft.check()?;
        self.write_together(actor, Growth::Counted, draft, |transaction, draft| {
            transaction.remember(draft)
        })
    }

    /// Writes one memory even if its text is known, for example because what is known no longer holds. Under the id
    /// `planned`, if there is one; nothing if a memory has or had that id.
    pub fn remember_anew(
        &self,
        actor: &Actor,
        draft: &Draft,
        planned: Option<MemoryId>,
    ) -> Result<Remembered> {
        draft.check()?;
        self.write(actor, |transaction| {
            transaction.remember_anew(draft, planned)
        })
    }

    /// Writes many memories in one transaction: all or none.
    pub fn remember_all(&self, actor: &Actor, drafts: &[Draft]) -> Result<Vec<Remembered>> {
        drafts.iter().try_for_each(Draft::check)?;
        self.write(actor, |transaction| {
            drafts
                .iter()
                .map(|draft| transaction.remember(draft))
                .collect()
        })
    }

    /// Writes many memories in one transaction. A draft that exceeds a limit, or that
    /// conflicts with the content under its external id, returns its error without affecting the others.
    pub fn remember_each(
        &self,
        actor: &Actor,
        drafts: &[Draft],
    ) -> Result<Vec<Result<Remembered>>> {
        let stored = self.write_each(actor, drafts, |transaction, draft| {
            draft.check()?;
            transaction.remember(draft)
        });
        stored.map(|stored| stored.outcomes)
    }

    /// Writes many memories in one transaction under planned ids, like [`SpaceSource::remember_each`]. What has or had its id
    /// is not written again, whichever process tries, and however often.
    pub fn remember_each_planned(
        &self,
        actor: &Actor,
        planned: &[PlannedDraft],
    ) -> Result<Vec<Result<Remembered>>> {
        let stored = self.write_each(actor, planned, |transaction, planned| {
            transaction.remember_planned(planned)
        });
        stored.map(|stored| stored.outcomes)
    }

    /// Writes many items in one transaction; each may be rejected without affecting the others.
    fn write_each<T, O>(
        &self,
        actor: &Actor,
        all: &[T],
        write: impl Fn(&mut Transaction<'_>, &T) -> Result<O>,
    ) -> Result<BatchResult<O>> {
        let stored = self.write_timed(actor, |transaction| {
            let mut write = |one: &T| separate_item_error(write(transaction, one));
            all.iter().map(&mut write).collect()
        });
        stored.map(|(outcomes, held)| BatchResult { outcomes, held })
    }

    /// Imports memories in one transaction. A rejected one returns its error without affecting the others.
    pub fn take_in(
        &self,
        actor: &Actor,
        arrivals: &[ImportItem],
    ) -> Result<BatchResult<Remembered>> {
        self.write_each(actor, arrivals, |transaction, arrival| {
            arrival.draft.check()?;
            transaction.take_in(arrival)
        })
    }

    /// Creates links exported by another store in one transaction; returns for each whether it changed anything, or why
    /// it was rejected. Their ends may be forgotten.
    pub fn import_links(&self, actor: &Actor, links: &[Link]) -> Result<BatchResult<bool>> {
        self.write_each(actor, links, |transaction, link| {
            link.check()?;
            transaction.take_link(link)
        })
    }

    /// Edits a memory and returns its new state.
    pub fn edit(&self, actor: &Actor, id: MemoryId, edit: &Edit) -> Result<Memory> {
        edit.check()?;
        self.write_together(actor, Growth::Counted, edit, move |transaction, edit| {
            transaction.edit(id, edit)
        })
        .map(|memory| self.with_space(memory))
    }

    /// Edits a memory if it has this version; otherwise [`StoreError::VersionDiffers`], and nothing is changed.
    pub fn edit_if(
        &self,
        actor: &Actor,
        id: MemoryId,
        version: u32,
        edit: &Edit,
    ) -> Result<Memory> {
        edit.check()?;
        self.write(actor, |transaction| {
            transaction.expect_version(id, version)?;
            transaction.edit(id, edit)
        })
        .map(|memory| self.with_space(memory))
    }

    /// Adds feedback to a memory and returns its new state.
    pub fn judge(&self, actor: &Actor, feedback: &Feedback) -> Result<Memory> {
        feedback.check()?;
        self.write_together(actor, Growth::Counted, feedback, |transaction, feedback| {
            transaction.judge(feedback)
        })
        .map(|memory| self.with_space(memory))
    }

    /// Forgets a memory; it can be restored.
    pub fn forget(&self, actor: &Actor, id: MemoryId) -> Result<Memory> {
        self.write_together(actor, Growth::Exempt, &id, |transaction, id| {
            transaction.forget(*id)
        })
        .map(|memory| self.with_space(memory))
    }

    /// Forgets a memory if it has this version; otherwise [`StoreError::VersionDiffers`], and nothing is changed.
    pub fn forget_if(&self, actor: &Actor, id: MemoryId, version: u32) -> Result<Memory> {
        self.write_freely(actor, |transaction| {
            transaction.expect_version(id, version)?;
            transaction.forget(id)
        })
        .map(|memory| self.with_space(memory))
    }

    /// Forgets many memories in one transaction: all or none.
    pub fn forget_all(&self, actor: &Actor, ids: &[MemoryId]) -> Result<Vec<Memory>> {
        let forgotten: Vec<_> = self.write_freely(actor, |transaction| {
            ids.iter().map(|id| transaction.forget(*id)).collect()
        })?;
        Ok(self.with_spaces(forgotten))
    }

    /// Restores a forgotten memory.
    pub fn restore(&self, actor: &Actor, id: MemoryId) -> Result<Memory> {
        self.write_together(actor, Growth::Counted, &id, |transaction, id| {
            transaction.restore(*id)
        })
        .map(|memory| self.with_space(memory))
    }

    /// Removes a memory's content permanently: from the source, the journal and the quarantined copies. Names and tags
    /// that no other memory uses are removed too. O(bytes of the journal).
    ///
    /// After a crash, it is completed when the space is next opened. [`StoreError::StillRead`] if a reader still uses
    /// older pages in the database's WAL; these are removed at the same time.
    pub fn erase(&self, actor: &Actor, id: MemoryId) -> Result<()> {
        self.erase_all(actor, &[id])
    }

    /// Removes the content of many memories permanently, in one transaction and with one pass over the journal; none of
    /// them if one is missing. See [`SpaceSource::erase`].
    ///
    /// Views keep their published content until they are purged ([`SpaceSource::unclean_views`]).
    pub fn erase_all(&self, actor: &Actor, ids: &[MemoryId]) -> Result<()> {
        self.begin_erasure(actor, ids)?;
        self.finish_erasures()
    }

    /// The first half of [`SpaceSource::erase_all`]: the memories can't be read any more, and supersede none, but their content leaves the
    /// journal only with [`SpaceSource::finish_erasures`], or when the space is next opened.
    pub fn begin_erasure(&self, actor: &Actor, ids: &[MemoryId]) -> Result<()> {
        let ids: BTreeSet<_> = ids.iter().copied().collect();
        self.write_freely(actor, |transaction| {
            transaction.release_superseded(&ids)?;
            transaction.erase(&ids)
        })
    }

    /// Replaces memories by copies with other drafts and begins to erase the originals, in one transaction: each that still
    /// has the version from which its draft was made. A copy keeps the times, the state and the links, with `reason` applied
    /// to theirs, and other memories that name the original name the copy. Returns the copies by their originals; the
    /// erasure ends with [`SpaceSource::finish_erasures`]. O(memories).
    pub fn begin_replacing(
        &self,
        actor: &Actor,
        replacements: &[Replacement],
        reason: &dyn Fn(&str) -> String,
    ) -> Result<HashMap<MemoryId, MemoryId>> {
        for replacement in replacements {
            replacement.draft.check()?;
        }
        self.write_freely(actor, |transaction| {
            transaction.replace(replacements, reason)
        })
    }

    /// Removes erased content from the journal and the database's WAL, if that is still pending.
    ///
    /// Costs one small read if nothing is pending.
    pub fn finish_erasures(&self) -> Result<()> {
        if !self.read(erasure::is_pending)? {
            return Ok(());
        }
        self.with_writer(|writer, _| writer.finish_erasures(self.places()))
    }

    /// The last event up to which erased content may remain in the views' files; `None` if they are clean. One file read.
    pub fn unclean_views(&self) -> Result<Option<Seq>> {
        cleaning::noted(&self.folder)
    }

    /// Records that every view was purged after the event `through`.
    pub fn views_are_clean(&self, through: Seq) -> Result<()> {
        self.with_writer(|_, _| cleaning::done(&self.folder, through))
    }

    /// The lock that a transfer of this space's memories to another one holds, so that no two of them copy the same memory.
    pub fn transfer_lock(&self) -> WriteLock {
        WriteLock::at(&self.folder.join("transfer.lock"))
    }

    /// Creates a link between two live memories.
    pub fn link(&self, actor: &Actor, link: &Link) -> Result<Seq> {
        link.check()?;
        self.write_together(actor, Growth::Counted, link, |transaction, link| {
            transaction.link(link)
        })
    }

    /// Removes a link; returns whether it existed.
    pub fn unlink(
        &self,
        actor: &Actor,
        from: MemoryId,
        to: MemoryId,
        link_type: LinkType,
    ) -> Result<bool> {
        let link = (from, to, link_type);
        self.write_together(actor, Growth::Exempt, &link, |transaction, link| {
            transaction.unlink(link.0, link.1, link.2)
        })
    }
}

/// Separates errors that concern a single item from those that fail the whole batch.
fn separate_item_error<T>(stored: Result<T>) -> Result<Result<T>> {
    match stored {
        Err(
            refused @ (StoreError::Refused(_)
            | StoreError::Conflict { .. }
            | StoreError::WasErased { .. }
            | StoreError::NoMemory { .. }),
        ) => Ok(Err(refused)),
        stored => stored.map(Ok),
    }
}
