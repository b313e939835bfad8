//! The file of summaries of a space.

use std::path::PathBuf;
use std::sync::{Arc, Mutex, PoisonError};

use anamne_knowledge::enrichment::view::EnrichmentReport;
use anamne_knowledge::summaries::{Summaries, SummaryReport};
use anamne_store::beside::VIEWS;
use anamne_store::view::{Health, MemoryFeed};
use anamne_store::{Budget, Class, Damage, Derived, Effort, SpaceSource, remove_derived};
use anamne_types::{Seq, Skipped};

use super::Site;
use super::graph::BATCH;
use crate::Error;
use crate::background_problems::BackgroundProblems;

/// Its name in reports.
const NAME: &str = "summaries";

/// The summaries, opened on first use.
pub(crate) struct SummariesFile {
    source: Arc<SpaceSource>,
    problems: Arc<BackgroundProblems>,
    opened: Mutex<Option<Arc<Summaries>>>,
}

impl SummariesFile {
    pub(super) fn new(site: &Site) -> Self {
        Self {
            source: site.source.clone(),
            problems: site.problems.clone(),
            opened: Mutex::default(),
        }
    }

    fn path(&self) -> PathBuf {
        self.source.folder().join(VIEWS).join("summaries.db")
    }

    pub(crate) fn open(&self) -> Result<Arc<Summaries>, Error> {
        let mut opened = self.opened.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(summaries) = &*opened {
            return Ok(summaries.clone());
        }
        let summaries = Arc::new(Summaries::open(&self.path())?);
        *opened = Some(summaries.clone());
        Ok(summaries)
    }

    /// Whether they or the enrichment lack recent writes.
    pub(crate) fn is_behind(&self) -> Result<bool, Error> {
        let summaries = self.open()?;
        let head = MemoryFeed::head(&*self.source)?;
        Ok(summaries.watermark()? != head
            || summaries.waiting()? > 0
            || self.is_enrichment_behind()?)
    }

    /// Whether the space is enriched at all.
    pub(crate) fn is_enriched(&self) -> bool {
        self.source.config().enrichment.on
    }

    fn is_enrichment_behind(&self) -> Result<bool, Error> {
        let position = self.open()?.enriched_position()?;
        if self.is_enriched() {
            return Ok(position != MemoryFeed::head(&*self.source)?);
        }
        Ok(position != Seq(0))
    }

    /// Enriches up to the last write until `go_on` returns false, skipping memories that are damaged in both copies; discards the
    /// enrichment if it is off.
    pub(crate) fn enrich(
        &self,
        batch: usize,
        go_on: &mut dyn FnMut(Seq) -> bool,
    ) -> Result<(EnrichmentReport, Skipped), Error> {
        let summaries = self.open()?;
        if !self.is_enriched() {
            if summaries.enriched_position()? != Seq(0) {
                summaries.discard_enrichment()?;
            }
            return Ok((EnrichmentReport::default(), Skipped::default()));
        }
        let feed = self.source.undamaged_feed();
        let report = summaries.enrich(&feed, batch, go_on)?;
        Ok((report, feed.skipped()))
    }

    /// Updates every summary to the last write, skipping memories that are damaged in both copies; `progress` receives
    /// the number of finished periods.
    pub(crate) fn build(
        &self,
        progress: &mut dyn FnMut(usize),
    ) -> Result<(SummaryReport, Skipped), Error> {
        let (summaries, feed) = (self.open()?, self.source.undamaged_feed());
        summaries.catch_up(&feed, &mut |_| {})?;
        let built = summaries.build(&feed, usize::MAX, progress)?;
        Ok((built, feed.skipped()))
    }
}

impl Derived<Error> for SummariesFile {
    fn name(&self) -> &'static str {
        NAME
    }

    fn class(&self) -> Class {
        Class::Log
    }

    fn files(&self) -> Vec<PathBuf> {
        vec![self.path()]
    }

    fn position(&self) -> Result<Option<Seq>, Error> {
        if !self.exists() {
            return Ok(Some(Seq(0)));
        }
        Ok(Some(self.open()?.watermark()?))
    }

    fn catch_up(&self, budget: &mut Budget<'_>) -> Result<(), Error> {
        if budget.effort == Effort::Whole {
            let built = self.build(&mut |_| {})?;
            self.problems.note_skipped(&built.1);
            let enriched = self.enrich(BATCH, &mut |_| true)?;
            self.problems.note_skipped(&enriched.1);
        }
        Ok(())
    }

    fn verify(&self) -> Result<Vec<Damage>, Error> {
        if !self.exists() {
            return Ok(Vec::new());
        }
        Ok(match self.open()?.verify()? {
            Health::Whole => Vec::new(),
            Health::Broken(reason) => vec![Damage {
                part: NAME.to_owned(),
                reason,
            }],
        })
    }

    fn purge(&self, _: &mut Budget<'_>) -> Result<(), Error> {
        if self.exists() {
            self.enrich(BATCH, &mut |_| true)?;
            self.open()?.purge(&*self.source, &mut |_| {})?;
        }
        Ok(())
    }

    fn remove(&self) -> Result<(), Error> {
        *self.opened.lock().unwrap_or_else(PoisonError::into_inner) = None;
        Ok(remove_derived(&self.path())?)
    }
}
