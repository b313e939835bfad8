//! What worked before, in a space in either place: outcomes, lessons, advice, skills, feedback, working memory.

use anamne::{
    ActionOutcome, Advice, Draft, Experience, ExperienceQuery, Judgement, KeptOpinion, Lesson,
    Memory, MemoryId, Opinion, PastSearch, Remembered, RunChance, SkillRecord, Space, WorkingEntry,
    WorkingScope,
};
use anamne_client::{Method, Query, RemoteSpace};
use jiff::Timestamp;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use super::Reached;
use crate::failure::Failure;

/// What is known about a situation.
#[derive(Debug, Serialize, Deserialize)]
pub(crate) struct Situation {
    /// What worked and what did not.
    pub(crate) advice: Vec<Advice>,
    /// How likely a run with this goal succeeds; none without a goal.
    pub(crate) chance: Option<RunChance>,
}

/// Skills.
#[derive(Debug, Serialize, Deserialize)]
pub(crate) struct Skills {
    /// The stored skills.
    pub(crate) skills: Vec<SkillRecord>,
    /// The skills that runs suggest.
    pub(crate) proposals: Vec<Advice>,
}

/// How feedback was kept.
pub(crate) enum KeptFeedback {
    /// With the result that it is about.
    Result(Judged),
    /// As a memory of its own.
    Recorded(Remembered),
}

/// A result with the number of reports about it.
pub(crate) struct Judged {
    pub(crate) memory: MemoryId,
    pub(crate) citation: String,
    pub(crate) useful: u32,
    pub(crate) useless: u32,
}

impl Judged {
    fn of(memory: &Memory) -> Self {
        let judgement = Judgement::of(&memory.metadata);
        Self {
            memory: memory.id,
            citation: memory.citation(),
            useful: judgement.useful,
            useless: judgement.useless,
        }
    }
}

/// Where and by whom an outcome is told.
pub(crate) struct ToldBy {
    pub(crate) thread: Option<String>,
    pub(crate) session: Option<String>,
    pub(crate) author: Option<String>,
}

/// Feedback as a server answers it.
#[derive(Deserialize)]
#[serde(untagged)]
enum Answered {
    Result { memory: MemoryId },
    Recorded(Remembered),
}

impl Reached {
    /// Records an action and what came of it.
    pub(crate) fn record_outcome(
        &self,
        outcome: ActionOutcome,
        told: ToldBy,
    ) -> Result<Remembered, Failure> {
        match self {
            Self::Here(space) => {
                space.note_used(&outcome.in_view)?;
                Ok(space.remember(Draft {
                    thread: told.thread,
                    session: told.session,
                    author: told.author,
                    ..Draft::experience(Experience::Outcome(outcome))
                })?)
            }
            Self::There(space) => {
                let told = json!({
                    "outcome": outcome, "thread": told.thread, "session": told.session,
                    "author": told.author,
                });
                Ok(space.post(&["experience", "outcomes"], &told)?)
            }
        }
    }

    /// Records how to do something better.
    pub(crate) fn record_lesson(
        &self,
        lesson: &Lesson,
        content: &str,
    ) -> Result<Remembered, Failure> {
        self.ask(
            |space| {
                space.remember(Draft {
                    content: content.to_owned(),
                    ..Draft::experience(Experience::Lesson(lesson.clone()))
                })
            },
            |space| {
                let told = json!({ "lesson": lesson, "content": content });
                space.post(&["experience", "lessons"], &told)
            },
        )
    }

    /// What is known about a situation.
    pub(crate) fn situation(&self, query: &ExperienceQuery) -> Result<Situation, Failure> {
        self.ask(
            |space| {
                let chance = match query.goal.trim() {
                    "" => None,
                    goal => space.run_chance(goal, &query.agent)?,
                };
                let advice = space.experience(query)?;
                Ok(Situation { advice, chance })
            },
            |space| {
                let situation = json!({
                    "goal": query.goal, "action": query.action, "object": query.object,
                    "error": query.error, "agent": query.agent, "limit": query.limit,
                });
                space.post(&["experience", "advice"], &situation)
            },
        )
    }

    /// Stored and proposed skills.
    pub(crate) fn skills(&self) -> Result<Skills, Failure> {
        self.ask(
            |space| {
                Ok(Skills {
                    skills: space.skill_records()?,
                    proposals: space.skill_proposals()?,
                })
            },
            |space| space.read(&["experience", "skills"], &Query::new()),
        )
    }

