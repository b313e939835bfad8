//! Summaries of what was told: sessions, days, weeks and months.

use std::ops::Range;
use std::sync::{Arc, PoisonError};

use anamne_knowledge::summaries::{Level, Summaries, Summary, Woven};
use anamne_store::view::{Health, MemoryFeed};
use anamne_types::Skipped;
use jiff::Timestamp;

use crate::Error;
use crate::space::{CheckUp, Inner, Space};

impl Inner {
    pub(crate) fn summaries(&self) -> Result<Arc<Summaries>, Error> {
        let mut known = self
            .summaries
            .lock()
            .unwrap_or_else(PoisonError::into_inner);
        if let Some(summaries) = &*known {
            return Ok(summaries.clone());
        }
        let path = self.source.folder().join("views/summaries.db");
        let summaries = Arc::new(Summaries::open(&path)?);
        *known = Some(summaries.clone());
        Ok(summaries)
    }

    pub(crate) fn has_summaries(&self) -> bool {
        self.source.folder().join("views/summaries.db").exists()
    }

    /// Whether summaries lack something that was told.
    pub(crate) fn are_summaries_behind(&self) -> Result<bool, Error> {
        let summaries = self.summaries()?;
        let head = MemoryFeed::head(&self.source)?;
        Ok(summaries.watermark()? != head || summaries.waiting()? > 0)
    }

    /// Takes out of the summaries' file what was erased.
    pub(crate) fn clean_summaries(&self) -> Result<(), Error> {
        if self.has_summaries() {
            self.summaries()?.purge(&self.source, &mut |_| {})?;
        }
        Ok(())
    }

    /// Reads the summaries back where there are some; a damaged file is set aside and they are chosen anew.
    pub(crate) fn mend_summaries(&self, found: &mut CheckUp) -> Result<(), Error> {
        if !self.has_summaries() {
            return Ok(());
        }
        let summaries = self.summaries()?;
        match summaries.verify()? {
            Health::Whole => {
                let covered = summaries.watermark()?;
                found
                    .well
                    .push(format!("summaries: cover the log up to event {covered}"));
            }
            Health::Broken(problem) => {
                anamne_store::remove_derived(summaries.path())?;
                summaries.catch_up(&self.source, &mut |_| {})?;
                let said = format!("summaries: were damaged ({problem}) and are chosen anew");
                found.mended.push(said);
            }
        }
        Ok(())
    }
}

impl Inner {
    /// Throws the summaries away; they are chosen anew when they are next asked for.
    pub(crate) fn drop_summaries(&self) -> Result<(), Error> {
        if self.has_summaries() {
            let path = self.summaries()?.path().to_owned();
            *self
                .summaries
                .lock()
                .unwrap_or_else(PoisonError::into_inner) = None;
            anamne_store::remove_derived(&path)?;
        }
        Ok(())
    }

    fn summarise(
        &self,
        feed: &dyn MemoryFeed,
        progress: &mut dyn FnMut(usize),
    ) -> Result<Woven, Error> {
        let summaries = self.summaries()?;
        summaries.catch_up(feed, &mut |_| {})?;
        let woven = summaries.weave(feed, usize::MAX, progress)?;
        summaries.weave_signals(feed, usize::MAX)?;
        Ok(woven)
    }
}

impl Space {
    /// Brings every summary up to the last write; `progress` is told how many periods are done. Some 40 µs a memory of the
    /// periods that changed. The background does this while little is asked.
    pub fn summarise(&self, progress: &mut dyn FnMut(usize)) -> Result<Woven, Error> {
        self.require_write()?;
        self.inner.summarise(self.source(), progress)
    }

    /// The same, past memories that are damaged in both copies: they are in no summary, and each is named once, by the call that
    /// passes it over. What a repair brings back is summarised with everything else, for it throws the summaries away.
    pub fn summarise_sound(
        &self,
        progress: &mut dyn FnMut(usize),
    ) -> Result<(Woven, Skipped), Error> {
        self.require_write()?;
        let feed = self.source().sound_feed();
        let woven = self.inner.summarise(&feed, progress)?;
        Ok((woven, feed.skipped()))
    }

    /// The summaries of a level whose periods begin in a span of time, from the earliest, at most `limit`. What was told
    /// since they were chosen is not in them: see [`Summary::stale`] and [`Space::summarise`].
    pub fn summaries(
        &self,
        level: Level,
        span: Range<Timestamp>,
        limit: usize,
    ) -> Result<Vec<Summary>, Error> {
        Ok(self.inner.summaries()?.between(level, span, limit)?)
    }

    /// The summaries of a thread's sessions, from the earliest, at most `limit`.
    pub fn summaries_of_thread(&self, thread: &str, limit: usize) -> Result<Vec<Summary>, Error> {
        Ok(self.inner.summaries()?.sessions_of(thread, limit)?)
    }
}
