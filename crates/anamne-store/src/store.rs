//! The folder layout of a store.

use std::fs::Metadata;
use std::path::{Path, PathBuf};

use crate::config::SpaceConfig;
use crate::files::{create_private_folder, entries, found};
use crate::space::SpaceParts;
use crate::space_name::SpaceName;
use crate::{Result, StoreError};

/// The folder layout of a store. Knows paths only; spaces are opened one at a time.
#[derive(Clone, Debug)]
pub struct StoreFolder {
    root: PathBuf,
}

impl StoreFolder {
    /// The store in `root`, which need not exist yet.
    pub fn at(root: &Path) -> Self {
        Self {
            root: root.to_owned(),
        }
    }

    /// Creates the folder with owner-only permissions.
    pub fn create(&self) -> Result<()> {
        create_private_folder(&self.root.join("spaces"))
    }

    /// Whether the store exists. Returns an error if that can't be determined: no permission, or a file in place of the
    /// folder.
    pub fn is_there(&self) -> Result<bool> {
        let spaces = self.root.join("spaces");
        match found("look at", &spaces, std::fs::metadata(&spaces))? {
            Some(there) if there.is_dir() => Ok(true),
            Some(_) => Err(StoreError::damaged(&spaces, "not a folder")),
            None => Ok(false),
        }
    }

    /// Whether there is a space with this name, which [`SpaceSource::open`](crate::SpaceSource::open) opens without
    /// creating it. A folder in which a creation was interrupted before that is none. Returns an error if that can't be
    /// determined.
    pub fn has_space(&self, name: &SpaceName) -> Result<bool> {
        Ok(SpaceParts::in_folder(&self.space(name))?.is_space())
    }

    /// The store's folder.
    pub fn root(&self) -> &Path {
        &self.root
    }

    /// The folder of a space, which need not exist yet.
    pub fn space(&self, name: &SpaceName) -> PathBuf {
        self.root.join("spaces").join(name.folder())
    }

    /// The folders that hold files of a space, sorted, with the space's name where known from its settings or from the
    /// folder's name. For examining damage.
    pub fn folders(&self) -> Result<Vec<(PathBuf, Option<SpaceName>)>> {
        let mut folders: Vec<_> = entries(&self.root.join("spaces"))?
            .into_iter()
            // An inaccessible path counts as present; reading it reports the error.
            .filter(|path| holds_files(path).unwrap_or(true))
            .collect();
        folders.sort();
        let named = |path: PathBuf| {
            let stored = SpaceConfig::read(&path.join("space.toml")).ok().flatten();
            let called = path.file_name().map(|name| name.to_string_lossy());
            let name = match &stored {
                Some(config) => config.name.parse().ok(),
                None => called.as_ref().and_then(|called| called.parse().ok()),
            };
            let name = name.filter(|name: &SpaceName| called.as_deref() == Some(&*name.folder()));
            (path, name)
        };
        Ok(folders.into_iter().map(named).collect())
    }

    /// The names of the existing spaces, sorted. Those with unreadable settings are skipped;
    /// [`StoreFolder::unreadable_spaces`] lists them.
    pub fn spaces(&self) -> Result<Vec<SpaceName>> {
        let found = self.look_around()?;
        let mut names: Vec<_> = found.into_iter().filter_map(Result::ok).collect();
        names.sort();
        Ok(names)
    }

    /// The spaces with unreadable settings, and the reason, by folder.
    pub fn unreadable_spaces(&self) -> Result<Vec<Unreadable>> {
        let found = self.look_around()?;
        let mut unreadable: Vec<_> = found.into_iter().filter_map(Result::err).collect();
        unreadable.sort_by(|one, other| one.folder.cmp(&other.folder));
        Ok(unreadable)
    }

    fn look_around(&self) -> Result<Vec<Result<SpaceName, Unreadable>>> {
        let mut spaces = Vec::new();
        for folder in entries(&self.root.join("spaces"))? {
            let looked = match found("look at", &folder, std::fs::metadata(&folder)) {
                // A file or a dangling symlink.
                Ok(there) if !there.as_ref().is_some_and(Metadata::is_dir) => continue,
                looked => looked.map(|_| folder.join("space.toml")),
            };
            let named = match looked.and_then(|path| SpaceConfig::read(&path)) {
                Ok(None) => continue,
                Ok(Some(config)) => config.name.parse().map_err(StoreError::from),
                Err(error) => Err(error),
            };
            spaces.push(named.map_err(|error| Unreadable { folder, error }));
        }
        Ok(spaces)
    }
}

/// Whether a folder has files of a space, a database of a colder tier alone included. An interrupted creation leaves none.
fn holds_files(folder: &Path) -> Result<bool> {
    Ok(SpaceParts::in_folder(folder)?.is_space() || !entries(&folder.join("memories"))?.is_empty())
}

/// A space whose name is unknown.
#[derive(Debug)]
pub struct Unreadable {
    /// Its folder.
    pub folder: PathBuf,
    /// Why its `space.toml` can't be read.
    pub error: StoreError,
}
