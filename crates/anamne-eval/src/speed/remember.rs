//! Durable writes, beside a bare commit with one fdatasync, in turn.

use anamne::{Draft, Recall, Remembered, Space};

use super::data::Record;
use super::figures::{Figure, Section, Unit};
use super::latencies::Latencies;
use super::peers::BareRows;
use super::site::Site;
use super::{Failure, budgets};

/// In the second half, one write of so many is followed by a recall that must find it.
const READ_BACK: u64 = 10;

/// Writes `writes` records by themselves, and as many again with recalls among them.
pub(crate) fn measure(site: &Site, writes: u64) -> Result<Section, Failure> {
    let space = site.open()?;
    let mut bare = BareRows::create(&site.peer("bare-commits")?)?;
    let mut turns = Turns {
        site,
        space: &space,
        bare: &mut bare,
    };
    // Statements are prepared and files are opened before the clock starts.
    turns.write(
        site.records,
        &mut Latencies::default(),
        &mut Latencies::default(),
    )?;
    let first = site.records + 1;
    let (mut alone, mut commits) = (Latencies::default(), Latencies::default());
    for number in first..first + writes {
        turns.write(number, &mut alone, &mut commits)?;
    }
    let (mut mixed, mut mixed_commits) = (Latencies::default(), Latencies::default());
    let mut found = Latencies::default();
    for number in first + writes..first + 2 * writes {
        let remembered = turns.write(number, &mut mixed, &mut mixed_commits)?;
        if number % READ_BACK == 0 {
            let recall = Recall::new(mark(number));
            let answer = found.time(|| space.recall(&recall))?;
            if !answer
                .results
                .iter()
                .any(|hit| hit.memory.id == remembered.id)
            {
                return Err(Failure::new(format!(
                    "record {number} is not found right after it was told"
                )));
            }
        }
    }
    let figure = |key: &str, label: &str, value| Figure::new(key, label, value, Unit::Milliseconds);
    const BARE: &str = "bare commit + fdatasync";
    Ok(Section::new(
        "remember",
        vec![
            figure("p50_ms", "durable write, p50", alone.p50())
                .beside("bare_p50_ms", BARE, commits.p50())
                .promised(budgets::REMEMBER),
            figure("p95_ms", "durable write, p95", alone.p95()).beside(
                "bare_p95_ms",
                BARE,
                commits.p95(),
            ),
            figure("mixed_p50_ms", "with recalls among them, p50", mixed.p50()).beside(
                "mixed_bare_p50_ms",
                BARE,
                mixed_commits.p50(),
            ),
            figure("mixed_p95_ms", "with recalls among them, p95", mixed.p95()).beside(
                "mixed_bare_p95_ms",
                BARE,
                mixed_commits.p95(),
            ),
            figure("found_p95_ms", "recall after ten writes, p95", found.p95()),
        ],
    ))
}

/// A word that no other record holds.
fn mark(number: u64) -> String {
    format!("benchmarked{number}")
}

/// The engine and the bare rows, which write the same records in turn.
struct Turns<'run> {
    site: &'run Site,
    space: &'run Space,
    bare: &'run mut BareRows,
}

impl Turns<'_> {
    /// Writes one record here and there; which of them goes first changes with the number.
    fn write(
        &mut self,
        number: u64,
        ours: &mut Latencies,
        commits: &mut Latencies,
    ) -> Result<Remembered, Failure> {
        let mut record = self.site.generator.record(number);
        record.text = format!("{} {}", record.text, mark(number));
        let draft = record.draft();
        if number.is_multiple_of(2) {
            let remembered = self.remember(draft, ours)?;
            self.commit(&record, commits)?;
            return Ok(remembered);
        }
        self.commit(&record, commits)?;
        self.remember(draft, ours)
    }

    fn remember(&self, draft: Draft, latencies: &mut Latencies) -> Result<Remembered, Failure> {
        Ok(latencies.time(|| self.space.remember(draft))?)
    }

    fn commit(&mut self, record: &Record, latencies: &mut Latencies) -> Result<(), Failure> {
        latencies.time(|| self.bare.commit_with_journal(record))
    }
}
