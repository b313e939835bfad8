//! A project on disk: the repository around a folder, its identity, and its self-description.

use std::path::Path;
use std::sync::OnceLock;

use crate::bounded::read_regular;
use crate::git::{LONGEST_HISTORY, Repository, born};
use crate::project_config::{ProjectFolder, path_text};
use crate::space_name::SpaceName;

/// Maximum size of a CLAUDE.md.
const LARGEST_CARD: u64 = 256 * 1024;

/// Maximum length of a project's description, in bytes.
const LONGEST_DESCRIPTION: usize = 500;

/// A project on disk. Finding it reads neither history nor CLAUDE.md; both are read when first needed.
#[derive(Debug)]
pub struct Project {
    repository: Repository,
    identity: OnceLock<Identity>,
}

/// The identity of a project, independent of its location and name.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Identity {
    commit: Option<String>,
    remote: Option<String>,
    path: String,
}

impl Identity {
    /// `commit:` and the first commit, else `remote:` and the normalised address, else `path:` and the folder.
    pub(crate) fn text(&self) -> String {
        match (&self.commit, &self.remote) {
            (Some(commit), _) => format!("commit:{commit}"),
            (None, Some(remote)) => format!("remote:{remote}"),
            (None, None) => format!("path:{}", self.path),
        }
    }

    /// Its first commit, if readable.
    pub(crate) fn commit(&self) -> Option<&str> {
        self.commit.as_deref()
    }

    /// Whether a recorded folder belongs to the same project. A recorded first commit must match, because anybody can
    /// write a remote address into a repository's configuration. Without a recorded one, as for a shallow clone, the
    /// address decides.
    pub(crate) fn is_of(&self, folder: &ProjectFolder) -> bool {
        match folder.identity.strip_prefix("commit:") {
            Some(recorded) => self.commit.as_deref() == Some(recorded),
            None if folder.identity == self.text() => true,
            None => self.remote.is_some() && self.remote == folder.remote,
        }
    }
}

/// A project's self-description.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct ProjectDescription {
    /// The preferred name.
    pub(crate) label: Option<SpaceName>,
    /// The description.
    pub(crate) description: String,
    /// The space that earlier versions used for it.
    pub(crate) former: Option<SpaceName>,
}

impl Project {
    /// The project around `folder`: the nearest folder, from `folder` upwards, that contains `.git`, if any.
    ///
    /// All worktrees of a repository are one project, whose folder is the main worktree. Messages for a person, such as
    /// a skipped `.git`, are added to `notes`.
    pub fn around(folder: &Path, notes: &mut Vec<String>) -> Option<Self> {
        let repository = folder
            .ancestors()
            .find_map(|candidate| Repository::at(candidate, notes))?;
        Some(Self {
            repository,
            identity: OnceLock::new(),
        })
    }

    /// The project's folder: the main worktree.
    pub fn root(&self) -> &Path {
        &self.repository.root
    }

    /// The project's identity: `commit:` and the id of its first commit, else `remote:` and the normalised address of
    /// its remote, else `path:` and its folder. Reads up to ten thousand commits on the first call.
    pub fn identity(&self) -> String {
        self.identified().text()
    }

    pub(crate) fn identified(&self) -> &Identity {
        self.identity.get_or_init(|| Identity {
            commit: self.repository.root_commit(LONGEST_HISTORY),
            remote: self.repository.remote(),
            path: self.path(),
        })
    }

    /// The first commit, if it is found within `most` commits.
    pub(crate) fn commit_within(&self, most: usize) -> Option<String> {
        self.repository.root_commit(most)
    }

    pub(crate) fn path(&self) -> String {
        path_text(&self.repository.root)
    }

    pub(crate) fn stamp(&self) -> Option<&str> {
        self.repository.stamp.as_deref()
    }

    /// When its repository was created, microseconds since 1970, if the file system records it.
    pub(crate) fn born(&self) -> Option<i64> {
        born(self.stamp()?)
    }

    /// The record of this folder for the settings.
    pub(crate) fn record(&self) -> ProjectFolder {
        let identity = self.identified();
        ProjectFolder {
            path: self.path(),
            identity: identity.text(),
            remote: identity.remote.clone(),
            stamp: self.stamp().map(str::to_owned),
        }
    }

