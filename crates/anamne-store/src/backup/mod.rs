//! Incremental online backup of a space to another folder.

mod contents;
mod known;
mod losses;
mod manifest;
mod reach;
mod segments;

use std::fs::{self, File};
use std::path::{Path, PathBuf};

use anamne_types::{InvalidValue, Seq};
use rusqlite::{Connection, OpenFlags};
use serde::Serialize;

use crate::beside;
use crate::cleaning;
use crate::examine::{Copies, examine, examine_settled, open_untouched};
use crate::files::{
    create_private_folder, look_at, open_private_file, remove_if_there, remove_unfinished,
    sync_folder_of, unfinished,
};
use crate::journal::{Digest, Erasure, Journal};
use crate::leftovers;
use crate::lock::WriteLock;
use crate::restore::side_file;
use crate::source::{configure, end_of_log, erasure, log, open_writer};
use crate::space::SpaceSource;
use crate::{Result, StoreError};

pub use known::KnownBackup;
pub(crate) use known::KnownBackups;
pub(crate) use manifest::Manifest;
pub use reach::{BackupState, backups_of, is_complete_backup};

/// The result of backing up one space.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct BackupReport {
    /// The space's name.
    pub space: String,
    /// The backup folder, a complete store with this space.
    pub folder: PathBuf,
    /// Whether this was the first backup of this space.
    pub first: bool,
    /// The last event in it.
    pub last_seq: Seq,
    /// Journal segments copied.
    pub segments_copied: usize,
    /// Journal segments already present.
    pub segments_kept: usize,
    /// Bytes written.
    pub bytes_copied: u64,
}

/// Maximum number of attempts when something is erased while copying.
const ROUNDS: usize = 5;

/// The result of copying.
struct CopyReport {
    last_seq: Seq,
    segments: segments::CopiedSegments,
    database_bytes: u64,
}

/// The files of the backup of one space.
struct Target {
    folder: PathBuf,
    database: PathBuf,
    journal: PathBuf,
}

impl Target {
    fn at(folder: PathBuf) -> Self {
        Self {
            database: folder.join("memories").join("active.db"),
            journal: folder.join("journal"),
            folder,
        }
    }

    fn has_manifest(&self) -> bool {
        matches!(Manifest::read(&self.folder), Ok(Some(_)))
    }

    /// Whether the folder contains only what a backup writes: no views, queue, caches or quarantined files, which
    /// appear once it was opened, and no backup list of its own.
    fn holds_copies_alone(&self, store: &Path) -> Result<bool> {
        let of_others = [
            self.folder.join(beside::VIEWS),
            self.folder.join(beside::PAID),
            self.folder.join(beside::OBSERVED),
            self.folder.join("tasks.db"),
            self.folder.join("backups.toml"),
            store.join("embedding-cache.db"),
        ];
        for path in of_others {
            if look_at(&path)?.is_some() {
                return Ok(false);
            }
        }
        Ok(!leftovers::is_any(&self.folder)?)
    }
}

/// The staged copy of the database.
struct Snapshot {
    path: PathBuf,
    end: (Seq, Digest),
    /// Erased content that the journal may still contain.
    erasure: Option<Erasure>,
}

