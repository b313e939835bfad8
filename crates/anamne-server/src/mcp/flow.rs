//! Limits a client's requests in flight, so that one that sends and never reads can't exhaust memory.

use std::collections::HashMap;
use std::sync::{Mutex, PoisonError};

use rmcp::model::RequestId;
use tokio::sync::Notify;

/// Maximum requests in flight; beyond that no more input is read.
const MOST_REQUESTS: usize = 64;

/// Maximum bytes of requests in flight. One request may always be read.
const MOST_BYTES: usize = 32 << 20;

/// The requests of one client that were read and not yet fully answered.
#[derive(Default)]
pub(crate) struct Flow {
    requests: Mutex<HashMap<RequestId, usize>>,
    /// Signalled when a request ends.
    room: Notify,
}

impl Flow {
    /// Waits until another message may be read. Cancel-safe.
    pub(crate) async fn wait_for_room(&self) {
        loop {
            let freed = self.room.notified();
            if self.has_room() {
                return;
            }
            freed.await;
        }
    }

    /// Records a request of this many bytes; `false` if one with the same id is in flight.
    pub(crate) fn begin(&self, id: &RequestId, bytes: usize) -> bool {
        let mut requests = self.requests.lock().unwrap_or_else(PoisonError::into_inner);
        if requests.contains_key(id) {
            return false;
        }
        requests.insert(id.clone(), bytes);
        true
    }

    /// Removes a request that was answered or cancelled.
    pub(crate) fn end(&self, id: &RequestId) {
        let mut requests = self.requests.lock().unwrap_or_else(PoisonError::into_inner);
        if requests.remove(id).is_some() {
            self.room.notify_one();
        }
    }

    fn has_room(&self) -> bool {
        let requests = self.requests.lock().unwrap_or_else(PoisonError::into_inner);
        requests.len() < MOST_REQUESTS && requests.values().sum::<usize>() < MOST_BYTES
    }
}
