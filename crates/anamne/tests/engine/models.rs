//! Migration to another embedding model, during which everything is always found.

use std::collections::HashMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::slice::from_ref;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Condvar, Mutex};

use anamne::embed::{EmbedError, Embedder, ModelIdentity};
use anamne::{Draft, ErrorKind, MemoryId, Options, Recall, Signals, Space, Store};
use safetensors::tensor::{Dtype, TensorView};
use serde_json::json;
use tempfile::TempDir;

/// A costly model that adds a vector per word; tests make it fail and wait, and count its work.
struct CostlyModel {
    identity: ModelIdentity,
    dimensions: usize,
    /// Number of embedded memory texts; queries are embedded one at a time.
    texts: AtomicU64,
    /// It fails after this number of texts.
    most: AtomicU64,
    shut: Mutex<bool>,
    opened: Condvar,
    waits: AtomicBool,
    /// Whether it ends the process instead of failing.
    dies: AtomicBool,
}

impl CostlyModel {
    fn new(name: &str, dimensions: usize) -> Arc<Self> {
        Arc::new(Self {
            identity: ModelIdentity::new(name, "1"),
            dimensions,
            texts: AtomicU64::new(0),
            most: AtomicU64::new(u64::MAX),
            shut: Mutex::default(),
            opened: Condvar::new(),
            waits: AtomicBool::new(false),
            dies: AtomicBool::new(false),
        })
    }

    fn embedded(&self) -> u64 {
        self.texts.load(Ordering::SeqCst)
    }

    fn shut(&self) {
        *self.shut.lock().expect("no panic before") = true;
    }

    fn open(&self) {
        *self.shut.lock().expect("no panic before") = false;
        self.opened.notify_all();
    }

    fn failure(&self) -> EmbedError {
        if self.dies.load(Ordering::SeqCst) {
            std::process::abort();
        }
        EmbedError::Unavailable {
            model: self.identity.to_string(),
            problem: "the line is dead".to_owned(),
        }
    }
}

impl Embedder for CostlyModel {
    fn model(&self) -> &ModelIdentity {
        &self.identity
    }

    fn dimensions(&self) -> usize {
        self.dimensions
    }

    fn embed_into(&self, text: &str, vector: &mut [f32]) -> Result<(), EmbedError> {
        if self.most.load(Ordering::SeqCst) == 0 {
            return Err(self.failure());
        }
        vector.fill(0.0);
        for word in text.split_whitespace() {
            let mut state = blake3::hash(word.to_lowercase().as_bytes()).as_bytes()[0] as usize + 1;
            for place in &mut *vector {
                state = state
                    .wrapping_mul(6_364_136_223_846_793_005)
                    .wrapping_add(1);
                *place += (state >> 40) as f32 / 8_388_608.0 - 1.0;
            }
        }
        let length = vector.iter().map(|place| place * place).sum::<f32>().sqrt();
        if length > 0.0 {
            for place in vector.iter_mut() {
                *place /= length;
            }
        }
        Ok(())
    }

    fn embed_batch(&self, texts: &[&str]) -> Result<Vec<f32>, EmbedError> {
        let mut shut = self.shut.lock().expect("no panic before");
        while *shut {
            self.waits.store(true, Ordering::SeqCst);
            shut = self.opened.wait(shut).expect("no panic before");
        }
        drop(shut);
        if self.embedded() + texts.len() as u64 > self.most.load(Ordering::SeqCst) {
            return Err(self.failure());
        }
        self.texts.fetch_add(texts.len() as u64, Ordering::SeqCst);
        let mut vectors = vec![0.0; texts.len() * self.dimensions];
        for (text, vector) in texts.iter().zip(vectors.chunks_exact_mut(self.dimensions)) {
            self.embed_into(text, vector)?;
        }
        Ok(vectors)
    }
}

struct Home(TempDir);

impl Home {
    fn new() -> Self {
        Self(tempfile::tempdir().expect("a folder"))
    }

    fn store(&self, models: &[Arc<CostlyModel>], background: bool) -> Store {
        let embedders = models.iter().map(|model| model.clone() as _).collect();
        Store::open_with(Options {
            embedders,
            ..Options::new(self.0.path()).background(background)
        })
        .expect("a store")
    }

