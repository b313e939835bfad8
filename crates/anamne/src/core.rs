//! An open space: source, derived data, background work and caches.

use std::sync::Arc;

use anamne_embed::Reranker;
use anamne_store::SpaceSource;

use crate::Error;
use crate::caches::Caches;
use crate::derived::{Registry, Site};
use crate::jobs::Jobs;
use crate::write::guarding::CurrentGuard;

/// One space, shared by all its handles.
pub(crate) struct Inner {
    pub(crate) source: Arc<SpaceSource>,
    pub(crate) derived: Registry,
    pub(crate) jobs: Jobs,
    pub(crate) caches: Caches,
    /// Inputs of derived data: models and the incident log.
    pub(crate) site: Site,
    /// The guard in front of the log.
    pub(crate) guard: CurrentGuard,
    /// The reranker, if any.
    pub(crate) reranker: Option<Arc<dyn Reranker>>,
}

impl Inner {
    /// Opens a space and wakes the background if work is waiting.
    pub(crate) fn open(
        site: Site,
        reranker: Option<Arc<dyn Reranker>>,
        background: bool,
    ) -> Result<Arc<Self>, Error> {
        let inner = Arc::new(Self {
            source: site.source.clone(),
            derived: Registry::new(&site)?,
            jobs: Jobs::new(background),
            caches: Caches::default(),
            guard: CurrentGuard::default(),
            site,
            reranker,
        });
        inner.look_for_pending_backups();
        inner.wake_when_opened()?;
        Ok(inner)
    }
}

impl Drop for Inner {
    fn drop(&mut self) {
        // What was observed in an erased space doesn't belong to another one of its name.
        if self.source.check_present().is_err() {
            return;
        }
        self.caches.note_uses(&self.source);
        self.derived.meta.write_down();
        self.derived.tasks.note_activity();
    }
}
