//! Consolidation: proposes merges and insights. The engine applies them, with events that can be undone.
//!
//! [`plan`] finds memories that say the same in other words, [`insights`] what was said again and again on several days,
//! and [`importance`], [`decay`] reckon what still matters. All are pure: the same memories give the same proposals,
//! in whichever order they are passed in.

mod form;
mod insight;
mod plan;
mod standing;
mod verdict;

pub use insight::{Insight, MOST_UNITS, insights};
pub use plan::{Audit, MOST_MEMORIES, Plan, Proposal, ProposalKind, plan};
pub use standing::{Regard, access_strength, decay, importance};
