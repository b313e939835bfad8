//! Imports export files: as an equal space if the file is trusted, else with the authority of any import.

use std::collections::BTreeSet;
use std::fs::File;
use std::io::{BufReader, BufWriter, Read, Write};
use std::path::{Path, PathBuf};
use std::sync::PoisonError;

use anamne_store::{
    BackupConfig, ExportedSpace, ProjectConfig, SpaceConfig, SpaceName, SpaceSource, StagedContent,
    StagedExport, StagedSpace, StoreError, StoreFolder, StoreQuota, StoreUsage, Visibility,
    create_private_folder, open_private_file, stage_export,
};
use anamne_types::{InvalidValue, Right};
use jiff::Timestamp;
use serde::Serialize;

use super::{ImportOptions, ImportReport};
use crate::Error;
use crate::error::Denied;
use crate::store::Store;

/// What to import from an export file.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct BinaryImport {
    /// The space of the file to import; `None` for all.
    pub space: Option<String>,
    /// The name that it gets, if it is the only one; `None` for its own.
    pub into: Option<String>,
    /// With [`ImportOptions::trusted`], the result equals the exported space: history, actors, trust, assertions,
    /// settings. Needs [`Right::Trust`] and [`Right::Configure`].
    pub options: ImportOptions,
}

/// The result of importing an export file.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct BinaryImportReport {
    /// When the file was made.
    pub made_at: Timestamp,
    /// Whether the file was trusted, so that the spaces equal the exported ones.
    pub trusted: bool,
    /// The imported spaces.
    pub spaces: Vec<ImportedSpace>,
}

/// A space imported from an export file.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct ImportedSpace {
    /// Its name in this store.
    pub space: String,
    /// Its name in the file.
    pub exported: String,
    /// The events of its log in the file.
    pub events: u64,
    /// Whether this store had all of that already, and nothing was changed.
    pub known: bool,
    /// Memories that it has now, without forgotten ones.
    pub memories: u64,
    /// Where its settings schedule backups.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub backups_to: Option<PathBuf>,
    /// Which of its memories were stored, if the file was not trusted.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub import: Option<ImportReport>,
}

impl Store {
    /// Imports an export file; `label` names it in errors.
    ///
    /// The whole file is read and verified before anything is visible; then each space appears at once. A space is
    /// imported only where nothing was ever written: [`StoreError::NotEmptySpace`] otherwise, unless the space contains
    /// the file's history already. An interrupted import can be repeated.
    ///
    /// The file is foreign: unless trusted, its live and forgotten memories are imported as [`Space::import`] would,
    /// without history and settings, and claims of authority are ignored. With [`Options::quota`](crate::Options), the whole
    /// must fit. O(bytes of the file's text).
    ///
    /// [`Space::import`]: crate::Space::import
    pub fn import_binary(
        &self,
        label: &Path,
        input: impl Read,
        import: &BinaryImport,
    ) -> Result<BinaryImportReport, Error> {
        if import.options.trusted {
            self.require(Right::Trust)?;
            self.require(Right::Configure)?;
        }
        let mut targets = BTreeSet::new();
        let mut all = Vec::new();
        let quota = self.options.quota.as_deref();
        let room = quota.map(StoreQuota::bytes_left).transpose()?.flatten();
        let (root, trusted) = (self.root(), import.options.trusted);
        let room = room.unwrap_or(u64::MAX);
        let staged = stage_export(label, input, root, trusted, room, |space| {
            all.push(space.name.clone());
            let target = self.target_of(space, import)?;
            if let Some(name) = &target
                && (!targets.insert(name.clone()) || targets.len() > 1 && import.into.is_some())
            {
                let accepts = "a name for each space (the file has several; choose one of them)";
                return Err(InvalidValue::new("into", accepts, name.as_str()).into());
            }
            Ok::<_, Error>(target)
        })?;
        if let (Some(wanted), true) = (&import.space, targets.is_empty()) {
            let accepts = format!("a space of the file ({})", all.join(", "));
            return Err(InvalidValue::new("space", accepts, wanted).into());
        }
        let mut contents = Vec::with_capacity(staged.spaces.len());
        // Everything that can fail because of the content comes first, so that nothing is visible then.
        for space in &staged.spaces {
            contents.push(self.prepare(&staged, space, import)?);
        }
        if let Some(quota) = quota {
            let mut more = StoreUsage::default();
            for (space, prepared) in staged.spaces.iter().zip(&contents) {
                // What was written before contains the file's history, so that nothing is added.
                if self.is_unwritten(&space.target)? {
                    more.add(StoreUsage::of_space(&prepared.folder)?);
                }
            }
            quota.admit_whole(more)?;
        }
        let spaces = staged.spaces.iter().zip(contents);
        let spaces = spaces.map(|(space, prepared)| self.publish(space, prepared));
        Ok(BinaryImportReport {
            made_at: staged.made_at,
            trusted: import.options.trusted,
            spaces: spaces.collect::<Result<_, _>>()?,
        })
    }

    /// The name that a space of the file gets, if it was chosen; it must be empty or contain the same history.
    fn target_of(
        &self,
        space: &ExportedSpace,
        import: &BinaryImport,
    ) -> Result<Option<SpaceName>, Error> {
        if import
            .space
            .as_ref()
            .is_some_and(|wanted| *wanted != space.name)
        {
            return Ok(None);
        }
        let name: SpaceName = import.into.as_ref().unwrap_or(&space.name).parse()?;
        self.check_readable(&name)?;
        let name = self.meant(name, true)?;
        self.check_readable(&name)?;
        if !self.scope.may_write(name.as_str()) {
            return Err(Denied::Write(name.to_string()).into());
        }
        if self.folder.has_space(&name)? {
            let target = self.existing_space(name.as_str())?;
            let source = target.source();
            let is_known = || source.has_history(space.last_seq, space.last_hash);
            if !source.is_unwritten()? && !is_known()? {
                return Err(StoreError::NotEmptySpace(name.to_string()).into());
            }
        }
        Ok(Some(name))
    }

