//! Reads an export file into a folder of its own, as a store in which every space is verified.

use std::collections::BTreeSet;
use std::fs::{File, TryLockError};
use std::io::{Read, Write};
use std::path::{Path, PathBuf};
use std::time::Duration;

use jiff::Timestamp;

use super::section::{MAGIC, Section, SectionReader, Tag, Unreadable};
use super::stored::{Problem, StoredSpace};
use super::{EXPORT_FORMAT, ExportExtra, ExportManifest, ExportedSpace, MAX_SPACES};
use crate::config::SpaceConfig;
use crate::files::{
    UNFINISHED, create_private_folder, entries, open_private_file, remove_if_there, unfinished,
};
use crate::space_name::SpaceName;
use crate::store::StoreFolder;
use crate::{Result, StoreError};

/// The beginning of the name of the folder in which files are read.
const STAGING: &str = "import";

/// Whether a file begins like an export file; reads at most eight bytes.
pub fn is_export_file(mut beginning: impl Read) -> std::io::Result<bool> {
    let mut magic = Vec::new();
    beginning
        .by_ref()
        .take(MAGIC.len() as u64)
        .read_to_end(&mut magic)?;
    Ok(magic == MAGIC)
}

/// A space read from a file, complete and verified, that isn't part of any store yet.
#[derive(Debug)]
pub struct StagedSpace {
    /// What the file says about it.
    pub exported: ExportedSpace,
    /// Its settings in the file.
    pub config: SpaceConfig,
    /// The name that it gets.
    pub target: SpaceName,
    /// Its folder, with `journal` and `memories/active.db`.
    pub folder: PathBuf,
}

/// The spaces read from a file, in a folder that is removed when this is dropped.
#[derive(Debug)]
pub struct StagedExport {
    /// When the file was made.
    pub made_at: Timestamp,
    /// The chosen spaces.
    pub spaces: Vec<StagedSpace>,
    staging: Staging,
}

impl StagedExport {
    /// The folder, a store with the chosen spaces under their names in the file.
    pub fn store(&self) -> PathBuf {
        self.staging.folder.join("file")
    }

    /// Another folder that is removed with this one, for a store made of what was read.
    pub fn beside(&self, name: &str) -> PathBuf {
        self.staging.folder.join(name)
    }
}

/// The folder in which files are read.
#[derive(Debug)]
struct Staging {
    folder: PathBuf,
    /// Locked while the folder is in use; closing it releases the lock.
    _lock: File,
}

impl Staging {
    /// Removes what an interrupted import left, and creates the folder. One import at a time.
    fn begin(store: &Path) -> Result<Self> {
        create_private_folder(store)?;
        let lock = lock(&store.join("import.lock"))?;
        let leftover = format!("{STAGING}{UNFINISHED}");
        for path in entries(store)? {
            let name = path.file_name().unwrap_or_default().to_string_lossy();
            if name.starts_with(&leftover) {
                remove_if_there(&path)?;
            }
        }
        let folder = unfinished(&store.join(STAGING));
        create_private_folder(&folder.join("file").join("spaces"))?;
        Ok(Self {
            folder,
            _lock: lock,
        })
    }
}

/// Locks the file at `path`; [`StoreError::Busy`] if another import runs, which may take minutes.
fn lock(path: &Path) -> Result<File> {
    let file = open_private_file(path)?;
    match file.try_lock() {
        Ok(()) => Ok(file),
        Err(TryLockError::WouldBlock) => Err(StoreError::Busy {
            path: path.to_owned(),
            waited: Duration::ZERO,
        }),
        Err(TryLockError::Error(error)) => Err(StoreError::io("lock", path)(error)),
    }
}

impl Drop for Staging {
    fn drop(&mut self) {
        // If that fails, the next import removes it.
        let _ = remove_if_there(&self.folder);
    }
}

