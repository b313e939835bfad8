//! Who may use this process's writer: one thread at a time, first come, first served.

use std::collections::VecDeque;
use std::ops::{Deref, DerefMut};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};

use super::together::Member;
use crate::StoreError;
use crate::writer::Writer;

/// The writer of this process, and the threads that wait for it.
#[derive(Default)]
pub(crate) struct Turns(Mutex<Queue>);

#[derive(Default)]
struct Queue {
    /// Whether a thread has the turn, or was told that it has.
    taken: bool,
    /// The writer while no thread has the turn.
    writer: Option<Writer>,
    waiting: VecDeque<Waiting>,
}

/// A thread that waits.
enum Waiting {
    /// It needs the writer for itself.
    Alone(Arc<Call>),
    /// Whoever has the turn may make its change.
    Together(Arc<dyn Member + Send + Sync>),
}

/// The use of the writer, until it is dropped; then the next thread is called.
pub(crate) struct Turn<'space> {
    turns: &'space Turns,
    writer: Option<Writer>,
}

impl Turns {
    /// Takes the turn if nobody has it.
    pub(crate) fn try_take(&self) -> Option<Turn<'_>> {
        let mut queue = self.lock();
        if queue.taken {
            return None;
        }
        queue.taken = true;
        Some(self.turn(&mut queue))
    }

    /// Waits for the turn.
    pub(crate) fn take(&self) -> Turn<'_> {
        let call = Arc::new(Call::default());
        self.queue_up(Waiting::Alone(call.clone()));
        // Nothing but the turn is told to a thread that waits alone.
        let _ = call.wait();
        self.turn(&mut self.lock())
    }

    /// Waits until another thread has made the change of `member`, or for the turn to make it.
    pub(crate) fn wait<M>(&self, member: &Arc<M>) -> Result<Turn<'_>, Answer>
    where
        M: Member + Send + Sync + 'static,
    {
        self.queue_up(Waiting::Together(member.clone()));
        match member.call().wait() {
            Answer::YourTurn => Ok(self.turn(&mut self.lock())),
            answer => Err(answer),
        }
    }

    /// Removes the first thread from the queue whose change may be made by the caller, who has the turn.
    pub(crate) fn next_member(&self) -> Option<Arc<dyn Member + Send + Sync>> {
        let waiting = &mut self.lock().waiting;
        let together = |waiting: &Waiting| matches!(waiting, Waiting::Together(_));
        match waiting.remove(waiting.iter().position(together)?)? {
            Waiting::Together(member) => Some(member),
            Waiting::Alone(_) => None,
        }
    }

    /// Number of threads that wait.
    #[cfg(test)]
    pub(crate) fn waiting(&self) -> usize {
        self.lock().waiting.len()
    }

    fn queue_up(&self, thread: Waiting) {
        let mut queue = self.lock();
        if queue.taken {
            queue.waiting.push_back(thread);
        } else {
            queue.taken = true;
            thread.call().answer(Answer::YourTurn);
        }
    }

    fn turn(&self, queue: &mut Queue) -> Turn<'_> {
        Turn {
            turns: self,
            writer: queue.writer.take(),
        }
    }

    fn lock(&self) -> MutexGuard<'_, Queue> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Waiting {
    fn call(&self) -> &Call {
        match self {
            Self::Alone(call) => call,
            Self::Together(member) => member.call(),
        }
    }
}

impl Deref for Turn<'_> {
    type Target = Option<Writer>;

    fn deref(&self) -> &Option<Writer> {
        &self.writer
    }
}

impl DerefMut for Turn<'_> {
    fn deref_mut(&mut self) -> &mut Option<Writer> {
        &mut self.writer
    }
}

impl Drop for Turn<'_> {
    fn drop(&mut self) {
        let mut queue = self.turns.lock();
        queue.writer = self.writer.take();
        let next = queue.waiting.pop_front();
        queue.taken = next.is_some();
        drop(queue);
        if let Some(next) = next {
            next.call().answer(Answer::YourTurn);
        }
    }
}

/// What a waiting thread is told.
#[derive(Debug)]
pub(crate) enum Answer {
    /// It has the turn.
    YourTurn,
    /// Its change was made, and what it wrote is durable in both copies.
    Made,
    /// Nothing was written; it must make its change in a transaction of its own.
    MakeItAlone,
    /// The transaction of its change failed.
    Failed(StoreError),
}

/// Where a thread waits for one answer.
#[derive(Debug, Default)]
pub(crate) struct Call {
    told: Mutex<Option<Answer>>,
    woken: Condvar,
}

impl Call {
    /// Tells the thread.
    pub(crate) fn answer(&self, answer: Answer) {
        *self.told.lock().unwrap_or_else(PoisonError::into_inner) = Some(answer);
        self.woken.notify_one();
    }

    fn wait(&self) -> Answer {
        let mut told = self.told.lock().unwrap_or_else(PoisonError::into_inner);
        loop {
            if let Some(answer) = told.take() {
                return answer;
            }
            told = self
                .woken
                .wait(told)
                .unwrap_or_else(PoisonError::into_inner);
        }
    }
}
