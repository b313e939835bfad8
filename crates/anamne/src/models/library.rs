//! The folder `models`: one folder per model, and the files of imported models under their digests.

use std::collections::HashSet;
use std::fs;
use std::io::{ErrorKind, Read};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use anamne_embed::{CrossEncoder, EmbedError, ModelFile, StaticModel};
use anamne_store::{
    Disk, RejectedFile, Storage, StoreError, UNFINISHED, WriteLock, entries, read_regular,
    remove_path, sync_folder_on,
};

use super::format::{ModelFormat, PLAIN_FILES};
use super::is_plain_name;
use super::manifest::{MANIFEST, Manifest, ManifestFile, is_digest};
use crate::Error;
use crate::derived::answering::FileStamp;

/// The folder of imported files, beside the folders of models.
pub(super) const FILES: &str = "files";

/// Attempts to read a model that another process replaces meanwhile.
const ROUNDS: usize = 3;

/// Detects changes of a model without reading its files.
pub(super) type ModelStamp = Vec<Option<FileStamp>>;

/// The models in a store's folder. Cheap to clone; reads and locks nothing until asked.
#[derive(Clone)]
pub(super) struct Library {
    root: PathBuf,
    /// Carries out every change of a file.
    pub(super) storage: Arc<dyn Storage>,
}

impl Library {
    /// The library of the store in `root`.
    pub(super) fn of_store(root: &Path) -> Self {
        Self {
            root: root.to_owned(),
            storage: Arc::new(Disk),
        }
    }

    /// The folder of all models.
    pub(super) fn folder(&self) -> PathBuf {
        self.root.join("models")
    }

    /// The folder of a model.
    pub(super) fn folder_of(&self, name: &str) -> PathBuf {
        self.folder().join(name)
    }

    /// The folder of imported files.
    pub(super) fn files(&self) -> PathBuf {
        self.folder().join(FILES)
    }

    /// Where a file is stored.
    pub(super) fn path_of(&self, file: &ManifestFile) -> PathBuf {
        self.files().join(&file.digest)
    }

    /// The lock that every change takes.
    pub(super) fn lock(&self) -> WriteLock {
        WriteLock::at(&self.root.join("models.lock"))
    }

    /// The names of all models, loadable or not, sorted.
    pub(super) fn names(&self) -> Vec<String> {
        let folders = entries(&self.folder()).unwrap_or_default();
        let names = folders.iter().filter_map(|path| path.file_name()?.to_str());
        let mut names: Vec<_> = names
            .filter(|name| self.has(name))
            .map(str::to_owned)
            .collect();
        names.sort();
        names
    }

    /// Whether there is a folder of this name with a manifest or a file of a model.
    pub(super) fn has(&self, name: &str) -> bool {
        let folder = self.folder_of(name);
        let is_there = |file: &str| fs::symlink_metadata(folder.join(file)).is_ok();
        is_plain_name(name)
            && folder.is_dir()
            && (is_there(MANIFEST) || PLAIN_FILES.into_iter().any(is_there))
    }

    /// The manifest of a model; `None` for a plain folder or a missing one.
    pub(super) fn manifest(&self, name: &str) -> Result<Option<Manifest>, Error> {
        Manifest::read(&self.folder_of(name), name)
    }

    /// The kind of an existing model; `None` if its manifest can't be read.
    pub(super) fn kind_of(&self, name: &str) -> Option<ModelFormat> {
        Some(match self.manifest(name).ok()? {
            Some(manifest) => manifest.kind,
            None => ModelFormat::of_folder(&self.folder_of(name)),
        })
    }

    /// Changes when the model of this kind does. All entries are `None` if it doesn't exist.
    pub(super) fn stamp(&self, name: &str, kind: ModelFormat) -> ModelStamp {
        let folder = self.folder_of(name);
        let manifest = FileStamp::of(&folder.join(MANIFEST));
        if manifest.is_some() {
            return vec![manifest];
        }
        let files = kind.files().into_iter();
        files
            .map(|(file, _)| FileStamp::of(&folder.join(file)))
            .collect()
    }

    /// Loads an existing embedding model.
    pub(super) fn load(&self, name: &str) -> Result<StaticModel, Error> {
        let plain = StaticModel::load;
        self.load_as(name, ModelFormat::Model2vec, plain, StaticModel::from_files)
    }

    /// Loads an existing reranker.
    pub(super) fn load_reranker(&self, name: &str) -> Result<CrossEncoder, Error> {
        let plain = CrossEncoder::load;
        self.load_as(
            name,
            ModelFormat::CrossEncoder,
            plain,
            CrossEncoder::from_files,
        )
    }

