//! Which embedding model answers now, in every process: a note beside the vectors says it.
//!
//! `views/vectors/answering.toml` names the model whose vectors questions are compared with; without it that is the
//! built-in one. It is replaced when the vectors of another model are whole, and every process looks at it before each
//! question. So a question and the vectors that it meets are always of the same model.

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

/// The version of the note.
const NOTE_FORMAT: i64 = 1;

/// The model that answers, and the active tier with its vectors.
pub(crate) struct Answering {
    pub(crate) model: Model,
    pub(crate) active: Arc<OpenTier>,
}

/// What was last noticed of the note.
pub(crate) struct Noticed {
    stamp: Option<Stamp>,
    /// Whether the note is to be read again though it did not change.
    is_stale: bool,
    /// The folder of vectors that the note names. Those are not the ones that answer where their model can't be had here.
    noted: String,
    answering: Arc<Answering>,
}

/// What tells one note from another without reading it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Stamp {
    identity: Option<FileIdentity>,
    modified: Option<SystemTime>,
    length: u64,
}

impl Stamp {
    pub(crate) fn of(path: &Path) -> Option<Self> {
        let metadata = std::fs::metadata(path).ok()?;
        Some(Self {
            identity: identity_at(path),
            modified: metadata.modified().ok(),
            length: metadata.len(),
        })
    }
}

/// The note: which model answers, and what is left to remove of those that did.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Note {
    format: i64,
    /// The name by which spaces choose the model.
    pub(crate) model: String,
    /// The folder of its vectors.
    pub(crate) vectors: String,
    /// Folders of vectors that nobody needs any more.
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

    /// The note of a space; `None` where there is none, or one that can't be understood: like everything beside it, it can
    /// be made again.
    pub(crate) fn read(space: &Path) -> Option<Self> {
        let text = std::fs::read_to_string(Self::path(space)).ok()?;
        let mut note: Self = toml::from_str(&text).ok()?;
        // What is named there is removed: nothing outside this folder, whoever wrote the note.
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

    /// Takes the note away, so that the built-in model answers.
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

/// The folder in which the vectors of each model have a folder.
pub(crate) fn folder(space: &Path) -> PathBuf {
    views::folder(space, views::VECTORS)
}

/// The folders of vectors of a space, by name.
pub(crate) fn vector_folders(space: &Path) -> Result<Vec<String>, Error> {
    let entries = anamne_store::entries(&folder(space))?;
    let folders = entries.iter().filter(|path| path.is_dir());
    let names = folders.filter_map(|path| Some(path.file_name()?.to_str()?.to_owned()));
    let mut names: Vec<_> = names.collect();
    names.sort();
    Ok(names)
}

/// The folder of vectors that answer in a space where their model can be had.
pub(crate) fn noted_vectors(space: &Path) -> String {
    Note::read(space).map_or_else(|| Model::builtin().slug(), |note| note.vectors)
}

/// The model that answers in the space in this folder: the one that the note names where it can be had with the same
/// vectors, else the built-in one.
pub(crate) fn model_of(space: &Path, models: &Models) -> Model {
    let noted = Note::read(space).and_then(|note| {
        let model = models.get(&note.model).ok()?;
        (model.slug() == note.vectors).then_some(model)
    });
    noted.unwrap_or_else(Model::builtin)
}

/// Held while the answering model is changed, or vectors of others are removed.
pub(crate) struct ChangeGuard(File);

impl Drop for ChangeGuard {
    fn drop(&mut self) {
        // An unlock that fails leaves a lock that ends with the file handle.
        let _ = self.0.unlock();
    }
}

fn lock_file(space: &Path) -> Result<(PathBuf, File), Error> {
    let folder = folder(space);
    anamne_store::create_private_folder(&folder)?;
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

/// Takes the lock if nobody holds it.
pub(crate) fn try_change(space: &Path) -> Result<Option<ChangeGuard>, Error> {
    let (path, file) = lock_file(space)?;
    match file.try_lock() {
        Ok(()) => Ok(Some(ChangeGuard(file))),
        Err(TryLockError::WouldBlock) => Ok(None),
        Err(TryLockError::Error(error)) => Err(locking_failed(&path, error)),
    }
}

/// Waits for the lock, at most [`LONGEST_WAIT`].
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

impl Noticed {
    /// What the note of a space says now.
    pub(crate) fn first(source: &SpaceSource, models: &Models) -> Result<RwLock<Self>, Error> {
        let stamp = Stamp::of(&Note::path(source.folder()));
        let noted = noted_vectors(source.folder());
        let answering = open(source, model_of(source.folder(), models))?;
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
    /// The model that answers, as last noticed. Touches no file.
    pub(crate) fn answering(&self) -> Arc<Answering> {
        let noticed = self.noticed.read().unwrap_or_else(PoisonError::into_inner);
        noticed.answering.clone()
    }

    /// The active tier, as last noticed. Touches no file.
    pub(crate) fn active(&self) -> Arc<OpenTier> {
        self.answering().active.clone()
    }

    /// The model that answers now. Costs two looks at a file where it is the same as before.
    pub(crate) fn notice_answering(&self) -> Result<Arc<Answering>, Error> {
        let stamp = Stamp::of(&Note::path(self.source.folder()));
        {
            let noticed = self.noticed.read().unwrap_or_else(PoisonError::into_inner);
            if noticed.stamp == stamp && !noticed.is_stale {
                return Ok(noticed.answering.clone());
            }
        }
        let space = self.source.folder();
        let (noted, model) = (noted_vectors(space), model_of(space, &self.models));
        let mut noticed = self.noticed.write().unwrap_or_else(PoisonError::into_inner);
        if model.questions.model() != noticed.answering.model.questions.model() {
            noticed.answering = open(&self.source, model)?;
            self.tidied.store(false, Ordering::Relaxed);
        }
        (noticed.stamp, noticed.noted, noticed.is_stale) = (stamp, noted, false);
        Ok(noticed.answering.clone())
    }

    /// The folder of vectors that answer where their model can be had, as last noticed. Touches no file.
    pub(crate) fn noted_vectors(&self) -> String {
        let noticed = self.noticed.read().unwrap_or_else(PoisonError::into_inner);
        noticed.noted.clone()
    }

    /// Has the note read again: its model may be had now.
    pub(crate) fn read_note_again(&self) {
        let mut noticed = self.noticed.write().unwrap_or_else(PoisonError::into_inner);
        noticed.is_stale = true;
    }

    /// Whether another model than `answering` answers by now. Costs two looks at a file.
    pub(crate) fn has_changed_since(&self, answering: &Arc<Answering>) -> Result<bool, Error> {
        Ok(!Arc::ptr_eq(&self.notice_answering()?, answering))
    }
}
