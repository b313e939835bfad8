//! Removing a model that no space uses.

use std::fs;
use std::path::Path;

use anamne_store::{EmbeddingConfig, SpaceConfig, UNFINISHED, create_private_folder};
use anamne_types::Right;
use serde::Serialize;

use super::library::Library;
use crate::Error;
use crate::derived::answering::Note;
use crate::store::Store;

/// A removed model.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct RemovedModel {
    /// Its name.
    pub name: String,
    /// Files removed. Files that other models need stay.
    pub files_removed: u64,
    /// Their bytes.
    pub bytes_removed: u64,
}

impl Store {
    /// Removes the model `name` of the store, and the files that only it needed. A plain folder is removed with
    /// everything in it.
    ///
    /// A crash at any point leaves the model or removes it; what is left of its files is removed by the next import or
    /// removal. Processes that have it loaded go on using it.
    ///
    /// [`Error::Denied`] without [`Right::Configure`], [`Error::Nothing`] if the store has no such model, and
    /// [`Error::ModelInUse`] while a space is set to it or has vectors of it in use.
    pub fn remove_model(&self, name: &str) -> Result<RemovedModel, Error> {
        self.require(Right::Configure)?;
        self.models.check_there(name)?;
        let library = &self.models.library;
        let lock = library.lock();
        let _guard = lock.acquire()?;
        library.check_changeable()?;
        self.check_unused(name)?;
        let (files_removed, bytes_removed) = library.remove_model(name)?;
        Ok(RemovedModel {
            name: name.to_owned(),
            files_removed,
            bytes_removed,
        })
    }

    /// Rejects a model that a space uses, in scope or not. Spaces outside of the scope are counted, not named.
    fn check_unused(&self, name: &str) -> Result<(), Error> {
        if let Some(unreadable) = self.folder.unreadable_spaces()?.into_iter().next() {
            // It may use the model.
            return Err(unreadable.error.into());
        }
        let (named, others): (Vec<_>, Vec<_>) = self
            .users_of_models()?
            .into_iter()
            .filter(|(_, models)| models.iter().any(|model| model == name))
            .map(|(space, _)| space)
            .partition(|space| self.scope.may_read(space));
        if named.is_empty() && others.is_empty() {
            return Ok(());
        }
        Err(Error::ModelInUse {
            name: name.to_owned(),
            spaces: named,
            others: others.len(),
        })
    }

    /// The spaces with readable settings, each with the models that it is set to or has vectors of in use. Opens no
    /// space.
    pub(super) fn users_of_models(&self) -> Result<Vec<(String, Vec<String>)>, Error> {
        let mut users = Vec::new();
        for space in self.folder.spaces()? {
            let folder = self.folder.space(&space);
            let config = SpaceConfig::read(&folder.join("space.toml"))?;
            let (wanted, reranker) = match config {
                Some(config) => (config.embedding.model, config.recall.reranker),
                None => (EmbeddingConfig::BUILTIN.to_owned(), None),
            };
            let mut models = vec![wanted];
            models.extend(reranker);
            models.extend(Note::read(&folder).map(|note| note.model));
            models.dedup();
            users.push((space.to_string(), models));
        }
        Ok(users)
    }
}

impl Library {
    fn remove_model(&self, name: &str) -> Result<(u64, u64), Error> {
        let folder = self.folder_of(name);
        let is_link = fs::symlink_metadata(&folder).is_ok_and(|found| found.is_symlink());
        if is_link {
            self.remove(&folder)?;
            self.sync_folder_of(&folder)?;
            return Ok((1, 0));
        }
        if fs::symlink_metadata(folder.join(super::manifest::MANIFEST)).is_err() {
            return self.remove_plain(name, &folder);
        }
        // First, because without the manifest they would be a model of their own.
        self.remove_plain_files(name)?;
        self.sync_folder_of(&folder.join(super::manifest::MANIFEST))?;
        self.remove(&folder.join(super::manifest::MANIFEST))?;
        self.sync_folder_of(&folder.join(super::manifest::MANIFEST))?;
        self.collect()
    }

    /// Moves the folder away as a whole before its files are removed one by one.
    fn remove_plain(&self, name: &str, folder: &Path) -> Result<(u64, u64), Error> {
        create_private_folder(&self.files())?;
        let away = self
            .files()
            .join(format!("{name}{UNFINISHED}{}", std::process::id()));
        self.remove(&away)?;
        self.storage
            .rename(folder, &away)
            .map_err(anamne_store::StoreError::io("remove", folder))?;
        self.sync_folder_of(folder)?;
        let found = files_under(&away)?;
        self.collect()?;
        Ok(found)
    }
}

/// The number of files in a folder, without its subfolders, and their bytes.
fn files_under(folder: &Path) -> Result<(u64, u64), Error> {
    let mut found = (0, 0);
    for path in anamne_store::entries(folder)? {
        if let Ok(metadata) = fs::symlink_metadata(&path)
            && !metadata.is_dir()
        {
            found = (found.0 + 1, found.1 + metadata.len());
        }
    }
    Ok(found)
}
