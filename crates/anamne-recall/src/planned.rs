//! A recall's part in planning: it asks the planner, and tells what came of it.

use std::time::Instant;

use anamne_types::{Hit, Plan, Ranking, RecallScope, Signals, Tier, TimeWords, Work};
use roaring::RoaringBitmap;

use crate::looking::{self, Looking};
use crate::model;
use crate::planner::{self, Advice, Asked, Asking, Followed, Found, Outcome, Trace};
use crate::ranked::Ranked;
use crate::reach::Reach;
use crate::sources::RecallSources;
use crate::words::Reader;

/// The first results that tiers are credited for.
const CREDITED: usize = 10;

/// How a question was answered.
pub(crate) struct Answered<'a> {
    pub(crate) results: &'a [Hit],
    pub(crate) ranked: &'a [Ranked],
    /// The plan, where there was one.
    pub(crate) followed: Option<&'a Followed>,
    pub(crate) started: Instant,
}

/// Searches in stages where there is something to plan, or counts what a search of everything touches; `None` where
/// there is neither.
pub(crate) fn search(
    looking: &Looking<'_>,
    reader: &mut Reader<'_>,
    asked: &looking::Asked,
    reach: &Reach,
) -> Option<Outcome> {
    let recall = looking.recall;
    let planner = looking.sources.planner.as_ref()?;
    let has_vector = !asked.vector.is_empty() && recall.signals != Signals::Lexical;
    let leaves_out =
        planner.may_leave_out && recall.signals == Signals::Full && recall.ranking == Ranking::Full;
    // What the question's words were taken for may be another time each time it is asked.
    let is_settled = recall.scope == RecallScope::All && recall.time_words != TimeWords::Only;
    let advice = match looking.sources.experience {
        Some(experience) if leaves_out && is_settled => {
            let rows = reach.rows.as_ref();
            with_asked(looking, reader, rows, |asked| experience.advise(asked))
        }
        _ => Advice::default(),
    };
    let asking = Asking {
        recall,
        vector: has_vector.then_some(asked.vector.as_slice()),
        depth: model::DEPTH.max(recall.limit),
        filter: reach.rows.as_ref(),
        advice,
    };
    let mut staged = leaves_out
        .then(|| planner::search(planner, reader, &asking))
        .flatten();
    if let Some(outcome) = &mut staged
        && !is_settled
    {
        outcome.followed.colder = None;
    }
    Some(staged.unwrap_or_else(|| Outcome {
        searched: None,
        followed: Followed {
            plan: planner::count_all(planner, reader.question, &asking),
            ..Followed::default()
        },
    }))
}

/// Tells what was learned.
pub(crate) fn note(
    looking: &Looking<'_>,
    reader: &Reader<'_>,
    filter: Option<&RoaringBitmap>,
    answered: &Answered<'_>,
) {
    let sources = looking.sources;
    let Answered {
        results,
        ranked,
        followed: outcome,
        started,
    } = *answered;
    let Some(experience) = sources.experience else {
        return;
    };
    let tier_of = |row| match &sources.planner {
        Some(planner) => planner.tier_of(row).map(|place| planner.tiers[place]),
        None => sources.tiers.first().map(|(tier, _)| *tier),
    };
    let found = |hit: &Hit| {
        let row = hit.memory.row;
        let ranked = ranked.iter().find(|ranked| ranked.candidate.row == row);
        let candidate = ranked.map(|ranked| &ranked.candidate);
        Some(Found {
            row,
            tier: tier_of(row)?,
            by_words: candidate.is_some_and(|candidate| candidate.lexical.is_some()),
            by_meaning: candidate.is_some_and(|candidate| candidate.vector_rank.is_some()),
        })
    };
    let plan = outcome.map(|followed| &followed.plan);
    let trace = Trace {
        found: results.iter().take(CREDITED).filter_map(found).collect(),
        confidence: results.first().map_or(0.0, |best| best.confidence),
        results: results.len(),
        searched: plan.map_or_else(|| tiers(sources), |plan| plan.tiers.clone()),
        left_out: plan.map_or_else(Vec::new, |plan| plan.left_out.clone()),
        work: plan.map_or_else(Work::default, |plan| plan.work),
        colder: outcome.and_then(|followed| followed.colder.clone()),
        stages: outcome.map_or(0, |followed| followed.stages),
        widened: plan.is_some_and(|plan| plan.widened),
        took_ms: started.elapsed().as_secs_f64() * 1_000.0,
    };
    with_asked(looking, reader, filter, |asked| {
        experience.note(asked, trace);
    });
}

/// What there is to say where nothing was planned or counted: a view could not take part, or the question is as of an
/// instant.
pub(crate) fn unplanned(looking: &Looking<'_>) -> Plan {
    let reason = if looking.recall.as_of.is_now() {
        "a view can't take part, so everything that can was searched"
    } else {
        "a question as of an instant searches everything within reach"
    };
    Plan {
        tiers: tiers(looking.sources),
        reasons: vec![reason.to_owned()],
        ..Plan::default()
    }
}

fn with_asked<T>(
    looking: &Looking<'_>,
    reader: &Reader<'_>,
    filter: Option<&RoaringBitmap>,
    tell: impl FnOnce(&Asked<'_>) -> T,
) -> T {
    let terms = reader.question.content.terms.iter();
    let terms: Vec<&str> = terms.map(|term| term.text.as_str()).collect();
    tell(&Asked {
        recall: looking.recall,
        terms: &terms,
        tiers: &looking.sources.tiers,
        selected: filter.map(|filter| {
            let ends = (filter.min(), filter.max());
            (filter.len(), ends.0.unwrap_or(0), ends.1.unwrap_or(0))
        }),
    })
}

/// The tiers within reach.
fn tiers(sources: &RecallSources<'_>) -> Vec<Tier> {
    sources.tiers.iter().map(|(tier, _)| *tier).collect()
}
