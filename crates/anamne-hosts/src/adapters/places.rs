//! The paths of the table of hosts.

use std::path::{Path, PathBuf};

use anamne_ingest::{Machine, Platform};

use crate::plan::SetupScope;

/// Resolves the paths of the table for a machine and a scope.
#[derive(Clone, Copy)]
pub(super) struct Places<'a> {
    pub(super) machine: &'a Machine,
    pub(super) scope: &'a SetupScope,
}

impl Places<'_> {
    /// The list of paths of the scope, without repetitions.
    pub(super) fn files(&self, person: &[String], project: &[String]) -> Vec<PathBuf> {
        match self.scope {
            SetupScope::Person => self.all(person),
            SetupScope::Project(_) => self.all(project),
        }
    }

    /// These paths, without repetitions, without those of a project where there is none, and without those of packages
    /// that aren't installed.
    pub(super) fn all(&self, templates: &[String]) -> Vec<PathBuf> {
        let mut paths = Vec::new();
        let resolved = templates.iter().filter_map(|one| self.path(one));
        for path in resolved.flat_map(|path| installed(&path)) {
            if !paths.contains(&path) {
                paths.push(path);
            }
        }
        paths
    }

    /// A path; see the head of the table.
    pub(super) fn path(&self, template: &str) -> Option<PathBuf> {
        if let Some(rest) = template.strip_prefix("${") {
            let end = closing(rest)?;
            let (variable, default) = rest[..end].split_once(":-")?;
            let base = match self.machine.variable(variable) {
                Some(folder) => PathBuf::from(folder),
                None => self.path(default)?,
            };
            return Some(joined(&base, &rest[end + 1..]));
        }
        let (first, rest) = template.split_once('/').unwrap_or((template, ""));
        let base = match first {
            "~" => self.machine.home.clone(),
            "$config" => self.machine.config.clone(),
            "$data" => self.machine.data.clone(),
            "$support" => self.support(),
            "$packages" => match self.machine.platform {
                Platform::Windows => self.machine.data.join("Packages"),
                _ => return None,
            },
            "$project" => match self.scope {
                SetupScope::Project(root) => root.clone(),
                SetupScope::Person => return None,
            },
            _ => return Some(PathBuf::from(template)),
        };
        Some(joined(&base, rest))
    }

    fn support(&self) -> PathBuf {
        match self.machine.platform {
            Platform::MacOs => self.machine.home.join("Library/Application Support"),
            _ => self.machine.config.clone(),
        }
    }
}

/// A path whose first folder that ends in `*` stands for all folders there whose names begin like it; those that exist, in
/// order. Any other path is itself.
fn installed(path: &Path) -> Vec<PathBuf> {
    let pattern = path.ancestors().find_map(|folder| {
        let prefix = folder.file_name()?.to_str()?.strip_suffix('*')?;
        Some((folder, prefix.to_owned()))
    });
    let Some((pattern, prefix)) = pattern else {
        return vec![path.to_owned()];
    };
    let (Some(parent), Ok(rest)) = (pattern.parent(), path.strip_prefix(pattern)) else {
        return Vec::new();
    };
    let entries = std::fs::read_dir(parent).into_iter().flatten().flatten();
    let named = entries.filter(|entry| entry.file_name().to_string_lossy().starts_with(&prefix));
    let mut found: Vec<PathBuf> = named.map(|entry| entry.path().join(rest)).collect();
    found.sort();
    found
}

/// `rest` below `base`; `base` itself if it is empty.
fn joined(base: &Path, rest: &str) -> PathBuf {
    let rest = rest.trim_start_matches('/');
    if rest.is_empty() {
        base.to_owned()
    } else {
        base.join(rest)
    }
}

/// Where the brace closes that was opened before `text`.
fn closing(text: &str) -> Option<usize> {
    let mut open = 1;
    text.bytes().position(|byte| {
        open += i32::from(byte == b'{') - i32::from(byte == b'}');
        open == 0
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn machine() -> Machine {
        let mut machine = Machine::at("/home/ada");
        machine.platform = Platform::Linux;
        machine.config = PathBuf::from("/home/ada/.config");
        machine
    }

    fn check(machine: &Machine, template: &str, expected: &str) {
        let places = Places {
            machine,
            scope: &SetupScope::Project(PathBuf::from("/code/x")),
        };
        assert_eq!(
            places.path(template),
            Some(PathBuf::from(expected)),
            "{template}"
        );
    }

    #[test]
    fn paths_follow_the_home_the_platform_the_project_and_variables() {
        let mut machine = machine();
        check(&machine, "~/.codex", "/home/ada/.codex");
        check(&machine, "$config/zed", "/home/ada/.config/zed");
        check(&machine, "$support/Claude", "/home/ada/.config/Claude");
        check(&machine, "$project/.mcp.json", "/code/x/.mcp.json");
        check(&machine, "/etc/x.json", "/etc/x.json");
        check(&machine, "${A:-~}/.x", "/home/ada/.x");
        check(&machine, "${A:-${B:-~/.x}/data}/y", "/home/ada/.x/data/y");
        machine.variables.insert("B".to_owned(), "/b".to_owned());
        check(&machine, "${A:-${B:-~/.x}/data}/y", "/b/data/y");
        machine.variables.insert("A".to_owned(), "/a".to_owned());
        check(&machine, "${A:-${B:-~/.x}/data}/y", "/a/y");
        machine.platform = Platform::MacOs;
        check(
            &machine,
            "$support/Claude",
            "/home/ada/Library/Application Support/Claude",
        );
    }

    #[test]
    fn packages_exist_on_windows_and_stand_for_those_that_are_installed() {
        let folder = tempfile::TempDir::new().expect("a folder");
        let mut machine = machine();
        machine.data = folder.path().to_owned();
        let template = ["$packages/Claude_*/Roaming/x.json".to_owned()];
        let found = |machine: &Machine| {
            let scope = &SetupScope::Person;
            Places { machine, scope }.all(&template)
        };
        let packages = folder.path().join("Packages");
        for name in ["Claude_b", "Claude_a", "Claudes", "Other_c"] {
            std::fs::create_dir_all(packages.join(name)).expect("a folder");
        }
        assert_eq!(found(&machine), Vec::<PathBuf>::new());
        machine.platform = Platform::Windows;
        let expected =
            ["Claude_a", "Claude_b"].map(|name| packages.join(name).join("Roaming/x.json"));
        assert_eq!(found(&machine), expected);
        machine.data = folder.path().join("nothing");
        assert_eq!(found(&machine), Vec::<PathBuf>::new());
    }

    #[test]
    fn a_path_of_a_project_needs_a_project() {
        let machine = machine();
        let places = Places {
            machine: &machine,
            scope: &SetupScope::Person,
        };
        assert_eq!(places.path("$project/.mcp.json"), None);
    }
}
