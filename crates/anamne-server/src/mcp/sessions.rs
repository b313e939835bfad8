//! The legacy sessions of all callers, of which a bounded number is open.

use std::collections::{HashMap, VecDeque};
use std::sync::{Arc, Mutex, PoisonError};

use rmcp::transport::streamable_http_server::session::local::LocalSessionManager;
use rmcp::transport::streamable_http_server::{SessionId, SessionManager};

/// Maximum number of sessions at a time; a session ends after five minutes without a request.
const MOST_SESSIONS: usize = 2_048;

/// The sessions.
#[derive(Default)]
pub(super) struct Sessions {
    /// The open ones.
    pub(super) open: Arc<LocalSessionManager>,
    begun: Mutex<Begun>,
}

impl Sessions {
    /// Notes that a caller began a session. If there are too many, the oldest of the caller with the most ends, so that
    /// nobody keeps others from beginning one.
    pub(super) async fn note(&self, caller: String, id: SessionId) {
        let surplus = {
            let open = self.open.sessions.read().await;
            let mut begun = self.begun.lock().unwrap_or_else(PoisonError::into_inner);
            begun.add(caller, id, MOST_SESSIONS, |id| open.contains_key(id))
        };
        if let Some(id) = surplus {
            let open = self.open.clone();
            // Nobody waits for its client. It is no longer open even if its end can't be told.
            tokio::spawn(async move { drop(open.close_session(&id).await) });
        }
    }
}

/// The sessions that each caller began, oldest first. Some may have ended.
#[derive(Default)]
struct Begun(HashMap<String, VecDeque<SessionId>>);

impl Begun {
    /// Adds a session; the one that has to end, if more than `most` are open.
    fn add(
        &mut self,
        caller: String,
        id: SessionId,
        most: usize,
        is_open: impl Fn(&SessionId) -> bool,
    ) -> Option<SessionId> {
        self.0.entry(caller).or_default().push_back(id);
        if self.count() > most {
            self.0.retain(|_, ids| {
                ids.retain(&is_open);
                !ids.is_empty()
            });
        }
        if self.count() <= most {
            return None;
        }
        let longest = self.0.values_mut().max_by_key(|ids| ids.len());
        longest.and_then(VecDeque::pop_front)
    }

    fn count(&self) -> usize {
        self.0.values().map(VecDeque::len).sum()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_caller_with_the_most_sessions_gives_way() {
        let mut begun = Begun::default();
        let mut add = |caller: &str, id: &str, ended: &str| {
            begun
                .add(caller.to_owned(), id.into(), 3, |id| &**id != ended)
                .map(|id| id.to_string())
        };
        for id in ["r1", "r2", "r3"] {
            assert_eq!(add("reader", id, ""), None);
        }
        assert_eq!(add("ada", "a1", "").as_deref(), Some("r1"));
        assert_eq!(add("bo", "b1", "").as_deref(), Some("r2"));
        assert_eq!(add("reader", "r4", "").as_deref(), Some("r3"));
        // One that has ended makes room.
        assert_eq!(add("reader", "r5", "a1"), None);
        assert_eq!(add("reader", "r6", "").as_deref(), Some("r4"));
    }
}
