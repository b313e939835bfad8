//! A store: one folder with its spaces.

use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

use anamne_embed::{Embedder, Reranker};
use anamne_store::{
    Clock, SpaceName, SpaceSource, StoreError, StoreFolder, StoreQuota, SystemClock, Unreadable,
};

use anamne_llm::{Bridge, EmbeddingSources};
use anamne_recall::RecallObserver;

use anamne_types::{Actor, Door, Right, Scope};

use crate::Error;
use crate::background_problems::BackgroundProblems;
use crate::core::Inner;
use crate::derived::embedding_cache::EmbeddingCache;
use crate::derived::hook_log::HookLog;
use crate::derived::unsent::UnsentCaptures;
use crate::derived::{DerivedFactory, Site};
use crate::error::Denied;
use crate::models::Models;
use crate::query::observed::Observer;
use crate::space::Space;

/// Default size of the embedding cache: about 1.3 million vectors of 768 dimensions.
const CACHE_BYTES: u64 = 2 << 30;

/// Checks the settings that recall defines.
fn check_settings(source: &SpaceSource) -> Result<(), Error> {
    anamne_recall::check_settings(&source.config().recall).map_err(|refusal| {
        let path = source.folder().join("space.toml");
        let reason = refusal.to_string();
        StoreError::Damaged { path, reason }.into()
    })
}

/// Options for opening a store.
#[derive(Clone)]
pub struct Options {
    /// The store's folder.
    pub root: PathBuf,
    /// The clock.
    pub clock: Arc<dyn Clock>,
    /// Embedding models provided by the program, such as remote ones. A space uses the one whose
    /// [`ModelIdentity::name`](crate::embed::ModelIdentity) is in its settings; see
    /// [`SpaceConfig`](crate::SpaceConfig).
    pub embedders: Vec<Arc<dyn Embedder>>,
    /// An optional reranker for the first twenty results of every query, instead of the one in the settings of a space. If it
    /// fails, recall continues without it and
    /// reports that.
    pub reranker: Option<Arc<dyn Reranker>>,
    /// Maximum size of `embedding-cache.db` in bytes.
    pub embedding_cache_bytes: u64,
    /// The optional language model for background work.
    pub language_model: Option<Arc<Bridge>>,
    /// Opens the remote embedding models that spaces can choose, if any.
    pub embedding_sources: Option<Arc<dyn EmbeddingSources>>,
    /// Additional derived data for each space, managed like the engine's own.
    pub derived: Vec<DerivedFactory>,
    /// Whether a background thread folds tails, rebuilds views, runs tasks, and verifies both copies daily. A program
    /// without it calls [`Space::settle`] before it ends.
    pub background: bool,
    /// What all spaces of the store may use together, if that is limited.
    pub quota: Option<Arc<StoreQuota>>,
    /// The door through which the store is opened; the query log records it.
    pub door: Door,
    /// Observes what recalls cost, if the program wants to.
    pub observer: Option<Arc<dyn RecallObserver>>,
}

impl Options {
    /// The folder with the system clock, the built-in model, and no background work.
    pub fn new(root: impl AsRef<Path>) -> Self {
        Self {
            root: root.as_ref().to_owned(),
            clock: Arc::new(SystemClock),
            embedders: Vec::new(),
            reranker: None,
            embedding_cache_bytes: CACHE_BYTES,
            language_model: None,
            embedding_sources: None,
            derived: Vec::new(),
            background: false,
            quota: None,
            door: Door::default(),
            observer: None,
        }
    }

    /// Sets the door.
    #[must_use]
    pub fn door(mut self, door: Door) -> Self {
        self.door = door;
        self
    }

    /// Enables or disables background work.
    #[must_use]
    pub fn background(mut self, background: bool) -> Self {
        self.background = background;
        self
    }
}

/// A folder of spaces. Cheap to open: spaces are opened on first use.
///
/// Clones share open spaces. Every handle has a [`Scope`]: an opened store has that of its owner, and
/// [`Store::narrowed`] gives a handle with a narrower one.
#[derive(Clone)]
pub struct Store {
    pub(crate) folder: StoreFolder,
    pub(crate) options: Arc<Options>,
    pub(crate) models: Arc<Models>,
    pub(crate) open: Arc<Mutex<HashMap<SpaceName, Arc<Inner>>>>,
    pub(crate) scope: Arc<Scope>,
}

