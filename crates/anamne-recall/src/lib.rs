//! From a question to memories with reasons: filter, search, rank, explain, and pack into a context.
//!
//! The stages are those of a recall: [`Recaller`] filters to a bitmap, searches words and vectors,
//! looks at the neighbours in each candidate's thread, ranks, judges how sure it is, and says why. It
//! knows the views by the traits in [`views`] alone, and the source for rows and filters; [`tiers`] makes
//! the views of several tiers one. It must never know a door, write anything, or read a clock.

mod absent;
mod answer;
mod candidates;
mod confidence;
mod context;
mod error;
mod explain;
mod filter;
mod model;
mod plainly;
mod planned;
mod planner;
mod rank;
mod recaller;
mod successors;
pub mod tiers;
pub mod views;
mod words;

pub use error::RecallError;
pub use planner::{Advice, Asked, Colder, Experience, Found, Planner, Trace, can_hold};
pub use recaller::Recaller;
pub use words::Facts;