impl SpaceSource {
    /// Creates or updates the backup of this space in the store folder `store`.
    ///
    /// Contains everything acknowledged before the call. Writers continue; their lock is taken only if a line is still
    /// on its way to the journal. Identical journal segments are not copied again. After an interruption the older
    /// backup is still usable, and the next backup finishes this one. Views are not copied: they are rebuilt.
    /// O(bytes of both copies) to read.
    ///
    /// If an erasure is pending for the backup ([`KnownBackup::pending`]), its quarantined files are removed. If the
    /// backup was opened since, its views or caches may hold erased content: the note `views.unclean` is left in it,
    /// and the erasure stays pending until [`SpaceSource::note_erased_in_backup`].
    ///
    /// [`StoreError::Diverged`] if the existing backup is not an older state of this space; [`StoreError::OnlyInBackup`]
    /// if it has content that this space has lost; [`StoreError::Damaged`] if this space is damaged: the backup is then
    /// left unchanged.
    pub fn backup(&self, store: &Path) -> Result<BackupReport> {
        let target = Target::at(self.folder_in(store));
        let was_there = look_at(&target.folder)?.is_some();
        for folder in [target.folder.join("memories"), target.journal.clone()] {
            create_private_folder(&folder)?;
        }
        let lock = WriteLock::at(&target.folder.join("write.lock"));
        let guard = lock.acquire()?;
        for folder in [
            &target.folder,
            &target.journal,
            &target.folder.join("memories"),
        ] {
            remove_unfinished(folder)?;
        }
        let first = !target.has_manifest();
        let root = fs::canonicalize(store).map_err(StoreError::io("look at", store))?;
        let now = self.now();
        // Before anything is copied, so that erasures know about this copy even if it fails.
        // What was erased while an existing backup wasn't listed may still be in its views and caches.
        let unlisted = (!first).then_some(Seq(0));
        let known = self.change_backups(|known| known.expect(&root, now, unlisted))??;
        let pending = known.as_ref().map_or(unlisted, |known| known.pending);
        if let Some(through) = pending {
            cleaning::note(&target.folder, through)?;
        }
        let copied = match self.bring_up_to_date(&target) {
            Ok(copied) => copied,
            Err(error) => {
                // Discards the copy; the first error is the one reported.
                let _ = remove_unfinished(&target.folder.join("memories"));
                let is_ours =
                    target.has_manifest() && !matches!(error, StoreError::Diverged { .. });
                if known.is_none() && !is_ours {
                    let _ = self.change_backups(|known| known.remove(&root));
                }
                if !was_there && !is_ours {
                    // Otherwise the empty folder would look like a damaged space of the backup.
                    let _ = remove_if_there(&target.folder);
                }
                return Err(error);
            }
        };
        if pending.is_some() {
            leftovers::remove(&target.folder)?;
        }
        let is_clean = target.holds_copies_alone(store)?;
        if is_clean {
            cleaning::done(&target.folder, copied.last_seq)?;
        } else if pending.is_some() {
            // Once more: a purge of views in between didn't know about this copy.
            cleaning::note(&target.folder, copied.last_seq)?;
        }
        drop(guard);
        let now = self.now();
        self.change_backups(|known| known.note(&root, copied.last_seq, now, is_clean))?;
        Ok(BackupReport {
            space: self.name().to_string(),
            folder: store.to_owned(),
            first,
            last_seq: copied.last_seq,
            segments_copied: copied.segments.written,
            segments_kept: copied.segments.kept,
            bytes_copied: copied.segments.bytes + copied.database_bytes,
        })
    }

    /// Copies; repeats if an erasure in the meantime made the copies disagree.
    fn bring_up_to_date(&self, target: &Target) -> Result<CopyReport> {
        let mut round = 0;
        loop {
            let before = self.settle_journal()?;
            if let Some(copied) = self.find_nothing_new(target, before)? {
                return Ok(copied);
            }
            let copied = self.copy_to(target);
            round += 1;
            match copied {
                Err(StoreError::Damaged { .. })
                    if round < ROUNDS
                        && self.read(|reader| log::erased_after(reader, before))? =>
                {
                    remove_unfinished(&target.folder.join("memories"))?;
                }
                copied => return copied,
            }
        }
    }

    /// Whether a complete backup up to the event `end` still verifies, so that nothing is copied.
    fn find_nothing_new(&self, target: &Target, end: Seq) -> Result<Option<CopyReport>> {
        let hash = self.read(|reader| log::hash_at(reader, end))?;
        let manifest = Manifest::read(&target.folder).ok().flatten();
        let is_whole = manifest
            .zip(hash)
            .is_some_and(|(manifest, hash)| manifest.is_whole_up_to((end, hash)));
        if !is_whole {
            return Ok(None);
        }
        let found = examine(&target.folder)?;
        if !found.findings.is_empty() || found.last_seq != end {
            return Ok(None);
        }
        self.config().write(&target.folder.join("space.toml"))?;
        Ok(Some(CopyReport {
            last_seq: end,
            segments: segments::CopiedSegments {
                kept: found.segments,
                ..segments::CopiedSegments::default()
            },
            database_bytes: 0,
        }))
    }

    fn copy_to(&self, target: &Target) -> Result<CopyReport> {
        // A memory that moves while the tiers are copied would be missing from both.
        let _still = self.moving.acquire()?;
        let snapshot = self.snapshot(target)?;
        let before = Manifest::read(&target.folder).ok().flatten();
        let memories = self.folder().join("memories");
        let contents = contents::copy(&memories, &target.folder, &snapshot.path, before.as_ref())?;
        check_descent(target, &snapshot)?;
        self.check_soundness(&snapshot)?;
        let last_seq = snapshot.end.0;
        // An erasure since the snapshot counts too.
        self.read(|reader| {
            losses::check(&self.journal_folder(), &target.journal, last_seq, reader)
        })?;
        let manifest = Manifest::begin(self.name().as_str(), snapshot.end, self.now());
        manifest.write(&target.folder)?;
        let segments = segments::copy(&self.journal_folder(), &target.journal, last_seq)?;
        if let Some(erasure) = &snapshot.erasure {
            Journal::at(&target.journal).erase(erasure)?;
        }
        let database_bytes =
            contents.put_in_place()? + put_in_place(&snapshot.path, &target.database)?;
        self.config().write(&target.folder.join("space.toml"))?;
        check_read_back(&target.folder)?;
        manifest.finish(&target.folder)?;
        Ok(CopyReport {
            last_seq,
            segments,
            database_bytes,
        })
    }

