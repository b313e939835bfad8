//! What was experienced: outcomes, feedback, searches, lessons, working memory and experiments.
//!
//! Recording is [`crate::Space::remember`] with [`anamne_types::Draft::experience`]; this module answers questions about
//! what was recorded.

mod advice;
mod feedback;
mod searching;
mod working;

pub use advice::{Advice, AdviceCase, AdviceKind, ExperienceQuery};
pub use feedback::{KeptOpinion, Opinion, Said};
pub use searching::{PastSearch, SearchQuality, StrategyReport};
pub use working::{WorkingEntry, WorkingScope};
