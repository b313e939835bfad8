//! Repairs a database that turns out to be damaged while in use.
//!
//! Opening a space reads only the end of both copies, so damage elsewhere is found by the first call that needs the
//! page. That call repairs the database and is repeated; no person has to act.

use std::io::ErrorKind;

use rusqlite::Connection;

use crate::examine::{Finding, Part, examine, open_untouched};
use crate::files::replace_file;
use crate::journal::{Entry, Journal, Line};
use crate::repair::Repair;
use crate::space::SpaceSource;
use crate::{Result, StoreError};

impl SpaceSource {
    /// Reads with a pooled connection; repairs a damaged database and reads again.
    pub(crate) fn read<T>(&self, work: impl Fn(&Connection) -> Result<T>) -> Result<T> {
        self.healing(|| work(&*self.reader()?))
    }

    /// Runs `work`; if it fails because of a damaged database, repairs that and runs it again.
    pub(crate) fn healing<T>(&self, work: impl Fn() -> Result<T>) -> Result<T> {
        let outcome = match work() {
            // A memory may have moved to another tier between reading its row and its content.
            Err(error) if error.is_of_colder_tier() => work(),
            outcome => outcome,
        };
        match outcome {
            Err(error) if error.may_be_damage() => match self.heal(&error) {
                Ok(()) => work(),
                // Nothing can be repaired here, so the original error is returned.
                Err(failed) if failed.prevents_writing() => Err(error),
                Err(failed) => Err(failed),
            },
            outcome => outcome,
        }
    }

    /// Restores the database after `error`, if it is damaged: from the journal, and from what still verifies in the
    /// database. The damaged file is quarantined. O(bytes of both copies).
    ///
    /// If another process was faster, or the database is sound, only the connections are reopened.
    /// [`StoreError::Damaged`], with nothing changed, if the journal is damaged too and something would be lost.
    pub(crate) fn heal(&self, error: &StoreError) -> Result<()> {
        self.check_present()?;
        let mut turn = self.turns.take();
        let _guard = self.acquire()?;
        if let Some(mut writer) = turn.take() {
            // The file may have been deleted while open here: then only this connection can read its outbox.
            let _ = writer.settle();
        }
        self.readers.close();
        self.names.forget();
        let mut journal = Journal::on(&self.journal_folder(), self.storage.clone());
        // Unreadable outbox lines were never acknowledged, or are in the journal.
        let _ = open_untouched(&self.database)
            .and_then(|connection| flush_outbox(&connection, &mut journal));
        let found = examine(&self.folder)?;
        if found
            .findings
            .iter()
            .all(|finding| finding.part != Part::Database)
        {
            return Ok(());
        }
        let mut repair = Repair::default();
        repair.repair_database(&self.folder, self.name(), &found)?;
        let mut repaired = vec![format!(
            "the database was damaged while in use ({error}) and has been restored"
        )];
        repaired.append(&mut repair.repaired);
        self.note_repairs(repaired);
        Ok(())
    }
}

impl SpaceSource {
    /// Verifies all of both copies, and restores a damaged database; returns the unrepaired findings.
    ///
    /// Finds damage that no single answer shows, such as a row missing from an index. O(bytes of both copies); others
    /// read and write meanwhile, and wait only during a restore.
    pub fn examine_and_heal(&self) -> Result<Vec<Finding>> {
        let mut findings = examine(&self.folder)?.findings;
        let damage = findings
            .iter()
            .find(|finding| finding.part == Part::Database);
        if let Some(damage) = damage {
            let damage = StoreError::damaged(&self.database, damage.problem.clone());
            self.heal(&damage)?;
            findings.retain(|finding| finding.part != Part::Database);
        }
        Ok(findings)
    }

    /// When a process last started a full verification automatically, in microseconds since 1970; `None` if never. One file read.
    pub fn last_examination(&self) -> Result<Option<i64>> {
        let path = self.folder.join(EXAMINED);
        match std::fs::read_to_string(&path) {
            // An unreadable note counts as none, and the next one replaces it.
            Ok(text) => Ok(text.trim().parse().ok()),
            Err(error) if error.kind() == ErrorKind::NotFound => Ok(None),
            Err(error) if error.kind() == ErrorKind::InvalidData => Ok(None),
            Err(error) => Err(StoreError::io("read", &path)(error)),
        }
    }

    /// Records for every process when everything was verified, in microseconds since 1970.
    pub fn note_examination(&self, at: i64) -> Result<()> {
        self.locked(|| replace_file(&self.folder.join(EXAMINED), format!("{at}\n").as_bytes()))
    }
}

/// The file in a space's folder with the time of the last full verification.
const EXAMINED: &str = "examined";

/// Appends the outbox lines that verifiably continue the journal, up to the first that does not.
fn flush_outbox(connection: &Connection, journal: &mut Journal) -> Result<()> {
    let (mut seq, mut hash) = journal.end()?;
    let mut statement =
        connection.prepare("SELECT line FROM outbox WHERE seq > ?1 ORDER BY seq")?;
    for text in statement.query_map([seq.0 as i64], |row| row.get::<_, String>(0))? {
        let text = text?;
        let line: Line = serde_json::from_str(&text)?;
        if line.check(seq, hash).is_err() || line.check_payload().is_err() {
            return Ok(());
        }
        (seq, hash) = (line.seq, line.hash);
        journal.append(&[Entry::read(text)?])?;
    }
    Ok(())
}
