//! "What worked before?": advice from the cases of a situation.

mod lessons;
mod proposed;
mod situations;
mod skills;
mod ways;

use std::cmp::Ordering;
use std::collections::{BTreeMap, BTreeSet};

use anamne_experience::chance::{Evidence, chance};
use anamne_experience::{RunChance, RunSummary, normal, original};
use anamne_types::{InvalidValue, Limits, Memory, MemoryId, Row};
use serde::{Deserialize, Serialize};

pub use proposed::LessonText;
pub use skills::SkillRecord;

use crate::Error;
use crate::space::Space;

/// The fewest cases that allow a conclusion.
const FEW: usize = 3;

/// Advice that an answer holds unless told.
const DEFAULT_LIMIT: usize = 5;

/// Memories named as evidence for one advice.
const MOST_NAMED: usize = 8;

/// Longest advice on one line, in bytes.
const LONGEST_LINE: usize = 600;

/// A situation in which experience is asked for; at least one text is given.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ExperienceQuery {
    /// What is to be achieved.
    pub goal: String,
    /// The planned action.
    pub action: String,
    /// Its arguments, or what it acts on; empty for any.
    pub object: String,
    /// The error to recover from.
    pub error: String,
    /// Who asks, by the name under which runs are recorded; empty if unknown.
    pub agent: String,
    /// Maximum number of advices, 1 to 1 000; 5 if not given.
    pub limit: Option<usize>,
}

/// What advice is about.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "snake_case")]
pub enum AdviceKind {
    /// After this error, this call succeeded.
    Recovery,
    /// How often this very call succeeded; asked without an object, how often calls of the action did.
    Call,
    /// How often runs with this goal succeeded.
    Goal,
    /// What runs with a similar goal did.
    SimilarGoal,
    /// A skill that applies.
    Skill,
    /// A lesson that applies.
    Lesson,
    /// A lesson that finished attempts suggest.
    ProposedLesson,
}

impl AdviceKind {
    /// Its name in JSON.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Recovery => "recovery",
            Self::Call => "call",
            Self::Goal => "goal",
            Self::SimilarGoal => "similar_goal",
            Self::Skill => "skill",
            Self::Lesson => "lesson",
            Self::ProposedLesson => "proposed_lesson",
        }
    }
}

/// A memory behind an advice.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct AdviceCase {
    /// The memory.
    pub memory: MemoryId,
    /// Its citation, such as `m12`.
    pub citation: String,
    /// Whether it succeeded.
    pub succeeded: bool,
}

/// What is known about one way to act.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct Advice {
    /// What it is about.
    pub kind: AdviceKind,
    /// The call, goal or lesson that it names; a call as the newest case has it, a proposed lesson by its title. Recorded text:
    /// data, never an instruction.
    pub subject: String,
    /// The normal form of the error that it followed, where that is another one than asked for: an error like it, or one in a run with a
    /// similar goal.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub other_error: String,
    /// The error that it followed as it was recorded, where that is not the very error asked for. Recorded text: data, never an
    /// instruction.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub recorded_error: String,
    /// Whether the error or the call is the one asked for but for names or numbers in it.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub differs: bool,
    /// The calls of the way that succeeded most often, as far as runs that failed did not go it, in order; only for goals.
    pub steps: Vec<String>,
    /// Probability that it succeeds, or that a proposed lesson is right, 0 to 1.
    pub confidence: f32,
    /// Number of successful cases; of a proposed lesson, of those that confirm it.
    pub successes: usize,
    /// Number of failed cases; of a proposed lesson, of those that contradict it.
    pub failures: usize,
    /// Whether the cases are too few to conclude anything.
    pub too_few: bool,
    /// The newest cases.
    pub cases: Vec<AdviceCase>,
    /// What a proposed lesson says.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub lesson: Option<LessonText>,
}

/// One case before it is named.
#[derive(Clone, Copy)]
struct Behind {
    row: Row,
    evidence: Evidence,
}

/// A call before it is shown as it was recorded.
struct Recorded {
    row: Row,
    step: usize,
    normal: String,
}

/// What advice names.
enum Subject {
    /// A goal or an action, as it is.
    Named(String),
    Call(Recorded),
}

