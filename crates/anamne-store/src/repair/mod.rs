//! Repairs a space with damaged files: each copy from the other.

mod kept;
mod merge;

use std::path::Path;

use anamne_types::{NextStep, Seq};
use serde::Serialize;

use crate::clock::Clock;
use crate::config::SpaceConfig;
use crate::examine::{Examination, Part, examine};
use crate::files::{create_private_folder, look_at, remove_if_there, set_aside, sync_folder_of};
use crate::journal::Journal;
use crate::lock::WriteLock;
use crate::restore;
use crate::source::open_writer;
use crate::space_name::SpaceName;
use crate::special_files::refuse_special_files;
use crate::{Result, StoreError};

use kept::KeptPayloads;
use merge::{DatabaseEvents, Merge};

/// Maximum number of listed losses; the rest is only counted.
const MOST_LOSSES: usize = 100;

/// The result of repairing a space.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Repair {
    /// What was repaired, and the paths of the damaged files.
    pub repaired: Vec<String>,
    /// What neither copy holds any more.
    pub lost: Vec<String>,
    /// Next steps after the repair.
    pub next_steps: Vec<NextStep>,
}

/// Repairs settings, journal and database of the space in `folder`, which no process should have open.
///
/// The journal is rewritten from everything in it that verifies, completed from the database; then the database is
/// replayed from that journal. An undamaged copy stays unchanged, and a damaged one is quarantined, never overwritten.
/// Views are not repaired here: they are rebuilt when the space is opened. O(bytes of both copies).
///
/// Fails without changes if another process or a missing permission prevents reading the database: that is not damage.
pub fn repair(folder: &Path, name: &SpaceName, clock: &dyn Clock) -> Result<Repair> {
    refuse_special_files(folder)?;
    create_private_folder(&folder.join("memories"))?;
    let lock = WriteLock::at(&folder.join("write.lock"));
    let _guard = lock.acquire()?;
    // A database of an older format must be migrated first; damage is found below.
    let _ = open_settled(&folder.join("memories").join("active.db"));
    let found = examine(folder)?;
    let mut repair = Repair::default();
    let is_damaged = |part| found.findings.iter().any(|finding| finding.part == part);
    let names = |file| found.findings.iter().any(|finding| finding.file == file);
    if names("space.toml") {
        repair.repair_settings(folder, name, clock)?;
    }
    if names("backups.toml") {
        repair.set_aside(&folder.join("backups.toml"))?;
        let said = "the list of known backups; each is registered again by its next backup";
        repair.repaired.push(said.to_owned());
        repair.next_steps.push(NextStep::BackUp);
    }
    if is_damaged(Part::Journal) || is_damaged(Part::Database) {
        repair.repair_copies(folder, name, &found, true)?;
    }
    Ok(repair)
}

/// Migrates an existing database to the current format.
fn open_settled(database: &Path) -> Result<()> {
    match look_at(database)? {
        Some(_) => open_writer(database).map(drop),
        None => Ok(()),
    }
}

impl Repair {
    fn repair_settings(
        &mut self,
        folder: &Path,
        name: &SpaceName,
        clock: &dyn Clock,
    ) -> Result<()> {
        let path = folder.join("space.toml");
        self.set_aside(&path)?;
        SpaceConfig::new(name.as_str(), clock.now()).write(&path)?;
        let said = "space.toml was recreated with default settings";
        self.repaired.push(said.to_owned());
        Ok(())
    }

    /// Restores a damaged database, and a damaged journal with it, if nothing is lost; else changes nothing. The write
    /// lock must be held.
    pub(crate) fn repair_database(
        &mut self,
        folder: &Path,
        name: &SpaceName,
        found: &Examination,
    ) -> Result<()> {
        self.repair_copies(folder, name, found, false)?;
        match self.lost.first() {
            None => Ok(()),
            Some(lost) => {
                let reason = format!("both it and the journal are incomplete ({lost})");
                Err(StoreError::damaged(
                    &folder.join("memories").join("active.db"),
                    reason,
                ))
            }
        }
    }

