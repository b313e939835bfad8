//! Stage 4 with all features: candidates, their threads and neighbours, and expansion.

use anamne_types::{Memory, Row};
use rustc_hash::FxHashSet;

use crate::candidate_scope::CandidateScope;
use crate::candidates::{Pool, Searched};
use crate::disputes::KnownDisputes;
use crate::duplicates::demote_duplicates;
use crate::error::RecallError;
use crate::expansion::{self, Expansion, ExpansionRequest, FirstPass, expand};
use crate::feature_inputs::FeatureInputs;
use crate::lsi::LsiQuery;
use crate::observing::RecallStage;
use crate::planner::PlannerHistory;
use crate::query_intent::QueryIntent;
use crate::rank::{rank, shortlist};
use crate::ranked::Ranked;
use crate::recall_context::{PreparedQuery, RecallContext};
use crate::search_only;
use crate::second_look;
use crate::threads::{self, Threads};
use crate::views::SearchHit;
use crate::words::Reader;

/// Hits searched for an event that the query mentions.
const EVENT_DEPTH: usize = 20;

/// The minimum word match for a memory to be taken for an event.
const MIN_EVENT_MATCH: f32 = 0.6;

/// Ranks search hits, best first, with expansion if the depth is beyond shallow.
pub(crate) fn rank_candidates(
    context: &RecallContext<'_>,
    reader: &mut Reader<'_>,
    prepared: &PreparedQuery,
    searched: &Searched,
    scope: &CandidateScope,
    disputes: &mut KnownDisputes,
) -> (Vec<Ranked>, Expansion) {
    if !context.ranks_in_full() {
        let columns = context.columns_if_any();
        let ranked = search_only::rank(columns, prepared.query.max_lexical_score, searched);
        return (ranked, Expansion::default());
    }
    let expands = expansion::needs_expansion(context.recall);
    let (mut ranked, expansion) = rank_in_full(context, reader, prepared, searched, scope, expands);
    // Before duplicates are moved back, which this would undo.
    disputes.lower_outdated(context, reader, &mut ranked);
    if context.options.is_default() {
        let holds = |ranked: &Ranked| disputes.holds(context, ranked);
        ranked = demote_duplicates(ranked, context.columns, context.recall.limit, holds);
    }
    (ranked, expansion)
}

/// The memory that best describes an event, unless it matches too few of its words.
pub(crate) fn find_event(
    context: &RecallContext<'_>,
    words: &str,
) -> Result<Option<Memory>, RecallError> {
    if !context.ranks_in_full() {
        return Ok(None);
    }
    let scope = CandidateScope {
        rows: context.known_rows()?,
        ..CandidateScope::default()
    };
    let prepared = context.prepare(words);
    let searched = context.search(&prepared, EVENT_DEPTH, scope.rows.as_ref());
    let mut reader = Reader::new(&prepared.query, context.columns);
    let (ranked, _) = rank_in_full(context, &mut reader, &prepared, &searched, &scope, false);
    let found = ranked
        .iter()
        .find(|ranked| ranked.features.words >= MIN_EVENT_MATCH)
        .map(|ranked| context.memory_reader().rows(&[ranked.candidate.row]))
        .transpose()?;
    let memory = found.into_iter().flatten().next();
    Ok(memory.map(|(_, memory)| memory))
}

/// Ranks by all features; with `expands` also what the best results lead to.
fn rank_in_full(
    context: &RecallContext<'_>,
    reader: &mut Reader<'_>,
    prepared: &PreparedQuery,
    searched: &Searched,
    scope: &CandidateScope,
    expands: bool,
) -> (Vec<Ranked>, Expansion) {
    let RecallContext {
        sources,
        options,
        columns,
        instant,
        ..
    } = *context;
    let is_now = context.recall.as_of.is_now();
    let mut pool = Pool::of(searched, columns, instant);
    let cosines = |rows: &[Row]| match sources
        .vectors
        .map(|view| view.similarities(&prepared.vector, rows))
    {
        Some(Ok(cosines)) => cosines,
        _ => vec![None; rows.len()],
    };
    // Later accesses don't count as of an earlier time.
    let access_counts = sources.experience.filter(|_| is_now);
    let access_counts = access_counts
        .map(PlannerHistory::access_counts)
        .unwrap_or_default();
    let present = context.present.as_microsecond();
    let facts = sources.facts;
    let date_terms = match scope.preferred {
        Some(_) => scope.times.date_terms(&prepared.query),
        None => Vec::new(),
    };
    if scope.preferred.is_some() {
        reader.ignore_words(|word| scope.times.only_asks_for_time(word));
    }
    let candidates = std::mem::take(&mut pool.candidates);
    threads::weight_by_clusters(reader, &candidates);
    let mut threads = Threads::read(reader, &candidates);
    // The latent index contains later memories, too.
    let latent = sources.latent.filter(|_| is_now);
    let lsi =
        latent.and_then(|index| LsiQuery::of(index, columns, &prepared.query.tokens, &threads));
    let inputs = FeatureInputs {
        query: reader.query,
        columns,
        cosines: &cosines,
        latest: facts.latest.min(instant),
        times: &scope.times.ranges,
        date_terms: &date_terms,
        recency_days: sources.source.config().recall.recency_days,
        user_authors: &facts.users,
        program_authors: &facts.programs,
        weights: options.weights(),
        intent: QueryIntent::from_words(&reader.query.words),
        access: &|row| access_counts.of(row, present),
        lsi: lsi.as_ref(),
        role_preferences: options.role_preferences.as_ref(),
    };
    let (short, mut others) = shortlist(&inputs, reader, candidates, &threads);
    pool.replace(short);
    pool.add_neighbours(columns, scope.rows.as_ref(), instant);
    others.retain(|other| !pool.contains(other.row));
    let first_pass = expands.then(|| FirstPass {
        with_neighbours: pool.candidates.clone(),
        others: others.clone(),
    });
    let ranked = rank(&inputs, reader, pool.candidates, others, &mut threads);
    let (mut ranked, expansion) = match first_pass {
        None => (ranked, Expansion::default()),
        Some(first_pass) => {
            context.times.end_of(RecallStage::Rank);
            let request = ExpansionRequest {
                recall: context.recall,
                connections: sources.connections,
                filter: scope.rows.as_ref(),
                now: instant,
                search: &|words, most| search_text(context, words, most, scope),
            };
            let expanded = expand(&request, &inputs, reader, threads, &ranked, first_pass);
            context.times.end_of(RecallStage::Expand);
            expanded
        }
    };
    second_look::correct(sources.forest, &inputs, reader, &mut ranked);
    (ranked, expansion)
}

/// The rows that a search for other words finds, merged by rank; at most `most` per search.
fn search_text(
    context: &RecallContext<'_>,
    words: &str,
    most: usize,
    scope: &CandidateScope,
) -> Vec<Row> {
    let searched = context.search(&context.prepare(words), most, scope.rows.as_ref());
    let ranks = |hits: Vec<SearchHit>| hits.into_iter().map(|hit| hit.row).enumerate();
    let mut rows: Vec<(usize, Row)> = ranks(searched.lexical).collect();
    rows.extend(ranks(searched.vectors));
    rows.sort_unstable();
    let mut seen = FxHashSet::default();
    let rows = rows.into_iter().map(|(_, row)| row);
    rows.filter(|row| seen.insert(*row)).collect()
}
