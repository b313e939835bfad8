//! Keeping a store safe: backups, verification and repair.

use std::path::{Path, PathBuf};
use std::sync::PoisonError;

use anamne_store::{
    BackupConfig, BackupReport, Examination, Finding, KnownBackup, Part, SpaceName, StoreError,
    Unreadable, entries, examine, repair,
};
use anamne_types::{NextStep, Right, Skipped};
use serde::Serialize;

use crate::derived;
use crate::keep::doctor::CheckUp;
use crate::keep::travel::outside;
use crate::space::Space;
use crate::store::Store;
use crate::{Error, ErrorKind};

/// What reading a space back found.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Verification {
    /// The space's name, or its folder's where the name can't be told.
    pub space: String,
    /// What both copies hold, and everything that is wrong with them and with the views.
    #[serde(flatten)]
    pub examination: Examination,
}

/// What a repair of a space came to.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct RepairReport {
    /// The space's name, or its folder's where the name can't be told.
    pub space: String,
    /// What was mended, and where the damaged files are now.
    pub mended: Vec<String>,
    /// What could not be mended.
    pub lost: Vec<String>,
    /// Why the space was not repaired at all, where nothing is known to be wrong with it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub not_repaired: Option<NotRepaired>,
    /// What is still wrong afterwards.
    pub findings: Vec<Finding>,
    /// What a person can do about what was mended.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub next_steps: Vec<NextStep>,
}

/// Why a space was not repaired: another process uses it, a permission is missing, or a newer version wrote it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct NotRepaired {
    /// The word of the kind of failure.
    pub kind: &'static str,
    /// What happened.
    pub message: String,
    /// What a person can do next.
    pub next_step: NextStep,
}

impl NotRepaired {
    /// `None` for an error that says that something is lost or damaged.
    fn because_of(error: &Error) -> Option<Self> {
        let kind = error.kind();
        match kind {
            ErrorKind::Busy | ErrorKind::PermissionDenied | ErrorKind::NewerFormat => Some(Self {
                kind: kind.as_str(),
                message: error.to_string(),
                next_step: kind.next_step()?,
            }),
            _ => None,
        }
    }
}

impl RepairReport {
    /// Whether nothing was lost and nothing is wrong any more.
    pub fn is_whole(&self) -> bool {
        self.lost.is_empty() && self.findings.is_empty() && self.not_repaired.is_none()
    }
}

/// What backing up a store came to.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Backups {
    /// The spaces that were backed up.
    pub spaces: Vec<BackupReport>,
    /// The spaces that were not, by name: the backup holds of each what it held before.
    #[serde(skip_serializing_if = "Skipped::is_empty")]
    pub skipped: Skipped,
}

/// The spaces that no longer know of a backup.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct StruckBackup {
    /// Those that knew of it.
    pub spaces: Vec<String>,
    /// Those that could not be opened, by name, and may still know of it.
    #[serde(skip_serializing_if = "Skipped::is_empty")]
    pub skipped: Skipped,
}

impl Store {
    /// Brings the backup in `folder` up to date, and makes it if it is not there: of the space named, else of
    /// all spaces. It is a store of its own, without views. Safe while others write, and when interrupted.
    ///
    /// Refused for a folder inside this store, for one that holds something else, and for a backup that was
    /// written to since. Of all spaces, one that can't be backed up keeps back none of the others and is named in
    /// [`Backups::skipped`]; it is an error where none could be backed up. A folder that can't be written, or a full disk, ends
    /// the backup.
    pub fn backup(&self, folder: &Path, space: Option<&str>) -> Result<Backups, Error> {
        self.require(Right::Configure)?;
        let folder = outside(folder, self.root())?;
        let is_store = folder.join("spaces").is_dir();
        if !is_store && !entries(&folder)?.is_empty() {
            return Err(StoreError::NotEmpty { path: folder }.into());
        }
        let (spaces, skipped) = self.chosen(space)?;
        anamne_store::create_private_folder(&folder.join("spaces"))?;
        let back_up = |space: &Space| space.inner.back_up_to(&folder);
        let (spaces, skipped) = each_space(&spaces, skipped, space.is_some(), &folder, back_up)?;
        Ok(Backups { spaces, skipped })
    }