    fn is_unwritten(&self, name: &SpaceName) -> Result<bool, Error> {
        if !self.folder.has_space(name)? {
            return Ok(true);
        }
        let space = self.existing_space(name.as_str())?;
        Ok(space.source().is_unwritten()?)
    }

    /// What the space gets: the staged history with its settings, or new memories made of it.
    fn prepare(
        &self,
        staged: &StagedExport,
        space: &StagedSpace,
        import: &BinaryImport,
    ) -> Result<Prepared, Error> {
        if import.options.trusted {
            anamne_recall::check_settings(&space.config.recall)?;
            return Ok(Prepared {
                config: Some(self.settings_of(space)?),
                folder: space.folder.clone(),
                import: None,
            });
        }
        let (folder, report) = self.lower(staged, space, import.options)?;
        Ok(Prepared {
            config: None,
            folder,
            import: Some(report),
        })
    }

    /// The settings of a trusted space. A copy under another name is neither bound to the project's folders nor backed
    /// up on the original's schedule; a folder that belongs to another space of this store stays with that.
    fn settings_of(&self, space: &StagedSpace) -> Result<SpaceConfig, Error> {
        let mut config = space.config.clone();
        if space.target.as_str() != space.exported.name {
            space.target.as_str().clone_into(&mut config.name);
            config.project = ProjectConfig::default();
            config.backup = BackupConfig::default();
        }
        for name in self.folder.spaces()? {
            let path = self.folder.space(&name).join("space.toml");
            if name != space.target
                && let Ok(Some(other)) = SpaceConfig::read(&path)
            {
                let taken = &other.project.folders;
                config
                    .project
                    .folders
                    .retain(|folder| taken.iter().all(|taken| taken.path != folder.path));
            }
        }
        Ok(config)
    }

    /// Makes a new space of the staged one's memories, as an import of its lines would, in a store of its own: there,
    /// nothing vouches for what the file claims.
    fn lower(
        &self,
        staged: &StagedExport,
        space: &StagedSpace,
        options: ImportOptions,
    ) -> Result<(PathBuf, ImportReport), Error> {
        let lines = self.lines_of(staged, space)?;
        let clock = self.options.clock.clone();
        let root = staged.beside("lowered");
        let folder = StoreFolder::at(&root).space(&space.target);
        create_private_folder(&folder)?;
        let mut config = SpaceConfig::new(space.target.as_str(), clock.now());
        // The guard in front of the target checks the texts, and its space says what it accepts.
        if let Some(own) = SpaceConfig::read(&self.folder.space(&space.target).join("space.toml"))?
        {
            config.guard = own.guard;
            config.intake = own.intake;
        }
        config.write(&folder.join("space.toml"))?;
        let lowered = Self {
            scope: self.scope.clone(),
            ..Self::at(&root, self.models.clone(), clock)
        };
        let target = lowered.space(space.target.as_str())?;
        let read = File::open(&lines).map_err(StoreError::io("open", &lines))?;
        let report = target.import(BufReader::new(read), options, &mut |_| {})?;
        Ok((folder, report))
    }

    /// The file with the JSON lines of a staged space, forgotten memories included.
    fn lines_of(&self, staged: &StagedExport, space: &StagedSpace) -> Result<PathBuf, Error> {
        let path = staged.beside("lines");
        let clock = self.options.clock.clone();
        let file = Self::at(&staged.store(), self.models.clone(), clock);
        let source = file.existing_space(&space.exported.name)?;
        let written = open_private_file(&path)?;
        written.set_len(0).map_err(StoreError::io("write", &path))?;
        let mut output = BufWriter::new(written);
        source.export_visibility(&mut output, Visibility::Both)?;
        output.flush().map_err(StoreError::io("write", &path))?;
        Ok(path)
    }

    /// Makes prepared content visible as a space.
    fn publish(&self, space: &StagedSpace, prepared: Prepared) -> Result<ImportedSpace, Error> {
        let name = &space.target;
        // Cached state of the files is invalid afterwards.
        self.open
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .remove(name);
        let known = {
            let folder = self.folder.space(name);
            let clock = self.options.clock.clone();
            let source = SpaceSource::open(&folder, name, clock, true)?;
            let ExportedSpace {
                last_seq,
                last_hash,
                ..
            } = space.exported;
            let known = !source.is_unwritten()? && source.has_history(last_seq, last_hash)?;
            if !known {
                source.adopt(StagedContent {
                    folder: &prepared.folder,
                    config: prepared.config.as_ref(),
                })?;
            }
            known
        };
        let target = self.existing_space(name.as_str())?;
        let backup = &target.config().backup;
        Ok(ImportedSpace {
            space: name.to_string(),
            exported: space.exported.name.clone(),
            events: space.exported.last_seq.0,
            known,
            memories: target.source().statistics()?.memories,
            backups_to: (!known && backup.is_on()).then(|| backup.folder.clone()),
            import: prepared.import.filter(|_| !known),
        })
    }
}

/// What a space gets.
struct Prepared {
    folder: PathBuf,
    config: Option<SpaceConfig>,
    import: Option<ImportReport>,
}
