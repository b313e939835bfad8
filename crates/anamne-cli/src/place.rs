//! The store and space of a command.

use std::cell::OnceCell;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use anamne::{
    Clock, Door, Error, NextStep, Options, Project, Space, SpaceName, Store, StoreError,
    StoreFolder, SystemClock,
};
use anamne_client::Client;
use etcetera::BaseStrategy;

use crate::arguments::Global;
use crate::bridge;
use crate::failure::Failure;
use crate::next_step;
use crate::output::Output;
use crate::projects;
use crate::reached::{Reached, ReachedStore};
use crate::server;
use crate::shell::shell_word;
use crate::wording::file_name;

/// The store and space of a command. Nothing is opened or created until requested.
pub(crate) struct Place {
    given_root: Option<PathBuf>,
    space: SpaceName,
    named: bool,
    /// The project of the current folder, if no space was named.
    project: Option<Project>,
    /// The project's space, once a command has claimed it for writing.
    claimed: OnceCell<SpaceName>,
    /// Why the project's space could not be determined.
    problem: Option<String>,
    /// Notes for the user on how the space was found.
    notes: Vec<String>,
    /// The server that has the store, if it isn't on this machine.
    server: Option<Client>,
}

impl Place {
    /// Determines the store and the space: as given, else the current folder's project.
    pub(crate) fn find(global: &Global) -> Result<Self, Failure> {
        let mut place = Self::named_by(global)?;
        place.server = server::chosen(global)?;
        if !place.named
            && let Ok(folder) = std::env::current_dir()
        {
            place.find_project(&folder);
        }
        Ok(place)
    }

    /// The same with the project around `folder`.
    pub(crate) fn around(global: &Global, folder: &Path) -> Result<Self, Failure> {
        let mut place = Self::named_by(global)?;
        if !place.named {
            place.find_project(folder);
        }
        Ok(place)
    }

    /// The store and space that were given; else the default store and `core`, whatever the current folder is.
    pub(crate) fn named_by(global: &Global) -> Result<Self, Failure> {
        let given_root = global
            .store
            .as_ref()
            .filter(|folder| !folder.is_empty())
            .map(PathBuf::from);
        let name = global.space.as_deref().filter(|name| !name.is_empty());
        Ok(Self {
            given_root,
            space: name.map_or_else(|| Ok(SpaceName::core()), str::parse)?,
            named: name.is_some(),
            project: None,
            claimed: OnceCell::new(),
            problem: None,
            notes: Vec::new(),
            server: None,
        })
    }

    /// Finds the project of a folder, and the space that it has or will get. Read-only.
    fn find_project(&mut self, folder: &Path) {
        self.project = Project::around(folder, &mut self.notes);
        let (Some(project), Ok(root)) = (&self.project, self.root()) else {
            return;
        };
        match StoreFolder::at(&root).space_of(project, SystemClock.now()) {
            Ok(found) => {
                self.notes.extend(projects::notes(&found, project));
                self.space = found.name;
            }
            Err(error) => {
                self.notes
                    .push(format!("can't determine this project's space: {error}"));
                self.problem = Some(error.to_string());
            }
        }
    }

    /// Notes for the user on how the space was found.
    pub(crate) fn notes(&self) -> &[String] {
        &self.notes
    }

    /// The project of the current folder, if no space was named.
    pub(crate) fn project(&self) -> Option<&Project> {
        self.project.as_ref()
    }

    /// The space's name for writing: binds it permanently to the project, if there is one.
    pub(crate) fn claim(&self) -> Result<&SpaceName, Failure> {
        let Some(project) = &self.project else {
            return Ok(&self.space);
        };
        if let Some(name) = self.claimed.get() {
            return Ok(name);
        }
        let found = StoreFolder::at(&self.root()?)
            .claim_space(project, SystemClock.now())
            .map_err(Error::from)?;
        Ok(self.claimed.get_or_init(|| found.name))
    }

