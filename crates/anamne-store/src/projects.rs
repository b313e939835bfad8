//! Which space holds the memories of a project: found by its folder and its identity, never by a name that it gives itself.

use std::fs;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};

use jiff::Timestamp;
use serde::{Deserialize, Serialize};

use crate::StoreError;
use crate::bounded::read_regular;
use crate::clock::to_microseconds;
use crate::config::SpaceConfig;
use crate::files::{create_private_folder, entries, replace_file};
use crate::git::{Repository, stamp_of};
use crate::lock::WriteLock;
use crate::project::{Card, Project};
use crate::project_config::{ProjectConfig, ProjectFolder};
use crate::space_name::SpaceName;
use crate::store::StoreFolder;

/// The largest `space.toml` and `projects.toml` that are looked through for folders.
const LARGEST_FILE: u64 = 4 << 20;

/// Commits within which the first one is looked for again where there was none when the folder was first seen.
const YOUNG_HISTORY: usize = 64;

/// Numbers behind a folder's name that are tried before all spaces are looked through.
const FIRST_SIGHT: u32 = 10;

/// Spaces that are called alike at most.
const MOST_ALIKE: u32 = 10_000;

/// The version of `projects.toml`.
const REGISTER_FORMAT: i64 = 1;

/// First headings of files that tools generate, and names that say nothing: spaces called so were shared.
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

/// The space that holds the memories of a project, or will.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ProjectSpace {
    /// Its name.
    pub name: SpaceName,
    /// How it was found.
    pub standing: Standing,
    /// What a person should know, such as files that were passed over.
    pub notes: Vec<String>,
}

