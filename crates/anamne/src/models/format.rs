//! The kinds of models that a store holds, and how a folder shows its kind.

use std::fs;
use std::path::Path;

use anamne_embed::{CROSS_ENCODER_FILES, MODEL_FILES};
use anamne_store::{StoreError, entries, read_regular};
use serde::{Deserialize, Serialize};

use crate::Error;

/// What a model is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum ModelPurpose {
    /// It embeds texts: `embedding.model` of a space.
    Embedding,
    /// It scores the first results of a query again: `recall.reranker` of a space.
    Reranking,
}

/// The kind of a model in the store, as its manifest names it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(super) enum ModelFormat {
    /// An embedding model.
    Model2vec,
    /// A reranker.
    CrossEncoder,
}

/// The file with the weights of a cross-encoder.
const ONNX: &str = CROSS_ENCODER_FILES[0].0;

/// Every file that a plain folder may consist of.
pub(super) const PLAIN_FILES: [&str; 4] =
    [MODEL_FILES[0].0, ONNX, MODEL_FILES[1].0, MODEL_FILES[2].0];

impl ModelFormat {
    /// The files of a model of this kind, with their maximum sizes in bytes.
    pub(super) fn files(self) -> [(&'static str, u64); 3] {
        match self {
            Self::Model2vec => MODEL_FILES,
            Self::CrossEncoder => CROSS_ENCODER_FILES,
        }
    }

    pub(super) fn purpose(self) -> ModelPurpose {
        match self {
            Self::Model2vec => ModelPurpose::Embedding,
            Self::CrossEncoder => ModelPurpose::Reranking,
        }
    }

    /// The kind of the model in a folder.
    ///
    /// The configuration of a cross-encoder says that it classifies sequences. Without that, a folder that has an ONNX file
    /// and no Model2Vec weights holds one. Published folders of both kinds often have both files.
    pub(super) fn of_folder(folder: &Path) -> Self {
        #[derive(Deserialize)]
        struct Configuration {
            #[serde(default)]
            architectures: Vec<String>,
        }
        let (configuration, most) = CROSS_ENCODER_FILES[2];
        let text = read_regular(&folder.join(configuration), most);
        let found = text.ok().flatten();
        let found = found.and_then(|text| serde_json::from_slice::<Configuration>(&text).ok());
        let classifies = found.is_some_and(|configuration| {
            let mut names = configuration.architectures.iter();
            names.any(|name| name.ends_with("ForSequenceClassification"))
        });
        let has_weights = fs::symlink_metadata(folder.join(MODEL_FILES[0].0)).is_ok();
        if classifies || (!has_weights && !onnx_files(folder).unwrap_or_default().is_empty()) {
            Self::CrossEncoder
        } else {
            Self::Model2vec
        }
    }
}

/// The path in the folder of a file to import; for `model.onnx` also where it is usually published: `onnx/model.onnx`, or
/// the only file that ends with `.onnx`, such as `onnx/model_quantized.onnx`.
pub(super) fn path_of(folder: &Path, file: &'static str) -> Result<String, Error> {
    if file != ONNX {
        return Ok(file.to_owned());
    }
    let mut found = onnx_files(folder)?;
    for usual in [ONNX, "onnx/model.onnx"] {
        if found.iter().any(|path| path == usual) {
            return Ok(usual.to_owned());
        }
    }
    match found.len() {
        0 => Ok(ONNX.to_owned()),
        1 => Ok(found.remove(0)),
        _ => Err(Error::Unsuitable {
            path: folder.to_owned(),
            reason: "it has several ONNX files; name the one to use model.onnx",
        }),
    }
}

/// The ONNX files of a folder and of its folder `onnx`, as paths in it.
fn onnx_files(folder: &Path) -> Result<Vec<String>, StoreError> {
    let mut found = Vec::new();
    for (place, prefix) in [(folder.to_owned(), ""), (folder.join("onnx"), "onnx/")] {
        for path in entries(&place)? {
            let name = path.file_name().unwrap_or_default().to_string_lossy();
            let is_onnx = Path::new(&*name)
                .extension()
                .is_some_and(|end| end == "onnx");
            if is_onnx {
                found.push(format!("{prefix}{name}"));
            }
        }
    }
    Ok(found)
}
