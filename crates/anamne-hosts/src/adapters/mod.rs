//! What differs between hosts.
//!
//! Nearly everything is in the table `data/hosts.toml`: files, tables, keys, names of events. One adapter carries it out,
//! with a module for each shape: `server` for the MCP entry, `hooks` for lists of hooks, `scripts` for executable
//! files, `plugin` for a program that the host loads, `instructions` for the block, `codex` for the trust that Codex demands. Files are read here, never written.

mod codex;
mod command;
mod connected;
mod drafts;
mod hooks;
mod instructions;
mod places;
mod plugin;
mod scripts;
mod server;
mod shapes;
mod snippet;
mod table;

use std::path::PathBuf;
use std::sync::LazyLock;

use anamne_ingest::Machine;

use crate::plan::{Commands, HostStatus, Plan, SetupScope};
pub use command::is_ours;
use connected::TableAdapter;
pub(crate) use table::{Entry, entries};

/// What set-up can do with a host. Reads files; writes none.
///
/// Hosts share files: two may read the same `AGENTS.md`. Apply the plan of one host before asking for that of the next.
pub trait Adapter: Sync {
    /// What shows that the host is installed, such as its folder; `None` if it isn't.
    fn found(&self, machine: &Machine) -> Option<PathBuf>;

    /// The changes that connect the host. A file that set-up may not change, since its path or shape is only reported, is
    /// in [`Plan::by_hand`] with the text to add.
    fn set_up(&self, machine: &Machine, scope: &SetupScope, commands: &Commands) -> Plan;

    /// The changes that take our entries out again, with the tables that become empty by that.
    fn remove(&self, machine: &Machine, scope: &SetupScope) -> Plan {
        self.remove_knowing(machine, scope, &[])
    }

    /// The same for files of which is known what they were before set-up, as [`former_texts`](crate::files::former_texts)
    /// tells: what was in them then stays.
    fn remove_knowing(
        &self,
        machine: &Machine,
        scope: &SetupScope,
        former: &[(PathBuf, String)],
    ) -> Plan;

    /// What is set up.
    fn status(&self, machine: &Machine, scope: &SetupScope, commands: &Commands) -> HostStatus;
}

static ADAPTERS: LazyLock<Vec<TableAdapter>> =
    LazyLock::new(|| entries().iter().map(TableAdapter::new).collect());

/// The adapter of a host.
pub fn adapter(id: &str) -> Option<&'static dyn Adapter> {
    let found = ADAPTERS.iter().find(|adapter| adapter.id() == id)?;
    Some(found)
}
