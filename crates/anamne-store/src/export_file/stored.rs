//! One space of an export file while it is stored: journal, database, and data beside the memories.

use std::fs::{File, OpenOptions};
use std::io::Write;
use std::path::{Path, PathBuf};

use super::checking::Chain;
use super::section::{Section, Tag};
use super::{ExportExtra, ExportedSpace, StagedSpace};
use crate::config::SpaceConfig;
use crate::examine::examine;
use crate::files::create_private_folder;
use crate::journal::{Entry, Journal};
use crate::restore;
use crate::space_name::SpaceName;
use crate::{Result, StoreError};

pub(super) struct StoredSpace {
    folder: PathBuf,
    target: SpaceName,
    config: SpaceConfig,
    journal: Journal,
    chain: Chain,
    extra: Option<(Tag, File)>,
}

/// Why a space can't be stored: the file is invalid, or the disk failed.
pub(super) enum Problem {
    Invalid(String),
    Store(StoreError),
}

impl From<StoreError> for Problem {
    fn from(error: StoreError) -> Self {
        match error {
            // The damage is in what the file says, not in a file of this store.
            StoreError::Damaged { reason, .. } => Self::Invalid(reason),
            StoreError::Json(error) => Self::Invalid(error.to_string()),
            StoreError::Sqlite(error) if is_contradiction(&error) => {
                Self::Invalid(error.to_string())
            }
            error => Self::Store(error),
        }
    }
}

/// Whether SQLite refused the content, not the disk.
fn is_contradiction(error: &rusqlite::Error) -> bool {
    use rusqlite::ErrorCode;
    match error.sqlite_error_code() {
        Some(code) => matches!(
            code,
            ErrorCode::ConstraintViolation | ErrorCode::TypeMismatch | ErrorCode::TooBig
        ),
        None => true,
    }
}

impl StoredSpace {
    pub(super) fn new(folder: PathBuf, target: SpaceName, config: SpaceConfig) -> Self {
        Self {
            journal: Journal::at(&folder.join("journal")),
            chain: Chain::default(),
            extra: None,
            folder,
            target,
            config,
        }
    }

    /// Checks and stores whole lines of the journal.
    pub(super) fn append(&mut self, text: &[u8]) -> Result<(), Problem> {
        let invalid = |reason: &str| Problem::Invalid(reason.to_owned());
        let text = std::str::from_utf8(text).map_err(|_| invalid("its journal is not UTF-8"))?;
        let mut lines = Vec::new();
        for line in text.split_inclusive('\n') {
            let line = line
                .strip_suffix('\n')
                .ok_or_else(|| invalid("a line of its journal is cut off"))?;
            let line = self.chain.next(line).map_err(Problem::Invalid)?;
            lines.push(Entry::of(&line).map_err(StoreError::from)?);
        }
        Ok(self.journal.append(&lines)?)
    }

    /// Writes a piece of a database beside the memories.
    pub(super) fn write_extra(
        &mut self,
        extra: ExportExtra,
        section: &Section,
    ) -> Result<(), Problem> {
        let path = extra.path(&self.folder);
        if self
            .extra
            .as_ref()
            .is_none_or(|(tag, _)| *tag != section.tag)
        {
            self.close_extra()?;
            if let Some(folder) = path.parent() {
                create_private_folder(folder)?;
            }
            self.extra = Some((section.tag, create_new(&path)?));
        }
        let Some((_, file)) = &mut self.extra else {
            return Ok(());
        };
        let written = file.write_all(&section.text);
        Ok(written.map_err(StoreError::io("write", &path))?)
    }

    fn close_extra(&mut self) -> Result<()> {
        match self.extra.take() {
            Some((_, file)) => file
                .sync_all()
                .map_err(StoreError::io("sync", &self.folder)),
            None => Ok(()),
        }
    }

    /// Builds the database from the journal and compares the two.
    pub(super) fn finish(mut self, exported: ExportedSpace) -> Result<StagedSpace, Problem> {
        let name = &exported.name;
        if (self.chain.seq, self.chain.hash) != (exported.last_seq, exported.last_hash) {
            return Err(Problem::Invalid(format!(
                "the space {name:?} ends at event {}, not as the manifest says at event {}",
                self.chain.seq, exported.last_seq
            )));
        }
        self.close_extra()?;
        self.journal.seal_full_segments()?;
        let database = self.folder.join("memories").join("active.db");
        create_private_folder(&self.journal.folder)?;
        let replayed =
            restore::database_from_journal(&database, &self.journal.folder, &self.folder)?;
        if let Some(reason) = replayed.stopped {
            return Err(Problem::Invalid(format!("the space {name:?}: {reason}")));
        }
        self.config.write(&self.folder.join("space.toml"))?;
        if let Some(finding) = examine(&self.folder)?.findings.first() {
            return Err(Problem::Invalid(format!("the space {name:?}: {finding}")));
        }
        Ok(StagedSpace {
            exported,
            config: self.config,
            target: self.target,
            folder: self.folder,
        })
    }
}

fn create_new(path: &Path) -> Result<File> {
    let mut options = OpenOptions::new();
    options.write(true).create_new(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    options.open(path).map_err(StoreError::io("create", path))
}
