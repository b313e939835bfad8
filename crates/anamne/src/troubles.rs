//! What went wrong where nobody waited for an answer, kept for the next check-up.

use std::sync::{Mutex, PoisonError};

use anamne_types::Skipped;

/// So many are kept.
const MOST: usize = 100;

/// Troubles of one space, in this process.
#[derive(Debug, Default)]
pub(crate) struct Troubles(Mutex<Vec<String>>);

impl Troubles {
    /// Keeps what a person should know until the next check-up.
    pub(crate) fn note(&self, said: impl IntoIterator<Item = String>) {
        let mut kept = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        for trouble in said {
            kept.truncate(MOST - 1);
            kept.push(trouble);
        }
    }

    /// The same for entries that were skipped.
    pub(crate) fn note_skipped(&self, skipped: &Skipped) {
        self.note(skipped.first.iter().map(|one| one.reason.clone()));
    }

    /// Hands out what was kept.
    pub(crate) fn take(&self) -> Vec<String> {
        std::mem::take(&mut *self.0.lock().unwrap_or_else(PoisonError::into_inner))
    }
}
