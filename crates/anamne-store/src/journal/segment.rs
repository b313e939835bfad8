//! The files of the journal and their names.

use std::fs::File;
use std::path::{Path, PathBuf};

use super::reader::SegmentReader;
use crate::files::{entries, replace_file_on, sync_folder_on};
use crate::storage::Storage;
use crate::{Result, StoreError};

/// One segment on disk.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Segment {
    pub(crate) number: u32,
    pub(crate) path: PathBuf,
    pub(crate) sealed: bool,
}

impl Segment {
    pub(crate) fn plain(folder: &Path, number: u32) -> Self {
        Self {
            number,
            path: folder.join(format!("{number:06}.jsonl")),
            sealed: false,
        }
    }

    fn sealed(folder: &Path, number: u32) -> Self {
        Self {
            number,
            path: folder.join(format!("{number:06}.jsonl.zst")),
            sealed: true,
        }
    }

    /// Its file name.
    pub(crate) fn file_name(&self) -> String {
        let ending = if self.sealed { ".jsonl.zst" } else { ".jsonl" };
        format!("{:06}{ending}", self.number)
    }

    /// The segments in `folder` by ascending number; after an interrupted seal, the plain file counts.
    pub(crate) fn list(folder: &Path) -> Result<Vec<Self>> {
        let named = |path: &PathBuf| Self::from_name(folder, path.file_name()?.to_str()?);
        let mut segments: Vec<_> = entries(folder)?.iter().filter_map(named).collect();
        segments.sort_by_key(|segment| (segment.number, segment.sealed));
        segments.dedup_by_key(|segment| segment.number);
        Ok(segments)
    }

    fn from_name(folder: &Path, name: &str) -> Option<Self> {
        let (number, sealed) = match name.strip_suffix(".jsonl.zst") {
            Some(number) => (number, true),
            None => (name.strip_suffix(".jsonl")?, false),
        };
        let number = number.parse().ok()?;
        Some(if sealed {
            Self::sealed(folder, number)
        } else {
            Self::plain(folder, number)
        })
    }

    /// Opens it for reading line by line, decompressing if needed.
    ///
    /// If another process has sealed a plain segment in the meantime, opens the sealed file.
    pub(crate) fn open(&self) -> Result<SegmentReader> {
        match File::open(&self.path) {
            Ok(file) => SegmentReader::of(self.clone(), file),
            Err(error) if !self.sealed && error.kind() == std::io::ErrorKind::NotFound => {
                self.sealed_twin().open()
            }
            Err(error) => Err(StoreError::io("open", &self.path)(error)),
        }
    }

    /// The same segment in sealed form.
    pub(crate) fn sealed_twin(&self) -> Self {
        let folder = self.path.parent().unwrap_or(Path::new(""));
        Self::sealed(folder, self.number)
    }

    /// Its whole text.
    pub(crate) fn read(&self) -> Result<Vec<u8>> {
        self.open()?.rest()
    }

    /// Seals a plain segment: writes and syncs the compressed file, then removes the plain one.
    pub(crate) fn seal(&self, storage: &dyn Storage) -> Result<()> {
        let sealed = self.sealed_twin();
        sealed.write_sealed(storage, &self.read()?)?;
        storage
            .remove(&self.path)
            .map_err(StoreError::io("remove", &self.path))?;
        sync_folder_on(storage, &self.path)
    }

    /// Replaces the content of a sealed segment.
    pub(crate) fn write_sealed(&self, storage: &dyn Storage, text: &[u8]) -> Result<()> {
        let compress = || {
            let mut encoder = zstd::Encoder::new(Vec::new(), 9)?;
            // The frame's own checksum detects damage before any line is parsed.
            encoder.include_checksum(true)?;
            std::io::Write::write_all(&mut encoder, text)?;
            encoder.finish()
        };
        let compressed = compress().map_err(StoreError::io("compress", &self.path))?;
        replace_file_on(storage, &self.path, &compressed)
    }
}
