//! Asks every question of a conversation with each ranker.

use std::collections::BTreeMap;
use std::sync::Arc;

use anamne::{Forest, Recall};

use super::ranker::Ranker;
use crate::context;
use crate::corpus::Corpus;
use crate::failure::Failure;
use crate::recall::metrics::Ranking;
use crate::recall::runs::limit_for;
use crate::writing::WrittenCorpus;

/// The reported metrics of rankings, in order.
const RANKED: [&str; 6] = ["hit@1", "hit@3", "mrr", "ndcg@10", "recall@R", "recall@10"];

/// The token budgets of context blocks, with the metrics' names.
const BLOCKS: [(usize, &str); 2] = [(500, "evidence in 500"), (1_500, "evidence in 1500")];

/// All reported metrics, in order.
pub(crate) fn metrics() -> impl Iterator<Item = &'static str> {
    RANKED.into_iter().chain(BLOCKS.map(|(_, name)| name))
}

/// The metrics of one question by ranker. A question whose evidence is whole threads has none of blocks.
pub(crate) struct Outcome {
    pub(crate) category: String,
    pub(crate) figures: BTreeMap<Ranker, BTreeMap<&'static str, f64>>,
}

/// Writes the conversation in order, and asks each question with known evidence at its time. `None` is the shipped
/// trees.
pub(crate) fn measure(
    corpus: &Corpus,
    rankers: &[(Ranker, Option<Arc<Forest>>)],
) -> Result<Vec<Outcome>, Failure> {
    let mut stored = WrittenCorpus::empty_for(corpus)?;
    let mut outcomes = Vec::new();
    for (end, query) in corpus.questions() {
        if !query.is_answerable() || !query.has_evidence() {
            continue;
        }
        if stored.write_until(end)? {
            stored.space.extract(&mut |_| true)?;
        }
        let limit = limit_for(query, &stored);
        let evidence = context::runs::evidence_among(&corpus.records[..end], query);
        let mut figures = BTreeMap::new();
        for (ranker, forest) in rankers {
            stored.rank_by(forest.as_ref());
            let answer = stored
                .space
                .recall(&Recall::new(&query.text).limit(limit))?;
            let ranking = Ranking::of(query, &stored.found(&answer), 0.0);
            let figure = |name| Some((name, *ranking.figures.get(name)?));
            let mut of_ranker: BTreeMap<_, _> = RANKED.into_iter().filter_map(figure).collect();
            if !query.evidence.is_empty() {
                for (budget, name) in BLOCKS {
                    let block = context::runs::engine(&stored, &evidence, query, budget)?;
                    of_ranker.insert(name, block.share);
                }
            }
            figures.insert(*ranker, of_ranker);
        }
        outcomes.push(Outcome {
            category: query.category.clone(),
            figures,
        });
    }
    Ok(outcomes)
}
