//! What a set-up changes, and what is set up already.

use std::path::PathBuf;

use serde::Serialize;

use crate::hook::HookEvent;

/// The commands that a host is told to run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Commands {
    /// The program: `anamne` if hosts find it, else its absolute path.
    pub program: String,
    /// Arguments before the command, such as `--store DIR`.
    pub global: Vec<String>,
}

impl Commands {
    /// The program and arguments of the MCP server.
    pub fn server(&self) -> (String, Vec<String>) {
        let mut arguments = self.global.clone();
        arguments.push("mcp".to_owned());
        (self.program.clone(), arguments)
    }

    /// The program and arguments of a hook. They never change between versions: hosts trust a hook by its command.
    pub fn hook(&self, event: HookEvent, host: &str) -> (String, Vec<String>) {
        let mut arguments = self.global.clone();
        arguments.extend(["hook", event.as_str(), "--host", host].map(str::to_owned));
        (self.program.clone(), arguments)
    }
}

/// Whose configuration is changed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum SetupScope {
    /// The person's, for all projects.
    Person,
    /// That of the project in this folder.
    Project(PathBuf),
}

/// A file before and after a change; `None` if it doesn't exist.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FileChange {
    /// The file as the host names it; it may be a symbolic link.
    pub path: PathBuf,
    /// Its text before.
    pub before: Option<String>,
    /// Its text after.
    pub after: Option<String>,
    /// Whether a file that the change creates can be run by everybody who may read it. An existing one keeps its mode.
    /// Without effect on Windows.
    pub executable: bool,
}

/// A file that is left as it is, and why.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct LeftAlone {
    /// The file.
    pub path: PathBuf,
    /// Why.
    pub reason: String,
}

/// What the set-up of one host changes. Nothing is written yet.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Plan {
    /// The changed files; empty if everything is in place.
    pub changes: Vec<FileChange>,
    /// Files that can't be understood.
    pub left_alone: Vec<LeftAlone>,
    /// What the person must do, in full sentences.
    pub by_hand: Vec<String>,
}

impl Plan {
    /// Whether a step of the person is to add text to a file.
    pub fn has_text_to_add(&self) -> bool {
        self.by_hand.iter().any(|step| step.contains('\n'))
    }
}

/// Whether a host's configuration starts our server.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Connection {
    /// There is no entry.
    Absent,
    /// The entry is the one that set-up writes.
    Current,
    /// There is an entry named anamne with another command.
    Different,
    /// The file can't be understood.
    Unreadable,
}

/// A hook as configured.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct HookState {
    /// The event.
    pub event: HookEvent,
    /// Whether its entry is there.
    pub configured: bool,
    /// Whether the host has to be told to trust it before it runs.
    pub waits_for_trust: bool,
}

/// What is set up in a host.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct HostStatus {
    /// The MCP entry.
    pub server: Connection,
    /// The hooks; empty if the host has none.
    pub hooks: Vec<HookState>,
    /// Whether our block is in its instruction file; `None` if it has no such file.
    pub instructions: Option<bool>,
    /// What keeps it from working, in full sentences: hooks disabled, a hook that waits for trust.
    pub warnings: Vec<String>,
}
