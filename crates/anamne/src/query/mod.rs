//! Queries over one or several spaces, now or as of an earlier time, and context blocks.

pub(crate) mod access;
pub(crate) mod across;
mod across_context;
pub(crate) mod briefing;
mod narrowing;
pub(crate) mod observed;
pub(crate) mod past;
pub(crate) mod performance;
pub(crate) mod prompt;
pub(crate) mod recall;
mod reranking;
pub(crate) mod routing;
