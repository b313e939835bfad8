//! The write path of source and journal.

use std::borrow::Borrow;
use std::sync::{Arc, PoisonError};
use std::time::Duration;

use anamne_types::{Actor, Seq};

use super::SpaceSource;
use super::together::{Change, Growth};
use crate::config::Duplicates;
use crate::files::look_at;
use crate::journal::Digest;
use crate::quota::WriteRequest;
use crate::source::{Transaction, WriteContext, feed};
use crate::writer::Writer;
use crate::{Result, StoreError};

impl SpaceSource {
    /// A write that grows the space and is subject to its quota, in a transaction of its own.
    pub(crate) fn write<T>(
        &self,
        actor: &Actor,
        change: impl Fn(&mut Transaction<'_>) -> Result<T>,
    ) -> Result<T> {
        self.write_timed(actor, change).map(|(outcome, _)| outcome)
    }

    /// The same; also returns how long the write lock was held.
    pub(crate) fn write_timed<T>(
        &self,
        actor: &Actor,
        change: impl Fn(&mut Transaction<'_>) -> Result<T>,
    ) -> Result<(T, Duration)> {
        self.settings.current()?;
        self.write_freely_timed(actor, |transaction| {
            let outcome = change(transaction)?;
            self.admit(transaction)?;
            Ok(outcome)
        })
    }

    /// A small write, for which `change` is given `data`. Threads that wait for each other share one transaction.
    ///
    /// If other threads use the writer, `data` is copied, because one of them may make the change.
    pub(crate) fn write_together<D, T>(
        &self,
        actor: &Actor,
        growth: Growth,
        data: &D,
        change: impl Fn(&mut Transaction<'_>, &D) -> Result<T> + Copy + Send + Sync + 'static,
    ) -> Result<T>
    where
        D: ToOwned + ?Sized,
        D::Owned: Send + Sync + 'static,
        T: Send + 'static,
    {
        actor.check()?;
        if growth == Growth::Counted {
            self.settings.current()?;
        }
        let written = if let Some(turn) = self.turns.try_take() {
            let own = |transaction: &mut Transaction<'_>| change(transaction, data);
            self.write_first(turn, &Change::new(actor, growth, own))
        } else {
            let data = data.to_owned();
            let own = move |transaction: &mut Transaction<'_>| change(transaction, data.borrow());
            let own = Arc::new(Change::new(actor, growth, own));
            match self.turns.wait(&own) {
                Ok(turn) => self.write_first(turn, own.as_ref()),
                Err(answer) => self.written(answer, own.as_ref()),
            }
        };
        match (written?, growth) {
            (Some(outcome), _) => Ok(outcome),
            (None, Growth::Counted) => self.write(actor, |transaction| change(transaction, data)),
            (None, Growth::Exempt) => {
                self.write_freely(actor, |transaction| change(transaction, data))
            }
        }
    }

    /// Checks the quota after a change: [`StoreError::QuotaExceeded`] if it grows the space beyond it.
    pub(super) fn admit(&self, transaction: &Transaction<'_>) -> Result<()> {
        let limit = self.settings.known().quota.bytes;
        let lines = transaction.line_bytes();
        if lines == 0 {
            return Ok(());
        }
        if let Some(quota) = &self.store_quota {
            quota.admit(lines, transaction.new_memories())?;
        }
        if limit == 0 {
            return Ok(());
        }
        let wanted = WriteRequest {
            space: self.name.as_str(),
            folder: &self.folder,
            head: transaction.head_before(),
            lines,
            logged: transaction.logged_bytes(&self.database)?,
            uncommitted: transaction.uncommitted(),
            limit,
        };
        let mut usage = self.usage.lock().unwrap_or_else(PoisonError::into_inner);
        usage.admit(wanted)
    }

    /// Checks the quotas before a text of `bytes` bytes is stored in a file beside the source.
    pub fn admit_beside(&self, bytes: u64) -> Result<()> {
        let limit = self.settings.current()?.quota.bytes;
        if let Some(quota) = &self.store_quota {
            quota.admit(bytes, 0)?;
        }
        if limit == 0 {
            return Ok(());
        }
        let wanted = WriteRequest {
            space: self.name.as_str(),
            folder: &self.folder,
            head: self.read(feed::head)?,
            lines: bytes,
            logged: 0,
            uncommitted: (0, 0),
            limit,
        };
        let mut usage = self.usage.lock().unwrap_or_else(PoisonError::into_inner);
        usage.admit(wanted)
    }

    /// A write without an event: internal state of the source.
    pub(crate) fn write_quietly(
        &self,
        change: impl Fn(&mut Transaction<'_>) -> Result<()>,
    ) -> Result<()> {
        self.with_writer(|writer, end| {
            let actor = Actor::user();
            let mut transaction = self.begin(writer, &actor, end)?;
            change(&mut transaction)?;
            transaction.commit()?;
            Ok(())
        })
    }

    /// A write that is exempt from the quota, in a transaction of its own.
    pub(crate) fn write_freely<T>(
        &self,
        actor: &Actor,
        change: impl Fn(&mut Transaction<'_>) -> Result<T>,
    ) -> Result<T> {
        self.write_freely_timed(actor, change)
            .map(|(outcome, _)| outcome)
    }

    /// The write path of source and journal for one thread alone.
    fn write_freely_timed<T>(
        &self,
        actor: &Actor,
        change: impl Fn(&mut Transaction<'_>) -> Result<T>,
    ) -> Result<(T, Duration)> {
        actor.check()?;
        let ((outcome, reach), held) = self.with_writer_timed(|writer, end| {
            let mut transaction = self.begin(writer, actor, end)?;
            let outcome = change(&mut transaction)?;
            let reach = transaction.take_reach();
            let lines = transaction.commit_if_changed()?;
            writer.journal.append(&lines)?;
            Ok((outcome, reach))
        })?;
        self.reach_other_spaces(&reach);
        Ok((outcome, held))
    }

    pub(super) fn begin<'writer>(
        &'writer self,
        writer: &'writer Writer,
        actor: &'writer Actor,
        end: (Seq, Digest),
    ) -> Result<Transaction<'writer>> {
        let occasion = WriteContext {
            space: self.name.as_str(),
            actor,
            now: self.clock.now(),
            finds_duplicates: self.settings.known().intake.duplicates != Duplicates::None,
        };
        Transaction::begin(self.names.of(&writer.connection), occasion, end)
    }

    /// Runs `work` as the only writer of all threads and processes, after reconciling source and journal; `work`
    /// receives their common end.
    ///
    /// If the database turns out to be damaged, the transaction is rolled back, the database is healed and `work` runs
    /// again.
    pub(crate) fn with_writer<T>(
        &self,
        work: impl Fn(&mut Writer, (Seq, Digest)) -> Result<T>,
    ) -> Result<T> {
        self.with_writer_timed(work).map(|(outcome, _)| outcome)
    }

    /// The same; also returns how long the write lock was held.
    fn with_writer_timed<T>(
        &self,
        work: impl Fn(&mut Writer, (Seq, Digest)) -> Result<T>,
    ) -> Result<(T, Duration)> {
        self.healing(|| {
            let mut turn = self.turns.take();
            let guard = self.acquire()?;
            let outcome = self.as_only_writer(&mut turn, &work)?;
            Ok((outcome, guard.release()))
        })
        .map_err(|error| error.of_database(&self.database))
    }

    /// `slot` is this process's writer; the caller holds the write lock.
    pub(crate) fn as_only_writer<T>(
        &self,
        slot: &mut Option<Writer>,
        work: impl FnOnce(&mut Writer, (Seq, Digest)) -> Result<T>,
    ) -> Result<T> {
        let found = look_at(&self.database)?.map(|state| state.identity);
        let settled = match slot.as_mut() {
            Some(writer) if Some(writer.identity) == found => match writer.settle() {
                Err(error) if error.is_broken_database() => None,
                Err(StoreError::Damaged { .. }) => None,
                settled => Some(settled?),
            },
            _ => None,
        };
        if let (Some(end), Some(writer)) = (settled, slot.as_mut()) {
            return work(writer, end);
        }
        // Cached state belongs to a replaced database or a deleted space, or disagrees with the journal.
        *slot = None;
        self.check_present()?;
        self.names.forget();
        let mut repaired = Vec::new();
        let opened = Writer::open(self.places(), &mut repaired);
        self.note_repairs(repaired);
        let writer = slot.insert(opened?);
        let end = writer.settle()?;
        work(writer, end)
    }

    /// Runs `work` under the write lock.
    pub(crate) fn locked<T>(&self, work: impl FnOnce() -> Result<T>) -> Result<T> {
        let _turn = self.turns.take();
        let _guard = self.acquire()?;
        self.check_present()?;
        work()
    }
}
