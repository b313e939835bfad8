//! What the operation of a server needs beside its stores.

use std::collections::BTreeMap;
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

use anamne::ViewLag;
use tokio::sync::watch;

use super::limits::HttpLimits;
use super::live::Live;
use super::metrics::Metrics;
use super::origin::Allowed;
use super::traces::Traces;

/// What the operation of a server needs beside its stores.
pub(crate) struct Operation {
    pub(crate) allowed: Allowed,
    pub(crate) limits: HttpLimits,
    /// Whether only this machine's programs reach the server.
    pub(crate) is_local: bool,
    pub(crate) metrics: Metrics,
    pub(super) traces: Traces,
    pub(crate) live: Live,
    /// Whether the store could be written, when last tried.
    pub(crate) ready: Recent<bool>,
    pub(crate) behind: Recent<BTreeMap<String, ViewLag>>,
    ending: watch::Sender<bool>,
}

impl Operation {
    pub(crate) fn new(
        allowed: Allowed,
        limits: HttpLimits,
        is_local: bool,
        metrics: Metrics,
        traces: Traces,
    ) -> Self {
        Self {
            allowed,
            live: Live::new(limits.followers),
            limits,
            is_local,
            metrics,
            traces,
            ready: Recent::new(Duration::from_secs(1)),
            behind: Recent::new(Duration::from_secs(10)),
            ending: watch::Sender::new(false),
        }
    }

    /// Announces that the server ends.
    pub(crate) fn begin_to_end(&self) {
        self.ending.send_replace(true);
    }

    /// Whether the server ends.
    pub(crate) fn is_ending(&self) -> bool {
        *self.ending.borrow()
    }

    /// Ready when the server ends.
    pub(crate) fn ending(&self) -> impl Future<Output = ()> + Send + use<> {
        let mut ending = self.ending.subscribe();
        async move { drop(ending.wait_for(|ending| *ending).await) }
    }
}

/// A value that is looked up at most once per interval.
pub(crate) struct Recent<T> {
    interval: Duration,
    known: Mutex<Option<(Instant, T)>>,
}

impl<T: Clone> Recent<T> {
    fn new(interval: Duration) -> Self {
        Self {
            interval,
            known: Mutex::default(),
        }
    }

    /// The value, if it is recent.
    pub(crate) fn get(&self) -> Option<T> {
        let known = self.known.lock().unwrap_or_else(PoisonError::into_inner);
        let recent = known.as_ref();
        recent
            .filter(|(at, _)| at.elapsed() < self.interval)
            .map(|(_, value)| value.clone())
    }

    /// Notes a value that was just looked up.
    pub(crate) fn set(&self, value: T) {
        let mut known = self.known.lock().unwrap_or_else(PoisonError::into_inner);
        *known = Some((Instant::now(), value));
    }
}
