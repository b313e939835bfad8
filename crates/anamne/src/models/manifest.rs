//! `models/<name>/manifest.toml`: which files an imported model consists of.

use std::fs;
use std::path::Path;

use anamne_embed::EmbedError;
use anamne_index::vectors::DIMENSIONS;
use anamne_store::{
    RejectedFile, Storage, StoreError, read_regular, replace_file_on, toml_problem,
};
use jiff::Timestamp;
use serde::{Deserialize, Serialize};

use super::format::ModelFormat;
use crate::Error;

/// The file's name.
pub(super) const MANIFEST: &str = "manifest.toml";

/// The latest version of the file.
const MANIFEST_FORMAT: i64 = 2;

/// The version in which a kind of model was added. Earlier programs can't read it, and say so.
fn format_of(kind: ModelFormat) -> i64 {
    match kind {
        ModelFormat::Model2vec => 1,
        ModelFormat::CrossEncoder => 2,
    }
}

/// Maximum bytes of a manifest.
const LONGEST_MANIFEST: u64 = 64 << 10;

/// The content of a manifest.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Manifest {
    format: i64,
    name: String,
    pub(super) kind: ModelFormat,
    /// Of an embedding model.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) dimensions: Option<usize>,
    pub(super) imported_at: Timestamp,
    /// In the order of [`ModelFormat::files`].
    #[serde(deserialize_with = "exactly_three")]
    pub(super) files: [ManifestFile; 3],
}

/// Rejects further files, which an array leaves unread.
fn exactly_three<'text, Text: serde::Deserializer<'text>>(
    text: Text,
) -> Result<[ManifestFile; 3], Text::Error> {
    let files = Vec::<ManifestFile>::deserialize(text)?;
    let other =
        |files: Vec<ManifestFile>| serde::de::Error::invalid_length(files.len(), &"3 files");
    files.try_into().map_err(other)
}

/// A file of a model, stored under its digest.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct ManifestFile {
    pub(super) name: String,
    /// The BLAKE3 digest of the content, as 64 lower-case hexadecimal digits.
    pub(super) digest: String,
    pub(super) bytes: u64,
}

/// Whether this is the name of a stored file: 64 lower-case hexadecimal digits.
pub(super) fn is_digest(name: &str) -> bool {
    let is_digit = |byte| matches!(byte, b'0'..=b'9' | b'a'..=b'f');
    name.len() == 64 && name.bytes().all(is_digit)
}

impl Manifest {
    pub(super) fn new(
        name: &str,
        kind: ModelFormat,
        dimensions: Option<usize>,
        imported_at: Timestamp,
        files: [ManifestFile; 3],
    ) -> Self {
        Self {
            format: format_of(kind),
            name: name.to_owned(),
            kind,
            dimensions,
            imported_at,
            files,
        }
    }

    /// The manifest in the folder of the model `name`; `None` if there is none.
    ///
    /// [`Error::Model`] if it is damaged or not the manifest of this model.
    pub(super) fn read(folder: &Path, name: &str) -> Result<Option<Self>, Error> {
        let path = folder.join(MANIFEST);
        let malformed = |problem: String| Error::Model {
            name: name.to_owned(),
            source: EmbedError::Malformed {
                path: path.clone(),
                problem,
            },
        };
        if fs::symlink_metadata(&path).is_ok_and(|metadata| metadata.is_symlink()) {
            return Err(malformed("it is a symbolic link".to_owned()));
        }
        let bytes = match read_regular(&path, LONGEST_MANIFEST) {
            Ok(Some(bytes)) => bytes,
            Ok(None) => return Ok(None),
            Err(RejectedFile::Io(error)) => return Err(StoreError::io("read", &path)(error).into()),
            Err(unfit) => return Err(malformed(unfit.to_string())),
        };
        let text = String::from_utf8(bytes).map_err(|_| malformed("it is not UTF-8".to_owned()))?;
        let (manifest, format) = parsed(&text).map_err(malformed)?;
        match manifest {
            Some(manifest) => {
                manifest.check(name).map_err(malformed)?;
                Ok(Some(manifest))
            }
            None => Err(StoreError::Newer {
                path,
                found: format,
                known: MANIFEST_FORMAT,
            }
            .into()),
        }
    }

    /// Writes the manifest atomically and durably.
    pub(super) fn write(&self, folder: &Path, storage: &dyn Storage) -> Result<(), Error> {
        let text = toml::to_string(self).map_err(|error| Error::Stream {
            action: "write the manifest of a model",
            source: std::io::Error::other(error),
        })?;
        Ok(replace_file_on(
            storage,
            &folder.join(MANIFEST),
            text.as_bytes(),
        )?)
    }

    /// The total size of the files in bytes.
    pub(super) fn bytes(&self) -> u64 {
        self.files.iter().map(|file| file.bytes).sum()
    }

    /// Whether both consist of the same files.
    pub(super) fn has_files_of(&self, other: &Self) -> bool {
        self.files == other.files
    }

    fn check(&self, name: &str) -> Result<(), String> {
        if self.name != name {
            return Err("it names another model than its folder".to_owned());
        }
        if self.format != format_of(self.kind) {
            return Err("its kind is not one of its format".to_owned());
        }
        match (self.kind, self.dimensions) {
            (ModelFormat::Model2vec, Some(1..=DIMENSIONS)) | (ModelFormat::CrossEncoder, None) => {}
            (ModelFormat::Model2vec, _) => {
                return Err(format!("its dimensions are not 1 to {DIMENSIONS}"));
            }
            _ => return Err("a reranker has no dimensions".to_owned()),
        }
        for (file, (name, most)) in self.files.iter().zip(self.kind.files()) {
            if file.name != name || !is_digest(&file.digest) || file.bytes > most {
                return Err(format!("its entry for {name} is invalid"));
            }
        }
        Ok(())
    }
}

/// The manifest in a text, and its format; no manifest if a newer version wrote it.
fn parsed(text: &str) -> Result<(Option<Manifest>, i64), String> {
    #[derive(Deserialize)]
    struct Format {
        format: i64,
    }
    let problem = |error: toml::de::Error| toml_problem(text, &error);
    // The format is read first: a newer file may contain unknown fields.
    let Format { format } = toml::from_str(text).map_err(problem)?;
    if format > MANIFEST_FORMAT {
        return Ok((None, format));
    }
    Ok((Some(toml::from_str(text).map_err(problem)?), format))
}
