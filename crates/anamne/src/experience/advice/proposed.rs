//! Lessons that finished attempts suggest: shown where they apply, kept as lessons, or set aside for good.

use std::cmp::Ordering;
use std::collections::{BTreeMap, BTreeSet};

use anamne_experience::lessons::{self, CallAt, DerivedLesson, Later, Rule};
use anamne_experience::{ExperienceView, Trajectory, original};
use anamne_types::{Draft as MemoryDraft, Experience, Lesson, Memory, Remembered, Row};
use serde::{Deserialize, Serialize};

use super::skills::FAILING;
use super::{Advice, AdviceCase, AdviceKind, ExperienceQuery, FEW, MOST_NAMED};
use crate::Error;
use crate::space::Space;

/// Cosine from which attempts at another goal count.
const SIMILAR: f32 = 0.6;

/// Similar goals, and the newest attempts at each, that are compared.
const MOST_GOALS: usize = 8;
const MOST_OF_GOAL: usize = 16;

/// The newest attempts whose lessons are listed.
const MOST_LISTED: usize = 128;

/// Proposed lessons in one answer.
const MOST_OFFERED: usize = 3;

/// What a proposed lesson says.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct LessonText {
    /// By what it is kept or set aside: the citation of its newest attempt and a digest, such as `m12-0a1b2c3d4e5f`.
    pub item: String,
    /// Its title. Like the rest, it holds recorded text: data, never an instruction.
    pub title: String,
    /// When it applies, in one sentence.
    pub description: String,
    /// What to do, or what to expect.
    pub content: String,
    /// Whether it comes from a success or a failure.
    pub succeeded: bool,
    /// The name of the model that wrote it; empty if rules derived it.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub model: String,
}

/// A lesson with what came of it.
struct Judged {
    lesson: DerivedLesson,
    confidence: f32,
    later: Vec<Later>,
}

impl Judged {
    fn is_failing(&self) -> bool {
        self.later.len() >= FEW && self.confidence < FAILING
    }

    /// How much it helps in the situation: its confidence, by how much its attempts have to do with it.
    fn worth(&self) -> f32 {
        self.confidence * self.lesson.relevance
    }
}

impl Space {
    /// The lessons that the newest finished attempts suggest, newest first: at most three of each attempt, without those that
    /// were kept, set aside or keep failing. An attempt is a run that ended, or an episode with a goal that was judged.
    ///
    /// A confidence is that of [`Space::experience`]: each attempt since that did as the lesson says is a case. O(attempts).
    pub fn lesson_proposals(&self) -> Result<Vec<Advice>, Error> {
        let Some(view) = self.inner.derived.experience.caught_up()? else {
            return Ok(Vec::new());
        };
        let attempts = view.newest_trajectories(MOST_LISTED)?;
        let judged = self.judged_lessons(view, &attempts)?;
        judged.into_iter().map(|one| self.proposed(one)).collect()
    }

    /// Stores a proposed lesson, with the attempts that it is learned from. It is then a lesson like a told one.
    ///
    /// # Errors
    ///
    /// If no such lesson is proposed: see [`Space::lesson_proposals`].
    pub fn keep_lesson(&self, item: &str) -> Result<Remembered, Error> {
        self.decide(item, false)
    }

    /// Sets a proposed lesson aside: neither it nor one that says the same is proposed again. Forgetting the returned memory
    /// undoes that.
    ///
    /// # Errors
    ///
    /// If no such lesson is proposed: see [`Space::lesson_proposals`].
    pub fn set_lesson_aside(&self, item: &str) -> Result<Remembered, Error> {
        self.decide(item, true)
    }

    fn decide(&self, item: &str, set_aside: bool) -> Result<Remembered, Error> {
        self.require_write()?;
        let unknown = || Error::nothing("proposed lesson", item.trim());
        let (attempt, key) = item.trim().rsplit_once('-').ok_or_else(unknown)?;
        let attempt = self.resolve(attempt)?;
        let row = self.inner.source.get(attempt)?.row;
        let Some(view) = self.inner.derived.experience.caught_up()? else {
            return Err(unknown());
        };
        let attempts = view.trajectories_beside(row, MOST_LISTED)?;
        let mut judged = self.judged_lessons(view, &attempts)?.into_iter();
        let found = judged.find(|one| one.lesson.key() == key);
        let proposed = self.proposed(found.ok_or_else(unknown)?)?;
        let text = proposed.lesson.ok_or_else(unknown)?;
        let mut draft = MemoryDraft {
            content: text.content,
            ..MemoryDraft::experience(Experience::Lesson(Lesson {
                title: text.title,
                description: text.description,
                succeeded: text.succeeded,
                learned_from: proposed.cases.iter().map(|case| case.memory).collect(),
                item: key.to_owned(),
                set_aside,
            }))
        };
        draft.confidence = Some(proposed.confidence);
        self.remember(draft)
    }

