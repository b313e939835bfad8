//! Answers in time, once, whatever the work does.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Condvar, Mutex, PoisonError};
use std::time::{Duration, Instant};

use anamne_hosts::hook::{HookEvent, takes_context};

use super::job::SharedJob;
use super::{answer_of, start_later};
use crate::output::write_answer;

/// When the process ends at the latest, counted from its start. Below the 300 ms that a host may be kept waiting.
const LATEST: Duration = Duration::from_millis(270);

/// The same for a hook that its host doesn't wait for. Cline starts it first, and tells it what happened much later.
const LATEST_UNAWAITED: Duration = Duration::from_secs(2);

/// When the process of a hook ends at the latest, counted from its start.
pub(super) fn latest(host: &str, event: HookEvent) -> Duration {
    if host == "cline" && !takes_context(host, event) {
        LATEST_UNAWAITED
    } else {
        LATEST
    }
}

/// The answer to the host, which is given once.
#[derive(Clone)]
pub(super) struct Reply {
    host: Arc<Mutex<String>>,
    event: HookEvent,
    is_given: Arc<AtomicBool>,
}

impl Reply {
    pub(super) fn to(host: &str, event: HookEvent) -> Self {
        Self {
            host: Arc::new(Mutex::new(host.to_owned())),
            event,
            is_given: Arc::default(),
        }
    }

    /// Another host than the one that the command line names fired the hook: some run the hooks of others.
    pub(super) fn is_for(&self, host: &str) {
        host.clone_into(&mut self.host.lock().unwrap_or_else(PoisonError::into_inner));
    }

    fn host(&self) -> String {
        self.host
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .clone()
    }

    /// Adds a text to the conversation, unless the host has its answer. Returns whether it was given.
    pub(super) fn give(&self, context: &str) -> bool {
        self.write(Some(context))
    }

    /// Adds nothing, unless the host has its answer.
    pub(super) fn give_empty(&self) {
        self.write(None);
    }

    fn write(&self, context: Option<&str>) -> bool {
        let is_first = !self.is_given.swap(true, Ordering::SeqCst);
        if is_first {
            write_answer(&answer_of(&self.host(), self.event, context));
        }
        is_first
    }
}

/// Ends the process in time.
pub(super) struct Watchdog {
    stopped: Arc<(Mutex<bool>, Condvar)>,
}

impl Watchdog {
    pub(super) fn start(started: Instant, latest: Duration, reply: Reply, job: SharedJob) -> Self {
        let stopped: Arc<(Mutex<bool>, Condvar)> = Arc::default();
        let watched = stopped.clone();
        std::thread::spawn(move || {
            let (lock, signal) = &*watched;
            let guard = lock.lock().unwrap_or_else(PoisonError::into_inner);
            let left = latest.saturating_sub(started.elapsed());
            let waited = signal.wait_timeout_while(guard, left, |stopped| !*stopped);
            let (stopped, _) = waited.unwrap_or_else(PoisonError::into_inner);
            if !*stopped {
                reply.give_empty();
                start_later(&job.timed_out(&reply.host(), reply.event));
                // Every write is a transaction: what isn't finished didn't happen.
                std::process::exit(0);
            }
        });
        Self { stopped }
    }

    /// The work ended in time.
    pub(super) fn stop(self) {
        let (lock, signal) = &*self.stopped;
        *lock.lock().unwrap_or_else(PoisonError::into_inner) = true;
        signal.notify_all();
    }
}

/// Ends the process in time, whatever it does: for a hook that answers nothing.
pub(super) fn end_in_time() {
    std::thread::spawn(|| {
        std::thread::sleep(LATEST);
        std::process::exit(0);
    });
}
