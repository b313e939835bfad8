//! The available embedding models: the built-in one, those provided by the program, and folders of the store.

use std::collections::HashMap;
use std::path::{Component, Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::SystemTime;

use anamne_embed::{CachedEmbedder, EmbedError, Embedder, StaticModel};
use anamne_index::vectors::DIMENSIONS;
use anamne_store::EmbeddingConfig;

use crate::Error;
use crate::derived::embedding_cache::EmbeddingCache;

/// An available model, with its name in the settings.
#[derive(Clone)]
pub(crate) struct Model {
    pub(crate) name: String,
    /// Embeds queries.
    pub(crate) questions: Arc<dyn Embedder>,
    /// Embeds memories: through the cache if the model is costly.
    pub(crate) memories: Arc<dyn Embedder>,
    /// The same embedder, if it uses the cache.
    cached: Option<Arc<CachedEmbedder>>,
}

impl Model {
    pub(crate) fn builtin() -> Self {
        let embedder: Arc<dyn Embedder> = Arc::new(StaticModel::builtin());
        Self {
            name: EmbeddingConfig::BUILTIN.to_owned(),
            questions: embedder.clone(),
            memories: embedder,
            cached: None,
        }
    }

    /// The last cache failure; returned once.
    pub(crate) fn take_error(&self) -> Option<String> {
        self.cached.as_ref()?.take_error()
    }

    /// The folder name of its vectors.
    pub(crate) fn slug(&self) -> String {
        self.questions.model().slug()
    }
}

/// Whether a text is a single path component.
pub(crate) fn is_plain_name(name: &str) -> bool {
    let mut parts = Path::new(name).components();
    matches!(
        (parts.next(), parts.next()),
        (Some(Component::Normal(part)), None) if part == name
    )
}

/// The models of a store.
pub(crate) struct Models {
    folder: PathBuf,
    brought: Vec<Arc<dyn Embedder>>,
    pub(crate) cache: Arc<EmbeddingCache>,
    /// The loaded folders, by name.
    loaded: Mutex<HashMap<String, (FolderStamp, Model)>>,
}

/// Detects changes of a folder without reading it: time and length of each file.
type FolderStamp = [Option<(SystemTime, u64)>; 3];

fn stamp(folder: &Path) -> FolderStamp {
    ["model.safetensors", "tokenizer.json", "config.json"].map(|file| {
        let metadata = std::fs::metadata(folder.join(file)).ok()?;
        Some((metadata.modified().ok()?, metadata.len()))
    })
}

impl Models {
    /// The models of the store in `root`, and those provided by the program.
    pub(crate) fn new(root: &Path, brought: Vec<Arc<dyn Embedder>>, cache_bytes: u64) -> Self {
        let cache = EmbeddingCache::at(&root.join("embedding-cache.db"), cache_bytes);
        Self {
            folder: root.join("models"),
            brought,
            cache: Arc::new(cache),
            loaded: Mutex::default(),
        }
    }

    /// The models of another store, and those provided by the program to this one.
    pub(crate) fn of_store(&self, root: &Path) -> Self {
        // Nothing is added to its cache here, so it needs no limit.
        Self::new(root, self.brought.clone(), u64::MAX)
    }

    /// The model called `name` in the settings. A folder is read once per process, and again after changes.
    ///
    /// [`Error::UnknownModel`] if there is none, [`Error::Model`] if its folder can't be loaded.
    pub(crate) fn get(&self, name: &str) -> Result<Model, Error> {
        if name == EmbeddingConfig::BUILTIN {
            return Ok(Model::builtin());
        }
        if let Some(brought) = self.brought.iter().find(|one| one.model().name == name) {
            return self.model(name, brought.clone());
        }
        let mut loaded = self.loaded.lock().unwrap_or_else(PoisonError::into_inner);
        // Stamped before reading, so that later changes are noticed.
        let stands = stamp(&self.folder.join(name));
        if let Some((_, model)) = loaded.get(name).filter(|(known, _)| *known == stands) {
            return Ok(model.clone());
        }
        let embedder = self.load(name)?;
        let model = self.model(name, Arc::new(embedder))?;
        loaded.insert(name.to_owned(), (stands, model.clone()));
        Ok(model)
    }

    /// Whether the folder of a loaded model has changed. If it was deleted, the loaded model stays in use.
    pub(crate) fn has_changed(&self, name: &str) -> bool {
        let loaded = self.loaded.lock().unwrap_or_else(PoisonError::into_inner);
        let stands = stamp(&self.folder.join(name));
        let known = loaded.get(name);
        known.is_some_and(|(known, _)| stands.iter().all(Option::is_some) && *known != stands)
    }

    fn load(&self, name: &str) -> Result<StaticModel, Error> {
        let folder = self.folder.join(name);
        if !is_plain_name(name) || !folder.is_dir() {
            return Err(Error::UnknownModel {
                name: name.to_owned(),
                known: self.names().join(", "),
                folder: self.folder.clone(),
            });
        }
        StaticModel::load(&folder).map_err(|source| Error::Model {
            name: name.to_owned(),
            source,
        })
    }

    fn model(&self, name: &str, embedder: Arc<dyn Embedder>) -> Result<Model, Error> {
        let dimensions = embedder.dimensions();
        if !(1..=DIMENSIONS).contains(&dimensions) {
            return Err(Error::Model {
                name: name.to_owned(),
                source: EmbedError::Dimensions {
                    most: DIMENSIONS,
                    found: dimensions,
                },
            });
        }
        let through_cache = || Arc::new(CachedEmbedder::new(embedder.clone(), self.cache.clone()));
        let cached = embedder.is_costly().then(through_cache);
        let memories = match &cached {
            Some(cached) => cached.clone(),
            None => embedder.clone(),
        };
        Ok(Model {
            name: name.to_owned(),
            questions: embedder,
            memories,
            cached,
        })
    }

    /// The names of all available models, without loading them.
    pub(crate) fn names(&self) -> Vec<String> {
        let brought = self.brought.iter().map(|one| one.model().name.clone());
        let folders = anamne_store::entries(&self.folder).unwrap_or_default();
        let folders = folders.iter().filter(|path| path.is_dir());
        let folders = folders.filter_map(|path| Some(path.file_name()?.to_str()?.to_owned()));
        let mut others: Vec<_> = brought.chain(folders).collect();
        others.sort();
        others.dedup();
        others.insert(0, EmbeddingConfig::BUILTIN.to_owned());
        others
    }
}
