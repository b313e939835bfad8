//! A store: one folder with its spaces.

use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

use anamne_embed::{Embedder, Reranker};
use anamne_store::{
    Clock, SpaceName, SpaceSource, StoreError, StoreFolder, SystemClock, Unreadable,
};

use anamne_weaver::bridge::Bridge;

use crate::Error;
use crate::embedding_cache::EmbeddingCache;
use crate::models::Models;
use crate::space::Space;

/// What the embedding cache may come to where nothing else is said: some 1.3 million vectors of 768 dimensions.
const CACHE_BYTES: u64 = 2 << 30;

/// Checks the settings of which only recall knows what there is.
fn check_settings(source: &SpaceSource) -> Result<(), Error> {
    anamne_recall::check_settings(&source.config().recall).map_err(|refusal| {
        let path = source.folder().join("space.toml");
        let reason = refusal.to_string();
        StoreError::Damaged { path, reason }.into()
    })
}

/// How a store is opened.
#[derive(Clone)]
pub struct Options {
    /// The store's folder.
    pub root: PathBuf,
    /// Where the time comes from.
    pub clock: Arc<dyn Clock>,
    /// Embedding models that the program brings, such as remote ones. A space uses the one whose
    /// [`ModelIdentity::name`](crate::embed::ModelIdentity) its settings name; see [`SpaceConfig`](crate::SpaceConfig).
    pub embedders: Vec<Arc<dyn Embedder>>,
    /// What looks at the first twenty results of every question again, if anything is to: a model that reads question and text
    /// together. Where it fails, recall goes on without it and says so.
    pub reranker: Option<Arc<dyn Reranker>>,
    /// What `embedding-cache.db` may come to, in bytes: the vectors of models that cost time or money.
    pub embedding_cache_bytes: u64,
    /// The language model that the background may ask, if any. Everything works without one.
    pub language_model: Option<Arc<Bridge>>,
    /// Whether long tails are folded, broken views rebuilt, and both copies read back once a day, in a background
    /// thread. A program that ends soon says no and calls [`Space::settle`] before it ends.
    pub background: bool,
}

impl Options {
    /// The folder with the machine's clock, the built-in model and background work.
    pub fn new(root: impl AsRef<Path>) -> Self {
        Self {
            root: root.as_ref().to_owned(),
            clock: Arc::new(SystemClock),
            embedders: Vec::new(),
            reranker: None,
            embedding_cache_bytes: CACHE_BYTES,
            language_model: None,
            background: true,
        }
    }

    /// Switches background work on or off.
    #[must_use]
    pub fn background(mut self, background: bool) -> Self {
        self.background = background;
        self
    }
}

/// A folder of spaces. Cheap to open: a space is opened when it is first asked for.
pub struct Store {
    pub(crate) folder: StoreFolder,
    pub(crate) options: Options,
    pub(crate) models: Arc<Models>,
    pub(crate) open: Mutex<HashMap<SpaceName, Space>>,
}

impl Store {
    /// Opens the store in `root` with the machine's clock and the built-in model, and makes it if need be.
    pub fn open(root: impl AsRef<Path>) -> Result<Self, Error> {
        Self::open_with(Options::new(root))
    }

    /// Opens a store as `options` say, and makes it if need be.
    pub fn open_with(options: Options) -> Result<Self, Error> {
        let folder = StoreFolder::at(&options.root);
        folder.create()?;
        let models = Models::new(
            folder.root(),
            options.embedders.clone(),
            options.embedding_cache_bytes,
        );
        Ok(Self {
            folder,
            models: Arc::new(models),
            options,
            open: Mutex::default(),
        })
    }

    /// The names by which spaces may choose an embedding model: `builtin`, those that the program brings, and the folders
    /// under `models`, whether these can be loaded or not.
    pub fn models(&self) -> Vec<String> {
        self.models.names()
    }

    /// The cache of vectors, which all spaces share.
    pub fn embedding_cache(&self) -> &EmbeddingCache {
        &self.models.cache
    }

    /// The store's folder.
    pub fn root(&self) -> &Path {
        self.folder.root()
    }

    /// The space with this name, made if it is not there.
    pub fn space(&self, name: &str) -> Result<Space, Error> {
        self.open_space(name, true)
    }

    /// The space with this name, which must be there.
    pub fn existing_space(&self, name: &str) -> Result<Space, Error> {
        self.open_space(name, false)
    }

    /// The names of all spaces whose settings can be read, sorted; [`Store::unreadable_spaces`] has the others.
    pub fn spaces(&self) -> Result<Vec<SpaceName>, Error> {
        Ok(self.folder.spaces()?)
    }

    /// The spaces whose `space.toml` can't be read, and why.
    pub fn unreadable_spaces(&self) -> Result<Vec<Unreadable>, Error> {
        Ok(self.folder.unreadable_spaces()?)
    }

    /// The space that a name means: the one that is called so to the byte, else the one with composed characters. The name of
    /// a new space must be one that people can tell from others.
    fn meant(&self, name: SpaceName, create: bool) -> Result<SpaceName, Error> {
        let is_there = |name: &SpaceName| self.folder.space(name).exists();
        if is_there(&name) {
            return Ok(name);
        }
        let composed = name.composed();
        if create && !is_there(&composed) {
            composed.check_new(&self.folder.spaces()?)?;
        }
        Ok(composed)
    }

    fn open_space(&self, name: &str, create: bool) -> Result<Space, Error> {
        let name = self.meant(name.parse()?, create)?;
        let mut open = self.open.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(space) = open.get(&name) {
            return Ok(space.clone());
        }
        let folder = self.folder.space(&name);
        let source = SpaceSource::open(&folder, &name, self.options.clock.clone(), create)?;
        check_settings(&source)?;
        let space = Space::open(
            source,
            self.models.clone(),
            self.options.language_model.clone(),
            self.options.reranker.clone(),
            self.options.background,
        )?;
        open.insert(name, space.clone());
        Ok(space)
    }
}