    /// The store's folder: as given, else `anamne` in the platform's data folder.
    pub(crate) fn root(&self) -> Result<PathBuf, Failure> {
        self.root_or("anamne")
    }

    /// The place of the demo: its own space, in its own store unless one was given.
    pub(crate) fn for_demo(&self) -> Result<Self, Failure> {
        Ok(Self {
            given_root: Some(self.root_or("anamne-demo")?),
            space: "demo".parse()?,
            named: true,
            project: None,
            claimed: OnceCell::new(),
            problem: None,
            notes: Vec::new(),
            server: None,
        })
    }

    fn root_or(&self, name: &str) -> Result<PathBuf, Failure> {
        if let Some(root) = &self.given_root {
            return Ok(std::path::absolute(root).unwrap_or_else(|_| root.clone()));
        }
        let data = etcetera::base_strategy::choose_native_strategy().map_err(|error| {
            Failure::failed(format!("can't find this platform's data folder: {error}"))
                .hint("use --store DIR or the variable ANAMNE_STORE")
        })?;
        Ok(data.data_dir().join(name))
    }

    /// The space's name.
    pub(crate) fn space_name(&self) -> &SpaceName {
        self.claimed.get().unwrap_or(&self.space)
    }

    /// The space's name without claiming it, unless the project's could not be determined.
    pub(crate) fn determined_name(&self) -> Result<&SpaceName, Failure> {
        match &self.problem {
            Some(problem) => Err(Failure::failed(problem.clone())),
            None => Ok(self.space_name()),
        }
    }

    /// Whether the space was named explicitly.
    pub(crate) fn is_named(&self) -> bool {
        self.named
    }

    /// Options for opening the store: without background work, because a command ends soon.
    pub(crate) fn options(&self) -> Result<Options, Failure> {
        self.check_here()?;
        let root = self.root()?;
        Ok(Options {
            embedding_sources: Some(Arc::new(bridge::SourcesOfStore(root.clone()))),
            ..Options::new(root).background(false).door(Door::Cli)
        })
    }

    /// The same with the configured language model, if any: for commands that do the work of the background.
    pub(crate) fn options_with_model(&self, output: &mut Output) -> Result<Options, Failure> {
        let mut options = self.options()?;
        match bridge::of_store(&options.root) {
            Ok(model) => options.language_model = model,
            // Everything works without a model.
            Err(error) => {
                let problem = next_step::on_one_line(&error, error.next_step());
                output.warn(format_args!("language model disabled: {problem}"));
            }
        }
        Ok(options)
    }

    /// The space, on this machine or on the server; created if missing.
    pub(crate) fn reached(&self) -> Result<Reached, Failure> {
        match &self.server {
            Some(client) => Ok(Reached::There(client.space(self.space.as_str()))),
            None => Ok(Reached::Here(Box::new(self.space()?))),
        }
    }

    /// The space, on this machine or on the server, which must exist.
    pub(crate) fn reached_existing(&self) -> Result<Reached, Failure> {
        match &self.server {
            Some(client) => Ok(Reached::There(client.space(self.space.as_str()))),
            None => Ok(Reached::Here(Box::new(self.existing_space()?))),
        }
    }

    /// The space on this machine with the configured language model, which a server doesn't lend.
    pub(crate) fn reached_with_model(&self, output: &mut Output) -> Result<Reached, Failure> {
        let store = Store::open_with(self.options_with_model(output)?)?;
        Ok(Reached::Here(Box::new(self.existing_space_of(&store)?)))
    }

    /// The store, on this machine or on the server, which must exist.
    pub(crate) fn reached_store(&self) -> Result<ReachedStore, Failure> {
        match &self.server {
            Some(client) => Ok(ReachedStore::There(client.clone())),
            None => Ok(ReachedStore::Here(self.existing_store()?)),
        }
    }

    /// The same on this machine. Hooks use its store, because a host waits for them.
    pub(crate) fn on_this_machine(self) -> Self {
        Self {
            server: None,
            ..self
        }
    }