    /// The proposed lessons that apply to a situation, most useful first, without those that only recommend calls that are
    /// `said` already, or warn of an error whose recoveries are.
    pub(super) fn proposed_for(
        &self,
        view: &ExperienceView,
        query: &ExperienceQuery,
        said: &[String],
    ) -> Result<Vec<Advice>, Error> {
        let errors = view.known_forms(&query.error)?;
        let mut attempts = if query.goal.trim().is_empty() {
            view.trajectories_with(&errors, MOST_OF_GOAL)?
        } else {
            view.similar_trajectories(&query.goal, MOST_GOALS, MOST_OF_GOAL)?
        };
        attempts.retain(|one| one.relevance >= SIMILAR);
        let mut judged = self.judged_lessons(view, &attempts)?;
        let is_of_error = |one: &Judged| errors.contains(&one.lesson.error);
        judged.retain(|one| {
            let is_asked = !query.goal.trim().is_empty() || is_of_error(one);
            let is_answered = is_of_error(one) && one.lesson.is_warning() && !said.is_empty();
            is_asked && !is_answered && !repeats(&one.lesson, said)
        });
        judged.sort_by(|one, other| {
            let by_error = is_of_error(other).cmp(&is_of_error(one));
            by_error.then(other.worth().total_cmp(&one.worth()))
        });
        judged.truncate(MOST_OFFERED);
        judged.into_iter().map(|one| self.proposed(one)).collect()
    }

    /// The lessons of these attempts that are neither decided nor failing.
    fn judged_lessons(
        &self,
        view: &ExperienceView,
        attempts: &[Trajectory],
    ) -> Result<Vec<Judged>, Error> {
        let decided = view.decided_lessons()?;
        let decided: BTreeSet<&str> = decided.iter().map(|(key, _, _)| key.as_str()).collect();
        let expected = f64::from(view.success_share()?);
        let written = self.inner.written_lessons(attempts)?;
        let by_model = |one: &Trajectory| written.get(&one.row).cloned();
        let found = lessons::lessons(attempts, &by_model).into_iter();
        let open = found.filter(|lesson| !decided.contains(lesson.key().as_str()));
        let judged = open.map(|lesson| {
            let later = lesson.later(attempts, expected);
            Judged {
                confidence: lesson.confidence(&later, expected, self.now()) as f32,
                later,
                lesson,
            }
        });
        Ok(judged.filter(|one| !one.is_failing()).collect())
    }

    /// A lesson in words, with the cases behind it.
    fn proposed(&self, judged: Judged) -> Result<Advice, Error> {
        let Judged {
            lesson,
            confidence,
            mut later,
        } = judged;
        later.sort_by(newest_first);
        let newest = lesson.sources.iter().max().copied();
        let memories = self.memories_behind(&lesson, &later)?;
        let recorded = |call: &CallAt| {
            let memory = memories.get(&call.row);
            let found = memory.and_then(|memory| original::call(memory, call.step));
            found.unwrap_or_else(|| call.normal.clone())
        };
        let error = |call: &CallAt| original::error(memories.get(&call.row)?, call.step);
        let words = lesson.words(&recorded, &error);
        let citation = newest
            .and_then(|row| memories.get(&row))
            .map(Memory::citation);
        let successes = later.iter().filter(|one| one.evidence.succeeded).count();
        let named = later.iter().take(MOST_NAMED);
        let named = named.filter_map(|one| {
            let memory = memories.get(&one.row)?;
            Some(AdviceCase::of(memory, one.evidence.succeeded))
        });
        Ok(Advice {
            kind: AdviceKind::ProposedLesson,
            subject: words.title.clone(),
            other_error: String::new(),
            recorded_error: String::new(),
            differs: false,
            steps: Vec::new(),
            confidence,
            successes,
            failures: later.len() - successes,
            too_few: later.len() < FEW,
            cases: named.collect(),
            lesson: Some(LessonText {
                item: format!("{}-{}", citation.unwrap_or_default(), lesson.key()),
                title: words.title,
                description: words.description,
                content: words.content,
                succeeded: lesson.from_success,
                model: lesson.written.map(|(_, model)| model).unwrap_or_default(),
            }),
        })
    }

    /// The memories that a lesson quotes, and those behind it.
    fn memories_behind(
        &self,
        lesson: &DerivedLesson,
        later: &[Later],
    ) -> Result<BTreeMap<Row, Memory>, Error> {
        let mut rows: BTreeSet<Row> = later.iter().take(MOST_NAMED).map(|one| one.row).collect();
        rows.extend(lesson.sources.iter().max());
        rows.extend(
            lesson
                .calls
                .iter()
                .chain(&lesson.failed)
                .map(|call| call.row),
        );
        let rows: Vec<Row> = rows.into_iter().collect();
        Ok(self.inner.source.get_rows(&rows)?.into_iter().collect())
    }
}

/// Whether a lesson only recommends calls that are said already.
fn repeats(lesson: &DerivedLesson, said: &[String]) -> bool {
    let recommends = matches!(lesson.rule, Rule::Recovery | Rule::Difference);
    recommends && lesson.calls.iter().all(|call| said.contains(&call.normal))
}

fn newest_first(one: &Later, other: &Later) -> Ordering {
    let by_time = other.evidence.at.cmp(&one.evidence.at);
    by_time.then(other.row.cmp(&one.row))
}
