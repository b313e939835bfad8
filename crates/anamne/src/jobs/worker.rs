//! The background thread.

use std::sync::mpsc::{RecvTimeoutError, SyncSender, TrySendError, sync_channel};
use std::sync::{OnceLock, Weak};
use std::time::Duration;

use crate::core::Inner;

/// Interval of rounds without a wake-up: some work waits for idle time.
const BETWEEN_LOOKS: Duration = Duration::from_secs(20);

/// A background worker, started on first use.
#[derive(Debug, Default)]
pub(crate) struct Worker {
    wake: OnceLock<SyncSender<()>>,
}

impl Worker {
    /// Wakes the worker; returns at once.
    ///
    /// The worker holds the space weakly, so that it ends when the last handle is dropped.
    pub(crate) fn wake(&self, space: &Weak<Inner>) {
        let wake = self.wake.get_or_init(|| start(space.clone()));
        match wake.try_send(()) {
            // Full: already requested. Disconnected: the thread ended with the space.
            Ok(()) | Err(TrySendError::Full(()) | TrySendError::Disconnected(())) => {}
        }
    }
}

fn start(space: Weak<Inner>) -> SyncSender<()> {
    let (wake, woken) = sync_channel(1);
    let work = move || {
        while let Ok(()) | Err(RecvTimeoutError::Timeout) = woken.recv_timeout(BETWEEN_LOOKS) {
            let Some(space) = space.upgrade() else { return };
            space.run_round();
        }
    };
    // Without a thread, views are folded when the program calls settle.
    let _ = std::thread::Builder::new()
        .name("anamne-worker".to_owned())
        .spawn(work);
    wake
}
