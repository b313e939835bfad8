//! Feedback on answers.

use anamne_types::{Feedback, InvalidValue, Memory};

use crate::Error;
use crate::space::Space;

impl Space {
    /// Records whether a returned memory was useful. This is an edit, kept in the memory's history, and has a small
    /// weight in later answers: `(useful − useless) / (all + 2)`. Returns the memory's new state.
    pub fn feedback(&self, feedback: &Feedback) -> Result<Memory, Error> {
        self.require_write()?;
        let mut checked = feedback.clone();
        self.guard_texts(|visit| visit("note".into(), &mut checked.note))?;
        let judged = self.inner.source.judge(self.actor(), &checked)?;
        self.after_write();
        Ok(judged)
    }

    /// Records whether the best result of a logged query was useful; see [`Space::feedback`] and [`Space::query_log`].
    pub fn feedback_on_query(
        &self,
        number: u64,
        useful: bool,
        note: &str,
    ) -> Result<Memory, Error> {
        self.require_write()?;
        let log = self.query_log(usize::MAX)?;
        let query = log.iter().find(|query| query.number == number);
        let query = query.ok_or_else(|| Error::nothing("logged query", format!("q{number}")))?;
        let found = self
            .inner
            .source
            .get_rows(query.found.get(..1).unwrap_or_default())?;
        let Some((_, memory)) = found.into_iter().next() else {
            let accepts = "the number of a logged query with an answer";
            let refused = InvalidValue::new("query", accepts, number);
            return Err(anamne_store::StoreError::from(refused).into());
        };
        self.feedback(&Feedback {
            note: note.to_owned(),
            ..Feedback::new(memory.id, useful)
        })
    }
}
