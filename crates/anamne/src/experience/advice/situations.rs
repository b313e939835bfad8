//! The cases of a situation: of its error, its call and its goal.

use anamne_experience::chance::Evidence;
use anamne_experience::normal;
use anamne_experience::{Case, CaseFilter, ExperienceView, Recovery, RecoveryCase};
use jiff::Timestamp;

use super::ways::best_way;
use super::{AdviceKind, Behind, Draft, ExperienceQuery, Recorded, Subject};
use crate::Error;

/// Number of newest cases that are read of a call, an error or a goal.
const MOST_CASES: usize = 256;

/// Cosine from which another goal counts as similar.
const SIMILAR: f32 = 0.6;

/// Similar goals that are compared.
const MOST_GOALS: usize = 8;

/// Calls shown of the way to a goal.
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
    let form = normal::error(&query.error);
    let names = normal::error_names(&query.error);
    let drafts = found
        .into_iter()
        .filter_map(|one| of_recovery(&one, &form, names));
    Ok(drafts.collect())
}

/// Shows the case of the very error that is asked for, else of one that differs in names or numbers, else the first one.
fn of_recovery(recovery: &Recovery, form: &str, names: i64) -> Option<Draft> {
    let expected = recovery.expected;
    let behind = recovery.cases.iter().map(|case| Behind {
        row: case.row,
        evidence: case.evidence(expected),
    });
    let behind = behind.collect();
    let cases = &recovery.cases;
    let has_form = |case: &&RecoveryCase| case.error == form;
    let same = cases
        .iter()
        .find(|case| has_form(case) && case.error_names == names);
    let similar = cases.iter().find(has_form);
    let shown = same.or(similar).or(cases.first())?;
    Some(Draft {
        kind: AdviceKind::Recovery,
        other_error: match similar {
            Some(_) => String::new(),
            None => shown.error.clone(),
        },
        failed: same.is_none().then_some(shown.failed),
        differs: same.is_none() && similar.is_some(),
        subject: Subject::Call(Recorded {
            row: shown.row,
            step: shown.step,
            normal: shown.call.clone(),
        }),
        steps: Vec::new(),
        prior: expected,
        cases: behind,
    })
}

/// How often the call succeeded, and calls that differ from it in names or numbers; without an object, how often calls of the action
/// did.
fn of_call(
    view: &ExperienceView,
    query: &ExperienceQuery,
    prior: f64,
) -> Result<Vec<Draft>, Error> {
    if query.object.trim().is_empty() {
        let cases = view.calls_of(&query.action, MOST_CASES)?;
        let named = || Subject::Named(normal::name(&query.action).to_owned());
        let draft = cases.first().map(|_| of_calls(&cases, named(), prior));
        return Ok(draft.into_iter().collect());
    }
    let filter = CaseFilter::Call {
        action: &query.action,
        object: &query.object,
    };
    let names = normal::call_names(&query.action, &query.object);
    let cases = view.cases(filter, MOST_CASES)?.into_iter();
    let (same, similar): (Vec<Case>, Vec<Case>) = cases.partition(|case| case.call_names == names);
    let drafts = [(same, false), (similar, true)].into_iter();
    let drafts = drafts.filter_map(|(cases, differs)| {
        let newest = Subject::Call(recorded(cases.first()?.clone()));
        Some(Draft {
            differs,
            ..of_calls(&cases, newest, prior)
        })
    });
    Ok(drafts.collect())
}

fn of_calls(cases: &[Case], subject: Subject, prior: f64) -> Draft {
    let behind = cases.iter().map(|case| Behind {
        row: case.row,
        evidence: Evidence {
            at: case.at,
            succeeded: case.succeeded,
            expected: prior,
            relevance: 1.0,
        },
    });
    Draft {
        kind: AdviceKind::Call,
        other_error: String::new(),
        failed: None,
        differs: false,
        subject,
        steps: Vec::new(),
        prior,
        cases: behind.collect(),
    }
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
            failed: None,
            differs: false,
            steps: best_way(view, of_goal)?
                .into_iter()
                .map(recorded)
                .take(MOST_STEPS)
                .collect(),
            prior: shares.of(&query.agent),
            cases: behind.collect(),
        });
    }
    Ok(drafts)
}

fn recorded(case: Case) -> Recorded {
    Recorded {
        row: case.row,
        step: case.step,
        normal: case.call,
    }
}
