//! Speed of the guard, next to reading the same bytes.

use std::collections::BTreeMap;
use std::hint::black_box;
use std::time::Instant;

use anamne::guard::{Action, Guard, Policy};
use serde_json::json;

use super::set::{self, Record, Subject};
use crate::chance::Chance;
use crate::failure::Failure;
use crate::output::line;

/// The length of a document, and of a memory, in bytes.
const DOCUMENT: usize = 4_096;
const MEMORY: usize = 300;
/// About how many memories of each sort.
const MEMORIES: usize = 20_000;
/// Number of passes; the best counts.
const ROUNDS: usize = 3;

/// How much text, and how to print.
#[derive(clap::Args)]
pub(super) struct Arguments {
    /// Megabytes of labelled and of clean text.
    #[arg(long, value_name = "MB", default_value_t = 64, value_parser = clap::value_parser!(u64).range(1..=1_024))]
    megabytes: u64,
    /// Print JSON instead of a table.
    #[arg(long)]
    json: bool,
}

/// The texts to measure on.
struct Texts {
    /// Labelled texts of both sets, which are dense with findings, in documents.
    labelled: Vec<String>,
    /// Prose and code without a finding, in documents.
    clean: Vec<String>,
    /// Clean texts of the set of secrets, which resemble texts with secrets, as memories.
    near_misses: Vec<String>,
    /// Prose and code without a finding, as memories.
    ordinary: Vec<String>,
}

impl Texts {
    fn of(bytes: usize) -> Result<Self, Failure> {
        let is_near_miss = |record: &Record| {
            record.is_clean()
                && ["prose", "code", "log", "command", "docs"].contains(&record.group.as_str())
        };
        Ok(Self {
            labelled: texts(bytes, DOCUMENT, |_| true)?,
            clean: clean(bytes, DOCUMENT)?,
            near_misses: texts(MEMORIES * (MEMORY + 1), MEMORY, is_near_miss)?,
            ordinary: clean(MEMORIES * (MEMORY + 1), MEMORY)?,
        })
    }
}

/// What a guard reached.
struct Row {
    guard: &'static str,
    /// Megabytes per second of labelled and of clean documents.
    rates: [f64; 2],
    /// Microseconds, median and 95th percentile, per near miss and per ordinary memory.
    times: [[f64; 2]; 2],
}

impl Row {
    fn of(name: &'static str, guard: &Guard, texts: &Texts) -> Self {
        let rate = |texts| megabytes_per_second(texts, |text| guard.findings(text).len() as u64);
        let time = |texts| microseconds(texts, |text| guard.findings(text).len());
        Self {
            guard: name,
            rates: [&texts.labelled, &texts.clean].map(|texts| rate(texts)),
            times: [&texts.near_misses, &texts.ordinary].map(|texts| time(texts)),
        }
    }

    fn json(&self, read: f64) -> serde_json::Value {
        let [labelled, clean] = self.rates;
        let [near_miss, ordinary] = self.times;
        json!({"guard": self.guard,
               "labelled_mb_per_second": labelled, "clean_mb_per_second": clean,
               "labelled_times_slower_than_reading": read / labelled,
               "clean_times_slower_than_reading": read / clean,
               "near_miss_p50_us": near_miss[0], "near_miss_p95_us": near_miss[1],
               "ordinary_p50_us": ordinary[0], "ordinary_p95_us": ordinary[1]})
    }
}

/// Measures on one thread.
pub(super) fn run(arguments: &Arguments) -> Result<(), Failure> {
    let bytes = arguments.megabytes as usize * 1_000_000;
    let texts = Texts::of(bytes)?;
    let read = megabytes_per_second(&texts.labelled, |text| sum(text.as_bytes()));
    let searched = megabytes_per_second(&texts.labelled, |text| occurrences(text.as_bytes(), b'='));
    let rows: Vec<Row> = guards()?
        .iter()
        .map(|(name, guard)| Row::of(name, guard, &texts))
        .collect();
    if arguments.json {
        let rows: Vec<_> = rows.iter().map(|row| row.json(read)).collect();
        let all = json!({"bytes": bytes, "read_mb_per_second": read, "search_mb_per_second": searched, "guards": rows});
        line(&format!("{all:#}"));
        return Ok(());
    }
    line(&format!(
        "{:<20}{:>24}{:>24}{:>24}{:>24}",
        "", "labelled, MB/s", "clean, MB/s", "near miss, us", "ordinary memory, us"
    ));
    line(&format!(
        "{:<20}{:>24}{:>24}{:>24}{:>24}",
        "", "(times reading)", "(times reading)", "(p50, p95)", "(p50, p95)"
    ));
    for row in &rows {
        let rates = row
            .rates
            .map(|rate| format!("{rate:.1} ({:.0})", read / rate));
        let times = row.times.map(|[p50, p95]| format!("{p50:.2}, {p95:.2}"));
        line(&format!(
            "{:<20}{:>24}{:>24}{:>24}{:>24}",
            row.guard, rates[0], rates[1], times[0], times[1]
        ));
    }
    line(&format!("{:<20}{read:>24.0}", "sum of all bytes"));
    line(&format!("{:<20}{searched:>24.0}", "search for one byte"));
    line(&format!(
        "{} MB each in documents of {DOCUMENT} bytes, {} and {} memories of about {MEMORY} bytes, one thread, best of {ROUNDS}",
        arguments.megabytes,
        texts.near_misses.len(),
        texts.ordinary.len()
    ));
    Ok(())
}

/// Guards by what they look for.
fn guards() -> Result<Vec<(&'static str, Guard)>, Failure> {
    Ok(vec![
        ("default policy", Guard::new(Policy::default())),
        ("secrets", guard(Action::Mark, Action::Off)?),
        ("personal data", guard(Action::Off, Action::Mark)?),
        ("everything", guard(Action::Mark, Action::Mark)?),
    ])
}

