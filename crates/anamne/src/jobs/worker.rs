//! The thread that folds long tails and rebuilds broken views while nobody waits.

use std::sync::mpsc::{RecvTimeoutError, SyncSender, TrySendError, sync_channel};
use std::sync::{OnceLock, Weak};
use std::time::Duration;

use crate::core::Inner;

/// Without being asked it looks after the space once in so long: some work waits until nobody asks.
const BETWEEN_LOOKS: Duration = Duration::from_secs(20);

/// A background worker that starts when it is first needed.
#[derive(Debug, Default)]
pub(crate) struct Worker {
    wake: OnceLock<SyncSender<()>>,
}

impl Worker {
    /// Asks the worker to look after the space; returns at once.
    ///
    /// The worker holds the space weakly, so that it ends when the last handle is dropped.
    pub(crate) fn wake(&self, space: &Weak<Inner>) {
        let wake = self.wake.get_or_init(|| start(space.clone()));
        match wake.try_send(()) {
            // Full: it has been asked already. Disconnected: the thread is gone with the space.
            Ok(()) | Err(TrySendError::Full(()) | TrySendError::Disconnected(())) => {}
        }
    }
}

fn start(space: Weak<Inner>) -> SyncSender<()> {
    let (wake, woken) = sync_channel(1);
    let work = move || {
        while let Ok(()) | Err(RecvTimeoutError::Timeout) = woken.recv_timeout(BETWEEN_LOOKS) {
            let Some(space) = space.upgrade() else { return };
            space.look_after();
        }
    };
    // Where no thread can be had, views are folded when the program settles them itself.
    let _ = std::thread::Builder::new()
        .name("anamne-worker".to_owned())
        .spawn(work);
    wake
}
