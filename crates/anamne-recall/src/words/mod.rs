//! Late interaction without a neural network: how the words of a question meet the words of a memory.
//!
//! The columns keep each memory's wordpieces. From them come, for any row and any window of rows, the
//! frequencies of the question's terms (as in BM25) and, for each piece of the question, the nearest
//! piece of the text by the cosine of their rows in the built-in model (as in ColBERT's MaxSim, Khattab
//! and Zaharia 2020, on static rows).

mod profile;
mod query;
mod rarity;
mod sentences;
mod summary;
mod time_mentions;
mod vocabulary;
mod weights;
mod word_matches;

pub use profile::Facts;
pub(crate) use query::ParsedQuery;
pub(crate) use sentences::SentenceStats;
pub(crate) use summary::{Reader, Summary, SummaryIndex};
pub(crate) use time_mentions::states_time;
