//! Requests context blocks of every size, and packs those of the peers.

use std::collections::HashMap;
use std::sync::Arc;
use std::time::Instant;

use anamne::text::tokens::estimate_tokens;
use anamne::{ContextRequest, Forest, Recall, Signals};

use super::held::{Inclusion, held};
use crate::corpus::{Corpus, Query, Record};
use crate::failure::Failure;
use crate::fusion::fuse;
use crate::writing::WrittenCorpus;

/// Results of each search that a peer's list is built from.
const LISTED: usize = 200;

/// The outcome of one question in one run at one budget.
pub(crate) struct Block {
    pub(crate) run: &'static str,
    pub(crate) budget: usize,
    /// The share of the evidence that it contains, and that it contains verbatim.
    pub(crate) share: f64,
    pub(crate) share_whole: f64,
    pub(crate) tokens: usize,
    /// Only for the engine's blocks.
    pub(crate) milliseconds: Option<f64>,
}

/// The outcome of one question.
pub(crate) struct Outcome {
    pub(crate) category: String,
    pub(crate) blocks: Vec<Block>,
}

/// Writes the conversation in order, and asks each question with evidence at its time. `forest` has the trees to rank
/// with, if not the shipped ones.
pub(crate) fn measure(
    corpus: &Corpus,
    forest: Option<&Arc<Forest>>,
    budgets: &[usize],
) -> Result<Vec<Outcome>, Failure> {
    let mut stored = WrittenCorpus::empty_for(corpus)?;
    stored.rank_by(forest);
    let mut outcomes = Vec::new();
    for (end, query) in corpus.questions() {
        if !query.is_answerable() || query.evidence.is_empty() {
            continue;
        }
        if stored.write_until(end)? {
            stored.space.extract(&mut |_| true)?;
        }
        outcomes.push(ask(&stored, &corpus.records[..end], query, budgets)?);
    }
    Ok(outcomes)
}

fn ask(
    stored: &WrittenCorpus<'_>,
    records: &[Record],
    query: &Query,
    budgets: &[usize],
) -> Result<Outcome, Failure> {
    let evidence = evidence_among(records, query);
    let mut lists = Vec::new();
    for signals in [Signals::Lexical, Signals::Semantic] {
        let recall = Recall::new(&query.text)
            .limit(LISTED.min(records.len()))
            .signals(signals);
        lists.push(stored.found(&stored.space.recall(&recall)?));
    }
    let fused = fuse(&lists);
    let newest: Vec<&Record> = records.iter().rev().collect();
    let mut blocks = Vec::new();
    for &budget in budgets {
        blocks.push(engine(stored, &evidence, query, budget)?);
        blocks.push(packed("rrf", &fused, &evidence, query, budget));
        blocks.push(packed("newest", &newest, &evidence, query, budget));
    }
    Ok(Outcome {
        category: query.category.clone(),
        blocks,
    })
}

/// The records of the evidence.
pub(crate) fn evidence_among<'corpus>(
    records: &'corpus [Record],
    query: &Query,
) -> Vec<&'corpus Record> {
    let records = records.iter();
    let evidence = records.filter(|record| query.evidence.contains(&record.id));
    evidence.collect()
}

/// The engine's block for a question.
pub(crate) fn engine(
    stored: &WrittenCorpus<'_>,
    evidence: &[&Record],
    query: &Query,
    budget: usize,
) -> Result<Block, Failure> {
    let request = ContextRequest::new(&query.text, budget);
    let started = Instant::now();
    let context = stored.space.context(&request)?;
    let milliseconds = started.elapsed().as_secs_f64() * 1000.0;
    let citations: HashMap<&str, &str> = context
        .entries
        .iter()
        .filter_map(|entry| {
            Some((
                stored.record(entry.id)?.id.as_str(),
                entry.citation.as_str(),
            ))
        })
        .collect();
    let how = |record: &&&Record| match citations.get(record.id.as_str()) {
        Some(citation) => held(&context, citation, record, query),
        None => Inclusion::Not,
    };
    let all = evidence_of(query);
    let count = |least: Inclusion| {
        evidence
            .iter()
            .filter(|record| how(record) >= least)
            .count() as f64
    };
    Ok(Block {
        run: "anamne",
        budget,
        share: count(Inclusion::InPart) / all,
        share_whole: count(Inclusion::Whole) / all,
        tokens: context.tokens,
        milliseconds: Some(milliseconds),
    })
}

/// Packs whole records in list order, skipping those that no longer fit, each with citation and author.
fn packed(
    run: &'static str,
    list: &[&Record],
    evidence: &[&Record],
    query: &Query,
    budget: usize,
) -> Block {
    let mut left = budget;
    let mut taken = Vec::new();
    for record in list {
        let line = format!("[{}] {}: {}\n", record.id, record.author, record.text);
        let cost = estimate_tokens(&line);
        if cost <= left {
            left -= cost;
            taken.push(record.id.as_str());
        }
    }
    let count = evidence
        .iter()
        .filter(|record| taken.contains(&record.id.as_str()))
        .count();
    let share = count as f64 / evidence_of(query);
    Block {
        run,
        budget,
        share,
        share_whole: share,
        tokens: budget - left,
        milliseconds: None,
    }
}

/// Number of evidence records; one that is missing in the data counts as missed.
fn evidence_of(query: &Query) -> f64 {
    let mut all: Vec<&String> = query.evidence.iter().collect();
    all.sort();
    all.dedup();
    all.len() as f64
}
