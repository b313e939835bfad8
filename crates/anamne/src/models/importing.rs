//! Importing a model: its files are checked, then stored under their digests, then named by a manifest.

use std::fs;
use std::path::Path;

use anamne_embed::{CrossEncoder, EmbedError, Embedder, ModelFile, StaticModel};
use anamne_store::{
    EmbeddingConfig, RejectedFile, StoreError, create_private_folder, read_regular, replace_file_on,
};
use anamne_types::{InvalidValue, Right};
use jiff::Timestamp;
use serde::Serialize;

use super::format::{self, ModelFormat, ModelPurpose};
use super::library::{FILES, Library, refuse_link};
use super::manifest::{Manifest, ManifestFile};
use super::{Models, check_dimensions, is_plain_name};
use crate::Error;
use crate::store::Store;

/// What stands for no reranker where a name is expected.
const NO_RERANKER: &str = "none";

/// Maximum characters of an imported model's name.
const LONGEST_NAME: usize = 64;

/// Options of an import.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ModelImport {
    /// The model's name; `None` for the name of the folder.
    pub name: Option<String>,
    /// Whether to replace a model of this name with other files.
    pub replace: bool,
}

/// An imported model.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct ImportedModel {
    /// The name that spaces use in their settings.
    pub name: String,
    /// What it is for.
    pub purpose: ModelPurpose,
    /// The length of its vectors; `None` for a reranker.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub dimensions: Option<usize>,
    /// The total size of its files in bytes.
    pub bytes: u64,
    /// The bytes written; less than `bytes` if files were stored already.
    pub bytes_written: u64,
    /// Whether a model of this name with other files was replaced.
    pub replaced: bool,
}

/// A model that was read from a folder and loads.
struct CheckedModel {
    name: String,
    kind: ModelFormat,
    dimensions: Option<usize>,
    files: [ModelFile; 3],
}

impl Store {
    /// Copies the model in `folder` to the store, where spaces can choose it by its name.
    ///
    /// The folder must hold an embedding model or a cross-encoder that loads: its configuration and files show which. Only
    /// its three files are copied; links that lead out of it are not followed. Files that are stored already are not written again, except damaged ones. A crash at any point
    /// leaves the former state or the new one. O(bytes of the model), in memory.
    ///
    /// [`Error::Denied`] without [`Right::Configure`], [`Error::Unsuitable`] or [`Error::NotImported`] if the folder
    /// holds no usable model, [`Error::ModelExists`] if another model has the name, [`StoreError::Busy`] if another
    /// process changes models for more than ten seconds.
    pub fn import_model(
        &self,
        folder: &Path,
        import: &ModelImport,
    ) -> Result<ImportedModel, Error> {
        self.require(Right::Configure)?;
        let folder = fs::canonicalize(folder).map_err(StoreError::io("look at", folder))?;
        let name = self.models.name_for(&folder, import.name.as_deref())?;
        let model = CheckedModel::read(&folder, name)?;
        let now = self.options.clock.now();
        self.models.library.import(&model, import.replace, now)
    }
}

impl Models {
    /// The name for a new model: as given, else the folder's.
    fn name_for(&self, folder: &Path, given: Option<&str>) -> Result<String, Error> {
        let of_folder = folder.file_name().unwrap_or_default().to_string_lossy();
        let name = given.unwrap_or(&of_folder);
        let is_free = name != EmbeddingConfig::BUILTIN && name != FILES && !self.is_brought(name);
        let names = self.library.names();
        let looks_like = |other: &&String| *other != name && other.eq_ignore_ascii_case(name);
        if !is_name(name) || !is_free || names.iter().any(|other| looks_like(&other)) {
            let accepts = format!(
                "1 to {LONGEST_NAME} letters, digits, dots, hyphens and underscores, a letter or digit first, and not the name of another model"
            );
            return Err(InvalidValue::new("name", accepts, name).into());
        }
        Ok(name.to_owned())
    }
}

/// Whether a text can be the name of an imported model.
fn is_name(name: &str) -> bool {
    let is_allowed = |byte: u8| byte.is_ascii_alphanumeric() || b"._-".contains(&byte);
    is_plain_name(name)
        && name.len() <= LONGEST_NAME
        && name.bytes().all(is_allowed)
        && name.as_bytes()[0].is_ascii_alphanumeric()
}

impl CheckedModel {
    /// Reads a folder, and checks that it loads.
    fn read(folder: &Path, name: String) -> Result<Self, Error> {
        if !folder.is_dir() {
            return Err(Error::Unsuitable {
                path: folder.to_owned(),
                reason: "not a folder; a Model2Vec folder holds model.safetensors, tokenizer.json and config.json, and a cross-encoder's folder an ONNX file, tokenizer.json and config.json",
            });
        }
        let not_imported = |source| Error::NotImported {
            folder: folder.to_owned(),
            source,
        };
        let kind = ModelFormat::of_folder(folder);
        if kind == ModelFormat::CrossEncoder && name == NO_RERANKER {
            let accepts = "another name: it stands for no reranker in the settings";
            return Err(InvalidValue::new("name", accepts, name).into());
        }
        let read = |(file, most)| read_file(folder, &format::path_of(folder, file)?, most);
        let [weights, tokenizer, configuration] = kind.files();
        let files = [read(weights)?, read(tokenizer)?, read(configuration)?];
        let dimensions = match kind {
            ModelFormat::Model2vec => {
                let loaded = StaticModel::from_files(&name, &files).map_err(not_imported)?;
                check_dimensions(loaded.dimensions()).map_err(not_imported)?;
                Some(loaded.dimensions())
            }
            ModelFormat::CrossEncoder => {
                CrossEncoder::from_files(&name, &files).map_err(not_imported)?;
                None
            }
        };
        Ok(Self {
            name,
            kind,
            dimensions,
            files,
        })
    }

