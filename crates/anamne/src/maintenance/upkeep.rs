//! Keeping a store safe: backups, verification and repair.

use std::path::{Path, PathBuf};
use std::sync::PoisonError;

use anamne_store::{
    BackupConfig, BackupReport, Examination, Finding, KnownBackup, Part, SpaceName, StoreError,
    Unreadable, entries, examine, repair,
};
use anamne_types::{NextStep, Right, Skipped};
use serde::{Deserialize, Serialize};

use crate::derived;
use crate::maintenance::doctor::CheckUp;
use crate::maintenance::travel::outside;
use crate::models::Models;
use crate::space::Space;
use crate::store::Store;
use crate::{Error, ErrorKind};

/// The result of verifying a space.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct Verification {
    /// The space's name, or its folder's name if unknown.
    pub space: String,
    /// The contents of both copies, and all findings, views included.
    #[serde(flatten)]
    pub examination: Examination,
}

/// The result of repairing a space.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct RepairReport {
    /// The space's name, or its folder's name if unknown.
    pub space: String,
    /// Repairs, and where the damaged files are now.
    pub repaired: Vec<String>,
    /// What was lost.
    pub lost: Vec<String>,
    /// Why the space was not repaired, if it is not known to be damaged.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub not_repaired: Option<NotRepaired>,
    /// Remaining findings.
    pub findings: Vec<Finding>,
    /// The next steps.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub next_steps: Vec<NextStep>,
}

/// Why a space was not repaired: another process uses it, a permission is missing, or a newer version wrote it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct NotRepaired {
    /// The error kind.
    pub kind: &'static str,
    /// The error message.
    pub message: String,
    /// The next step.
    pub next_step: NextStep,
}

impl NotRepaired {
    /// `None` for errors of loss or damage.
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
    /// Whether nothing was lost and no finding remains.
    pub fn is_whole(&self) -> bool {
        self.lost.is_empty() && self.findings.is_empty() && self.not_repaired.is_none()
    }
}

/// The result of a backup.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Backups {
    /// The backed-up spaces.
    pub spaces: Vec<BackupReport>,
    /// The skipped spaces, by name; the backup keeps its earlier copy of each.
    #[serde(skip_serializing_if = "Skipped::is_empty")]
    pub skipped: Skipped,
}

/// The result of removing a backup from the known ones.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct BackupRemoval {
    /// The spaces that knew it.
    pub spaces: Vec<String>,
    /// The spaces that could not be opened, by name; they may still know it.
    #[serde(skip_serializing_if = "Skipped::is_empty")]
    pub skipped: Skipped,
}

impl Store {
    /// Creates or updates the backup in `folder`, of the named space or all spaces. It is a complete store without
    /// views. Safe during writes and interruptions.
    ///
    /// Rejects a folder inside this store, a folder with other contents, and a modified backup. With all spaces, a
    /// failing one is listed in [`Backups::skipped`]; it is an error if none succeeds. An unwritable folder or a full
    /// disk ends the backup.
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

    /// Schedules backups of the named space, or all spaces; an empty folder ends the schedule. Returns the spaces. The
    /// first is made when due; [`Store::backup`] makes one at once.
    ///
    /// Rejects a folder inside this store.
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

    /// Removes `folder` from the known backups of the named space, or all spaces, without changing it; erasures no
    /// longer reach it. Returns the spaces that knew it.
    pub fn forget_backup(
        &self,
        folder: &Path,
        space: Option<&str>,
    ) -> Result<BackupRemoval, Error> {
        self.require(Right::Configure)?;
        let folder = outside(folder, self.root())?;
        let erased = self.forget_erased_backup(&folder, space)?;
        let (spaces, skipped) = match self.chosen(space) {
            Err(Error::Store(StoreError::NoSpace(_))) if !erased.is_empty() => Default::default(),
            chosen => chosen?,
        };
        let strike = |space: &Space| -> Result<Option<String>, Error> {
            let knew = space.source().forget_backup(&folder)?;
            Ok(knew.then(|| space.name().to_owned()))
        };
        let (knew, skipped) = each_space(&spaces, skipped, space.is_some(), &folder, strike)?;
        Ok(BackupRemoval {
            spaces: knew.into_iter().flatten().chain(erased).collect(),
            skipped,
        })
    }

