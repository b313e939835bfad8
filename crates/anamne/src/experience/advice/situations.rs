//! The cases of a situation: of its error, its call and its goal.

use anamne_experience::chance::Evidence;
use anamne_experience::normal;
use anamne_experience::{Case, CaseFilter, ExperienceView, Recovery, RunSummary};
use jiff::Timestamp;

use super::{AdviceKind, Behind, Draft, ExperienceQuery, Recorded, Subject};
use crate::Error;

/// Number of newest cases that are read of a call, an error or a goal.
const MOST_CASES: usize = 256;

/// Cosine from which another goal counts as similar.
const SIMILAR: f32 = 0.6;

/// Similar goals that are compared.
const MOST_GOALS: usize = 8;

/// Calls shown of a successful run.
const MOST_STEPS: usize = 12;

/// Everything that is known about a situation, before it is named.
pub(super) fn drafts(
    view: &ExperienceView,
    query: &ExperienceQuery,
    now: Timestamp,
) -> Result<Vec<Draft>, Error> {
    let prior = f64::from(view.success_share()?);
    let mut drafts = Vec::new();
    if !query.error.trim().is_empty() {
        drafts.extend(recoveries(view, query, now)?);
    }
    if !query.action.trim().is_empty() {
        drafts.extend(of_call(view, query, prior)?);
    }
    if !query.goal.trim().is_empty() {
        drafts.extend(of_goals(view, query)?);
    }
    Ok(drafts)
}

/// What was done after the error, by call.
fn recoveries(
    view: &ExperienceView,
    query: &ExperienceQuery,
    now: Timestamp,
) -> Result<Vec<Draft>, Error> {
    let found = view.recoveries(&query.error, &query.goal, &query.agent, now)?;
    let asked = normal::error(&query.error);
    let drafts = found.into_iter().filter_map(|one| of_recovery(one, &asked));
    Ok(drafts.collect())
}

fn of_recovery(recovery: Recovery, asked: &str) -> Option<Draft> {
    let expected = recovery.expected;
    let behind = recovery.cases.iter().map(|case| Behind {
        row: case.row,
        evidence: case.evidence(expected),
    });
    let behind = behind.collect();
    let is_same = recovery.cases.iter().any(|case| case.error == asked);
    let first = recovery.cases.into_iter().next()?;
    Some(Draft {
        kind: AdviceKind::Recovery,
        other_error: if is_same { String::new() } else { first.error },
        subject: Subject::Call(Recorded {
            row: first.row,
            step: first.step,
            normal: first.call,
        }),
        steps: Vec::new(),
        prior: expected,
        cases: behind,
    })
}

/// How often the call succeeded, or without an object, how often calls of the action did.
fn of_call(
    view: &ExperienceView,
    query: &ExperienceQuery,
    prior: f64,
) -> Result<Option<Draft>, Error> {
    let is_any = query.object.trim().is_empty();
    let cases = if is_any {
        view.calls_of(&query.action, MOST_CASES)?
    } else {
        let filter = CaseFilter::Call {
            action: &query.action,
            object: &query.object,
        };
        view.cases(filter, MOST_CASES)?
    };
    let Some(newest) = cases.first() else {
        return Ok(None);
    };
    let behind = cases.iter().map(|case| Behind {
        row: case.row,
        evidence: Evidence {
            at: case.at,
            succeeded: case.succeeded,
            expected: prior,
            relevance: 1.0,
        },
    });
    Ok(Some(Draft {
        kind: AdviceKind::Call,
        other_error: String::new(),
        subject: if is_any {
            Subject::Named(normal::name(&query.action).to_owned())
        } else {
            Subject::Call(recorded(newest.clone()))
        },
        steps: Vec::new(),
        prior,
        cases: behind.collect(),
    }))
}

/// The runs with this goal and with similar ones.
fn of_goals(view: &ExperienceView, query: &ExperienceQuery) -> Result<Vec<Draft>, Error> {
    let mut runs = view.similar_runs(&query.goal, MOST_GOALS, MOST_CASES)?;
    runs.retain(|(cosine, _)| *cosine >= SIMILAR);
    let agents = runs.iter().map(|(_, run)| run.outcome.agent.as_str());
    let agents: Vec<&str> = agents.chain([query.agent.as_str()]).collect();
    let shares = view.run_shares(&agents)?;
    let mut drafts = Vec::new();
    for of_goal in runs.chunk_by(|(_, one), (_, next)| one.goal == next.goal) {
        let Some((_, first)) = of_goal.first() else {
            continue;
        };
        let behind = of_goal.iter().map(|(_, run)| Behind {
            row: run.outcome.row,
            evidence: shares.evidence(&run.outcome, 1.0),
        });
        let is_same = first.goal.to_lowercase() == normal::name(&query.goal).to_lowercase();
        drafts.push(Draft {
            kind: if is_same {
                AdviceKind::Goal
            } else {
                AdviceKind::SimilarGoal
            },
            subject: Subject::Named(first.goal.clone()),
            other_error: String::new(),
            steps: steps_of_success(view, of_goal)?,
            prior: shares.of(&query.agent),
            cases: behind.collect(),
        });
    }
    Ok(drafts)
}

/// The calls of the newest run that succeeded.
fn steps_of_success(
    view: &ExperienceView,
    runs: &[(f32, RunSummary)],
) -> Result<Vec<Recorded>, Error> {
    let is_example = |run: &&RunSummary| run.outcome.succeeded && !run.run.is_empty();
    let Some(example) = runs.iter().map(|(_, run)| run).find(is_example) else {
        return Ok(Vec::new());
    };
    let steps = view.cases(CaseFilter::Run(&example.run), MOST_CASES)?;
    let done = steps
        .into_iter()
        .filter(|step| step.succeeded && !step.ends_run);
    Ok(done.map(recorded).take(MOST_STEPS).collect())
}

fn recorded(case: Case) -> Recorded {
    Recorded {
        row: case.row,
        step: case.step,
        normal: case.call,
    }
}
