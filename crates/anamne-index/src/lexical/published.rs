//! The published part: the segments of the last commit seen, and detection of newer commits.

use std::fs::{self, Metadata};
use std::io::ErrorKind;
use std::path::Path;
use std::sync::Arc;
use std::time::SystemTime;

use tantivy::directory::error::LockError;
use tantivy::directory::{Directory, DirectoryLock, META_LOCK};
use tantivy::{Index, SegmentMeta};

use super::directory::SealedDirectory;
use super::engine::{CommitMark, EngineError, guarded, schema, with_analyser};
use super::segment::{Segment, verify_files};

/// tantivy's list of segments, replaced by every commit and every merge.
const LIST: &str = "meta.json";

/// Identifies a version of the list without reading it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct ListStamp {
    length: u64,
    modified: Option<SystemTime>,
    identity: u64,
}

/// The stamp of the list in `folder`; `None` if there is none. One `stat`.
pub(super) fn stamp(folder: &Path) -> Option<ListStamp> {
    let metadata = fs::metadata(folder.join(LIST)).ok()?;
    Some(ListStamp {
        length: metadata.len(),
        modified: metadata.modified().ok(),
        identity: identity(&metadata),
    })
}

#[cfg(unix)]
fn identity(metadata: &Metadata) -> u64 {
    std::os::unix::fs::MetadataExt::ino(metadata)
}

#[cfg(not(unix))]
fn identity(metadata: &Metadata) -> u64 {
    let created = metadata
        .created()
        .ok()
        .and_then(|at| at.duration_since(SystemTime::UNIX_EPOCH).ok());
    created.map_or(0, |since| since.as_nanos() as u64)
}

/// An open commit.
pub(super) struct Published {
    /// Its segments, in the order of the list.
    pub(super) segments: Vec<Arc<Segment>>,
    /// The payload of the commit.
    pub(super) mark: CommitMark,
}

impl Published {
    /// Opens the last commit in `folder`; `None` if there is none yet.
    ///
    /// Segments that `before` has open in the same state are reused; all other files are read and verified against
    /// their checksums.
    pub(super) fn open(folder: &Path, before: Option<&Self>) -> Result<Option<Self>, EngineError> {
        guarded(|| {
            let Some(index) = open_index(folder)? else {
                return Ok(None);
            };
            let _list = lock_list(&index)?;
            let Some((segments, mark)) = read_list(&index)? else {
                return Ok(None);
            };
            let fields = schema().1;
            let open = |meta: &SegmentMeta| match before.and_then(|before| before.segment(meta)) {
                Some(open) => Ok(open),
                None => Segment::open(folder, &index, meta, fields).map(Arc::new),
            };
            Ok(Some(Self {
                segments: segments.iter().map(open).collect::<Result<_, _>>()?,
                mark,
            }))
        })
    }

    /// Whether its files are unmodified since they were opened.
    pub(super) fn is_unmodified(&self) -> bool {
        self.segments.iter().all(|segment| segment.is_unmodified())
    }

    fn segment(&self, meta: &SegmentMeta) -> Option<Arc<Segment>> {
        self.segments
            .iter()
            .find(|segment| segment.is(meta))
            .cloned()
    }
}

/// Reads every published file and verifies checksums; returns the mark of the last commit, if any.
pub(super) fn verify(folder: &Path) -> Result<Option<CommitMark>, EngineError> {
    guarded(|| {
        let Some(index) = open_index(folder)? else {
            return Ok(None);
        };
        let _list = lock_list(&index)?;
        let Some((segments, mark)) = read_list(&index)? else {
            return Ok(None);
        };
        segments
            .iter()
            .try_for_each(|meta| verify_files(&index, meta))?;
        Ok(Some(mark))
    })
}

/// While this lock is held, no process removes the files of replaced segments.
///
/// `None` in a read-only folder, which can't be locked.
fn lock_list(index: &Index) -> Result<Option<DirectoryLock>, EngineError> {
    match index.directory().acquire_lock(&META_LOCK) {
        Ok(lock) => Ok(Some(lock)),
        Err(LockError::IoError(error))
            if matches!(
                error.kind(),
                ErrorKind::PermissionDenied | ErrorKind::ReadOnlyFilesystem
            ) =>
        {
            Ok(None)
        }
        Err(error) => Err(EngineError::new(error.to_string())),
    }
}

/// Opens the index in `folder`; `None` if there is no folder or no index.
pub(super) fn open_index(folder: &Path) -> Result<Option<Index>, EngineError> {
    if stamp(folder).is_none() {
        return if holds_segments(folder)? {
            Err(EngineError::new(format!("{LIST} is missing")))
        } else {
            Ok(None)
        };
    }
    let index = Index::open(SealedDirectory::open(folder)?)?;
    Ok(Some(with_analyser(index)))
}

/// Whether `folder` contains files other than locks and tantivy's own lists.
fn holds_segments(folder: &Path) -> Result<bool, EngineError> {
    let entries = match fs::read_dir(folder) {
        Ok(entries) => entries,
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(false),
        Err(error) => return Err(error.into()),
    };
    for entry in entries {
        if !entry?.file_name().to_string_lossy().starts_with('.') {
            return Ok(true);
        }
    }
    Ok(false)
}

/// The segments and the mark of the last commit; `None` if the index has no commit.
fn read_list(index: &Index) -> Result<Option<(Vec<SegmentMeta>, CommitMark)>, EngineError> {
    let list = index.load_metas()?;
    if list.schema != schema().0 {
        return Err(EngineError::new("made with other fields: needs rebuild"));
    }
    match &list.payload {
        Some(payload) => Ok(Some((list.segments, CommitMark::from_payload(payload)?))),
        None if list.segments.is_empty() => Ok(None),
        None => Err(EngineError::new("its last commit has no watermark")),
    }
}