    fn manifest(&self, now: Timestamp) -> Manifest {
        let [first, second, third] = self.kind.files();
        let [weights, tokenizer, configuration] = &self.files;
        let entry = |(name, _): (&str, u64), file: &ModelFile| ManifestFile {
            name: name.to_owned(),
            digest: blake3::hash(file.bytes()).to_hex().to_string(),
            bytes: file.bytes().len() as u64,
        };
        let files = [
            entry(first, weights),
            entry(second, tokenizer),
            entry(third, configuration),
        ];
        Manifest::new(&self.name, self.kind, self.dimensions, now, files)
    }
}

/// Reads a file of the folder, which must be canonical.
fn read_file(folder: &Path, file: &str, most: u64) -> Result<ModelFile, Error> {
    let path = folder.join(file);
    let refused = |source| Error::NotImported {
        folder: folder.to_owned(),
        source,
    };
    let unreadable = |source| {
        let path = path.clone();
        refused(EmbedError::Read { path, source })
    };
    let real = fs::canonicalize(&path).map_err(unreadable)?;
    if !real.starts_with(folder) {
        return Err(Error::Unsuitable {
            path,
            reason: "a symbolic link that leads out of the folder; copy the file itself there",
        });
    }
    match read_regular(&real, most) {
        Ok(Some(bytes)) => Ok(ModelFile::new(path, bytes)),
        Ok(None) => Err(unreadable(std::io::ErrorKind::NotFound.into())),
        Err(RejectedFile::Io(error)) => Err(unreadable(error)),
        Err(unfit) => {
            let problem = unfit.to_string();
            Err(refused(EmbedError::Malformed { path, problem }))
        }
    }
}

impl Library {
    /// Stores a model: first its files, then its manifest, which makes it visible.
    fn import(
        &self,
        model: &CheckedModel,
        replace: bool,
        now: Timestamp,
    ) -> Result<ImportedModel, Error> {
        let manifest = model.manifest(now);
        let lock = self.lock();
        let _guard = lock.acquire()?;
        self.check_changeable()?;
        let folder = self.folder_of(&model.name);
        refuse_link(&folder)?;
        let replaced = self.holds_another(&model.name, &manifest)?;
        // Spaces that use it would be left without.
        let present = self.kind_of(&model.name);
        let is_of_another_kind = present.is_some_and(|present| present != model.kind);
        if replaced && (!replace || is_of_another_kind) {
            return Err(Error::ModelExists {
                name: model.name.clone(),
            });
        }
        let written = self
            .write_files(model, &manifest)
            .and_then(|written| self.publish(&folder, &manifest).map(|()| written));
        let bytes_written = written.inspect_err(|_| {
            // Makes room on a full disk; the first error is the one reported.
            let _ = self.collect();
        })?;
        // It is imported. What can't be removed now is removed by the next change.
        let _ = self
            .remove_plain_files(&model.name)
            .and_then(|()| self.collect());
        Ok(ImportedModel {
            name: model.name.clone(),
            purpose: model.kind.purpose(),
            dimensions: model.dimensions,
            bytes: manifest.bytes(),
            bytes_written,
            replaced,
        })
    }

    /// Whether the name belongs to a model with other files. A damaged manifest counts as one.
    fn holds_another(&self, name: &str, manifest: &Manifest) -> Result<bool, Error> {
        match self.manifest(name) {
            Ok(Some(present)) => Ok(!present.has_files_of(manifest)),
            Ok(None) if !self.has(name) => Ok(false),
            Ok(None) => self.differs_from_plain(name, manifest),
            Err(Error::Model { .. }) => Ok(true),
            Err(error) => Err(error),
        }
    }

    /// Writes the files that are missing or damaged, durably; returns their bytes.
    fn write_files(&self, model: &CheckedModel, manifest: &Manifest) -> Result<u64, Error> {
        create_private_folder(&self.files())?;
        self.sync_folder_of(&self.folder())?;
        self.sync_folder_of(&self.files())?;
        let mut written = 0;
        for (file, entry) in model.files.iter().zip(&manifest.files) {
            if self.problem_of(entry)?.is_some() {
                replace_file_on(&*self.storage, &self.path_of(entry), file.bytes())?;
                written += entry.bytes;
            }
        }
        Ok(written)
    }

    fn publish(&self, folder: &Path, manifest: &Manifest) -> Result<(), Error> {
        create_private_folder(folder)?;
        self.sync_folder_of(folder)?;
        manifest.write(folder, &*self.storage)
    }
}
