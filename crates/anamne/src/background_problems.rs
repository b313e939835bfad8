//! Problems in the background, kept for the next check.

use std::sync::{Mutex, PoisonError};

use anamne_types::Skipped;

/// Maximum number kept.
const MOST: usize = 100;

/// The problems of one space, in this process.
#[derive(Debug, Default)]
pub(crate) struct BackgroundProblems(Mutex<Vec<String>>);

impl BackgroundProblems {
    /// Keeps messages until the next check.
    pub(crate) fn note(&self, said: impl IntoIterator<Item = String>) {
        let mut kept = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        for problem in said {
            kept.truncate(MOST - 1);
            kept.push(problem);
        }
    }

    /// The same for skipped entries.
    pub(crate) fn note_skipped(&self, skipped: &Skipped) {
        self.note(skipped.first.iter().map(|one| one.reason.clone()));
    }

    /// Returns and removes the messages.
    pub(crate) fn take(&self) -> Vec<String> {
        std::mem::take(&mut *self.0.lock().unwrap_or_else(PoisonError::into_inner))
    }
}
