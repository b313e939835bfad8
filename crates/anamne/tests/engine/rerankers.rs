//! Rerankers in the store: imported, chosen by a space, used by recall, and missed when they are gone.

#[path = "../../../anamne-embed/tests/support/sample_cross_encoder.rs"]
mod sample;

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use anamne::embed::{EmbedError, ModelIdentity, Reranker};
use anamne::{
    Answer, Context, ContextRequest, Error, ErrorKind, ModelImport, ModelKind, ModelPurpose,
    ModelState, NextStep, Options, PromptRequest, Recall, Signals, Space, Store,
};

use sample::Sample;

use crate::common::Home;

const QUERY: &str = "when does the ferry leave the harbour?";

/// A store with some memories, and a cross-encoder beside it that likes the word "storms".
fn home() -> Home {
    let home = Home::new();
    let space = home.space();
    for content in [
        "The ferry leaves the harbour at seven",
        "The harbour master keeps a log of every ferry",
        "Storms keep the ferry in the harbour",
        "Lunch is at noon",
    ] {
        space.remember(content).expect("remembered");
    }
    Sample::liking("storms").write(&folder(&home));
    home
}

fn folder(home: &Home) -> PathBuf {
    home.root().join("beside/judge")
}

fn store(home: &Home) -> Store {
    Store::open_with(Options::new(home.root()).background(false)).expect("a store")
}

fn import(home: &Home) {
    let imported = store(home).import_model(&folder(home), &ModelImport::default());
    let imported = imported.expect("imported");
    assert_eq!(imported.name, "judge");
    assert_eq!(
        (imported.purpose, imported.dimensions),
        (ModelPurpose::Reranking, None)
    );
}

fn choose(space: &Space, name: Option<&str>) -> Result<(), Error> {
    let chosen = space.configure(|config| config.recall.reranker = name.map(str::to_owned));
    chosen.map(drop)
}

fn ask(space: &Space) -> Answer {
    space.recall(&Recall::new(QUERY)).expect("an answer")
}

fn context(space: &Space) -> Context {
    let request = ContextRequest {
        recall: Recall::new(QUERY),
        token_budget: 200,
        preset: None,
    };
    space.context(&request).expect("a context")
}

fn contents(answer: &Answer) -> Vec<&str> {
    let hits = answer.results.iter();
    hits.map(|hit| hit.memory.content.as_str()).collect()
}

/// The reranker's score of a result, if it has one.
fn score(answer: &Answer, place: usize) -> Option<f32> {
    let mut features = answer.results[place].explanation.features.iter();
    features.find_map(|(name, value, _)| (name == "reranker").then_some(*value))
}

/// The answer is the one without a reranker, and says that it lacks one.
#[track_caller]
fn check_lacking(home: &Home, usual: &Answer) {
    let space = home.space();
    let answer = ask(&space);
    assert_eq!(answer.degraded, ["reranker"]);
    assert_eq!(contents(&answer), contents(usual));
    assert_eq!(score(&answer, 0), None);
    assert_eq!(context(&space).degraded, ["reranker"]);
    let doctor = space.check_up().expect("a report");
    let problems = doctor.problems.join("\n");
    assert!(problems.contains("reranker: "), "{problems}");
}

/// The files of the store's models, with the one that `part` is in the source.
fn stored(home: &Home, file: &str) -> PathBuf {
    let content = fs::read(folder(home).join(file)).expect("a file");
    let digest = blake3::hash(&content).to_hex();
    home.root().join("models/files").join(digest.as_str())
}

fn flip_a_bit(path: &Path) {
    let mut bytes = fs::read(path).expect("a file");
    *bytes.last_mut().expect("a byte") ^= 1;
    fs::write(path, bytes).expect("written");
}

#[test]
fn a_chosen_reranker_orders_recall_and_context_and_explains_its_part() {
    let home = home();
    let usual = ask(&home.space());
    assert!(contents(&usual)[0].contains("leaves"), "{usual:#?}");
    import(&home);
    fs::remove_dir_all(folder(&home)).expect("the source is not needed");
    let space = home.space();
    choose(&space, Some("judge")).expect("chosen");
    let answer = ask(&home.space());
    assert!(contents(&answer)[0].contains("Storms"), "{answer:#?}");
    assert_eq!(answer.degraded, Vec::<String>::new());
    // [CLS], eight words and a mark of the query, [SEP], seven words, [SEP].
    let expected = Sample::score(1.0, 1 + 8 + 1 + 7 + 1);
    let found = score(&answer, 0).expect("a score");
    assert!((found - expected).abs() < 1e-5, "{found} is not {expected}");
    let context = context(&space);
    assert_eq!(context.degraded, Vec::<String>::new());
    let alone = Recall::new(QUERY).signals(Signals::Lexical);
    let alone = space.recall(&alone).expect("an answer");
    assert_eq!(score(&alone, 0), None, "a single signal and nothing else");
    choose(&space, None).expect("chosen");
    assert_eq!(contents(&ask(&space)), contents(&usual));
    assert_eq!(score(&ask(&space), 0), None);
}

