//! Feedback that nobody gave: implied by what was done with the results of a search.

use std::time::Duration;

use anamne_experience::rephrasing::is_rephrased;
use anamne_types::{Draft, Experience, MemoryId, Row, SearchFeedback, SearchTrace, Usefulness};
use jiff::Timestamp;

use super::searching::trace_of;
use super::strategies::LearningSearch;
use crate::Error;
use crate::space::Space;

/// How long after a search its results may still be used because of it.
const RECENT: Duration = Duration::from_hours(1);

/// How long after a search the same question in other words is taken for a new attempt at it.
const SOON: Duration = Duration::from_mins(10);

/// Maximum number of recent searches that are looked at.
const MOST_SEARCHES: usize = 16;

/// Maximum number of citations that are read from a text.
const MOST_CITATIONS: usize = 32;

/// A recent search without feedback.
struct Unjudged {
    id: MemoryId,
    at: Timestamp,
    session: Option<String>,
    thread: Option<String>,
    trace: SearchTrace,
}

impl Space {
    /// Notes that memories were opened, or used in the next action. The newest search of the last hour that found one of
    /// them and has no feedback yet is recorded as useful, by implication: told feedback replaces that. Returns the search.
    ///
    /// Without the right to write nothing is recorded. O(results of a few searches).
    pub fn note_used(&self, used: &[MemoryId]) -> Result<Option<MemoryId>, Error> {
        if used.is_empty() || self.require_write().is_err() {
            return Ok(None);
        }
        for Unjudged { id, trace, .. } in self.unjudged_searches()? {
            let results = trace.results.iter().copied();
            let found: Vec<MemoryId> = results.filter(|result| used.contains(result)).collect();
            if !found.is_empty() {
                self.imply(id, Usefulness::Helpful, found)?;
                return Ok(Some(id));
            }
        }
        Ok(None)
    }

    /// Notes that a text cites memories, such as `m12`: as [`Space::note_used`]. Linear in the text.
    pub fn note_cited(&self, text: &str) -> Result<Option<MemoryId>, Error> {
        let cited = citations(text).take(MOST_CITATIONS);
        let cited = cited.filter_map(|citation| self.resolve(citation).ok());
        self.note_used(&cited.collect::<Vec<_>>())
    }

    /// Notes that a question was asked again after these searches: those without feedback were useless.
    pub(super) fn note_asked_again(&self, searches: &[MemoryId]) -> Result<(), Error> {
        if searches.is_empty() {
            return Ok(());
        }
        let asked_again = |id: &MemoryId| searches.contains(id);
        let unjudged = self.unjudged_searches()?;
        for one in unjudged.into_iter().filter(|one| asked_again(&one.id)) {
            self.imply(one.id, Usefulness::Useless, Vec::new())?;
        }
        Ok(())
    }

    /// Notes a search, recorded as `recorded`, that names no earlier ones: those of the last ten minutes in its session, or in its
    /// thread, that asked the same in other words and whose results were not used were useless. O(a few searches).
    pub(super) fn note_rephrased(
        &self,
        search: &LearningSearch,
        recorded: Option<MemoryId>,
    ) -> Result<(), Error> {
        let is_placed = search.session.is_some() || search.thread.is_some();
        if !search.previous.is_empty() || !is_placed {
            return Ok(());
        }
        let since = self.now() - SOON;
        for one in self.unjudged_searches()? {
            let is_same_place = match (&search.session, &search.thread) {
                (Some(_), _) => one.session == search.session,
                (None, thread) => one.thread == *thread,
            };
            let is_before = recorded != Some(one.id) && one.at >= since;
            let query = &search.recall.query;
            if is_same_place && is_before && is_rephrased(&one.trace.query, query)? {
                self.imply(one.id, Usefulness::Useless, Vec::new())?;
            }
        }
        Ok(())
    }

    /// The recent searches without feedback, newest first.
    fn unjudged_searches(&self) -> Result<Vec<Unjudged>, Error> {
        let Some(view) = self.inner.derived.experience.caught_up()? else {
            return Ok(Vec::new());
        };
        let since = self.now().as_microsecond() - RECENT.as_micros() as i64;
        let rows: Vec<Row> = view.unjudged_searches(since, MOST_SEARCHES)?;
        let memories = self.inner.source.get_rows(&rows)?.into_iter();
        let traces = memories.map(|(_, memory)| {
            Some(Unjudged {
                id: memory.id,
                at: memory.occurred_at,
                session: memory.session.clone(),
                thread: memory.thread.clone(),
                trace: trace_of(memory)?,
            })
        });
        let mut traces: Vec<_> = traces.flatten().collect();
        // Ids grow with time.
        traces.sort_by_key(|one| std::cmp::Reverse(one.id));
        Ok(traces)
    }

    fn imply(
        &self,
        search: MemoryId,
        usefulness: Usefulness,
        used: Vec<MemoryId>,
    ) -> Result<(), Error> {
        let feedback = SearchFeedback {
            search,
            usefulness,
            used,
            reason: String::new(),
            should_ask: String::new(),
            implied: true,
        };
        self.remember(Draft::experience(Experience::SearchFeedback(feedback)))?;
        Ok(())
    }
}

/// The citations in a text, such as `m12`, in order.
fn citations(text: &str) -> impl Iterator<Item = &str> {
    let words = text.split(|character: char| !character.is_ascii_alphanumeric());
    words.filter(|word| {
        word.strip_prefix('m').is_some_and(|digits| {
            (1..=12).contains(&digits.len()) && digits.bytes().all(|byte| byte.is_ascii_digit())
        })
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn citations_are_words_of_m_and_digits() {
        let text = "As m12 says (see m7, xm3, m, m4x, 5m), and m99999999999999 not. m12";
        let found: Vec<_> = citations(text).collect();
        assert_eq!(found, ["m12", "m7", "m12"]);
    }
}
