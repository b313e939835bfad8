//! Stage 3 where a question goes deeper than shallow: what the best results lead to, over links, relations, shared names
//! and threads, and what is found when they are asked about again.
//!
//! Paths start from what the question itself found and from what it names. What they reach is ranked together with
//! everything else, by the same features and by how near it is: so what also fits the question rises, and what only
//! hangs together with a result stays below. The numbers stand in `limits`.

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
use crate::threads::Threads;
use crate::views::best_first;
use crate::words::Reader;
use graph::ReachedGraph;
use traversal::{KNOWLEDGE, Traversal};

pub(crate) use annotate::annotate;

/// A result whose meaning is at least so near was found by the question, also where it has no word of it.
const NEAR: f32 = 0.25;

/// What expansion needs beside the candidates.
pub(crate) struct ExpansionRequest<'a> {
    pub(crate) recall: &'a Recall,
    pub(crate) connections: Option<&'a dyn Connections>,
    /// Which rows may be answered with; paths may lead over others.
    pub(crate) filter: Option<&'a RoaringBitmap>,
    /// Microseconds since 1970.
    pub(crate) now: i64,
    /// Searches for other words; the rows found, best first, at most so many.
    pub(crate) search: &'a dyn Fn(&str, usize) -> Vec<Row>,
}

/// The candidates of the first ranking, as they stood before it.
pub(crate) struct FirstPass {
    /// Those whose surroundings are read.
    pub(crate) near: Vec<Candidate>,
    pub(crate) others: Vec<Candidate>,
}

/// What was reached beyond what the question itself found.
#[derive(Debug, Default)]
pub(crate) struct Expansion {
    graph: ReachedGraph,
    /// What could not take part.
    pub(crate) failed: Vec<&'static str>,
    /// Edges that were followed.
    edges: usize,
}

impl Expansion {
    /// Edges that were followed.
    pub(crate) fn edges(&self) -> u64 {
        self.edges as u64
    }
}

/// Whether a question goes deeper than what it finds itself.
pub(crate) fn needs_expansion(recall: &Recall) -> bool {
    recall.depth != Depth::Shallow
}

/// Follows connections from the best of `ranked`, and ranks what they reach together with the candidates.
pub(crate) fn expand(
    request: &ExpansionRequest<'_>,
    inputs: &FeatureInputs<'_>,
    reader: &mut Reader<'_>,
    threads: Threads,
    ranked: &[Ranked],
    first_pass: FirstPass,
) -> (Vec<Ranked>, Expansion) {
    let mut match_score = |row: Row| reader.read(row).closeness();
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
    traversal.start(&seeds, &request.recall.query);
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

/// The best results that the question found by a word or by their meaning, each with its score over the best one's; the
/// best one where there is none such.
fn seeds(ranked: &[Ranked]) -> Vec<(Row, f32)> {
    let is_found = |ranked: &&Ranked| {
        let features = &ranked.features;
        features.lexical > 0.0 || features.semantic >= NEAR
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

/// Ranks what was reached together with the candidates of the first ranking.
fn rank_together(
    request: &ExpansionRequest<'_>,
    inputs: &FeatureInputs<'_>,
    reader: &mut Reader<'_>,
    mut threads: Threads,
    graph: &ReachedGraph,
    first_pass: FirstPass,
) -> Vec<Ranked> {
    let FirstPass {
        mut near,
        mut others,
    } = first_pass;
    let mut known = FxHashSet::default();
    for candidate in near.iter_mut().chain(&mut others) {
        known.insert(candidate.row);
        candidate.proximity = graph.proximity(candidate.row);
    }
    let targets = targets(request, inputs, reader, graph, &known);
    // A thread that the searches did not meet speaks by what was reached of it.
    threads.add_unknown(Threads::read(reader, &targets));
    let (reached, rest) = shortlist(inputs, reader, targets, &threads);
    near.extend(reached);
    others.extend(rest);
    rank(inputs, reader, near, others, &mut threads)
}

/// The memories that were reached and not found, as far as the filter lets them pass: the nearest, those that fit the
/// question first.
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
        *priority = candidate.proximity * 0.5 + reader.read(candidate.row).closeness();
    }
    best(&mut targets, limits::COMPARED);
    let targets = targets.into_iter();
    targets.map(|(_, candidate)| candidate).collect()
}

/// Keeps those that promise most, best first; equals by rising row.
fn best(targets: &mut Vec<(f32, Candidate)>, most: usize) {
    targets.sort_by(|one, other| best_first((one.0, one.1.row), (other.0, other.1.row)));
    targets.truncate(most);
}
