//! Measures how fast personal data is found: `cargo run --release --example speed_personal -p anamne-guard`.
//!
//! Prints megabytes per second over prose, logs, code, hashes and contacts, and the time for a memory of 300 bytes.
#![allow(clippy::print_stdout)]

use std::hint::black_box;
use std::time::Instant;

use anamne_guard::{AllowList, Group, Names, find};

const PROSE: &str = "We moved the nightly backup to the second disk because the first one was slow. Mara prefers small \
    commits and a short summary; the review takes about 20 minutes. The cache holds 4096 entries, and the index is rebuilt \
    at 3 o'clock. ";
const LOG: &str = "2026-03-14T09:26:53.589793Z INFO worker-17 request_id=8f14e45f-ceea-467f-a8d2-9c1b2f3d4e5a GET \
    /v1/items/48213 200 1834us bytes=20481 peer=10.0.3.17:52144\n";
const CODE: &str = "    let total = items.iter().map(|item| item.price * 100 + 42).sum::<u64>();\n    assert_eq!(total, 123_456, \
    \"{total} of {}\", items.len());\n";
const HASHES: &str = "5f0e2c6ed6606019b4e29e69dbaba95b11854410e5347d525002456dbbb786b6 \
    9e107d9d372bb6826bd81d3542a419d6 iVBORw0KGgoAAAANSUhEUgAAAAUAAAAFCAYAAACNbyblAAAAHElEQVQI12P4 \n";
const CONTACTS: &str = "Ada Lind <ada@lind.io>, born 3 May 1985, Lindenstraße 12, 10115 Berlin, tel. +49 30 901820, seen \
    from 91.198.174.192.\n";
/// At least this long.
const BYTES: usize = 8 << 20;

fn main() {
    let mixed = [PROSE, LOG, CODE, PROSE, HASHES, LOG, CODE, CONTACTS].concat();
    let texts = [
        ("prose", PROSE),
        ("log", LOG),
        ("code", CODE),
        ("hashes", HASHES),
        ("contacts", CONTACTS),
        ("mixed", mixed.as_str()),
    ];
    for (name, text) in texts {
        let text = text.repeat(BYTES / text.len() + 1);
        let (seconds, found) = best_of(5, || search(&text));
        println!(
            "{name:>9} {:7.1} MB/s  {found} findings",
            text.len() as f64 / seconds / 1e6
        );
    }
    let memory = &PROSE.repeat(2)[..300];
    let (seconds, _) = best_of(5, || (0..10_000).map(|_| search(memory)).sum::<usize>());
    println!("   memory {:7.2} us", seconds * 1e6 / 10_000.0);
}

fn search(text: &str) -> usize {
    let is_wanted = |kind: anamne_guard::DataKind| kind.group() == Group::Personal;
    find(
        black_box(text),
        &Names::default(),
        &AllowList::default(),
        is_wanted,
    )
    .len()
}

/// The least seconds of some runs, and the last result.
fn best_of(runs: usize, mut run: impl FnMut() -> usize) -> (f64, usize) {
    let mut best = f64::MAX;
    let mut result = 0;
    for _ in 0..runs {
        let start = Instant::now();
        result = run();
        best = best.min(start.elapsed().as_secs_f64());
    }
    (best, result)
}