    /// The space, opened like another process would.
    fn space(&self, models: &[Arc<CostlyModel>]) -> Space {
        let store = self.store(models, false);
        store.space("tests").expect("a space")
    }

    fn vectors(&self) -> PathBuf {
        self.0.path().join("spaces/tests/views/vectors")
    }

    /// The models that have vectors.
    fn vector_folders(&self) -> Vec<String> {
        let entries = fs::read_dir(self.vectors()).expect("a folder");
        let entries = entries.map(|entry| entry.expect("an entry"));
        let folders = entries.filter(|entry| entry.path().is_dir());
        let mut names: Vec<_> = folders
            .map(|entry| entry.file_name().to_string_lossy().into_owned())
            .collect();
        names.sort();
        names
    }

    fn model_folder(&self) -> PathBuf {
        self.0.path().join("models/tiny")
    }

    /// A Model2Vec folder of eight tokens and two dimensions.
    fn add_model_folder(&self) {
        let folder = self.model_folder();
        fs::create_dir_all(&folder).expect("made");
        let rows: [f32; 16] = [
            0.0, 0.0, 0.5, 0.5, 1.0, 0.0, 3.0, 4.0, -2.0, 1.0, 0.0, -1.0, 1.0, 1.0, 0.0, 0.0,
        ];
        let bytes: Vec<u8> = rows.iter().flat_map(|row| row.to_le_bytes()).collect();
        let tensor = TensorView::new(Dtype::F32, vec![8, 2], &bytes).expect("a tensor");
        let model = safetensors::serialize([("embeddings", tensor)], None).expect("a model");
        let pieces = ["[PAD]", "[UNK]", "the", "cat", "sat", "##s", ".", "[SEP]"];
        let vocabulary: HashMap<_, _> = pieces.iter().zip(0..).collect();
        let added = [0, 1, 7].map(|id: usize| {
            json!({
                "id": id, "content": pieces[id], "special": true, "single_word": false,
                "lstrip": false, "rstrip": false, "normalized": false
            })
        });
        let tokenizer = json!({
            "version": "1.0", "truncation": null, "padding": null, "added_tokens": added,
            "normalizer": {
                "type": "BertNormalizer", "clean_text": true, "handle_chinese_chars": true,
                "strip_accents": null, "lowercase": true
            },
            "pre_tokenizer": { "type": "BertPreTokenizer" }, "post_processor": null, "decoder": null,
            "model": {
                "type": "WordPiece", "unk_token": "[UNK]", "continuing_subword_prefix": "##",
                "max_input_chars_per_word": 100, "vocab": vocabulary
            }
        });
        let write =
            |name: &str, bytes: &[u8]| fs::write(folder.join(name), bytes).expect("written");
        write("model.safetensors", &model);
        write("tokenizer.json", tokenizer.to_string().as_bytes());
        write(
            "config.json",
            br#"{"model_type": "model2vec", "normalize": true}"#,
        );
    }
}

fn choose(space: &Space, model: &str) {
    space
        .configure(|config| model.clone_into(&mut config.embedding.model))
        .expect("configured");
}

fn settle(space: &Space) {
    space.settle(&mut |_, _| {}).expect("settled");
}

fn answering(space: &Space) -> String {
    space.embedding().expect("a state").answering
}

const SYLLABLES: [&str; 8] = ["ba", "do", "ki", "lu", "me", "ro", "ti", "vu"];

/// A name that is unique to this number.
fn name(number: usize) -> String {
    let digits = [512, 64, 8, 1].map(|place| number / place % 8);
    digits.map(|digit| SYLLABLES[digit]).concat()
}

fn text(number: usize) -> String {
    format!("the cat sat with {} that day", name(number))
}

fn write(space: &Space, number: usize) -> MemoryId {
    space.remember(Draft::new(text(number))).expect("told").id
}