/// Reads a file into a folder of its own in the store folder `store`, and verifies everything: digests, chains,
/// payloads, settings, and that both copies of each space agree. Nothing that others see is created; on any failure the
/// folder is removed.
///
/// `choose` gets each space of the file before anything of it is stored, and returns the name of the space that it is
/// for; `None` leaves it out. Data beside the memories is stored only if `with_extras`. The file may have `most_text` bytes
/// of text in all. `label` names the file in errors.
/// One pass, with memory for a few sections.
pub fn stage_export<E: From<StoreError>>(
    label: &Path,
    input: impl Read,
    store: &Path,
    with_extras: bool,
    most_text: u64,
    mut choose: impl FnMut(&ExportedSpace) -> Result<Option<SpaceName>, E>,
) -> Result<StagedExport, E> {
    let refused = |unreadable: Unreadable| of_file(label, unreadable);
    let mut reader = SectionReader::begin(input, most_text).map_err(refused)?;
    let first = reader.next().map_err(refused)?;
    let manifest = manifest(&first).map_err(|reason| refused(Unreadable::Invalid(reason)))?;
    let mut targets = Vec::new();
    for space in &manifest.spaces {
        targets.push(choose(space)?);
    }
    let staging = Staging::begin(store)?;
    let mut file = StagedFile {
        label,
        folder: staging.folder.join("file"),
        manifest: &manifest,
        targets: &targets,
        with_extras,
        open: None,
        done: Vec::new(),
    };
    file.read(&mut reader)?;
    let spaces = file.done;
    Ok(StagedExport {
        made_at: manifest.made_at,
        spaces,
        staging,
    })
}

fn of_file(label: &Path, unreadable: Unreadable) -> StoreError {
    match unreadable {
        Unreadable::Invalid(reason) => StoreError::InvalidExport {
            path: label.to_owned(),
            reason,
        },
        Unreadable::Newer(found) => StoreError::Newer {
            path: label.to_owned(),
            found: found.into(),
            known: EXPORT_FORMAT.into(),
        },
        Unreadable::Io(error) => StoreError::io("read", label)(error),
    }
}

/// Parses the first section.
fn manifest(first: &Section) -> Result<ExportManifest, String> {
    if first.tag != Tag::Manifest {
        return Err("it has no manifest".to_owned());
    }
    let manifest: ExportManifest =
        serde_json::from_slice(&first.text).map_err(|error| format!("its manifest: {error}"))?;
    if manifest.spaces.is_empty() || manifest.spaces.len() > MAX_SPACES {
        return Err(format!("it must have 1 to {MAX_SPACES} spaces"));
    }
    let mut folders = BTreeSet::new();
    for space in &manifest.spaces {
        let name: SpaceName = space
            .name
            .parse()
            .map_err(|error| format!("its manifest: {error}"))?;
        if !folders.insert(name.folder()) {
            return Err(format!("it has the space {:?} twice", space.name));
        }
    }
    if !manifest.extras.is_sorted_by(|one, other| one < other) {
        return Err("its manifest lists extras twice".to_owned());
    }
    Ok(manifest)
}

/// The file as far as it was read.
struct StagedFile<'file> {
    label: &'file Path,
    folder: PathBuf,
    manifest: &'file ExportManifest,
    targets: &'file [Option<SpaceName>],
    with_extras: bool,
    open: Option<OpenSpace>,
    done: Vec<StagedSpace>,
}

/// The space whose sections are being read.
struct OpenSpace {
    number: usize,
    /// The tag of the last section, because sections are in the order of their tags.
    last: Tag,
    /// What is stored of it; `None` if it was not chosen.
    stored: Option<StoredSpace>,
}

