//! A space, open: its source, what is derived of it, its background, and what is kept in memory.

use std::sync::Arc;

use anamne_embed::Reranker;
use anamne_store::SpaceSource;

use crate::Error;
use crate::caches::Caches;
use crate::derived::{Registry, Site};
use crate::jobs::Jobs;

/// One space, which all its handles share.
pub(crate) struct Inner {
    pub(crate) source: Arc<SpaceSource>,
    pub(crate) derived: Registry,
    pub(crate) jobs: Jobs,
    pub(crate) caches: Caches,
    /// What everything derived is made from: models, and where troubles are noted.
    pub(crate) site: Site,
    /// What looks at the first results of a question again, if anything does.
    pub(crate) reranker: Option<Arc<dyn Reranker>>,
}

impl Inner {
    /// Opens a space, and wakes the background where something is waiting.
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
        self.caches.note_uses(&self.source);
        self.derived.meta.write_down();
        self.derived.tasks.note_activity();
    }
}
