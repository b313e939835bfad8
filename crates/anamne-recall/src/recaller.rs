//! One recall, from query to answer: runs all stages.

use std::borrow::Cow;

use anamne_types::{
    Answer, Context, ContextRequest, Hit, Plan, PromptContext, PromptRequest, Ranking, Recall,
    TimeWords,
};
use roaring::RoaringBitmap;
use rustc_hash::FxHashSet;

use crate::candidate_scope::CandidateScope;
use crate::candidates::Searched;
use crate::confidence::{PromptInputs, full_confidence, search_only_confidence};
use crate::context::Purpose;
use crate::disputes::KnownDisputes;
use crate::error::RecallError;
use crate::expansion::{self, Expansion};
use crate::model;
use crate::observing::{RecallStage, StageTimes};
use crate::past::AsOfColumns;
use crate::plan_search::{self, AnsweredQuery};
use crate::planner;
use crate::ranking_options::RankingOptions;
use crate::recall_context::{PreparedQuery, RecallContext};
use crate::sources::{KNOWLEDGE, RecallSources};
use crate::tiers::TieredColumns;
use crate::valid_rows::ValidRows;
use crate::views::SearchHit;
use crate::words::{ParsedQuery, Reader};
use crate::{
    abstain, answer, clarification, context, duplicates, ranking, rare_word, related, reordering,
    successors,
};

/// Answers queries from its sources.
pub struct Recaller<'space>(RecallSources<'space>);

/// Listed as degraded if the query could not be embedded.
const EMBEDDER: &str = "embedding model";

/// Listed as degraded if the reranker failed; results are ordered without it.
const RERANKER: &str = "reranker";

/// Additional hits per search among memories of the time that the query mentions.
const PREFERRED_DEPTH: usize = 32;

impl<'space> Recaller<'space> {
    /// Answers from these sources.
    pub fn new(sources: RecallSources<'space>) -> Self {
        Self(sources)
    }

    /// Answers a query.
    pub fn recall(&self, recall: &Recall) -> Result<Answer, RecallError> {
        let times = StageTimes::start(self.0.observer);
        recall.check()?;
        let Answered {
            query, mut answer, ..
        } = self.answer(recall, &times, false)?;
        let (results, connections) = (&answer.results, self.0.connections);
        answer.needs_clarification =
            clarification::readings(&recall.query, &query, results, connections);
        times.end_of(RecallStage::Answer);
        times.report();
        answer.took_ms = times.milliseconds();
        Ok(answer)
    }

    /// Answers a query with a context block within a token budget.
    pub fn context(&self, request: &ContextRequest) -> Result<Context, RecallError> {
        let times = StageTimes::start(self.0.observer);
        request.check()?;
        let answered = self.answer(&request.recall, &times, false)?;
        let (recall, budget) = (&request.recall, request.budget());
        let mut context = self.block(recall, &answered, budget, Purpose::Question)?;
        times.end_of(RecallStage::Pack);
        times.report();
        context.took_ms = times.milliseconds();
        Ok(context)
    }

    /// Judges whether the memory knows something of what a prompt is about, and answers with a block if it does.
    pub fn for_prompt(&self, request: &PromptRequest) -> Result<PromptContext, RecallError> {
        let times = StageTimes::start(self.0.observer);
        request.check()?;
        let recall = request.recall();
        let mut answered = self.answer(&recall, &times, true)?;
        let mut found = PromptContext::default();
        if let Some(inputs) = &answered.prompt_inputs {
            found.relevance = inputs.probability();
            let named = |(name, value)| (Cow::Borrowed(name), value);
            found.judged_by = inputs.table().map(named).collect();
        }
        let is_new = |hit: &Hit| !request.shown.contains(&hit.memory.id);
        let results = &mut answered.answer.results;
        let best = highest_confidence(results);
        results.retain(is_new);
        // If what was shown is the evidence, the rest isn't added in its place.
        let relevance_of_new = found.relevance * highest_confidence(results) / best;
        if relevance_of_new < request.threshold || results.is_empty() || found.judged_by.is_empty()
        {
            times.report();
            return Ok(found);
        }
        context::alternate_threads(results, |hit| hit.memory.thread.as_deref());
        let budget = request.token_budget;
        let mut context = self.block(&recall, &answered, budget, Purpose::Prompt)?;
        times.end_of(RecallStage::Pack);
        times.report();
        context.took_ms = times.milliseconds();
        found.context = (!context.entries.is_empty()).then_some(context);
        Ok(found)
    }