    /// Verifies the named space, or all spaces: chains, checksums, versions, rows, views.
    ///
    /// Changes nothing and opens no space. O(bytes of the store).
    pub fn verify(&self, space: Option<&str>) -> Result<Vec<Verification>, Error> {
        self.require(Right::Configure)?;
        let examine_one = |(folder, name): (PathBuf, Option<SpaceName>)| Verification {
            space: label(&folder, name.as_ref()),
            examination: examine_space(&folder, &self.models)
                .unwrap_or_else(|error| unreadable(&folder, &error)),
        };
        Ok(self.folders(space)?.into_iter().map(examine_one).collect())
    }

    /// Repairs the named space, or all spaces, as far as either copy allows, and rebuilds damaged views.
    ///
    /// Damaged files are quarantined, never overwritten. No other process should have the spaces open.
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
                    if let Err(error) = self.repair_space(&folder, &name, &mut report) {
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
                let left = examine_space(&folder, &self.models);
                report.findings = left
                    .unwrap_or_else(|error| unreadable(&folder, &error))
                    .findings;
            }
            reports.push(report);
        }
        Ok(reports)
    }

    fn repair_space(
        &self,
        folder: &Path,
        name: &SpaceName,
        report: &mut RepairReport,
    ) -> Result<(), Error> {
        // Cached state of the files is invalid afterwards.
        self.open
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .remove(name);
        let mut repaired = repair(folder, name, self.options.clock.as_ref())?;
        let was_damaged = !repaired.repaired.is_empty() || !repaired.lost.is_empty();
        report.repaired.append(&mut repaired.repaired);
        report.lost.append(&mut repaired.lost);
        report.next_steps.append(&mut repaired.next_steps);
        let space = self.existing_space(name.as_str())?;
        if was_damaged {
            // They may have skipped memories that are restored now.
            space.inner.derived.skip_nothing()?;
        }
        report.repaired.append(&mut space.source().repaired());
        let mut derived = CheckUp::default();
        space.repair_derived(&mut derived)?;
        report.repaired.append(&mut derived.repaired);
        report.lost.append(&mut derived.problems);
        Ok(())
    }

    /// The folder of the named space, or of all spaces, openable or not.
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

    /// The named space, or all spaces, open. With all, failing ones are listed; it is an error if none opens.
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

/// Runs `work` for each space and lists failures; stops if the folder `target` is the reason. It is an error if it
/// fails for the `named` space, or for all.
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

/// Whether the target disk or folder failed, not one space.
pub(crate) fn is_of_target(error: &Error, target: &Path) -> bool {
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
    /// The known backups of this space.
    pub fn backups(&self) -> Result<Vec<KnownBackup>, Error> {
        Ok(self.source().backups()?)
    }

    /// Verifies this space, as [`Store::verify`] does, for callers that may only read it. Changes nothing. O(files).
    pub fn verify(&self) -> Result<Verification, Error> {
        let examined = examine_space(self.folder(), &self.inner.site.models);
        Ok(Verification {
            space: self.name().to_owned(),
            examination: examined.unwrap_or_else(|error| unreadable(self.folder(), &error)),
        })
    }
}

/// Examines both copies and everything derived of the space in a folder.
fn examine_space(folder: &Path, models: &Models) -> Result<Examination, Error> {
    let mut found = examine(folder)?;
    let mut derived = derived::examine(folder, models, found.last_seq)?;
    if !derived.is_empty() {
        // Views that other processes published meanwhile are not ahead of the log.
        let head = examine(folder)?.last_seq;
        derived = derived::examine(folder, models, head)?;
    }
    found.findings.extend(derived);
    Ok(found)
}

/// A space that can't be examined, such as one of a newer version, is a finding too.
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
