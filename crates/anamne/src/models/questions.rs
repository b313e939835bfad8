//! The vectors of queries, from a remote model.
//!
//! Recall never waits for a network. A query asks for its vector before it begins, for at most the time in the settings
//! of the space; then it is answered by words. After a failure the next queries don't ask for a while. Vectors are kept
//! in memory only: a query is not stored.

use std::collections::VecDeque;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::RecvTimeoutError;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, mpsc};
use std::time::{Duration, Instant};

use anamne_embed::{EmbedError, Embedder, ModelIdentity};
use anamne_llm::Purpose;

use super::remote::RemoteModel;

/// Number of query vectors that are kept.
const MOST: usize = 256;

/// How long queries don't ask after a failure.
const REST: Duration = Duration::from_secs(15);

/// The query vectors of a remote model, as an embedder that knows only what was asked for.
pub(crate) struct QuestionVectors {
    model: Arc<RemoteModel>,
    state: Mutex<State>,
    /// Whether a request is on its way.
    is_asking: AtomicBool,
}

#[derive(Default)]
struct State {
    /// Oldest first.
    known: VecDeque<(Box<str>, Arc<[f32]>)>,
    /// No request before this moment.
    rests_until: Option<Instant>,
}

impl QuestionVectors {
    pub(super) fn new(model: Arc<RemoteModel>) -> Self {
        Self {
            model,
            state: Mutex::default(),
            is_asking: AtomicBool::new(false),
        }
    }

    /// Asks for the vector of a query, unless it is known, and waits for at most `longest`. A later answer serves the
    /// next query with the same words. Whether it was known before.
    pub(crate) fn ask(self: &Arc<Self>, words: &str, longest: Duration) -> bool {
        let is_known = self.find(words).is_some();
        let is_idle = words.trim().is_empty() || longest.is_zero() || self.rests();
        if !is_known && !is_idle && !self.is_asking.swap(true, Ordering::AcqRel) {
            self.wait_for(words, longest);
        }
        is_known
    }

    fn wait_for(self: &Arc<Self>, words: &str, longest: Duration) {
        let (done, answered) = mpsc::channel();
        let (vectors, words) = (self.clone(), words.to_owned());
        // In a thread: keychains and name servers have no time limit.
        std::thread::spawn(move || {
            vectors.ask_now(&words, longest);
            vectors.is_asking.store(false, Ordering::Release);
            // Nobody may be waiting any more.
            let _ = done.send(());
        });
        match answered.recv_timeout(longest) {
            Ok(()) => {}
            Err(RecvTimeoutError::Timeout) => self.rest(),
            Err(RecvTimeoutError::Disconnected) => {
                // The thread panicked.
                self.is_asking.store(false, Ordering::Release);
                self.rest();
            }
        }
    }

    fn ask_now(&self, words: &str, longest: Duration) {
        let embedded = self.model.embed(&[words], Purpose::Query, Some(longest));
        match embedded.map(|mut vectors| vectors.pop()) {
            Ok(Some(vector)) => self.keep(words, vector.into()),
            _ => self.rest(),
        }
    }

    fn keep(&self, words: &str, vector: Arc<[f32]>) {
        let mut state = self.lock();
        if state.known.len() >= MOST {
            state.known.pop_front();
        }
        state.known.push_back((words.into(), vector));
        state.rests_until = None;
    }

    fn find(&self, words: &str) -> Option<Arc<[f32]>> {
        let state = self.lock();
        let found = state.known.iter().find(|(known, _)| **known == *words);
        found.map(|(_, vector)| vector.clone())
    }

    fn rest(&self) {
        self.lock().rests_until = Some(Instant::now() + REST);
    }

    fn rests(&self) -> bool {
        self.lock()
            .rests_until
            .is_some_and(|until| Instant::now() < until)
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Embedder for QuestionVectors {
    fn model(&self) -> &ModelIdentity {
        self.model.model()
    }

    fn dimensions(&self) -> usize {
        self.model.dimensions()
    }

    fn embed_into(&self, text: &str, vector: &mut [f32]) -> Result<(), EmbedError> {
        let Some(known) = self.find(text) else {
            return Err(self
                .model
                .unavailable("the vector of this query is not there".to_owned()));
        };
        if vector.len() != known.len() {
            return Err(EmbedError::VectorLength {
                expected: known.len(),
                found: vector.len(),
            });
        }
        vector.copy_from_slice(&known);
        Ok(())
    }

    fn is_remote(&self) -> bool {
        true
    }

    fn leaves_machine(&self) -> bool {
        self.model.leaves_machine()
    }
}