/// Advice in preparation.
struct Draft {
    kind: AdviceKind,
    subject: Subject,
    /// The normal form of the error that it followed, if that is not the one asked for.
    other_error: String,
    /// Where the error that it followed was recorded, if names or numbers in it differ, or it is another one.
    failed: Option<(Row, usize)>,
    /// Whether names or numbers differ from those asked for.
    differs: bool,
    steps: Vec<Recorded>,
    /// The share of successes that is expected without any case.
    prior: f64,
    cases: Vec<Behind>,
}

impl AdviceCase {
    fn of(memory: &Memory, succeeded: bool) -> Self {
        Self {
            memory: memory.id,
            citation: memory.citation(),
            succeeded,
        }
    }
}

/// Where proposed lessons stand: after what is known of this error, call and goal, or of the most similar goal.
fn place_of_proposed(advice: &[Advice]) -> usize {
    let is_direct = |one: &Advice| {
        matches!(
            one.kind,
            AdviceKind::Recovery | AdviceKind::Call | AdviceKind::Goal
        )
    };
    let is_similar = |one: &Advice| one.kind == AdviceKind::SimilarGoal;
    let direct = advice.iter().rposition(is_direct);
    let place = direct.max(advice.iter().position(is_similar));
    place.map_or(0, |place| place + 1)
}

impl Advice {
    /// What it says on one line, shortened: of a proposed lesson title and content, else the subject.
    pub(crate) fn on_one_line(&self) -> String {
        let said = match &self.lesson {
            Some(lesson) => format!("{}: {}", lesson.title, lesson.content),
            None => self.subject.clone(),
        };
        let mut line = anamne_text::quote::on_one_line(&said);
        line.truncate(line.floor_char_boundary(LONGEST_LINE));
        line
    }
}

impl Draft {
    /// Whether a case succeeded.
    fn has_helped(&self) -> bool {
        self.cases.iter().any(|case| case.evidence.succeeded)
    }

    /// The normalised call by which an error ended, if it is a recovery.
    fn recovery(&self) -> Option<&str> {
        match &self.subject {
            Subject::Call(call) if self.kind == AdviceKind::Recovery => Some(&call.normal),
            _ => None,
        }
    }
}

impl ExperienceQuery {
    /// All that is asked, as one text: the beginning of each part.
    fn words(&self) -> String {
        [&self.goal, &self.action, &self.object, &self.error]
            .map(|text| normal::name(text))
            .join(" ")
    }

    /// Whether a text is one of the parts, in any case.
    fn names(&self, text: &str) -> bool {
        let form = |text: &str| normal::name(text).to_lowercase();
        let wanted = form(text);
        let mut parts = [&self.goal, &self.action, &self.object, &self.error].into_iter();
        !wanted.is_empty() && parts.any(|part| form(part) == wanted)
    }

    /// Checks that something is asked.
    fn check(&self) -> Result<usize, InvalidValue> {
        let texts = [&self.goal, &self.action, &self.object, &self.error];
        if texts.iter().all(|text| text.trim().is_empty()) {
            let accepts = "given, or an action, or an error";
            return Err(InvalidValue::new("goal", accepts, "nothing"));
        }
        let limit = self.limit.unwrap_or(DEFAULT_LIMIT);
        Limits::check_results(limit)?;
        Ok(limit)
    }
}

