//! What memories say about the world: who and what is named in them, what is said of it, and what can't be true together.
//!
//! Reading is pure: the same text gives the same names and statements, whatever was read before. So the graph that
//! is extracted from them is the same whenever it is extracted again.

/// Whether a word is one of those listed: `matches!` for long lists, which stay paragraphs here.
macro_rules! one_of {
    ($word:expr, $($listed:literal)+) => {
        matches!($word, $($listed)|+)
    };
}

pub mod conflicts;
pub mod consolidation;
pub mod graph;
pub mod reading;
pub mod readings;
pub mod signals;
pub mod summaries;
mod vectors;
