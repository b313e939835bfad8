//! How fast the source takes writes, beside what the disk allows, in the same run.
//!
//! `cargo run --release -p anamne-store --example store_speed [folder]`: prints the ratio first. The
//! floor is one SQLite commit with `synchronous=FULL` of a row of the same size, and one `fdatasync`
//! of an appended file.

#![allow(clippy::print_stdout)] // its output is its purpose

use std::error::Error;
use std::fs::{self, File};
use std::io::Write;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, Instant};

use anamne_store::{SpaceName, SpaceSource, SystemClock};
use anamne_types::{Actor, Draft};
use rusqlite::{Connection, params};

const SINGLES: usize = 1_000;
const BATCHES: usize = 40;
const BATCH: usize = 512;
const WORDS: usize = 100;

fn main() -> Result<(), Box<dyn Error>> {
    let folder = std::env::args()
        .nth(1)
        .map_or_else(std::env::temp_dir, PathBuf::from);
    let folder = folder.join(format!("store-speed-{}", std::process::id()));
    fs::create_dir_all(&folder)?;
    let outcome = measure(&folder);
    fs::remove_dir_all(&folder)?;
    outcome
}

fn measure(folder: &Path) -> Result<(), Box<dyn Error>> {
    let space = SpaceSource::open(
        &folder.join("core"),
        &SpaceName::core(),
        Arc::new(SystemClock),
        true,
    )?;
    let mut floor = Floor::open(folder)?;
    let (mut ours, mut bare) = (Vec::new(), Vec::new());
    // Taken in turns, so that what else the machine does falls on both alike.
    for number in 0..SINGLES {
        let draft = draft(number);
        ours.push(timed(|| {
            Ok(space.remember(&Actor::user(), &draft).map(drop)?)
        })?);
        bare.push(timed(|| floor.write(&draft.content))?);
    }
    let (ours, bare) = (quantiles(ours), quantiles(bare));
    println!(
        "remember / bare pair, p50   {:.2}",
        ours[0].as_secs_f64() / bare[0].as_secs_f64()
    );
    println!("remember, p50 p95 p99       {ours:.0?}");
    println!("bare pair, p50 p95 p99      {bare:.0?}");
    let (started, mut busy) = (Instant::now(), Duration::ZERO);
    let mut slowest = Duration::ZERO;
    for batch in 0..BATCHES {
        let drafts: Vec<_> = (0..BATCH)
            .map(|index| draft(SINGLES + batch * BATCH + index))
            .collect();
        let before = on_processor();
        let taken = timed(|| Ok(space.remember_all(&Actor::user(), &drafts).map(drop)?))?;
        busy += on_processor().saturating_sub(before);
        slowest = slowest.max(taken);
    }
    let seconds = started.elapsed().as_secs_f64();
    println!(
        "remember_all, records/s     {:.0}",
        (BATCHES * BATCH) as f64 / seconds
    );
    let a_second = (BATCHES * BATCH) as f64 / busy.as_secs_f64();
    println!("the same, by processor time {a_second:.0}");
    println!("slowest batch of {BATCH}        {slowest:.0?}");
    let sound = timed(|| {
        let report = space.verify_journal()?;
        assert!(report.problems.is_empty(), "{:?}", report.problems);
        Ok(())
    })?;
    println!("verify the journal          {sound:.0?}");
    drop(space);
    let opened = timed(|| {
        let space = SpaceSource::open(
            &folder.join("core"),
            &SpaceName::core(),
            Arc::new(SystemClock),
            false,
        )?;
        assert!(space.mended().is_empty());
        Ok(())
    })?;
    println!("open                        {opened:.0?}");
    Ok(())
}

/// The least that a durable write in two copies can cost.
struct Floor {
    connection: Connection,
    file: File,
}

impl Floor {
    fn open(folder: &Path) -> Result<Self, Box<dyn Error>> {
        let connection = Connection::open(folder.join("floor.db"))?;
        connection.pragma_update(None, "journal_mode", "WAL")?;
        connection.pragma_update(None, "synchronous", "FULL")?;
        connection.execute_batch("CREATE TABLE rows (id INTEGER PRIMARY KEY, content TEXT)")?;
        Ok(Self {
            connection,
            file: File::create(folder.join("floor.log"))?,
        })
    }

    fn write(&mut self, content: &str) -> Result<(), Box<dyn Error>> {
        self.connection
            .prepare_cached("INSERT INTO rows (content) VALUES (?1)")?
            .execute(params![content])?;
        self.file.write_all(content.as_bytes())?;
        self.file.write_all(b"\n")?;
        Ok(self.file.sync_data()?)
    }
}

/// A record of 100 words of which no two are alike.
fn draft(number: usize) -> Draft {
    let mut state = number as u64 + 1;
    let mut content = String::new();
    for _ in 0..WORDS {
        state = state
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        content.push_str(VOCABULARY[(state >> 33) as usize % VOCABULARY.len()]);
        content.push(' ');
    }
    content.push_str(&number.to_string());
    let draft = Draft::new(content).thread(format!("thread {}", number / 50));
    draft.author(["Ines", "Tomas", "an agent"][number % 3])
}

const VOCABULARY: [&str; 32] = [
    "river",
    "gauge",
    "level",
    "the",
    "of",
    "and",
    "opened",
    "sluice",
    "morning",
    "after",
    "heavy",
    "rain",
    "we",
    "decided",
    "to",
    "lower",
    "weir",
    "because",
    "upstream",
    "measured",
    "centimetres",
    "pump",
    "house",
    "key",
    "mill",
    "report",
    "yesterday",
    "agreed",
    "is",
    "broken",
    "again",
    "repair",
];

/// Time that this thread has spent on a processor, for machines that are busy with other things too;
/// zero where the system does not say.
fn on_processor() -> Duration {
    let text = fs::read_to_string("/proc/thread-self/schedstat").unwrap_or_default();
    let nanoseconds = text.split(' ').next().and_then(|first| first.parse().ok());
    Duration::from_nanos(nanoseconds.unwrap_or(0))
}

fn timed(work: impl FnOnce() -> Result<(), Box<dyn Error>>) -> Result<Duration, Box<dyn Error>> {
    let started = Instant::now();
    work()?;
    Ok(started.elapsed())
}

fn quantiles(mut times: Vec<Duration>) -> [Duration; 3] {
    times.sort();
    [50, 95, 99].map(|percent| times[times.len() * percent / 100])
}
