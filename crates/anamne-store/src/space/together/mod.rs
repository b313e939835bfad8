//! Changes of several threads in one transaction, with one commit and one sync of each copy.
//!
//! The thread that has the turn makes its own change, then those of the threads that wait, each of which can be undone
//! alone. A thread is answered after the sync of both copies.

mod change;
#[cfg(test)]
mod tests;

use std::path::Path;
use std::sync::Arc;
use std::time::{Duration, Instant};

use super::SpaceSource;
use super::turns::{Answer, Turn};
use crate::source::Transaction;
use crate::source::members::Reach;
use crate::{Result, StoreError};

pub(crate) use change::{Change, Growth, Member};

/// No further change is begun after this time, so that nobody waits long for the sync.
const LONGEST: Duration = Duration::from_millis(10);

/// The most changes in one transaction.
const MOST_CHANGES: usize = 256;

/// No further change is begun after this number of bytes for the journal.
const MOST_BYTES: u64 = 1 << 20;

/// How the transaction of several changes ended.
enum Ending {
    /// Every change that succeeded is durable in both copies. Other spaces have to follow.
    Durable(Reach),
    /// Nothing was written.
    RolledBack,
    /// Committed to the database, but not appended to the journal.
    NotJournaled(StoreError),
}

/// The threads whose changes are in one transaction with that of the thread that has the turn. All are answered,
/// whatever happens.
struct Followers<'space> {
    members: Vec<Arc<dyn Member + Send + Sync>>,
    database: &'space Path,
}

impl Followers<'_> {
    fn answer(&mut self, answer: impl Fn() -> Answer) {
        for follower in self.members.drain(..) {
            follower.call().answer(answer());
        }
    }
}

impl Drop for Followers<'_> {
    /// Some are left only after a panic outside of all changes.
    fn drop(&mut self) {
        let panicked = || {
            let reason = "the thread that wrote for several panicked; look whether it is stored";
            StoreError::io("write", self.database)(std::io::Error::other(reason))
        };
        for follower in &self.members {
            follower.call().answer(Answer::Failed(panicked()));
        }
    }
}

