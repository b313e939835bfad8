//! Model2Vec folders load, equal the reference, and are rejected with a clear error if damaged.

use std::collections::HashMap;
use std::fs;
use std::path::{Path, PathBuf};

use anamne_embed::{EmbedError, Embedder, StaticModel};
use safetensors::tensor::{Dtype, TensorView};
use serde_json::{Value, json};
use tempfile::TempDir;

const PIECES: [&str; 8] = ["[PAD]", "[UNK]", "the", "cat", "sat", "##s", ".", "[SEP]"];

fn tokenizer() -> Value {
    let vocabulary: HashMap<_, _> = PIECES.iter().zip(0..).collect();
    let added = [0, 1, 7].map(|id| json!({ "id": id, "content": PIECES[id], "special": true }));
    json!({
        "version": "1.0",
        "truncation": null,
        "padding": null,
        "added_tokens": added.map(|mut token| {
            for flag in ["single_word", "lstrip", "rstrip", "normalized"] {
                token[flag] = json!(false);
            }
            token
        }),
        "normalizer": {
            "type": "BertNormalizer", "clean_text": true, "handle_chinese_chars": true,
            "strip_accents": null, "lowercase": true
        },
        "pre_tokenizer": { "type": "BertPreTokenizer" },
        "post_processor": null,
        "decoder": null,
        "model": {
            "type": "WordPiece", "unk_token": "[UNK]", "continuing_subword_prefix": "##",
            "max_input_chars_per_word": 100, "vocab": vocabulary
        }
    })
}

