//! Metrics of one ranked list.

use std::collections::BTreeMap;

use crate::corpus::{Query, Record};

/// The cutoffs k of recall and hits.
const CUTS: [usize; 3] = [5, 10, 20];

/// Further cutoffs of hits: what a person looks at first.
const FIRST: [usize; 2] = [1, 3];

/// The cutoff of the discounted cumulative gain.
const GAIN: usize = 10;

/// The metrics of one list for one question, by name.
pub(crate) struct Ranking {
    pub(crate) figures: BTreeMap<String, f64>,
    pub(crate) milliseconds: f64,
}

impl Ranking {
    /// Evaluates the records found, best first.
    ///
    /// If the evidence consists of whole threads, threads are ranked by their best record instead of records.
    pub(crate) fn of(query: &Query, found: &[&Record], milliseconds: f64) -> Self {
        let mut figures = BTreeMap::new();
        let threads = threads_by_best_record(found);
        let by_thread = query.evidence.is_empty();
        if by_thread {
            judge(&mut figures, "", &query.evidence_threads, &threads);
        } else {
            let ids: Vec<&str> = found.iter().map(|record| record.id.as_str()).collect();
            judge(&mut figures, "", &query.evidence, &ids);
            if let Some(corrected) = query
                .evidence_corrected
                .as_ref()
                .filter(|corrected| !corrected.is_empty())
            {
                judge(&mut figures, "corrected_", corrected, &ids);
            }
        }
        judge_sessions(&mut figures, query, found, &threads);
        Self {
            figures,
            milliseconds,
        }
    }
}

fn judge(figures: &mut BTreeMap<String, f64>, prefix: &str, wanted: &[String], ranked: &[&str]) {
    if wanted.is_empty() {
        return;
    }
    for cut in CUTS {
        let hits = hits_within(wanted, ranked, cut);
        figures.insert(
            format!("{prefix}recall@{cut}"),
            hits as f64 / wanted.len() as f64,
        );
        figures.insert(format!("{prefix}hit@{cut}"), f64::from(u8::from(hits > 0)));
    }
    for cut in FIRST {
        let hits = hits_within(wanted, ranked, cut);
        figures.insert(format!("{prefix}hit@{cut}"), f64::from(u8::from(hits > 0)));
    }
    // As many results as there is evidence.
    let hits = hits_within(wanted, ranked, wanted.len());
    figures.insert(
        format!("{prefix}recall@R"),
        hits as f64 / wanted.len() as f64,
    );
    figures.insert(format!("{prefix}ndcg@10"), gain(wanted, ranked));
    let first = ranked
        .iter()
        .position(|id| wanted.iter().any(|wanted| wanted == id));
    figures.insert(
        format!("{prefix}mrr"),
        first.map_or(0.0, |rank| 1.0 / (rank + 1) as f64),
    );
}

/// Normalised discounted cumulative gain of the first ten, with gain 1 for evidence (Järvelin and Kekäläinen 2002).
fn gain(wanted: &[String], ranked: &[&str]) -> f64 {
    let discount = |rank: usize| 1.0 / (rank as f64 + 2.0).log2();
    let is_wanted = |id: &str| wanted.iter().any(|wanted| wanted == id);
    let found = ranked.iter().take(GAIN).enumerate();
    let found: f64 = found
        .filter(|(_, id)| is_wanted(id))
        .map(|(rank, _)| discount(rank))
        .sum();
    let best: f64 = (0..wanted.len().min(GAIN)).map(discount).sum();
    found / best
}

/// Session-level metrics over the threads that contain evidence: share found within the cutoff, any, all.
fn judge_sessions(
    figures: &mut BTreeMap<String, f64>,
    query: &Query,
    found: &[&Record],
    threads: &[&str],
) {
    let mut wanted: Vec<String> = query.evidence_threads.clone();
    for record in found
        .iter()
        .filter(|record| query.evidence.contains(&record.id))
    {
        wanted.push(record.thread.clone());
    }
    wanted.sort();
    wanted.dedup();
    // Evidence that was not found at all counts as one missed thread.
    let missed = query
        .evidence
        .iter()
        .filter(|id| !found.iter().any(|record| record.id == **id))
        .count();
    let total = wanted.len() + usize::from(missed > 0 && query.evidence_threads.is_empty());
    if total == 0 {
        return;
    }
    for cut in [5, 10] {
        let hits = hits_within(&wanted, threads, cut);
        figures.insert(format!("session_recall@{cut}"), hits as f64 / total as f64);
        figures.insert(format!("session_any@{cut}"), f64::from(u8::from(hits > 0)));
        figures.insert(
            format!("session_all@{cut}"),
            f64::from(u8::from(hits == total)),
        );
    }
}

fn hits_within(wanted: &[String], ranked: &[&str], cut: usize) -> usize {
    let first = &ranked[..cut.min(ranked.len())];
    wanted
        .iter()
        .filter(|wanted| first.contains(&wanted.as_str()))
        .count()
}

fn threads_by_best_record<'corpus>(found: &[&'corpus Record]) -> Vec<&'corpus str> {
    let mut threads = Vec::new();
    for record in found {
        if !threads.contains(&record.thread.as_str()) {
            threads.push(record.thread.as_str());
        }
    }
    threads
}
