//! How fast and how exact the vectors view is: milliseconds of a search, and recall@10 against f32.
//!
//! ```text
//! cargo run --release -p anamne-index --example vectors_speed -- 10000 100000 1000000
//! cargo run --release -p anamne-index --example vectors_speed -- --text FILE 100000
//! ```
//!
//! Without `--text`, the vectors are points around random centres, 256 dimensions. With it, each line of
//! the file is a memory, embedded by the built-in model, and some of the lines, shortened, are queries.

#![allow(clippy::print_stdout)] // printing is what it is for

use std::error::Error;
use std::sync::Arc;
use std::time::Instant;

use anamne_embed::{EmbedError, Embedder, ModelIdentity, StaticModel};
use anamne_index::columns::{ColumnsView, RowPredicate, Tokenise};
use anamne_index::vectors::VectorsView;
use anamne_store::view::{Attributes, Change, ChangeFeed, Record, View, ViewError};
use anamne_types::{Row, Seq};
use rayon::prelude::*;

const DIMENSIONS: usize = 256;
const QUERIES: usize = 200;
const CENTRES: u64 = 2_000;

/// Memories that were told once and never changed.
struct Told(Vec<String>);

impl ChangeFeed for Told {
    fn head(&self) -> Result<Seq, ViewError> {
        Ok(Seq(self.0.len() as u64))
    }

    fn since(&self, after: Seq, limit: usize) -> Result<Vec<Change>, ViewError> {
        let texts = self.0.iter().enumerate().skip(after.0 as usize).take(limit);
        Ok(texts.map(|(row, text)| change(row as u32, text)).collect())
    }
}

fn change(row: u32, text: &str) -> Change {
    let attributes = Attributes {
        occurred_at: i64::from(row) * 60_000_000,
        expires_at: i64::MAX,
        thread: row / 50 + 1,
        position: row % 50,
        author: row % 20,
        session: row / 200,
        kind: (row % 8) as u8 + 1,
        importance: (row % 10) as u8 + 1,
        trust: 200,
        ..Attributes::default()
    };
    let record = Record {
        text: text.into(),
        author_name: String::new(),
        attributes,
    };
    Change {
        seq: Seq(u64::from(row) + 1),
        row: Row(row),
        record: Some(record),
    }
}

/// Turns a number into a point around one of the centres.
struct Points(ModelIdentity);

struct Random(u64);

impl Random {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mixed = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ (mixed >> 31)
    }

    /// About normal: a sum of four uniform numbers.
    fn normal(&mut self) -> f32 {
        let bits = self.next();
        let sum: u64 = (0..4).map(|part| bits >> (16 * part) & 0xffff).sum();
        (sum as f32 / 65_536.0 - 2.0) * 1.73
    }
}

impl Embedder for Points {
    fn model(&self) -> &ModelIdentity {
        &self.0
    }

    fn dimensions(&self) -> usize {
        DIMENSIONS
    }

    fn embed_into(&self, text: &str, vector: &mut [f32]) -> Result<(), EmbedError> {
        let mut random = Random(
            text.parse::<u64>()
                .unwrap_or(0)
                .wrapping_mul(0x2545_f491_4f6c_dd1d),
        );
        let mut centre = Random(random.next() % CENTRES);
        for place in vector.iter_mut() {
            *place = centre.normal() + 1.2 * random.normal();
        }
        let length = vector.iter().map(|place| place * place).sum::<f32>().sqrt();
        for place in vector.iter_mut() {
            *place /= length;
        }
        Ok(())
    }
}

struct BuiltinTokens;

impl Tokenise for BuiltinTokens {
    fn name(&self) -> String {
        StaticModel::builtin().model().slug()
    }

    fn tokens(&self, text: &str, out: &mut Vec<u16>) {
        StaticModel::builtin_tokens().tokens(text, out);
    }
}

/// The built-in model behind an owned handle.
struct Builtin;

impl Embedder for Builtin {
    fn model(&self) -> &ModelIdentity {
        StaticModel::builtin().model()
    }

    fn dimensions(&self) -> usize {
        StaticModel::builtin().dimensions()
    }

    fn embed_into(&self, text: &str, vector: &mut [f32]) -> Result<(), EmbedError> {
        StaticModel::builtin().embed_into(text, vector)
    }

    fn token_table(&self) -> Option<&dyn anamne_embed::TokenTable> {
        StaticModel::builtin().token_table()
    }
}