type Tensor = (&'static str, Dtype, Vec<usize>, Vec<u8>);

fn embeddings(dtype: Dtype, numbers: &[f32], encode: impl Fn(f32) -> Vec<u8>) -> Tensor {
    let bytes = numbers.iter().flat_map(|&number| encode(number)).collect();
    ("embeddings", dtype, vec![numbers.len() / 2, 2], bytes)
}

fn f32_embeddings() -> Tensor {
    embeddings(Dtype::F32, &ROWS, |number| number.to_le_bytes().to_vec())
}

/// Two dimensions per row; values that every type represents exactly.
const ROWS: [f32; 16] = [
    0.0, 0.0, 0.0, 0.0, 1.0, 0.0, 3.0, 4.0, -2.0, 1.0, 0.0, -1.0, 1.0, 1.0, 0.0, 0.0,
];

struct Folder(TempDir);

impl Folder {
    fn new(tensors: &[Tensor], tokenizer: &Value) -> Self {
        let folder = Self(tempfile::tempdir().unwrap());
        let views = tensors.iter().map(|(name, dtype, shape, bytes)| {
            (
                *name,
                TensorView::new(*dtype, shape.clone(), bytes).unwrap(),
            )
        });
        let model = safetensors::serialize(views, None).unwrap();
        folder.write("model.safetensors", &model);
        folder.write("tokenizer.json", tokenizer.to_string().as_bytes());
        folder.write(
            "config.json",
            br#"{"model_type": "model2vec", "normalize": true}"#,
        );
        folder
    }

    fn path(&self, name: &str) -> PathBuf {
        self.0.path().join(name)
    }

    fn write(&self, name: &str, bytes: &[u8]) {
        fs::write(self.path(name), bytes).unwrap();
    }

    fn load(&self) -> Result<StaticModel, EmbedError> {
        StaticModel::load(self.0.path())
    }

    fn vector(&self, text: &str) -> Vec<f32> {
        self.load().unwrap().embed_batch(&[text]).unwrap()
    }

    /// Loads, and if that succeeds embeds, so that a panic anywhere fails the test.
    fn try_everything(&self) -> Result<(), EmbedError> {
        let model = self.load()?;
        model.embed_batch(&["The cats sat. [SEP] xyzzy é 中", ""])?;
        if let Some(table) = model.token_table() {
            let all: Vec<u16> = (0..table.rows() as u16 + 2).collect();
            table.similarities(2, &all, &mut vec![0.0; all.len()]);
        }
        Ok(())
    }
}

fn check(vector: &[f32], direction: [f32; 2]) {
    let length = direction[0].hypot(direction[1]);
    for (found, expected) in vector.iter().zip(direction) {
        assert!(
            (found - expected / length).abs() < 1e-6,
            "{vector:?} {direction:?}"
        );
    }
}

#[test]
fn rows_of_every_type_give_the_mean_of_the_tokens() {
    let half = |number: f32| {
        let bits: u16 = match number {
            0.0 => 0,
            1.0 => 0x3C00,
            -1.0 => 0xBC00,
            3.0 => 0x4200,
            4.0 => 0x4400,
            -2.0 => 0xC000,
            other => panic!("{other} is not in the table"),
        };
        bits.to_le_bytes().to_vec()
    };
    let tensors = [
        f32_embeddings(),
        embeddings(Dtype::F16, &ROWS, half),
        embeddings(Dtype::BF16, &ROWS, |number| {
            number.to_le_bytes()[2..].to_vec()
        }),
        embeddings(Dtype::I8, &ROWS, |number| vec![number as i8 as u8]),
    ];
    for tensor in tensors {
        let folder = Folder::new(&[tensor], &tokenizer());
        check(&folder.vector("The cat"), [4.0, 4.0]);
        check(&folder.vector("CATS sat[SEP]unknown"), [1.0, 4.0]);
        assert_eq!(folder.vector("unknown"), [0.0, 0.0]);
    }
}

#[test]
fn weights_and_mapping_are_honoured() {
    let rows = embeddings(Dtype::F32, &[0.0, 0.0, 1.0, 0.0, 0.0, 1.0], |number| {
        number.to_le_bytes().to_vec()
    });
    let mapping = [0_i64, 0, 1, 2, 2, 1, 0, 0];
    let weights = [1.0_f32, 1.0, 0.5, 2.0, 1.0, 1.0, 1.0, 1.0];
    let mapping = mapping.iter().flat_map(|row| row.to_le_bytes()).collect();
    let weights = weights
        .iter()
        .flat_map(|weight| weight.to_le_bytes())
        .collect();
    let folder = Folder::new(
        &[
            rows,
            ("mapping", Dtype::I64, vec![8], mapping),
            ("weights", Dtype::F32, vec![8], weights),
        ],
        &tokenizer(),
    );
    check(&folder.vector("the cat"), [0.5, 2.0]);
    let model = folder.load().unwrap();
    let table = model
        .token_table()
        .expect("a wordpiece model has a token table");
    assert_eq!(table.rows(), 8);
    assert!(
        (table.similarity(3, 4) - 1.0).abs() < 1e-6,
        "two tokens on one row"
    );
    assert!(table.similarity(2, 3).abs() < 1e-6);
}

#[test]
fn the_model_folder_is_the_model_in_the_binary() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../models/anamne-static-v1");
    let (loaded, builtin) = (StaticModel::load(&folder).unwrap(), StaticModel::builtin());
    let texts = [
        "The deploy key rotates every March.",
        "Zoë's naïve café — [SEP] №5",
    ];
    assert_eq!(
        loaded.embed_batch(&texts).unwrap(),
        builtin.embed_batch(&texts).unwrap()
    );
    let (ours, theirs) = (loaded.token_table().unwrap(), StaticModel::builtin_tokens());
    assert_eq!(ours.rows(), theirs.rows());
    for token in 0..ours.rows() as u16 {
        assert_eq!(ours.token_text(token), theirs.token_text(token));
    }
}

#[test]
fn another_content_is_another_identity() {
    let folder = Folder::new(&[f32_embeddings()], &tokenizer());
    let first = folder.load().unwrap().model().clone();
    assert_eq!(folder.load().unwrap().model(), &first);
    let mut rows = ROWS;
    rows[4] = 7.0;
    let changed = embeddings(Dtype::F32, &rows, |number| number.to_le_bytes().to_vec());
    let other = Folder::new(&[changed], &tokenizer());
    assert_ne!(other.load().unwrap().model().revision, first.revision);
}

#[test]
fn a_missing_file_is_named() {
    for name in ["model.safetensors", "tokenizer.json", "config.json"] {
        let folder = Folder::new(&[f32_embeddings()], &tokenizer());
        fs::remove_file(folder.path(name)).unwrap();
        let error = folder.load().unwrap_err();
        assert!(
            matches!(&error, EmbedError::Read { path, .. } if path.ends_with(name)),
            "{error}"
        );
    }
}

