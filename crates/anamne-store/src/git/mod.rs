//! Reads a git repository without running git: its location, first commit and remote.
//!
//! All of it is untrusted input. Files are read through [`crate::bounded`], walks are limited, and a pointer from one
//! folder to another is followed only if the target points back.

mod config;
mod history;
mod objects;

use std::fs;
use std::path::{Path, PathBuf};

use crate::bounded::read_regular;

pub(crate) use history::LONGEST_HISTORY;

/// Maximum size of a file that contains only a path or a commit id.
const SHORT_FILE: u64 = 8 * 1024;

/// A repository, or a folder that looks like one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Repository {
    /// The folder that represents it: the main worktree, also for other worktrees.
    pub(crate) root: PathBuf,
    /// The git directory, if known.
    store: Option<PathBuf>,
    /// Identifies this folder on disk, also after it was moved within the file system.
    pub(crate) stamp: Option<String>,
}

impl Repository {
    /// The repository whose worktree is `folder`, if `folder` contains a `.git` folder or file.
    pub(crate) fn at(folder: &Path, notes: &mut Vec<String>) -> Option<Self> {
        let entry = folder.join(".git");
        let is_link = fs::symlink_metadata(&entry).ok()?.is_symlink();
        let metadata = fs::metadata(&entry).ok()?;
        let root = fs::canonicalize(folder).ok()?;
        if metadata.is_dir() {
            // A symlink may point to another project's repository, whose stamp must not be used.
            let stamp = if is_link { None } else { stamp_of(&entry) };
            return Some(Self {
                root,
                store: Some(entry),
                stamp,
            });
        }
        if !metadata.is_file() {
            notes.push(format!(
                "{} ignored: neither a folder nor a regular file",
                entry.display()
            ));
            return None;
        }
        let pointed = pointed(&root, &entry);
        if let Err(reason) = &pointed {
            notes.push(format!(
                "{} ignored: {reason}; the folder is a separate project",
                entry.display()
            ));
        }
        Some(pointed.ok().flatten().unwrap_or(Self {
            root,
            store: None,
            stamp: None,
        }))
    }

    /// The id, in hexadecimal, of the first commit on the first-parent line of the main worktree's branch.
    ///
    /// `None` if there is no commit yet, the history is cut off, or it can't be read within `most` commits.
    pub(crate) fn root_commit(&self, most: usize) -> Option<String> {
        history::root_commit(self.store.as_deref()?, most)
    }

    /// The normalised address of its remote: `origin`, else the first one configured.
    pub(crate) fn remote(&self) -> Option<String> {
        config::remote(self.store.as_deref()?)
    }
}

/// The repository that a `.git` file points to, if it points back to `folder`; else the reason.
fn pointed(folder: &Path, file: &Path) -> Result<Option<Repository>, String> {
    let text = short_text(file)?.ok_or("it is gone")?;
    let target = text.trim().strip_prefix("gitdir:").map(str::trim);
    let target = target.ok_or("it does not begin with gitdir:")?;
    let store = existing_folder(&folder.join(target))
        .ok_or_else(|| format!("{target:?} is not a folder"))?;
    let Some(common) = short_text(&store.join("commondir"))? else {
        return Ok(submodule(folder, store));
    };
    let common = existing_folder(&store.join(common.trim()))
        .ok_or("the repository of this worktree is gone")?;
    let is_inside = store.parent() == Some(&common.join("worktrees"));
    let back = short_text(&store.join("gitdir"))?.unwrap_or_default();
    let back = fs::canonicalize(store.join(back.trim())).ok();
    if !is_inside || back != fs::canonicalize(file).ok() {
        return Err(
            "its repository has another folder for this worktree; run `git worktree repair`"
                .to_owned(),
        );
    }
    let is_plain = common.file_name().is_some_and(|name| name == ".git");
    let root = match common.parent() {
        Some(above) if is_plain => above.to_owned(),
        // A bare repository has no worktree, so its own folder represents it.
        _ => common.clone(),
    };
    Ok(Some(Repository {
        root,
        stamp: stamp_of(&common),
        store: Some(common),
    }))
}

/// The repository of a submodule, which names its worktree in its configuration.
fn submodule(folder: &Path, store: PathBuf) -> Option<Repository> {
    let back = store.join(config::worktree(&store)?);
    (fs::canonicalize(back).ok()? == folder).then(|| Repository {
        root: folder.to_owned(),
        stamp: stamp_of(&store),
        store: Some(store),
    })
}

fn existing_folder(path: &Path) -> Option<PathBuf> {
    fs::canonicalize(path).ok().filter(|path| path.is_dir())
}

fn short_text(path: &Path) -> Result<Option<String>, String> {
    let bytes = read_regular(path, SHORT_FILE).map_err(|unfit| unfit.to_string())?;
    bytes
        .map(|bytes| String::from_utf8(bytes).map_err(|_| "it is not UTF-8".to_owned()))
        .transpose()
}

/// Inode numbers and creation times of a repository's folders: they stay the same in use and when it is moved.
pub(crate) fn stamp_of(store: &Path) -> Option<String> {
    let look = |path: &Path| {
        let metadata = fs::symlink_metadata(path).ok()?;
        metadata.is_dir().then_some(metadata)
    };
    let (folder, objects) = (look(store)?, look(&store.join("objects"))?);
    let born = |metadata: &fs::Metadata| {
        let born = metadata.created().ok()?;
        let since = born.duration_since(std::time::UNIX_EPOCH).ok()?;
        Some(since.as_nanos())
    };
    let numbers = [number_of(&folder), number_of(&objects)];
    let births = [born(&folder).unwrap_or(0), born(&objects).unwrap_or(0)];
    // Without either, the folder can't be identified.
    (numbers != [0; 2] || births != [0; 2]).then(|| {
        format!(
            "{:x}-{:x}-{:x}-{:x}",
            numbers[0], numbers[1], births[0], births[1]
        )
    })
}

#[cfg(unix)]
fn number_of(metadata: &fs::Metadata) -> u64 {
    std::os::unix::fs::MetadataExt::ino(metadata)
}

#[cfg(not(unix))]
fn number_of(_: &fs::Metadata) -> u64 {
    0
}

/// The creation time of the repository with this stamp, microseconds since 1970, if the file system records it.
pub(crate) fn born(stamp: &str) -> Option<i64> {
    let nanoseconds = u128::from_str_radix(stamp.split('-').nth(2)?, 16).ok()?;
    i64::try_from(nanoseconds / 1_000).ok().filter(|at| *at > 0)
}
