//! The only connection that writes, and the reconciliation of source and journal before it does.

use std::path::Path;
use std::sync::Arc;

use anamne_types::Seq;
use rusqlite::Connection;

use crate::backup::KnownBackups;
use crate::cleaning;
use crate::files::{FileIdentity, look_at, remove_unfinished, set_aside};
use crate::journal::{Digest, Entry, Journal};
use crate::leftovers;
use crate::restore::{self, ReplayReport, database_files, side_file};
use crate::source::{Names, contents, end_of_log, erasure, open_identified, open_writer};
use crate::storage::Storage;
use crate::{Result, StoreError};

/// The writing connection and its journal. The write lock must be held to use it.
pub(crate) struct Writer {
    pub(crate) connection: Connection,
    pub(crate) journal: Journal,
    /// The identity of the connection's database file.
    pub(crate) identity: FileIdentity,
}

/// The locations of a space's two copies.
#[derive(Clone, Copy, Debug)]
pub(crate) struct SpacePaths<'space> {
    pub(crate) storage: &'space Arc<dyn Storage>,
    pub(crate) folder: &'space Path,
    pub(crate) database: &'space Path,
}

impl Writer {
    /// Opens and reconciles both copies; the write lock must be held.
    ///
    /// A missing, empty or broken database is restored from the journal, after the old one was quarantined. Messages
    /// for a person are added to `repaired`.
    pub(crate) fn open(places: SpacePaths<'_>, repaired: &mut Vec<String>) -> Result<Self> {
        remove_unfinished(places.folder)?;
        let journal = places.folder.join("journal");
        let mut journal = Journal::on(&journal, places.storage.clone());
        let sound = match open_sound(places.database) {
            Err(error) if error.is_broken_database() => {
                let reason = format!("the database was broken ({error})");
                quarantine_database(places.database, &reason, repaired)?;
                None
            }
            opened => opened?,
        };
        let (identity, connection) = match sound {
            Some((identity, connection)) if end_of_log(&connection)?.0 > Seq(0) => {
                (identity, connection)
            }
            empty => {
                restore_unless_new(places, empty.is_some(), &mut journal, repaired)?;
                open_identified(places.database, open_writer)?
            }
        };
        let mut writer = Self {
            connection,
            journal,
            identity,
        };
        writer.reconcile_copies(places, repaired)?;
        Ok(writer)
    }

    /// Flushes the outbox, after a crash, to the journal; returns the common end of both copies.
    ///
    /// [`StoreError::Damaged`] if they don't end at the same event with the same hash.
    pub(crate) fn settle(&mut self) -> Result<(Seq, Digest)> {
        let end = end_of_log(&self.connection)?;
        let journaled = self.journal.end()?;
        if end == journaled {
            return Ok(end);
        }
        if end.0 > journaled.0 {
            let lines = self.outbox_after(journaled.0)?;
            self.journal.append(&lines)?;
        }
        let journaled = self.journal.end()?;
        if end == journaled {
            return Ok(end);
        }
        let reason = if end.0 == journaled.0 {
            format!("its chain differs from the database's at event {}", end.0)
        } else {
            format!(
                "it ends at event {}, the database at {}",
                journaled.0, end.0
            )
        };
        Err(StoreError::damaged(&self.journal.folder, reason))
    }

    fn outbox_after(&self, seq: Seq) -> Result<Vec<Entry>> {
        let mut statement = self
            .connection
            .prepare_cached("SELECT line FROM outbox WHERE seq > ?1 ORDER BY seq")?;
        let lines = statement.query_map([seq.0 as i64], |row| row.get::<_, String>(0))?;
        lines.map(|line| Ok(Entry::read(line?)?)).collect()
    }

    fn reconcile_copies(
        &mut self,
        places: SpacePaths<'_>,
        repaired: &mut Vec<String>,
    ) -> Result<()> {
        let disagreement = match self.settle() {
            Err(StoreError::Damaged { reason, .. }) => Some(reason),
            settled => settled.map(|_| None)?,
        };
        if let Some(reason) = disagreement {
            let reason = self.replay_newer(reason, repaired)?;
            if let Some(reason) = reason {
                self.rewrite_journal(&reason, repaired)?;
            }
        }
        self.finish_erasures_if_any(places)
    }

    /// Finishes an erasure that was interrupted by a crash or blocked by a reader of older pages.
    pub(crate) fn finish_erasures_if_any(&mut self, places: SpacePaths<'_>) -> Result<()> {
        if erasure::is_pending(&self.connection)? {
            self.finish_erasures(places)?;
        }
        Ok(())
    }