    /// The block of an answer.
    fn block(
        &self,
        recall: &Recall,
        answered: &Answered,
        budget: usize,
        purpose: Purpose,
    ) -> Result<Context, RecallError> {
        let query = &answered.query;
        let passage_query =
            context::PassageQuery::new(&recall.query, &query.content.terms, &query.term_weights);
        let (source, answer) = (self.0.source, &answered.answer);
        context::pack(source, recall, answer, &passage_query, budget, purpose)
    }

    /// The stages: plan, filter, search, rank, confidence, answer.
    fn answer(
        &self,
        recall: &Recall,
        times: &StageTimes<'_>,
        judges_prompt: bool,
    ) -> Result<Answered, RecallError> {
        let sources = &self.0;
        let options =
            RankingOptions::of(recall, &sources.source.config().recall, sources.reranker)?;
        let valid = ValidRows::of(sources, recall)?;
        // Empty columns.
        let none = TieredColumns::new(Vec::new());
        let base = sources.columns.unwrap_or(&none);
        let as_of = (!recall.as_of.is_now()).then(|| AsOfColumns {
            base,
            past: sources.past,
            superseded_later: valid
                .as_ref()
                .map_or_else(RoaringBitmap::new, |valid| valid.superseded_later.clone()),
        });
        let context = RecallContext::new(sources, recall, &options, base, as_of.as_ref(), times);
        times.end_of(RecallStage::Filter);
        let mut prepared = context.prepare(&recall.query);
        if recall.time_words == TimeWords::Ignore {
            prepared.query.mentions_date = false;
        }
        times.end_of(RecallStage::Prepare);
        let event = |words: &str| ranking::find_event(&context, words);
        let scope = CandidateScope::of(&context, valid.as_ref(), &event)?;
        times.end_of(RecallStage::Filter);
        let mut reader = Reader::new(&prepared.query, context.columns);
        let planned = plan_search::search(&context, &mut reader, &prepared, &scope);
        let (planned_hits, executed) = match planned {
            Some(outcome) => (outcome.searched, Some(outcome.executed)),
            None => (None, None),
        };
        let searched = searched(&context, &prepared, &scope, planned_hits);
        times.end_of(RecallStage::Search);
        let mut disputes = KnownDisputes::default();
        let (mut ranked, expansion) = ranking::rank_candidates(
            &context,
            &mut reader,
            &prepared,
            &searched,
            &scope,
            &mut disputes,
        );
        disputes.drop_outdated(&context, &mut ranked);
        times.end_of(RecallStage::Rank);
        let mut has_reranker_failed = false;
        let mut confidence = None;
        if !options.is_default() {
            confidence = Some(reordering::default_confidence(
                &context,
                &mut reader,
                &mut ranked,
            ));
            has_reranker_failed = reordering::reorder(&context, &mut ranked, &mut disputes)?;
            times.end_of(RecallStage::Reorder);
        }
        // Not with another formula or with diversity.
        if recall.ranking == Ranking::Full && recall.diversity == 0.0 {
            rare_word::move_to_front(&mut ranked, &searched.rare, &prepared.query);
        }
        successors::place_first(&context, scope.rows.as_ref(), &mut ranked)?;
        times.end_of(RecallStage::Rank);
        let repeated = ranked.iter().filter(|ranked| ranked.repeats).count();
        let judged = recall.limit + repeated;
        let confidence = match confidence {
            Some(confidence) => confidence,
            None if context.ranks_in_full() => full_confidence(&mut reader, &mut ranked, judged),
            None => search_only_confidence(&mut ranked, judged),
        };
        duplicates::before_unlikely(&mut ranked, recall.min_confidence);
        let judges_prompt = judges_prompt && context.ranks_in_full();
        let prompt_inputs = judges_prompt.then(|| PromptInputs::of(&mut reader, &ranked));
        times.end_of(RecallStage::Judge);
        let mut results = answer::hits(&context, &mut reader, &ranked, &confidence)?;
        expansion::annotate(&mut results, &context, &expansion)?;
        answer::add_disputes(&mut results, &mut |rows| disputes.of(&context, rows));
        let lacks_graph = recall.related && !related::add(&context, &mut results)?;
        let abstained = if results.is_empty() && recall.min_confidence > 0.0 {
            Some(abstain::abstention(
                &context, &prepared, &scope, &searched, &ranked,
            )?)
        } else {
            None
        };
        let answered = AnsweredQuery {
            results: &results,
            ranked: &ranked,
            executed: executed.as_ref(),
            started: times.started,
        };
        plan_search::record(&context, &reader, scope.rows.as_ref(), &answered);
        let mut degraded = all_degraded(sources, &prepared, &scope, &searched, &expansion);
        if has_reranker_failed {
            degraded.push(RERANKER.to_owned());
        }
        if sources.has_met_damage() {
            degraded.push(Answer::DAMAGED.to_owned());
        }
        if lacks_graph && !degraded.iter().any(|view| view == KNOWLEDGE) {
            degraded.push(KNOWLEDGE.to_owned());
        }
        let answer = Answer {
            results,
            answered: confidence.answered,
            degraded,
            times: scope.times.understood,
            ignored_times: scope.times.ignored,
            dropped: answer::dropped(recall, &ranked),
            abstained,
            reached: None,
            needs_clarification: None,
            plan: plan(&context, executed, &expansion),
            took_ms: times.milliseconds(),
        };
        times.end_of(RecallStage::Answer);
        Ok(Answered {
            query: prepared.query,
            answer,
            prompt_inputs,
        })
    }
}

