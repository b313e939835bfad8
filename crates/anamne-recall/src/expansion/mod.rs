//! Stage 3 with a depth beyond shallow: what the best results lead to, over links, relations, shared names, threads and
//! second queries.
//!
//! Paths start from the query's hits and from the entities that it names. Reached memories are ranked together with all
//! candidates, by the same features and by proximity: those that also match the query rise, those that are only
//! connected stay below. The parameters are in `limits`.

mod annotate;
mod graph;
mod limits;
mod second_queries;
mod traversal;

use anamne_types::{Depth, Recall, Row};
use roaring::RoaringBitmap;
use rustc_hash::FxHashSet;

use crate::candidates::Candidate;
use crate::connections::Connections;
use crate::feature_inputs::FeatureInputs;
use crate::rank::{rank, shortlist};
use crate::ranked::Ranked;
use crate::sources::KNOWLEDGE;
use crate::threads::Threads;
use crate::views::best_first;
use crate::words::Reader;
use graph::ReachedGraph;
use traversal::Traversal;

pub(crate) use annotate::{annotate, link_name};

/// A result with at least this cosine counts as a direct hit, even if it contains no query word.
const MIN_COSINE: f32 = 0.25;

/// What expansion needs besides the candidates.
pub(crate) struct ExpansionRequest<'a> {
    pub(crate) recall: &'a Recall,
    pub(crate) connections: Option<&'a dyn Connections>,
    /// The rows that may be returned; paths may lead over others.
    pub(crate) filter: Option<&'a RoaringBitmap>,
    /// Microseconds since 1970.
    pub(crate) now: i64,
    /// Searches for other words; returns at most N rows per search, best first.
    pub(crate) search: &'a dyn Fn(&str, usize) -> Vec<Row>,
}

/// The candidates of the first ranking, before they were ranked.
pub(crate) struct FirstPass {
    /// Those whose neighbours are read.
    pub(crate) with_neighbours: Vec<Candidate>,
    pub(crate) others: Vec<Candidate>,
}

/// The result of graph traversal.
#[derive(Debug, Default)]
pub(crate) struct Expansion {
    graph: ReachedGraph,
    /// The views that failed.
    pub(crate) failed: Vec<&'static str>,
    /// Number of edges followed.
    pub(crate) edges: usize,
}

/// Whether the query's depth is beyond shallow.
pub(crate) fn needs_expansion(recall: &Recall) -> bool {
    recall.depth != Depth::Shallow
}

/// Traverses the graph from the best of `ranked`, and ranks what is reached together with the candidates.
pub(crate) fn expand(
    request: &ExpansionRequest<'_>,
    inputs: &FeatureInputs<'_>,
    reader: &mut Reader<'_>,
    threads: Threads,
    ranked: &[Ranked],
    first_pass: FirstPass,
) -> (Vec<Ranked>, Expansion) {
    let mut match_score = |row: Row| reader.read(row).word_match();
    let mut traversal = Traversal {
        connections: request.connections,
        columns: inputs.columns,
        now: request.now,
        match_score: &mut match_score,
        graph: ReachedGraph::default(),
        edges: 0,
        failed: Vec::new(),
    };
    if request.connections.is_none_or(|known| !known.has_names()) {
        traversal.failed.push(KNOWLEDGE);
    }
    let seeds = seeds(ranked);
    traversal.add_seeds(&seeds, &request.recall.query);
    let hops = request.recall.depth.hops();
    for hop in 1..=hops {
        traversal.hop(hop);
    }
    let Traversal {
        mut graph,
        failed,
        edges,
        ..
    } = traversal;
    if hops > 1 {
        second_queries::run(request, inputs, reader, &seeds, &mut graph);
    }
    let ranked = rank_together(request, inputs, reader, threads, &graph, first_pass);
    (
        ranked,
        Expansion {
            graph,
            failed,
            edges,
        },
    )
}

/// The best results that match by a word or by cosine, each with its score relative to the best; the best result if
/// none does.
fn seeds(ranked: &[Ranked]) -> Vec<(Row, f32)> {
    let is_found = |ranked: &&Ranked| {
        let features = &ranked.features;
        features.lexical > 0.0 || features.semantic >= MIN_COSINE
    };
    let Some(first) = ranked.first() else {
        return Vec::new();
    };
    let best = first.score.max(f32::MIN_POSITIVE);
    let found: Vec<(Row, f32)> = ranked
        .iter()
        .filter(is_found)
        .take(limits::SEEDS)
        .map(|ranked| (ranked.candidate.row, (ranked.score / best).clamp(0.0, 1.0)))
        .collect();
    if found.is_empty() {
        vec![(first.candidate.row, 1.0)]
    } else {
        found
    }
}

/// Ranks reached memories together with the candidates of the first ranking.
fn rank_together(
    request: &ExpansionRequest<'_>,
    inputs: &FeatureInputs<'_>,
    reader: &mut Reader<'_>,
    mut threads: Threads,
    graph: &ReachedGraph,
    first_pass: FirstPass,
) -> Vec<Ranked> {
    let FirstPass {
        mut with_neighbours,
        mut others,
    } = first_pass;
    let mut known = FxHashSet::default();
    for candidate in with_neighbours.iter_mut().chain(&mut others) {
        known.insert(candidate.row);
        candidate.proximity = graph.proximity(candidate.row);
    }
    let targets = targets(request, inputs, reader, graph, &known);
    // Threads without search hits are scored by their reached memories.
    threads.add_unknown(Threads::read(reader, &targets));
    let (reached, rest) = shortlist(inputs, reader, targets, &threads);
    with_neighbours.extend(reached);
    others.extend(rest);
    rank(inputs, reader, with_neighbours, others, &mut threads)
}

/// Reached memories that the searches did not find and that pass the filter: the nearest and best-matching.
fn targets(
    request: &ExpansionRequest<'_>,
    inputs: &FeatureInputs<'_>,
    reader: &mut Reader<'_>,
    graph: &ReachedGraph,
    known: &FxHashSet<Row>,
) -> Vec<Candidate> {
    let mut targets = Vec::new();
    for (row, proximity) in graph.memories() {
        let may_answer = request.filter.is_none_or(|filter| filter.contains(row.0));
        if may_answer
            && !known.contains(&row)
            && let Some(attributes) = inputs.columns.attributes(row)
        {
            let candidate = Candidate {
                proximity,
                ..Candidate::unfound(row, attributes)
            };
            targets.push((proximity, candidate));
        }
    }
    best(&mut targets, limits::SCORED);
    for (priority, candidate) in &mut targets {
        *priority = candidate.proximity * 0.5 + reader.read(candidate.row).word_match();
    }
    best(&mut targets, limits::COMPARED);
    let targets = targets.into_iter();
    targets.map(|(_, candidate)| candidate).collect()
}

/// Keeps those with the highest priority, best first; ties by row.
fn best(targets: &mut Vec<(f32, Candidate)>, most: usize) {
    targets.sort_by(|one, other| best_first((one.0, one.1.row), (other.0, other.1.row)));
    targets.truncate(most);
}
