//! Late interaction without a neural network: how the words of a question meet the words of a memory.
//!
//! The columns keep each memory's wordpieces. From them come, for any row and any window of rows, the
//! frequencies of the question's terms (as in BM25) and, for each piece of the question, the nearest
//! piece of the text by the cosine of their rows in the built-in model (as in ColBERT's MaxSim, Khattab
//! and Zaharia 2020, on static rows).

mod facts;
mod meetings;
mod moments;
mod plan;
mod rarity;
mod sentences;
mod summary;
mod vocabulary;
mod weights;

pub use facts::Facts;
pub(crate) use moments::tells_time;
pub(crate) use plan::Question;
pub(crate) use sentences::Sentence;
pub(crate) use summary::{Place, Reader, Summary};