#[test]
fn the_list_says_what_a_model_is_for_and_who_uses_it() {
    let home = home();
    import(&home);
    choose(&home.space(), Some("judge")).expect("chosen");
    let store = store(&home);
    let models = store.models().expect("models");
    let [builtin, judge] = &models[..] else {
        panic!("{models:#?}");
    };
    assert_eq!(builtin.purpose, ModelPurpose::Embedding);
    assert_eq!(judge.purpose, ModelPurpose::Reranking);
    assert_eq!(
        (judge.kind, judge.state),
        (ModelKind::Imported, ModelState::Ready)
    );
    assert_eq!(
        (judge.dimensions, &judge.spaces[..]),
        (None, &["tests".to_owned()][..])
    );
    let verified = store.verify_models(Some("judge")).expect("verified");
    assert!(verified[0].is_sound() && verified[0].bytes == judge.bytes);
    let refused = store.remove_model("judge").expect_err("used");
    assert!(matches!(refused, Error::ModelInUse { .. }), "{refused}");
    choose(&home.space(), None).expect("chosen");
    let removed = store.remove_model("judge").expect("removed");
    assert_eq!(
        (removed.files_removed, removed.bytes_removed),
        (3, judge.bytes)
    );
    assert_eq!(store.models().expect("models").len(), 1);
}

#[test]
fn a_model_is_used_only_for_its_purpose() {
    let home = home();
    import(&home);
    let space = home.space();
    let refused = choose(&space, Some("juge")).expect_err("unknown");
    assert!(
        refused.to_string().contains("available: judge"),
        "{refused}"
    );
    assert_eq!(refused.next_step(), Some(NextStep::ImportModel));
    let refused = space
        .configure(|config| "judge".clone_into(&mut config.embedding.model))
        .expect_err("a reranker");
    assert!(
        refused.to_string().contains("not an embedding model"),
        "{refused}"
    );
    assert_eq!(refused.kind(), ErrorKind::Refused);
    let refused = choose(&space, Some("builtin")).expect_err("an embedding model");
    assert_eq!(refused.kind(), ErrorKind::Refused);
    for name in ["", "a\nb", &"x".repeat(2_000)] {
        let refused = choose(&space, Some(name)).expect_err("no name");
        assert!(refused.to_string().contains("recall.reranker"), "{refused}");
    }
    assert_eq!(space.config().recall.reranker, None);
    let named_none = ModelImport {
        name: Some("none".to_owned()),
        ..ModelImport::default()
    };
    let refused = store(&home).import_model(&folder(&home), &named_none);
    assert_eq!(refused.expect_err("taken").kind(), ErrorKind::Refused);
}

#[test]
fn the_graph_may_lie_where_it_is_published() {
    let home = home();
    for (place, model) in ["onnx/model.onnx", "onnx/model_quantized.onnx"]
        .iter()
        .enumerate()
    {
        let folder = home.root().join(format!("beside/published{place}"));
        Sample::liking("storms").write_as(&folder, model);
        // The weights of other runtimes are often beside it.
        fs::write(folder.join("model.safetensors"), "other weights").expect("written");
        let imported = store(&home).import_model(&folder, &ModelImport::default());
        assert_eq!(imported.expect("imported").purpose, ModelPurpose::Reranking);
    }
    let folder = home.root().join("beside/several");
    Sample::liking("storms").write_as(&folder, "onnx/one.onnx");
    Sample::liking("storms").write_as(&folder, "onnx/two.onnx");
    let refused = store(&home).import_model(&folder, &ModelImport::default());
    let refused = refused.expect_err("which?").to_string();
    assert!(refused.contains("several ONNX files"), "{refused}");
    fs::remove_dir_all(folder.join("onnx")).expect("removed");
    let refused = store(&home).import_model(&folder, &ModelImport::default());
    assert!(
        refused
            .expect_err("none")
            .to_string()
            .contains("model.onnx")
    );
}

#[test]
fn a_folder_without_a_manifest_works_and_can_be_removed() {
    let home = home();
    let plain = home.root().join("models/judge");
    Sample::liking("storms").write(&plain);
    choose(&home.space(), Some("judge")).expect("chosen");
    assert!(contents(&ask(&home.space()))[0].contains("Storms"));
    let store = store(&home);
    let judge = store.models().expect("models").pop().expect("a model");
    assert_eq!(
        (judge.purpose, judge.kind),
        (ModelPurpose::Reranking, ModelKind::Folder)
    );
    assert_eq!(judge.state, ModelState::NotVerified);
    assert!(store.verify_models(None).expect("verified")[0].is_sound());
    fs::write(plain.join("model.onnx"), "damaged").expect("written");
    assert!(!store.verify_models(None).expect("verified")[0].is_sound());
    choose(&home.space(), None).expect("chosen");
    store.remove_model("judge").expect("removed");
    assert!(!plain.exists());
}

