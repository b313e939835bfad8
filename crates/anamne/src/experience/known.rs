//! What a space knows of its searches, kept in memory until something else is told.

use std::collections::VecDeque;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use anamne_experience::ExperienceView;
use anamne_experience::strategies::{Learned, Learner, Situation};
use anamne_store::view::MemoryFeed;
use anamne_types::{ExperimentSetup, MemoryId, Seq};

use crate::Error;
use crate::space::Space;

/// The share of the default's success that trying other strategies may cost.
const EXPLORATION: f64 = 0.05;

/// Number of the newest judged searches that are learned from.
const MOST_CASES: usize = 2_048;

/// Number of first searches whose situation is remembered for the next search.
const MOST_SITUATIONS: usize = 256;

/// What a space keeps in memory of its searches.
#[derive(Default)]
pub(crate) struct SearchMemory(Mutex<Kept>);

#[derive(Default)]
struct Kept {
    known: Option<Known>,
    /// The situations after first searches, oldest first.
    situations: VecDeque<(MemoryId, Situation)>,
}

/// What is known of searches.
#[derive(Clone)]
pub(super) struct Known {
    /// The last event when it was read; later ones that teach nothing count as well.
    head: Seq,
    /// The last judgement that it contains.
    judged: Seq,
    /// What is learned from judged searches.
    pub(super) learner: Arc<Learner>,
    /// The experiment that runs.
    pub(super) experiment: Option<ExperimentSetup>,
}

impl SearchMemory {
    fn kept(&self) -> MutexGuard<'_, Kept> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Notes that a search was recorded, which teaches nothing until it is judged: if it is the event after all that is
    /// known, all is known still.
    pub(super) fn note_recorded(&self, seq: Seq) {
        if let Some(known) = &mut self.kept().known
            && known.head.0 + 1 == seq.0
        {
            known.head = seq;
        }
    }

    pub(super) fn keep_situation(&self, search: MemoryId, situation: Situation) {
        let mut kept = self.kept();
        kept.situations.push_back((search, situation));
        if kept.situations.len() > MOST_SITUATIONS {
            kept.situations.pop_front();
        }
    }

    pub(super) fn situation_after(&self, search: MemoryId) -> Option<Situation> {
        let kept = self.kept();
        let mut situations = kept.situations.iter();
        situations
            .find(|(known, _)| *known == search)
            .map(|(_, situation)| *situation)
    }
}

impl Space {
    /// What is known of searches: from memory if nothing was told since. O(1) or O(judged searches).
    pub(super) fn known(&self) -> Result<Known, Error> {
        let head = MemoryFeed::head(&*self.inner.source)?;
        let former = self.inner.caches.searches.kept().known.clone();
        if let Some(known) = &former
            && known.head == head
        {
            return Ok(known.clone());
        }
        let view = self.inner.derived.experience.caught_up()?;
        let judged = view.map_or(Ok(Seq(0)), ExperienceView::judged_at)?;
        let learner = match former {
            Some(former) if former.judged == judged => former.learner,
            _ => {
                let cases = view.map(|view| view.judged_searches(MOST_CASES));
                let cases = cases.transpose()?.unwrap_or_default();
                let learned: Learned = cases.iter().collect();
                Arc::new(learned.learner(EXPLORATION))
            }
        };
        let experiment = match view {
            Some(view) => self.running_experiment(view)?,
            None => None,
        };
        let known = Known {
            head,
            judged,
            learner,
            experiment,
        };
        self.inner.caches.searches.kept().known = Some(known.clone());
        Ok(known)
    }

    /// Learns from new feedback now, so that the next search need not.
    pub(super) fn learn(&self) -> Result<(), Error> {
        self.known().map(drop)
    }
}
