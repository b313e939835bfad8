//! Late interaction without a neural network: matches the words of a query with the words of a memory.
//!
//! The columns store each memory's wordpieces. From them come, for any row and any window of rows, the frequencies of
//! the query's terms (as in BM25) and, for each wordpiece of the query, the nearest wordpiece of the text by cosine of
//! their vectors in the built-in model (as in ColBERT's MaxSim, Khattab and Zaharia 2020, on static vectors).

mod profile;
mod query;
mod rarity;
mod sentences;
mod statements;
mod summary;
mod time_mentions;
mod usual_names;
mod vocabulary;
mod weights;
mod word_matches;

pub use profile::SpaceProfile;
pub(crate) use query::ParsedQuery;
pub(crate) use sentences::SentenceStats;
pub(crate) use statements::{Phrases, Statements, Wanted};
pub(crate) use summary::{Reader, Summary, SummaryIndex};
pub(crate) use time_mentions::states_time;
#[cfg(test)]
pub(crate) use vocabulary::tokens_of;
pub(crate) use vocabulary::without_marks;
