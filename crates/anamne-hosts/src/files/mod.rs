//! Applies changes to files, and takes them back.
//!
//! A file is replaced by renaming a complete one over it; a symbolic link stays a link. Before that its bytes are copied to
//! a backup beside it, and a record of ours says what is about to happen. So a crash at any instant leaves the old file or
//! the new one, and the next run finds out which: it compares digests, not times. A lock beside the record keeps two runs
//! apart. A file that isn't what the plan was made for is left alone.

mod difference;
mod mend;
mod record;
mod session;
mod target;
#[cfg(test)]
mod tests;
mod write;

use std::path::{Path, PathBuf};

use self::session::Session;
use crate::plan::{LeftAlone, Plan};

pub use difference::difference;

/// Where it is recorded what was changed: a small file of ours. Its folder is created if it is missing; a lock file lies
/// beside it.
#[derive(Clone, Debug)]
pub struct ChangeRecord {
    /// The file.
    pub path: PathBuf,
}

/// What became of a plan.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Applied {
    /// The files that were written, restored or deleted, as the plan names them, with the backup that lies beside each
    /// now.
    pub written: Vec<(PathBuf, Option<PathBuf>)>,
    /// Files that changed meanwhile, can't be written or can't be understood.
    pub left_alone: Vec<LeftAlone>,
}

/// Why a plan can't be carried out at all. Files of the plan never cause it.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ChangeError {
    /// The record or its lock can't be read or written.
    #[error("can't {action} {}: {source}", path.display())]
    Io {
        /// What failed.
        action: &'static str,
        /// The file.
        path: PathBuf,
        /// Why.
        source: std::io::Error,
    },
    /// The record is damaged, or of a newer version.
    #[error("{} can't be understood: {reason}; move it away to go on without it", path.display())]
    Record {
        /// The record.
        path: PathBuf,
        /// Why.
        reason: String,
    },
    /// Another run holds the lock.
    #[error("another set-up is running; try again when it is done ({} is locked)", path.display())]
    Busy {
        /// The lock.
        path: PathBuf,
    },
}

/// Writes the changes of a plan. A file that is as the plan wants it already isn't touched. The first backup of a file is
/// kept as long as nobody else changes the file. O(bytes of the files).
pub fn apply(plan: &Plan, host: &str, record: &ChangeRecord) -> Result<Applied, ChangeError> {
    apply_observed(plan, host, record, &mut |_| {})
}

/// Takes the changes of a host back: a file that nobody touched since gets its former bytes, or is deleted if there was
/// none, and its backup goes; from any other the entries are taken out as `plan` says, and its backup stays. Only files of
/// the plan are touched. O(bytes of the files).
pub fn take_back(plan: &Plan, host: &str, record: &ChangeRecord) -> Result<Applied, ChangeError> {
    take_back_observed(plan, host, record, &mut |_| {})
}

/// What the files of a host were before its set-up, as far as the backups tell. O(bytes of the backups).
pub fn former_texts(
    host: &str,
    record: &ChangeRecord,
) -> Result<Vec<(PathBuf, String)>, ChangeError> {
    let mut texts = Vec::new();
    for entry in record::read(&record.path)?.files {
        if entry.host == host
            && let Some(mend::Former::Bytes(bytes)) = mend::former(&entry)
            && let Ok(text) = String::from_utf8(bytes)
        {
            texts.push((entry.path, text));
        }
    }
    Ok(texts)
}

/// What is about to happen; tests stop there.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Step {
    RecordIntent,
    MakeFolders,
    WriteBackup,
    WriteTemporary,
    Replace,
    Delete,
    RemoveBackup,
    RemoveFolders,
    RecordDone,
}

type Observer<'a> = &'a mut dyn FnMut(Step);

fn apply_observed(
    plan: &Plan,
    host: &str,
    record: &ChangeRecord,
    observer: Observer<'_>,
) -> Result<Applied, ChangeError> {
    let mut session = Session::begin(record, host, observer)?;
    let mut applied = started(plan);
    for change in &plan.changes {
        let outcome = session.apply(change)?;
        note(&mut applied, &change.path, outcome);
    }
    Ok(applied)
}

fn take_back_observed(
    plan: &Plan,
    host: &str,
    record: &ChangeRecord,
    observer: Observer<'_>,
) -> Result<Applied, ChangeError> {
    let mut session = Session::begin(record, host, observer)?;
    let mut applied = started(plan);
    for change in &plan.changes {
        let outcome = session.take_back(change)?;
        note(&mut applied, &change.path, outcome);
    }
    Ok(applied)
}

/// What became of one file.
enum Outcome {
    /// Nothing had to be done.
    Unchanged,
    /// It was written; the backup beside it.
    Written(Option<PathBuf>),
    /// It was left alone, and why.
    LeftAlone(String),
}

fn started(plan: &Plan) -> Applied {
    Applied {
        written: Vec::new(),
        left_alone: plan.left_alone.clone(),
    }
}

fn note(applied: &mut Applied, path: &Path, outcome: Outcome) {
    let path = path.to_owned();
    match outcome {
        Outcome::Unchanged => {}
        Outcome::Written(backup) => applied.written.push((path, backup)),
        Outcome::LeftAlone(reason) => applied.left_alone.push(LeftAlone { path, reason }),
    }
}
