//! Model folders, graphs of cross-encoders, and the settings of spaces and models.

use std::fs;
use std::path::Path;

use anamne::llm::BridgeConfig;
use anamne_embed::{CROSS_ENCODER_FILES, CrossEncoder, Embedder, ModelFile, Reranker, StaticModel};
use anamne_store::SpaceConfig;

/// The files of a model folder, in input order.
const FILES: [&str; 3] = ["config.json", "tokenizer.json", "model.safetensors"];

/// The separator between two files in the input.
const SEPARATOR: &[u8] = b"\n=====\n";

/// A Model2Vec folder: its three files, concatenated.
pub(crate) fn folder(bytes: &[u8]) -> bool {
    let folder = tempfile::tempdir().expect("a folder");
    let mut rest = bytes;
    for name in FILES {
        let end = rest
            .windows(SEPARATOR.len())
            .position(|window| window == SEPARATOR);
        let (file, after) = match end {
            Some(end) => (&rest[..end], &rest[end + SEPARATOR.len()..]),
            None => (rest, &[][..]),
        };
        fs::write(folder.path().join(name), file).expect("written");
        rest = after;
    }
    let Ok(model) = StaticModel::load(folder.path()) else {
        return false;
    };
    let mut vector = vec![0.0; model.dimensions()];
    model
        .embed_into("the cat sat, ünïcödé 日本", &mut vector)
        .is_ok()
}

/// The graph of a cross-encoder with five tokens.
pub(crate) fn cross_encoder(bytes: &[u8]) -> bool {
    const TOKENIZER: &str = r#"{
        "added_tokens": [],
        "normalizer": {
            "type": "BertNormalizer", "clean_text": true, "handle_chinese_chars": true,
            "strip_accents": null, "lowercase": true
        },
        "pre_tokenizer": { "type": "BertPreTokenizer" },
        "model": {
            "type": "WordPiece", "unk_token": "[UNK]",
            "vocab": { "[PAD]": 0, "[UNK]": 1, "[CLS]": 2, "[SEP]": 3, "storms": 4 }
        }
    }"#;
    let contents = [
        bytes,
        TOKENIZER.as_bytes(),
        br#"{ "max_position_embeddings": 24 }"#,
    ];
    let file =
        |place: usize| ModelFile::new(CROSS_ENCODER_FILES[place].0, contents[place].to_vec());
    let Ok(model) = CrossEncoder::from_files("fuzzed", &[file(0), file(1), file(2)]) else {
        return false;
    };
    model.scores("which?", &["storms", "", "日本"]).is_ok()
}

/// The same text as `config.toml` of a space and as `model.toml`.
pub(crate) fn settings(bytes: &[u8]) -> bool {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("settings.toml");
    write_private(&path, bytes);
    let (space, model) = (SpaceConfig::read(&path), BridgeConfig::load(&path));
    space.is_ok() || model.is_ok()
}

/// Writes a file that only its owner can change, as required for `model.toml`.
fn write_private(path: &Path, bytes: &[u8]) {
    fs::write(path, bytes).expect("written");
    #[cfg(unix)]
    {
        let mode = std::os::unix::fs::PermissionsExt::from_mode(0o600);
        fs::set_permissions(path, mode).expect("its mode is set");
    }
}