fn main() -> Result<(), Box<dyn Error>> {
    let mut arguments: Vec<String> = std::env::args().skip(1).collect();
    let lines = if arguments.first().is_some_and(|first| first == "--text") {
        let path = arguments.get(1).cloned().ok_or("--text needs a file")?;
        arguments.drain(..2);
        Some(
            std::fs::read_to_string(path)?
                .lines()
                .map(String::from)
                .collect::<Vec<_>>(),
        )
    } else {
        None
    };
    let sizes = arguments
        .iter()
        .map(|size| size.parse())
        .collect::<Result<Vec<usize>, _>>()?;
    let sizes = if sizes.is_empty() {
        vec![10_000, 100_000]
    } else {
        sizes
    };
    for size in sizes {
        if let Some(lines) = &lines {
            let told = lines.iter().take(size).cloned().collect();
            let step = (lines.len() / QUERIES).max(1);
            let shortened = |line: &String| {
                let words: Vec<&str> = line.split_whitespace().step_by(2).take(7).collect();
                words.join(" ")
            };
            let queries: Vec<String> = lines
                .iter()
                .step_by(step)
                .take(QUERIES)
                .map(shortened)
                .collect();
            measure(
                told,
                &queries,
                &(Arc::new(Builtin) as Arc<dyn Embedder>),
                true,
            )?;
        } else {
            let told = (0..size).map(|number| number.to_string()).collect();
            let queries = (0..QUERIES).map(|number| (number + 1_000_000_000).to_string());
            let points: Arc<dyn Embedder> = Arc::new(Points(ModelIdentity::new("points", "1")));
            measure(told, &queries.collect::<Vec<_>>(), &points, false)?;
        }
    }
    Ok(())
}

fn measure(
    told: Vec<String>,
    queries: &[String],
    embedder: &Arc<dyn Embedder>,
    columns: bool,
) -> Result<(), Box<dyn Error>> {
    let folder = tempfile::tempdir()?;
    let view = VectorsView::open(folder.path().join("vectors"), embedder.clone())?;
    let words = told
        .iter()
        .map(|text| text.split_whitespace().count())
        .sum::<usize>()
        / told.len().max(1);
    let feed = Told(told);
    let begin = Instant::now();
    view.fold(&feed, &mut |_| {})?;
    let rate = feed.0.len() as f64 / begin.elapsed().as_secs_f64();
    let begin = Instant::now();
    let view = VectorsView::open(folder.path().join("vectors"), embedder.clone())?;
    let opened = begin.elapsed();
    let vectors = queries
        .iter()
        .map(|query| {
            let mut vector = vec![0.0; embedder.dimensions()];
            embedder.embed_into(query, &mut vector).map(|()| vector)
        })
        .collect::<Result<Vec<_>, _>>()?;
    let begin = Instant::now();
    view.search(&vectors[0], 10, None)?;
    let first = begin.elapsed();
    println!(
        "{} memories of {words} words, {} vectors, {:.0} B each on disk; folded {rate:.0}/s; opened in {:.2} ms, first search {:.2} ms",
        view.rows(),
        view.vectors(),
        size_of_folder(&folder.path().join("vectors"))? as f64 / view.rows() as f64,
        millis(opened),
        millis(first),
    );
    for limit in [10, 100, 300] {
        let (p50, p95) = percentiles(&vectors, |query| view.search(query, limit, None).map(drop))?;
        let bandwidth = view.vectors() as f64 * 32.0 / 1e6 / p50;
        println!("  top {limit:3}: p50 {p50:.3} ms, p95 {p95:.3} ms; signs at {bandwidth:.1} GB/s");
    }
    for share in [2, 10, 100, 1_000] {
        let filter = (0..feed.0.len() as u32)
            .filter(|row| row.wrapping_mul(0x9e37_79b9) >> 8 < (1 << 24) / share)
            .collect();
        let (p50, p95) = percentiles(&vectors, |query| {
            view.search(query, 10, Some(&filter)).map(drop)
        })?;
        println!("  one in {share}: p50 {p50:.3} ms, p95 {p95:.3} ms");
    }
    report_recall(&view, &feed, &vectors, &**embedder)?;
    if columns {
        report_columns(&folder.path().join("columns"), &feed)?;
    }
    Ok(())
}

fn percentiles(
    queries: &[Vec<f32>],
    mut search: impl FnMut(&[f32]) -> Result<(), ViewError>,
) -> Result<(f64, f64), ViewError> {
    let mut times = Vec::new();
    for query in queries {
        let begin = Instant::now();
        search(query)?;
        times.push(millis(begin.elapsed()));
    }
    times.sort_by(f64::total_cmp);
    Ok((times[times.len() / 2], times[times.len() * 95 / 100]))
}

