//! The knowledge graph, summaries, consolidation, and what the space knows much or little about.

mod asserting;
pub(crate) mod consistency;
pub(crate) mod consolidating;
pub(crate) mod elsewhere;
mod enriching;
pub(crate) mod graph;
pub(crate) mod modelling;
pub(crate) mod provenance;
pub(crate) mod recomputing;
pub(crate) mod summaries;
pub(crate) mod topics;
pub(crate) mod wording;
pub(crate) mod wording_times;
