//! A handle of a space: scope, settings, and memories by id.

use std::borrow::Cow;
use std::path::Path;
use std::sync::Arc;

use anamne_recall::Forest;
use anamne_store::{Listing, Order, SpaceConfig, SpaceSource, SpaceState, Visibility};
use anamne_types::{Actor, Filter, Memory, MemoryId, Right, Scope, Skipped};

use crate::Error;
use crate::core::Inner;
use crate::error::Denied;
use crate::store::Store;

/// A handle of a space; clones share it. Every method is thread-safe.
#[derive(Clone)]
pub struct Space {
    pub(crate) inner: Arc<Inner>,
    /// Its store, with the scope of this handle.
    pub(crate) store: Store,
    /// Whether it writes without the guard.
    pub(crate) is_unguarded: bool,
    /// The trees of the second look, if not the fitted ones.
    forest: Option<Arc<Forest>>,
}

impl Space {
    pub(crate) fn new(inner: Arc<Inner>, store: Store) -> Self {
        Self {
            inner,
            store,
            is_unguarded: false,
            forest: None,
        }
    }

    /// The same space, writing without the guard. Needs [`Right::Configure`], because it changes what the settings forbid.
    pub fn without_guard(&self) -> Result<Self, Error> {
        self.require(Right::Configure)?;
        Ok(Self {
            is_unguarded: true,
            ..self.clone()
        })
    }

    /// The same space, with writes attributed to `actor`, who can't have more trust than the current one without
    /// [`Right::Trust`]. The name passes the guard.
    pub fn acting_as(&self, mut actor: Actor) -> Result<Self, Error> {
        actor.check()?;
        if actor.default_trust() > self.scope().highest_trust() {
            return Err(Denied::Actor(actor.kind).into());
        }
        actor.name = self.guarded_text(&actor.name);
        Ok(Self {
            store: self.store.acting_as(actor),
            ..self.clone()
        })
    }

    /// The same space, whose queries are ranked with other trees; `None` is the fitted ones. For measurements on data that
    /// the fitted trees have seen; confidence is calibrated for the fitted ones.
    #[doc(hidden)]
    #[must_use]
    pub fn ranked_by(&self, forest: Option<Arc<Forest>>) -> Self {
        Self {
            forest,
            ..self.clone()
        }
    }

    /// The trees of the second look.
    pub(crate) fn forest(&self) -> &Forest {
        self.forest.as_deref().unwrap_or_else(|| Forest::fitted())
    }

    /// The scope of this handle.
    pub fn scope(&self) -> &Scope {
        self.store.scope()
    }

    pub(crate) fn actor(&self) -> &Actor {
        self.scope().actor()
    }

    /// Rejects a caller without write access.
    pub(crate) fn require_write(&self) -> Result<(), Error> {
        if self.scope().may_write(self.name()) {
            return Ok(());
        }
        Err(Denied::Write(self.name().to_owned()).into())
    }

    /// Rejects a caller without write access or this right.
    pub(crate) fn require(&self, right: Right) -> Result<(), Error> {
        self.require_write()?;
        self.store.require(right)
    }

    /// The space's name.
    pub fn name(&self) -> &str {
        self.inner.source.name().as_str()
    }

    /// The space's folder.
    pub fn folder(&self) -> &Path {
        self.inner.source.folder()
    }

    /// The space's settings as last read: at opening, and before the last write.
    pub fn config(&self) -> Arc<SpaceConfig> {
        self.inner.source.config()
    }

    /// Changes the space's settings; an invalid value changes nothing. A new description passes the guard.
    ///
    /// A new embedding model is used once every memory is embedded with it, by the background or [`Space::settle`];
    /// until then the former one. [`Error::UnknownModel`] and [`Error::Model`] if it is unavailable; for a new reranker
    /// [`Error::UnknownReranker`] and [`Error::Model`]; [`Error::OtherPurpose`] for a model of the other kind.
    pub fn configure(
        &self,
        change: impl FnOnce(&mut SpaceConfig),
    ) -> Result<Arc<SpaceConfig>, Error> {
        self.require(Right::Configure)?;
        let mut refused = None;
        let checked = |config: &mut SpaceConfig| {
            let before = config.clone();
            change(config);
            if config.description != before.description {
                config.description = self.guarded_text(&config.description);
            }
            // An invalid name is rejected with the other values.
            let is_other = config.embedding != before.embedding
                || config.guard.private && !before.guard.private;
            if is_other
                && config.check().is_ok()
                && let Err(error) = self.checked_model(config)
            {
                refused = Some(error);
                *config = before;
            } else if config.recall.reranker != before.recall.reranker
                && config.check().is_ok()
                && let Some(reranker) = &config.recall.reranker
                && let Err(error) = self.inner.site.models.reranker(reranker)
            {
                refused = Some(error);
                *config = before;
            } else if let Err(refusal) = anamne_recall::check_settings(&config.recall) {
                refused = Some(refusal.into());
                *config = before;
            }
        };
        let before = self.config();
        let config = self.inner.source.configure(checked)?;
        if let Some(refused) = refused {
            return Err(refused);
        }
        self.inner.derived.tiers.hasten_reembedding();
        self.inner.jobs.due("embedding").hasten();
        if config.backup != before.backup {
            self.inner.schedule_backups(&self.inner.queue()?)?;
        }
        self.inner.wake_background();
        Ok(config)
    }

