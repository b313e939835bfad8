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

/// The length of a document of the mixed text, and of an ordinary memory, in bytes.
const DOCUMENT: usize = 4_096;
const MEMORY: usize = 300;
/// Number of memories.
const MEMORIES: usize = 20_000;
/// Number of passes; the best counts.
const ROUNDS: usize = 3;

/// How much text, and how to print.
#[derive(clap::Args)]
pub(super) struct Arguments {
    /// Megabytes of mixed text.
    #[arg(long, value_name = "MB", default_value_t = 64, value_parser = clap::value_parser!(u64).range(1..=1_024))]
    megabytes: u64,
    /// Print JSON instead of a table.
    #[arg(long)]
    json: bool,
}

/// Measures on one thread.
pub(super) fn run(arguments: &Arguments) -> Result<(), Failure> {
    let bytes = arguments.megabytes as usize * 1_000_000;
    let mixed = texts(bytes, DOCUMENT, |_| true)?;
    let ordinary = |record: &Record| {
        record.is_clean()
            && ["prose", "code", "log", "command", "docs"].contains(&record.group.as_str())
    };
    let memories = texts(MEMORIES * (MEMORY + 1), MEMORY, ordinary)?;
    let read = megabytes_per_second(&mixed, |text| sum(text.as_bytes()));
    let searched = megabytes_per_second(&mixed, |text| occurrences(text.as_bytes(), b'='));
    let mut rows = Vec::new();
    for (name, guard) in guards()? {
        let rate = megabytes_per_second(&mixed, |text| guard.findings(text).len() as u64);
        let per_memory = microseconds(&memories, |text| guard.findings(text).len());
        rows.push((name, rate, per_memory));
    }
    if arguments.json {
        let rows: Vec<_> = rows
            .iter()
            .map(|(name, rate, per_memory)| {
                json!({"guard": name, "mb_per_second": rate, "times_slower_than_reading": read / rate,
                       "memory_p50_us": per_memory[0], "memory_p95_us": per_memory[1]})
            })
            .collect();
        let all = json!({"bytes": bytes, "read_mb_per_second": read, "search_mb_per_second": searched, "guards": rows});
        line(&format!("{all:#}"));
        return Ok(());
    }
    line(&format!(
        "{:<22}{:>10}{:>20}{:>20}{:>20}",
        "", "MB/s", "times slower than", "us per memory", "us per memory"
    ));
    line(&format!(
        "{:<22}{:>10}{:>20}{:>20}{:>20}",
        "", "", "reading the bytes", "(p50)", "(p95)"
    ));
    for (name, rate, [p50, p95]) in rows {
        line(&format!(
            "{name:<22}{rate:>10.1}{:>20.1}{p50:>20.2}{p95:>20.2}",
            read / rate
        ));
    }
    line(&format!("{:<22}{read:>10.0}", "sum of all bytes"));
    line(&format!("{:<22}{searched:>10.0}", "search for one byte"));
    line(&format!(
        "{} MB of mixed text in documents of {DOCUMENT} bytes, {} memories of about {MEMORY} bytes, one thread, best of {ROUNDS}",
        arguments.megabytes,
        memories.len()
    ));
    Ok(())
}

/// Guards by what they look for.
fn guards() -> Result<Vec<(&'static str, Guard)>, Failure> {
    let policy = |secret, personal| -> Result<Guard, Failure> {
        let actions = BTreeMap::from([
            ("secret".to_owned(), secret),
            ("personal".to_owned(), personal),
        ]);
        Ok(Guard::new(Policy::new(actions)?))
    };
    Ok(vec![
        ("default policy", Guard::new(Policy::default())),
        ("secrets", policy(Action::Mark, Action::Off)?),
        ("personal data", policy(Action::Off, Action::Mark)?),
        ("everything", policy(Action::Mark, Action::Mark)?),
    ])
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
    fn texts_have_about_the_length_that_was_asked_for() {
        let texts = texts(200_000, MEMORY, |record| record.group == "prose").expect("texts");
        let mean = texts.iter().map(String::len).sum::<usize>() / texts.len();
        assert!((MEMORY..2 * MEMORY).contains(&mean), "{mean}");
    }
}
