//! From a question to memories with reasons: filter, search, rank, explain, and pack into a context.
//!
//! The stages are those of a recall: [`Recaller`] filters to a bitmap, searches words and vectors,
//! looks at the neighbours in each candidate's thread, ranks, judges how sure it is, and says why. It
//! knows the views by the traits in [`views`] alone, and the source for rows and filters; [`tiers`] makes
//! the views of several tiers one. It must never know a door, write anything, or read a clock.

mod answer;
mod attributes;
mod candidates;
mod confidence;
mod context;
mod error;
mod explain;
mod filter;
mod kinship;
mod model;
mod rank;
mod recaller;
mod successors;
mod threads;
pub mod tiers;
pub mod views;
mod words;

pub use error::RecallError;
pub use recaller::Recaller;
pub use words::Facts;
