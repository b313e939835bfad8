//! The view of experience of a space.

use std::path::PathBuf;
use std::sync::Arc;
use std::time::{Duration, Instant};

use anamne_experience::ExperienceView;
use anamne_store::beside::VIEWS;
use anamne_store::view::{Health, MemoryFeed};
use anamne_store::{Budget, Class, Damage, Derived, Effort, SpaceSource};
use anamne_types::Seq;

use super::Site;
use crate::Error;
use crate::background_problems::BackgroundProblems;

/// Its name in reports.
const NAME: &str = "experience";

/// The experience of a space, opened on first use.
pub(crate) struct ExperienceFile {
    source: Arc<SpaceSource>,
    problems: Arc<BackgroundProblems>,
    view: ExperienceView,
}

impl ExperienceFile {
    pub(super) fn new(site: &Site) -> Self {
        let path = site.source.folder().join(VIEWS).join("experience.db");
        Self {
            source: site.source.clone(),
            problems: site.problems.clone(),
            view: ExperienceView::at(&path),
        }
    }

    /// The view with everything that the log tells; `None` if nothing was experienced. Costs a few index lookups if
    /// nothing is new.
    pub(crate) fn caught_up(&self) -> Result<Option<&ExperienceView>, Error> {
        let view = self.caught_up_or_empty()?;
        Ok(self.exists().then_some(view))
    }

    /// The same for questions that are also about other memories: a view that finds nothing if nothing was experienced.
    pub(crate) fn caught_up_or_empty(&self) -> Result<&ExperienceView, Error> {
        let mut go_on = |_: &'static str, _: Seq| true;
        self.follow(&mut go_on)?;
        Ok(&self.view)
    }

    /// The view as far as it is folded after at most about `time`, and whether that is everything; `None` if nothing was
    /// experienced.
    pub(crate) fn caught_up_within(
        &self,
        time: Duration,
    ) -> Result<Option<(&ExperienceView, bool)>, Error> {
        let started = Instant::now();
        let mut go_on = |_: &'static str, _: Seq| started.elapsed() < time;
        let is_whole = self.follow(&mut go_on)?;
        Ok(self.exists().then_some((&self.view, is_whole)))
    }

    /// Applies what is new, until `go_on` says no; returns whether that was everything.
    fn follow(&self, go_on: &mut dyn FnMut(&'static str, Seq) -> bool) -> Result<bool, Error> {
        if !self.exists() && !self.source.has_experience()? {
            return Ok(true);
        }
        let feed = self.source.experience_feed();
        let head = feed.head()?;
        let reached = self
            .view
            .catch_up(&feed, &mut |reached| go_on(NAME, reached))?;
        self.problems.note_skipped(&feed.skipped());
        Ok(reached >= head)
    }
}

impl Derived<Error> for ExperienceFile {
    fn name(&self) -> &'static str {
        NAME
    }

    fn class(&self) -> Class {
        Class::Log
    }

    fn files(&self) -> Vec<PathBuf> {
        vec![self.view.path().to_owned()]
    }

    fn position(&self) -> Result<Option<Seq>, Error> {
        if !self.exists() && !self.source.has_experience()? {
            return Ok(Some(MemoryFeed::head(&*self.source)?));
        }
        Ok(Some(self.view.watermark()?))
    }

    fn catch_up(&self, budget: &mut Budget<'_>) -> Result<(), Error> {
        if budget.effort == Effort::Whole {
            self.follow(budget.go_on)?;
        }
        Ok(())
    }

    fn verify(&self) -> Result<Vec<Damage>, Error> {
        if !self.exists() {
            return Ok(Vec::new());
        }
        Ok(match self.view.verify()? {
            Health::Whole => Vec::new(),
            Health::Broken(reason) => vec![Damage {
                part: NAME.to_owned(),
                reason,
            }],
        })
    }

    fn purge(&self, _: &mut Budget<'_>) -> Result<(), Error> {
        Ok(self.view.purge(&self.source.experience_feed())?)
    }

    fn remove(&self) -> Result<(), Error> {
        Ok(self.view.remove()?)
    }
}
