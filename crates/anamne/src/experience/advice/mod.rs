//! "What worked before?": advice from the cases of a situation.

use std::collections::BTreeMap;

use anamne_experience::{CaseFilter, ExperienceView, RunSummary};
use anamne_types::{InvalidValue, Limits, Memory, MemoryId, Row};
use jiff::Timestamp;
use serde::Serialize;

use crate::Error;
use crate::space::Space;

/// Number of newest cases that are read of a call, an error or a goal.
const MOST_CASES: usize = 256;

/// The fewest cases that allow a conclusion.
const FEW: usize = 3;

/// Advice that an answer holds unless told.
const DEFAULT_LIMIT: usize = 5;

/// Cosine from which another goal counts as similar.
const SIMILAR: f32 = 0.6;

/// Cosine from which a lesson applies.
const APPLIES: f32 = 0.5;

/// Similar goals, and the runs of each, that are compared.
const MOST_GOALS: usize = 8;

/// Memories named as evidence for one advice.
const MOST_NAMED: usize = 8;

/// Calls shown of a successful run.
const MOST_STEPS: usize = 12;

/// Days after which a case counts half.
const HALF_LIFE_DAYS: f64 = 90.0;

/// Weight of the prior, in cases.
const PRIOR_CASES: f64 = 2.0;

const MICROSECONDS_PER_DAY: f64 = 86_400e6;

/// A situation in which experience is asked for; at least one text is given.
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
    /// Maximum number of advices, 1 to 1 000; 5 if not given.
    pub limit: Option<usize>,
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
    /// What runs with a similar goal did.
    SimilarGoal,
    /// A lesson that applies.
    Lesson,
}

impl AdviceKind {
    /// Its name in JSON.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Recovery => "recovery",
            Self::Call => "call",
            Self::Goal => "goal",
            Self::SimilarGoal => "similar_goal",
            Self::Lesson => "lesson",
        }
    }
}

/// A memory behind an advice.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct AdviceCase {
    /// The memory.
    pub memory: MemoryId,
    /// Its citation, such as `m12`.
    pub citation: String,
    /// Whether it succeeded.
    pub succeeded: bool,
}

/// What is known about one way to act.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Advice {
    /// What it is about.
    pub kind: AdviceKind,
    /// The call, goal or lesson that it names. Recorded text: data, never an instruction.
    pub subject: String,
    /// The calls of the newest successful run, in order; only for goals.
    pub steps: Vec<String>,
    /// Probability that it succeeds: the mean of a Beta posterior, 0 to 1.
    pub confidence: f32,
    /// Number of successful cases.
    pub successes: usize,
    /// Number of failed cases.
    pub failures: usize,
    /// Whether the cases are too few to conclude anything.
    pub too_few: bool,
    /// The newest cases.
    pub cases: Vec<AdviceCase>,
}

/// One case before it is named.
#[derive(Clone, Copy)]
struct Evidence {
    row: Row,
    at: i64,
    succeeded: bool,
}

/// Advice in preparation.
struct Draft {
    kind: AdviceKind,
    subject: String,
    steps: Vec<String>,
    evidence: Vec<Evidence>,
}

impl ExperienceQuery {
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
    /// succeeded, what similar runs did, and lessons. Recoveries come first, then by confidence.
    ///
    /// A confidence is the mean of a Beta posterior: the prior is the share of successes of the newest thousand outcomes,
    /// with the weight of two cases; each case counts half after 90 days. O(goals and cases of the situation).
    pub fn experience(&self, query: &ExperienceQuery) -> Result<Vec<Advice>, Error> {
        let limit = query.check()?;
        let Some(view) = self.inner.derived.experience.caught_up()? else {
            return Ok(Vec::new());
        };
        let mut drafts = Vec::new();
        if !query.error.trim().is_empty() {
            drafts.extend(recoveries(view, &query.error)?);
        }
        if !query.action.trim().is_empty() {
            drafts.extend(of_call(view, query)?);
        }
        if !query.goal.trim().is_empty() {
            drafts.extend(of_goals(view, &query.goal)?);
        }
        let prior = f64::from(view.success_share()?);
        let mut advice = Vec::with_capacity(drafts.len());
        for draft in drafts {
            advice.push(self.finished(draft, prior)?);
        }
        advice.extend(self.lessons(view, query, limit)?);
        // Stable, so that equal ones keep their order.
        advice.sort_by(|one, other| {
            let is_recovery = |advice: &Advice| advice.kind == AdviceKind::Recovery;
            let by_kind = is_recovery(other).cmp(&is_recovery(one));
            by_kind.then(other.confidence.total_cmp(&one.confidence))
        });
        advice.truncate(limit);
        Ok(advice)
    }

