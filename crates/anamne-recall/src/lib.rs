//! From a question to memories with reasons: filter, search, rank, explain, and pack into a context.
//!
//! The stages are those of a recall: [`Recaller`] narrows to a bitmap where it looks, searches words and vectors,
//! looks at the neighbours in each candidate's thread, ranks, judges how sure it is, and says why, or why it
//! declines. It alone names all the stages; what they read, [`RecallSources`], lies below them. They know the views by the
//! traits in [`views`] alone, and the source for rows and filters; [`tiers`] makes the views of several tiers one, and
//! [`past`] those of an instant. A recall must never know a door, write anything, or read a clock.

mod abstain;
mod answer;
mod arrangement;
mod arranging;
mod attributes;
mod candidates;
mod confidence;
mod connections;
pub mod context;
mod diversity;
mod error;
mod expansion;
mod explain;
mod filter;
mod formulas;
mod holding;
mod kinship;
mod looking;
mod model;
mod near;
mod openings;
pub mod past;
mod plainly;
mod planned;
mod planner;
mod rank;
mod ranked;
mod ranking;
mod rare_word;
mod reach;
mod recaller;
mod repetition;
mod reranking;
mod roles;
mod scope;
mod setting;
mod sought;
mod sources;
mod successors;
mod threads;
pub mod tiers;
mod times;
mod together;
mod topic;
pub mod views;
mod weights;
mod words;

pub use arrangement::check_settings;
pub use error::RecallError;
pub use openings::{Opening, Openings};
pub use planner::{Advice, Asked, Colder, Experience, Found, Planner, Trace, can_hold};
pub use recaller::Recaller;
pub use sources::RecallSources;
pub use words::Facts;
