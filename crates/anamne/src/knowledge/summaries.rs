//! Summaries of sessions, days, weeks and months.

use std::collections::HashSet;
use std::ops::Range;

use anamne_knowledge::summaries::{Level, Summary, SummaryReport, SummarySentence};
use anamne_types::{MemoryId, Skipped};
use jiff::Timestamp;

use crate::Error;
use crate::space::Space;

impl Space {
    /// Updates every summary to the last write; `progress` receives the number of finished periods. About 40 µs per
    /// memory of the changed periods. The background does this at low load.
    ///
    /// Memories damaged in both copies are in no summary, and each is reported once, by the call that skips it. A
    /// repair discards the summaries, so that restored memories are summarised with everything else.
    pub fn summarise(
        &self,
        progress: &mut dyn FnMut(usize),
    ) -> Result<(SummaryReport, Skipped), Error> {
        self.require_write()?;
        self.inner.derived.summaries.build(progress)
    }

    /// The summaries of a level whose periods begin in a time span, earliest first, at most `limit`. They lack what was
    /// written since they were built: see [`Summary::stale`] and [`Space::summarise`]. Sentences of memories that have
    /// expired are left out.
    pub fn summaries(
        &self,
        level: Level,
        span: Range<Timestamp>,
        limit: usize,
    ) -> Result<Vec<Summary>, Error> {
        let summaries = self.inner.derived.summaries.open()?;
        self.without_expired(summaries.between(level, span, limit)?)
    }

    /// The summaries of a thread's sessions, earliest first, at most `limit`, without sentences of memories that have
    /// expired.
    pub fn summaries_of_thread(&self, thread: &str, limit: usize) -> Result<Vec<Summary>, Error> {
        let summaries = self.inner.derived.summaries.open()?;
        self.without_expired(summaries.sessions_of(thread, limit)?)
    }

    /// No event tells the view that a memory has expired, so its sentences are removed here.
    fn without_expired(&self, mut summaries: Vec<Summary>) -> Result<Vec<Summary>, Error> {
        let now = self.now();
        for summary in &mut summaries {
            let cited = summary.sentences.iter().map(|sentence| sentence.memory);
            let cited: Vec<MemoryId> = cited.collect();
            let (memories, _) = self.inner.source.get_with_damage(&cited)?;
            let expired = memories.iter().filter(|memory| memory.has_expired(now));
            let expired: HashSet<MemoryId> = expired.map(|memory| memory.id).collect();
            let stands = |sentence: &SummarySentence| !expired.contains(&sentence.memory);
            summary.sentences.retain(stands);
        }
        Ok(summaries)
    }
}
