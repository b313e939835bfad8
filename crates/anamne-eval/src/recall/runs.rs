//! Runs every question in every configuration and collects the outcomes.

use std::sync::Arc;
use std::time::Instant;

use anamne::text::tokens::estimate_tokens;
use anamne::{Answer, Depth, Forest, Recall, Signals, Space};

use super::ablation;
use super::features::{self, FeatureFile};
use super::metrics::Ranking;
use super::outcome::{Outcome, PaidResult};
use crate::corpus::{Corpus, Query};
use crate::failure::Failure;
use crate::fusion::fuse;
use crate::writing::WrittenCorpus;

/// Results considered for ranking records.
const RECORDS: usize = 50;

/// Results considered for ranking threads by their best record.
const RECORDS_FOR_THREADS: usize = 300;

/// Writes the conversation in order, asks each question at its time, and the `foreign` ones at the end. `forest` has the trees
/// to rank with, if not the shipped ones.
pub(crate) fn measure(
    corpus: &Corpus,
    forest: Option<&Arc<Forest>>,
    foreign: &[Query],
    depths: &[Depth],
    mut features: Option<&mut FeatureFile>,
    ablate: bool,
) -> Result<Vec<Outcome>, Failure> {
    let mut stored = WrittenCorpus::empty_for(corpus)?;
    stored.rank_by(forest);
    let mut outcomes = Vec::new();
    for (end, query) in corpus.questions() {
        if stored.write_until(end)? && depths.iter().any(|depth| *depth != Depth::Shallow) {
            stored.space.extract(&mut |_| true)?;
        }
        outcomes.push(ask(&stored, query, depths, ablate)?);
        if let Some(features) = features.as_deref_mut() {
            let wanted = features::RESULTS.min(corpus.records.len());
            let depth = depths.last().copied().unwrap_or_default();
            let recall = Recall::new(&query.text).depth(depth);
            let usual = stored.space.recall(&recall)?;
            let answer = stored.space.recall(&recall.limit(wanted))?;
            features.write(corpus, query, &answer, &usual, &stored)?;
        }
    }
    stored.write_until(corpus.records.len())?;
    for query in foreign {
        let answer = stored.space.recall(&Recall::new(&query.text))?;
        if let Some(features) = features.as_deref_mut() {
            features.write(corpus, query, &answer, &answer, &stored)?;
        }
        outcomes.push(Outcome {
            category: query.category.clone(),
            answered: answer.answered,
            best_confidence: best_confidence(&answer),
            paid: paid(&stored, query, &answer),
            foreign: true,
            ..Outcome::default()
        });
    }
    Ok(outcomes)
}

/// The number of results that the metrics of a question look at.
pub(crate) fn limit_for(query: &Query, stored: &WrittenCorpus<'_>) -> usize {
    let by_thread = query.evidence.is_empty() && !query.evidence_threads.is_empty();
    let limit = if by_thread {
        RECORDS_FOR_THREADS
    } else {
        RECORDS
    };
    limit.min(stored.records.len())
}

fn ask(
    stored: &WrittenCorpus<'_>,
    query: &Query,
    depths: &[Depth],
    ablate: bool,
) -> Result<Outcome, Failure> {
    let limit = limit_for(query, stored);
    let asked = Recall::new(&query.text);
    let mut rankings = Vec::new();
    let mut lists = Vec::new();
    let mut full = Answer::default();
    for (run, signals) in [
        ("lexical", Signals::Lexical),
        ("semantic", Signals::Semantic),
        ("full", Signals::Full),
    ] {
        let recall = asked.clone().signals(signals);
        let answer = stored.space.recall(&recall.clone().limit(limit))?;
        let found = stored.found(&answer);
        let took = time_of(&stored.space, &recall)?;
        rankings.push((run.to_owned(), Ranking::of(query, &found, took)));
        if run == "full" {
            full = answer;
        } else {
            lists.push(found);
        }
    }
    let fused = Ranking::of(query, &fuse(&lists), 0.0);
    rankings.insert(2, ("rrf".to_owned(), fused));
    for &depth in depths.iter().filter(|depth| **depth != Depth::Shallow) {
        let recall = asked.clone().depth(depth);
        let answer = stored.space.recall(&recall.clone().limit(limit))?;
        let took = time_of(&stored.space, &recall)?;
        let ranking = Ranking::of(query, &stored.found(&answer), took);
        rankings.push((run_of(depth), ranking));
    }
    let mut outcome = Outcome {
        category: query.category.clone(),
        counts: query.is_answerable() && query.has_evidence(),
        answerable: query.is_answerable(),
        rankings,
        answered: full.answered,
        best_confidence: best_confidence(&full),
        ..Outcome::default()
    };
    for hit in full.results.iter().take(10) {
        let record = stored.record(hit.memory.id);
        let relevant = record.is_some_and(|record| query.is_supported_by(record));
        outcome.judged.push((hit.confidence, relevant));
    }
    outcome.paid = paid(stored, query, &full);
    if ablate {
        outcome.without = ablation::measure(stored, query, &asked.limit(limit), &full)?;
    }
    Ok(outcome)
}

/// What an agent pays for the first ten results, and gets.
fn paid(stored: &WrittenCorpus<'_>, query: &Query, answer: &Answer) -> Vec<PaidResult> {
    let hits = answer.results.iter().take(10);
    let worth = |id| {
        let record = stored.record(id);
        let is_evidence = record.is_some_and(|record| query.evidence.contains(&record.id));
        f64::from(u8::from(is_evidence)) / query.evidence.len().max(1) as f64
    };
    hits.map(|hit| PaidResult {
        confidence: hit.confidence,
        tokens: estimate_tokens(&hit.memory.content),
        worth: worth(hit.memory.id),
    })
    .collect()
}

fn best_confidence(answer: &Answer) -> f32 {
    answer.results.first().map_or(0.0, |hit| hit.confidence)
}

/// The name of the run at a depth.
fn run_of(depth: Depth) -> String {
    match depth {
        Depth::Shallow => "full".to_owned(),
        Depth::Hops(hops) => format!("hops{hops}"),
        Depth::Deep => "deep".to_owned(),
    }
}

/// Milliseconds of one recall.
fn time_of(space: &Space, recall: &Recall) -> Result<f64, Failure> {
    let started = Instant::now();
    space.recall(recall)?;
    Ok(started.elapsed().as_secs_f64() * 1000.0)
}