impl Store {
    /// Opens or creates the store in `root` with the system clock and the built-in model.
    pub fn open(root: impl AsRef<Path>) -> Result<Self, Error> {
        Self::open_with(Options::new(root))
    }

    /// Opens or creates a store with these options.
    pub fn open_with(options: Options) -> Result<Self, Error> {
        let folder = StoreFolder::at(&options.root);
        folder.create()?;
        let models = Models::new(
            folder.root(),
            options.embedders.clone(),
            options.embedding_cache_bytes,
        )
        .with_remote(options.embedding_sources.clone(), options.background);
        let store = Self {
            folder,
            models: Arc::new(models),
            options: Arc::new(options),
            open: Arc::default(),
            scope: Arc::new(Scope::owner()),
        };
        store.continue_space_erasures();
        Ok(store)
    }

    /// A store, such as a backup, with the owner's scope; opens and creates nothing.
    pub(crate) fn at(root: &Path, models: Arc<Models>, clock: Arc<dyn Clock>) -> Self {
        let options = Options {
            clock,
            ..Options::new(root).background(false)
        };
        Self {
            folder: StoreFolder::at(root),
            models,
            options: Arc::new(options),
            open: Arc::default(),
            scope: Arc::new(Scope::owner()),
        }
    }

    /// The same store for a caller with only what both `scope` and this handle's scope allow.
    #[must_use]
    pub fn narrowed(&self, scope: &Scope) -> Self {
        Self {
            scope: Arc::new(self.scope.narrowed(scope)),
            ..self.clone()
        }
    }

    /// The same store for another actor, with the same rights.
    pub(crate) fn acting_as(&self, actor: Actor) -> Self {
        let scope = Scope::clone(&self.scope).acting_as(actor);
        Self {
            scope: Arc::new(scope),
            ..self.clone()
        }
    }

    /// The clock of the store.
    pub fn clock(&self) -> Arc<dyn Clock> {
        self.options.clock.clone()
    }

    /// The scope of this handle.
    pub fn scope(&self) -> &Scope {
        &self.scope
    }

    /// The embedding cache, shared by all spaces. [`Error::Denied`] without [`Right::Configure`].
    pub fn embedding_cache(&self) -> Result<&EmbeddingCache, Error> {
        self.require(Right::Configure)?;
        Ok(&self.models.cache)
    }

    /// The record of what the hooks of agent hosts did, for all spaces. [`Error::Denied`] without [`Right::Configure`].
    pub fn hook_log(&self) -> Result<HookLog, Error> {
        self.require(Right::Configure)?;
        Ok(HookLog::of_store(self.folder.root()))
    }

    /// What hooks captured for a server that has not acknowledged it yet, for all spaces. [`Error::Denied`] without
    /// [`Right::Configure`].
    pub fn unsent_captures(&self) -> Result<UnsentCaptures, Error> {
        self.require(Right::Configure)?;
        Ok(UnsentCaptures::of_store(&self.folder))
    }

    /// Writes the buffered entries of the query logs of the open spaces. Closing a space does too, but a program may end
    /// while background work still holds it.
    pub fn flush_query_logs(&self) {
        let open = self.open.lock().unwrap_or_else(PoisonError::into_inner);
        let spaces: Vec<Arc<Inner>> = open.values().cloned().collect();
        drop(open);
        for space in spaces {
            if space.source.check_present().is_ok() {
                space.derived.meta.write_down();
            }
        }
    }

    /// One round of background work in each space, for a program that opens the store for nothing else: what is due of
    /// retention, backups, tasks, and the other chores. Stops between spaces once `go_on` is false. A space that can't be
    /// opened is left out, and the first such error is returned at the end.
    ///
    /// [`Error::Denied`] without [`Right::Configure`].
    pub fn run_background_round(&self, go_on: &dyn Fn() -> bool) -> Result<(), Error> {
        self.require(Right::Configure)?;
        let mut outcome = Ok(());
        for name in self.spaces()? {
            if !go_on() {
                break;
            }
            let worked = self
                .existing_space(name.as_str())
                .map(|space| space.inner.run_round());
            outcome = outcome.and(worked);
        }
        outcome
    }

    /// The store's folder.
    pub fn root(&self) -> &Path {
        self.folder.root()
    }

