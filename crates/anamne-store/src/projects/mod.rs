//! Maps projects to spaces, by folder and identity, never by a name that the project chooses itself.

mod known;
mod register;

use std::path::PathBuf;

use jiff::Timestamp;

use crate::Result;
use crate::bounded::read_regular;
use crate::config::SpaceConfig;
use crate::files::{create_private_folder, entries};
use crate::lock::WriteLock;
use crate::project::{Project, ProjectDescription};
use crate::project_config::{ProjectConfig, ProjectFolder};
use crate::space_name::SpaceName;
use crate::store::StoreFolder;
use known::{KnownProjects, SpaceLookup, is_generic};
use register::{REGISTER_FORMAT, Register};

/// Maximum size of a `space.toml` or `projects.toml` that is searched for folders.
const LARGEST_FILE: u64 = 4 << 20;

/// Name suffixes tried before all spaces are searched.
const FAST_SUFFIXES: u32 = 10;

/// The existing or future space of a project.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ProjectSpace {
    /// Its name.
    pub name: SpaceName,
    /// How it was found.
    pub status: ProjectStatus,
    /// Messages for a person, such as skipped files.
    pub notes: Vec<String>,
}

/// How a project's space was found.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ProjectStatus {
    /// The folder is known.
    Known,
    /// The project is known from another folder, which no longer exists.
    Moved {
        /// The other folder.
        from: PathBuf,
    },
    /// A space that an earlier version used for this folder becomes the project's own.
    Adopted,
    /// The project gets a new space.
    New {
        /// Spaces of other existing folders with the same project: copies, clones and forks.
        alike: Vec<KnownProject>,
        /// The space that an earlier version would have used, which may hold memories of other projects.
        formerly: Option<SpaceName>,
    },
}

/// A space with its project.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct KnownProject {
    /// The space.
    pub space: SpaceName,
    /// Its project.
    pub project: ProjectConfig,
}

impl StoreFolder {
    /// The space that [`StoreFolder::claim_space`] would return for a project. Read-only.
    ///
    /// [`crate::StoreError::Damaged`] if the settings of that space can't be read.
    pub fn space_of(&self, project: &Project, now: Timestamp) -> Result<ProjectSpace> {
        if let Some(name) = self.find_space_fast(project) {
            return Ok(known(name));
        }
        let known = self.known_projects(now)?;
        let found = known.find(project);
        known.space(project, &found)
    }

    /// The space of a project, created if needed, and permanently assigned to its folder.
    ///
    /// A known folder with the same project keeps its space, whatever its name and remotes are now. So does a project
    /// whose known folder no longer exists. Any other folder gets its own space, even if its project is known
    /// elsewhere: only a person may merge them, with [`StoreFolder::join_projects`].
    pub fn claim_space(&self, project: &Project, now: Timestamp) -> Result<ProjectSpace> {
        let first = self.known_projects(now)?;
        let found = first.find(project);
        if first.update(project, &found).is_none() {
            return first.space(project, &found);
        }
        let claimed = self.with_projects(|| self.claim_under_lock(project, now));
        match (claimed, &found) {
            // A read-only store is used as it is.
            (Err(error), SpaceLookup::At { .. } | SpaceLookup::Moved { .. })
                if error.is_read_only() =>
            {
                first.space(project, &found)
            }
            (claimed, _) => claimed,
        }
    }

    fn claim_under_lock(&self, project: &Project, now: Timestamp) -> Result<ProjectSpace> {
        let known = self.known_projects(now)?;
        let found = known.find(project);
        let Some(record) = known.update(project, &found) else {
            return known.space(project, &found);
        };
        let space = known.space(project, &found)?;
        if !known.is_registered {
            self.write_register(&known.register)?;
        }
        let card = match &space.status {
            ProjectStatus::New { .. } => project.card(&mut Vec::new()),
            _ => ProjectDescription::default(),
        };
        let formerly = match &space.status {
            ProjectStatus::New { formerly, .. } => formerly.as_ref().map(ToString::to_string),
            _ => None,
        };
        self.change_project(&space.name, now, |config| {
            let folders = &mut config.project.folders;
            match &found {
                SpaceLookup::At {
                    folder: Some(at), ..
                }
                | SpaceLookup::Moved { folder: at, .. } => {
                    folders[*at] = record;
                }
                _ => folders.push(record),
            }
            if config.description.is_empty() {
                config.description = card.description;
            }
            config.project.formerly = config.project.formerly.take().or(formerly);
        })?;
        Ok(space)
    }

    /// The spaces that have a project, sorted by name.
    pub fn projects(&self) -> Result<Vec<KnownProject>> {
        let mut projects = self.known_projects(Timestamp::UNIX_EPOCH)?.projects;
        projects.sort_by(|one, other| one.space.cmp(&other.space));
        Ok(projects)
    }

    /// Spaces that earlier versions may have shared between projects: those with generic names, and those that several
    /// projects would have used, until a person settles it.
    pub fn shared_spaces(&self) -> Result<Vec<SpaceName>> {
        let known = self.known_projects(Timestamp::UNIX_EPOCH)?;
        let was_used = |name: &SpaceName| {
            let mut projects = known.projects.iter();
            projects.any(|other| other.project.formerly.as_deref() == Some(name.as_str()))
        };
        let has_project = |name: &SpaceName| {
            let mut projects = known.projects.iter();
            projects.any(|other| other.space == *name)
        };
        let is_shared = |name: &&SpaceName| {
            let is_earlier = known
                .register
                .earlier
                .iter()
                .any(|earlier| earlier == name.as_str());
            was_used(name) || (is_earlier && is_generic(name) && !has_project(name))
        };
        Ok(known.names.iter().filter(is_shared).cloned().collect())
    }