    /// Rejects an embedding model that these settings can't use.
    fn checked_model(&self, config: &SpaceConfig) -> Result<(), Error> {
        let models = &self.inner.site.models;
        let model = models.get_for(&config.embedding.model, Some(&self.inner.source))?;
        if config.guard.private && model.memories.leaves_machine() {
            return Err(anamne_types::InvalidValue::new(
                "guard.private",
                "a model on this machine, such as builtin, for a space that is private",
                &config.embedding.model,
            )
            .into());
        }
        Ok(())
    }

    /// The current time by the store's clock.
    pub fn now(&self) -> jiff::Timestamp {
        self.inner.source.now()
    }

    /// Its state, which differs after every event of its log and every change of its settings. One short read.
    pub fn state(&self) -> Result<SpaceState, Error> {
        Ok(self.inner.source.state()?)
    }

    /// The ids of all memories that match a filter, from one snapshot.
    pub fn select(
        &self,
        filter: &Filter,
        visibility: Visibility,
        order: Order,
    ) -> Result<Vec<MemoryId>, Error> {
        let filter = self.resolved(filter)?;
        Ok(self.inner.source.select(&filter, visibility, order)?)
    }

    /// The memories with these ids, in order; missing and erased ones are skipped.
    pub fn get_each(&self, ids: &[MemoryId]) -> Result<Vec<Memory>, Error> {
        Ok(self.inner.source.get_each(ids)?)
    }

    /// The memory with this id, forgotten ones included, without counting it as opened.
    pub fn read(&self, id: MemoryId) -> Result<Memory, Error> {
        Ok(self.inner.source.get(id)?)
    }

    /// The memory with this id, forgotten ones included; it counts as opened.
    ///
    /// If the settings record access, the log gets an event with the actor of this handle first, so that nothing is read
    /// unrecorded: fails if it can't be written.
    pub fn get(&self, id: MemoryId) -> Result<Memory, Error> {
        let memory = self.inner.source.get(id)?;
        if self.config().meta.record_access {
            self.inner.source.log_access(self.actor(), id)?;
        }
        let used = [(id, memory.body.kind())];
        self.inner.caches.used(used, self.now());
        self.inner.derived.meta.note_opening(memory.row);
        Ok(memory)
    }

    /// The id that `text` names: an id, or a unique prefix.
    pub fn resolve(&self, text: &str) -> Result<MemoryId, Error> {
        Ok(self.inner.source.resolve(text)?)
    }

    /// The memory with this external id or id.
    pub fn find_imported(&self, id: &str) -> Result<Option<MemoryId>, Error> {
        Ok(self.inner.source.find_imported(id)?)
    }

    /// Memories that match a filter, in a chosen order. A memory that is damaged in both copies is an error; see
    /// [`Space::list_undamaged`].
    pub fn list(&self, listing: &Listing) -> Result<Vec<Memory>, Error> {
        Ok(self.inner.source.list(&*self.resolved_listing(listing)?)?)
    }

    /// The same; memories that are damaged in both copies are skipped and returned beside the others. They count in the
    /// limit and the offset of the listing.
    pub fn list_undamaged(&self, listing: &Listing) -> Result<(Vec<Memory>, Skipped), Error> {
        let listing = self.resolved_listing(listing)?;
        Ok(self.inner.source.list_undamaged(&listing)?)
    }

    fn resolved_listing<'a>(&self, listing: &'a Listing) -> Result<Cow<'a, Listing>, Error> {
        Ok(match self.resolved(&listing.filter)? {
            Cow::Borrowed(_) => Cow::Borrowed(listing),
            Cow::Owned(filter) => Cow::Owned(Listing {
                filter,
                ..listing.clone()
            }),
        })
    }

    pub(crate) fn source(&self) -> &SpaceSource {
        &self.inner.source
    }

    pub(crate) fn after_write(&self) {
        self.inner.derived.tasks.activity.note_write();
        self.inner.note_write();
        self.inner.wake_background();
    }
}
