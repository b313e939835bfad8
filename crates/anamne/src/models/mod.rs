//! The available models: the built-in embedding model, those provided by the program, and those of the store: imported
//! models and plain folders, which are embedding models or rerankers.

mod format;
mod importing;
mod library;
mod listing;
mod manifest;
mod removing;
mod reranking;
#[cfg(test)]
mod tests;
mod verifying;

use std::collections::HashMap;
use std::path::{Component, Path};
use std::sync::{Arc, Mutex, PoisonError};

use anamne_embed::{CachedEmbedder, EmbedError, Embedder, StaticModel};
use anamne_index::vectors::DIMENSIONS;
use anamne_store::EmbeddingConfig;

use crate::Error;
use crate::derived::embedding_cache::EmbeddingCache;
use format::ModelFormat;
use library::{Library, ModelStamp};
use reranking::LoadedRerankers;

pub use format::ModelPurpose;
pub use importing::{ImportedModel, ModelImport};
pub use listing::{ModelKind, ModelState, ModelSummary};
pub use removing::RemovedModel;
pub use verifying::{ModelProblem, ModelVerification};

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

/// Rejects a model whose vectors can't be stored.
fn check_dimensions(found: usize) -> Result<(), EmbedError> {
    if (1..=DIMENSIONS).contains(&found) {
        return Ok(());
    }
    Err(EmbedError::Dimensions {
        most: DIMENSIONS,
        found,
    })
}

/// The models of a store.
pub(crate) struct Models {
    library: Library,
    brought: Vec<Arc<dyn Embedder>>,
    pub(crate) cache: Arc<EmbeddingCache>,
    /// The loaded models of the store, by name.
    loaded: Mutex<HashMap<String, (ModelStamp, Model)>>,
    rerankers: LoadedRerankers,
}

impl Models {
    /// The models of the store in `root`, and those provided by the program.
    pub(crate) fn new(root: &Path, brought: Vec<Arc<dyn Embedder>>, cache_bytes: u64) -> Self {
        let cache = EmbeddingCache::at(&root.join("embedding-cache.db"), cache_bytes);
        Self {
            library: Library::of_store(root),
            brought,
            cache: Arc::new(cache),
            loaded: Mutex::default(),
            rerankers: LoadedRerankers::default(),
        }
    }

    /// The models of another store, and those provided by the program to this one.
    pub(crate) fn of_store(&self, root: &Path) -> Self {
        // Nothing is added to its cache here, so it needs no limit.
        Self::new(root, self.brought.clone(), u64::MAX)
    }

    /// The model called `name` in the settings. A model of the store is read once per process, and again after changes.
    ///
    /// [`Error::UnknownModel`] if there is none, [`Error::Model`] if it can't be loaded, [`Error::OtherPurpose`] if it is a
    /// reranker.
    pub(crate) fn get(&self, name: &str) -> Result<Model, Error> {
        if name == EmbeddingConfig::BUILTIN {
            return Ok(Model::builtin());
        }
        if let Some(brought) = self.brought.iter().find(|one| one.model().name == name) {
            return self.model(name, brought.clone());
        }
        let mut loaded = self.loaded.lock().unwrap_or_else(PoisonError::into_inner);
        // Stamped before reading, so that later changes are noticed.
        let stands = self.library.stamp(name, ModelFormat::Model2vec);
        if let Some((_, model)) = loaded.get(name).filter(|(known, _)| *known == stands) {
            return Ok(model.clone());
        }
        self.check_known(name)?;
        let model = self.model(name, Arc::new(self.library.load(name)?))?;
        loaded.insert(name.to_owned(), (stands, model.clone()));
        Ok(model)
    }

    /// Whether a loaded model of the store has changed. If it was deleted, the loaded model stays in use.
    pub(crate) fn has_changed(&self, name: &str) -> bool {
        let loaded = self.loaded.lock().unwrap_or_else(PoisonError::into_inner);
        let stands = self.library.stamp(name, ModelFormat::Model2vec);
        let known = loaded.get(name);
        known.is_some_and(|(known, _)| stands.iter().all(Option::is_some) && *known != stands)
    }

    /// [`Error::UnknownModel`] unless the store has this model.
    fn check_known(&self, name: &str) -> Result<(), Error> {
        if self.library.has(name) {
            return Ok(());
        }
        Err(Error::UnknownModel {
            name: name.to_owned(),
            known: self.embedders().join(", "),
            folder: self.library.folder(),
        })
    }

    /// Whether the program provides a model of this name.
    fn is_brought(&self, name: &str) -> bool {
        self.brought.iter().any(|one| one.model().name == name)
    }

    fn model(&self, name: &str, embedder: Arc<dyn Embedder>) -> Result<Model, Error> {
        check_dimensions(embedder.dimensions()).map_err(|source| Error::Model {
            name: name.to_owned(),
            source,
        })?;
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
        self.names_with(self.library.names())
    }

    /// The names of all available embedding models.
    fn embedders(&self) -> Vec<String> {
        let mut names = self.library.names();
        names.retain(|name| self.library.kind_of(name) != Some(ModelFormat::CrossEncoder));
        self.names_with(names)
    }

    fn names_with(&self, of_library: Vec<String>) -> Vec<String> {
        let brought = self.brought.iter().map(|one| one.model().name.clone());
        let mut others: Vec<_> = brought.chain(of_library).collect();
        others.sort();
        others.dedup();
        others.insert(0, EmbeddingConfig::BUILTIN.to_owned());
        others
    }
}
