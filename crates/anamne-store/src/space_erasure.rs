//! Erasure of a whole space.
//!
//! A note of what other places hold of the space is written into its folder; then the folder is renamed into `erased`,
//! beside `spaces`. From that moment there is no such space, and its name is free. Then the content is removed, and what
//! other places hold, each struck from the note when it is done; the last step removes the note. So a crash leaves the
//! whole space, or *remains*, whose note says what is left to do.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use anamne_types::{MemoryId, Seq};
use jiff::Timestamp;
use rusqlite::Connection;
use serde::{Deserialize, Serialize};

use crate::backup::{KnownBackups, Manifest, backups_of};
use crate::bounded::{RejectedFile, read_regular};
use crate::clock::Clock;
use crate::files::{
    create_private_folder, entries, is_there, remove_if_there, replace_file, sync_folder_of,
};
use crate::journal::{Digest, Lines};
use crate::lock::WriteLock;
use crate::settings_file::check_format;
use crate::source::{log, members};
use crate::space::SpaceSource;
use crate::space_name::SpaceName;
use crate::space_state::SpaceState;
use crate::store::StoreFolder;
use crate::{Result, StoreError};

/// The version of the note. In format 1, notes have no `copies`.
const FORMAT: i64 = 2;

/// The file name of the note.
const NOTE: &str = "erased.json";

/// Maximum size of a note, which has an id for each memory that other spaces share.
const LONGEST_NOTE: u64 = 1 << 30;

/// What is left to do of the erasure of a space.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ErasedSpace {
    format: i64,
    /// Its name.
    pub name: String,
    /// When it was erased.
    pub at: Timestamp,
    /// The hash of its first event, by which its backups are known; `None` if it had no events.
    first: Option<Digest>,
    /// Its memories that may still be members of other spaces, by these.
    #[serde(default)]
    pub members: BTreeMap<String, Vec<MemoryId>>,
    /// Its members whose homes may still list it, by these.
    #[serde(default)]
    pub homes: BTreeMap<String, Vec<MemoryId>>,
    /// Its memories of which a transfer left forgotten copies in other spaces, by these.
    #[serde(default)]
    pub copies: BTreeMap<String, Vec<MemoryId>>,
    /// The stores that may still have a backup of it.
    #[serde(default)]
    pub backups: Vec<PathBuf>,
}

impl ErasedSpace {
    fn is_done(&self) -> bool {
        self.members.is_empty()
            && self.homes.is_empty()
            && self.copies.is_empty()
            && self.backups.is_empty()
    }

    /// The note in a folder of remains. It is removed last, so without one everything is done.
    fn read(folder: &Path) -> Result<Option<Self>> {
        #[derive(Deserialize)]
        struct Format {
            format: i64,
        }
        let path = folder.join(NOTE);
        let bytes = match read_regular(&path, LONGEST_NOTE) {
            Ok(Some(bytes)) => bytes,
            Ok(None) => return Ok(None),
            Err(RejectedFile::Io(error)) => return Err(StoreError::io("read", &path)(error)),
            Err(unfit) => return Err(StoreError::damaged(&path, unfit.to_string())),
        };
        let unreadable = |error: serde_json::Error| StoreError::damaged(&path, error.to_string());
        let Format { format } = serde_json::from_slice(&bytes).map_err(unreadable)?;
        check_format(&path, format, FORMAT)?;
        serde_json::from_slice(&bytes).map(Some).map_err(unreadable)
    }

    fn write(&self, folder: &Path) -> Result<()> {
        replace_file(&folder.join(NOTE), &serde_json::to_vec(self)?)
    }
}

/// What is left of an erased space: the note, and at first its content.
#[derive(Debug)]
pub struct Remains {
    folder: PathBuf,
    note: ErasedSpace,
}

impl Remains {
    /// The remains in a folder; `None` if they are done, and only the folder is left.
    fn in_folder(folder: PathBuf) -> Option<Result<Self, UnreadableRemains>> {
        match ErasedSpace::read(&folder) {
            Ok(None) => None,
            Ok(Some(note)) => Some(Ok(Self { folder, note })),
            Err(error) => Some(Err(UnreadableRemains { folder, error })),
        }
    }

    /// Their folder.
    pub fn folder(&self) -> &Path {
        &self.folder
    }

    /// What is left to do.
    pub fn note(&self) -> &ErasedSpace {
        &self.note
    }

    /// Removes everything except the note.
    pub fn remove_content(&self) -> Result<()> {
        remove_content(&self.folder)
    }

    /// Changes the note, for what was done.
    pub fn strike(&mut self, done: impl FnOnce(&mut ErasedSpace)) -> Result<()> {
        done(&mut self.note);
        self.note.write(&self.folder)
    }

