//! Storing, editing, forgetting and linking memories.

use anamne_store::StoreError;
use anamne_types::{Draft, Edit, Link, LinkType, Memory, MemoryId, Remembered, Seq, Version};

use crate::Error;
use crate::space::Space;

impl Space {
    /// Stores one memory. On return it is durable in both copies, and every process finds it.
    pub fn remember(&self, draft: impl Into<Draft>) -> Result<Remembered, Error> {
        let draft = draft.into();
        self.require_write()?;
        self.admit(&draft)?;
        self.write(&draft)
    }

    /// Stores a memory worded by the engine itself, which may have reserved metadata.
    pub(crate) fn write(&self, draft: &Draft) -> Result<Remembered, Error> {
        let remembered = self.inner.source.remember(self.actor(), draft)?;
        self.after_write();
        Ok(remembered)
    }

    /// Stores many memories in one transaction: all or none.
    pub fn remember_all(&self, drafts: &[Draft]) -> Result<Vec<Remembered>, Error> {
        self.require_write()?;
        drafts.iter().try_for_each(|draft| self.admit(draft))?;
        let remembered = self.inner.source.remember_all(self.actor(), drafts)?;
        self.after_write();
        Ok(remembered)
    }

    /// Stores many memories in one transaction; rejected ones don't affect the others.
    pub fn remember_each(
        &self,
        drafts: &[Draft],
    ) -> Result<Vec<Result<Remembered, StoreError>>, Error> {
        self.require_write()?;
        let admit = |draft: &Draft| self.admit(draft);
        let remembered = self
            .inner
            .source
            .remember_each(self.actor(), drafts, &admit)?;
        self.after_write();
        Ok(remembered)
    }

    /// Edits a memory and returns its new state.
    pub fn edit(&self, id: MemoryId, edit: &Edit) -> Result<Memory, Error> {
        self.require_write()?;
        self.admit_edit(edit)?;
        let memory = self.inner.source.edit(self.actor(), id, edit)?;
        self.after_write();
        Ok(memory)
    }

    /// Forgets a memory; [`Space::restore`] brings it back.
    pub fn forget(&self, id: MemoryId) -> Result<Memory, Error> {
        self.require_write()?;
        Ok(self.inner.source.forget(self.actor(), id)?)
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
        Ok(self.inner.source.link(self.actor(), link)?)
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
