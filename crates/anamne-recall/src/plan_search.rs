//! Planning within a recall: runs the planner and records the outcome.

use std::time::Instant;

use anamne_types::{Hit, Plan, Ranking, RecallScope, Signals, Tier, TimeWords, Work};
use roaring::RoaringBitmap;

use crate::candidate_scope::CandidateScope;
use crate::model;
use crate::planner::{
    self, Advice, CreditedResult, ExecutedPlan, PlannedSearch, QuerySignature, QueryTrace,
    SearchRequest,
};
use crate::ranked::Ranked;
use crate::recall_context::{PreparedQuery, RecallContext};
use crate::sources::RecallSources;
use crate::words::Reader;

/// The first results that their tiers are credited with.
const CREDITED: usize = 10;

/// The outcome of a query.
pub(crate) struct AnsweredQuery<'a> {
    pub(crate) results: &'a [Hit],
    pub(crate) ranked: &'a [Ranked],
    /// The executed plan, if there was one.
    pub(crate) executed: Option<&'a ExecutedPlan>,
    pub(crate) started: Instant,
}

/// Searches in stages if tiers can be left out, else only counts the work of a full search; `None` without a planner.
pub(crate) fn search(
    context: &RecallContext<'_>,
    reader: &mut Reader<'_>,
    prepared: &PreparedQuery,
    scope: &CandidateScope,
) -> Option<PlannedSearch> {
    let recall = context.recall;
    let planner = context.sources.planner.as_ref()?;
    let has_vector = !prepared.vector.is_empty() && recall.signals != Signals::Lexical;
    let leaves_out =
        planner.may_leave_out && recall.signals == Signals::Full && recall.ranking == Ranking::Full;
    // The meaning of relative time words changes between queries.
    let is_settled = recall.scope == RecallScope::All && recall.time_words != TimeWords::Only;
    let advice = match context.sources.experience {
        Some(experience) if leaves_out && is_settled => {
            let rows = scope.rows.as_ref();
            with_signature(context, reader, rows, |signature| {
                experience.advise(signature)
            })
        }
        _ => Advice::default(),
    };
    let request = SearchRequest {
        recall,
        vector: has_vector.then_some(prepared.vector.as_slice()),
        depth: model::DEPTH.max(recall.limit),
        filter: scope.rows.as_ref(),
        advice,
    };
    let mut staged = leaves_out
        .then(|| planner::search(planner, reader, &request))
        .flatten();
    if let Some(outcome) = &mut staged
        && !is_settled
    {
        outcome.executed.colder = None;
    }
    Some(staged.unwrap_or_else(|| PlannedSearch {
        searched: None,
        executed: ExecutedPlan {
            plan: planner::count_all(planner, reader.query, &request),
            ..ExecutedPlan::default()
        },
    }))
}

/// Records the outcome in the query log.
pub(crate) fn record(
    context: &RecallContext<'_>,
    reader: &Reader<'_>,
    filter: Option<&RoaringBitmap>,
    answered: &AnsweredQuery<'_>,
) {
    let sources = context.sources;
    let AnsweredQuery {
        results,
        ranked,
        executed: outcome,
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
        Some(CreditedResult {
            row,
            tier: tier_of(row)?,
            by_words: candidate.is_some_and(|candidate| candidate.lexical.is_some()),
            by_meaning: candidate.is_some_and(|candidate| candidate.vector_rank.is_some()),
        })
    };
    let plan = outcome.map(|executed| &executed.plan);
    let trace = QueryTrace {
        found: results.iter().take(CREDITED).filter_map(found).collect(),
        confidence: results.first().map_or(0.0, |best| best.confidence),
        results: results.len(),
        searched: plan.map_or_else(|| tiers(sources), |plan| plan.tiers.clone()),
        left_out: plan.map_or_else(Vec::new, |plan| plan.left_out.clone()),
        work: plan.map_or_else(Work::default, |plan| plan.work),
        colder: outcome.and_then(|executed| executed.colder.clone()),
        stages: outcome.map_or(0, |executed| executed.stages),
        widened: plan.is_some_and(|plan| plan.widened),
        took_ms: started.elapsed().as_secs_f64() * 1_000.0,
    };
    with_signature(context, reader, filter, |signature| {
        experience.note(signature, trace);
    });
}

/// The plan to report without a planner: a view is unavailable, or the query is as of an earlier time.
pub(crate) fn unplanned_search(context: &RecallContext<'_>) -> Plan {
    let reason = if context.recall.as_of.is_now() {
        "a view is unavailable, so all available ones were searched"
    } else {
        "a query as of an earlier instant searches all tiers in scope"
    };
    Plan {
        tiers: tiers(context.sources),
        reasons: vec![reason.to_owned()],
        ..Plan::default()
    }
}

fn with_signature<T>(
    context: &RecallContext<'_>,
    reader: &Reader<'_>,
    filter: Option<&RoaringBitmap>,
    use_signature: impl FnOnce(&QuerySignature<'_>) -> T,
) -> T {
    let terms = reader.query.content.terms.iter();
    let terms: Vec<&str> = terms.map(|term| term.text.as_str()).collect();
    use_signature(&QuerySignature {
        recall: context.recall,
        terms: &terms,
        tiers: &context.sources.tiers,
        selected: filter.map(|filter| {
            let ends = (filter.min(), filter.max());
            (filter.len(), ends.0.unwrap_or(0), ends.1.unwrap_or(0))
        }),
    })
}

/// The tiers in scope.
fn tiers(sources: &RecallSources<'_>) -> Vec<Tier> {
    sources.tiers.iter().map(|(tier, _)| *tier).collect()
}