    fn finished(&self, draft: Draft, prior: f64) -> Result<Advice, Error> {
        let successes = draft.evidence.iter().filter(|case| case.succeeded).count();
        let newest: Vec<Row> = draft.evidence.iter().map(|case| case.row).collect();
        let newest = &newest[..newest.len().min(MOST_NAMED)];
        let named = self.inner.source.get_rows(newest)?;
        let succeeded: BTreeMap<Row, bool> = draft
            .evidence
            .iter()
            .map(|case| (case.row, case.succeeded))
            .collect();
        Ok(Advice {
            kind: draft.kind,
            subject: draft.subject,
            steps: draft.steps,
            confidence: posterior(&draft.evidence, prior, self.now()) as f32,
            successes,
            failures: draft.evidence.len() - successes,
            too_few: draft.evidence.len() < FEW,
            cases: named
                .into_iter()
                .map(|(row, memory)| AdviceCase {
                    memory: memory.id,
                    citation: memory.citation(),
                    succeeded: succeeded.get(&row).copied().unwrap_or_default(),
                })
                .collect(),
        })
    }

    fn lessons(
        &self,
        view: &ExperienceView,
        query: &ExperienceQuery,
        limit: usize,
    ) -> Result<Vec<Advice>, Error> {
        let asked = [&query.goal, &query.action, &query.object, &query.error];
        let asked: Vec<&str> = asked.map(String::as_str).into_iter().collect();
        let found = view.lessons(&asked.join(" "), limit)?;
        let applying: Vec<_> = found
            .into_iter()
            .filter(|(cosine, _)| *cosine >= APPLIES)
            .collect();
        let rows: Vec<Row> = applying.iter().map(|(_, row)| *row).collect();
        let cosines: BTreeMap<Row, f32> = applying
            .into_iter()
            .map(|(cosine, row)| (row, cosine))
            .collect();
        let memories = self.inner.source.get_rows(&rows)?.into_iter();
        Ok(memories
            .map(|(row, memory)| of_lesson(memory, cosines.get(&row).copied().unwrap_or_default()))
            .collect())
    }
}

fn of_lesson(memory: Memory, cosine: f32) -> Advice {
    Advice {
        kind: AdviceKind::Lesson,
        confidence: cosine * memory.confidence * memory.trust,
        successes: 0,
        failures: 0,
        too_few: false,
        steps: Vec::new(),
        cases: vec![AdviceCase {
            memory: memory.id,
            citation: memory.citation(),
            succeeded: true,
        }],
        subject: memory.content,
    }
}

/// What was done after an error, by call.
fn recoveries(view: &ExperienceView, error: &str) -> Result<Vec<Draft>, Error> {
    let mut by_call: BTreeMap<String, Vec<Evidence>> = BTreeMap::new();
    for case in view.recoveries(error, MOST_CASES)? {
        by_call.entry(case.call).or_default().push(Evidence {
            row: case.row,
            at: case.at,
            succeeded: case.run_succeeded != Some(false),
        });
    }
    Ok(by_call
        .into_iter()
        .map(|(subject, evidence)| Draft {
            kind: AdviceKind::Recovery,
            subject,
            steps: Vec::new(),
            evidence,
        })
        .collect())
}

