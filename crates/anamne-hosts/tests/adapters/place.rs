//! An account in a temporary folder.

use std::fs;
use std::path::{Path, PathBuf};

use anamne_hosts::adapters::{Adapter, adapter};
use anamne_hosts::{Commands, HostStatus, Plan, SetupScope};
use anamne_ingest::{Machine, Platform};
use tempfile::TempDir;

pub(crate) struct Home {
    folder: TempDir,
    /// The programs of the hosts that are asked for their version.
    programs: TempDir,
    pub(crate) machine: Machine,
    pub(crate) commands: Commands,
}

impl Home {
    pub(crate) fn new() -> Self {
        let folder = TempDir::new().unwrap();
        let home = folder.path().join("home");
        let mut machine = Machine::at(&home);
        machine.platform = Platform::Linux;
        machine.config = home.join(".config");
        machine.data = home.join(".local/share");
        fs::create_dir_all(&home).unwrap();
        let programs = TempDir::new().unwrap();
        fs::write(programs.path().join("opencode"), "").unwrap();
        let path = programs.path().display().to_string();
        machine.variables.insert("PATH".to_owned(), path);
        machine.version_of = |_| Some("1.18.33\n".to_owned());
        let commands = Commands {
            program: "anamne".to_owned(),
            global: Vec::new(),
        };
        Self {
            folder,
            programs,
            machine,
            commands,
        }
    }

    /// The same account with another program.
    pub(crate) fn with_program(mut self, program: &str) -> Self {
        program.clone_into(&mut self.commands.program);
        self
    }

    pub(crate) fn adapter(id: &str) -> &'static dyn Adapter {
        adapter(id).unwrap()
    }

    pub(crate) fn project(&self) -> SetupScope {
        SetupScope::Project(self.folder.path().join("project"))
    }

    pub(crate) fn path(&self, path: &str) -> PathBuf {
        match path.strip_prefix("project/") {
            Some(rest) => self.folder.path().join("project").join(rest),
            None => self.machine.home.join(path),
        }
    }

    pub(crate) fn folder(&self, path: &str) -> PathBuf {
        let path = self.path(path);
        fs::create_dir_all(&path).unwrap();
        path
    }

    pub(crate) fn write(&self, path: &str, text: impl AsRef<[u8]>) {
        let path = self.path(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }

    pub(crate) fn read(&self, path: &str) -> String {
        fs::read_to_string(self.path(path)).unwrap()
    }

    pub(crate) fn json(&self, path: &str) -> serde_json::Value {
        serde_json::from_str(&self.read(path)).unwrap()
    }

    pub(crate) fn set_up(&self, id: &str, scope: &SetupScope) -> Plan {
        Self::adapter(id).set_up(&self.machine, scope, &self.commands)
    }

    pub(crate) fn remove(&self, id: &str, scope: &SetupScope) -> Plan {
        Self::adapter(id).remove(&self.machine, scope)
    }

    pub(crate) fn remove_knowing(
        &self,
        id: &str,
        scope: &SetupScope,
        former: &[(PathBuf, String)],
    ) -> Plan {
        Self::adapter(id).remove_knowing(&self.machine, scope, former)
    }

    pub(crate) fn status(&self, id: &str, scope: &SetupScope) -> HostStatus {
        Self::adapter(id).status(&self.machine, scope, &self.commands)
    }

    /// Writes a plan, which must fit the files.
    pub(crate) fn apply(plan: &Plan) {
        for change in &plan.changes {
            assert_eq!(fs::read_to_string(&change.path).ok(), change.before);
            match &change.after {
                Some(text) => {
                    fs::create_dir_all(change.path.parent().unwrap()).unwrap();
                    let is_new = !change.path.exists();
                    fs::write(&change.path, text).unwrap();
                    if is_new && change.executable {
                        make_executable(&change.path);
                    }
                }
                None => fs::remove_file(&change.path).unwrap(),
            }
        }
    }

    /// The same account without the programs of hosts.
    pub(crate) fn without_programs(mut self) -> Self {
        fs::remove_file(self.programs.path().join("opencode")).unwrap();
        self.machine.version_of = |_| panic!("there is no program");
        self
    }

    /// All files, as paths below the temporary folder.
    pub(crate) fn files(&self) -> Vec<String> {
        let mut files = Vec::new();
        collect(self.folder.path(), &mut files);
        let mut names: Vec<String> = files
            .iter()
            .map(|file| {
                file.strip_prefix(self.folder.path())
                    .unwrap()
                    .display()
                    .to_string()
            })
            .collect();
        names.sort();
        names
    }
}

#[cfg(unix)]
pub(crate) fn make_executable(path: &Path) {
    use std::os::unix::fs::PermissionsExt;
    fs::set_permissions(path, fs::Permissions::from_mode(0o755)).unwrap();
}

#[cfg(not(unix))]
pub(crate) fn make_executable(_: &Path) {}

fn collect(folder: &Path, files: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            collect(&path, files);
        } else {
            files.push(path);
        }
    }
}
