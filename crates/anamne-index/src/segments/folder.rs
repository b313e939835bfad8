//! The folder of a view: names, permissions, lock, and cleanup.

use std::fs::{self, File, OpenOptions, TryLockError};
use std::io::{self, ErrorKind, Write};
use std::path::{Path, PathBuf};
use std::time::SystemTime;

use anamne_store::beside;
use anamne_store::view::ViewError;

/// The folder of a view's published files.
pub(crate) struct Folder {
    path: PathBuf,
    extension: &'static str,
}

/// The manifest's `stat` data. The last manifest read is kept open, so its inode is not reused, and on Unix two
/// different manifests never have equal stamps.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct ManifestStamp {
    inode: u64,
    modified: Option<SystemTime>,
    length: u64,
}

impl Folder {
    /// The folder at `path`, which may not exist yet; segment files have this `extension`.
    pub(crate) fn new(path: PathBuf, extension: &'static str) -> Self {
        Self { path, extension }
    }

    /// The path of the folder.
    pub(crate) fn path(&self) -> &Path {
        &self.path
    }

    /// The path of the manifest.
    pub(crate) fn manifest(&self) -> PathBuf {
        self.path.join("manifest")
    }

    /// The path of a segment.
    pub(crate) fn segment(&self, number: u64) -> PathBuf {
        self.path
            .join(format!("segment-{number:06}.{}", self.extension))
    }

    /// Creates the folder for its owner only, including parents.
    pub(crate) fn create(&self) -> Result<(), ViewError> {
        beside::try_create_folder(&self.path)
            .map_err(|error| ViewError::io("create", &self.path, error))
    }

    /// Takes the fold lock if it is free; held until the file is dropped.
    pub(crate) fn try_lock(&self) -> Result<Option<File>, ViewError> {
        let path = self.path.join("fold.lock");
        let file = create_private(&path, false)?;
        match file.try_lock() {
            Ok(()) => Ok(Some(file)),
            Err(TryLockError::WouldBlock) => Ok(None),
            Err(TryLockError::Error(error)) => Err(ViewError::io("lock", &path, error)),
        }
    }

    /// The stamp of the manifest; `None` if there is none.
    pub(crate) fn stamp(&self) -> io::Result<Option<ManifestStamp>> {
        match fs::metadata(self.manifest()) {
            Ok(metadata) => Ok(Some(ManifestStamp::of(&metadata))),
            Err(error)
                if matches!(error.kind(), ErrorKind::NotFound | ErrorKind::NotADirectory) =>
            {
                Ok(None)
            }
            Err(error) => Err(error),
        }
    }

    /// Replaces the manifest atomically. All files that it names must be on disk already.
    pub(crate) fn publish(&self, bytes: &[u8]) -> Result<(), ViewError> {
        // The directory entries of new segments must be on disk before the manifest.
        self.sync()?;
        let temporary = self.path.join("manifest.tmp");
        let write = || -> Result<(), ViewError> {
            let mut file = create_private(&temporary, false)?;
            file.set_len(0)
                .and_then(|()| file.write_all(bytes))
                .and_then(|()| file.sync_all())
                .map_err(|error| ViewError::io("write", &temporary, error))
        };
        write()?;
        fs::rename(&temporary, self.manifest())
            .map_err(|error| ViewError::io("replace", &self.manifest(), error))?;
        self.sync()
    }

    /// Syncs the directory entries to disk.
    fn sync(&self) -> Result<(), ViewError> {
        #[cfg(unix)]
        File::open(&self.path)
            .and_then(|folder| folder.sync_all())
            .map_err(|error| ViewError::io("sync", &self.path, error))?;
        Ok(())
    }

    /// The highest number of any segment file, in the manifest or not.
    pub(crate) fn highest_number(&self) -> Result<u64, ViewError> {
        let segments = self.segments()?.into_iter();
        Ok(segments.map(|(number, _)| number).max().unwrap_or(0))
    }

    /// [`Folder::sweep`], but a file that can't be removed is an error.
    pub(crate) fn sweep_all(&self, keep: &[u64]) -> Result<(), ViewError> {
        self.sweep(keep)?;
        let mut left = self.segments()?.into_iter();
        match left.find(|(number, _)| !keep.contains(number)) {
            None => Ok(()),
            Some((_, path)) => {
                fs::remove_file(&path).map_err(|error| ViewError::io("remove", &path, error))
            }
        }
    }

    /// Removes files left by an interrupted fold, and segments that are not in `keep`.
    ///
    /// Files that can't be removed now, because the system locks mapped files, are removed by a later fold.
    pub(crate) fn sweep(&self, keep: &[u64]) -> Result<(), ViewError> {
        for (number, path) in self.segments()? {
            if !keep.contains(&number) {
                let _ = fs::remove_file(path);
            }
        }
        let _ = fs::remove_file(self.path.join("manifest.tmp"));
        Ok(())
    }

    fn segments(&self) -> Result<Vec<(u64, PathBuf)>, ViewError> {
        let list = || -> io::Result<Vec<PathBuf>> {
            fs::read_dir(&self.path)?
                .map(|entry| Ok(entry?.path()))
                .collect()
        };
        let paths = list().map_err(|error| ViewError::io("list", &self.path, error))?;
        Ok(paths
            .into_iter()
            .filter_map(|path| Some((self.number_of(&path)?, path)))
            .collect())
    }

    fn number_of(&self, path: &Path) -> Option<u64> {
        let name = path.file_name()?.to_str()?;
        name.strip_prefix("segment-")?
            .strip_suffix(self.extension)?
            .strip_suffix('.')?
            .parse()
            .ok()
    }
}

impl ManifestStamp {
    /// The stamp in a file's metadata.
    pub(crate) fn of(metadata: &fs::Metadata) -> Self {
        #[cfg(unix)]
        let inode = std::os::unix::fs::MetadataExt::ino(metadata);
        #[cfg(not(unix))]
        let inode = 0;
        Self {
            inode,
            modified: metadata.modified().ok(),
            length: metadata.len(),
        }
    }
}

/// Opens a file for writing that only its owner may read; with `new` it must not exist yet.
pub(super) fn create_private(path: &Path, new: bool) -> Result<File, ViewError> {
    let mut options = OpenOptions::new();
    options
        .read(true)
        .write(true)
        .create(true)
        .create_new(new)
        .truncate(false);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    options
        .open(path)
        .map_err(|error| ViewError::io("create", path, error))
}