fn write_many(space: &Space, numbers: std::ops::Range<usize>) -> Vec<MemoryId> {
    let drafts: Vec<_> = numbers.map(|number| Draft::new(text(number))).collect();
    let stored = space.remember_all(&drafts).expect("told");
    stored.into_iter().map(|stored| stored.id).collect()
}

/// The results of a query for one of them, and the degraded views.
fn ask(space: &Space, number: usize) -> (Vec<MemoryId>, Vec<String>) {
    let answer = space
        .recall(&Recall::new(name(number)).limit(10))
        .expect("an answer");
    let found = answer.results.iter().map(|hit| hit.memory.id);
    (found.collect(), answer.degraded)
}

#[track_caller]
fn check_found(space: &Space, number: usize, id: MemoryId) {
    let (found, degraded) = ask(space, number);
    assert_eq!(degraded, Vec::<String>::new());
    let state = space.embedding();
    assert!(
        found.contains(&id),
        "{number} is not among {found:?}: {state:?}"
    );
}

/// The results of the vector search alone.
fn nearest(space: &Space, question: &str) -> Vec<(MemoryId, f32)> {
    let mut recall = Recall::new(question).limit(5);
    recall.signals = Signals::Semantic;
    let answer = space.recall(&recall).expect("an answer");
    assert_eq!(answer.degraded, Vec::<String>::new());
    answer
        .results
        .into_iter()
        .map(|hit| (hit.memory.id, hit.score))
        .collect()
}

const BUILTIN: &str = "anamne-static-v2";

#[test]
fn a_model_takes_over_when_all_its_vectors_are_there_and_the_former_ones_go() {
    let (home, far) = (Home::new(), CostlyModel::new("far", 48));
    let space = home.space(from_ref(&far));
    let stored = write_many(&space, 0..300);
    settle(&space);
    let by_builtin = nearest(&space, &text(7));
    choose(&space, "far");
    assert_eq!(answering(&space), "builtin");
    assert_eq!(nearest(&space, &text(7)), by_builtin);
    let other = home.space(from_ref(&far));
    settle(&space);
    for process in [&space, &other] {
        assert_eq!(answering(process), "far");
        check_found(process, 7, stored[7]);
    }
    assert_ne!(nearest(&space, &text(7)), by_builtin);
    assert_eq!(nearest(&space, &text(7)), nearest(&other, &text(7)));
    assert_eq!(home.vector_folders(), ["far-1"]);
    assert_eq!(far.embedded(), 300, "each text once");
    choose(&space, "builtin");
    settle(&space);
    assert_eq!(home.vector_folders(), [BUILTIN]);
    assert_eq!(nearest(&space, &text(7)), by_builtin);
    assert_eq!(nearest(&other, &text(7)), by_builtin);
}

#[test]
fn every_memory_is_found_while_models_change_to_and_fro() {
    let (home, far) = (Home::new(), CostlyModel::new("far", 48));
    home.add_model_folder();
    let space = home.space(from_ref(&far));
    let stored = write_many(&space, 0..200);
    settle(&space);
    let done = AtomicBool::new(false);
    std::thread::scope(|scope| {
        for teller in 0..2_usize {
            let (home, far, done, stored) = (&home, &far, &done, &stored);
            scope.spawn(move || {
                let own = home.space(from_ref(far));
                let mut number = 1_000 * (teller + 1);
                loop {
                    let is_last = done.load(Ordering::SeqCst);
                    let id = write(&own, number);
                    check_found(&own, number, id);
                    check_found(&own, number % 200, stored[number % 200]);
                    number += 1;
                    if is_last {
                        break;
                    }
                }
            });
        }
        for model in ["far", "tiny", "builtin", "far", "builtin", "tiny", "far"] {
            choose(&space, model);
            while answering(&space) != model {
                settle(&space);
            }
        }
        done.store(true, Ordering::SeqCst);
    });
    settle(&space);
    assert_eq!(home.vector_folders(), ["far-1"]);
}

