//! Model2Vec folders: `model.safetensors`, `tokenizer.json`, `config.json`.

mod tensors;

use std::path::Path;

use serde::Deserialize;

#[cfg(feature = "model2vec")]
use crate::general_tokenizer::GeneralTokenizer;
use crate::model_file::ModelFile;
use crate::tokenizer_file::{TokenizerKind, read_wordpiece};
use crate::{EmbedError, ModelIdentity, StaticModel};
use tensors::StoredRows;

/// The files of a model, with their maximum sizes in bytes: files are read as a whole, and the largest models of this kind
/// have half a gigabyte.
pub const MODEL_FILES: [(&str, u64); 3] = [
    ("model.safetensors", 2 << 30),
    ("tokenizer.json", 256 << 20),
    ("config.json", 1 << 20),
];

/// The fields of `config.json` that affect vectors. Whether they are normalised is irrelevant: they always are.
#[derive(Deserialize)]
struct Configuration {
    #[serde(default, rename = "normalize")]
    _normalize: Option<bool>,
}

/// Loads the folder; see [`StaticModel::load`].
pub(crate) fn load(folder: &Path) -> Result<StaticModel, EmbedError> {
    let read = |index: usize| {
        let (name, most) = MODEL_FILES[index];
        ModelFile::read(folder, name, most)
    };
    let name = folder
        .file_name()
        .map_or("model2vec".into(), |name| name.to_string_lossy());
    from_files(&name, &[read(0)?, read(1)?, read(2)?])
}

/// Builds a model; see [`StaticModel::from_files`].
pub(crate) fn from_files(name: &str, files: &[ModelFile; 3]) -> Result<StaticModel, EmbedError> {
    let [model, tokenizer, configuration] = files;
    let _: Configuration = serde_json::from_slice(configuration.bytes())
        .map_err(|error| configuration.malformed(error.to_string()))?;
    let identity = ModelIdentity::of_files(name, &[model, tokenizer]);
    let rows = StoredRows::read(model)?;
    match read_wordpiece(tokenizer)? {
        TokenizerKind::Wordpiece(wordpiece) => {
            let rows = rows.for_tokens(wordpiece.vocabulary().len(), model)?;
            Ok(StaticModel::with_wordpiece(identity, wordpiece, rows))
        }
        TokenizerKind::Other(reason) => load_general(identity, reason, tokenizer, rows, model),
    }
}

#[cfg(feature = "model2vec")]
fn load_general(
    identity: ModelIdentity,
    _reason: String,
    tokenizer: &ModelFile,
    rows: StoredRows,
    model: &ModelFile,
) -> Result<StaticModel, EmbedError> {
    let general = GeneralTokenizer::read(tokenizer)?;
    let rows = rows.for_tokens(general.token_count(), model)?;
    Ok(StaticModel::with_general_tokenizer(identity, general, rows))
}

#[cfg(not(feature = "model2vec"))]
fn load_general(
    _identity: ModelIdentity,
    reason: String,
    tokenizer: &ModelFile,
    _rows: StoredRows,
    _model: &ModelFile,
) -> Result<StaticModel, EmbedError> {
    const REMEDY: &str = "build with the cargo feature `model2vec`, or use a model with the \
                          uncased BERT wordpiece tokenizer";
    Err(tokenizer.unsupported(reason, REMEDY))
}