fn guard(secret: Action, personal: Action) -> Result<Guard, Failure> {
    let actions = BTreeMap::from([
        ("secret".to_owned(), secret),
        ("personal".to_owned(), personal),
    ]);
    Ok(Guard::new(Policy::new(actions)?))
}

/// Texts of about this length, from chosen records of both sets in random order; seeds follow one another until there
/// is enough.
fn texts(
    bytes: usize,
    length: usize,
    is_chosen: impl Fn(&Record) -> bool,
) -> Result<Vec<String>, Failure> {
    let mut texts = Vec::new();
    let mut text = String::new();
    let mut written = 0;
    let mut chance = Chance::new(set::SEED);
    for seed in set::SEED + 1.. {
        let mut records = set::records(Subject::Secrets, seed)?;
        records.extend(set::records(Subject::Personal, seed)?);
        records.retain(&is_chosen);
        if records.is_empty() {
            return Err("no texts".into());
        }
        for at in (1..records.len()).rev() {
            records.swap(at, chance.below(at + 1));
        }
        for record in records {
            text.push_str(&record.text);
            text.push('\n');
            if text.len() >= length {
                written += text.len();
                texts.push(std::mem::take(&mut text));
            }
            if written >= bytes {
                return Ok(texts);
            }
        }
    }
    Ok(texts)
}

/// Prose and code as it is remembered: the demo conversation, documentation and sources.
const CLEAN: [&str; 8] = [
    include_str!("../../../anamne-cli/demo/conversation.jsonl"),
    include_str!("../../../../ARCHITECTURE.md"),
    include_str!("../../../../docs/decisions.md"),
    include_str!("../../../../docs/format.md"),
    include_str!("../corpus.rs"),
    include_str!("../fusion.rs"),
    include_str!("../generator.rs"),
    include_str!("../latencies.rs"),
];

/// Clean texts of about this length without findings, again and again until there is enough.
fn clean(bytes: usize, length: usize) -> Result<Vec<String>, Failure> {
    let guard = guard(Action::Mark, Action::Mark)?;
    let mut all: Vec<String> = Vec::new();
    for source in CLEAN {
        let mut text = String::new();
        for line in source.lines() {
            match serde_json::from_str::<serde_json::Value>(line) {
                Ok(message) => text.push_str(message["text"].as_str().unwrap_or_default()),
                Err(_) => text.push_str(line),
            }
            text.push('\n');
            if text.len() >= length {
                all.push(std::mem::take(&mut text));
            }
        }
    }
    all.retain(|text| guard.findings(text).is_empty());
    let total: usize = all.iter().map(String::len).sum();
    if total == 0 {
        return Err("no clean texts".into());
    }
    let count = all.len() * bytes.div_ceil(total);
    Ok(all.iter().cycle().take(count).cloned().collect())
}

fn megabytes_per_second(texts: &[String], mut work: impl FnMut(&str) -> u64) -> f64 {
    let bytes: usize = texts.iter().map(String::len).sum();
    let mut round = || {
        let started = Instant::now();
        for text in texts {
            black_box(work(black_box(text)));
        }
        bytes as f64 / 1e6 / started.elapsed().as_secs_f64()
    };
    (0..ROUNDS).map(|_| round()).fold(0.0, f64::max)
}

/// The median and the 95th percentile of microseconds per text, after a pass to warm up.
fn microseconds(texts: &[String], work: impl Fn(&str) -> usize) -> [f64; 2] {
    for text in texts {
        black_box(work(black_box(text)));
    }
    let mut times: Vec<f64> = texts
        .iter()
        .map(|text| {
            let started = Instant::now();
            black_box(work(black_box(text)));
            started.elapsed().as_secs_f64() * 1e6
        })
        .collect();
    times.sort_unstable_by(f64::total_cmp);
    [0.5, 0.95].map(|quantile| times[(quantile * (times.len() - 1) as f64) as usize])
}

/// The sum of all bytes as 64-bit words: each is read once.
fn sum(bytes: &[u8]) -> u64 {
    let (words, rest) = bytes.as_chunks::<8>();
    let words = words.iter().map(|word| u64::from_le_bytes(*word));
    let rest = rest.iter().map(|byte| u64::from(*byte));
    words.chain(rest).fold(0, u64::wrapping_add)
}

/// How often a byte occurs. Counts of short chunks fit into a byte, so that many bytes are compared at once.
fn occurrences(bytes: &[u8], wanted: u8) -> u64 {
    let in_chunk = |chunk: &[u8]| {
        chunk
            .iter()
            .map(|byte| u8::from(*byte == wanted))
            .sum::<u8>()
    };
    bytes
        .chunks(128)
        .map(|chunk| u64::from(in_chunk(chunk)))
        .sum()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn references_read_every_byte() {
        let text = "a=b;".repeat(100) + "=";
        assert_eq!(occurrences(text.as_bytes(), b'='), 101);
        assert_eq!(sum(&[1, 0, 0, 0, 0, 0, 0, 0, 2]), 3);
    }

    #[test]
    fn clean_texts_have_no_findings() {
        let texts = clean(300_000, MEMORY).expect("texts");
        let guard = Guard::default();
        assert!(texts.len() > 500);
        assert!(texts.iter().all(|text| guard.findings(text).is_empty()));
    }

    #[test]
    fn texts_have_about_the_length_that_was_asked_for() {
        let texts = texts(200_000, MEMORY, |record| record.group == "prose").expect("texts");
        let mean = texts.iter().map(String::len).sum::<usize>() / texts.len();
        assert!((MEMORY..2 * MEMORY).contains(&mean), "{mean}");
    }
}
