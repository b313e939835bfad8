//! The record of what was changed.

use std::fs::{self, File, OpenOptions, TryLockError};
use std::io::{self, ErrorKind, Read};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use serde::{Deserialize, Serialize};

use super::{ChangeError, ChangeRecord, write};

/// The maximum time that a run waits for another one.
const LONGEST_WAIT: Duration = Duration::from_secs(10);

const VERSION: u32 = 1;

/// The maximum length of a record in bytes.
const MAX_RECORD: u64 = 16 << 20;

/// The blake3 digest of a file's bytes in hexadecimal digits; `None` if there is no file.
pub(super) type State = Option<String>;

pub(super) fn state(bytes: Option<&[u8]>) -> State {
    bytes.map(|bytes| blake3::hash(bytes).to_hex().to_string())
}

/// The whole record.
#[derive(Debug, Serialize, Deserialize)]
pub(super) struct Entries {
    version: u32,
    pub(super) files: Vec<Entry>,
}

/// What one host's set-up did to one file.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(super) struct Entry {
    pub(super) host: String,
    /// The file itself, not a link to it.
    pub(super) path: PathBuf,
    /// The file before the first change.
    pub(super) former: State,
    /// The file after the last change.
    pub(super) wrote: State,
    /// The name of the backup beside the file.
    pub(super) backup: Option<String>,
    /// Whether the backup is what the file was without us. False if our entry stood in the file already.
    pub(super) is_original: bool,
    /// The folders that were created for the file, the outermost first.
    pub(super) folders: Vec<PathBuf>,
    /// What was begun and may not be done.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) intent: Option<Intent>,
}

/// A change that was begun and may not have happened.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(super) struct Intent {
    /// The file before it.
    pub(super) from: State,
    /// What `wrote` was before it.
    pub(super) wrote: State,
    /// Whether the entry exists for this change alone.
    pub(super) is_new: bool,
    /// The name of the file beside it that takes its place.
    pub(super) temporary: String,
}

impl Entry {
    pub(super) fn backup_path(&self) -> Option<PathBuf> {
        let name = self.backup.as_ref()?;
        Some(self.path.with_file_name(name))
    }
}

/// The record, locked for this run.
#[derive(Debug)]
pub(super) struct Locked {
    path: PathBuf,
    pub(super) entries: Entries,
    _lock: File,
}

impl Locked {
    pub(super) fn open(record: &ChangeRecord) -> Result<Self, ChangeError> {
        let path = record.path.clone();
        let folder = path.parent().unwrap_or(Path::new(""));
        write::create_private_folder(folder).map_err(failed("create", folder))?;
        let lock = lock(&path.with_added_extension("lock"))?;
        let entries = read(&path)?;
        Ok(Self {
            path,
            entries,
            _lock: lock,
        })
    }

    /// Writes the record, or deletes it if it says nothing.
    pub(super) fn save(&self) -> Result<(), ChangeError> {
        if self.entries.files.is_empty() {
            return match fs::remove_file(&self.path) {
                Err(error) if error.kind() != ErrorKind::NotFound => {
                    Err(failed("delete", &self.path)(error))
                }
                _ => Ok(()),
            };
        }
        let text = serde_json::to_vec_pretty(&self.entries).map_err(io::Error::other);
        let temporary = self.path.with_added_extension("new");
        let saved = text.and_then(|text| write::replace_private(&temporary, &self.path, &text));
        saved.map_err(failed("write", &self.path))
    }

    pub(super) fn find(&self, host: &str, path: &Path) -> Option<usize> {
        let mut entries = self.entries.files.iter();
        entries.position(|entry| entry.host == host && entry.path == path)
    }
}

fn failed<'a>(action: &'static str, path: &'a Path) -> impl FnOnce(io::Error) -> ChangeError + 'a {
    let path = path.to_owned();
    move |source| ChangeError::Io {
        action,
        path,
        source,
    }
}

fn lock(path: &Path) -> Result<File, ChangeError> {
    let mut options = OpenOptions::new();
    options.create(true).truncate(false).write(true);
    write::owner_only(&mut options);
    let file = options.open(path).map_err(failed("open", path))?;
    let started = Instant::now();
    loop {
        match file.try_lock() {
            Ok(()) => return Ok(file),
            Err(TryLockError::Error(error)) => return Err(failed("lock", path)(error)),
            Err(TryLockError::WouldBlock) if started.elapsed() > LONGEST_WAIT => {
                let path = path.to_owned();
                return Err(ChangeError::Busy { path });
            }
            // A blocking lock has no time limit.
            Err(TryLockError::WouldBlock) => std::thread::sleep(Duration::from_millis(5)),
        }
    }
}

/// The record as it is; empty without a file.
pub(super) fn read(path: &Path) -> Result<Entries, ChangeError> {
    let file = match File::open(path) {
        Err(error) if error.kind() == ErrorKind::NotFound => {
            return Ok(Entries {
                version: VERSION,
                files: Vec::new(),
            });
        }
        opened => opened.map_err(failed("open", path))?,
    };
    let mut text = Vec::new();
    let mut limited = file.take(MAX_RECORD);
    limited
        .read_to_end(&mut text)
        .map_err(failed("read", path))?;
    let damaged = |reason: String| ChangeError::Record {
        path: path.to_owned(),
        reason,
    };
    let entries: Entries =
        serde_json::from_slice(&text).map_err(|error| damaged(error.to_string()))?;
    if entries.version != VERSION {
        let version = entries.version;
        return Err(damaged(format!(
            "it is of version {version}, not {VERSION}"
        )));
    }
    Ok(entries)
}
