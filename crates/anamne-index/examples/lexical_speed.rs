//! Measures the lexical view over generated text: folding, opening, searching.
//!
//! `cargo run --release -p anamne-index --example lexical_speed [records ...]`

use std::io::{self, Write};
use std::time::{Duration, Instant};

use anamne_index::lexical::LexicalView;
use anamne_store::view::{Change, ChangeFeed, Record, View, ViewError};
use anamne_text::analyser::{Analyser, QueryTerm, QueryTerms};
use anamne_types::{Row, Seq};
use roaring::RoaringBitmap;

const VOCABULARY: u32 = 200_000;
/// The most common words: they are in the texts, which makes them English, but not in the queries.
const STOP_WORDS: [&str; 64] = [
    "the", "of", "and", "to", "in", "a", "is", "that", "for", "it", "was", "on", "with", "as",
    "be", "at", "by", "this", "had", "not", "are", "but", "from", "or", "have", "an", "they",
    "which", "one", "you", "were", "all", "her", "she", "there", "would", "their", "we", "him",
    "been", "has", "when", "who", "will", "no", "more", "if", "out", "so", "up", "said", "what",
    "its", "about", "than", "into", "them", "can", "only", "other", "some", "could", "these",
    "two",
];
const QUERIES: usize = 400;

/// Numbers that look random and are the same each time (SplitMix64).
struct Noise(u64);

impl Noise {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mixed = (self.0 ^ self.0 >> 30).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        let mixed = (mixed ^ mixed >> 27).wrapping_mul(0x94D0_49BB_1331_11EB);
        mixed ^ mixed >> 31
    }

    fn unit(&mut self) -> f64 {
        (self.next() >> 11) as f64 / (1_u64 << 53) as f64
    }

    /// A rank by Zipf's law: `P(rank) ∝ 1 / (rank + 2)`.
    fn rank(&mut self) -> u32 {
        ((f64::from(VOCABULARY).ln() * self.unit()).exp() * 2.0 - 2.0)
            .min(f64::from(VOCABULARY - 1)) as u32
    }
}

/// A stop word, or a word of one to five syllables that the stemmer leaves alone.
fn word(rank: u32, into: &mut String) {
    if let Some(word) = STOP_WORDS.get(rank as usize) {
        return into.push_str(word);
    }
    let mut rest = rank + 1;
    while rest > 0 {
        into.push(char::from(b"bdfgklmnprtv"[(rest % 12) as usize]));
        rest /= 12;
        into.push(char::from(b"aou"[(rest % 3) as usize]));
        rest /= 3;
    }
}

fn text(row: u64, words: std::ops::Range<u64>) -> String {
    let mut noise = Noise(row << 20);
    let count = words.start + noise.next() % (words.end - words.start);
    let mut text = String::new();
    for _ in 0..count {
        word(noise.rank(), &mut text);
        text.push(' ');
    }
    text
}

/// A log of new records, generated as they are read.
struct Generated {
    records: u64,
    words: std::ops::Range<u64>,
}

impl ChangeFeed for Generated {
    fn head(&self) -> Result<Seq, ViewError> {
        Ok(Seq(self.records))
    }

    fn since(&self, after: Seq, limit: usize) -> Result<Vec<Change>, ViewError> {
        let change = |seq| {
            let record = Record {
                text: text(seq, self.words.clone()),
                ..Record::default()
            };
            Change {
                seq: Seq(seq),
                row: Row(seq as u32 - 1),
                record: Some(record),
            }
        };
        Ok((after.0 + 1..=self.records)
            .take(limit)
            .map(change)
            .collect())
    }
}

/// A question of seven words, as common as in the texts but for the stop words.
fn query(number: u64) -> QueryTerms {
    let mut noise = Noise(number << 40 | 1);
    let mut terms: Vec<QueryTerm> = Vec::new();
    while terms.len() < 7 {
        let rank = noise.rank();
        let mut text = String::new();
        word(rank, &mut text);
        if rank as usize >= STOP_WORDS.len() && terms.iter().all(|term| term.text != text) {
            terms.push(QueryTerm {
                text,
                occurrences: 1,
            });
        }
    }
    QueryTerms {
        terms,
        dropped_stop_words: Vec::new(),
    }
}

fn at(times: &mut [Duration], share: f64) -> f64 {
    times.sort_unstable();
    times[((times.len() - 1) as f64 * share) as usize].as_secs_f64() * 1e6
}