    /// Loads a model of a kind. The files of an imported one are compared with its manifest. O(bytes of the model).
    fn load_as<T>(
        &self,
        name: &str,
        kind: ModelFormat,
        plain: impl Fn(&Path) -> Result<T, EmbedError>,
        imported: impl Fn(&str, &[ModelFile; 3]) -> Result<T, EmbedError>,
    ) -> Result<T, Error> {
        let other_purpose = || Error::OtherPurpose {
            name: name.to_owned(),
            wanted: kind.purpose(),
        };
        self.settled(name, |manifest| {
            let folder = self.folder_of(name);
            let found = manifest.map_or_else(|| ModelFormat::of_folder(&folder), |it| it.kind);
            if found != kind {
                return Err(other_purpose());
            }
            let loaded = match manifest {
                Some(manifest) => self
                    .verified_files(manifest)
                    .and_then(|files| imported(name, &files)),
                None => plain(&folder),
            };
            loaded.map_err(|source| Error::Model {
                name: name.to_owned(),
                source,
            })
        })
    }

    /// Reads a model with its manifest; again if it fails because another process replaced the model meanwhile.
    pub(super) fn settled<T, E: From<Error>>(
        &self,
        name: &str,
        read: impl Fn(Option<&Manifest>) -> Result<T, E>,
    ) -> Result<T, E> {
        let mut round = 0;
        loop {
            let manifest = self.manifest(name)?;
            let outcome = read(manifest.as_ref());
            round += 1;
            if outcome.is_ok() || round == ROUNDS || self.manifest(name)? == manifest {
                return outcome;
            }
        }
    }

    fn verified_files(&self, manifest: &Manifest) -> Result<[ModelFile; 3], EmbedError> {
        let [model, tokenizer, configuration] = &manifest.files;
        Ok([
            self.read_verified(model)?,
            self.read_verified(tokenizer)?,
            self.read_verified(configuration)?,
        ])
    }

    fn read_verified(&self, file: &ManifestFile) -> Result<ModelFile, EmbedError> {
        let path = self.path_of(file);
        let malformed = |problem: String| EmbedError::Malformed {
            path: path.clone(),
            problem: format!("{}: {problem}", file.name),
        };
        let bytes = match read_regular(&path, file.bytes) {
            Ok(Some(bytes)) => bytes,
            Ok(None) => return Err(malformed("the file is missing".to_owned())),
            Err(RejectedFile::Io(source)) => return Err(EmbedError::Read { path, source }),
            Err(unfit) => return Err(malformed(unfit.to_string())),
        };
        if blake3::hash(&bytes).to_hex().as_str() == file.digest {
            Ok(ModelFile::new(path, bytes))
        } else {
            Err(malformed(DIFFERS.to_owned()))
        }
    }

    /// What is wrong with a stored file; `None` if it is as the manifest says. Reads it in pieces.
    pub(super) fn problem_of(&self, file: &ManifestFile) -> Result<Option<String>, Error> {
        problem_at(&self.path_of(file), file)
    }

    /// What is wrong with a stored file as far as can be seen without reading it.
    pub(super) fn visible_problem_of(&self, file: &ManifestFile) -> Option<String> {
        visible_problem_at(&self.path_of(file), file)
    }

    /// Refuses to change anything behind a symbolic link.
    pub(super) fn check_changeable(&self) -> Result<(), Error> {
        [self.folder(), self.files()]
            .iter()
            .try_for_each(refuse_link)
    }

    /// Removes what no model needs: files that no manifest names, unfinished files, plain copies of imported files, and
    /// empty folders. The lock must be held. Returns the number of imported files and their bytes.
    ///
    /// While a manifest can't be read, no imported file is removed, because that model may need it.
    pub(super) fn collect(&self) -> Result<(u64, u64), Error> {
        for folder in entries(&self.folder())? {
            let name = folder.file_name().unwrap_or_default().to_string_lossy();
            if name != FILES && refuse_link(&folder).is_ok() && folder.is_dir() {
                self.tidy(&folder, &name)?;
            }
        }
        let needed = self.needed_files();
        let mut removed = (0, 0);
        for path in entries(&self.files())? {
            let name = path.file_name().unwrap_or_default().to_string_lossy();
            let is_unneeded = needed.as_ref().is_ok_and(|all| !all.contains(&*name));
            if name.contains(UNFINISHED) {
                self.remove(&path)?;
            } else if is_digest(&name) && is_unneeded {
                let bytes = fs::symlink_metadata(&path).map_or(0, |found| found.len());
                self.remove(&path)?;
                removed = (removed.0 + 1, removed.1 + bytes);
            }
        }
        Ok(removed)
    }