impl StagedFile<'_> {
    fn invalid(&self, reason: impl Into<String>) -> StoreError {
        of_file(self.label, Unreadable::Invalid(reason.into()))
    }

    fn problem(&self, problem: Problem) -> StoreError {
        match problem {
            Problem::Invalid(reason) => self.invalid(reason),
            Problem::Store(error) => error,
        }
    }

    fn read(&mut self, reader: &mut SectionReader<impl Read>) -> Result<()> {
        loop {
            let section = reader
                .next()
                .map_err(|unreadable| of_file(self.label, unreadable))?;
            if section.tag == Tag::End {
                self.close()?;
                let read = self.open.take().map_or(0, |open| open.number + 1);
                if read != self.manifest.spaces.len() {
                    return Err(self.invalid("spaces of its manifest are missing"));
                }
                return Ok(());
            }
            self.take(&section)?;
        }
    }

    fn take(&mut self, section: &Section) -> Result<()> {
        let number = section.space as usize;
        if section.tag == Tag::Settings {
            let expected = self.open.as_ref().map_or(0, |open| open.number + 1);
            if number != expected || number >= self.manifest.spaces.len() {
                return Err(self.out_of_order());
            }
            self.close()?;
            return self.open_space(number, &section.text);
        }
        let in_order = |open: &OpenSpace| {
            open.number == number && open.last <= section.tag && section.tag > Tag::Settings
        };
        if !self.open.as_ref().is_some_and(in_order) {
            return Err(self.out_of_order());
        }
        if let Some(extra) = extra_of(section.tag)
            && !self.manifest.extras.contains(&extra)
        {
            return Err(self.invalid("it has data that its manifest doesn't list"));
        }
        let Some(open) = &mut self.open else {
            return Ok(());
        };
        open.last = section.tag;
        let Some(stored) = &mut open.stored else {
            return Ok(());
        };
        let outcome = match extra_of(section.tag) {
            Some(_) if !self.with_extras => Ok(()),
            Some(extra) => stored.write_extra(extra, section),
            None => stored.append(&section.text),
        };
        outcome.map_err(|problem| self.problem(problem))
    }

    fn out_of_order(&self) -> StoreError {
        self.invalid("its sections are out of order")
    }

    fn open_space(&mut self, number: usize, settings: &[u8]) -> Result<()> {
        let stored = match &self.targets[number] {
            None => None,
            Some(target) => {
                let name = &self.manifest.spaces[number].name;
                let name: SpaceName = name.parse()?;
                let folder = StoreFolder::at(&self.folder).space(&name);
                create_private_folder(&folder.join("memories"))?;
                let config = self.settings(&folder, settings, &name)?;
                Some(StoredSpace::new(folder, target.clone(), config))
            }
        };
        self.open = Some(OpenSpace {
            number,
            last: Tag::Settings,
            stored,
        });
        Ok(())
    }

    /// Reads settings as those of a space are read. They are written last, so the folder is no space until then.
    fn settings(&self, folder: &Path, text: &[u8], name: &SpaceName) -> Result<SpaceConfig> {
        let path = folder.join("settings.read");
        open_private_file(&path)?
            .write_all(text)
            .map_err(StoreError::io("write", &path))?;
        let read = SpaceConfig::read(&path);
        remove_if_there(&path)?;
        let of_space = |reason: &dyn std::fmt::Display| {
            self.invalid(format!(
                "the settings of the space {:?}: {reason}",
                name.as_str()
            ))
        };
        match read {
            Ok(Some(config)) if config.name == name.as_str() => Ok(config),
            Ok(_) => Err(of_space(&"they have another name")),
            Err(StoreError::Damaged { reason, .. }) => Err(of_space(&reason)),
            Err(StoreError::Newer { found, known, .. }) => Err(StoreError::Newer {
                path: self.label.to_owned(),
                found,
                known,
            }),
            Err(error) => Err(error),
        }
    }

    /// Completes the open space: builds its database from its journal and compares the two.
    fn close(&mut self) -> Result<()> {
        let Some(open) = &mut self.open else {
            return Ok(());
        };
        let Some(stored) = open.stored.take() else {
            return Ok(());
        };
        let exported = self.manifest.spaces[open.number].clone();
        let space = stored
            .finish(exported)
            .map_err(|problem| self.problem(problem))?;
        self.done.push(space);
        Ok(())
    }
}

fn extra_of(tag: Tag) -> Option<ExportExtra> {
    match tag {
        Tag::Paid => Some(ExportExtra::Paid),
        Tag::Observed => Some(ExportExtra::Observed),
        Tag::External => Some(ExportExtra::External),
        _ => None,
    }
}
