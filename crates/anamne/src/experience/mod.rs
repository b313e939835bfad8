//! What was experienced: outcomes, feedback, searches, lessons, working memory and experiments.
//!
//! Recording is [`crate::Space::remember`] with [`anamne_types::Draft::experience`]; this module answers questions about
//! what was recorded.

mod advice;
mod experimenting;
mod feedback;
mod implied;
mod known;
mod searching;
mod strategies;
mod working;
mod written;

pub use advice::{Advice, AdviceCase, AdviceKind, ExperienceQuery, LessonText, SkillRecord};
pub use experimenting::{ArmReport, ExperimentReport};
pub use feedback::{KeptOpinion, Opinion, Said};
pub(crate) use known::SearchMemory;
pub use searching::{PastSearch, SearchQuality, StrategyReport, StrategyWeek};
pub use strategies::{ExperiencedAnswer, LearningSearch, SearchStrategy, ShownResults};
pub use working::{WorkingEntry, WorkingScope};