    /// Removes the remains if nothing is left to do; returns whether that is so.
    pub fn finish(&self) -> Result<bool> {
        if !self.note.is_done() {
            return Ok(false);
        }
        remove_content(&self.folder)?;
        remove_if_there(&self.folder)?;
        sync_folder_of(&self.folder)?;
        Ok(true)
    }
}

/// Remains without a readable note.
#[derive(Debug)]
pub struct UnreadableRemains {
    /// Their folder.
    pub folder: PathBuf,
    /// Why the note can't be read.
    pub error: StoreError,
}

impl UnreadableRemains {
    /// Removes everything except the note.
    pub fn remove_content(&self) -> Result<()> {
        remove_content(&self.folder)
    }
}

fn remove_content(folder: &Path) -> Result<()> {
    for path in entries(folder)? {
        if !path.ends_with(NOTE) {
            remove_if_there(&path)?;
        }
    }
    Ok(())
}

impl SpaceSource {
    /// Erases this space: afterwards the store has none of its name, and every open handle of it returns
    /// [`StoreError::SpaceGone`]. What it returns must be completed, by this process or a later one;
    /// [`StoreFolder::erasure_lock`] must be held.
    ///
    /// What transfers left of its memories in the spaces `others` goes with it.
    ///
    /// Only if it is in `state` still, if one is given; otherwise [`StoreError::SpaceChanged`]. `before` runs right before
    /// the decisive step, when nothing but a failure of the disk can prevent it; its error does. Nothing is changed if an
    /// error is returned; an unreadable list of backups is one.
    pub fn leave_store<E: From<StoreError>>(
        &self,
        state: Option<SpaceState>,
        others: &[SpaceName],
        before: impl FnOnce() -> Result<(), E>,
    ) -> Result<Remains, E> {
        let lock = self.members_lock();
        let _sharing = lock.acquire()?;
        let mut turn = self.turns.take();
        let _guard = self.acquire()?;
        self.check_present()?;
        let backups = backups_of(self.folder())?;
        let copies = self.copies_left_in_each(others)?;
        let note = self.as_only_writer(&mut turn, |writer, _| {
            let connection = &writer.connection;
            if let Some(state) = state
                && state != SpaceState::of(connection, &*self.current_config()?)?
            {
                return Err(StoreError::SpaceChanged(self.name().to_string()));
            }
            Ok(ErasedSpace {
                format: FORMAT,
                name: self.name().to_string(),
                at: self.now(),
                first: log::hash_at(connection, Seq(1))?,
                members: as_lists(members::all_shares(connection)?),
                homes: members_by_home(connection)?,
                copies,
                backups: backups.into_iter().map(|known| known.folder).collect(),
            })
        })?;
        *turn = None;
        self.readers.close();
        put_away(self.folder(), note, before)
    }

    fn copies_left_in_each(&self, others: &[SpaceName]) -> Result<BTreeMap<String, Vec<MemoryId>>> {
        let mut copies = BTreeMap::new();
        for other in others.iter().filter(|other| *other != self.name()) {
            let left = match self.copies_left_in(other.as_str()) {
                Ok(left) => left,
                // A space that can't be read now is looked at again when the erasure is completed.
                Err(_) => self.own_live_ids()?,
            };
            if !left.is_empty() {
                copies.insert(other.to_string(), left);
            }
        }
        Ok(copies)
    }
}

fn as_lists<T>(
    by_space: BTreeMap<String, impl IntoIterator<Item = T>>,
) -> BTreeMap<String, Vec<T>> {
    let by_space = by_space.into_iter();
    by_space
        .map(|(space, ids)| (space, ids.into_iter().collect()))
        .collect()
}

fn members_by_home(connection: &Connection) -> Result<BTreeMap<String, Vec<MemoryId>>> {
    let mut by_home = BTreeMap::new();
    for (home, _) in members::homes(connection)? {
        let ids = members::of_home(connection, &home)?;
        by_home.insert(home, ids);
    }
    Ok(as_lists(by_home))
}

/// Renames the folder of a space to its remains, after `before`. Its write lock must be held.
fn put_away<E: From<StoreError>>(
    space: &Path,
    note: ErasedSpace,
    before: impl FnOnce() -> Result<(), E>,
) -> Result<Remains, E> {
    note.write(space)?;
    let put_away = rename_to_remains(space, before);
    match put_away {
        Ok(folder) => Ok(Remains { folder, note }),
        Err(error) => {
            remove_if_there(&space.join(NOTE))?;
            Err(error)
        }
    }
}