#[test]
fn nobody_waits_for_a_slow_model() {
    let (home, far) = (Home::new(), CostlyModel::new("far", 48));
    let space = home.space(from_ref(&far));
    let stored = write_many(&space, 0..300);
    settle(&space);
    choose(&space, "far");
    far.shut();
    std::thread::scope(|scope| {
        let slow = home.space(from_ref(&far));
        let settling = scope.spawn(move || settle(&slow));
        while !far.waits.load(Ordering::SeqCst) {
            std::thread::yield_now();
        }
        let id = write(&space, 900);
        check_found(&space, 900, id);
        check_found(&space, 5, stored[5]);
        let state = space.embedding().expect("a state");
        assert_eq!(
            (state.model.as_str(), state.answering.as_str()),
            ("far", "builtin")
        );
        assert_eq!(state.embedded, Some(0));
        far.open();
        settling.join().expect("settled");
    });
    settle(&space);
    assert_eq!(answering(&space), "far");
    check_found(&space, 5, stored[5]);
}

#[test]
fn what_was_embedded_before_the_end_of_a_process_is_not_embedded_again() {
    let (home, far) = (Home::new(), CostlyModel::new("far", 48));
    let stored = write_many(&home.space(&[]), 0..500);
    let mut ends = 0;
    for most in [100, 250, 330, 470] {
        let space = home.space(from_ref(&far));
        choose(&space, "far");
        far.most.store(most, Ordering::SeqCst);
        let error = space.settle(&mut |_, _| {}).expect_err("the model fails");
        assert!(error.to_string().contains("the line is dead"), "{error}");
        assert_eq!(answering(&space), "builtin");
        check_found(&space, 123, stored[123]);
        ends += 1;
    }
    assert_eq!(ends, 4);
    far.most.store(u64::MAX, Ordering::SeqCst);
    let space = home.space(from_ref(&far));
    let before = space.embedding().expect("a state").embedded;
    assert!(before.is_some_and(|rows| rows >= 256), "{before:?}");
    settle(&space);
    assert_eq!(answering(&space), "far");
    assert_eq!(far.embedded(), 500, "each text once");
    check_found(&space, 123, stored[123]);
}

#[test]
fn vectors_that_are_lost_are_made_again_from_the_cache() {
    let (home, far) = (Home::new(), CostlyModel::new("far", 48));
    let space = home.space(from_ref(&far));
    write_many(&space, 0..200);
    choose(&space, "far");
    settle(&space);
    let expected = nearest(&space, &text(7));
    let embedded = far.embedded();
    drop(space);
    fs::remove_dir_all(home.vectors()).expect("removed");
    let space = home.space(from_ref(&far));
    settle(&space);
    assert_eq!(answering(&space), "far");
    assert_eq!(nearest(&space, &text(7)), expected);
    assert_eq!(far.embedded(), embedded, "the cache had them all");
}

#[test]
fn the_background_goes_on_by_itself() {
    let (home, far) = (Home::new(), CostlyModel::new("far", 48));
    write_many(&home.space(&[]), 0..300);
    let store = home.store(from_ref(&far), true);
    let space = store.space("tests").expect("a space");
    choose(&space, "far");
    while answering(&space) != "far" {
        let (found, _) = ask(&space, 7);
        assert!(!found.is_empty());
    }
    assert_eq!(far.embedded(), 300);
}

/// The digests of the texts in the embedding cache.
fn cached(root: &Path, text: &str) -> bool {
    let hash = blake3::hash(text.as_bytes());
    let files = crate::common::files_under(root).into_iter().filter(|path| {
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        name.starts_with("embedding-cache.db")
    });
    files
        .map(|path| fs::read(path).expect("a file"))
        .any(|bytes| bytes.windows(16).any(|part| part == &hash.as_bytes()[..16]))
}

