//! How much of a client's work is in flight, so that one that sends and never reads can't fill the memory.

use std::collections::HashMap;
use std::sync::{Mutex, PoisonError};

use rmcp::model::RequestId;
use tokio::sync::Notify;

/// Requests that may wait for their reply to be written; after that nothing more is read.
const MOST_REQUESTS: usize = 64;

/// Bytes of such requests, likewise. One request may always be read.
const MOST_BYTES: usize = 32 << 20;

/// The requests of one client that are in flight: read, and not yet answered in full.
#[derive(Default)]
pub(crate) struct Flow {
    requests: Mutex<HashMap<RequestId, usize>>,
    /// Signalled when one of them ends.
    room: Notify,
}

impl Flow {
    /// Waits until another message may be read. May be dropped half-way.
    pub(crate) async fn wait_for_room(&self) {
        loop {
            let freed = self.room.notified();
            if self.has_room() {
                return;
            }
            freed.await;
        }
    }

    /// Notes a request of so many bytes; `false` where one with this id is in flight already.
    pub(crate) fn begin(&self, id: &RequestId, bytes: usize) -> bool {
        let mut requests = self.requests.lock().unwrap_or_else(PoisonError::into_inner);
        if requests.contains_key(id) {
            return false;
        }
        requests.insert(id.clone(), bytes);
        true
    }

    /// The request is answered, or nobody waits for its answer any more.
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
