//! Knowledge extraction: entities, relations and contradictions in memories.
//!
//! Reading is pure: the same text gives the same names and statements, independent of earlier texts. So extracting the
//! graph again gives the same graph.

/// `matches!` for long word lists.
macro_rules! one_of {
    ($word:expr, $($listed:literal)+) => {
        matches!($word, $($listed)|+)
    };
}

pub mod conflicts;
pub mod consolidation;
pub mod enrichment;
pub mod graph;
pub mod reading;
pub mod readings;
pub mod summaries;
mod vectors;