    /// Stores a proposed skill.
    pub(crate) fn keep_skill(&self, goal: &str) -> Result<Remembered, Failure> {
        self.ask(
            |space| space.keep_skill(goal),
            |space| space.post(&["experience", "skills"], &json!({ "goal": goal })),
        )
    }

    /// The lessons that finished attempts suggest.
    pub(crate) fn lesson_proposals(&self) -> Result<Vec<Advice>, Failure> {
        self.ask(Space::lesson_proposals, |space| {
            space.read_field(&["experience", "lessons"], &Query::new(), "proposals")
        })
    }

    /// Stores a proposed lesson.
    pub(crate) fn keep_lesson(&self, item: &str) -> Result<Remembered, Failure> {
        self.ask(
            |space| space.keep_lesson(item),
            |space| space.post(&["experience", "lessons", item, "keep"], &json!({})),
        )
    }

    /// Sets a proposed lesson aside.
    pub(crate) fn set_lesson_aside(&self, item: &str) -> Result<Remembered, Failure> {
        self.ask(
            |space| space.set_lesson_aside(item),
            |space| space.post(&["experience", "lessons", item, "set-aside"], &json!({})),
        )
    }

    /// Earlier searches with similar queries.
    pub(crate) fn similar_searches(
        &self,
        query: &str,
        limit: usize,
    ) -> Result<Vec<PastSearch>, Failure> {
        let like = Query::new().with("query", query).with("limit", limit);
        self.ask(
            |space| space.similar_searches(query, limit),
            |space| space.read_field(&["experience", "searches"], &like, "searches"),
        )
    }

    /// Keeps that the best result of a logged query was useful, or not.
    pub(crate) fn feedback_on_query(
        &self,
        number: u64,
        useful: bool,
        note: &str,
    ) -> Result<KeptFeedback, Failure> {
        match self {
            Self::Here(space) => {
                let memory = space.feedback_on_query(number, useful, note)?;
                Ok(KeptFeedback::Result(Judged::of(&memory)))
            }
            Self::There(space) => {
                let verdict = if useful { "useful" } else { "useless" };
                let told = json!({
                    "about": format!("q{number}"), "verdict": verdict, "comment": note,
                });
                feedback_there(space, &told)
            }
        }
    }

    /// Keeps an opinion, whose verdict is `word`.
    pub(crate) fn give_feedback(
        &self,
        opinion: Opinion,
        word: &str,
    ) -> Result<KeptFeedback, Failure> {
        match self {
            Self::Here(space) => Ok(match space.give_feedback(opinion)? {
                KeptOpinion::Result(memory) => KeptFeedback::Result(Judged::of(&memory)),
                KeptOpinion::Recorded(remembered) => KeptFeedback::Recorded(remembered),
            }),
            Self::There(space) => {
                let told = json!({
                    "about": opinion.about, "verdict": word, "comment": opinion.comment,
                    "wanted": opinion.wanted, "used": opinion.used,
                    "should_ask": opinion.should_ask,
                });
                feedback_there(space, &told)
            }
        }
    }

    /// The live values of working memory.
    pub(crate) fn working_memory(&self) -> Result<Vec<WorkingEntry>, Failure> {
        self.ask(
            |space| space.working_memory(None),
            |space| space.read_field(&["working"], &Query::new(), "values"),
        )
    }

    /// Sets a value of working memory; null removes it.
    pub(crate) fn set_working(
        &self,
        scope: &WorkingScope,
        key: &str,
        value: &Value,
        expires_at: Option<Timestamp>,
    ) -> Result<Remembered, Failure> {
        let set_here = |space: &Space| space.set_working(scope, key, value.clone(), expires_at);
        self.ask(set_here, |space| {
            let new = json!({
                "value": value, "session": scope.session, "agent": scope.agent,
                "expires_at": expires_at,
            });
            space.call(Method::Put, &["working", key], Some(&new))
        })
    }
}

fn feedback_there(space: &RemoteSpace, told: &Value) -> Result<KeptFeedback, Failure> {
    Ok(match space.post(&["feedback"], told)? {
        Answered::Recorded(remembered) => KeptFeedback::Recorded(remembered),
        Answered::Result { memory } => {
            KeptFeedback::Result(Judged::of(&space.peek(&memory.to_string())?))
        }
    })
}
