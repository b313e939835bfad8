//! Tells the program's observer, if there is one, what recalls cost.

use std::sync::Arc;
use std::time::Instant;

use anamne_recall::{RecallCache, RecallObserver, RecallStage};

/// Who observes the recalls of a store, if anybody.
#[derive(Clone, Default)]
pub(crate) struct Observer(Option<Arc<dyn RecallObserver>>);

impl Observer {
    pub(crate) fn new(observer: Option<Arc<dyn RecallObserver>>) -> Self {
        Self(observer)
    }

    pub(crate) fn get(&self) -> Option<&dyn RecallObserver> {
        self.0.as_deref()
    }

    /// Reports whether a cache had what was needed.
    pub(crate) fn cache(&self, cache: RecallCache, hit: bool) {
        if let Some(observer) = self.get() {
            observer.cache(cache, hit);
        }
    }

    /// The present, for [`Observer::stage`]; `None` if nobody observes.
    pub(crate) fn now(&self) -> Option<Instant> {
        self.get().map(|_| Instant::now())
    }

    /// Reports the time that a stage took since [`Observer::now`].
    pub(crate) fn stage(&self, stage: RecallStage, began: Option<Instant>) {
        if let (Some(observer), Some(began)) = (self.get(), began) {
            let ended = Instant::now();
            observer.part(stage, began, ended);
            observer.stage(stage, ended - began);
        }
    }
}