    /// The description from the front matter of its CLAUDE.md; the folder's name is the fallback for the name.
    pub(crate) fn card(&self, notes: &mut Vec<String>) -> ProjectDescription {
        let path = self.root().join("CLAUDE.md");
        let text = match read_regular(&path, LARGEST_CARD) {
            Ok(None) => String::new(),
            Ok(Some(bytes)) => String::from_utf8(bytes).unwrap_or_else(|_| {
                notes.push(format!("{} ignored: not UTF-8", path.display()));
                String::new()
            }),
            Err(unfit) => {
                notes.push(format!("{} ignored: {unfit}", path.display()));
                String::new()
            }
        };
        let (front_matter, rest) = split_front_matter(&text);
        let folder_name = self.folder_name();
        let mut label = folder_name.as_deref().and_then(SpaceName::from_label);
        if let Some(wanted) = property(front_matter, "project") {
            match wanted.parse::<SpaceName>().and_then(|name| {
                let name = name.composed();
                name.check_characters().map(|()| name)
            }) {
                Ok(name) => label = Some(name),
                Err(refusal) => {
                    notes.push(format!(
                        "{}: `project` is ignored: {refusal}",
                        path.display()
                    ));
                }
            }
        }
        ProjectDescription {
            label,
            description: property(front_matter, "description").map_or_else(String::new, described),
            former: former_name(front_matter, rest)
                .or_else(|| folder_name.as_deref()?.parse().ok()),
        }
    }

    /// The name derived from its folder.
    pub(crate) fn folder_label(&self) -> Option<SpaceName> {
        SpaceName::from_label(&self.folder_name()?)
    }

    fn folder_name(&self) -> Option<String> {
        let name = self.root().file_name()?.to_string_lossy().into_owned();
        // Bare repositories are named like this.
        match name.strip_suffix(".git") {
            Some(plain) if !plain.is_empty() => Some(plain.to_owned()),
            _ => Some(name),
        }
    }
}

/// The name of the space that earlier versions used: `name:` in the front matter, else the first heading.
fn former_name(front_matter: &str, rest: &str) -> Option<SpaceName> {
    let heading = || rest.lines().find_map(|line| line.trim().strip_prefix("# "));
    let clean = |name: &str| name.trim().trim_matches(['"', '\'']).trim().parse().ok();
    property(front_matter, "name")
        .and_then(clean)
        .or_else(|| heading().and_then(clean))
}

fn property<'a>(front_matter: &'a str, name: &str) -> Option<&'a str> {
    let value = front_matter
        .lines()
        .find_map(|line| line.strip_prefix(name)?.strip_prefix(':'))?;
    let value = value.trim().trim_matches(['"', '\'']).trim();
    (!value.is_empty()).then_some(value)
}

/// The visible characters of a text, up to the maximum length.
fn described(text: &str) -> String {
    let mut text: String = text
        .chars()
        .filter(|character| !SpaceName::is_invisible(*character))
        .collect();
    text.truncate(text.floor_char_boundary(LONGEST_DESCRIPTION));
    text
}

fn split_front_matter(text: &str) -> (&str, &str) {
    let text = text.trim_start_matches('\u{feff}');
    let Some(body) = text
        .strip_prefix("---\n")
        .or_else(|| text.strip_prefix("---\r\n"))
    else {
        return ("", text);
    };
    body.split_once("\n---").unwrap_or(("", text))
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;

    #[track_caller]
    fn check(claude_md: Option<&str>, label: &str, former: &str) -> Vec<String> {
        let folder = tempfile::tempdir().expect("a temporary folder");
        let root = folder.path().join("river-watch");
        let inside = root.join("src/deep");
        fs::create_dir_all(&inside).expect("folders");
        fs::create_dir(root.join(".git")).expect("a .git folder");
        if let Some(text) = claude_md {
            fs::write(root.join("CLAUDE.md"), text).expect("CLAUDE.md");
        }
        let mut notes = Vec::new();
        let project = Project::around(&inside, &mut notes).expect("a project");
        assert_eq!(project.root(), fs::canonicalize(&root).expect("a path"));
        let card = project.card(&mut notes);
        assert_eq!(card.label.expect("a label").as_str(), label);
        assert_eq!(card.former.expect("a former name").as_str(), former);
        notes
    }

    #[test]
    fn a_project_is_labelled_by_front_matter_or_folder_and_never_by_a_heading() {
        let plain = "river-watch";
        check(None, plain, plain);
        check(Some("Notes without a heading"), plain, plain);
        check(Some("# CLAUDE.md\n\ntext"), plain, "CLAUDE.md");
        let named = "---\ntitle: x\nproject: \"gauges\"\n---\n# River Watch\n";
        assert_eq!(check(Some(named), "gauges", "River Watch"), [""; 0]);
        check(Some("---\nname: a/b\n---\n# Rivers\n"), plain, "Rivers");
        for bad in ["a/b", "c\u{43e}re", "a\u{200b}b"] {
            let text = format!("---\nproject: {bad}\n---\n");
            let notes = check(Some(&text), plain, plain);
            assert!(notes[0].contains("`project` is ignored"), "{notes:?}");
        }
    }
}
