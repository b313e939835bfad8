//! What can go wrong with a model.

use std::io;
use std::path::PathBuf;

impl EmbedError {
    /// Refuses a vector of another length than the model's.
    pub(crate) fn unless_long(expected: usize, found: usize) -> Result<(), Self> {
        if found == expected {
            return Ok(());
        }
        Err(Self::VectorLength { expected, found })
    }
}

/// Why a model could not be loaded or a text not be embedded.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum EmbedError {
    /// The caller's vector does not have the model's dimensions.
    #[error("the vector has {found} places but the model has {expected} dimensions")]
    VectorLength {
        /// The model's dimensions.
        expected: usize,
        /// The places in the vector that was passed in.
        found: usize,
    },
    /// A file of the model cannot be read.
    #[error(
        "cannot read {}: {source}; a Model2Vec folder holds model.safetensors, tokenizer.json and \
         config.json",
        path.display()
    )]
    Read {
        /// The file.
        path: PathBuf,
        /// What the system said.
        source: io::Error,
    },
    /// A file of the model is damaged, or is not what it should be.
    #[error("{} is not a usable model file: {problem}; fetch the model again", path.display())]
    Malformed {
        /// The file.
        path: PathBuf,
        /// What is wrong in it.
        problem: String,
    },
    /// The model is sound, but of a kind that this build cannot run.
    #[error("{} needs something that this build lacks: {problem}; {remedy}", path.display())]
    Unsupported {
        /// The file.
        path: PathBuf,
        /// What it asks for.
        problem: String,
        /// What the user can do.
        remedy: &'static str,
    },
    /// The model's tokenizer refused a text.
    #[error("the tokenizer of {model} refused the text: {problem}")]
    Tokenizer {
        /// The model.
        model: String,
        /// What the tokenizer said.
        problem: String,
    },
    /// The model's vectors are too long to be kept, or have no places at all.
    #[error("its vectors have {found} dimensions; 1 to {most} are possible")]
    Dimensions {
        /// What is possible.
        most: usize,
        /// What the model has.
        found: usize,
    },
    /// The model gave a vector that is none.
    #[error("{model} gave a vector with places that are no numbers")]
    NotFinite {
        /// The model.
        model: String,
    },
    /// A model that does not run in this program could not be reached, or refused the texts.
    #[error("{model} could not embed: {problem}")]
    Unavailable {
        /// The model.
        model: String,
        /// What it said.
        problem: String,
    },
    /// A reranker could not be reached, refused the texts, or gave scores that are none.
    #[error("{model} could not compare texts with the question: {problem}")]
    Rerank {
        /// The model.
        model: String,
        /// What it said, or what is wrong with its scores.
        problem: String,
    },
}
