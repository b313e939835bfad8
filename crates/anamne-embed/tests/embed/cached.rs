//! A cached model is called once per text, in batches, and its vectors do not depend on the cache's contents.

use std::collections::HashMap;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};

use anamne_embed::{
    BATCH_SIZE, CacheCounts, CachedEmbedder, EmbedError, Embedder, ModelIdentity, VectorCache,
};

/// A model that records its calls.
struct Scripted {
    identity: ModelIdentity,
    asked: Mutex<Vec<Vec<String>>>,
    fails: AtomicBool,
}

impl Scripted {
    fn new(name: &str) -> Arc<Self> {
        Arc::new(Self {
            identity: ModelIdentity::new(name, "1"),
            asked: Mutex::default(),
            fails: AtomicBool::new(false),
        })
    }

    fn asked(&self) -> Vec<Vec<String>> {
        std::mem::take(&mut *self.asked.lock().unwrap())
    }
}

impl Embedder for Scripted {
    fn model(&self) -> &ModelIdentity {
        &self.identity
    }

    fn dimensions(&self) -> usize {
        3
    }

    fn embed_into(&self, text: &str, vector: &mut [f32]) -> Result<(), EmbedError> {
        vector.copy_from_slice(&self.embed_batch(&[text])?);
        Ok(())
    }

    fn embed_batch(&self, texts: &[&str]) -> Result<Vec<f32>, EmbedError> {
        if self.fails.load(Ordering::SeqCst) {
            return Err(EmbedError::Unavailable {
                model: self.identity.to_string(),
                problem: "the line is dead".to_owned(),
            });
        }
        let texts: Vec<_> = texts.iter().map(|&text| text.to_owned()).collect();
        let vectors = texts.iter().flat_map(|text| {
            let length = text.len() as f32;
            [length / 7.0, 1.0 / (1.0 + length), -0.1]
        });
        let vectors = vectors.collect();
        self.asked.lock().unwrap().push(texts);
        Ok(vectors)
    }
}

/// An in-memory double of a cache on disk.
#[derive(Default)]
struct InMemory {
    held: Mutex<HashMap<(String, String), Vec<u16>>>,
    fails: AtomicBool,
}

impl VectorCache for InMemory {
    fn get(&self, model: &ModelIdentity, texts: &[&str]) -> Result<Vec<Option<Vec<u16>>>, String> {
        if self.fails.load(Ordering::SeqCst) {
            return Err("no disk".to_owned());
        }
        let held = self.held.lock().unwrap();
        let found = |text: &&str| held.get(&(model.slug(), (*text).to_owned())).cloned();
        Ok(texts.iter().map(found).collect())
    }

    fn put(&self, model: &ModelIdentity, vectors: &[(&str, &[u16])]) -> Result<(), String> {
        if self.fails.load(Ordering::SeqCst) {
            return Err("no disk".to_owned());
        }
        let mut held = self.held.lock().unwrap();
        for (text, vector) in vectors {
            held.insert((model.slug(), (*text).to_owned()), vector.to_vec());
        }
        Ok(())
    }
}

fn cached(model: &Arc<Scripted>, cache: &Arc<InMemory>) -> CachedEmbedder {
    CachedEmbedder::new(model.clone(), cache.clone())
}

#[test]
fn only_what_is_missing_is_asked_for_and_each_text_once() {
    let (model, cache) = (Scripted::new("far"), Arc::<InMemory>::default());
    let embedder = cached(&model, &cache);
    let first = embedder.embed_batch(&["one", "two", "one"]).unwrap();
    assert_eq!(model.asked(), [["one", "two"]]);
    assert_eq!(first[..3], first[6..]);
    let second = embedder.embed_batch(&["two", "three", ""]).unwrap();
    assert_eq!(model.asked(), [["three", ""]]);
    assert_eq!(second[..3], first[3..6]);
    let counts = CacheCounts { hits: 1, misses: 4 };
    assert_eq!(embedder.counts(), counts);
    assert!(embedder.embed_batch(&[]).unwrap().is_empty());
}

#[test]
fn many_texts_are_asked_for_in_batches_and_kept_batch_by_batch() {
    let (model, cache) = (Scripted::new("far"), Arc::<InMemory>::default());
    let texts: Vec<_> = (0..BATCH_SIZE * 2 + 3)
        .map(|number| "x".repeat(number))
        .collect();
    let texts: Vec<_> = texts.iter().map(String::as_str).collect();
    cached(&model, &cache).embed_batch(&texts).unwrap();
    let sizes: Vec<_> = model.asked().iter().map(Vec::len).collect();
    assert_eq!(sizes, [BATCH_SIZE, BATCH_SIZE, 3]);
    model.fails.store(true, Ordering::SeqCst);
    let again = cached(&model, &cache);
    again.embed_batch(&texts).expect("all of it is kept");
    assert!(again.embed_batch(&["never seen"]).is_err());
}

#[test]
fn a_vector_is_the_same_whether_it_was_kept_or_not() {
    let model = Scripted::new("far");
    let (kept, empty) = (Arc::<InMemory>::default(), Arc::<InMemory>::default());
    cached(&model, &kept).embed_batch(&["a text"]).unwrap();
    let from_cache = cached(&model, &kept).embed_batch(&["a text"]).unwrap();
    let from_model = cached(&model, &empty).embed_batch(&["a text"]).unwrap();
    assert_eq!(from_cache, from_model);
    let exact = model.embed_batch(&["a text"]).unwrap();
    for (kept, exact) in from_cache.iter().zip(exact) {
        assert!((kept - exact).abs() <= exact.abs() / 2_048.0);
    }
}

#[test]
fn models_do_not_see_each_others_vectors() {
    let cache = Arc::<InMemory>::default();
    let (one, other) = (Scripted::new("one"), Scripted::new("other"));
    cached(&one, &cache).embed_batch(&["text"]).unwrap();
    cached(&other, &cache).embed_batch(&["text"]).unwrap();
    assert_eq!(other.asked(), [["text"]]);
}

#[test]
fn a_failing_cache_falls_back_to_the_model_and_is_reported() {
    let (model, cache) = (Scripted::new("far"), Arc::<InMemory>::default());
    let embedder = cached(&model, &cache);
    cache.fails.store(true, Ordering::SeqCst);
    assert_eq!(embedder.embed_batch(&["text"]).unwrap().len(), 3);
    assert_eq!(embedder.take_error().as_deref(), Some("no disk"));
    assert_eq!(embedder.take_error(), None);
    let mut short = [0.0; 2];
    assert!(matches!(
        embedder.embed_into("text", &mut short),
        Err(EmbedError::VectorLength {
            expected: 3,
            found: 2
        })
    ));
}
