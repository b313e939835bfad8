//! Consolidation: proposes merges and insights. The engine applies them, with events that can be undone.
//!
//! [`plan`] finds memories that say the same, [`insights`] finds statements that recur on several days, and [`importance`]
//! and [`link_strength`] compute what still matters. All are pure: the same memories give the same proposals, in any order.

mod form;
mod importance;
mod insight;
mod plan;
mod verdict;

pub use importance::{ImportanceInputs, ImportanceParts, importance, link_strength};
pub use insight::{Insight, MOST_UNITS, insights};
pub use plan::{Audit, MOST_MEMORIES, Plan, Proposal, ProposalKind, plan};
pub use verdict::rewording;
