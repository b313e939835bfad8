//! Queries on a warm store, next to peers that answer the same ones over the same records.

use anamne::{Recall, Signals};

use super::budgets;
use super::figures::{Figure, Section, Timed, Unit};
use super::peers::{Peers, bandwidth};
use super::site::{RESULTS, Site};
use crate::failure::Failure;
use crate::latencies::Latencies;
use crate::store::ask;

/// Number of warm-up questions.
const WARM_UP: usize = 200;

/// From this size on, peers that scan every row get few questions, so that a run ends within minutes.
const LARGE: u64 = 500_000;

/// Number of questions to such peers over a large store.
const FEW: usize = 30;

/// Asks `questions` questions of the engine and of each peer, one after the other, each after a warm-up.
pub(crate) fn measure(site: &Site, peers: &Peers, questions: u64) -> Result<Section, Failure> {
    let questions = site.generator.questions(questions);
    let few = match site.records {
        LARGE.. => &questions[..questions.len().min(FEW)],
        _ => &questions[..],
    };
    let space = site.open()?;
    let time = |questions: &[String], ask: &dyn Fn(&str) -> Result<(), Failure>| {
        Latencies::warmed(questions, WARM_UP, ask)
    };
    let ours = |signals| {
        time(&questions, &|question| {
            let recall = Recall::new(question).limit(RESULTS).signals(signals);
            ask(&space, &recall).map(drop)
        })
    };
    let (full, words) = (ours(Signals::Full)?, ours(Signals::Lexical)?);
    let meaning = ours(Signals::Semantic)?;
    drop(space);
    let tantivy = time(&questions, &|question| peers.tantivy.ask(question))?;
    let fts5 = time(few, &|question| peers.fts5()?.ask(question))?;
    let sqlite_vec = time(few, &|question| peers.sqlite_vec()?.ask(question))?;
    let bandwidth = bandwidth::measure(site.records);
    let codes = bandwidth::bytes_of_codes(&site.generator, site.records);
    let scan = codes / bandwidth * 1_000.0;
    let bound = |figure: Figure| figure.beside("scan_bound_ms", "codes at full bandwidth", scan);
    let full = Timed::new("", "recall of 10", &full);
    let words = Timed::new("words", "by words alone", &words);
    let meaning = Timed::new("meaning", "by meaning alone", &meaning);
    let tantivy = Timed::new("tantivy", "bare tantivy", &tantivy);
    let fts5 = Timed::new("fts5", "FTS5 bm25", &fts5);
    let sqlite_vec = Timed::new("sqlite_vec", "sqlite-vec i8", &sqlite_vec);
    Ok(Section::new(
        "recall",
        vec![
            full.p95_beside(tantivy)
                .promised(budgets::recall(site.records)),
            full.p50_beside(tantivy),
            full.p10_beside(tantivy),
            full.p95_beside(fts5),
            full.p95_beside(sqlite_vec),
            bound(full.p95()),
            words.p95_beside(tantivy),
            meaning.p95_beside(sqlite_vec),
            bound(meaning.p50()),
            Figure::new(
                "memory_gb_per_s",
                "(memory bandwidth, one core)",
                bandwidth / 1e9,
                Unit::GigabytesPerSecond,
            ),
        ],
    ))
}