#[test]
fn what_is_erased_leaves_the_cache_in_all_its_states() {
    let (home, far) = (Home::new(), CostlyModel::new("far", 48));
    let space = home.space(from_ref(&far));
    let first = &text(1);
    let stored = write_many(&space, 0..20);
    let long: Vec<String> = (0..400).map(|word| format!("word{word}")).collect();
    let long = space.remember(long.join(" ")).expect("told").id;
    choose(&space, "far");
    settle(&space);
    let edit = anamne::Edit {
        content: Some("the cat sat elsewhere".to_owned()),
        ..anamne::Edit::default()
    };
    space.edit(stored[1], &edit).expect("edited");
    ask(&space, 1);
    let size = |space: &Space| {
        let store = home.store(&[], false);
        assert_eq!(space.name(), "tests");
        store
            .embedding_cache()
            .expect("the owner")
            .size()
            .expect("read")
            .vectors
    };
    assert!(cached(home.0.path(), first) && cached(home.0.path(), "the cat sat elsewhere"));
    let before = size(&space);
    assert!(before > 22, "a long text has several vectors");
    assert!(
        space
            .erase_all(&[stored[1], long])
            .expect("erased")
            .is_complete()
    );
    assert!(!cached(home.0.path(), first));
    assert!(!cached(home.0.path(), "the cat sat elsewhere"));
    assert_eq!(size(&space), 19);
    check_found(&space, 2, stored[2]);
    assert_eq!(answering(&space), "far");
}

#[test]
fn an_erasure_reaches_vectors_that_are_being_made() {
    let (home, far) = (Home::new(), CostlyModel::new("far", 48));
    let space = home.space(from_ref(&far));
    let stored = write_many(&space, 0..300);
    choose(&space, "far");
    far.most.store(200, Ordering::SeqCst);
    space.settle(&mut |_, _| {}).expect_err("the model fails");
    assert!(home.vector_folders().contains(&"far-1".to_owned()));
    assert!(space.erase(stored[3]).expect("erased").is_complete());
    assert_eq!(home.vector_folders(), Vec::<String>::new());
    far.most.store(u64::MAX, Ordering::SeqCst);
    settle(&space);
    assert_eq!(answering(&space), "far");
    assert!(!ask(&space, 3).0.contains(&stored[3]));
    check_found(&space, 4, stored[4]);
}

#[test]
fn a_model_that_there_is_not_is_refused_and_nothing_changes() {
    let home = Home::new();
    let space = home.space(&[CostlyModel::new("far", 48)]);
    home.add_model_folder();
    let refuse = |model: &str, says: &[&str]| {
        let change = |config: &mut anamne::SpaceConfig| {
            model.clone_into(&mut config.embedding.model);
            config.description = "changed".to_owned();
        };
        let error = space.configure(change).expect_err(model);
        assert_eq!(error.kind(), ErrorKind::Refused, "{error}");
        for part in says {
            assert!(error.to_string().contains(part), "{error}");
        }
        assert_eq!(space.config().embedding.model, "builtin");
        assert_eq!(space.config().description, "");
    };
    refuse("nowhere", &["nowhere", "builtin, far, tiny", "models"]);
    refuse("../models/tiny", &["../models/tiny"]);
    refuse("tiny/", &["tiny/"]);
    refuse("", &["embedding.model"]);
    fs::write(home.model_folder().join("tokenizer.json"), "[]").expect("damaged");
    refuse("tiny", &["tiny", "tokenizer.json"]);
    home.add_model_folder();
    let weights = home.model_folder().join("model.safetensors");
    let mut bytes = fs::read(&weights).expect("a model");
    let last = bytes.len() - 4;
    for (value, reason) in [(f32::MAX, "overflows"), (f32::NAN, "not a number")] {
        bytes[last..].copy_from_slice(&value.to_le_bytes());
        fs::write(&weights, &bytes).expect("written");
        refuse("tiny", &["tiny", "model.safetensors", reason]);
    }
    home.add_model_folder();
    choose(&space, "tiny");
    settle(&space);
    assert_eq!(answering(&space), "tiny");
}

