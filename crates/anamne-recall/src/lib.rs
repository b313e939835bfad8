//! From a question to memories with reasons: filter, search, rank, explain, and pack into a context.
//!
//! The stages are those of a recall: [`Recaller`] narrows to a bitmap where it looks, searches words and vectors,
//! looks at the neighbours in each candidate's thread, ranks, judges how sure it is, and says why, or why it
//! declines. It alone names all the stages; what they read, [`RecallSources`], lies below them. They know the views by the
//! traits in [`views`] alone, and the source for rows and filters; [`tiers`] makes the views of several tiers one, and
//! [`past`] those of an instant. A recall must never know a door, write anything, or read a clock.

mod abstain;
mod access;
mod adjacency;
mod answer;
mod attributes;
mod candidate_scope;
mod candidates;
mod confidence;
mod connections;
pub mod context;
mod diversity;
mod duplicates;
mod error;
mod expansion;
mod explain;
mod feature_inputs;
mod filter;
mod formulas;
mod lsi;
mod model;
pub mod past;
mod plan_search;
mod planner;
mod query_intent;
mod query_times;
mod rank;
mod ranked;
mod ranking;
mod ranking_options;
mod rare_word;
mod recall_context;
mod recaller;
mod reordering;
mod reranking;
mod roles;
mod scope;
mod search_only;
mod sources;
mod successors;
mod thread_feedback;
mod threads;
pub mod tiers;
mod topic;
mod valid_rows;
pub mod views;
mod weights;
mod words;

pub use access::{Opening, Openings};
pub use error::RecallError;
pub use planner::{Advice, Asked, Colder, Experience, Found, Planner, Trace, can_hold};
pub use ranking_options::check_settings;
pub use recaller::Recaller;
pub use sources::RecallSources;
pub use words::Facts;