fn refusal(tensors: &[Tensor], tokenizer: &Value) -> String {
    Folder::new(tensors, tokenizer)
        .load()
        .unwrap_err()
        .to_string()
}

#[test]
fn wrong_tensors_are_refused_with_the_reason() {
    let floats = |count: usize| vec![0; count * 4];
    let cases: [(Tensor, &str); 6] = [
        (
            ("vectors", Dtype::F32, vec![8, 2], floats(16)),
            "no tensor `embeddings`",
        ),
        (
            ("embeddings", Dtype::F32, vec![16], floats(16)),
            "not a matrix",
        ),
        (
            ("embeddings", Dtype::F32, vec![8, 0], floats(0)),
            "is empty",
        ),
        (
            ("embeddings", Dtype::F32, vec![7, 2], floats(14)),
            "rows for 7 tokens",
        ),
        (
            ("embeddings", Dtype::U8, vec![8, 2], vec![0; 16]),
            "unexpected type",
        ),
        (
            ("embeddings", Dtype::F32, vec![8, 2], vec![255; 64]),
            "not a number",
        ),
    ];
    for (tensor, reason) in cases {
        let message = refusal(&[tensor], &tokenizer());
        assert!(message.contains(reason), "{message}");
        assert!(message.contains("model.safetensors"), "{message}");
    }
    let mapping = (
        "mapping",
        Dtype::I32,
        vec![8],
        [8_i32; 8]
            .iter()
            .flat_map(|row| row.to_le_bytes())
            .collect(),
    );
    let message = refusal(&[f32_embeddings(), mapping], &tokenizer());
    assert!(message.contains("past the last row"), "{message}");
    let weights = ("weights", Dtype::F32, vec![3], floats(3));
    let message = refusal(&[f32_embeddings(), weights], &tokenizer());
    assert!(message.contains("weights for 3"), "{message}");
}

#[test]
fn values_whose_sum_overflows_are_refused() {
    let numbers = |name, shape: Vec<usize>, value: f32| -> Tensor {
        let count = shape.iter().product();
        (name, Dtype::F32, shape, value.to_le_bytes().repeat(count))
    };
    let large = |value| numbers("embeddings", vec![8, 2], value);
    let weights = |value| numbers("weights", vec![8], value);
    for tensors in [
        vec![large(f32::MAX)],
        vec![large(-3e38)],
        vec![large(1e32)],
        vec![large(1e20), weights(1e20)],
        vec![large(-1e20), weights(1e12)],
        vec![
            ("embeddings", Dtype::I8, vec![8, 2], vec![127; 16]),
            weights(1e38),
        ],
    ] {
        let message = refusal(&tensors, &tokenizer());
        assert!(message.contains("overflows"), "{message}");
        assert!(message.contains("model.safetensors"), "{message}");
    }
    for tensors in [
        vec![large(1e31)],
        vec![large(1e38), weights(1e-38)],
        vec![large(-1e-38)],
    ] {
        let folder = Folder::new(&tensors, &tokenizer());
        let vector = folder.vector(&"the cat ".repeat(50_000));
        assert!(vector.iter().all(|value| value.is_finite()), "{vector:?}");
    }
}

#[test]
fn wrong_tokenizers_are_refused_with_the_reason() {
    let refuse = |change: &dyn Fn(&mut Value), reason: &str| {
        let mut tokenizer = tokenizer();
        change(&mut tokenizer);
        let message = refusal(&[f32_embeddings()], &tokenizer);
        assert!(
            message.contains(reason) && message.contains("tokenizer.json"),
            "{message}"
        );
    };
    refuse(
        &|json| json["model"]["unk_token"] = json!("<unk>"),
        "unknown token",
    );
    refuse(
        &|json| json["model"]["vocab"]["cat"] = json!(70_000),
        "without gaps",
    );
    refuse(
        &|json| json["model"]["vocab"]["cat"] = json!(2),
        "without gaps",
    );
    refuse(
        &|json| json["model"]["vocab"]["cat"] = json!("x"),
        "invalid type",
    );
    refuse(&|json| *json = json!([]), "tokenizer.json");
}