#[test]
fn while_a_model_can_not_be_had_the_built_in_one_answers_and_says_so() {
    let home = Home::new();
    home.add_model_folder();
    let space = home.space(&[]);
    let stored = write_many(&space, 0..50);
    choose(&space, "tiny");
    settle(&space);
    assert_eq!(answering(&space), "tiny");
    drop(space);
    let away = home.0.path().join("away");
    fs::rename(home.model_folder(), &away).expect("moved");
    let space = home.space(&[]);
    let (found, degraded) = ask(&space, 9);
    assert!(found.contains(&stored[9]));
    assert_eq!(degraded, ["embedding model tiny"]);
    settle(&space);
    let found = space.check_up().expect("a check-up");
    assert!(
        found
            .problems
            .iter()
            .any(|said| said.contains("tiny") && said.contains("builtin")),
        "{found:?}"
    );
    let state = space.embedding().expect("a state");
    assert_eq!(
        (state.model.as_str(), state.answering.as_str()),
        ("tiny", "builtin")
    );
    let late = write(&space, 777);
    fs::rename(&away, home.model_folder()).expect("moved back");
    settle(&space);
    assert_eq!(answering(&space), "tiny");
    check_found(&space, 777, late);
    check_found(&space, 9, stored[9]);
}

#[test]
fn a_folder_with_another_model_under_the_same_name_is_another_model() {
    let home = Home::new();
    home.add_model_folder();
    let space = home.space(&[]);
    let stored = write_many(&space, 0..50);
    choose(&space, "tiny");
    settle(&space);
    let [before] = &home.vector_folders()[..] else {
        panic!("one model answers");
    };
    let file = home.model_folder().join("model.safetensors");
    let mut bytes = fs::read(&file).expect("read");
    let place = bytes.len() - 26;
    bytes[place] ^= 0x40;
    fs::write(&file, bytes).expect("written");
    let later = std::time::SystemTime::now() + std::time::Duration::from_secs(5);
    let file = fs::File::options().write(true).open(&file).expect("open");
    file.set_modified(later).expect("a later time");
    settle(&space);
    let [after] = &home.vector_folders()[..] else {
        panic!("one model answers");
    };
    assert_ne!(after, before);
    for process in [&space, &home.space(&[])] {
        check_found(process, 8, stored[8]);
        assert_eq!(answering(process), "tiny");
    }
}

#[test]
fn a_model_that_can_not_be_reached_keeps_nothing_that_was_erased() {
    let (home, far) = (Home::new(), CostlyModel::new("far", 48));
    let space = home.space(from_ref(&far));
    let stored = write_many(&space, 0..50);
    choose(&space, "far");
    settle(&space);
    far.most.store(0, Ordering::SeqCst);
    write(&space, 444);
    assert!(space.erase(stored[3]).expect("erased").is_complete());
    assert!(!cached(home.0.path(), &text(3)));
    assert_eq!(home.vector_folders(), Vec::<String>::new());
    assert_eq!(answering(&space), "builtin");
    far.most.store(u64::MAX, Ordering::SeqCst);
    settle(&space);
    assert_eq!(answering(&space), "far");
    check_found(&space, 4, stored[4]);
}

#[test]
fn a_process_without_the_model_answers_with_the_built_in_one_and_erases_all_the_same() {
    let (home, far) = (Home::new(), CostlyModel::new("far", 48));
    let with = home.space(from_ref(&far));
    let stored = write_many(&with, 0..50);
    choose(&with, "far");
    settle(&with);
    let without = home.space(&[]);
    assert_eq!(ask(&without, 5).1, ["embedding model far"]);
    settle(&without);
    check_found(&with, 5, stored[5]);
    assert_eq!(answering(&with), "far");
    assert!(without.erase(stored[6]).expect("erased").is_complete());
    assert_eq!(home.vector_folders(), Vec::<String>::new());
    check_found(&with, 5, stored[5]);
    settle(&with);
    assert_eq!(answering(&with), "far");
    check_found(&with, 5, stored[5]);
    assert!(!ask(&with, 6).0.contains(&stored[6]));
}

#[test]
fn a_model_that_fails_while_it_answers_costs_its_vectors_alone() {
    let (home, far) = (Home::new(), CostlyModel::new("far", 48));
    let space = home.space(from_ref(&far));
    write_many(&space, 0..50);
    choose(&space, "far");
    settle(&space);
    far.most.store(0, Ordering::SeqCst);
    let late = write(&space, 333);
    let (found, degraded) = ask(&space, 333);
    assert!(found.contains(&late));
    assert!(!degraded.is_empty());
    far.most.store(u64::MAX, Ordering::SeqCst);
    settle(&space);
    check_found(&space, 333, late);
}

