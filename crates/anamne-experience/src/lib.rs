//! What is learned from experience: runs and their outcomes, search strategies, experiments, and the results of tools.
//!
//! Outcomes, feedback and traces are events of the log; this crate folds them and answers questions about them. Only
//! cached tool results are not in the log: they can be fetched again.

pub mod chance;
mod ending;
mod error;
pub mod experiments;
pub mod lessons;
pub mod normal;
mod opposite;
pub mod original;
mod reading;
pub mod rephrasing;
pub mod same_request;
pub mod strategies;
pub mod tool_results;
mod undone;
mod view;

pub use error::ExperienceError;
pub use opposite::is_opposite;
pub use view::{
    Case, CaseFilter, EXPERIENCE_FORMAT, ExperienceView, Recovery, RecoveryCase, RunChance,
    RunShares, RunSummary, SearchCase, SimilarText, StrategyCount, StrategyWeek, Trajectory,
    WeekOfSearches,
};
