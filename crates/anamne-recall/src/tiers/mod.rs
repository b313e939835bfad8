//! I have the views of several tiers; who answers as if they were one?
//!
//! The memories of a space are divided over tiers, and each tier has views of its own, whose rows are disjoint. What is
//! here searches some of them together, and gives what one view over all their rows would give. The hottest tier comes
//! first: a row that stands in two for a moment, while its move is being followed, is answered as the hotter one has it,
//! once, though counts count it twice. Where one tier is all there is, its view itself does the same.

mod columns;
mod lexical;
mod vectors;

pub use columns::TieredColumns;
pub use lexical::TieredLexical;
pub use vectors::TieredVectors;