    /// Removes unfinished manifests, plain copies of imported files, and the folder if it is empty then.
    fn tidy(&self, folder: &Path, name: &str) -> Result<(), Error> {
        for path in entries(folder)? {
            let file = path.file_name().unwrap_or_default().to_string_lossy();
            if file.starts_with(MANIFEST) && file.contains(UNFINISHED) {
                self.remove(&path)?;
            }
        }
        if let Ok(Some(manifest)) = self.manifest(name) {
            return self.remove_plain_copies(folder, &manifest);
        }
        match fs::remove_dir(folder) {
            Err(error) if !is_expected(&error) => {
                Err(StoreError::io("remove", folder)(error).into())
            }
            _ => Ok(()),
        }
    }

    fn remove_plain_copies(&self, folder: &Path, manifest: &Manifest) -> Result<(), Error> {
        for file in &manifest.files {
            let plain = folder.join(&file.name);
            if fs::symlink_metadata(&plain).is_ok() && problem_at(&plain, file)?.is_none() {
                self.remove(&plain)?;
            }
        }
        Ok(())
    }

    /// Whether a plain folder has other files than a manifest names.
    pub(super) fn differs_from_plain(
        &self,
        name: &str,
        manifest: &Manifest,
    ) -> Result<bool, Error> {
        for file in &manifest.files {
            if problem_at(&self.folder_of(name).join(&file.name), file)?.is_some() {
                return Ok(true);
            }
        }
        Ok(false)
    }

    /// Removes the files of a plain folder.
    pub(super) fn remove_plain_files(&self, name: &str) -> Result<(), Error> {
        let folder = self.folder_of(name);
        PLAIN_FILES
            .into_iter()
            .try_for_each(|file| self.remove(&folder.join(file)))
    }

    /// Removes a file, or a folder with its content, if it exists.
    pub(super) fn remove(&self, path: &Path) -> Result<(), Error> {
        match fs::symlink_metadata(path) {
            Ok(found) if found.is_dir() => Ok(remove_path(path)?),
            Err(error) if error.kind() == ErrorKind::NotFound => Ok(()),
            _ => Ok(self
                .storage
                .remove(path)
                .map_err(StoreError::io("remove", path))?),
        }
    }

    /// Makes a change of the folder that contains `path` durable.
    pub(super) fn sync_folder_of(&self, path: &Path) -> Result<(), Error> {
        Ok(sync_folder_on(&*self.storage, path)?)
    }

    /// The digests that manifests name. An error if one can't be read.
    fn needed_files(&self) -> Result<HashSet<String>, Error> {
        let mut needed = HashSet::new();
        for folder in entries(&self.folder())? {
            let Some(name) = folder.file_name().and_then(|name| name.to_str()) else {
                continue;
            };
            if let Some(manifest) = self.manifest(name)? {
                needed.extend(manifest.files.into_iter().map(|file| file.digest));
            }
        }
        Ok(needed)
    }
}

/// The problem of a file whose content changed.
const DIFFERS: &str = "its content differs from the digest in the manifest";

fn problem_at(path: &Path, file: &ManifestFile) -> Result<Option<String>, Error> {
    if let Some(problem) = visible_problem_at(path, file) {
        return Ok(Some(problem));
    }
    let failed = |source| Error::from(StoreError::io("read", path)(source));
    let opened = fs::File::open(path).map_err(failed)?;
    let mut hasher = blake3::Hasher::new();
    // The file may have grown since it was looked at.
    let read = hasher.update_reader(opened.take(file.bytes + 1));
    let digest = read.map_err(failed)?.finalize().to_hex();
    Ok((digest.as_str() != file.digest).then(|| DIFFERS.to_owned()))
}

fn visible_problem_at(path: &Path, file: &ManifestFile) -> Option<String> {
    match fs::symlink_metadata(path) {
        Ok(found) if !found.is_file() => Some("not a regular file".to_owned()),
        Ok(found) if found.len() != file.bytes => {
            Some(format!("{} bytes instead of {}", found.len(), file.bytes))
        }
        Ok(_) => None,
        Err(error) if error.kind() == ErrorKind::NotFound => Some("the file is missing".to_owned()),
        Err(error) => Some(error.to_string()),
    }
}

/// Refuses a path that is a symbolic link.
pub(super) fn refuse_link(path: &PathBuf) -> Result<(), Error> {
    if fs::symlink_metadata(path).is_ok_and(|found| found.is_symlink()) {
        return Err(Error::Unsuitable {
            path: path.clone(),
            reason: "it is a symbolic link, and nothing is changed behind one",
        });
    }
    Ok(())
}

/// Whether a folder was not removed because it isn't empty, or is gone.
fn is_expected(error: &std::io::Error) -> bool {
    matches!(
        error.kind(),
        ErrorKind::DirectoryNotEmpty | ErrorKind::NotFound | ErrorKind::NotADirectory
    )
}
