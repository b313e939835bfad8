//! Durable writes, alternating with a bare commit with one fdatasync.

use anamne::{Answer, Draft, MemoryId, Recall, Remembered, Signals, Space};

use super::budgets;
use super::figures::{Figure, Section, Timed, Unit};
use super::peers::BareRows;
use super::site::Site;
use crate::failure::Failure;
use crate::generator::Record;
use crate::latencies::Latencies;

/// In the second half, every n-th write is followed by a recall that must find it.
const READ_BACK: u64 = 10;

const BARE: &str = "bare commit + fdatasync";

/// Writes `writes` records alone, and as many again with recalls in between.
pub(crate) fn measure(site: &Site, writes: u64) -> Result<Section, Failure> {
    let space = site.open()?;
    let mut bare = BareRows::create(&site.peer("bare-commits")?)?;
    let mut turns = Turns {
        site,
        space: &space,
        bare: &mut bare,
    };
    // Prepares statements and opens files before the measurement.
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
    let (mut asked, mut among_the_best) = (0_u32, 0_u32);
    for number in first + writes..first + 2 * writes {
        let remembered = turns.write(number, &mut mixed, &mut mixed_commits)?;
        if number % READ_BACK == 0 {
            let recall = Recall::new(mark(number));
            let answer = found.time(|| space.recall(&recall))?;
            asked += 1;
            among_the_best += u32::from(holds(&answer, remembered.id));
            must_be_searchable(&space, number, remembered.id)?;
        }
    }
    let ours = Timed::new("", "durable write", &alone);
    let bare = Timed::new("bare", BARE, &commits);
    let mixed = Timed::new("mixed", "with recalls among them", &mixed);
    let mixed_bare = Timed::new("mixed_bare", BARE, &mixed_commits);
    Ok(Section::new(
        "remember",
        vec![
            ours.p50_beside(bare).promised(budgets::REMEMBER),
            ours.p10_beside(bare),
            ours.p95_beside(bare),
            mixed.p50_beside(mixed_bare),
            mixed.p95_beside(mixed_bare),
            Timed::new("found", "recall after ten writes", &found).p95(),
            Figure::new(
                "unique_word_in_ten_percent",
                "its unique word: in the ten",
                f64::from(among_the_best) / f64::from(asked.max(1)) * 100.0,
                Unit::Percent,
            ),
        ],
    ))
}

fn holds(answer: &Answer, id: MemoryId) -> bool {
    answer.results.iter().any(|hit| hit.memory.id == id)
}

/// Fails unless the record can be searched. Whether the full recall also ranks it among the best is measured
/// separately: lexical search alone can't prefer a record that lacks the only query word.
fn must_be_searchable(space: &Space, number: u64, id: MemoryId) -> Result<(), Failure> {
    let answer = space.recall(&Recall::new(mark(number)).signals(Signals::Lexical))?;
    if holds(&answer, id) && answer.degraded.is_empty() {
        return Ok(());
    }
    Err(format!(
        "record {number} can't be searched right after it was told (degraded: {:?})",
        answer.degraded
    )
    .into())
}

/// A word that occurs in no other record.
fn mark(number: u64) -> String {
    format!("benchmarked{number}")
}

/// The engine and the bare rows, which write the same records alternately.
struct Turns<'run> {
    site: &'run Site,
    space: &'run Space,
    bare: &'run mut BareRows,
}

impl Turns<'_> {
    /// Writes one record to both; the order alternates with the number.
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