    /// Replays events that the database lacks from the journal; returns why the two still disagree, if they do.
    fn replay_newer(
        &mut self,
        reason: String,
        repaired: &mut Vec<String>,
    ) -> Result<Option<String>> {
        let end = end_of_log(&self.connection)?;
        let further = match self.journal.end() {
            Err(StoreError::Damaged { .. }) => false,
            journaled => journaled?.0 > end.0,
        };
        if !further {
            return Ok(Some(reason));
        }
        let names = Names::default();
        let replayed =
            restore::source_from_journal(names.of(&self.connection), &self.journal.folder, end)?;
        note_replayed(&replayed, repaired);
        match self.settle() {
            Err(StoreError::Damaged { reason, .. }) => Ok(Some(replayed.stopped.unwrap_or(reason))),
            settled => settled.map(|_| None),
        }
    }

    fn rewrite_journal(&mut self, reason: &str, repaired: &mut Vec<String>) -> Result<()> {
        let names = Names::default();
        let events = restore::journal_from_source(names.of(&self.connection), &mut self.journal)?;
        repaired.push(format!(
            "the journal was unusable ({reason}); {events} events were rewritten from the database"
        ));
        self.settle().map(|_| ())
    }

    /// Removes erased content from the journal, the database's WAL and the quarantined copies.
    ///
    /// May be interrupted at any point and repeated.
    pub(crate) fn finish_erasures(&mut self, places: SpacePaths<'_>) -> Result<()> {
        let erasure = erasure::pending(&self.connection)?;
        let through = end_of_log(&self.connection)?.0;
        cleaning::note(places.folder, through)?;
        // An unreadable list of backups doesn't prevent the erasure; every erasure reports it.
        let _ = KnownBackups::note_erasure(places.folder, through);
        self.journal.erase(&erasure)?;
        let memories = places.database.parent().unwrap_or(places.folder);
        leftovers::remove(places.folder)?;
        let still_read = contents::erase(memories, &erasure::rows(&self.connection)?)?;
        let still_read = match still_read {
            Some(file) => file,
            None if erasure::rewrite_and_finish(&self.connection)? => return Ok(()),
            None => places.database.to_owned(),
        };
        Err(StoreError::StillRead {
            path: side_file(&still_read, "wal"),
        })
    }
}

/// Opens the database if it exists; fails if it is unreadable.
fn open_sound(database: &Path) -> Result<Option<(FileIdentity, Connection)>> {
    if look_at(database)?.is_none() {
        return Ok(None);
    }
    let (identity, connection) = open_identified(database, open_writer)?;
    end_of_log(&connection)?;
    Ok(Some((identity, connection)))
}

/// Restores the database of a space from its journal, unless the journal is empty.
fn restore_unless_new(
    places: SpacePaths<'_>,
    is_empty: bool,
    journal: &mut Journal,
    repaired: &mut Vec<String>,
) -> Result<()> {
    let stored = match journal.end() {
        // The readable part is replayed.
        Err(StoreError::Damaged { .. }) => true,
        journaled => journaled?.0 > Seq(0),
    };
    if !stored {
        return Ok(());
    }
    let reason = if is_empty {
        "the database was empty"
    } else {
        "the database was missing"
    };
    quarantine_database(places.database, reason, repaired)?;
    let replayed = restore::database_from_journal(places.database, &journal.folder, places.folder)?;
    note_replayed(&replayed, repaired);
    Ok(())
}

fn note_replayed(replayed: &ReplayReport, repaired: &mut Vec<String>) {
    if replayed.events > 0 {
        let events = replayed.events;
        repaired.push(format!(
            "{events} missing events were restored from the journal"
        ));
    }
    if let Some(reason) = &replayed.stopped {
        repaired.push(format!("the journal is unreadable at its end: {reason}"));
    }
}

/// Quarantines a database with its side files, which must not be applied to another database.
fn quarantine_database(database: &Path, reason: &str, repaired: &mut Vec<String>) -> Result<()> {
    if let Some(folder) = database.parent() {
        remove_unfinished(folder)?;
    }
    for path in database_files(database)? {
        if look_at(&path)?.is_some_and(|state| state.length > 0) {
            let aside = set_aside(&path)?;
            repaired.push(format!(
                "{reason}; {} was renamed to {}",
                path.display(),
                aside.display()
            ));
        } else {
            crate::files::remove_if_there(&path)?;
        }
    }
    Ok(())
}
