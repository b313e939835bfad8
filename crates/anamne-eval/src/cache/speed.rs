//! How long does a lookup take in a large cache, beside a bare lookup by primary key?

use std::path::Path;
use std::process::ExitCode;

use anamne_experience::tool_results::{Fetched, RequestKind, ToolRequest, ToolResults};
use jiff::Timestamp;
use rusqlite::{Connection, params};

use crate::chance::Chance;
use crate::failure::Failure;
use crate::latencies::Latencies;
use crate::output;

/// Lookups of each sort.
const LOOKUPS: usize = 5_000;

/// Warm-up lookups.
const WARM_UP: usize = 200;

/// The highest accepted 95th percentile, in milliseconds.
const MOST_MILLISECONDS: f64 = 1.0;

const WORDS: [&str; 40] = [
    "harbour", "pilot", "ledger", "saffron", "granite", "timeout", "parser", "router", "schema",
    "socket", "compiler", "vector", "invoice", "weather", "railway", "museum", "battery",
    "antenna", "glacier", "orchard", "thread", "kernel", "cluster", "backup", "deploy", "license",
    "version", "release", "mirror", "archive", "signal", "engine", "turbine", "compass", "voltage",
    "quarry", "lantern", "meadow", "viaduct", "beacon",
];

/// Fills a cache, measures, and prints.
pub(crate) fn run(results: usize) -> Result<ExitCode, Failure> {
    let folder = tempfile::tempdir()?;
    let cache = ToolResults::at(&folder.path().join("tool-results.db"), u64::MAX);
    let bare = Bare::create(&folder.path().join("bare.db"))?;
    let now = Timestamp::UNIX_EPOCH;
    let content = "a result of a search that is as long as a short answer usually is. ".repeat(8);
    let fetched = Fetched {
        content: content.clone(),
        ..Fetched::default()
    };
    for number in 0..results {
        cache.store(&request(&asked(number, false)), &fetched, now)?;
        bare.store(&asked(number, false), &content)?;
        if number % 20_000 == 0 {
            output::print_error(&format!("{number} stored"));
        }
    }
    let look_up = |text: &str| -> Result<(), Failure> {
        std::hint::black_box(cache.look_up(&request(text), now)?);
        Ok(())
    };
    let mut chance = Chance::new(3);
    let mut asked_again = |reworded: bool, beyond: usize| -> Vec<String> {
        (0..LOOKUPS)
            .map(|_| asked(beyond + chance.below(results), reworded))
            .collect()
    };
    let sorts = [
        ("identical request", asked_again(false, 0)),
        ("other words", asked_again(true, 0)),
        ("miss", asked_again(false, results)),
    ];
    output::line("| lookup | p50 ms | p95 ms | × bare key |\n|---|---:|---:|---:|");
    let base = Latencies::warmed(&sorts[0].1, WARM_UP, |text| bare.look_up(text))?;
    output::line(&format!(
        "| bare key | {:.3} | {:.3} | 1 |",
        base.p50(),
        base.p95()
    ));
    let mut slow = Vec::new();
    for (name, texts) in &sorts {
        let taken = Latencies::warmed(texts, WARM_UP, look_up)?;
        let (half, most) = (taken.p50(), taken.p95());
        output::line(&format!(
            "| {name} | {half:.3} | {most:.3} | {:.1} |",
            most / base.p95()
        ));
        if most > MOST_MILLISECONDS {
            slow.push(format!("{name}: {most:.3} ms"));
        }
    }
    Ok(output::judge(&slow))
}

fn request(text: &str) -> ToolRequest {
    ToolRequest::new(RequestKind::Search, "web", text)
}

/// A request that no other number has, in one of two wordings.
fn asked(number: usize, reworded: bool) -> String {
    let word = |place: usize| WORDS[number / 40_usize.pow(place as u32) % 40];
    let (one, two, three) = (word(0), word(1), word(2));
    if reworded {
        format!("please tell me about {three} and {two} {one} {number}")
    } else {
        format!("{one} {two} {three} {number}")
    }
}

/// A table with a primary key.
struct Bare(Connection);

impl Bare {
    fn create(path: &Path) -> Result<Self, Failure> {
        let connection = Connection::open(path)?;
        connection.execute_batch(
            "PRAGMA journal_mode = WAL; PRAGMA synchronous = OFF;
             CREATE TABLE results (request TEXT PRIMARY KEY, content TEXT NOT NULL) STRICT, WITHOUT ROWID;",
        )?;
        Ok(Self(connection))
    }

    fn store(&self, request: &str, content: &str) -> Result<(), Failure> {
        let mut insert = self
            .0
            .prepare_cached("INSERT OR IGNORE INTO results VALUES (?1, ?2)")?;
        insert.execute(params![request, content])?;
        Ok(())
    }

    fn look_up(&self, request: &str) -> Result<(), Failure> {
        let mut select = self
            .0
            .prepare_cached("SELECT content FROM results WHERE request = ?1")?;
        let found: String = select.query_row([request], |row| row.get(0))?;
        std::hint::black_box(found);
        Ok(())
    }
}
