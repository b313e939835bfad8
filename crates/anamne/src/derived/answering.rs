//! The embedding model in use by all processes, recorded in a file beside the vectors.
//!
//! `views/vectors/answering.toml` names the model in use; without it, the built-in one. It is replaced once the vectors
//! of another model are complete, and every process checks it before each query. So a query and the vectors always come
//! from the same model.

use std::fs::{File, TryLockError};
use std::path::{Path, PathBuf};
use std::sync::atomic::Ordering;
use std::sync::{Arc, PoisonError, RwLock};
use std::time::{Duration, Instant, SystemTime};

use anamne_store::{FileIdentity, LONGEST_WAIT, SpaceSource, StoreError, identity_at};
use anamne_types::Tier;
use serde::{Deserialize, Serialize};

use super::tiers::{OpenTier, Tiers};
use super::views;
use crate::Error;
use crate::models::{Model, Models, is_plain_name};

/// The version of the file.
const NOTE_FORMAT: i64 = 1;

/// The model in use, and the active tier with its vectors.
pub(crate) struct Answering {
    pub(crate) model: Model,
    pub(crate) active: Arc<OpenTier>,
}

/// The last known state of the file.
pub(crate) struct LastState {
    stamp: Option<FileStamp>,
    /// Whether to read the file again although it didn't change.
    is_stale: bool,
    /// The vector folder named by the file. It is not in use if this process can't load its model.
    noted: String,
    answering: Arc<Answering>,
}

/// Identifies the file without reading it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct FileStamp {
    identity: Option<FileIdentity>,
    modified: Option<SystemTime>,
    length: u64,
}

impl FileStamp {
    pub(crate) fn of(path: &Path) -> Option<Self> {
        let metadata = std::fs::metadata(path).ok()?;
        Some(Self {
            identity: identity_at(path),
            modified: metadata.modified().ok(),
            length: metadata.len(),
        })
    }
}

/// The content: the model in use, and former vectors left to remove.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Note {
    format: i64,
    /// The name that spaces use in their settings.
    pub(crate) model: String,
    /// The folder of its vectors.
    pub(crate) vectors: String,
    /// Obsolete vector folders.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub(crate) former: Vec<String>,
}

impl Note {
    pub(crate) fn new(model: &Model, former: Vec<String>) -> Self {
        Self {
            format: NOTE_FORMAT,
            model: model.name.clone(),
            vectors: model.slug(),
            former,
        }
    }

    fn path(space: &Path) -> PathBuf {
        folder(space).join("answering.toml")
    }

    /// The file of a space; `None` if missing or invalid, because it can be recreated.
    pub(crate) fn read(space: &Path) -> Option<Self> {
        let text = std::fs::read_to_string(Self::path(space)).ok()?;
        let mut note: Self = toml::from_str(&text).ok()?;
        // The named folders are deleted, so none may be outside this folder.
        note.former.retain(|name| is_plain_name(name));
        (note.format == NOTE_FORMAT).then_some(note)
    }

    pub(crate) fn write(&self, space: &Path) -> Result<(), Error> {
        let path = Self::path(space);
        let text = toml::to_string(self).map_err(|error| Error::Stream {
            action: "write down which model answers",
            source: std::io::Error::other(error),
        })?;
        Ok(anamne_store::replace_file(&path, text.as_bytes())?)
    }

    /// Deletes the file; the built-in model answers then.
    pub(crate) fn remove(space: &Path) -> Result<(), Error> {
        match std::fs::remove_file(Self::path(space)) {
            Err(error) if error.kind() != std::io::ErrorKind::NotFound => Err(Error::Stream {
                action: "remove the note of which model answers",
                source: error,
            }),
            _ => Ok(()),
        }
    }
}

/// The parent of all vector folders.
pub(crate) fn folder(space: &Path) -> PathBuf {
    views::folder(space, views::VECTORS)
}

/// The vector folders of a space, by name.
pub(crate) fn vector_folders(space: &Path) -> Result<Vec<String>, Error> {
    let entries = anamne_store::entries(&folder(space))?;
    let folders = entries.iter().filter(|path| path.is_dir());
    let names = folders.filter_map(|path| Some(path.file_name()?.to_str()?.to_owned()));
    let mut names: Vec<_> = names.collect();
    names.sort();
    Ok(names)
}

/// The vector folder in use if its model is available.
pub(crate) fn noted_vectors(space: &Path) -> String {
    Note::read(space).map_or_else(|| Model::builtin().slug(), |note| note.vectors)
}

/// The model in use in this space: the one named by the file if available with the same vectors, else the built-in one.
pub(crate) fn model_of(space: &Path, source: Option<&Arc<SpaceSource>>, models: &Models) -> Model {
    let noted = Note::read(space).and_then(|note| {
        let model = models.get_for(&note.model, source).ok()?;
        (model.slug() == note.vectors).then_some(model)
    });
    noted.unwrap_or_else(Model::builtin)
}

