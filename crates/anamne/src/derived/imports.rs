//! `observed/imports.db`: which memories the notes of an imported folder became, so that a later import of the folder can
//! name those whose note is gone.
//!
//! It has ids and the notes' paths in their folder, after the guard. Both leave the file once the memory is erased.

use std::collections::{HashMap, HashSet};
use std::fmt;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use anamne_store::{
    Budget, Class, Damage, Derived, SideDatabase, SideFile, SpaceSource, StoreError,
};
use anamne_types::{Memory, MemoryId};
use rusqlite::params;

use super::Site;
use super::erased::erased_of;
use crate::Error;

/// Its name in reports.
const NAME: &str = "imports";

const DATABASE: SideDatabase = SideDatabase::new(1, include_str!("imports.sql"));

/// The file.
pub(crate) struct ImportsFile {
    source: Arc<SpaceSource>,
    file: SideFile,
}

/// A folder of notes, by a digest of its path.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) struct NotesFolder([u8; 16]);

/// A note that was imported.
pub(crate) struct NotedNote {
    pub(crate) folder: NotesFolder,
    pub(crate) memory: MemoryId,
    /// Its path in the folder.
    pub(crate) note: String,
}

impl fmt::Display for NotesFolder {
    /// The first half of the digest, in hexadecimal.
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let bytes = self.0.iter().take(8);
        bytes
            .into_iter()
            .try_for_each(|byte| write!(formatter, "{byte:02x}"))
    }
}

impl NotesFolder {
    /// The folder at a path, or that of the file there, wherever it is named from.
    pub(crate) fn at(path: &Path) -> std::io::Result<Self> {
        let mut path = std::fs::canonicalize(path)?;
        if path.is_file() {
            path.pop();
        }
        let mut digest = [0; 16];
        let mut hasher = blake3::Hasher::new_derive_key("anamne 2026 imported folder");
        hasher.update(path.as_os_str().as_encoded_bytes());
        hasher.finalize_xof().fill(&mut digest);
        Ok(Self(digest))
    }
}

/// What an import found in a folder.
#[derive(Default)]
pub(crate) struct FoundNotes {
    /// The memories of its notes, with the notes' paths.
    pub(crate) memories: HashMap<MemoryId, String>,
    /// The paths of notes and folders that were skipped.
    pub(crate) skipped: HashSet<String>,
}

impl FoundNotes {
    /// Whether this import knows nothing of what a note says: it, or a folder above it, was skipped.
    fn has_skipped(&self, note: &str) -> bool {
        let above = note.match_indices('/').map(|(end, _)| &note[..end]);
        above.chain([note]).any(|path| self.skipped.contains(path))
    }
}

impl ImportsFile {
    /// The file in the space's folder. No I/O.
    pub(super) fn new(site: &Site) -> Self {
        let folder = site.source.folder().join(Class::Observed.folder());
        Self {
            source: site.source.clone(),
            file: SideFile::at(DATABASE, &folder.join("imports.db")),
        }
    }

    /// Notes the memories of a folder's notes. Those of notes that are gone stay noted.
    pub(crate) fn note(&self, folder: NotesFolder, found: &FoundNotes) -> Result<(), Error> {
        if found.memories.is_empty() {
            return Ok(());
        }
        Ok(self.file.change(|transaction| -> Result<_, StoreError> {
            let mut statement = transaction.prepare_cached(
                "INSERT INTO notes (folder, memory, note) VALUES (?1, ?2, ?3)
                 ON CONFLICT DO UPDATE SET note = excluded.note WHERE note IS NOT excluded.note",
            )?;
            for (memory, note) in &found.memories {
                statement.execute(params![folder.0, memory.as_bytes(), note])?;
            }
            Ok(())
        })?)
    }

