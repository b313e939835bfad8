//! Errors of models.

use std::io;
use std::path::PathBuf;

impl EmbedError {
    /// Rejects a vector whose length differs from the model's.
    pub(crate) fn check_length(expected: usize, found: usize) -> Result<(), Self> {
        if found == expected {
            return Ok(());
        }
        Err(Self::VectorLength { expected, found })
    }
}

/// An error loading a model or embedding a text.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum EmbedError {
    /// The length of the caller's vector differs from the model's dimensions.
    #[error("the vector has {found} places but the model has {expected} dimensions")]
    VectorLength {
        /// The model's dimensions.
        expected: usize,
        /// The length of the given vector.
        found: usize,
    },
    /// A model file can't be read.
    #[error(
        "cannot read {}: {source}; a Model2Vec folder holds model.safetensors, tokenizer.json and \
         config.json, and a cross-encoder's folder model.onnx, tokenizer.json and config.json",
        path.display()
    )]
    Read {
        /// The file.
        path: PathBuf,
        /// The error of the operating system.
        source: io::Error,
    },
    /// A model file is damaged or malformed.
    #[error("{} is not a usable model file: {problem}; fetch the model again", path.display())]
    Malformed {
        /// The file.
        path: PathBuf,
        /// What is wrong with it.
        problem: String,
    },
    /// The model is valid, but this build does not support it.
    #[error("{} needs something that this build lacks: {problem}; {remedy}", path.display())]
    Unsupported {
        /// The file.
        path: PathBuf,
        /// The missing feature.
        problem: String,
        /// What the user can do.
        remedy: &'static str,
    },
    /// The model's tokenizer rejected a text.
    #[error("the tokenizer of {model} refused the text: {problem}")]
    Tokenizer {
        /// The model.
        model: String,
        /// The tokenizer's message.
        problem: String,
    },
    /// The model's vectors are too long to be stored, or empty.
    #[error("its vectors have {found} dimensions; 1 to {most} are possible")]
    Dimensions {
        /// The maximum.
        most: usize,
        /// The model's dimensions.
        found: usize,
    },
    /// The model returned a vector with non-finite values.
    #[error("{model} gave a vector with places that are no numbers")]
    NotFinite {
        /// The model.
        model: String,
    },
    /// An external model could not be reached, or rejected the texts.
    #[error("{model} could not embed: {problem}")]
    Unavailable {
        /// The model.
        model: String,
        /// Its message.
        problem: String,
    },
    /// A reranker could not be reached, rejected the texts, or returned invalid scores.
    #[error("{model} could not compare texts with the question: {problem}")]
    Rerank {
        /// The model.
        model: String,
        /// Its message, or what is wrong with its scores.
        problem: String,
    },
}