/// Held while the model in use changes or former vectors are deleted.
pub(crate) struct ChangeGuard(File);

impl Drop for ChangeGuard {
    fn drop(&mut self) {
        // If unlocking fails, closing the handle releases the lock.
        let _ = self.0.unlock();
    }
}

fn lock_file(space: &Path) -> Result<(PathBuf, File), Error> {
    let folder = folder(space);
    anamne_store::beside::create_folder(&folder)?;
    let path = folder.join("answering.lock");
    let file = anamne_store::open_private_file(&path)?;
    Ok((path, file))
}

fn locking_failed(path: &Path, source: std::io::Error) -> Error {
    Error::Store(StoreError::Io {
        action: "lock",
        path: path.to_owned(),
        source,
    })
}

/// Takes the lock without waiting.
pub(crate) fn try_change(space: &Path) -> Result<Option<ChangeGuard>, Error> {
    let (path, file) = lock_file(space)?;
    match file.try_lock() {
        Ok(()) => Ok(Some(ChangeGuard(file))),
        Err(TryLockError::WouldBlock) => Ok(None),
        Err(TryLockError::Error(error)) => Err(locking_failed(&path, error)),
    }
}

/// Takes the lock, waiting at most [`LONGEST_WAIT`].
pub(crate) fn change(space: &Path) -> Result<ChangeGuard, Error> {
    let started = Instant::now();
    loop {
        if let Some(guard) = try_change(space)? {
            return Ok(guard);
        }
        let waited = started.elapsed();
        if waited > LONGEST_WAIT {
            let path = folder(space).join("answering.lock");
            return Err(StoreError::Busy { path, waited }.into());
        }
        std::thread::sleep(Duration::from_millis(2));
    }
}

impl LastState {
    /// Reads the file of a space.
    pub(crate) fn first(source: &Arc<SpaceSource>, models: &Models) -> Result<RwLock<Self>, Error> {
        let stamp = FileStamp::of(&Note::path(source.folder()));
        let noted = noted_vectors(source.folder());
        let answering = open(source, model_of(source.folder(), Some(source), models))?;
        Ok(RwLock::new(Self {
            stamp,
            is_stale: false,
            noted,
            answering,
        }))
    }
}

fn open(source: &SpaceSource, model: Model) -> Result<Arc<Answering>, Error> {
    let active = Arc::new(OpenTier::open(source, Tier::Active, &model)?);
    Ok(Arc::new(Answering { model, active }))
}

impl Tiers {
    /// The model in use, as last known. No I/O.
    pub(crate) fn answering(&self) -> Arc<Answering> {
        let noticed = self.noticed.read().unwrap_or_else(PoisonError::into_inner);
        noticed.answering.clone()
    }

    /// The active tier, as last known. No I/O.
    pub(crate) fn active(&self) -> Arc<OpenTier> {
        self.answering().active.clone()
    }

    /// The model in use now. Costs two `stat` calls if unchanged.
    pub(crate) fn notice_answering(&self) -> Result<Arc<Answering>, Error> {
        let stamp = FileStamp::of(&Note::path(self.source.folder()));
        {
            let noticed = self.noticed.read().unwrap_or_else(PoisonError::into_inner);
            if noticed.stamp == stamp && !noticed.is_stale {
                return Ok(noticed.answering.clone());
            }
        }
        let space = self.source.folder();
        let (noted, model) = (
            noted_vectors(space),
            model_of(space, Some(&self.source), &self.models),
        );
        let mut noticed = self.noticed.write().unwrap_or_else(PoisonError::into_inner);
        if model.questions.model() != noticed.answering.model.questions.model() {
            noticed.answering = open(&self.source, model)?;
            self.tidied.store(false, Ordering::Relaxed);
        }
        (noticed.stamp, noticed.noted, noticed.is_stale) = (stamp, noted, false);
        Ok(noticed.answering.clone())
    }

    /// The vector folder in use if its model is available, as last known. No I/O.
    pub(crate) fn noted_vectors(&self) -> String {
        let noticed = self.noticed.read().unwrap_or_else(PoisonError::into_inner);
        noticed.noted.clone()
    }

    /// Forces a re-read of the file: its model may be available now.
    pub(crate) fn read_note_again(&self) {
        let mut noticed = self.noticed.write().unwrap_or_else(PoisonError::into_inner);
        noticed.is_stale = true;
    }

    /// Whether a model other than `answering` is in use now. Costs two `stat` calls.
    pub(crate) fn has_changed_since(&self, answering: &Arc<Answering>) -> Result<bool, Error> {
        Ok(!Arc::ptr_eq(&self.notice_answering()?, answering))
    }
}
