//! What is told to a space: every change, each in one transaction.

use std::collections::BTreeSet;
use std::time::Duration;

use anamne_types::{
    Actor, Draft, Edit, Feedback, InvalidValue, Link, LinkType, Memory, MemoryId, Remembered, Seq,
};

use crate::arrival::Arrival;
use crate::cleaning;
use crate::source::{Transaction, erasure};
use crate::space::SpaceSource;
use crate::{Result, StoreError};

/// What became of each of many that were written in one transaction, in their order.
#[derive(Debug)]
pub struct EachTold<T> {
    /// What became of each.
    pub outcomes: Vec<Result<T>>,
    /// How long the write lock was held, from taking it to giving it back: with the transaction, the `fsync` of the database
    /// and that of the journal.
    pub held: Duration,
}

impl SpaceSource {
    /// Tells one memory. When this returns, it is durable in the source and in the journal.
    pub fn remember(&self, actor: &Actor, draft: &Draft) -> Result<Remembered> {
        draft.check()?;
        self.write(actor, |transaction| transaction.remember(draft))
    }

    /// Tells many memories in one transaction: all or none of them.
    pub fn remember_all(&self, actor: &Actor, drafts: &[Draft]) -> Result<Vec<Remembered>> {
        drafts.iter().try_for_each(Draft::check)?;
        self.write(actor, |transaction| {
            drafts
                .iter()
                .map(|draft| transaction.remember(draft))
                .collect()
        })
    }

    /// Tells many memories in one transaction. A draft that is refused, by `admit` or by its own limits, or that contradicts what was
    /// told under its outside id, is answered with its error and does not keep the others back.
    pub fn remember_each(
        &self,
        actor: &Actor,
        drafts: &[Draft],
        admit: &dyn Fn(&Draft) -> Result<(), InvalidValue>,
    ) -> Result<Vec<Result<Remembered>>> {
        let told = self.tell_each(actor, drafts, |transaction, draft| {
            draft.check()?;
            admit(draft)?;
            transaction.remember(draft)
        });
        told.map(|told| told.outcomes)
    }

