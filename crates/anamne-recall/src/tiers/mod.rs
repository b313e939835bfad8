//! The views of several tiers as one view.
//!
//! The memories of a space are divided over tiers, each with its own views, whose rows are disjoint. A combined search
//! gives the result of one view over all rows. The hottest tier comes first: while a move is being applied, a row may
//! be in two tiers; it is answered once, as in the hotter tier, although counts include it twice. A single tier's view
//! behaves the same.

mod columns;
mod lexical;
mod vectors;

pub use columns::TieredColumns;
pub use lexical::TieredLexical;
pub use vectors::TieredVectors;