impl SpaceSource {
    /// Makes the change of the thread that has the turn, and those of threads that wait; see [`SpaceSource::written`].
    pub(super) fn write_first<C, T>(&self, turn: Turn<'_>, own: &Change<C, T>) -> Result<Option<T>>
    where
        C: Fn(&mut Transaction<'_>) -> Result<T>,
    {
        let answer = self.write_for_all(turn, own);
        let outcome = own.outcome();
        self.outcome_of(answer, outcome, StoreError::may_be_damage)
    }

    /// What came of a change that another thread made; `None` if it must be made in a transaction of its own.
    pub(super) fn written<C, T>(&self, answer: Answer, own: &Change<C, T>) -> Result<Option<T>> {
        let outcome = own.outcome();
        // Before a refusal, the quota is measured exactly.
        let may_succeed_alone = |error: &StoreError| {
            error.may_be_damage() || matches!(error, StoreError::QuotaExceeded { .. })
        };
        self.outcome_of(answer, outcome, may_succeed_alone)
    }

    fn outcome_of<T>(
        &self,
        answer: Answer,
        outcome: Option<Result<T>>,
        may_succeed_alone: impl Fn(&StoreError) -> bool,
    ) -> Result<Option<T>> {
        match (answer, outcome) {
            (Answer::Failed(error), _) => Err(error),
            (Answer::Made, Some(Err(error))) if may_succeed_alone(&error) => Ok(None),
            (Answer::Made, Some(outcome)) => outcome
                .map(Some)
                .map_err(|error| error.of_database(&self.database)),
            (Answer::Made | Answer::MakeItAlone | Answer::YourTurn, _) => Ok(None),
        }
    }

    /// Makes the change `first`, and those of threads that wait, in one transaction; answers these threads.
    fn write_for_all(&self, mut turn: Turn<'_>, first: &dyn Member) -> Answer {
        let mut followers = Followers {
            members: Vec::new(),
            database: &self.database,
        };
        let ending = self.in_one_transaction(&mut turn, first, &mut followers);
        // The next thread begins while those of this transaction are woken.
        drop(turn);
        match ending {
            Ok(Ending::Durable(reach)) => {
                self.reach_other_spaces(&reach);
                followers.answer(|| Answer::Made);
                Answer::Made
            }
            Ok(Ending::RolledBack) => {
                followers.answer(|| Answer::MakeItAlone);
                Answer::MakeItAlone
            }
            // Each thread finds out whether the database is damaged, and repairs it or returns the error.
            Err(error) if error.may_be_damage() => {
                followers.answer(|| Answer::MakeItAlone);
                Answer::MakeItAlone
            }
            Ok(Ending::NotJournaled(error)) | Err(error) => {
                let error = error.of_database(&self.database);
                followers.answer(|| Answer::Failed(repeated(&error)));
                Answer::Failed(error)
            }
        }
    }

    fn in_one_transaction(
        &self,
        turn: &mut Turn<'_>,
        first: &dyn Member,
        followers: &mut Followers<'_>,
    ) -> Result<Ending> {
        let guard = self.acquire().inspect_err(|_| {
            // They have waited for the same lock.
            followers
                .members
                .extend(std::iter::from_fn(|| self.turns.next_member()));
        })?;
        let ending = self.as_only_writer(turn, |writer, end| {
            let mut transaction = self.begin(writer, first.actor(), end)?;
            if !self.make(first, &mut transaction) {
                return Ok(Ending::Durable(Reach::default()));
            }
            if transaction.line_bytes() > 0 {
                let is_whole = self.add_waiting(&mut transaction, followers)?;
                if !is_whole {
                    return Ok(Ending::RolledBack);
                }
            }
            let reach = transaction.take_reach();
            let lines = transaction.commit_if_changed()?;
            Ok(match writer.journal.append(&lines) {
                Ok(()) => Ending::Durable(reach),
                Err(error) => Ending::NotJournaled(error),
            })
        });
        drop(guard);
        ending
    }

    /// Adds the changes of threads that wait; returns whether the transaction still exists.
    fn add_waiting(
        &self,
        transaction: &mut Transaction<'_>,
        followers: &mut Followers<'_>,
    ) -> Result<bool> {
        let began = Instant::now();
        while followers.members.len() + 1 < MOST_CHANGES
            && began.elapsed() < LONGEST
            && transaction.all_line_bytes() < MOST_BYTES
        {
            let Some(member) = self.turns.next_member() else {
                break;
            };
            followers.members.push(member.clone());
            transaction.begin_another(member.actor(), self.now())?;
            let succeeded = self.make(member.as_ref(), transaction);
            if transaction.is_lost() {
                return Ok(false);
            }
            if succeeded {
                transaction.keep_another()?;
            } else {
                transaction.undo_another()?;
            }
        }
        Ok(true)
    }

    /// Makes a change, and refuses it if the quota doesn't admit it.
    fn make(&self, member: &dyn Member, transaction: &mut Transaction<'_>) -> bool {
        if !member.make(transaction) {
            return false;
        }
        if member.growth() == Growth::Exempt {
            return true;
        }
        let admitted = self.admit(transaction);
        let is_admitted = admitted.is_ok();
        if let Err(error) = admitted {
            member.refuse(error);
        }
        is_admitted
    }
}

/// The same error for another caller whose change was in the same transaction.
fn repeated(error: &StoreError) -> StoreError {
    match error {
        StoreError::SpaceGone(name) => StoreError::SpaceGone(name.clone()),
        StoreError::Busy { path, waited } => StoreError::Busy {
            path: path.clone(),
            waited: *waited,
        },
        StoreError::Newer { path, found, known } => StoreError::Newer {
            path: path.clone(),
            found: *found,
            known: *known,
        },
        StoreError::Damaged { path, reason } => StoreError::damaged(path, reason.clone()),
        StoreError::ReadOnly {
            action,
            path,
            reason,
        } => StoreError::ReadOnly {
            action,
            path: path.clone(),
            reason: reason.clone(),
        },
        StoreError::DiskFull {
            action,
            path,
            reason,
        } => StoreError::DiskFull {
            action,
            path: path.clone(),
            reason: reason.clone(),
        },
        StoreError::Io {
            action,
            path,
            source,
        } => StoreError::Io {
            action,
            path: path.clone(),
            source: match source.raw_os_error() {
                Some(code) => std::io::Error::from_raw_os_error(code),
                None => std::io::Error::new(source.kind(), source.to_string()),
            },
        },
        StoreError::Sqlite(rusqlite::Error::SqliteFailure(error, message)) => {
            StoreError::Sqlite(rusqlite::Error::SqliteFailure(*error, message.clone()))
        }
        // No other error concerns a whole transaction.
        other => StoreError::Sqlite(rusqlite::Error::UserFunctionError(other.to_string().into())),
    }
}
