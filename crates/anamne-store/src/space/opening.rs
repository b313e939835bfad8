//! Opens a space and reconciles its two copies.

use std::io::ErrorKind;
use std::path::Path;
use std::sync::atomic::AtomicU64;
use std::sync::{Arc, Mutex};

use super::SpaceSource;
use super::presence::Presence;
use super::turns::Turns;
use crate::beside;
use crate::clock::Clock;
use crate::config::SpaceConfig;
use crate::files::{create_private_folder, is_there};
use crate::journal::Journal;
use crate::lock::{MoveLock, WriteLock};
use crate::settings::Settings;
use crate::source::{Names, Readers, SOURCE_FORMAT, check_format, end_of_log, erasure};
use crate::space_name::SpaceName;
use crate::special_files::refuse_special_files;
use crate::storage::{Disk, Storage};
use crate::{Result, StoreError};

/// The files that make a folder a space; each of them can be restored from the others.
#[derive(Clone, Copy, Debug)]
pub(crate) struct SpaceParts {
    settings: bool,
    database: bool,
    journal: bool,
}

impl SpaceParts {
    /// Looks for the files in a folder, which may be missing.
    pub(crate) fn in_folder(folder: &Path) -> Result<Self> {
        Ok(Self {
            settings: is_taken(&folder.join("space.toml"))?,
            database: is_taken(&folder.join("memories").join("active.db"))?,
            journal: is_taken(&folder.join("journal"))?,
        })
    }

    /// Whether there is any of them. A process that is killed while it creates a space may leave the folder without.
    pub(crate) fn is_space(self) -> bool {
        self.settings || self.database || self.journal
    }
}

/// Whether there is something at `path`, or something else than a folder above it, which opening refuses.
fn is_taken(path: &Path) -> Result<bool> {
    match is_there(path) {
        Err(StoreError::Io { source, .. }) if source.kind() == ErrorKind::NotADirectory => Ok(true),
        looked => looked,
    }
}

impl SpaceSource {
    /// Opens the space in `folder`; creates it if `create` is set.
    ///
    /// Completes what a crash interrupted: the outbox is flushed to the journal, and a missing or broken database is
    /// quarantined and restored from the journal.
    pub fn open(
        folder: &Path,
        name: &SpaceName,
        clock: Arc<dyn Clock>,
        create: bool,
    ) -> Result<Self> {
        Self::open_on(Arc::new(Disk), folder, name, clock, create)
    }

    /// The same with a given storage for the journal; tests use it to inject failures.
    pub fn open_on(
        storage: Arc<dyn Storage>,
        folder: &Path,
        name: &SpaceName,
        clock: Arc<dyn Clock>,
        create: bool,
    ) -> Result<Self> {
        let space = Self::open_alone(storage, folder, name, clock, create)?;
        space.settle_members();
        Ok(space)
    }

    /// The same without looking at other spaces: what is to be done there is left to whoever opens it next.
    pub(crate) fn open_alone(
        storage: Arc<dyn Storage>,
        folder: &Path,
        name: &SpaceName,
        clock: Arc<dyn Clock>,
        create: bool,
    ) -> Result<Self> {
        refuse_special_files(folder)?;
        let config_path = folder.join("space.toml");
        let database = folder.join("memories").join("active.db");
        let there = SpaceParts::in_folder(folder)?;
        if !create && !there.is_space() {
            return Err(StoreError::NoSpace(name.to_string()));
        }
        if !there.settings || !there.database {
            create_private_folder(&folder.join("memories"))?;
        }
        let lock_path = folder.join("write.lock");
        let lock = WriteLock::at(&lock_path);
        let config = Self::read_config(&config_path, name, &lock, clock.as_ref())?;
        let space = Self {
            name: name.clone(),
            folder: folder.to_owned(),
            readers: Readers::new(&database),
            database,
            settings: Settings::new(&config_path, config),
            usage: Mutex::default(),
            store_quota: None,
            clock,
            storage,
            presence: Presence::of(folder, &lock_path)?,
            lock,
            moving: MoveLock::at(&folder.join("move.lock")),
            turns: Turns::default(),
            names: Names::default(),
            repaired: Mutex::default(),
            replacements: AtomicU64::new(0),
        };
        if !(there.database && space.looks_right()?) {
            space.repair()?;
        }
        if let Err(error) = beside::move_non_views(folder)
            && !error.is_read_only()
        {
            // They are moved once the disk, or the process that has them open, allows it.
            space.note_repairs(vec![format!("{error}; left unchanged for now")]);
        }
        Ok(space)
    }

    /// Reconciles source and journal. If writing is impossible or the disk is full, a readable source is enough.
    fn repair(&self) -> Result<()> {
        let Err(error) = self.with_writer(|_, _| Ok(())) else {
            return Ok(());
        };
        let readable = || self.readers.get().and_then(|reader| end_of_log(&reader));
        if !error.prevents_writing() || readable().is_err() {
            return Err(error);
        }
        self.note_repairs(vec![format!("nothing could be repaired: {error}")]);
        Ok(())
    }

    /// The space's settings; written now if missing.
    fn read_config(
        path: &Path,
        name: &SpaceName,
        lock: &WriteLock,
        clock: &dyn Clock,
    ) -> Result<SpaceConfig> {
        let config = if let Some(config) = SpaceConfig::read(path)? {
            config
        } else {
            let _guard = lock.acquire()?;
            if let Some(config) = SpaceConfig::read(path)? {
                config
            } else {
                let config = SpaceConfig::new(name.as_str(), clock.now());
                config.write(path)?;
                config
            }
        };
        if config.name == name.as_str() {
            Ok(config)
        } else {
            let reason = format!("it is of the space {:?}, not {name:?}", config.name);
            Err(StoreError::damaged(path, reason))
        }
    }

    /// Whether source and journal agree and no work is pending. A few small reads, no writes; unreadable files count as
    /// disagreement, which the writer then diagnoses.
    fn looks_right(&self) -> Result<bool> {
        let agreed = || -> Result<bool> {
            let reader = self.readers.get()?;
            if check_format(&reader, &self.database)? != SOURCE_FORMAT {
                return Ok(false);
            }
            let journaled = Journal::at(&self.folder.join("journal")).end()?;
            Ok(end_of_log(&reader)? == journaled && !erasure::is_pending(&reader)?)
        };
        match agreed() {
            Err(newer @ StoreError::Newer { .. }) => Err(newer),
            agreed => Ok(agreed.unwrap_or(false)),
        }
    }
}
