//! A change that its own thread or another one makes.

use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::sync::{Mutex, MutexGuard, PoisonError};

use anamne_types::Actor;

use crate::source::Transaction;
use crate::space::turns::Call;
use crate::{Result, StoreError};

/// Whether a change counts against the quota.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Growth {
    /// It grows the space.
    Counted,
    /// It is always admitted.
    Exempt,
}

/// A change that another thread can make.
pub(crate) trait Member {
    /// Where its own thread waits.
    fn call(&self) -> &Call;
    /// Who changes something.
    fn actor(&self) -> &Actor;
    /// Whether it counts against the quota.
    fn growth(&self) -> Growth;
    /// Makes the change and keeps its outcome; returns whether it succeeded. Never panics.
    fn make(&self, transaction: &mut Transaction<'_>) -> bool;
    /// Replaces the outcome by an error.
    fn refuse(&self, error: StoreError);
}

/// A change and its outcome, which may be a panic.
pub(crate) struct Change<C, T> {
    call: Call,
    actor: Actor,
    growth: Growth,
    make: C,
    outcome: Mutex<Option<Outcome<T>>>,
}

/// What a change returned; an error is its panic.
type Outcome<T> = std::thread::Result<Result<T>>;

impl<C, T> Change<C, T> {
    pub(crate) fn new(actor: &Actor, growth: Growth, make: C) -> Self {
        Self {
            call: Call::default(),
            actor: actor.clone(),
            growth,
            make,
            outcome: Mutex::new(None),
        }
    }

    /// The outcome, if the change was made. Continues its panic in the thread whose change it was.
    pub(crate) fn outcome(&self) -> Option<Result<T>> {
        match self.lock().take()? {
            Ok(outcome) => Some(outcome),
            Err(panic) => resume_unwind(panic),
        }
    }

    fn lock(&self) -> MutexGuard<'_, Option<Outcome<T>>> {
        self.outcome.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl<C, T> Member for Change<C, T>
where
    C: Fn(&mut Transaction<'_>) -> Result<T>,
{
    fn call(&self) -> &Call {
        &self.call
    }

    fn actor(&self) -> &Actor {
        &self.actor
    }

    fn growth(&self) -> Growth {
        self.growth
    }

    fn make(&self, transaction: &mut Transaction<'_>) -> bool {
        // What a panic leaves behind is undone in the database; nothing else is changed.
        let outcome = catch_unwind(AssertUnwindSafe(|| (self.make)(transaction)));
        let succeeded = matches!(outcome, Ok(Ok(_)));
        *self.lock() = Some(outcome);
        succeeded
    }

    fn refuse(&self, error: StoreError) {
        *self.lock() = Some(Ok(Err(error)));
    }
}