    /// Rewrites the damaged copies from both copies and the known backups. What none of them holds is lost; unless
    /// `may_lose`, nothing is changed in that case.
    fn repair_copies(
        &mut self,
        folder: &Path,
        name: &SpaceName,
        found: &Examination,
        may_lose: bool,
    ) -> Result<()> {
        let database = folder.join("memories").join("active.db");
        let journal = folder.join("journal");
        let unfinished = folder.join("journal.unfinished");
        remove_if_there(&unfinished)?;
        let is_damaged = |part| found.findings.iter().any(|finding| finding.part == part);
        let (written, last) = self.write_journal(folder, name, &unfinished)?;
        if written == 0 {
            remove_if_there(&unfinished)?;
            let nothing = "neither the journal nor the database has a verifiable event";
            self.lost.push(nothing.to_owned());
            return Ok(());
        }
        if !may_lose && !self.lost.is_empty() {
            return remove_if_there(&unfinished);
        }
        let journaled = Journal::at(&journal).end().ok();
        if is_damaged(Part::Journal) || journaled.is_none_or(|(seq, _)| seq < last) {
            self.set_aside(&journal)?;
            std::fs::rename(&unfinished, &journal)
                .map_err(StoreError::io("put in place", &journal))?;
            sync_folder_of(&journal)?;
            self.repaired
                .push(format!("the journal was rewritten with {written} events"));
        } else {
            remove_if_there(&unfinished)?;
        }
        if is_damaged(Part::Database) {
            for path in restore::database_files(&database)? {
                self.set_aside(&path)?;
            }
            let replayed = restore::database_from_journal(&database, &journal, folder)?;
            let events = replayed.events;
            self.repaired.push(format!(
                "the database was rebuilt from {events} journal events"
            ));
            self.lost.extend(replayed.stopped);
        }
        Ok(())
    }

    /// Quarantines a damaged file, if it exists.
    fn set_aside(&mut self, path: &Path) -> Result<()> {
        if look_at(path)?.is_some() {
            let aside = set_aside(path)?;
            self.repaired.push(format!(
                "{} was quarantined as {}",
                path.display(),
                aside.display()
            ));
        }
        Ok(())
    }

    /// Writes every event that either copy verifies to `unfinished`; returns their number and the last one.
    fn write_journal(
        &mut self,
        folder: &Path,
        name: &SpaceName,
        unfinished: &Path,
    ) -> Result<(u64, Seq)> {
        let (database, journal) = (
            folder.join("memories").join("active.db"),
            folder.join("journal"),
        );
        let mut merge = Merge::of(&database, &journal)?;
        let mut written = restore::write_lines(&mut merge, &mut Journal::at(unfinished))?;
        let kept = KeptPayloads::in_backups(folder, name, &merge.lost_versions);
        let of_links = merge.database.as_ref().and_then(DatabaseEvents::links);
        // Without the record of a link's removal, the link must not be restored either.
        let links = of_links.filter(|_| merge.lost_unlink);
        if links.is_some() || !kept.is_empty() {
            remove_if_there(unfinished)?;
            merge = Merge::of(&database, &journal)?;
            (merge.links, merge.kept) = (links, kept);
            written = restore::write_lines(&mut merge, &mut Journal::at(unfinished))?;
            self.repaired.append(&mut merge.taken);
        }
        Journal::at(unfinished).seal_full_segments()?;
        let behind = merge.events_behind();
        if behind > 0 {
            let seq = merge.seq;
            merge.lost.push(format!(
                "{behind} events after event {seq}: neither copy verifies the next one"
            ));
        }
        let more = merge.lost.len().saturating_sub(MOST_LOSSES);
        merge.lost.truncate(MOST_LOSSES);
        self.lost.append(&mut merge.lost);
        if more > 0 {
            self.lost.push(format!("{more} more losses of this kind"));
        }
        Ok((written, merge.seq))
    }
}
