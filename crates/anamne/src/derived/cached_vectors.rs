//! What the embedding cache of a store holds of one space.

use std::path::PathBuf;
use std::sync::Arc;

use anamne_index::vectors::embedded_texts;
use anamne_store::{Budget, Class, Derived, EmbeddingConfig, SpaceSource};
use anamne_types::MemoryId;

use super::Site;
use super::embedding_cache::EmbeddingCache;
use crate::Error;

/// Its name in reports.
const NAME: &str = "embedding_cache";

/// The cache, which all spaces of the store share, as one of them uses it.
pub(crate) struct CachedVectors {
    source: Arc<SpaceSource>,
    cache: Arc<EmbeddingCache>,
}

impl CachedVectors {
    pub(super) fn new(site: &Site) -> Self {
        Self {
            source: site.source.clone(),
            cache: site.models.cache.clone(),
        }
    }

    /// Notes, where there is a cache, that nothing may be kept of what these memories say and said.
    ///
    /// Called before they are erased, for afterwards nobody knows what they said, and once more after it.
    pub(crate) fn begin_forgetting(&self, texts: &[String]) -> Result<(), Error> {
        if texts.is_empty() {
            return Ok(());
        }
        let texts: Vec<_> = texts.iter().map(String::as_str).collect();
        let noted = self.cache.begin_erasing(&self.label(), &texts);
        // A cache that can't be told of it is better lost.
        noted.or_else(|_| Ok(self.cache.remove()?))
    }

    /// The texts of which vectors may be kept for these memories, in all their states. None where nothing is kept at all.
    pub(crate) fn texts_of(&self, ids: &[MemoryId]) -> Vec<String> {
        let keeps =
            self.cache.exists() || self.source.config().embedding.model != EmbeddingConfig::BUILTIN;
        let ids = if keeps { ids } else { &[] };
        let mut texts = Vec::new();
        for &id in ids {
            // One that can't be read has nothing that could be looked for; erasing it goes on.
            let versions = self.source.history(id).unwrap_or_default();
            let states = versions.into_iter().filter_map(|version| version.memory);
            for state in states.chain(self.source.get(id).ok()) {
                let mut text = state.content;
                state.body.append_searchable(&mut text);
                texts.extend(embedded_texts(&text).into_iter().map(str::to_owned));
            }
        }
        texts.sort();
        texts.dedup();
        texts
    }

    /// What names the space in the cache.
    fn label(&self) -> String {
        let name = self.source.folder().file_name().unwrap_or_default();
        name.to_string_lossy().into_owned()
    }
}

impl Derived<Error> for CachedVectors {
    fn name(&self) -> &'static str {
        NAME
    }

    fn class(&self) -> Class {
        Class::Paid
    }

    fn files(&self) -> Vec<PathBuf> {
        vec![self.cache.path().to_owned()]
    }

    fn quarantine(&self) -> Result<(), Error> {
        Ok(())
    }

    fn purge(&self, _: &mut Budget<'_>) -> Result<(), Error> {
        Ok(self.cache.finish_erasing(&self.label())?)
    }

    /// Other spaces use it too.
    fn remove(&self) -> Result<(), Error> {
        Ok(())
    }
}