    /// The live memories of notes that earlier imports found in a folder and this one did not, with the notes' paths, by
    /// path.
    pub(crate) fn gone(
        &self,
        folder: NotesFolder,
        found: &FoundNotes,
    ) -> Result<Vec<(Memory, String)>, Error> {
        if !self.file.exists() {
            return Ok(Vec::new());
        }
        let mut gone = self.noted(folder)?;
        gone.retain(|id, note| !found.memories.contains_key(id) && !found.has_skipped(note));
        let ids: Vec<MemoryId> = gone.keys().copied().collect();
        let there = self.source.get_each(&ids)?.into_iter();
        let mut gone: Vec<_> = there
            .filter(|memory| memory.deleted_at.is_none())
            .filter_map(|memory| gone.remove(&memory.id).map(|note| (memory, note)))
            .collect();
        gone.sort_by(|(one, first), (other, second)| (first, one.row).cmp(&(second, other.row)));
        Ok(gone)
    }

    /// The notes of every folder.
    pub(crate) fn all(&self) -> Result<Vec<NotedNote>, Error> {
        if !self.file.exists() {
            return Ok(Vec::new());
        }
        Ok(self.file.with(|connection| -> Result<_, StoreError> {
            let sql = "SELECT folder, memory, note FROM notes ORDER BY folder, memory";
            let mut statement = connection.prepare_cached(sql)?;
            let noted = statement.query_map([], |row| {
                Ok(NotedNote {
                    folder: NotesFolder(row.get(0)?),
                    memory: MemoryId::from_bytes(row.get(1)?),
                    note: row.get(2)?,
                })
            })?;
            Ok(noted.collect::<Result<_, _>>()?)
        })?)
    }

    fn noted(&self, folder: NotesFolder) -> Result<HashMap<MemoryId, String>, StoreError> {
        self.file.with(|connection| -> Result<_, StoreError> {
            let sql = "SELECT memory, note FROM notes WHERE folder = ?1";
            let mut statement = connection.prepare_cached(sql)?;
            let noted = statement.query_map([folder.0], |row| {
                Ok((MemoryId::from_bytes(row.get(0)?), row.get(1)?))
            })?;
            Ok(noted.collect::<Result<_, _>>()?)
        })
    }

    /// Memories of notes that no longer exist.
    fn erased(&self) -> Result<Vec<MemoryId>, StoreError> {
        let noted: Vec<MemoryId> = self.file.with(|connection| -> Result<_, StoreError> {
            let mut statement = connection.prepare("SELECT DISTINCT memory FROM notes")?;
            let noted = statement.query_map([], |row| Ok(MemoryId::from_bytes(row.get(0)?)))?;
            Ok(noted.collect::<Result<_, _>>()?)
        })?;
        erased_of(&self.source, &noted)
    }
}

impl Derived<Error> for ImportsFile {
    fn name(&self) -> &'static str {
        NAME
    }

    fn class(&self) -> Class {
        Class::Observed
    }

    fn files(&self) -> Vec<PathBuf> {
        vec![self.file.path().to_owned()]
    }

    fn verify(&self) -> Result<Vec<Damage>, Error> {
        Ok(self.file.damage(NAME)?)
    }

    fn quarantine(&self) -> Result<(), Error> {
        Ok(anamne_store::quarantine_derived(self.file.path())?)
    }

    /// Removes the paths of notes whose memory was erased.
    fn purge(&self, _: &mut Budget<'_>) -> Result<(), Error> {
        self.file.remove_quarantined()?;
        if !self.file.exists() {
            return Ok(());
        }
        let erased = self.erased()?;
        self.file.change(|transaction| -> Result<_, StoreError> {
            let sql = "DELETE FROM notes WHERE memory = ?1";
            let mut statement = transaction.prepare_cached(sql)?;
            for memory in &erased {
                statement.execute([memory.as_bytes()])?;
            }
            Ok(())
        })?;
        if !erased.is_empty() {
            self.file.rewrite()?;
        }
        Ok(self.file.truncate_wal()?)
    }

    fn remove(&self) -> Result<(), Error> {
        Ok(self.file.remove()?)
    }
}