/// Recall against eight bits over everything (what the scan loses), and against f32 of the whole texts
/// (which is exact for memories of one vector). Memories as near as the last one count as found.
fn report_recall(
    view: &VectorsView,
    feed: &Told,
    queries: &[Vec<f32>],
    embedder: &dyn Embedder,
) -> Result<(), Box<dyn Error>> {
    let mut exact = vec![0.0; feed.0.len() * embedder.dimensions()];
    let rows = exact.par_chunks_mut(embedder.dimensions()).zip(&feed.0);
    rows.map(|(vector, text)| embedder.embed_into(text, vector))
        .collect::<Result<(), _>>()?;
    let all: Vec<Row> = (0..feed.0.len() as u32).map(Row).collect();
    for limit in [10, 100] {
        let (mut scan, mut whole, mut total) = (0, 0, 0);
        for query in queries {
            let found = view.search(query, limit, None)?;
            let coded = view
                .similarities(query, &all)?
                .into_iter()
                .map(|similarity| similarity.unwrap_or(-1.0));
            let coded: Vec<f32> = coded.collect();
            let dots: Vec<f32> = exact
                .par_chunks(embedder.dimensions())
                .map(|vector| {
                    vector
                        .iter()
                        .zip(query)
                        .map(|(one, other)| one * other)
                        .sum()
                })
                .collect();
            for (similarities, count) in [(&coded, &mut scan), (&dots, &mut whole)] {
                let last = nth_best(similarities, limit) - 1e-6;
                *count += found
                    .iter()
                    .filter(|hit| similarities[hit.row.0 as usize] >= last)
                    .count();
            }
            total += limit.min(all.len());
        }
        let share = |count: usize| count as f64 / total as f64;
        println!(
            "  recall@{limit}: {:.4} of eight bits, {:.4} of f32 wholes",
            share(scan),
            share(whole)
        );
    }
    Ok(())
}

fn nth_best(similarities: &[f32], rank: usize) -> f32 {
    let mut order = similarities.to_vec();
    let at = rank.min(order.len()) - 1;
    *order
        .select_nth_unstable_by(at, |one, other| other.total_cmp(one))
        .1
}

fn report_columns(path: &std::path::Path, feed: &Told) -> Result<(), Box<dyn Error>> {
    let view = ColumnsView::open(path, Arc::new(BuiltinTokens));
    let begin = Instant::now();
    view.fold(feed, &mut |_| {})?;
    let rate = feed.0.len() as f64 / begin.elapsed().as_secs_f64();
    let begin = Instant::now();
    let view = ColumnsView::open(path, Arc::new(BuiltinTokens));
    let opened = begin.elapsed();
    let columns = view.snapshot();
    let disk = size_of_folder(path)? as f64 / columns.rows() as f64;
    println!(
        "  columns: folded {rate:.0}/s, {disk:.0} B each on disk, opened in {:.2} ms",
        millis(opened)
    );
    let all = RowPredicate::default();
    let narrow = RowPredicate {
        since: Some(1_000),
        threads: vec![5, 9],
        kinds: vec![1, 2],
        ..RowPredicate::default()
    };
    for (name, predicate) in [("all", &all), ("narrow", &narrow)] {
        let mut times: Vec<f64> = (0..21)
            .map(|_| {
                let begin = Instant::now();
                std::hint::black_box(columns.select(predicate));
                millis(begin.elapsed())
            })
            .collect();
        times.sort_by(f64::total_cmp);
        println!(
            "  select {name}: p50 {:.3} ms, first {:.3} ms",
            times[10], times[20]
        );
    }
    let rows = columns.rows() as u32;
    let begin = Instant::now();
    let found: usize = (0..10_000)
        .map(|step| columns.neighbours(Row(step * 7_919 % rows), 1).next.len())
        .sum();
    println!(
        "  neighbours: {:.2} us each, {found} found",
        millis(begin.elapsed()) / 10.0
    );
    let begin = Instant::now();
    let tokens: usize = (0..10_000)
        .filter_map(|step| Some(columns.tokens(Row(step * 7_919 % rows))?.len()))
        .sum();
    println!(
        "  tokens: {:.2} us each, {tokens} in all",
        millis(begin.elapsed()) / 10.0
    );
    Ok(())
}

fn size_of_folder(path: &std::path::Path) -> std::io::Result<u64> {
    std::fs::read_dir(path)?
        .map(|entry| Ok(entry?.metadata()?.len()))
        .sum()
}

fn millis(duration: std::time::Duration) -> f64 {
    duration.as_secs_f64() * 1e3
}
