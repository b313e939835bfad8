//! Describes projects and their spaces.

use std::path::Path;

use anamne::{KnownProject, Project, ProjectSpace, ProjectStatus, SpaceName, Store};
use serde::Serialize;

use crate::failure::Failure;
use crate::shell::shell_arguments;

/// Notes for the user on how the space of a project was found.
pub(crate) fn notes(found: &ProjectSpace, project: &Project) -> Vec<String> {
    let name = &found.name;
    let mut notes = found.notes.clone();
    match &found.status {
        ProjectStatus::Known => {}
        ProjectStatus::Moved { from } => notes.push(format!(
            "the project moved here from {}; it keeps its space {}",
            from.display(),
            quoted(name)
        )),
        ProjectStatus::Adopted => notes.push(format!(
            "the space {} was used for this folder before; it now belongs to the project",
            quoted(name)
        )),
        ProjectStatus::New { alike, formerly } => {
            for other in alike {
                notes.push(format!(
                    "{} contains the same project as {}, and gets its own space {}; to share one space: anamne spaces join {} {}",
                    project.root().display(),
                    folders(other),
                    quoted(name),
                    quoted(name),
                    quoted(&other.space)
                ));
            }
            if let Some(formerly) = formerly {
                notes.push(format!(
                    "earlier versions used the space {0} for this folder, which may contain memories of other projects; the folder now uses the space {1}. To move memories: anamne spaces split {0} {1} --thread NAME; to keep using {0}: anamne spaces join {1} {0}",
                    quoted(formerly),
                    quoted(name)
                ));
            }
        }
    }
    notes
}

/// The folders of a project, separated by commas.
fn folders(known: &KnownProject) -> String {
    let folders = known.project.folders.iter();
    folders
        .map(|folder| folder.path.as_str())
        .collect::<Vec<_>>()
        .join(", ")
}

/// A name quoted for a shell, safe from being read as an option.
pub(crate) fn quoted(name: &SpaceName) -> String {
    shell_arguments([name.as_str()])
}

/// A problem with projects that the user may want to correct.
#[derive(Debug, Serialize)]
pub(crate) struct ProjectWarning {
    /// The space concerned.
    space: String,
    /// The problem.
    pub(crate) finding: String,
    /// The commands that solve it.
    pub(crate) commands: Vec<String>,
}

/// Spaces shared by several projects, and projects with several folders.
pub(crate) fn findings(store: &Store) -> Result<Vec<ProjectWarning>, Failure> {
    let mut findings = Vec::new();
    let projects = store.projects()?;
    for shared in store.shared_spaces()? {
        if holds_nothing(store, &shared) {
            continue;
        }
        let used: Vec<&KnownProject> = projects
            .iter()
            .filter(|known| known.project.formerly.as_deref() == Some(shared.as_str()))
            .collect();
        let by = match &used[..] {
            [] => "its name is one that many projects share".to_owned(),
            used => {
                let users: Vec<_> = used
                    .iter()
                    .map(|known| format!("{} (now in the space {})", folders(known), known.space))
                    .collect();
                format!("earlier versions used it for {}", users.join(" and for "))
            }
        };
        let into = used
            .first()
            .map_or("NAME".to_owned(), |known| quoted(&known.space));
        findings.push(ProjectWarning {
            space: shared.to_string(),
            finding: format!(
                "the space {shared:?} may contain memories of several projects: {by}. Their origin was not recorded; tell them apart by thread, author, agent, tag or time",
                shared = shared.as_str()
            ),
            commands: vec![
                format!("anamne spaces split --thread NAME --dry-run {} {into}", quoted(&shared)),
                format!("anamne spaces split --settled {}", quoted(&shared)),
            ],
        });
    }
    findings.extend(copies(&projects));
    Ok(findings)
}

/// Projects with several folders that have separate spaces.
fn copies(projects: &[KnownProject]) -> Vec<ProjectWarning> {
    let identities = |known: &KnownProject| -> Vec<String> {
        let folders = known.project.folders.iter();
        folders.map(|folder| folder.identity.clone()).collect()
    };
    let mut findings = Vec::new();
    for (at, later) in projects.iter().enumerate() {
        let mine = identities(later);
        let first = projects[..at].iter().find(|earlier| {
            identities(earlier)
                .iter()
                .any(|identity| mine.contains(identity))
        });
        if let Some(first) = first {
            findings.push(ProjectWarning {
                space: later.space.to_string(),
                finding: format!(
                    "{} and {} contain the same project, each with its own memories ({:?} and {:?}); that is right for separate working copies",
                    folders(first),
                    folders(later),
                    first.space.as_str(),
                    later.space.as_str()
                ),
                commands: vec![format!(
                    "anamne spaces join {} {}",
                    quoted(&later.space),
                    quoted(&first.space)
                )],
            });
        }
    }
    findings
}

fn holds_nothing(store: &Store, name: &SpaceName) -> bool {
    let space = store.existing_space(name.as_str());
    space
        .and_then(|space| space.report())
        .is_ok_and(|report| report.statistics.memories == 0)
}

/// The folders and identity of a project, for output.
#[derive(Debug, Serialize)]
pub(crate) struct ProjectView {
    /// Its identities, without duplicates.
    pub(crate) identity: Vec<String>,
    /// Its folders.
    pub(crate) folders: Vec<String>,
    /// The space that it was merged into.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) joined: Option<String>,
}

impl ProjectView {
    /// The project of a space; `None` if it has none.
    pub(crate) fn of(project: &anamne::ProjectConfig) -> Option<Self> {
        if project.folders.is_empty() && project.joined.is_none() {
            return None;
        }
        let mut identity: Vec<_> = project
            .folders
            .iter()
            .map(|folder| folder.identity.clone())
            .collect();
        identity.sort();
        identity.dedup();
        Some(Self {
            identity,
            folders: project
                .folders
                .iter()
                .map(|folder| folder.path.clone())
                .collect(),
            joined: project.joined.clone(),
        })
    }

    /// The project as lines for a person.
    pub(crate) fn lines(&self) -> Vec<String> {
        let joined = self
            .joined
            .iter()
            .map(|into| format!("joined with the space {into}"));
        let folders = self.folders.iter().map(|folder| {
            let mark = if Path::new(folder).exists() {
                ""
            } else {
                " (gone)"
            };
            format!("{folder}{mark}")
        });
        let identity = self.identity.iter().cloned();
        joined.chain(folders).chain(identity).collect()
    }
}

#[cfg(test)]
mod tests {
    #[track_caller]
    fn check(name: &str, expected: &str) {
        assert_eq!(super::quoted(&name.parse().expect("a name")), expected);
    }

    #[test]
    fn a_command_that_is_copied_means_the_same_name() {
        check("api-2", "api-2");
        check("River Watch", "'River Watch'");
        check("$(touch x)", "'$(touch x)'");
        check("it's", r"'it'\''s'");
        check("-x", "-- -x");
        check("日本語", "'日本語'");
    }
}