    /// Tells many things in one transaction, each of which may be refused without keeping the others back.
    fn tell_each<T, O>(
        &self,
        actor: &Actor,
        all: &[T],
        tell: impl Fn(&mut Transaction<'_>, &T) -> Result<O>,
    ) -> Result<EachTold<O>> {
        let told = self.write_timed(actor, |transaction| {
            let mut tell = |one: &T| refused_apart(tell(transaction, one));
            all.iter().map(&mut tell).collect()
        });
        told.map(|(outcomes, held)| EachTold { outcomes, held })
    }

    /// Takes in what an import brings, in one transaction. What is refused is answered with its error and does
    /// not keep the others back.
    pub fn take_in(&self, actor: &Actor, arrivals: &[Arrival]) -> Result<EachTold<Remembered>> {
        self.tell_each(actor, arrivals, |transaction, arrival| {
            arrival.draft.check()?;
            transaction.take_in(arrival)
        })
    }

    /// Draws links as another store had them, in one transaction; says of each whether it was missing as
    /// such, or why it is refused. Their ends may be forgotten.
    pub fn take_links(&self, actor: &Actor, links: &[Link]) -> Result<EachTold<bool>> {
        self.tell_each(actor, links, |transaction, link| {
            link.check()?;
            transaction.take_link(link)
        })
    }

    /// Changes a memory and returns its new state.
    pub fn edit(&self, actor: &Actor, id: MemoryId, edit: &Edit) -> Result<Memory> {
        edit.check()?;
        self.write(actor, |transaction| transaction.edit(id, edit))
            .map(|memory| self.with_space(memory))
    }

    /// Adds a judgement to what is said of a memory, and returns its new state.
    pub fn judge(&self, actor: &Actor, feedback: &Feedback) -> Result<Memory> {
        feedback.check()?;
        self.write(actor, |transaction| transaction.judge(feedback))
            .map(|memory| self.with_space(memory))
    }

    /// Puts a memory away; it can be restored.
    pub fn forget(&self, actor: &Actor, id: MemoryId) -> Result<Memory> {
        self.write_freely(actor, |transaction| transaction.forget(id))
            .map(|memory| self.with_space(memory))
    }

    /// Puts many memories away in one transaction: all or none of them.
    pub fn forget_all(&self, actor: &Actor, ids: &[MemoryId]) -> Result<Vec<Memory>> {
        let forgotten: Vec<_> = self.write_freely(actor, |transaction| {
            ids.iter().map(|id| transaction.forget(*id)).collect()
        })?;
        Ok(self.with_spaces(forgotten))
    }

    /// Brings a forgotten memory back.
    pub fn restore(&self, actor: &Actor, id: MemoryId) -> Result<Memory> {
        self.write(actor, |transaction| transaction.restore(id))
            .map(|memory| self.with_space(memory))
    }

    /// Removes a memory's content permanently: from the source, from the journal, and with the copies that
    /// were quarantined as damaged. Names and tags that no other memory bears go too. O(bytes of the journal).
    ///
    /// What a crash interrupts is finished when the space is next opened. [`StoreError::StillRead`] when
    /// a reader keeps older pages of the database in its log; they go at the same time.
    pub fn erase(&self, actor: &Actor, id: MemoryId) -> Result<()> {
        self.erase_all(actor, &[id])
    }

    /// Removes the content of many memories permanently, in one transaction and with one pass over the
    /// journal; none of them when one is missing. See [`SpaceSource::erase`].
    ///
    /// Views keep what they have published until they are purged ([`SpaceSource::unclean_views`]).
    pub fn erase_all(&self, actor: &Actor, ids: &[MemoryId]) -> Result<()> {
        self.begin_erasure(actor, ids)?;
        self.finish_erasures()
    }

    /// The first half of [`SpaceSource::erase_all`]: the memories are gone for everybody who asks, but their
    /// content leaves the journal only with [`SpaceSource::finish_erasures`], or when the space is next opened.
    pub fn begin_erasure(&self, actor: &Actor, ids: &[MemoryId]) -> Result<()> {
        let ids: BTreeSet<_> = ids.iter().copied().collect();
        self.write_freely(actor, |transaction| transaction.erase(&ids))
    }

    /// Takes out of the journal and the database's log what was erased, where that is still to be done.
    ///
    /// Costs one small read when there is nothing to do.
    pub fn finish_erasures(&self) -> Result<()> {
        if !self.read(erasure::is_pending)? {
            return Ok(());
        }
        self.with_writer(|writer, _| writer.finish_erasures(self.places()))
    }

    /// The event up to which there were erasures that the views' files may still hold something of; `None`
    /// when they are clean. One look for a file.
    pub fn unclean_views(&self) -> Result<Option<Seq>> {
        cleaning::noted(&self.folder)
    }

    /// Takes note that every view was purged after the event `through`.
    pub fn views_are_clean(&self, through: Seq) -> Result<()> {
        self.with_writer(|_, _| cleaning::done(&self.folder, through))
    }

    /// Draws a link between two live memories.
    pub fn link(&self, actor: &Actor, link: &Link) -> Result<Seq> {
        link.check()?;
        self.write(actor, |transaction| transaction.link(link))
    }

    /// Takes a link away; says whether it was there.
    pub fn unlink(
        &self,
        actor: &Actor,
        from: MemoryId,
        to: MemoryId,
        link_type: LinkType,
    ) -> Result<bool> {
        self.write_freely(actor, |transaction| transaction.unlink(from, to, link_type))
    }
}

/// Sets apart what keeps only one of many from being told; every other error is of all of them.
fn refused_apart<T>(told: Result<T>) -> Result<Result<T>> {
    match told {
        Err(
            refused @ (StoreError::Refused(_)
            | StoreError::Conflict { .. }
            | StoreError::WasErased { .. }
            | StoreError::NoMemory { .. }),
        ) => Ok(Err(refused)),
        told => told.map(Ok),
    }
}