/// Returns the new folder.
fn rename_to_remains<E: From<StoreError>>(
    space: &Path,
    before: impl FnOnce() -> Result<(), E>,
) -> Result<PathBuf, E> {
    let root = space.ancestors().nth(2).unwrap_or(space);
    let erased = root.join(ERASED);
    create_private_folder(&erased)?;
    sync_folder_of(&erased)?;
    let name = space.file_name().unwrap_or_default().to_string_lossy();
    let folder = (1..u32::MAX)
        .map(|number| erased.join(format!("{name}.{number}")))
        .find(|folder| !folder.exists())
        .unwrap_or_else(|| erased.join(&*name));
    before()?;
    std::fs::rename(space, &folder).map_err(StoreError::io("move away", space))?;
    sync_folder_of(&folder)?;
    sync_folder_of(space)?;
    Ok(folder)
}

/// The folder of remains, in that of the store.
const ERASED: &str = "erased";

/// A copy of an erased space in another store.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FoundCopy {
    /// Nothing of the space.
    None,
    /// A backup.
    Backup,
    /// A copy that was written to since.
    Changed,
    /// Another space of the same name.
    Unrelated,
}

impl StoreFolder {
    /// The lock of everyone who erases a space of this store, or completes such an erasure.
    pub fn erasure_lock(&self) -> WriteLock {
        WriteLock::at(&self.root().join("erased.lock"))
    }

    /// Whether there are remains of erased spaces. One small read.
    pub fn has_remains(&self) -> Result<bool> {
        Ok(!entries(&self.root().join(ERASED))?.is_empty())
    }

    /// The remains of erased spaces, sorted by folder.
    pub fn remains(&self) -> Result<Vec<Result<Remains, UnreadableRemains>>> {
        let mut folders = entries(&self.root().join(ERASED))?;
        folders.sort();
        Ok(folders.into_iter().filter_map(Remains::in_folder).collect())
    }

    /// Removes the folders of remains that are done, of which a crash may leave some. [`StoreFolder::erasure_lock`] must be
    /// held.
    pub fn remove_done_remains(&self) -> Result<()> {
        for folder in entries(&self.root().join(ERASED))? {
            if !is_there(&folder.join(NOTE))? {
                remove_if_there(&folder)?;
            }
        }
        Ok(())
    }

    /// What this store, a former backup, has of an erased space.
    pub fn copy_of(&self, erased: &ErasedSpace) -> Result<FoundCopy> {
        let folder = self.space(&erased.name.parse()?);
        if !is_there(&folder)? {
            return Ok(FoundCopy::None);
        }
        if let (Some(first), Some(there)) = (erased.first, first_event(&folder)?)
            && first != there
        {
            return Ok(FoundCopy::Unrelated);
        }
        match Manifest::read(&folder) {
            Ok(None) if self.has_space(&erased.name.parse()?)? => Ok(FoundCopy::Changed),
            // An interrupted first copy.
            Ok(_) | Err(StoreError::Damaged { .. }) => Ok(FoundCopy::Backup),
            Err(error) => Err(error),
        }
    }

    /// Moves the backup of an erased space in this store away, as [`SpaceSource::leave_store`] does with a space. What it
    /// says of members is left to the backups of the other spaces.
    pub fn put_backup_away(&self, erased: &ErasedSpace, clock: &dyn Clock) -> Result<Remains> {
        let name: SpaceName = erased.name.parse()?;
        let folder = self.space(&name);
        let lock = WriteLock::at(&folder.join("write.lock"));
        let _guard = lock.acquire()?;
        let known = KnownBackups::read(&folder)?.backups.into_iter();
        let note = ErasedSpace {
            format: FORMAT,
            name: erased.name.clone(),
            at: clock.now(),
            first: erased.first,
            members: BTreeMap::new(),
            homes: BTreeMap::new(),
            copies: BTreeMap::new(),
            backups: known.map(|known| known.folder).collect(),
        };
        put_away(&folder, note, || Ok(()))
    }

    /// Removes the folders of a store in which nothing is left, the store's own included. Best effort: others stay.
    pub fn tidy(&self) {
        let root = self.root();
        if entries(&root.join("spaces")).is_ok_and(|spaces| spaces.is_empty())
            && std::fs::remove_dir(root.join(ERASED)).is_ok()
            && std::fs::remove_dir(root.join("spaces")).is_ok()
        {
            let _ = std::fs::remove_file(root.join("erased.lock"));
            let _ = std::fs::remove_dir(root);
        }
    }
}

/// The hash of the first event of the space in a folder, by its journal; `None` if it has none.
fn first_event(folder: &Path) -> Result<Option<Digest>> {
    match Lines::of(&folder.join("journal"))?.next() {
        Some(line) => Ok(Some(line?.hash)),
        None => Ok(None),
    }
}
