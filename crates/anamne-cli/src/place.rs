//! Which store and which space a command is about.

use std::path::{Path, PathBuf};

use anamne::{Error, Options, Project, Space, SpaceName, Store, StoreError};
use etcetera::BaseStrategy;

use crate::arguments::Global;
use crate::bridge;
use crate::failure::Failure;
use crate::output::Output;
use crate::shell::shell_word;
use crate::wording::file_name;

/// The store and the space of a command. Nothing is opened or made before it is asked for.
pub(crate) struct Place {
    given_root: Option<PathBuf>,
    space: SpaceName,
    named: bool,
}

impl Place {
    /// Finds out which store and space are meant.
    pub(crate) fn find(global: &Global) -> Result<Self, Failure> {
        let given_root = global
            .store
            .as_ref()
            .filter(|folder| !folder.is_empty())
            .map(PathBuf::from);
        let name = global.space.as_deref().filter(|name| !name.is_empty());
        let space = match name {
            Some(name) => name.parse()?,
            None => project_space().unwrap_or_else(SpaceName::core),
        };
        Ok(Self {
            given_root,
            space,
            named: name.is_some(),
        })
    }

    /// The store's folder: as given, else `anamne` in the platform's data folder.
    pub(crate) fn root(&self) -> Result<PathBuf, Failure> {
        self.root_or("anamne")
    }

    /// The same place for the demonstration: a space of its own, in a store of its own unless one was given.
    pub(crate) fn for_demo(&self) -> Result<Self, Failure> {
        Ok(Self {
            given_root: Some(self.root_or("anamne-demo")?),
            space: "demo".parse()?,
            named: true,
        })
    }

    fn root_or(&self, name: &str) -> Result<PathBuf, Failure> {
        if let Some(root) = &self.given_root {
            return Ok(std::path::absolute(root).unwrap_or_else(|_| root.clone()));
        }
        let data = etcetera::base_strategy::choose_native_strategy().map_err(|error| {
            Failure::failed(format!(
                "can't tell where this platform keeps data: {error}"
            ))
            .hint("name a folder by --store DIR or in the variable ANAMNE_STORE")
        })?;
        Ok(data.data_dir().join(name))
    }

    /// The space's name.
    pub(crate) fn space_name(&self) -> &SpaceName {
        &self.space
    }

    /// Whether the space was named, and not found.
    pub(crate) fn is_named(&self) -> bool {
        self.named
    }

    /// How the store is opened: without background work, since a command ends soon.
    pub(crate) fn options(&self) -> Result<Options, Failure> {
        Ok(Options::new(self.root()?).background(false))
    }

    /// The same, with the language model that is set up, if one is: for commands that work as the background does.
    pub(crate) fn options_with_model(&self, output: &mut Output) -> Result<Options, Failure> {
        let mut options = self.options()?;
        match bridge::of_store(&options.root) {
            Ok(model) => options.language_model = model,
            // Everything works without one.
            Err(error) => output.warn(format_args!("no language model is asked: {error}")),
        }
        Ok(options)
    }

    /// The store, made if it is not there.
    pub(crate) fn store(&self) -> Result<Store, Failure> {
        Ok(Store::open_with(self.options()?)?)
    }

    /// The store, which must be there.
    pub(crate) fn existing_store(&self) -> Result<Store, Failure> {
        let root = self.root()?;
        if !root.join("spaces").is_dir() {
            return Err(self.nothing_yet(&root));
        }
        self.store()
    }

    /// The space, made if it is not there.
    pub(crate) fn space(&self) -> Result<Space, Failure> {
        Ok(self.store()?.space(self.space.as_str())?)
    }

    /// The space, which must be there.
    pub(crate) fn existing_space(&self) -> Result<Space, Failure> {
        self.existing_space_of(&self.existing_store()?)
    }

    /// The space in a store that was opened already.
    pub(crate) fn existing_space_of(&self, store: &Store) -> Result<Space, Failure> {
        match store.existing_space(self.space.as_str()) {
            Err(Error::Store(StoreError::NoSpace(_))) => Err(self.no_space(store.root())),
            opened => Ok(opened?),
        }
    }

    fn nothing_yet(&self, root: &Path) -> Failure {
        let flag = self.space_flag();
        Failure::not_found(format!(
            "nothing is remembered yet: there is no store in {}",
            file_name(root)
        ))
        .hint(format!(
            "tell it something first: anamne {flag}remember \"…\"; or look at anamne demo"
        ))
    }

    fn no_space(&self, root: &Path) -> Failure {
        let (space, flag) = (&self.space, self.space_flag());
        Failure::not_found(format!(
            "nothing is remembered in the space {space:?} yet: the store {} has no such space",
            file_name(root),
            space = space.as_str()
        ))
        .hint(format!(
            "make it by anamne {flag}remember \"…\" or anamne {flag}init; `anamne spaces` lists those that are there"
        ))
    }

    /// What a suggested command needs so that it means the same space.
    fn space_flag(&self) -> String {
        if self.named {
            format!("--space {} ", shell_word(self.space.as_str()))
        } else {
            String::new()
        }
    }
}

fn project_space() -> Option<SpaceName> {
    Some(Project::around(&std::env::current_dir().ok()?)?.space)
}