#[test]
fn without_its_model_a_space_answers_as_if_it_had_none_and_says_so() {
    let home = home();
    let usual = ask(&home.space());
    import(&home);
    choose(&home.space(), Some("judge")).expect("chosen");
    // A changed digest.
    let weights = stored(&home, "model.onnx");
    flip_a_bit(&weights);
    check_lacking(&home, &usual);
    flip_a_bit(&weights);
    assert!(contents(&ask(&home.space()))[0].contains("Storms"));
    // A missing file.
    fs::remove_file(stored(&home, "config.json")).expect("removed");
    check_lacking(&home, &usual);
    // A missing model.
    fs::remove_dir_all(home.root().join("models")).expect("removed");
    check_lacking(&home, &usual);
    // It is used again as soon as it is there, by the same process too.
    let space = home.space();
    assert_eq!(ask(&space).degraded, ["reranker"]);
    import(&home);
    let answer = ask(&space);
    assert!(answer.degraded.is_empty() && contents(&answer)[0].contains("Storms"));
}

#[test]
fn a_replaced_reranker_is_read_again_but_never_replaced_by_another_kind() {
    let home = home();
    import(&home);
    let space = home.space();
    choose(&space, Some("judge")).expect("chosen");
    assert!(contents(&ask(&space))[0].contains("Storms"));
    Sample::liking("log").write(&folder(&home));
    let taken = store(&home).import_model(&folder(&home), &ModelImport::default());
    assert!(matches!(
        taken.expect_err("taken"),
        Error::ModelExists { .. }
    ));
    let replace = ModelImport {
        name: Some("judge".to_owned()),
        replace: true,
    };
    assert!(
        store(&home)
            .import_model(&folder(&home), &replace)
            .expect("replaced")
            .replaced
    );
    assert!(contents(&ask(&space))[0].contains("log"));
    let embedding = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../models/anamne-static-v1");
    let refused = store(&home).import_model(&embedding, &replace);
    assert!(matches!(
        refused.expect_err("another kind"),
        Error::ModelExists { .. }
    ));
    assert!(contents(&ask(&space))[0].contains("log"));
}

#[test]
fn broken_folders_are_refused_by_the_import_and_leave_nothing() {
    let home = home();
    let refused = |file: &str, content: &[u8]| {
        Sample::liking("storms").write(&folder(&home));
        fs::write(folder(&home).join(file), content).expect("written");
        let refused = store(&home).import_model(&folder(&home), &ModelImport::default());
        let refused = refused.expect_err("refused");
        assert_eq!(refused.kind(), ErrorKind::Refused, "{refused}");
        assert!(refused.to_string().contains(file), "{refused}");
    };
    refused("model.onnx", b"");
    refused("model.onnx", b"not a model");
    refused("tokenizer.json", b"{}");
    refused(
        "config.json",
        br#"{"architectures":["BertForSequenceClassification"]}"#,
    );
    let mut graph = Sample::liking("storms").graph();
    graph.inputs.push("pixels");
    refused("model.onnx", &graph.bytes());
    let mut graph = Sample::liking("storms").graph();
    graph.constants[0] = sample::floats("weights", &[1 << 50, 1], &[0.0]);
    refused("model.onnx", &graph.bytes());
    assert_eq!(
        fs::read_dir(home.root().join("models")).map_or(0, Iterator::count),
        0
    );
}

/// Likes the word "log".
struct Brought(ModelIdentity);

impl Reranker for Brought {
    fn model(&self) -> &ModelIdentity {
        &self.0
    }

    fn scores(&self, _: &str, texts: &[&str]) -> Result<Vec<f32>, EmbedError> {
        let score = |text: &&str| f32::from(u8::from(text.contains("log")));
        Ok(texts.iter().map(score).collect())
    }
}

#[test]
fn a_reranker_of_the_program_comes_before_the_chosen_one() {
    let home = home();
    import(&home);
    choose(&home.space(), Some("judge")).expect("chosen");
    let options = Options {
        reranker: Some(Arc::new(Brought(ModelIdentity::new("brought", "1")))),
        ..Options::new(home.root()).background(false)
    };
    let space = Store::open_with(options).expect("a store");
    let space = space.space("tests").expect("a space");
    assert!(contents(&ask(&space))[0].contains("log"));
}

#[test]
fn a_prompt_does_not_wait_for_the_chosen_reranker() {
    let home = home();
    import(&home);
    let space = home.space();
    choose(&space, Some("judge")).expect("chosen");
    fs::remove_dir_all(home.root().join("models")).expect("removed");
    let space_again = home.space();
    assert_eq!(ask(&space_again).degraded, ["reranker"]);
    let request = PromptRequest {
        threshold: 0.0,
        ..PromptRequest::new(QUERY)
    };
    let found = space_again.for_prompt(&request).expect("judged");
    let context = found.context.expect("a block");
    assert_eq!(context.degraded, Vec::<String>::new());
}
