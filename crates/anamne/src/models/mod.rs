//! The available models: the built-in embedding model, those provided by the program, those of the store: imported
//! models and plain folders, which are embedding models or rerankers, and the remote ones of the sources in `model.toml`.

mod estimating;
mod format;
mod importing;
mod library;
mod listing;
mod manifest;
pub(crate) mod questions;
pub(crate) mod remote;
mod removing;
mod reranking;
#[cfg(test)]
mod tests;
mod verifying;

use std::collections::HashMap;
use std::path::{Component, Path};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use anamne_embed::{CachedEmbedder, EmbedError, Embedder, StaticModel};
use anamne_index::vectors::DIMENSIONS;
use anamne_llm::{EmbeddingName, EmbeddingSources};
use anamne_store::{EmbeddingConfig, SpaceSource};

use crate::Error;
use crate::derived::embedding_cache::EmbeddingCache;
use format::ModelFormat;
use library::{Library, ModelStamp};
use questions::QuestionVectors;
use remote::{Bridges, RemoteModel};
use reranking::LoadedRerankers;

pub use estimating::EmbeddingEstimate;
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
    /// If it is remote: what asks for the vectors of queries, and the model.
    remote: Option<(Arc<QuestionVectors>, Arc<RemoteModel>)>,
}

impl Model {
    pub(crate) fn builtin() -> Self {
        let embedder: Arc<dyn Embedder> = Arc::new(StaticModel::builtin());
        Self {
            name: EmbeddingConfig::BUILTIN.to_owned(),
            questions: embedder.clone(),
            memories: embedder,
            cached: None,
            remote: None,
        }
    }

    /// Gets ready for a query with these words. Waits for a remote model alone, for at most `longest`.
    ///
    /// Whether it was known before; `None` if the model is on this machine.
    pub(crate) fn expect_question(&self, words: &str, longest: Duration) -> Option<bool> {
        let (questions, _) = self.remote.as_ref()?;
        Some(questions.ask(words, longest))
    }

    /// The remote model and its cache, if it is one.
    pub(crate) fn remote(&self) -> Option<(&RemoteModel, &CachedEmbedder)> {
        let (_, remote) = self.remote.as_ref()?;
        Some((remote, self.cached.as_deref()?))
    }

    /// The last cache failure; returned once.
    pub(crate) fn take_error(&self) -> Option<String> {
        let remote = self
            .remote
            .as_ref()
            .and_then(|(_, model)| model.take_error());
        remote.or_else(|| self.cached.as_ref()?.take_error())
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
    /// The bridges to remote models, if the program can open them.
    bridges: Option<Arc<Bridges>>,
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
            bridges: None,
            cache: Arc::new(cache),
            loaded: Mutex::default(),
            rerankers: LoadedRerankers::default(),
        }
    }

    /// The same with remote models. `is_patient` unless somebody waits for the end of their work.
    pub(crate) fn with_remote(
        self,
        sources: Option<Arc<dyn EmbeddingSources>>,
        is_patient: bool,
    ) -> Self {
        let bridges = sources.map(|sources| Arc::new(Bridges::new(sources, is_patient)));
        Self { bridges, ..self }
    }

    /// The models of another store, and those provided by the program to this one.
    pub(crate) fn of_store(&self, root: &Path) -> Self {
        // Nothing is added to its cache here, so it needs no limit.
        let models = Self::new(root, self.brought.clone(), u64::MAX);
        Self {
            bridges: self.bridges.clone(),
            ..models
        }
    }

    /// Runs `work` while no process imports or removes a model of the store.
    pub(crate) fn unchanged<T>(&self, work: impl FnOnce() -> Result<T, Error>) -> Result<T, Error> {
        let lock = self.library.lock();
        let _guard = lock.acquire()?;
        work()
    }

    /// The model called `name` in the settings. A model of the store is read once per process, and again after changes.
    ///
    /// [`Error::UnknownModel`] if there is none, [`Error::Model`] if it can't be loaded, [`Error::OtherPurpose`] if it is a
    /// reranker.
    pub(crate) fn get(&self, name: &str) -> Result<Model, Error> {
        self.get_for(name, None)
    }

    /// The same for a space, which pays for a remote model; without one, a remote model only tells its properties.
    pub(crate) fn get_for(
        &self,
        name: &str,
        space: Option<&Arc<SpaceSource>>,
    ) -> Result<Model, Error> {
        if name == EmbeddingConfig::BUILTIN {
            return Ok(Model::builtin());
        }
        if let Some(brought) = self.brought.iter().find(|one| one.model().name == name) {
            return self.model(name, brought.clone());
        }
        if let Some((remote, bridges)) = self.remote_name(name)? {
            return self.remote(name, remote, bridges, space);
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

    /// [`Error::Nothing`] unless the store has this model.
    fn check_there(&self, name: &str) -> Result<(), Error> {
        let there = self.library.has(name).then_some(());
        there.ok_or_else(|| Error::nothing("model", name))
    }

    /// [`Error::UnknownModel`], which lists the embedding models, unless the store has this model.
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

    /// The parts of a name if it is that of a remote model, and the bridges to such models.
    pub(crate) fn remote_name(
        &self,
        name: &str,
    ) -> Result<Option<(EmbeddingName, Arc<Bridges>)>, Error> {
        let is_other = name == EmbeddingConfig::BUILTIN || self.is_brought(name);
        match &self.bridges {
            Some(bridges)
                if !is_other && EmbeddingName::is_one(name) && !self.library.has(name) =>
            {
                Ok(Some((name.parse()?, bridges.clone())))
            }
            _ => Ok(None),
        }
    }

    fn remote(
        &self,
        name: &str,
        remote: EmbeddingName,
        bridges: Arc<Bridges>,
        space: Option<&Arc<SpaceSource>>,
    ) -> Result<Model, Error> {
        // Names an unknown source before its model is used.
        bridges.settings(&remote)?;
        let Some(dimensions) = remote.length() else {
            return Err(estimating::unknown_length(name));
        };
        check_dimensions(dimensions).map_err(|source| Error::Model {
            name: name.to_owned(),
            source,
        })?;
        let model = Arc::new(RemoteModel::new(
            remote,
            dimensions,
            bridges,
            space.cloned(),
        ));
        if let Some(refusal) = model.refusal() {
            return Err(Error::Model {
                name: name.to_owned(),
                source: model.unavailable(refusal),
            });
        }
        let questions = Arc::new(QuestionVectors::new(model.clone()));
        let cached = Arc::new(CachedEmbedder::new(model.clone(), self.cache.clone()));
        Ok(Model {
            name: name.to_owned(),
            questions: questions.clone(),
            memories: cached.clone(),
            cached: Some(cached),
            remote: Some((questions, model)),
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
            remote: None,
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
