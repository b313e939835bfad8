//! Summaries of what was written: sessions, days, weeks and months.

use std::ops::Range;

use anamne_knowledge::summaries::{Level, Summary, SummaryReport};
use anamne_types::Skipped;
use jiff::Timestamp;

use crate::Error;
use crate::space::Space;

impl Space {
    /// Brings every summary up to the last write; `progress` is told how many periods are done. Some 40 µs a memory of the
    /// periods that changed. The background does this while little is asked.
    ///
    /// Memories that are damaged in both copies are in no summary, and each is named once, by the call that passes it over. What a
    /// repair brings back is summarised with everything else, for it throws the summaries away.
    pub fn summarise(
        &self,
        progress: &mut dyn FnMut(usize),
    ) -> Result<(SummaryReport, Skipped), Error> {
        self.require_write()?;
        self.inner.derived.summaries.build(progress)
    }

    /// The summaries of a level whose periods begin in a span of time, from the earliest, at most `limit`. What was written
    /// since they were chosen is not in them: see [`Summary::stale`] and [`Space::summarise`].
    pub fn summaries(
        &self,
        level: Level,
        span: Range<Timestamp>,
        limit: usize,
    ) -> Result<Vec<Summary>, Error> {
        Ok(self
            .inner
            .derived
            .summaries
            .open()?
            .between(level, span, limit)?)
    }

    /// The summaries of a thread's sessions, from the earliest, at most `limit`.
    pub fn summaries_of_thread(&self, thread: &str, limit: usize) -> Result<Vec<Summary>, Error> {
        Ok(self
            .inner
            .derived
            .summaries
            .open()?
            .sessions_of(thread, limit)?)
    }
}
