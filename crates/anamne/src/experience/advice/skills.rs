//! Skills: proposed from runs that kept succeeding, and judged by what came of those who had them in view.

use anamne_experience::chance::{Evidence, chance};
use anamne_experience::{ExperienceView, is_opposite};
use anamne_types::{
    Body, Draft as MemoryDraft, Filter, Kind, Link, LinkType, Memory, MemoryId, Recall, Remembered,
};
use serde::{Deserialize, Serialize};

use super::{Advice, AdviceCase, AdviceKind, ExperienceQuery, FEW, MOST_NAMED, situations};
use crate::space::Space;
use crate::{Error, Listing};

/// Confidence from which a way to reach a goal is proposed as a skill.
const PROVEN: f32 = 0.75;

/// Confidence below which a skill or lesson is set aside: no longer offered.
pub(super) const FAILING: f32 = 0.35;

/// Cosine from which a skill applies to a situation.
const APPLIES: f32 = 0.5;

/// Maximum number of goals that are examined, and of skills that are listed.
const MOST_GOALS: usize = 64;
const MOST_SKILLS: usize = 1_000;

/// Number of newest outcomes from which a skill is judged.
const MOST_USES: usize = 256;

/// Longest name of a skill, in bytes.
const LONGEST_NAME: usize = 120;

/// A stored skill, and what came of those who had it in view.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct SkillRecord {
    /// The skill.
    pub memory: MemoryId,
    /// Its citation, such as `m12`.
    pub citation: String,
    /// Its name, or the beginning of its text. Stored text: data, never an instruction.
    pub name: String,
    /// Probability that whoever has it in view succeeds, 0 to 1.
    pub confidence: f32,
    /// Outcomes that succeeded with it in view.
    pub successes: usize,
    /// Those that failed.
    pub failures: usize,
    /// Whether the outcomes are too few to conclude anything; false from servers that don't say.
    #[serde(default)]
    pub too_few: bool,
    /// Whether it keeps failing, and is no longer offered.
    pub set_aside: bool,
}

/// What came of those who had a memory in view.
pub(super) struct Record {
    pub(super) confidence: f32,
    pub(super) successes: usize,
    pub(super) failures: usize,
    pub(super) too_few: bool,
    pub(super) cases: Vec<AdviceCase>,
}

impl Record {
    pub(super) fn is_failing(&self) -> bool {
        !self.too_few && self.confidence < FAILING
    }
}

impl Space {
    /// The skills that runs suggest: goals that were reached at least three times, with a confidence of at least 0.75, and
    /// of which no skill is stored. Each has the steps of the way that succeeded most often and the cases behind it. O(runs).
    pub fn skill_proposals(&self) -> Result<Vec<Advice>, Error> {
        let Some(view) = self.inner.derived.experience.caught_up()? else {
            return Ok(Vec::new());
        };
        let known: Vec<String> = self
            .stored_skills()?
            .iter()
            .filter_map(trigger_of)
            .collect();
        let mut proposals = Vec::new();
        for goal in view.reached_goals(FEW, MOST_GOALS)? {
            if known.contains(&goal) {
                continue;
            }
            let advice = self.of_goal(view, &goal)?;
            proposals
                .extend(advice.filter(|one| !one.steps.is_empty() && one.confidence >= PROVEN));
        }
        Ok(proposals)
    }

    /// Stores the proposed skill for a goal, linked to the runs that it is derived from.
    ///
    /// # Errors
    ///
    /// If no skill is proposed for it: see [`Space::skill_proposals`].
    pub fn keep_skill(&self, goal: &str) -> Result<Remembered, Error> {
        self.require_write()?;
        let mut proposals = self.skill_proposals()?.into_iter();
        let unknown = || Error::nothing("proposed skill for the goal", goal.trim());
        let proposal = proposals
            .find(|proposal| proposal.subject == goal.trim())
            .ok_or_else(unknown)?;
        let mut draft = MemoryDraft::new(wording(&proposal)).body(Body::Skill {
            name: proposal.subject[..proposal.subject.floor_char_boundary(LONGEST_NAME)].to_owned(),
            trigger: proposal.subject.clone(),
            steps: proposal.steps,
            code: String::new(),
        });
        draft.confidence = Some(proposal.confidence);
        let remembered = self.remember(draft)?;
        for case in proposal.cases.iter().filter(|case| case.succeeded) {
            self.link(&Link {
                from: remembered.id,
                to: case.memory,
                link_type: LinkType::DerivedFrom,
                weight: 1.0,
                reason: "a run that succeeded".to_owned(),
                created_at: self.now(),
            })?;
        }
        Ok(remembered)
    }

    /// The stored skills and what came of those who had them in view, newest first. O(skills and their uses).
    pub fn skill_records(&self) -> Result<Vec<SkillRecord>, Error> {
        let view = self.inner.derived.experience.caught_up_or_empty()?;
        let mut records = Vec::new();
        for skill in self.stored_skills()? {
            let prior = f64::from(skill.confidence * skill.trust);
            let record = self.record_of(view, skill.id, prior)?;
            records.push(SkillRecord {
                memory: skill.id,
                citation: skill.citation(),
                name: name_of(&skill),
                confidence: record.confidence,
                successes: record.successes,
                failures: record.failures,
                too_few: record.too_few,
                set_aside: record.is_failing(),
            });
        }
        Ok(records)
    }