    /// Maps all folders of one space to another, and records the target in the first. Moves no memories.
    pub fn join_projects(&self, from: &SpaceName, into: &SpaceName, now: Timestamp) -> Result<()> {
        self.with_projects(|| {
            let known = self.known_projects(now)?;
            let moved = known.project_of(from).map(|known| known.project.clone());
            let moved = moved.unwrap_or_default();
            self.change_project(into, now, |config| {
                for folder in moved.folders {
                    let folders = &mut config.project.folders;
                    folders.retain(|there| there.path != folder.path);
                    folders.push(folder);
                }
                config.project.joined = None;
            })?;
            self.change_project(from, now, |config| {
                config.project = ProjectConfig {
                    joined: Some(into.to_string()),
                    ..ProjectConfig::default()
                };
            })
        })
    }

    /// Records that a space holds no memories of other projects any more, as checked by a person.
    pub fn settle_shared(&self, shared: &SpaceName, now: Timestamp) -> Result<()> {
        self.with_projects(|| {
            let mut known = self.known_projects(now)?;
            for known in known.projects {
                if known.project.formerly.as_deref() == Some(shared.as_str()) {
                    self.change_project(&known.space, now, |config| {
                        config.project.formerly = None;
                    })?;
                }
            }
            let earlier = &mut known.register.earlier;
            earlier.retain(|name| name != shared.as_str());
            self.write_register(&known.register)
        })
    }

    /// Fast path for a folder that didn't move and whose space has the folder's name, perhaps with a number appended:
    /// reads one small file.
    fn find_space_fast(&self, project: &Project) -> Option<SpaceName> {
        let label = project.folder_label()?;
        let stamp = project.stamp()?;
        let here = project.path();
        let is_here =
            |folder: &ProjectFolder| folder.path == here && folder.stamp.as_deref() == Some(stamp);
        let mut name = label.clone();
        for number in 2..FAST_SUFFIXES {
            let path = self.space(&name).join("space.toml");
            let config = SpaceConfig::read(&path).ok()??;
            if config.name == name.as_str() && config.project.folders.iter().any(is_here) {
                return Some(name);
            }
            name = label.numbered(number)?;
        }
        None
    }

    fn with_projects<T>(&self, work: impl FnOnce() -> Result<T>) -> Result<T> {
        self.create()?;
        let lock = WriteLock::at(&self.root().join("projects.lock"));
        let _guard = lock.acquire()?;
        work()
    }

    /// Changes a space's settings, which are created if missing. The projects lock must be held.
    fn change_project(
        &self,
        name: &SpaceName,
        now: Timestamp,
        change: impl FnOnce(&mut SpaceConfig),
    ) -> Result<()> {
        let folder = self.space(name);
        create_private_folder(&folder)?;
        let lock = WriteLock::at(&folder.join("write.lock"));
        let _guard = lock.acquire()?;
        let path = folder.join("space.toml");
        let before = SpaceConfig::read(&path)?;
        let mut config = before
            .clone()
            .unwrap_or_else(|| SpaceConfig::new(name.as_str(), now));
        change(&mut config);
        config.check()?;
        if before.as_ref() == Some(&config) {
            return Ok(());
        }
        config.write(&path)
    }

    fn known_projects(&self, now: Timestamp) -> Result<KnownProjects> {
        let (mut projects, mut names, mut damaged) = (Vec::new(), Vec::new(), Vec::new());
        for folder in entries(&self.root().join("spaces"))? {
            let path = folder.join("space.toml");
            let named = |config: SpaceConfig| {
                let space: SpaceName = config.name.parse()?;
                Ok((space, config.project))
            };
            match SpaceConfig::read(&path).and_then(|config| config.map(named).transpose()) {
                Ok(None) => {}
                Ok(Some((space, project))) => {
                    names.push(space.clone());
                    if project != ProjectConfig::default() {
                        projects.push(KnownProject { space, project });
                    }
                }
                Err(error) => {
                    let bytes = read_regular(&path, LARGEST_FILE).ok().flatten();
                    let text = bytes.map(|bytes| String::from_utf8_lossy(&bytes).into_owned());
                    damaged.push((folder, text.unwrap_or_default(), error));
                }
            }
        }
        names.sort();
        let read = self.read_register()?;
        let is_registered = read.is_some();
        let register = read.unwrap_or_else(|| Register {
            format: REGISTER_FORMAT,
            since: now,
            earlier: names
                .iter()
                .filter(|name| !name.is_reserved())
                .filter(|name| !projects.iter().any(|known| known.space == **name))
                .map(ToString::to_string)
                .collect(),
        });
        Ok(KnownProjects {
            projects,
            names,
            damaged,
            register,
            is_registered,
        })
    }
}

fn known(name: SpaceName) -> ProjectSpace {
    ProjectSpace {
        name,
        status: ProjectStatus::Known,
        notes: Vec::new(),
    }
}