#[test]
fn colder_tiers_get_the_new_vectors_too() {
    let (home, far) = (Home::new(), CostlyModel::new("far", 48));
    let space = home.space(from_ref(&far));
    let now = space.now();
    let drafts: Vec<_> = (0..400)
        .map(|number| {
            let age = jiff::SignedDuration::from_hours(24 * (number as i64 * 300 / 400));
            Draft::new(text(number)).occurred_at(now - age)
        })
        .collect();
    let stored = space.remember_all(&drafts).expect("told");
    space.age(&mut |_, _| {}).expect("aged");
    assert!(space.tiers().expect("tiers").len() > 2);
    choose(&space, "far");
    settle(&space);
    assert_eq!(answering(&space), "far");
    for number in [0, 10, 60, 399] {
        check_found(&space, number, stored[number].id);
    }
    assert_eq!(far.embedded(), 400);
    let tiers: Vec<_> = fs::read_dir(home.vectors().join("far-1"))
        .expect("a folder")
        .collect();
    assert!(tiers.len() > 2);
}

/// For a child process of this test: the store, and the number of texts after which it dies.
const CHILD: &str = "ANAMNE_TEST_MODELS_CHILD";

#[test]
fn a_process_that_dies_while_it_embeds_leaves_a_store_that_works() {
    if let Ok(child) = std::env::var(CHILD) {
        let (texts, root) = child.split_once(' ').expect("two parts");
        let far = CostlyModel::new("far", 48);
        far.most
            .store(texts.parse().expect("a number"), Ordering::SeqCst);
        far.dies.store(true, Ordering::SeqCst);
        let options = Options {
            embedders: vec![far],
            ..Options::new(root).background(false)
        };
        let store = Store::open_with(options).expect("a store");
        settle(&store.space("tests").expect("a space"));
        return;
    }
    let (home, far) = (Home::new(), CostlyModel::new("far", 48));
    let space = home.space(from_ref(&far));
    let stored = write_many(&space, 0..500);
    choose(&space, "far");
    let mut kept = 0;
    for texts in [10, 64, 150, 100] {
        let program = std::env::current_exe().expect("a program");
        let child = std::process::Command::new(program)
            .args([
                "--exact",
                "models::a_process_that_dies_while_it_embeds_leaves_a_store_that_works",
            ])
            .env(CHILD, format!("{texts} {}", home.0.path().display()))
            .output()
            .expect("run");
        assert!(!child.status.success(), "it dies before the end");
        let (found, _) = ask(&space, 321);
        assert!(found.contains(&stored[321]));
        assert_eq!(answering(&home.space(from_ref(&far))), "builtin");
        let size = home
            .store(&[], false)
            .embedding_cache()
            .expect("the owner")
            .size()
            .expect("read");
        assert!(size.vectors >= kept, "what was embedded stays");
        kept = size.vectors;
    }
    assert!(kept >= 128, "{kept}");
    settle(&space);
    assert_eq!(answering(&space), "far");
    assert_eq!(far.embedded() + kept, 500, "each text once");
    check_found(&space, 321, stored[321]);
}

#[test]
fn what_a_process_left_that_died_after_the_change_is_removed_by_the_next() {
    let (home, far) = (Home::new(), CostlyModel::new("far", 48));
    let space = home.space(from_ref(&far));
    let stored = write_many(&space, 0..100);
    choose(&space, "far");
    settle(&space);
    drop(space);
    let note = home.vectors().join("answering.toml");
    let text = fs::read_to_string(&note).expect("a note");
    fs::write(&note, format!("{text}former = [\"{BUILTIN}\"]\n")).expect("written");
    for model in [BUILTIN, "given-up-1"] {
        let folder = home.vectors().join(model).join("active");
        fs::create_dir_all(&folder).expect("made");
        fs::write(folder.join("manifest"), "half").expect("written");
    }
    let space = home.space(from_ref(&far));
    check_found(&space, 8, stored[8]);
    settle(&space);
    assert_eq!(home.vector_folders(), ["far-1"]);
    assert!(!fs::read_to_string(&note).expect("a note").contains(BUILTIN));
    check_found(&space, 8, stored[8]);
}