fn of_call(view: &ExperienceView, query: &ExperienceQuery) -> Result<Option<Draft>, Error> {
    let filter = CaseFilter::Call {
        action: &query.action,
        object: &query.object,
    };
    let cases = view.cases(filter, MOST_CASES)?;
    let Some(first) = cases.first() else {
        return Ok(None);
    };
    let evidence = cases.iter().map(|case| Evidence {
        row: case.row,
        at: case.at,
        succeeded: case.succeeded,
    });
    Ok(Some(Draft {
        kind: AdviceKind::Call,
        subject: first.call.clone(),
        steps: Vec::new(),
        evidence: evidence.collect(),
    }))
}

/// The runs with this goal and with similar ones.
fn of_goals(view: &ExperienceView, goal: &str) -> Result<Vec<Draft>, Error> {
    let mut drafts: Vec<(Draft, Option<String>)> = Vec::new();
    for (cosine, run) in view.similar_runs(goal, MOST_GOALS, MOST_CASES)? {
        if cosine < SIMILAR {
            continue;
        }
        let RunSummary {
            goal: of,
            run,
            outcome,
        } = run;
        let evidence = Evidence {
            row: outcome.row,
            at: outcome.at,
            succeeded: outcome.succeeded,
        };
        let kind = if of == goal.trim() {
            AdviceKind::Goal
        } else {
            AdviceKind::SimilarGoal
        };
        if drafts.last().is_none_or(|(last, _)| last.subject != of) {
            let draft = Draft {
                kind,
                subject: of,
                steps: Vec::new(),
                evidence: Vec::new(),
            };
            drafts.push((draft, None));
        }
        if let Some((draft, example)) = drafts.last_mut() {
            draft.evidence.push(evidence);
            if example.is_none() && outcome.succeeded && !run.is_empty() {
                *example = Some(run);
            }
        }
    }
    let mut finished = Vec::with_capacity(drafts.len());
    for (mut draft, example) in drafts {
        if let Some(run) = example {
            let steps = view.cases(CaseFilter::Run(&run), MOST_CASES)?;
            let steps = steps
                .into_iter()
                .filter(|step| step.succeeded && !step.ends_run);
            draft.steps = steps.map(|step| step.call).take(MOST_STEPS).collect();
        }
        finished.push(draft);
    }
    Ok(finished)
}

/// The mean of a Beta posterior of success; a case counts half after [`HALF_LIFE_DAYS`].
fn posterior(evidence: &[Evidence], prior: f64, now: Timestamp) -> f64 {
    let (mut successes, mut all) = (prior * PRIOR_CASES, PRIOR_CASES);
    for case in evidence {
        // A case from the future counts like one of now.
        let age = now.as_microsecond().saturating_sub(case.at).max(0) as f64;
        let weight = (-age / MICROSECONDS_PER_DAY / HALF_LIFE_DAYS).exp2();
        all += weight;
        successes += if case.succeeded { weight } else { 0.0 };
    }
    successes / all
}

#[cfg(test)]
mod tests {
    use super::*;

    fn case(days_ago: i64, succeeded: bool) -> Evidence {
        Evidence {
            row: Row(1),
            at: -days_ago * 86_400_000_000,
            succeeded,
        }
    }

    #[test]
    fn posterior_moves_from_the_prior_to_the_cases() {
        let now = Timestamp::UNIX_EPOCH;
        assert!((posterior(&[], 0.5, now) - 0.5).abs() < 1e-9);
        let many = vec![case(0, true); 98];
        assert!((posterior(&many, 0.5, now) - 0.99).abs() < 1e-9);
    }

    #[test]
    fn old_cases_and_cases_of_the_future_are_bounded() {
        let now = Timestamp::UNIX_EPOCH;
        let turned = [case(0, false), case(360, true), case(360, true)];
        assert!(posterior(&turned, 0.5, now) < 0.5);
        let ahead = [case(-36_500, true)];
        assert!((posterior(&ahead, 0.5, now) - 2.0 / 3.0).abs() < 1e-9);
    }
}
