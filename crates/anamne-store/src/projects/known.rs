//! The known projects of a store, and how a project is matched with them.

use std::fs;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};

use super::register::Register;
use super::{KnownProject, ProjectSpace, ProjectStatus, known};
use crate::clock::to_microseconds;
use crate::git::{LONGEST_HISTORY, Repository, stamp_of};
use crate::project::Project;
use crate::project_config::ProjectFolder;
use crate::space_name::SpaceName;
use crate::{Result, StoreError};

/// Commits searched for the first one again, if there was none when the folder was first seen.
const YOUNG_HISTORY: usize = 64;

/// Maximum number of spaces with the same label.
const MOST_ALIKE: u32 = 10_000;

/// Headings of generated files and other meaningless names: spaces with these names were shared by several projects.
const GENERIC: [&str; 24] = [
    "claude.md",
    "claude",
    "claude code",
    "agents.md",
    "agents",
    "gemini.md",
    "readme",
    "readme.md",
    "project",
    "project overview",
    "project instructions",
    "project guidelines",
    "project memory",
    "project notes",
    "overview",
    "instructions",
    "guidelines",
    "development guidelines",
    "repository guidelines",
    "notes",
    "memory",
    "todo",
    "introduction",
    "documentation",
];

/// The known projects of a store.
pub(super) struct KnownProjects {
    pub(super) projects: Vec<KnownProject>,
    pub(super) names: Vec<SpaceName>,
    /// Spaces with unreadable settings, with the text of the file.
    pub(super) damaged: Vec<(PathBuf, String, StoreError)>,
    pub(super) register: Register,
    pub(super) is_registered: bool,
}

/// The result of looking up a project.
pub(super) enum SpaceLookup {
    At { space: usize, folder: Option<usize> },
    Moved { space: usize, folder: usize },
    Nowhere { alike: Vec<usize> },
}

impl KnownProjects {
    pub(super) fn project_of(&self, space: &SpaceName) -> Option<&KnownProject> {
        self.projects.iter().find(|known| known.space == *space)
    }

