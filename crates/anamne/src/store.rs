//! A store: one folder with its spaces.

use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

use anamne_embed::{Embedder, StaticModel};
use anamne_store::{Clock, SpaceName, SpaceSource, StoreFolder, SystemClock, Unreadable};

use crate::Error;
use crate::space::Space;

/// How a store is opened.
#[derive(Clone)]
pub struct Options {
    /// The store's folder.
    pub root: PathBuf,
    /// Where the time comes from.
    pub clock: Arc<dyn Clock>,
    /// What turns text into vectors.
    pub embedder: Arc<dyn Embedder>,
    /// Whether long tails are folded, broken views rebuilt, and both copies read back once a day, in a background
    /// thread. A program that ends soon says no and calls [`Space::settle`] before it ends.
    pub background: bool,
}

impl Options {
    /// The folder with the machine's clock, the built-in model and background work.
    pub fn new(root: impl AsRef<Path>) -> Self {
        Self {
            root: root.as_ref().to_owned(),
            clock: Arc::new(SystemClock),
            embedder: Arc::new(StaticModel::builtin()),
            background: true,
        }
    }

    /// Switches background work on or off.
    #[must_use]
    pub fn background(mut self, background: bool) -> Self {
        self.background = background;
        self
    }
}

/// A folder of spaces. Cheap to open: a space is opened when it is first asked for.
pub struct Store {
    pub(crate) folder: StoreFolder,
    pub(crate) options: Options,
    pub(crate) open: Mutex<HashMap<SpaceName, Space>>,
}

impl Store {
    /// Opens the store in `root` with the machine's clock and the built-in model, and makes it if need be.
    pub fn open(root: impl AsRef<Path>) -> Result<Self, Error> {
        Self::open_with(Options::new(root))
    }

    /// Opens a store as `options` say, and makes it if need be.
    pub fn open_with(options: Options) -> Result<Self, Error> {
        let folder = StoreFolder::at(&options.root);
        folder.create()?;
        Ok(Self {
            folder,
            options,
            open: Mutex::default(),
        })
    }

    /// The store's folder.
    pub fn root(&self) -> &Path {
        self.folder.root()
    }

    /// The space with this name, made if it is not there.
    pub fn space(&self, name: &str) -> Result<Space, Error> {
        self.open_space(name, true)
    }

    /// The space with this name, which must be there.
    pub fn existing_space(&self, name: &str) -> Result<Space, Error> {
        self.open_space(name, false)
    }

    /// The names of all spaces whose settings can be read, sorted; [`Store::unreadable_spaces`] has the others.
    pub fn spaces(&self) -> Result<Vec<SpaceName>, Error> {
        Ok(self.folder.spaces()?)
    }

    /// The spaces whose `space.toml` can't be read, and why.
    pub fn unreadable_spaces(&self) -> Result<Vec<Unreadable>, Error> {
        Ok(self.folder.unreadable_spaces()?)
    }

    fn open_space(&self, name: &str, create: bool) -> Result<Space, Error> {
        let name: SpaceName = name.parse()?;
        let mut open = self.open.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(space) = open.get(&name) {
            return Ok(space.clone());
        }
        let folder = self.folder.space(&name);
        let source = SpaceSource::open(&folder, &name, self.options.clock.clone(), create)?;
        let space = Space::open(
            source,
            self.options.embedder.clone(),
            self.options.background,
        )?;
        open.insert(name, space.clone());
        Ok(space)
    }
}