    /// Writes a snapshot of the database beside the backup's database.
    fn snapshot(&self, target: &Target) -> Result<Snapshot> {
        drop(self.reader()?);
        let path = unfinished(&target.database);
        let Some(name) = path.to_str() else {
            return Err(InvalidValue::new("folder", "a path in UTF-8", path.display()).into());
        };
        // Created here first for owner-only permissions.
        drop(open_private_file(&path)?);
        open_copied(self.database())?.execute("VACUUM INTO ?1", [name])?;
        let copy = open_writer(&path)?;
        let pending = erasure::is_pending(&copy)?;
        let erasure = pending.then(|| erasure::pending(&copy)).transpose()?;
        erasure::finish(&copy)?;
        let end = end_of_log(&copy)?;
        copy.close().map_err(|(_, error)| error)?;
        sync(&path)?;
        Ok(Snapshot { path, end, erasure })
    }

    /// A damaged copy must not replace a sound backup.
    fn check_soundness(&self, snapshot: &Snapshot) -> Result<()> {
        let journal = self.journal_folder();
        if Journal::at(&journal).end().map_or(Seq(0), |(seq, _)| seq) < snapshot.end.0 {
            self.settle_journal()?;
        }
        let found = examine_settled(Copies {
            database: &snapshot.path,
            journal: &journal,
            live: self.database(),
        })?;
        match found.findings.first() {
            None => Ok(()),
            Some(finding) => {
                let reason = format!("{finding}; the backup is unchanged");
                Err(StoreError::damaged(self.folder(), reason))
            }
        }
    }
}

/// The connection that SQLite copies from. It writes nothing, but `query_only` would forbid the copy.
fn open_copied(path: &Path) -> Result<Connection> {
    let flags = OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_NO_MUTEX;
    let connection = Connection::open_with_flags(path, flags)?;
    configure(&connection)?;
    Ok(connection)
}

pub(crate) fn sync(path: &Path) -> Result<()> {
    let file = File::open(path).map_err(StoreError::io("open", path))?;
    file.sync_all().map_err(StoreError::io("sync", path))
}

/// Checks that the existing backup is an older state of the same log. An unreadable one is replaced.
fn check_descent(target: &Target, snapshot: &Snapshot) -> Result<()> {
    let copy = open_untouched(&snapshot.path)?;
    let database = match look_at(&target.database)? {
        Some(_) => {
            let end = open_writer(&target.database).and_then(|database| end_of_log(&database));
            if let Err(newer @ StoreError::Newer { .. }) = end {
                return Err(newer);
            }
            end.ok()
        }
        None => None,
    };
    let journaled = match Journal::at(&target.journal).end() {
        Err(newer @ StoreError::Newer { .. }) => return Err(newer),
        journaled => journaled.ok(),
    };
    for (seq, hash) in database.into_iter().chain(journaled) {
        if log::hash_at(&copy, seq)? != Some(hash) {
            return Err(StoreError::Diverged {
                path: target.folder.clone(),
                seq,
            });
        }
    }
    Ok(())
}

/// Replaces the database of the backup; returns its size in bytes.
pub(crate) fn put_in_place(snapshot: &Path, database: &Path) -> Result<u64> {
    // SQLite's side files of the old database must not be applied to the new one.
    for side in ["wal", "shm"] {
        remove_if_there(&side_file(database, side))?;
        remove_if_there(&side_file(snapshot, side))?;
    }
    fs::rename(snapshot, database).map_err(StoreError::io("put in place", database))?;
    sync_folder_of(database)?;
    Ok(look_at(database)?.map_or(0, |state| state.length))
}

/// Verifies the whole backup: both copies are sound and end at the same event.
fn check_read_back(folder: &Path) -> Result<()> {
    let found = examine(folder)?;
    match found.findings.first() {
        None => Ok(()),
        Some(finding) => Err(StoreError::damaged(
            folder,
            format!("backup verification failed: {finding}"),
        )),
    }
}
