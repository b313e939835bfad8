//! Model2Vec folders: `model.safetensors`, `tokenizer.json`, `config.json`.

#[cfg(feature = "model2vec")]
mod general_tokenizer;
mod tensors;
mod tokenizer_file;

use std::fs;
use std::path::{Path, PathBuf};

use serde::Deserialize;

use crate::{EmbedError, ModelIdentity, StaticModel};
#[cfg(feature = "model2vec")]
pub(crate) use general_tokenizer::GeneralTokenizer;
use tensors::StoredRows;
use tokenizer_file::{TokenizerKind, read_wordpiece};

/// The files of a model, with their maximum sizes in bytes: files are read as a whole, and the largest models of this kind
/// have half a gigabyte.
pub const MODEL_FILES: [(&str, u64); 3] = [
    ("model.safetensors", 2 << 30),
    ("tokenizer.json", 256 << 20),
    ("config.json", 1 << 20),
];

/// A file of a model, in memory.
pub struct ModelFile {
    path: PathBuf,
    bytes: Vec<u8>,
}

impl ModelFile {
    /// A file with these bytes. Errors name it by `path`, which is not accessed.
    pub fn new(path: impl Into<PathBuf>, bytes: Vec<u8>) -> Self {
        let path = path.into();
        Self { path, bytes }
    }

    /// The path that errors name.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// The content.
    pub fn bytes(&self) -> &[u8] {
        &self.bytes
    }

    fn read(folder: &Path, name: &str, most: u64) -> Result<Self, EmbedError> {
        let path = folder.join(name);
        // Opening a pipe would wait for a writer, and a device has no end.
        let fits = fs::metadata(&path).map(|found| found.is_file() && found.len() <= most);
        match fits {
            Ok(true) => {}
            Ok(false) => {
                let problem = format!("not a regular file of at most {most} bytes");
                return Err(EmbedError::Malformed { path, problem });
            }
            Err(source) => return Err(EmbedError::Read { path, source }),
        }
        match fs::read(&path) {
            Ok(bytes) => Ok(Self { path, bytes }),
            Err(source) => Err(EmbedError::Read { path, source }),
        }
    }

    fn malformed(&self, problem: impl Into<String>) -> EmbedError {
        EmbedError::Malformed {
            path: self.path.clone(),
            problem: problem.into(),
        }
    }

    #[cfg(not(feature = "model2vec"))]
    fn unsupported(&self, problem: String, remedy: &'static str) -> EmbedError {
        EmbedError::Unsupported {
            path: self.path.clone(),
            problem,
            remedy,
        }
    }
}

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
    let _: Configuration = serde_json::from_slice(&configuration.bytes)
        .map_err(|error| configuration.malformed(error.to_string()))?;
    let identity = identity(name, model, tokenizer);
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

/// The name, and a checksum of the files that determine vectors and tokens.
fn identity(name: &str, model: &ModelFile, tokenizer: &ModelFile) -> ModelIdentity {
    let mut hasher = blake3::Hasher::new();
    for file in [model, tokenizer] {
        hasher
            .update(&(file.bytes.len() as u64).to_le_bytes())
            .update(&file.bytes);
    }
    ModelIdentity::new(name, &hasher.finalize().to_hex()[..16])
}