    /// The server, if there is one.
    pub(crate) fn server(&self) -> Option<&Client> {
        self.server.as_ref()
    }

    /// Rejects a command that only works on a store of this machine.
    pub(crate) fn check_here(&self) -> Result<(), Failure> {
        let hint = "choose a store with --store DIR, or run it where the server runs";
        self.refuse_server("this works on a store of this machine only", hint)
    }

    /// Rejects a server for this reason; `instead` says what to do.
    pub(crate) fn refuse_server(&self, reason: &str, instead: &str) -> Result<(), Failure> {
        let Some(client) = &self.server else {
            return Ok(());
        };
        let server = client.address().origin();
        let message = format!("not on the server {server}: {reason}");
        Err(Failure::refused("server", message).hint(instead))
    }

    /// The store; created if missing.
    pub(crate) fn store(&self) -> Result<Store, Failure> {
        Ok(Store::open_with(self.options()?)?)
    }

    /// The store, which must exist.
    pub(crate) fn existing_store(&self) -> Result<Store, Failure> {
        self.check_here()?;
        let root = self.root()?;
        if !StoreFolder::at(&root).is_there().map_err(Error::from)? {
            return Err(self.no_store(&root));
        }
        self.store()
    }

    /// The space; created if missing.
    pub(crate) fn space(&self) -> Result<Space, Failure> {
        let store = self.store()?;
        Ok(store.space(self.claim()?.as_str())?)
    }

    /// The space, which must exist.
    pub(crate) fn existing_space(&self) -> Result<Space, Failure> {
        self.existing_space_of(&self.existing_store()?)
    }

    /// The space, if there is a store that has it.
    pub(crate) fn space_if_there(&self) -> Result<Option<Space>, Failure> {
        self.check_here()?;
        if !StoreFolder::at(&self.root()?)
            .is_there()
            .map_err(Error::from)?
        {
            return Ok(None);
        }
        match self
            .store()?
            .existing_space(self.determined_name()?.as_str())
        {
            Err(Error::Store(StoreError::NoSpace(_))) => Ok(None),
            opened => Ok(Some(opened?)),
        }
    }

    /// The space in a store on this machine or the server, which must exist.
    pub(crate) fn existing_in(&self, store: &ReachedStore) -> Result<Reached, Failure> {
        match store {
            ReachedStore::Here(store) => {
                Ok(Reached::Here(Box::new(self.existing_space_of(store)?)))
            }
            ReachedStore::There(client) => Ok(Reached::There(client.space(self.space.as_str()))),
        }
    }

    /// The space in an open store.
    pub(crate) fn existing_space_of(&self, store: &Store) -> Result<Space, Failure> {
        if let Some(problem) = &self.problem {
            return Err(Failure::failed(problem.clone()).hint(
                "check for damage with `anamne doctor`, or choose a space with --space NAME",
            ));
        }
        match store.existing_space(self.space_name().as_str()) {
            Err(Error::Store(StoreError::NoSpace(_))) => Err(self.no_space(store.root())),
            opened => Ok(opened?),
        }
    }

    fn no_store(&self, root: &Path) -> Failure {
        let flag = self.space_flag();
        Failure::not_found(format!("no store in {}", file_name(root))).hint(format!(
            "store something first: anamne {flag}remember \"…\"; or try anamne demo"
        ))
    }

    fn no_space(&self, root: &Path) -> Failure {
        let (space, flag) = (&self.space, self.space_flag());
        Failure::not_found(format!(
            "no space {space:?} in the store {}",
            file_name(root),
            space = space.as_str()
        ))
        .step(Some(NextStep::ListSpaces))
        .hint(format!(
            "make it by anamne {flag}remember \"…\" or anamne {flag}init; list them with `anamne spaces`"
        ))
    }

    /// The option that selects the same space in a suggested command.
    fn space_flag(&self) -> String {
        if self.named {
            format!("--space {} ", shell_word(self.space.as_str()))
        } else {
            String::new()
        }
    }
}
