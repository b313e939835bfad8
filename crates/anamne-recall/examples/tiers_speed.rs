//! Measures searches over several tiers against the same rows in one: words, meaning, and reading columns.
//!
//! `cargo run --release -p anamne-recall --example tiers_speed [records ...]`

use std::io::{self, Write};
use std::path::Path;
use std::sync::Arc;
use std::time::{Duration, Instant};

use anamne_embed::{Embedder, StaticModel};
use anamne_index::columns::{ColumnsSnapshot, ColumnsView, RowPredicate, Tokenise};
use anamne_index::lexical::LexicalView;
use anamne_index::vectors::VectorsView;
use anamne_recall::tiers::{TieredColumns, TieredLexical, TieredVectors};
use anamne_recall::views::{Columns, LexicalSearch, VectorSearch};
use anamne_store::view::{Change, ChangeFeed, Record, View, ViewError};
use anamne_text::analyser::Analyser;
use anamne_types::{Row, Seq};

const QUERIES: u64 = 200;
/// As many rows as a recall asks each search for.
const LIMIT: usize = 150;

struct BuiltInTokens;

impl Tokenise for BuiltInTokens {
    fn name(&self) -> String {
        StaticModel::builtin().model().slug()
    }

    fn tokens(&self, text: &str, out: &mut Vec<u16>) {
        StaticModel::builtin_tokens().tokens(text, out);
    }
}

/// A text of so many pieces of the built-in vocabulary, common ones more often.
fn text(number: u64, words: usize) -> String {
    let table = StaticModel::builtin_tokens();
    let mut state = number + 1;
    let mut words_of = Vec::with_capacity(words);
    while words_of.len() < words {
        state = state
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        let share = (state >> 40) as f64 / f64::from(1 << 24);
        let piece = table.token_text((1_000.0 + share.powi(3) * 25_000.0) as u16);
        if piece.chars().all(char::is_alphabetic) {
            words_of.push(piece);
        }
    }
    words_of.join(" ")
}

/// Every row below `records` that leaves this rest when divided by the number of tiers.
struct Share {
    records: u64,
    tiers: u64,
    rest: u64,
}

impl ChangeFeed for Share {
    fn head(&self) -> Result<Seq, ViewError> {
        Ok(Seq(self.records))
    }

    fn since(&self, after: Seq, limit: usize) -> Result<Vec<Change>, ViewError> {
        let own = (after.0..self.records).filter(|row| row % self.tiers == self.rest);
        let change = |row| Change {
            seq: Seq(row + 1),
            row: Row(row as u32),
            record: Some(Record {
                text: text(row, 40),
                ..Record::default()
            }),
        };
        Ok(own.take(limit).map(change).collect())
    }
}

struct Tier {
    lexical: LexicalView,
    vectors: VectorsView,
    columns: ColumnsSnapshot,
}

fn tier(folder: &Path, share: &Share) -> Result<Tier, ViewError> {
    let embedder: Arc<dyn Embedder> = Arc::new(StaticModel::builtin());
    let lexical = LexicalView::open(folder.join("lexical"));
    let vectors = VectorsView::open(folder.join("vectors"), embedder)?;
    let columns = ColumnsView::open(folder.join("columns"), Arc::new(BuiltInTokens));
    let views: [&dyn View; 3] = [&lexical, &vectors, &columns];
    for view in views {
        view.fold(share, &mut |_| ())?;
    }
    Ok(Tier {
        lexical,
        vectors,
        columns: columns.snapshot(),
    })
}

/// The median time of a call, in µs, over the queries; those of a first round do not count.
fn median(
    mut call: impl FnMut(u64) -> Result<(), ViewError>,
) -> Result<f64, Box<dyn std::error::Error>> {
    let mut times: Vec<Duration> = Vec::new();
    for round in 0..3 {
        for query in 0..QUERIES {
            let started = Instant::now();
            call(query)?;
            if round > 0 {
                times.push(started.elapsed());
            }
        }
    }
    times.sort_unstable();
    Ok(times[times.len() / 2].as_secs_f64() * 1e6)
}

fn run(out: &mut impl Write, records: u64) -> Result<(), Box<dyn std::error::Error>> {
    let questions: Vec<String> = (0..QUERIES).map(|query| text(query << 32, 7)).collect();
    let mut analyser = Analyser::new();
    let terms: Vec<_> = questions.iter().map(|text| analyser.query(text)).collect();
    let model = StaticModel::builtin();
    let texts: Vec<&str> = questions.iter().map(String::as_str).collect();
    let directions = model.embed_batch(&texts)?;
    let direction = |query: u64| {
        let start = query as usize * model.dimensions();
        &directions[start..start + model.dimensions()]
    };
    writeln!(out, "{records} records of 40 words, p50 in µs")?;
    for tiers in [1, 2, 4, 8] {
        let folder = tempfile::tempdir()?;
        let share = |rest| Share {
            records,
            tiers,
            rest,
        };
        let all: Vec<Tier> = (0..tiers)
            .map(|rest| tier(&folder.path().join(rest.to_string()), &share(rest)))
            .collect::<Result<_, _>>()?;
        let lexical = TieredLexical::new(all.iter().map(|tier| &tier.lexical).collect());
        let vectors = TieredVectors::new(all.iter().map(|tier| &tier.vectors).collect());
        let columns = TieredColumns::new(all.iter().map(|tier| &tier.columns).collect());
        let words = median(|query| {
            lexical
                .search(&terms[query as usize], LIMIT, None)
                .map(drop)
        })?;
        let idf = median(|query| {
            lexical.idf(&terms[query as usize]);
            Ok(())
        })?;
        let meaning = median(|query| vectors.candidates(direction(query), LIMIT, None).map(drop))?;
        let reading = median(|query| {
            for step in 0..LIMIT as u64 {
                let row = Row(((query * 7_919 + step * 104_729) % records) as u32);
                columns.attributes(row);
                columns.tokens(row);
            }
            Ok(())
        })?;
        let predicate = RowPredicate {
            min_importance: 1,
            ..RowPredicate::default()
        };
        let select = median(|_| {
            columns.select(&predicate);
            Ok(())
        })?;
        writeln!(
            out,
            "  {tiers} tiers: words {words:7.1}  idf {idf:6.1}  meaning {meaning:7.1}  columns of {LIMIT} rows {reading:6.1}  \
             select {select:7.1}"
        )?;
    }
    Ok(())
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut out = io::stdout().lock();
    let asked: Result<Vec<u64>, _> = std::env::args()
        .skip(1)
        .map(|argument| argument.parse())
        .collect();
    let sizes = Some(asked?)
        .filter(|sizes| !sizes.is_empty())
        .unwrap_or_else(|| vec![10_000, 100_000]);
    sizes
        .into_iter()
        .try_for_each(|records| run(&mut out, records))
}