    /// Every folder mapped to a space, with the indices of the space and the folder.
    fn folders(&self) -> impl Iterator<Item = (usize, usize, &ProjectFolder)> {
        let of_space =
            |(space, known): (usize, &'_ KnownProject)| (space, known.project.folders.len());
        self.projects
            .iter()
            .enumerate()
            .map(of_space)
            .flat_map(|(space, count)| (0..count).map(move |folder| (space, folder)))
            .map(|(space, folder)| (space, folder, &self.projects[space].project.folders[folder]))
    }

    pub(super) fn find(&self, project: &Project) -> SpaceLookup {
        let here = project.path();
        let at = |space, folder| SpaceLookup::At {
            space,
            folder: Some(folder),
        };
        let same_stamp = |folder: &ProjectFolder| {
            folder.stamp.is_some() && folder.stamp.as_deref() == project.stamp()
        };
        let mut folders = self.folders();
        if let Some((space, folder, _)) =
            folders.find(|(_, _, folder)| folder.path == here && same_stamp(folder))
        {
            return at(space, folder);
        }
        if let Some((space, folder, recorded)) =
            self.folders().find(|(_, _, folder)| same_stamp(folder))
        {
            // The same repository on another path, such as a second mount, or one that moved.
            return if is_still_there(recorded, project) {
                SpaceLookup::At {
                    space,
                    folder: None,
                }
            } else {
                SpaceLookup::Moved { space, folder }
            };
        }
        let is_same = |folder: &ProjectFolder| {
            let cannot_tell = folder.stamp.is_none() || project.stamp().is_none();
            let had_no_commit = folder.path == here && folder.identity.starts_with("path:");
            project.identified().is_of(folder) || (had_no_commit && cannot_tell)
        };
        let alike: Vec<_> = self
            .folders()
            .filter(|(_, _, folder)| is_same(folder))
            .collect();
        if let Some((space, folder, _)) = alike.iter().find(|(_, _, folder)| folder.path == here) {
            return at(*space, *folder);
        }
        let mut spaces: Vec<usize> = alike.iter().map(|(space, _, _)| *space).collect();
        spaces.dedup();
        match (&spaces[..], alike.first()) {
            ([space], Some((_, folder, _)))
                if !alike
                    .iter()
                    .any(|(_, _, folder)| is_still_there(folder, project)) =>
            {
                SpaceLookup::Moved {
                    space: *space,
                    folder: *folder,
                }
            }
            _ => SpaceLookup::Nowhere { alike: spaces },
        }
    }

    /// The new record of the project's folder; `None` if the existing one is up to date.
    pub(super) fn update(&self, project: &Project, found: &SpaceLookup) -> Option<ProjectFolder> {
        let SpaceLookup::At {
            space,
            folder: Some(folder),
        } = found
        else {
            return Some(project.record());
        };
        let recorded = &self.projects[*space].project.folders[*folder];
        let mut record = recorded.clone();
        if record.identity.starts_with("path:")
            && let Some(commit) = project.commit_within(YOUNG_HISTORY)
        {
            record.identity = format!("commit:{commit}");
        }
        record.stamp = project.stamp().map(str::to_owned);
        (record != *recorded).then_some(record)
    }

    pub(super) fn space(&self, project: &Project, found: &SpaceLookup) -> Result<ProjectSpace> {
        match found {
            SpaceLookup::At { space, .. } => Ok(known(self.projects[*space].space.clone())),
            SpaceLookup::Moved { space, folder } => {
                let KnownProject { space, project } = &self.projects[*space];
                let from = project.folders[*folder].location().unwrap_or_default();
                Ok(ProjectSpace {
                    name: space.clone(),
                    status: ProjectStatus::Moved { from },
                    notes: Vec::new(),
                })
            }
            SpaceLookup::Nowhere { alike } => self.new_space(project, alike),
        }
    }

    fn new_space(&self, project: &Project, alike: &[usize]) -> Result<ProjectSpace> {
        let here = project.path();
        let label = project.folder_label();
        let is_meant = |folder: &Path, text: &str| {
            let called = folder.file_name().map(|name| name.to_string_lossy());
            text.contains(&here)
                || label.as_ref().map(SpaceName::folder).as_deref() == called.as_deref()
        };
        if let Some((folder, _, error)) = self
            .damaged
            .iter()
            .find(|(folder, text, _)| is_meant(folder, text))
        {
            let reason = format!("it may belong to the project in {here}: {error}");
            return Err(StoreError::damaged(&folder.join("space.toml"), reason));
        }
        let mut notes = Vec::new();
        let card = project.card(&mut notes);
        let former = card.former.as_ref().filter(|former| {
            let earlier = &self.register.earlier;
            earlier.iter().any(|name| name == former.as_str()) && self.names.contains(former)
        });
        if let Some(former) = former
            && self.may_adopt(project, former)
        {
            return Ok(ProjectSpace {
                name: former.clone(),
                status: ProjectStatus::Adopted,
                notes,
            });
        }
        let alike = alike.iter().map(|space| self.projects[*space].clone());
        Ok(ProjectSpace {
            name: self.free_name(card.label.as_ref())?,
            status: ProjectStatus::New {
                alike: alike.collect(),
                formerly: former.cloned(),
            },
            notes,
        })
    }

    /// Whether a space of an earlier version may become this project's own: it has no project, its name is not generic,
    /// and the repository already existed before projects had identities, so it used that space.
    fn may_adopt(&self, project: &Project, former: &SpaceName) -> bool {
        let was_there = project
            .born()
            .is_some_and(|born| born <= to_microseconds(self.register.since));
        was_there && self.project_of(former).is_none() && !is_generic(former)
    }

    /// The label, with a number appended if it is taken or reserved.
    fn free_name(&self, label: Option<&SpaceName>) -> Result<SpaceName> {
        let label = match label {
            Some(label) => label.clone(),
            None => "project".parse()?,
        };
        let is_free = |name: &SpaceName| {
            !name.is_reserved()
                && !self.names.contains(name)
                && self
                    .damaged
                    .iter()
                    .all(|(folder, _, _)| !folder.ends_with(name.folder()))
                && name.check_new(&self.names).is_ok()
        };
        if is_free(&label) {
            return Ok(label);
        }
        let mut numbered = (2..MOST_ALIKE).filter_map(|number| label.numbered(number));
        numbered.find(is_free).ok_or_else(|| {
            let accepts = "free; choose a space with --space";
            anamne_types::InvalidValue::new("space", accepts, label.as_str()).into()
        })
    }
}

pub(super) fn is_generic(name: &SpaceName) -> bool {
    let name = name.as_str().to_lowercase();
    GENERIC.contains(&name.as_str())
}

/// Whether the project is still in the folder in which it was last seen. A folder that can't be read counts as present.
fn is_still_there(recorded: &ProjectFolder, project: &Project) -> bool {
    let Some(path) = recorded.location() else {
        return true;
    };
    if let Err(error) = fs::metadata(&path) {
        return !matches!(error.kind(), ErrorKind::NotFound | ErrorKind::NotADirectory);
    }
    let there = Repository::at(&path, &mut Vec::new());
    let stamp = match &there {
        Some(there) => there.stamp.clone(),
        None => stamp_of(&path),
    };
    match (stamp, &recorded.stamp) {
        (Some(stamp), Some(recorded)) if stamp == *recorded => true,
        // Another repository is there now, unless the same project was cloned again.
        (Some(_), Some(_)) => there.is_some_and(|there| {
            let commit = there.root_commit(LONGEST_HISTORY);
            commit.as_deref() == project.identified().commit()
        }),
        _ => there.is_some() || recorded.stamp.is_none(),
    }
}
