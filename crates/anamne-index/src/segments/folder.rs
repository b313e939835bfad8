//! The folder of a view: names, permissions, lock, and cleanup.

use std::fs::{self, File, OpenOptions, TryLockError};
use std::io::{self, ErrorKind, Write};
use std::path::{Path, PathBuf};
use std::time::SystemTime;

use anamne_store::view::ViewError;

/// The folder that a view publishes in.
pub(crate) struct Folder {
    path: PathBuf,
    extension: &'static str,
}

/// What `stat` says of the manifest. While the one that was read is held open, its inode is not given
/// to another file, so two different manifests never look alike on Unix.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Stamp {
    inode: u64,
    modified: Option<SystemTime>,
    length: u64,
}

impl Folder {
    /// The folder at `path`, which need not exist; segments end in `extension`.
    pub(crate) fn new(path: PathBuf, extension: &'static str) -> Self {
        Self { path, extension }
    }

    /// Where it lies.
    pub(crate) fn path(&self) -> &Path {
        &self.path
    }

    /// The manifest.
    pub(crate) fn manifest(&self) -> PathBuf {
        self.path.join("manifest")
    }

    /// The segment of that number.
    pub(crate) fn segment(&self, number: u64) -> PathBuf {
        self.path
            .join(format!("segment-{number:06}.{}", self.extension))
    }

    /// Creates it for its owner alone, parents included.
    pub(crate) fn create(&self) -> Result<(), ViewError> {
        let mut builder = fs::DirBuilder::new();
        #[cfg(unix)]
        std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
        builder
            .recursive(true)
            .create(&self.path)
            .map_err(|error| ViewError::io("create", &self.path, error))
    }

    /// The fold lock, if nobody holds it; held until the file is dropped.
    pub(crate) fn try_lock(&self) -> Result<Option<File>, ViewError> {
        let path = self.path.join("fold.lock");
        let file = create_private(&path, false)?;
        match file.try_lock() {
            Ok(()) => Ok(Some(file)),
            Err(TryLockError::WouldBlock) => Ok(None),
            Err(TryLockError::Error(error)) => Err(ViewError::io("lock", &path, error)),
        }
    }

    /// What the manifest looks like from outside; `None` when there is none.
    pub(crate) fn stamp(&self) -> io::Result<Option<Stamp>> {
        match fs::metadata(self.manifest()) {
            Ok(metadata) => Ok(Some(Stamp::of(&metadata))),
            Err(error)
                if matches!(error.kind(), ErrorKind::NotFound | ErrorKind::NotADirectory) =>
            {
                Ok(None)
            }
            Err(error) => Err(error),
        }
    }

    /// Replaces the manifest in one step. Whatever it names must be on the disk already.
    pub(crate) fn publish(&self, bytes: &[u8]) -> Result<(), ViewError> {
        // The names of the new segments must be on the disk before the manifest that names them.
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

    /// Waits until the names in the folder are on the disk.
    fn sync(&self) -> Result<(), ViewError> {
        #[cfg(unix)]
        File::open(&self.path)
            .and_then(|folder| folder.sync_all())
            .map_err(|error| ViewError::io("sync", &self.path, error))?;
        Ok(())
    }

    /// The highest number that any segment file has, named by a manifest or not.
    pub(crate) fn highest_number(&self) -> Result<u64, ViewError> {
        let segments = self.segments()?.into_iter();
        Ok(segments.map(|(number, _)| number).max().unwrap_or(0))
    }

    /// [`Folder::sweep`], where nothing of it may be left: what can't be removed is an error.
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

    /// Removes what an interrupted fold left, and the segments that `keep` no longer names.
    ///
    /// A file that can't be removed now, because the system does not let go of mapped files, is
    /// removed by a later fold.
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

impl Stamp {
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

/// Opens a file for writing that only its owner may read; `new` when it must not exist yet.
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