/// How the space of a project was found.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Standing {
    /// The folder was known.
    Known,
    /// The project was known in another folder, which is gone.
    Moved {
        /// The other folder.
        from: PathBuf,
    },
    /// A space that an earlier version used for this folder becomes the project's own.
    Adopted,
    /// The project gets a new space.
    New {
        /// Spaces of folders that are still there and hold the same project: copies of it, clones and forks.
        alike: Vec<KnownProject>,
        /// The space that an earlier version would have used, which may hold memories of others.
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

/// `projects.toml`: which spaces were there before projects had identities.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
struct Register {
    format: i64,
    /// When the file was written. A repository that was made later never used the spaces named here.
    since: Timestamp,
    /// The spaces that were there then.
    #[serde(default)]
    earlier: Vec<String>,
}

/// What the store knows of projects.
struct Known {
    projects: Vec<KnownProject>,
    names: Vec<SpaceName>,
    /// Spaces whose settings can't be read, with what stands in the file.
    damaged: Vec<(PathBuf, String, StoreError)>,
    register: Register,
    is_registered: bool,
}

/// Where a project was found.
enum Found {
    At { space: usize, folder: Option<usize> },
    Moved { space: usize, folder: usize },
    Nowhere { alike: Vec<usize> },
}

impl StoreFolder {
    /// The space of a project, as [`StoreFolder::claim_space`] would give it. Reads only.
    ///
    /// [`StoreError::Damaged`] where the settings of the space that is meant can't be read.
    pub fn space_of(&self, project: &Project, now: Timestamp) -> Result<ProjectSpace, StoreError> {
        if let Some(name) = self.at_first_sight(project) {
            return Ok(known(name));
        }
        let known = self.known_projects(now)?;
        let found = known.find(project);
        known.space(project, &found)
    }

    /// The space of a project, made if need be, and bound to its folder for good.
    ///
    /// A known folder with the same project keeps its space, whatever became of names and remotes. So does a project
    /// whose known folder is gone. Any other folder gets a space of its own, also where it holds a project that is
    /// known elsewhere: [`StoreFolder::join_projects`] is a person's to call.
    pub fn claim_space(
        &self,
        project: &Project,
        now: Timestamp,
    ) -> Result<ProjectSpace, StoreError> {
        let first = self.known_projects(now)?;
        let found = first.find(project);
        if first.update(project, &found).is_none() {
            return first.space(project, &found);
        }
        let claimed = self.with_projects(|| self.claim_under_lock(project, now));
        match (claimed, &found) {
            // What may only be read is used as it is.
            (Err(error), Found::At { .. } | Found::Moved { .. }) if error.is_read_only() => {
                first.space(project, &found)
            }
            (claimed, _) => claimed,
        }
    }

    fn claim_under_lock(
        &self,
        project: &Project,
        now: Timestamp,
    ) -> Result<ProjectSpace, StoreError> {
        let known = self.known_projects(now)?;
        let found = known.find(project);
        let Some(record) = known.update(project, &found) else {
            return known.space(project, &found);
        };
        let space = known.space(project, &found)?;
        if !known.is_registered {
            self.write_register(&known.register)?;
        }
        let card = match &space.standing {
            Standing::New { .. } => project.card(&mut Vec::new()),
            _ => Card::default(),
        };
        let formerly = match &space.standing {
            Standing::New { formerly, .. } => formerly.as_ref().map(ToString::to_string),
            _ => None,
        };
        self.change_project(&space.name, now, |config| {
            let folders = &mut config.project.folders;
            match &found {
                Found::At {
                    folder: Some(at), ..
                }
                | Found::Moved { folder: at, .. } => {
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
    pub fn projects(&self) -> Result<Vec<KnownProject>, StoreError> {
        let mut projects = self.known_projects(Timestamp::UNIX_EPOCH)?.projects;
        projects.sort_by(|one, other| one.space.cmp(&other.space));
        Ok(projects)
    }

    /// Spaces that earlier versions may have shared between projects: those whose names say nothing, and those that
    /// several projects would have used, until a person says that it is settled.
    pub fn shared_spaces(&self) -> Result<Vec<SpaceName>, StoreError> {
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

    /// Lets all folders of one space lead to another, and notes in the one where they went. Moves no memory.
    pub fn join_projects(
        &self,
        from: &SpaceName,
        into: &SpaceName,
        now: Timestamp,
    ) -> Result<(), StoreError> {
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

    /// Notes that a space holds nothing of other projects any more: a person has looked.
    pub fn settle_shared(&self, shared: &SpaceName, now: Timestamp) -> Result<(), StoreError> {
        self.with_projects(|| {
            let mut known = self.known_projects(now)?;
            for known in known.projects {
                if known.project.formerly.as_deref() == Some(shared.as_str()) {
                    self.change_project(&known.space, now, |config| {
                        config.project.formerly = None
                    })?;
                }
            }
            let earlier = &mut known.register.earlier;
            earlier.retain(|name| name != shared.as_str());
            self.write_register(&known.register)
        })
    }

    /// The space of a folder that is where it was, in a space that is called as the folder is, perhaps with a number behind
    /// it: the usual case, for which one small file is read.
    fn at_first_sight(&self, project: &Project) -> Option<SpaceName> {
        let label = project.folder_label()?;
        let stamp = project.stamp()?;
        let here = project.path();
        let is_here =
            |folder: &ProjectFolder| folder.path == here && folder.stamp.as_deref() == Some(stamp);
        let mut name = label.clone();
        for number in 2..FIRST_SIGHT {
            let path = self.space(&name).join("space.toml");
            let config = SpaceConfig::read(&path).ok()??;
            if config.name == name.as_str() && config.project.folders.iter().any(is_here) {
                return Some(name);
            }
            name = label.numbered(number)?;
        }
        None
    }

    fn with_projects<T>(
        &self,
        work: impl FnOnce() -> Result<T, StoreError>,
    ) -> Result<T, StoreError> {
        self.create()?;
        let lock = WriteLock::at(&self.root().join("projects.lock"));
        let _guard = lock.acquire()?;
        work()
    }

    /// Changes what stands in a space's settings, which are made if they are not there. Under the lock of projects.
    fn change_project(
        &self,
        name: &SpaceName,
        now: Timestamp,
        change: impl FnOnce(&mut SpaceConfig),
    ) -> Result<(), StoreError> {
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

    fn known_projects(&self, now: Timestamp) -> Result<Known, StoreError> {
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
        Ok(Known {
            projects,
            names,
            damaged,
            register,
            is_registered,
        })
    }

    fn register_path(&self) -> PathBuf {
        self.root().join("projects.toml")
    }

    fn read_register(&self) -> Result<Option<Register>, StoreError> {
        let path = self.register_path();
        let damaged = |reason: String| StoreError::damaged(&path, reason);
        let bytes =
            read_regular(&path, LARGEST_FILE).map_err(|unfit| damaged(unfit.to_string()))?;
        let Some(bytes) = bytes else { return Ok(None) };
        let register: Register =
            toml::from_slice(&bytes).map_err(|error| damaged(error.to_string()))?;
        if register.format > REGISTER_FORMAT {
            return Err(StoreError::Newer {
                path,
                found: register.format,
                known: REGISTER_FORMAT,
            });
        }
        Ok(Some(register))
    }

    fn write_register(&self, register: &Register) -> Result<(), StoreError> {
        let path = self.register_path();
        let text = toml::to_string(register)
            .map_err(|error| StoreError::damaged(&path, error.to_string()))?;
        replace_file(&path, text.as_bytes())
    }
}

impl Known {
    fn project_of(&self, space: &SpaceName) -> Option<&KnownProject> {
        self.projects.iter().find(|known| known.space == *space)
    }

    /// Every folder that leads to a space, with where it stands here.
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

    fn find(&self, project: &Project) -> Found {
        let here = project.path();
        let at = |space, folder| Found::At {
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
            // The same repository by another way, such as a second mount, or one that moved.
            return if is_still_there(recorded, project) {
                Found::At {
                    space,
                    folder: None,
                }
            } else {
                Found::Moved { space, folder }
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
                Found::Moved {
                    space: *space,
                    folder: *folder,
                }
            }
            _ => Found::Nowhere { alike: spaces },
        }
    }

    /// What is to be written down of the project's folder; nothing where it stands there already.
    fn update(&self, project: &Project, found: &Found) -> Option<ProjectFolder> {
        let Found::At {
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

    fn space(&self, project: &Project, found: &Found) -> Result<ProjectSpace, StoreError> {
        match found {
            Found::At { space, .. } => Ok(known(self.projects[*space].space.clone())),
            Found::Moved { space, folder } => {
                let KnownProject { space, project } = &self.projects[*space];
                let from = project.folders[*folder].location().unwrap_or_default();
                Ok(ProjectSpace {
                    name: space.clone(),
                    standing: Standing::Moved { from },
                    notes: Vec::new(),
                })
            }
            Found::Nowhere { alike } => self.new_space(project, alike),
        }
    }

    fn new_space(&self, project: &Project, alike: &[usize]) -> Result<ProjectSpace, StoreError> {
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
            let reason = format!("it may be the space of the project in {here}: {error}");
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
                standing: Standing::Adopted,
                notes,
            });
        }
        let alike = alike.iter().map(|space| self.projects[*space].clone());
        Ok(ProjectSpace {
            name: self.free_name(card.label.as_ref())?,
            standing: Standing::New {
                alike: alike.collect(),
                formerly: former.cloned(),
            },
            notes,
        })
    }

    /// Whether a space of an earlier version can be taken for this project's own: it has no project, its name says
    /// something, and the repository was there before projects had identities, so it used that space.
    fn may_adopt(&self, project: &Project, former: &SpaceName) -> bool {
        let was_there = project
            .born()
            .is_some_and(|born| born <= to_microseconds(self.register.since));
        was_there && self.project_of(former).is_none() && !is_generic(former)
    }

    /// The label, with a number behind it where it is taken or reserved.
    fn free_name(&self, label: Option<&SpaceName>) -> Result<SpaceName, StoreError> {
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
            let accepts = "free; name a space by --space";
            anamne_types::Refusal::new("space", accepts, label.as_str()).into()
        })
    }
}

fn known(name: SpaceName) -> ProjectSpace {
    ProjectSpace {
        name,
        standing: Standing::Known,
        notes: Vec::new(),
    }
}

fn is_generic(name: &SpaceName) -> bool {
    let name = name.as_str().to_lowercase();
    GENERIC.contains(&name.as_str())
}

/// Whether the project still lies in the folder in which it was last seen. What can't be looked at counts as there.
fn is_still_there(recorded: &ProjectFolder, project: &Project) -> bool {
    let Some(path) = recorded.location() else {
        return true;
    };
    match fs::metadata(&path) {
        Err(error) => !matches!(error.kind(), ErrorKind::NotFound | ErrorKind::NotADirectory),
        Ok(_) => {
            let there = Repository::at(&path, &mut Vec::new());
            let stamp = match &there {
                Some(there) => there.stamp.clone(),
                None => stamp_of(&path),
            };
            match (stamp, &recorded.stamp) {
                (Some(stamp), Some(recorded)) if stamp == *recorded => true,
                // Another repository lies there now, unless it is the same project, cloned anew.
                (Some(_), Some(_)) => there.is_some_and(|there| {
                    let commit = there.root_commit(crate::git::LONGEST_HISTORY);
                    commit == project.identified().commit().map(str::to_owned)
                }),
                _ => there.is_some() || recorded.stamp.is_none(),
            }
        }
    }
}
