//! The measured stores: temporary, without background work, and three years old if the benchmark needs that.

use std::path::Path;
use std::sync::Arc;

use anamne::{Answer, Clock, Draft, MemoryId, Options, Recall, Space, Store};
use jiff::{SignedDuration, Timestamp};
use tempfile::TempDir;

use crate::failure::Failure;

/// The name of the measured space.
pub(crate) const SPACE: &str = "benchmark";

/// Time span of the records of an old store, in days.
pub(crate) const THREE_YEARS: f64 = 1_095.0;

/// The time of its last record, in seconds since 1970: the end of 2025.
const END: i64 = 1_767_225_600;

/// Records per transaction, as in the engine's own import.
pub(crate) const BATCH: usize = 512;

/// A clock with a fixed time.
#[derive(Debug)]
struct StandingClock(Timestamp);

impl Clock for StandingClock {
    fn now(&self) -> Timestamp {
        self.0
    }
}

/// A temporary folder, in `parent` or in the system's temporary folder.
pub(crate) fn temporary_folder(parent: Option<&Path>) -> Result<TempDir, Failure> {
    let mut builder = tempfile::Builder::new();
    builder.prefix("anamne-eval-");
    let made = match parent {
        Some(parent) => builder.tempdir_in(parent),
        None => builder.tempdir(),
    };
    made.map_err(|error| format!("no temporary folder can be made: {error}").into())
}

/// Opens the space without background work, which would disturb the measurement.
pub(crate) fn open(store: &Path) -> Result<Space, Failure> {
    Ok(Store::open_with(Options::new(store).background(false))?.space(SPACE)?)
}

/// The same, with the clock at the end of the three years.
pub(crate) fn open_at_the_end(store: &Path) -> Result<Space, Failure> {
    let options = Options {
        clock: Arc::new(StandingClock(end())),
        ..Options::new(store).background(false)
    };
    Ok(Store::open_with(options)?.space(SPACE)?)
}

fn end() -> Timestamp {
    Timestamp::from_second(END).expect("an instant of this century")
}

/// The time of the record with this number, if `records` are spread over the last `days`.
pub(crate) fn time_of(number: u64, records: u64, days: f64) -> Timestamp {
    let left = (records - 1 - number) as f64 / records as f64;
    end() - SignedDuration::from_secs((left * days * 86_400.0) as i64)
}

/// Writes all drafts, in transactions of [`BATCH`].
pub(crate) fn write(
    space: &Space,
    mut drafts: impl Iterator<Item = Draft>,
) -> Result<Vec<MemoryId>, Failure> {
    let mut ids = Vec::new();
    loop {
        let batch: Vec<Draft> = drafts.by_ref().take(BATCH).collect();
        if batch.is_empty() {
            return Ok(ids);
        }
        let stored = space.remember_all(&batch)?;
        ids.extend(stored.into_iter().map(|stored| stored.id));
    }
}

/// Recalls; a degraded or empty answer is an error.
pub(crate) fn ask(space: &Space, recall: &Recall) -> Result<Answer, Failure> {
    let answer = space.recall(recall)?;
    if answer.degraded.is_empty() && !answer.results.is_empty() {
        return Ok(answer);
    }
    Err(format!(
        "{:?} has {} results (degraded: {:?})",
        recall.query,
        answer.results.len(),
        answer.degraded
    )
    .into())
}