    /// Has the background of the space named, else of all spaces, make backups by itself, or not any more where the folder is
    /// empty. Says of which spaces. The first is made when it is next due; [`Store::backup`] makes one at once.
    ///
    /// Refused for a folder inside this store.
    pub fn schedule_backups(
        &self,
        schedule: &BackupConfig,
        space: Option<&str>,
    ) -> Result<(Vec<String>, Skipped), Error> {
        self.require(Right::Configure)?;
        if schedule.is_on() {
            outside(&schedule.folder, self.root())?;
        }
        let (spaces, skipped) = self.chosen(space)?;
        let set = |space: &Space| {
            space.configure(|config| config.backup = schedule.clone())?;
            Ok(space.name().to_owned())
        };
        each_space(&spaces, skipped, space.is_some(), &schedule.folder, set)
    }

    /// Strikes `folder` from the list of backups of the space named, else of all spaces, and changes nothing in it:
    /// erasures don't look there any more. Says which spaces knew of it.
    pub fn forget_backup(&self, folder: &Path, space: Option<&str>) -> Result<StruckBackup, Error> {
        self.require(Right::Configure)?;
        let folder = outside(folder, self.root())?;
        let (spaces, skipped) = self.chosen(space)?;
        let strike = |space: &Space| -> Result<Option<String>, Error> {
            let knew = space.source().forget_backup(&folder)?;
            Ok(knew.then(|| space.name().to_owned()))
        };
        let (knew, skipped) = each_space(&spaces, skipped, space.is_some(), &folder, strike)?;
        Ok(StruckBackup {
            spaces: knew.into_iter().flatten().collect(),
            skipped,
        })
    }

    /// Reads everything of the space named, else of all spaces, back: chains, checksums, states, rows, views.
    ///
    /// Changes nothing, mends nothing, and opens no space. O(bytes of the store).
    pub fn verify(&self, space: Option<&str>) -> Result<Vec<Verification>, Error> {
        self.require(Right::Configure)?;
        let examine_one = |(folder, name): (PathBuf, Option<SpaceName>)| Verification {
            space: label(&folder, name.as_ref()),
            examination: self
                .examine_folder(&folder)
                .unwrap_or_else(|error| unreadable(&folder, &error)),
        };
        Ok(self.folders(space)?.into_iter().map(examine_one).collect())
    }

    /// Mends the space named, else all spaces, as far as either copy allows, and builds damaged views again.
    ///
    /// Damaged files are set aside, never overwritten. No other process should have the spaces open.
    pub fn repair(&self, space: Option<&str>) -> Result<Vec<RepairReport>, Error> {
        self.require(Right::Configure)?;
        let mut reports = Vec::new();
        for (folder, name) in self.folders(space)? {
            let mut report = RepairReport {
                space: label(&folder, name.as_ref()),
                ..RepairReport::default()
            };
            match name {
                Some(name) => {
                    if let Err(error) = self.mend(&folder, &name, &mut report) {
                        report.not_repaired = NotRepaired::because_of(&error);
                        if report.not_repaired.is_none() {
                            report.lost.push(error.to_string());
                        }
                    }
                }
                None => report.lost.push(
                    "space.toml is unreadable, and the folder's name doesn't identify the space; recreate the file by hand"
                        .to_owned(),
                ),
            }
            if report.not_repaired.is_none() {
                let left = self.examine_folder(&folder);
                report.findings = left
                    .unwrap_or_else(|error| unreadable(&folder, &error))
                    .findings;
            }
            reports.push(report);
        }
        Ok(reports)
    }

    fn mend(
        &self,
        folder: &Path,
        name: &SpaceName,
        report: &mut RepairReport,
    ) -> Result<(), Error> {
        // What this process knew of the files is worth nothing afterwards.
        self.open
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .remove(name);
        let mut repaired = repair(folder, name, self.options.clock.as_ref())?;
        let was_damaged = !repaired.mended.is_empty() || !repaired.lost.is_empty();
        report.mended.append(&mut repaired.mended);
        report.lost.append(&mut repaired.lost);
        report.next_steps.append(&mut repaired.next_steps);
        let space = self.existing_space(name.as_str())?;
        if was_damaged {
            // They may have skipped what is there again now.
            space.inner.derived.skip_nothing()?;
        }
        report.mended.append(&mut space.source().mended());
        let mut derived = CheckUp::default();
        space.mend_derived(&mut derived)?;
        report.mended.append(&mut derived.mended);
        report.lost.append(&mut derived.problems);
        Ok(())
    }

    fn examine_folder(&self, folder: &Path) -> Result<Examination, Error> {
        let mut found = examine(folder)?;
        let derived = derived::examine(folder, &self.models, found.last_seq)?;
        found.findings.extend(derived);
        Ok(found)
    }