#[test]
fn a_note_removes_nothing_outside_the_folder_of_vectors() {
    let (home, far) = (Home::new(), CostlyModel::new("far", 48));
    let space = home.space(from_ref(&far));
    write_many(&space, 0..100);
    choose(&space, "far");
    settle(&space);
    drop(space);
    let elsewhere = TempDir::new().expect("a folder");
    let precious = elsewhere.path().join("precious");
    fs::create_dir(&precious).expect("made");
    fs::write(precious.join("file"), "precious").expect("written");
    let whole = precious.to_str().expect("UTF-8");
    let note = home.vectors().join("answering.toml");
    let text = fs::read_to_string(&note).expect("a note");
    fs::create_dir(home.vectors().join("given-up-1")).expect("made");
    fs::create_dir(home.vectors().join("../kept")).expect("made");
    let former = ["given-up-1", whole, "../kept", "..", ".", ""];
    fs::write(&note, format!("{text}former = {former:?}\n")).expect("written");
    let space = home.space(from_ref(&far));
    settle(&space);
    assert_eq!(home.vector_folders(), ["far-1"], "it was tidied");
    assert!(precious.join("file").is_file());
    assert!(home.vectors().join("../kept").is_dir());
}

#[test]
fn a_note_that_can_not_be_read_costs_no_answer() {
    let (home, far) = (Home::new(), CostlyModel::new("far", 48));
    let space = home.space(from_ref(&far));
    let stored = write_many(&space, 0..100);
    choose(&space, "far");
    settle(&space);
    for garbage in [
        "",
        "model = 7",
        "format = 99\nmodel = \"far\"\nvectors = \"far-1\"",
    ] {
        fs::write(home.vectors().join("answering.toml"), garbage).expect("written");
        check_found(&space, 8, stored[8]);
        assert_eq!(answering(&space), "builtin");
        settle(&space);
        assert_eq!(answering(&space), "far");
        check_found(&space, 8, stored[8]);
    }
    assert_eq!(far.embedded(), 100);
}

#[test]
fn an_erasure_that_a_process_died_in_is_finished_in_the_cache_too() {
    let (home, far) = (Home::new(), CostlyModel::new("far", 48));
    let space = home.space(from_ref(&far));
    let stored = write_many(&space, 0..30);
    choose(&space, "far");
    settle(&space);
    assert!(cached(home.0.path(), &text(3)));
    // Views that are being folded can't be purged, so the erasure remains incomplete.
    let lock = home.vectors().join("answering.lock");
    let lock = fs::File::options().write(true).open(lock).expect("a lock");
    lock.lock().expect("locked");
    let erased = space.erase(stored[3]).expect("erased");
    let left = erased.unreached();
    assert!(left[0].place.ends_with("answering.lock"), "{left:?}");
    assert!(space.get(stored[3]).is_err());
    drop(space);
    drop(lock);
    let space = home.space(from_ref(&far));
    settle(&space);
    assert!(!cached(home.0.path(), &text(3)));
    check_found(&space, 4, stored[4]);
}

#[test]
fn a_member_of_another_space_is_not_embedded_again() {
    let home = Home::new();
    let model = CostlyModel::new("far", 64);
    let store = home.store(from_ref(&model), false);
    let [atlas, team] = ["atlas", "team"].map(|name| store.space(name).expect("a space"));
    for space in [&atlas, &team] {
        choose(space, "far");
        settle(space);
    }
    let text = "The Brackwater ferry leaves pier nine at seven";
    let id = atlas.remember(text).expect("told").id;
    let found = |space: &Space| {
        let recall = Recall::new("Brackwater ferry");
        let results = space.recall(&recall).expect("an answer").results;
        results.iter().any(|hit| hit.memory.id == id)
    };
    assert!(found(&atlas));
    let embedded = model.embedded();
    assert!(embedded > 0);
    store
        .add_members("atlas", &[id], "team", &anamne::MemberTerms::new())
        .expect("added");
    assert!(found(&team));
    team.fold().expect("folded");
    assert!(found(&team));
    assert_eq!(model.embedded(), embedded);
}