fn highest_confidence(results: &[Hit]) -> f32 {
    let confidences = results.iter().map(|hit| hit.confidence);
    confidences.fold(f32::MIN_POSITIVE, f32::max)
}

/// An answer, with what is read from it afterwards.
struct Answered {
    query: ParsedQuery,
    answer: Answer,
    /// `None` unless asked for, and without the columns that judge it.
    prompt_inputs: Option<PromptInputs>,
}

/// The unavailable views, each once.
fn all_degraded(
    sources: &RecallSources<'_>,
    prepared: &PreparedQuery,
    scope: &CandidateScope,
    searched: &Searched,
    expansion: &Expansion,
) -> Vec<String> {
    let mut degraded = sources.degraded.clone();
    if sources.vectors.is_some() && prepared.vector.is_empty() {
        degraded.push(EMBEDDER.to_owned());
    }
    let failed = searched.failed.iter().copied();
    let failed = failed.chain(expansion.failed.iter().copied());
    for view in failed.chain(scope.degraded.iter().map(String::as_str)) {
        if !degraded.iter().any(|known| known == view) {
            degraded.push(view.to_owned());
        }
    }
    degraded
}

/// The plan, if it was requested or tiers beyond the requested ones were searched.
fn plan(
    context: &RecallContext<'_>,
    executed: Option<planner::ExecutedPlan>,
    expansion: &Expansion,
) -> Option<Plan> {
    let explains = context.recall.explain_plan;
    let mut plan = match executed {
        Some(executed) if explains || executed.plan.widened => executed.plan,
        None if explains => plan_search::unplanned_search(context),
        _ => return None,
    };
    plan.work.edges = expansion.edges as u64;
    Some(plan)
}

/// The hits of both searches in scope; if the query mentions a time, also the best of that time. `planned_hits` are
/// those of a planned search.
fn searched(
    context: &RecallContext<'_>,
    prepared: &PreparedQuery,
    scope: &CandidateScope,
    planned_hits: Option<Searched>,
) -> Searched {
    let depth = model::DEPTH.max(context.recall.limit);
    let mut searched =
        planned_hits.unwrap_or_else(|| context.search(prepared, depth, scope.rows.as_ref()));
    if let Some(preferred) = &scope.preferred
        && context.ranks_in_full()
    {
        let then = context.search(prepared, PREFERRED_DEPTH, Some(preferred));
        add_new(&mut searched.lexical, then.lexical);
        add_new(&mut searched.vectors, then.vectors);
    }
    if context.ranks_in_full() {
        let rare = rare_word::rows_with_rare_word(context, &prepared.query, scope.rows.as_ref());
        searched.rare = rare.iter().map(|hit| hit.row).collect();
        add_new(&mut searched.lexical, rare);
    }
    searched
}

/// Adds the hits that were not found before.
fn add_new(hits: &mut Vec<SearchHit>, more: Vec<SearchHit>) {
    let known: FxHashSet<_> = hits.iter().map(|hit| hit.row).collect();
    let is_new = |hit: &SearchHit| !known.contains(&hit.row);
    hits.extend(more.into_iter().filter(is_new));
}