    /// The folder of the space named, else those of all spaces, whether they can be opened or not.
    fn folders(&self, space: Option<&str>) -> Result<Vec<(PathBuf, Option<SpaceName>)>, Error> {
        let mut folders = self.folder.folders()?;
        if let Some(name) = space {
            let name: SpaceName = name.parse()?;
            let wanted = self.folder.space(&name);
            folders.retain(|(folder, _)| *folder == wanted);
            match folders.first_mut() {
                Some((_, found)) => *found = Some(name),
                None => return Err(StoreError::NoSpace(name.to_string()).into()),
            }
        }
        Ok(folders)
    }

    /// The space named, else all spaces, open. Of all, those that can't be opened are named beside the others; it is an
    /// error where none can.
    pub(crate) fn chosen(&self, space: Option<&str>) -> Result<(Vec<Space>, Skipped), Error> {
        let mut passed = Skipped::default();
        if let Some(name) = space {
            return Ok((vec![self.existing_space(name)?], passed));
        }
        let mut first = None;
        let mut spaces = Vec::new();
        for name in self.spaces()? {
            match self.existing_space(name.as_str()) {
                Ok(space) => spaces.push(space),
                Err(error) => {
                    passed.add(&name, &error, error.next_step());
                    first.get_or_insert(error);
                }
            }
        }
        for Unreadable { folder, error } in self.unreadable_spaces()? {
            passed.add(label(&folder, None), &error, error.next_step());
            first.get_or_insert(error.into());
        }
        match first {
            Some(error) if spaces.is_empty() => Err(error),
            _ => Ok((spaces, passed)),
        }
    }
}

/// Does `work` for each space and names those for which it fails; stops where the folder `target` is the reason. It is an
/// error where it fails for the space that was `named`, or for all.
pub(crate) fn each_space<T>(
    spaces: &[Space],
    mut passed: Skipped,
    named: bool,
    target: &Path,
    work: impl Fn(&Space) -> Result<T, Error>,
) -> Result<(Vec<T>, Skipped), Error> {
    let mut done = Vec::with_capacity(spaces.len());
    let mut first = None;
    for space in spaces {
        match work(space) {
            Ok(one) => done.push(one),
            Err(error) if named || is_of_target(&error, target) => return Err(error),
            Err(error) => {
                passed.add(space.name(), &error, error.next_step());
                first.get_or_insert(error);
            }
        }
    }
    match first {
        Some(error) if done.is_empty() => Err(error),
        _ => Ok((done, passed)),
    }
}

/// Whether it is the disk or the folder that is written to which failed, and not one space.
fn is_of_target(error: &Error, target: &Path) -> bool {
    match error {
        Error::Store(
            StoreError::Io { path, .. }
            | StoreError::ReadOnly { path, .. }
            | StoreError::Busy { path, .. },
        ) => path.starts_with(target),
        Error::Store(StoreError::DiskFull { .. }) => true,
        Error::Store(error @ StoreError::Sqlite(_)) => !error.is_broken_database(),
        _ => false,
    }
}

impl Space {
    /// The folders to which this space was backed up.
    pub fn backups(&self) -> Result<Vec<KnownBackup>, Error> {
        Ok(self.source().backups()?)
    }
}

/// A space of which not even the damage can be told, such as one of a newer version, is a finding like others.
fn unreadable(folder: &Path, error: &Error) -> Examination {
    let database = folder.join("memories").join("active.db");
    let path = match error {
        Error::Store(StoreError::Newer { path, .. } | StoreError::Io { path, .. }) => path,
        Error::Store(StoreError::Sqlite(_)) => &database,
        _ => folder,
    };
    let file = path.strip_prefix(folder).unwrap_or(path);
    let part = match file.iter().next() {
        Some(first) if first == "journal" => Part::Journal,
        Some(first) if first == "memories" => Part::Database,
        Some(first) if first == "backup.json" => Part::Backup,
        _ => Part::Settings,
    };
    let finding = Finding::new(part, file.display().to_string(), None, error.to_string());
    Examination {
        findings: vec![finding],
        ..Examination::default()
    }
}

fn label(folder: &Path, name: Option<&SpaceName>) -> String {
    match name {
        Some(name) => name.to_string(),
        None => folder
            .file_name()
            .unwrap_or_default()
            .to_string_lossy()
            .into_owned(),
    }
}
