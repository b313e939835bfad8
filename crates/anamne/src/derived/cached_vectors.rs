//! One space's part of the store's embedding cache.

use std::path::PathBuf;
use std::sync::Arc;

use anamne_index::vectors::embedded_texts;
use anamne_store::{Budget, Class, Derived, EmbeddingConfig, Order, SpaceSource, Visibility};
use anamne_types::{Filter, MemoryId};

use super::Site;
use super::embedding_cache::EmbeddingCache;
use crate::Error;

/// Its name in reports.
const NAME: &str = "embedding_cache";

/// Memories whose texts are removed at once.
const BATCH: usize = 512;

/// The shared cache from the perspective of one space.
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

    /// Marks all texts of these memories, current and former, as not to be cached.
    ///
    /// Called before the erasure, while the texts are known, and again after it.
    pub(crate) fn begin_forgetting(&self, texts: &[String]) -> Result<(), Error> {
        if texts.is_empty() {
            return Ok(());
        }
        let texts: Vec<_> = texts.iter().map(String::as_str).collect();
        let noted = self.cache.begin_erasing(&self.label(), &texts);
        // If the cache can't be updated, delete it.
        noted.or_else(|_| Ok(self.cache.remove()?))
    }

    /// All texts of these memories that may be cached, in all versions. Empty without a cache.
    pub(crate) fn texts_of(&self, ids: &[MemoryId]) -> Vec<String> {
        let keeps =
            self.cache.exists() || self.source.config().embedding.model != EmbeddingConfig::BUILTIN;
        let ids = if keeps { ids } else { &[] };
        let mut texts = Vec::new();
        for &id in ids {
            // An unreadable memory has no known text; its erasure continues.
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

    /// The key of the space in the cache.
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

    fn leave_store(&self) -> Result<(), Error> {
        if self.cache.exists() {
            let everything = Filter::default();
            let (visibility, order) = (Visibility::Both, Order::OldestFirst);
            let ids = self.source.select(&everything, visibility, order)?;
            for batch in ids.chunks(BATCH) {
                self.begin_forgetting(&self.texts_of(batch))?;
            }
        }
        Ok(self.cache.finish_erasing(&self.label())?)
    }

    /// Other spaces use it too.
    fn remove(&self) -> Result<(), Error> {
        Ok(())
    }
}
