//! What memories say about the world: who and what is named in them, what is said of it, and what can't be true together.
//!
//! Reading is pure: the same text gives the same names and statements, whatever was read before. So the graph that
//! is woven from them is the same whenever it is woven again.

pub mod conflicts;
pub mod consolidation;
pub mod graph;
pub mod reading;
pub mod readings;
pub mod signals;
pub mod summaries;
mod vectors;