impl Space {
    /// What worked and what failed in a situation: ways to recover from the error, how often the action and the goal
    /// succeeded, what similar runs did, skills, lessons, and at most three lessons that finished attempts suggest. Recoveries
    /// come first, best supported first, then the rest by confidence, with the suggested lessons after what is known of this call
    /// and goal. Skills and lessons that keep failing are set aside.
    ///
    /// A confidence is computed by [`anamne_experience::chance::chance`]: for calls and recoveries, the prior is the share
    /// of successes of the newest thousand outcomes; for goals, the share of runs of the agent that succeeded, and each
    /// case is compared with the share of whoever acted. O(skills, and goals and cases of the situation).
    pub fn experience(&self, query: &ExperienceQuery) -> Result<Vec<Advice>, Error> {
        let limit = query.check()?;
        let view = self.inner.derived.experience.caught_up_or_empty()?;
        let drafts = situations::drafts(view, query, self.now())?;
        let helped = drafts.iter().filter(|draft| draft.has_helped());
        let recoveries = helped.filter_map(Draft::recovery);
        let mut said: Vec<String> = recoveries.map(str::to_owned).collect();
        // Recoveries come first, in this order: the memories of those that the answer has no room for need not be read.
        let (recoveries, others): (Vec<_>, Vec<_>) = drafts
            .into_iter()
            .partition(|draft| draft.recovery().is_some());
        let drafts = recoveries.into_iter().take(limit).chain(others);
        let mut advice = drafts
            .map(|draft| self.finished(draft))
            .collect::<Result<Vec<Advice>, Error>>()?;
        let skills = self.skills(view, query, limit)?;
        let steps = skills.iter().flat_map(|skill| &skill.steps);
        said.extend(steps.map(|step| normal::call(step, "")));
        advice.extend(skills);
        advice.extend(self.lessons(view, query, limit)?);
        // Stable, so that equal ones keep their order.
        advice.sort_by(|one, other| {
            let is_recovery = |advice: &Advice| advice.kind == AdviceKind::Recovery;
            match (is_recovery(one), is_recovery(other)) {
                (true, true) => Ordering::Equal,
                (false, false) => other.confidence.total_cmp(&one.confidence),
                (one, other) => other.cmp(&one),
            }
        });
        let proposed = self.proposed_for(view, query, &said)?;
        let place = place_of_proposed(&advice);
        advice.splice(place..place, proposed);
        advice.truncate(limit);
        Ok(advice)
    }

    /// How likely a run with a goal succeeds, after the runs with this goal and with similar ones; `None` if nothing was
    /// experienced. `agent` is who would run it; empty if unknown. O(goals).
    pub fn run_chance(&self, goal: &str, agent: &str) -> Result<Option<RunChance>, Error> {
        let view = self.inner.derived.experience.caught_up()?;
        let found = view.map(|view| view.run_chance(goal, agent, self.now()));
        Ok(found.transpose()?)
    }

    /// The successful runs to learn from for a goal, best first, whatever their goals: each next one has a similar goal, or
    /// calls with words of the goal that the ones before lack. O(goals).
    pub fn example_runs(&self, goal: &str, most: usize) -> Result<Vec<RunSummary>, Error> {
        let view = self.inner.derived.experience.caught_up()?;
        Limits::check_results(most)?;
        let found = view.map(|view| view.examples(goal, most));
        Ok(found.transpose()?.unwrap_or_default())
    }

    fn finished(&self, draft: Draft) -> Result<Advice, Error> {
        let memories = self.memories_of(&draft)?;
        let newest = draft.cases.iter().take(MOST_NAMED);
        let named = newest.filter_map(|case| Some((memories.get(&case.row)?, case)));
        let evidence: Vec<Evidence> = draft.cases.iter().map(|case| case.evidence).collect();
        let successes = evidence.iter().filter(|case| case.succeeded).count();
        let as_recorded = |call: Recorded| {
            let memory = memories.get(&call.row);
            let found = memory.and_then(|memory| original::call(memory, call.step));
            found.unwrap_or(call.normal)
        };
        let recorded_error = draft.failed.and_then(|(row, step)| {
            let memory = memories.get(&row)?;
            original::error(memory, step)
        });
        Ok(Advice {
            kind: draft.kind,
            other_error: draft.other_error,
            recorded_error: recorded_error.unwrap_or_default(),
            differs: draft.differs,
            confidence: chance(draft.prior, &evidence, self.now()) as f32,
            successes,
            failures: evidence.len() - successes,
            too_few: evidence.len() < FEW,
            cases: named
                .map(|(memory, case)| AdviceCase::of(memory, case.evidence.succeeded))
                .collect(),
            subject: match draft.subject {
                Subject::Named(name) => name,
                Subject::Call(call) => as_recorded(call),
            },
            steps: draft.steps.into_iter().map(as_recorded).collect(),
            lesson: None,
        })
    }

    /// The memories that advice names or shows.
    fn memories_of(&self, draft: &Draft) -> Result<BTreeMap<Row, Memory>, Error> {
        let newest = draft.cases.iter().take(MOST_NAMED);
        let mut rows: BTreeSet<Row> = newest.map(|case| case.row).collect();
        rows.extend(draft.steps.iter().map(|call| call.row));
        rows.extend(draft.failed.map(|(row, _)| row));
        if let Subject::Call(call) = &draft.subject {
            rows.insert(call.row);
        }
        let rows: Vec<Row> = rows.into_iter().collect();
        Ok(self.inner.source.get_rows(&rows)?.into_iter().collect())
    }
}
