//! Bulk import: writing, embedding, indexing, and finding a record after reopening the store.

use std::time::{Duration, Instant};

use anamne::{Draft, Recall};

use super::budgets;
use super::figures::{Figure, Section};
use super::peers::BareRows;
use super::site::Site;
use crate::failure::Failure;
use crate::generator::Record;

/// The duration of each part of an import.
pub(crate) struct ImportTimings {
    stored: Duration,
    folded: Duration,
}

/// Fills the store. Generating the records is not counted; folding every view and finding a record in the reopened
/// store is.
pub(crate) fn fill(site: &Site) -> Result<ImportTimings, Failure> {
    let stored = store_all(site)?;
    let started = Instant::now();
    fold_and_find(site)?;
    Ok(ImportTimings {
        stored,
        folded: started.elapsed(),
    })
}

/// Fills the store and measures the throughput, next to plain inserts of the same rows.
pub(crate) fn measure(site: &Site) -> Result<Section, Failure> {
    let ImportTimings { stored, folded } = fill(site)?;
    let bare = insert_bare(site)?;
    let rate = |took: Duration| site.records as f64 / took.as_secs_f64();
    Ok(Section::new(
        "import",
        vec![
            Figure::rate(
                "records_per_s",
                "told, indexed, found",
                rate(stored + folded),
            )
            .beside("sqlite_records_per_s", "bare SQLite inserts", rate(bare))
            .promised(budgets::IMPORT),
            Figure::rate(
                "told_records_per_s",
                "told: log, source, journal",
                rate(stored),
            )
            .beside("sqlite_records_per_s", "bare SQLite inserts", rate(bare)),
            Figure::rate(
                "indexed_records_per_s",
                "indexed: all views folded",
                rate(folded),
            ),
        ],
    ))
}

fn store_all(site: &Site) -> Result<Duration, Failure> {
    let started = Instant::now();
    let space = site.open()?;
    let mut took = started.elapsed();
    site.for_each_batch(|_, records| {
        let drafts: Vec<Draft> = records.iter().map(Record::draft).collect();
        let started = Instant::now();
        let remembered = space.remember_each(&drafts)?;
        took += started.elapsed();
        for outcome in remembered {
            if outcome?.duplicate {
                return Err("a generated record was taken for a duplicate".into());
            }
        }
        Ok(())
    })?;
    Ok(took)
}

/// Folds every view, seals the journal, and reopens the store to recall the last record.
fn fold_and_find(site: &Site) -> Result<(), Failure> {
    let space = site.open()?;
    let busy = space.fold()?;
    if !busy.is_empty() {
        return Err(format!("not folded: {}", busy.join(", ")).into());
    }
    space.settle(&mut |_, _| {})?;
    drop(space);
    let last = site.generator.record(site.records - 1).text;
    let answer = site.open()?.recall(&Recall::new(&last))?;
    let found = answer.results.iter().any(|hit| hit.memory.content == last);
    if !found || !answer.degraded.is_empty() {
        return Err(format!(
            "the last record is not found after the import (degraded: {:?})",
            answer.degraded
        )
        .into());
    }
    Ok(())
}

fn insert_bare(site: &Site) -> Result<Duration, Failure> {
    let mut rows = BareRows::create(&site.peer("bare-import")?)?;
    let mut took = Duration::ZERO;
    site.for_each_batch(|_, records| {
        let started = Instant::now();
        rows.insert_all(records)?;
        took += started.elapsed();
        Ok(())
    })?;
    Ok(took)
}
