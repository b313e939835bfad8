//! An embedder with a cache.

use std::collections::HashMap;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use crate::half::{from_half, to_half};
use crate::{EmbedError, Embedder, ModelIdentity};

/// Batch size for a costly model.
pub const BATCH_SIZE: usize = 64;

/// A cache of vectors of costly models, by model and text.
///
/// It may evict or refuse vectors, but must return those it has unchanged.
pub trait VectorCache: Send + Sync {
    /// The vector of each text, in order, in half precision; `None` if it is missing.
    fn get(&self, model: &ModelIdentity, texts: &[&str]) -> Result<Vec<Option<Vec<u16>>>, String>;

    /// Stores the vectors of these texts.
    fn put(&self, model: &ModelIdentity, vectors: &[(&str, &[u16])]) -> Result<(), String>;
}

/// Cache hits and misses of a [`CachedEmbedder`].
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct CacheCounts {
    /// Texts whose vector was in the cache.
    pub hits: u64,
    /// Texts that the model embedded.
    pub misses: u64,
}

/// Looks up a cache before the model, and passes only missing texts to the model, in batches.
///
/// Every returned vector was rounded to half precision, whether it came from the cache or not: data built from these
/// vectors does not depend on the cache's contents. Errors of the cache are ignored and kept for
/// [`CachedEmbedder::take_error`].
pub struct CachedEmbedder {
    model: Arc<dyn Embedder>,
    cache: Arc<dyn VectorCache>,
    hits: AtomicU64,
    misses: AtomicU64,
    problem: Mutex<Option<String>>,
}

impl CachedEmbedder {
    /// Wraps `model` with `cache`.
    pub fn new(model: Arc<dyn Embedder>, cache: Arc<dyn VectorCache>) -> Self {
        Self {
            model,
            cache,
            hits: AtomicU64::new(0),
            misses: AtomicU64::new(0),
            problem: Mutex::default(),
        }
    }

    /// Hits and misses since creation.
    pub fn counts(&self) -> CacheCounts {
        CacheCounts {
            hits: self.hits.load(Ordering::Relaxed),
            misses: self.misses.load(Ordering::Relaxed),
        }
    }

    /// The last cache error; cleared by this call.
    pub fn take_error(&self) -> Option<String> {
        self.problem
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .take()
    }

    fn record_error(&self, problem: String) {
        *self.problem.lock().unwrap_or_else(PoisonError::into_inner) = Some(problem);
    }

    /// The vector of each text that is in the cache.
    fn looked_up(&self, texts: &[&str]) -> Vec<Option<Vec<u16>>> {
        let fits = |vector: &Vec<u16>| vector.len() == self.dimensions();
        let mut found = self
            .cache
            .get(self.model.model(), texts)
            .unwrap_or_else(|problem| {
                self.record_error(problem);
                Vec::new()
            });
        found.resize(texts.len(), None);
        for vector in &mut found {
            *vector = vector.take().filter(fits);
        }
        found
    }

    /// The vectors of distinct texts.
    fn vectors(&self, texts: &[&str]) -> Result<Vec<Vec<u16>>, EmbedError> {
        let mut found = self.looked_up(texts);
        let missing: Vec<usize> = (0..texts.len()).filter(|&at| found[at].is_none()).collect();
        let (all, misses) = (texts.len() as u64, missing.len() as u64);
        self.hits.fetch_add(all - misses, Ordering::Relaxed);
        for batch in missing.chunks(BATCH_SIZE) {
            let asked: Vec<&str> = batch.iter().map(|&at| texts[at]).collect();
            let vectors = self.embedded(&asked)?;
            self.misses.fetch_add(batch.len() as u64, Ordering::Relaxed);
            let kept: Vec<(&str, &[u16])> = asked
                .into_iter()
                .zip(vectors.iter().map(Vec::as_slice))
                .collect();
            if let Err(problem) = self.cache.put(self.model.model(), &kept) {
                self.record_error(problem);
            }
            for (&at, vector) in batch.iter().zip(vectors) {
                found[at] = Some(vector);
            }
        }
        Ok(found.into_iter().flatten().collect())
    }

    /// Stores vectors that the model gave in another way than by [`Embedder::embed_batch`].
    ///
    /// [`EmbedError::Unavailable`] if the cache doesn't take them.
    pub fn keep(&self, vectors: &[(&str, Vec<f32>)]) -> Result<(), EmbedError> {
        let numbers = vectors.iter().flat_map(|(_, vector)| vector);
        let halves = self.halves(vectors.len(), &numbers.copied().collect::<Vec<_>>())?;
        let texts = vectors.iter().map(|(text, _)| *text);
        let kept: Vec<(&str, &[u16])> = texts.zip(halves.iter().map(Vec::as_slice)).collect();
        let kept = self.cache.put(self.model.model(), &kept);
        kept.map_err(|problem| EmbedError::Unavailable {
            model: self.model.model().to_string(),
            problem,
        })
    }

    /// The model's vectors of these texts, in half precision.
    fn embedded(&self, texts: &[&str]) -> Result<Vec<Vec<u16>>, EmbedError> {
        self.halves(texts.len(), &self.model.embed_batch(texts)?)
    }

    /// So many vectors of the model, which must be finite, in half precision.
    fn halves(&self, count: usize, vectors: &[f32]) -> Result<Vec<Vec<u16>>, EmbedError> {
        EmbedError::check_length(count * self.dimensions(), vectors.len())?;
        if !vectors.iter().all(|place| place.is_finite()) {
            return Err(EmbedError::NotFinite {
                model: self.model.model().to_string(),
            });
        }
        let rows = vectors.chunks_exact(self.dimensions().max(1));
        Ok(rows
            .map(|row| row.iter().map(|&place| to_half(place)).collect())
            .collect())
    }
}

impl Embedder for CachedEmbedder {
    fn model(&self) -> &ModelIdentity {
        self.model.model()
    }

    fn dimensions(&self) -> usize {
        self.model.dimensions()
    }

    fn is_costly(&self) -> bool {
        self.model.is_costly()
    }

    fn embed_at_hand(&self, texts: &[&str]) -> Result<Vec<Option<Vec<f32>>>, EmbedError> {
        if !self.is_remote() {
            let vectors = self.embed_batch(texts)?;
            let rows = vectors.chunks_exact(self.dimensions().max(1));
            return Ok(rows.map(|row| Some(row.to_vec())).collect());
        }
        let whole = |half: Vec<u16>| half.into_iter().map(from_half).collect();
        let found = self.looked_up(texts).into_iter();
        Ok(found.map(|vector| vector.map(whole)).collect())
    }

    fn is_remote(&self) -> bool {
        self.model.is_remote()
    }

    fn leaves_machine(&self) -> bool {
        self.model.leaves_machine()
    }

    fn embed_into(&self, text: &str, vector: &mut [f32]) -> Result<(), EmbedError> {
        EmbedError::check_length(self.dimensions(), vector.len())?;
        vector.copy_from_slice(&self.embed_batch(&[text])?);
        Ok(())
    }

    fn embed_batch(&self, texts: &[&str]) -> Result<Vec<f32>, EmbedError> {
        let mut places = HashMap::new();
        let mut different = Vec::new();
        let at: Vec<usize> = texts
            .iter()
            .map(|&text| {
                *places.entry(text).or_insert_with(|| {
                    different.push(text);
                    different.len() - 1
                })
            })
            .collect();
        let vectors = self.vectors(&different)?;
        let numbers = at.iter().flat_map(|&at| &vectors[at]);
        Ok(numbers.map(|&half| from_half(half)).collect())
    }
}
