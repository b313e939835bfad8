//! Summaries of sessions, days, weeks and months.

use std::ops::Range;

use anamne_knowledge::summaries::{Level, Summary, SummaryReport};
use anamne_types::Skipped;
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
    /// written since they were built: see [`Summary::stale`] and [`Space::summarise`].
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

    /// The summaries of a thread's sessions, earliest first, at most `limit`.
    pub fn summaries_of_thread(&self, thread: &str, limit: usize) -> Result<Vec<Summary>, Error> {
        Ok(self
            .inner
            .derived
            .summaries
            .open()?
            .sessions_of(thread, limit)?)
    }
}
