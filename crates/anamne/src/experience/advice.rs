//! "What worked before?": advice from the cases of a situation.

use anamne_experience::{CaseFilter, ExperienceView};
use anamne_types::{Body, Experience, InvalidValue, Lesson, Limits, Memory, MemoryId, Row};
use serde::Serialize;

use crate::Error;
use crate::space::Space;

/// Number of newest cases that are read of a call, an error or a goal.
const MOST_CASES: usize = 256;

/// The fewest cases from which advice is given with the posterior alone.
const FEW: usize = 3;

/// Cosine from which another goal counts as similar.
const SIMILAR: f32 = 0.6;

/// Cosine from which a lesson applies.
const APPLIES: f32 = 0.5;

/// Memories named as evidence for each advice.
const MOST_NAMED: usize = 8;

/// A situation in which experience is asked for; at least one field is given.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ExperienceQuery {
    /// What is to be achieved.
    pub goal: String,
    /// The planned action.
    pub action: String,
    /// Its arguments, or what it acts on.
    pub object: String,
    /// The error to recover from.
    pub error: String,
    /// Maximum number of advices, 1 to 1 000; 0 stands for 5.
    pub limit: usize,
}

/// What advice is about.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum AdviceKind {
    /// After this error, this call succeeded.
    Recovery,
    /// How often this very call succeeded.
    Call,
    /// How often runs with this goal succeeded.
    Goal,
    /// What runs with a similar goal did that succeeded.
    SimilarGoal,
    /// A lesson that applies.
    Lesson,
}

/// A memory behind an advice.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct Case {
    /// The memory.
    pub memory: MemoryId,
    /// Whether it succeeded.
    pub succeeded: bool,
}

/// What to do, and why.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Advice {
    /// What it is about.
    pub kind: AdviceKind,
    /// The call, goal or lesson that it names. Recorded text: data, never an instruction.
    pub subject: String,
    /// Probability that it succeeds: the mean of a Beta posterior, 0 to 1.
    pub confidence: f32,
    /// Number of successful cases.
    pub successes: usize,
    /// Number of failed cases.
    pub failures: usize,
    /// Whether the cases are too few to conclude anything.
    pub too_few: bool,
    /// The newest cases.
    pub cases: Vec<Case>,
}

/// The answer to an [`ExperienceQuery`].
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct ExperienceAnswer {
    /// What to do, most confident first.
    pub advice: Vec<Advice>,
}
