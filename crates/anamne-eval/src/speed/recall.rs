//! Questions to a warm store, beside peers that answer the same ones over the same records.

use anamne::{Recall, Signals};

use super::budgets;
use super::figures::{Figure, Section, Unit};
use super::peers::{Peers, bandwidth};
use super::site::{RESULTS, Site};
use crate::failure::Failure;
use crate::latencies::Latencies;
use crate::store::ask;

/// Questions that are asked before the clock starts.
const WARM_UP: usize = 200;

/// From this size on, peers that look at every row are asked few questions, so that a run ends in minutes.
const LARGE: u64 = 500_000;

/// Questions to such peers over a large store.
const FEW: usize = 30;

/// Asks `questions` questions in each way, one way after the other, each warmed up first.
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
    let tantivy = time(&questions, &|question| peers.tantivy.ask(question))?;
    let fts5 = time(few, &|question| peers.fts5()?.ask(question))?;
    let sqlite_vec = time(few, &|question| peers.sqlite_vec()?.ask(question))?;
    let bandwidth = bandwidth::measure(site.records);
    let codes = bandwidth::bytes_of_codes(&site.generator, site.records);
    let scan = codes / bandwidth * 1_000.0;
    let p95 = || Figure::ms("p95_ms", "recall of 10, p95", full.p95());
    let tantivy_p95 =
        |figure: Figure| figure.beside("tantivy_p95_ms", "bare tantivy, p95", tantivy.p95());
    let vec_p95 =
        |figure: Figure| figure.beside("sqlite_vec_p95_ms", "sqlite-vec i8, p95", sqlite_vec.p95());
    let bound = |figure: Figure| figure.beside("scan_bound_ms", "codes at full bandwidth", scan);
    Ok(Section::new(
        "recall",
        vec![
            tantivy_p95(p95()).promised(budgets::recall(site.records)),
            Figure::ms("p50_ms", "recall of 10, p50", full.p50()).beside(
                "tantivy_p50_ms",
                "bare tantivy, p50",
                tantivy.p50(),
            ),
            Figure::ms("p10_ms", "recall of 10, p10", full.p10()).beside(
                "tantivy_p10_ms",
                "bare tantivy, p10",
                tantivy.p10(),
            ),
            p95().beside("fts5_p95_ms", "FTS5 bm25, p95", fts5.p95()),
            vec_p95(p95()),
            bound(p95()),
            tantivy_p95(Figure::ms(
                "words_p95_ms",
                "by words alone, p95",
                words.p95(),
            )),
            vec_p95(Figure::ms(
                "meaning_p95_ms",
                "by meaning alone, p95",
                meaning.p95(),
            )),
            bound(Figure::ms(
                "meaning_p50_ms",
                "by meaning alone, p50",
                meaning.p50(),
            )),
            Figure::new(
                "memory_gb_per_s",
                "(memory bandwidth, one core)",
                bandwidth / 1e9,
                Unit::GigabytesPerSecond,
            ),
        ],
    ))
}