fn measure(
    out: &mut impl Write,
    view: &LexicalView,
    name: &str,
    limit: usize,
    filter: Option<&RoaringBitmap>,
) -> io::Result<()> {
    let queries: Vec<_> = (0..QUERIES as u64).map(query).collect();
    let mut found = 0;
    let mut times = Vec::new();
    for round in 0..3 {
        for query in &queries {
            let started = Instant::now();
            let hits = view
                .search(query, limit, filter)
                .map_err(io::Error::other)?;
            if round > 0 {
                times.push(started.elapsed());
            }
            found += hits.len();
        }
    }
    let (half, most) = (at(&mut times, 0.5), at(&mut times, 0.95));
    writeln!(
        out,
        "  {name:<28} top {limit:<4} p50 {half:7.1} µs  p95 {most:7.1} µs  ({} hits)",
        found / 3 / QUERIES
    )
}

fn size(folder: &std::path::Path) -> io::Result<u64> {
    std::fs::read_dir(folder)?
        .map(|entry| Ok(entry?.metadata()?.len()))
        .sum()
}

fn run(out: &mut impl Write, records: u64) -> Result<(), Box<dyn std::error::Error>> {
    let folder = tempfile::tempdir()?;
    let view = LexicalView::open(folder.path().join("lexical"));
    writeln!(out, "{records} records of 20 to 300 words")?;
    let log = Generated {
        records,
        words: 20..300,
    };
    let started = Instant::now();
    view.fold(&log, &mut |_| ())?;
    let rate = records as f64 / started.elapsed().as_secs_f64();
    writeln!(
        out,
        "  folded at {rate:.0} records/s, text generated on the way"
    )?;

    let bytes = size(view.folder())?;
    let started = Instant::now();
    let again = LexicalView::open(view.folder().to_owned());
    let opened = started.elapsed();
    let megabytes = bytes as f64 / 1e6;
    writeln!(
        out,
        "  opened in {opened:.1?}, {megabytes:.1} MB, {:.0} KiB per 1000 records",
        bytes as f64 / 1.024 / records as f64
    )?;
    let started = Instant::now();
    again.verify();
    writeln!(
        out,
        "  verified at {:.0} MB/s",
        megabytes / started.elapsed().as_secs_f64()
    )?;
    let started = Instant::now();
    for _ in 0..1_000 {
        view.refresh();
    }
    writeln!(
        out,
        "  refreshed in {:.2} µs when nothing is new",
        started.elapsed().as_secs_f64() * 1e3
    )?;

    measure(out, &view, "all", 10, None)?;
    measure(out, &view, "all", 100, None)?;
    for (name, step) in [
        ("every 2nd row", 2),
        ("every 10th row", 10),
        ("every 100th row", 100),
        ("every 5000th row", 5_000),
    ] {
        let filter = (0..records as u32).step_by(step).collect();
        measure(out, &view, name, 10, Some(&filter))?;
    }
    let more = Generated {
        records: records + 1_000,
        words: 20..300,
    };
    let changes = more.since(Seq(records), usize::MAX)?;
    let started = Instant::now();
    view.follow(&changes, Seq(records + 1_000));
    writeln!(
        out,
        "  followed at {:.1} µs per record",
        started.elapsed().as_secs_f64() * 1e3
    )?;
    measure(out, &view, "with a tail of 1000", 10, None)?;
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

    let records = 50_000;
    let log = Generated {
        records,
        words: 100..101,
    };
    let started = Instant::now();
    let (mut analyser, mut terms) = (Analyser::new(), 0_u64);
    for change in log.since(Seq(0), usize::MAX)? {
        let record = change.record.unwrap_or_default();
        analyser.document(&record.text, &mut |_, _| terms += 1);
    }
    let alone = records as f64 / started.elapsed().as_secs_f64();
    let folder = tempfile::tempdir()?;
    let view = LexicalView::open(folder.path().join("lexical"));
    let started = Instant::now();
    view.fold(&log, &mut |_| ())?;
    let folded = records as f64 / started.elapsed().as_secs_f64();
    writeln!(
        out,
        "{records} records of 100 words: folded at {folded:.0} records/s; generating and analysing alone {alone:.0}"
    )?;

    sizes
        .into_iter()
        .try_for_each(|records| run(&mut out, records))
}