    /// The space with this name, created if missing. [`Error::Denied`] if the scope doesn't include it.
    pub fn space(&self, name: &str) -> Result<Space, Error> {
        self.open_space(name, true)
    }

    /// The existing space with this name. [`Error::Denied`] if the scope doesn't include it.
    pub fn existing_space(&self, name: &str) -> Result<Space, Error> {
        self.open_space(name, false)
    }

    /// The names of the spaces in scope with readable settings, sorted; [`Store::unreadable_spaces`] lists the others.
    pub fn spaces(&self) -> Result<Vec<SpaceName>, Error> {
        let mut names = self.folder.spaces()?;
        names.retain(|name| self.scope.may_read(name.as_str()));
        Ok(names)
    }

    /// The spaces whose `space.toml` is unreadable, with the reasons. Their names are unknown, so only a caller who may
    /// read every space sees them.
    pub fn unreadable_spaces(&self) -> Result<Vec<Unreadable>, Error> {
        if !self.scope.reads_all() {
            return Ok(Vec::new());
        }
        Ok(self.folder.unreadable_spaces()?)
    }

    /// The space that a name refers to: the one with exactly this name, else the one with composed characters. The name
    /// of a new space must be distinguishable from those in scope; a comparison with others would reveal that they exist.
    pub(crate) fn meant(&self, name: SpaceName, create: bool) -> Result<SpaceName, Error> {
        if self.folder.has_space(&name)? {
            return Ok(name);
        }
        let composed = name.composed();
        if create && !self.folder.has_space(&composed)? {
            composed.check_new(&self.spaces()?)?;
        }
        Ok(composed)
    }

    /// Rejects a name outside the scope, without revealing whether the space exists.
    pub(crate) fn check_readable(&self, name: &SpaceName) -> Result<(), Error> {
        if self.scope.may_read(name.as_str()) {
            return Ok(());
        }
        Err(Error::Denied(Denied::Read(name.to_string())))
    }

    fn open_space(&self, name: &str, create: bool) -> Result<Space, Error> {
        let name: SpaceName = name.parse()?;
        // Before any lookup: otherwise an error would reveal whether the space exists.
        if self.check_readable(&name).is_err() {
            self.check_readable(&name.composed())?;
        }
        let name = self.meant(name, create)?;
        self.check_readable(&name)?;
        let may_create = create && self.scope.may_write(name.as_str());
        Ok(Space::new(self.opened(name, may_create)?, self.clone()))
    }

    /// An existing space whatever the scope, for work that the engine owes it; `None` if there is none.
    pub(crate) fn inner_of(&self, name: &str) -> Result<Option<Arc<Inner>>, Error> {
        let name: SpaceName = name.parse()?;
        if !self.folder.has_space(&name)? {
            return Ok(None);
        }
        self.opened(name, false).map(Some)
    }

    fn opened(&self, name: SpaceName, create: bool) -> Result<Arc<Inner>, Error> {
        let mut open = self.open.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(inner) = open.get(&name)
            && !matches!(inner.source.check_present(), Err(StoreError::SpaceGone(_)))
        {
            return Ok(inner.clone());
        }
        open.remove(&name);
        let inner = self.open_inner(&name, create)?;
        open.insert(name, inner.clone());
        Ok(inner)
    }

    fn open_inner(&self, name: &SpaceName, create: bool) -> Result<Arc<Inner>, Error> {
        if let Some(quota) = &self.options.quota
            && create
            && !self.folder.has_space(name)?
        {
            quota.admit_space()?;
        }
        let folder = self.folder.space(name);
        let source = SpaceSource::open(&folder, name, self.options.clock.clone(), create)?
            .within(self.options.quota.clone());
        check_settings(&source)?;
        let site = Site {
            source: Arc::new(source),
            models: self.models.clone(),
            bridge: self.options.language_model.clone(),
            problems: Arc::new(BackgroundProblems::default()),
            brought: self.options.derived.clone().into(),
            door: self.options.door,
            observer: Observer::new(self.options.observer.clone()),
        };
        let reranker = self.options.reranker.clone();
        Inner::open(site, reranker, self.options.background)
    }

    /// Rejects a caller without this right.
    pub(crate) fn require(&self, right: Right) -> Result<(), Error> {
        if self.scope.allows(right) {
            return Ok(());
        }
        Err(Error::Denied(Denied::Right(right)))
    }
}
