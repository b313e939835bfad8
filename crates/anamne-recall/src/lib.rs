//! The recall pipeline: filter, search, rank, explain, and pack into a context block.
//!
//! [`Recaller`] runs the stages: it narrows the rows to a bitmap, searches words and vectors, reads each candidate's
//! thread neighbours, ranks, estimates confidence, and explains its results or why it abstains. All stages read
//! [`RecallSources`]. Views are known only by the traits in [`views`]; [`tiers`] combines the views of several tiers,
//! and [`past`] provides those of an earlier time. A recall does not depend on a door, writes nothing, and reads no
//! clock; stopwatches measure its stages for an observer.

mod abstain;
mod access;
mod adjacency;
mod answer;
mod attributes;
mod candidate_scope;
mod candidates;
mod clarification;
mod confidence;
mod connections;
pub mod context;
mod disputes;
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
mod observing;
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
mod related;
mod reordering;
mod reranking;
mod roles;
mod scope;
mod search_only;
mod second_look;
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

pub use access::{AccessCount, AccessCounts};
pub use anamne_forest::ForestError;
pub use error::RecallError;
pub use observing::{RecallCache, RecallObserver, RecallStage};
pub use planner::{
    Advice, ColderHits, CreditedResult, Planner, PlannerHistory, QuerySignature, QueryTrace,
    can_hold,
};
pub use ranking_options::check_settings;
pub use recaller::Recaller;
pub use second_look::Forest;
pub use sources::RecallSources;
pub use words::SpaceProfile;