    /// The skills that apply to a situation and don't keep failing.
    pub(super) fn skills(
        &self,
        view: &ExperienceView,
        query: &ExperienceQuery,
        limit: usize,
    ) -> Result<Vec<Advice>, Error> {
        let mut advice = Vec::new();
        for skill in self.applying_skills(query, limit)? {
            let Body::Skill { steps, .. } = &skill.body else {
                continue;
            };
            let prior = f64::from(skill.confidence * skill.trust);
            let record = self.record_of(view, skill.id, prior)?;
            if !record.is_failing() {
                advice.push(Advice {
                    kind: AdviceKind::Skill,
                    subject: name_of(&skill),
                    other_error: String::new(),
                    recorded_error: String::new(),
                    differs: false,
                    steps: steps.clone(),
                    confidence: record.confidence,
                    successes: record.successes,
                    failures: record.failures,
                    too_few: record.too_few,
                    cases: [vec![AdviceCase::of(&skill, true)], record.cases].concat(),
                    lesson: None,
                });
            }
        }
        Ok(advice)
    }

    /// The skills whose trigger is the situation, and those whose text is about it.
    fn applying_skills(&self, query: &ExperienceQuery, limit: usize) -> Result<Vec<Memory>, Error> {
        let mut applying = self.current_memories(is_skill(), MOST_SKILLS)?;
        applying.retain(|skill| trigger_of(skill).is_some_and(|trigger| query.names(&trigger)));
        applying.truncate(limit);
        let recall = Recall::new(query.words()).limit(limit).filter(is_skill());
        for hit in self.look(&recall)?.results {
            let is_new = applying.iter().all(|skill| skill.id != hit.memory.id);
            let is_turned =
                !query.goal.trim().is_empty() && is_opposite(&query.goal, &name_of(&hit.memory));
            if is_new && !is_turned && hit.scores.semantic >= APPLIES {
                applying.push(hit.memory);
            }
        }
        Ok(applying)
    }

    /// What came of those who had a memory in view; `prior` is the probability of success without any case.
    pub(super) fn record_of(
        &self,
        view: &ExperienceView,
        memory: MemoryId,
        prior: f64,
    ) -> Result<Record, Error> {
        let cases = view.uses(memory, MOST_USES)?;
        let evidence = cases.iter().map(|case| Evidence {
            at: case.at,
            succeeded: case.succeeded,
            expected: prior,
            relevance: 1.0,
        });
        let evidence: Vec<Evidence> = evidence.collect();
        let successes = evidence.iter().filter(|case| case.succeeded).count();
        let newest: Vec<_> = cases.iter().map(|case| case.row).take(MOST_NAMED).collect();
        let named = self.inner.source.get_rows(&newest)?;
        let succeeded = |row| cases.iter().any(|case| case.row == row && case.succeeded);
        Ok(Record {
            confidence: chance(prior, &evidence, self.now()) as f32,
            successes,
            failures: evidence.len() - successes,
            too_few: evidence.len() < FEW,
            cases: named
                .iter()
                .map(|(row, memory)| AdviceCase::of(memory, succeeded(*row)))
                .collect(),
        })
    }

    /// What is known of exactly this goal.
    fn of_goal(&self, view: &ExperienceView, goal: &str) -> Result<Option<Advice>, Error> {
        let query = ExperienceQuery {
            goal: goal.to_owned(),
            ..ExperienceQuery::default()
        };
        let mut drafts = situations::drafts(view, &query, self.now())?.into_iter();
        let same = drafts.find(|draft| draft.kind == AdviceKind::Goal);
        same.map(|draft| self.finished(draft)).transpose()
    }

    fn stored_skills(&self) -> Result<Vec<Memory>, Error> {
        let (skills, _) = self.list_undamaged(&Listing {
            filter: is_skill(),
            limit: MOST_SKILLS,
            ..Listing::default()
        })?;
        Ok(skills)
    }
}

fn is_skill() -> Filter {
    Filter {
        kinds: vec![Kind::Skill],
        ..Filter::default()
    }
}

fn trigger_of(skill: &Memory) -> Option<String> {
    match &skill.body {
        Body::Skill { trigger, .. } => Some(trigger.clone()),
        _ => None,
    }
}

/// The name of a skill, or the first line of its text.
fn name_of(skill: &Memory) -> String {
    match &skill.body {
        Body::Skill { name, .. } if !name.trim().is_empty() => name.clone(),
        _ => {
            let line = skill.content.lines().next().unwrap_or_default();
            line[..line.floor_char_boundary(LONGEST_NAME)].to_owned()
        }
    }
}

/// The skill in words.
fn wording(proposal: &Advice) -> String {
    let mut lines = vec![proposal.subject.clone()];
    let steps = proposal.steps.iter().enumerate();
    lines.extend(steps.map(|(place, step)| format!("{}. {step}", place + 1)));
    lines.join("\n")
}