#[cfg(not(feature = "model2vec"))]
#[test]
fn other_tokenizers_ask_for_the_feature() {
    let changes: [&dyn Fn(&mut Value); 3] = [
        &|json| json["model"] = json!({ "type": "BPE", "vocab": {}, "merges": [] }),
        &|json| json["normalizer"]["lowercase"] = json!(false),
        &|json| json["pre_tokenizer"] = json!({ "type": "Whitespace" }),
    ];
    for change in changes {
        let mut tokenizer = tokenizer();
        change(&mut tokenizer);
        let error = Folder::new(&[f32_embeddings()], &tokenizer)
            .load()
            .unwrap_err();
        assert!(matches!(error, EmbedError::Unsupported { .. }), "{error}");
        assert!(error.to_string().contains("feature `model2vec`"), "{error}");
    }
}

#[cfg(feature = "model2vec")]
#[test]
fn other_tokenizers_give_the_mean_of_their_tokens() {
    let mut tokenizer = tokenizer();
    tokenizer["normalizer"] = json!(null);
    tokenizer["pre_tokenizer"] = json!({ "type": "WhitespaceSplit" });
    tokenizer["model"]["type"] = json!("WordLevel");
    let folder = Folder::new(&[f32_embeddings()], &tokenizer);
    check(&folder.vector("the cat"), [4.0, 4.0]);
    assert_eq!(folder.vector("THE unknown"), [0.0, 0.0]);
    assert!(folder.load().unwrap().token_table().is_none());
}

#[cfg(feature = "model2vec")]
#[test]
fn damaged_tokenizers_of_any_kind_never_panic() {
    let bpe = json!({
        "type": "BPE", "unk_token": "[UNK]", "fuse_unk": false, "byte_fallback": false,
        "vocab": { "[PAD]": 0, "[UNK]": 1, "t": 2, "h": 3, "e": 4, "th": 5, "the": 6, "[SEP]": 7 },
        "merges": [["t", "h"], ["th", "e"]]
    });
    let names = ["[PAD]", "[UNK]", "t", "h", "e", "th", "the", "[SEP]"];
    let scored: Vec<_> = names
        .iter()
        .zip(0..)
        .map(|(name, rank)| (name, -rank))
        .collect();
    let unigram =
        json!({ "type": "Unigram", "unk_id": 1, "byte_fallback": false, "vocab": scored });
    for model in [bpe, unigram] {
        let mut tokenizer = tokenizer();
        tokenizer["normalizer"] = json!({ "type": "Lowercase" });
        tokenizer["pre_tokenizer"] = json!({ "type": "Whitespace" });
        tokenizer["model"] = model;
        let folder = Folder::new(&[f32_embeddings()], &tokenizer);
        check(&folder.vector("The x"), [1.0, 1.0]);
        let whole = fs::read(folder.path("tokenizer.json")).unwrap();
        for place in 0..whole.len() {
            let mut bytes = whole.clone();
            bytes[place] ^= 1 << (place * 5 % 8);
            folder.write("tokenizer.json", &bytes);
            let _ = folder.try_everything();
            folder.write("tokenizer.json", &whole[..place]);
            assert!(folder.load().is_err(), "cut to {place}");
        }
    }
}

#[test]
fn a_truncated_file_is_refused() {
    for name in ["model.safetensors", "tokenizer.json", "config.json"] {
        let folder = Folder::new(&[f32_embeddings()], &tokenizer());
        let whole = fs::read(folder.path(name)).unwrap();
        for length in 0..whole.len() {
            folder.write(name, &whole[..length]);
            let error = folder.load().expect_err("a truncated file is not a model");
            assert!(
                matches!(&error, EmbedError::Malformed { path, .. } if path.ends_with(name)),
                "{name} cut to {length}: {error}"
            );
        }
    }
}

#[test]
fn a_damaged_byte_never_panics() {
    for name in ["model.safetensors", "tokenizer.json", "config.json"] {
        let folder = Folder::new(&[f32_embeddings()], &tokenizer());
        let whole = fs::read(folder.path(name)).unwrap();
        let mut refused = 0;
        for place in 0..whole.len() {
            // A different bit at each position: all eight bits, in every part of the file.
            let mut bytes = whole.clone();
            bytes[place] ^= 1 << (place * 5 % 8);
            folder.write(name, &bytes);
            refused += usize::from(folder.try_everything().is_err());
        }
        assert!(refused > 0, "{name}");
    }
}
