//! What differs between hosts.

use std::path::PathBuf;

use anamne_ingest::Machine;

use crate::plan::{Commands, HostStatus, Plan, SetupScope};

/// What set-up can do with a host. Reads files; writes none.
pub trait Adapter: Sync {
    /// What shows that the host is installed, such as its folder; `None` if it isn't.
    fn found(&self, machine: &Machine) -> Option<PathBuf>;

    /// The changes that connect the host.
    fn set_up(&self, machine: &Machine, scope: &SetupScope, commands: &Commands) -> Plan;

    /// The changes that take our entries out again.
    fn remove(&self, machine: &Machine, scope: &SetupScope) -> Plan;

    /// What is set up.
    fn status(&self, machine: &Machine, scope: &SetupScope, commands: &Commands) -> HostStatus;
}

/// The adapter of a host.
pub fn adapter(id: &str) -> Option<&'static dyn Adapter> {
    let _ = id;
    None
}
