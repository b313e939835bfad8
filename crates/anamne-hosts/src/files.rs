//! Applies changes to files, and takes them back.

use std::path::PathBuf;

use crate::plan::{LeftAlone, Plan};

/// Where it is recorded what was changed: a small file of ours.
#[derive(Clone, Debug)]
pub struct ChangeRecord {
    /// The file.
    pub path: PathBuf,
}

/// What became of a plan.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Applied {
    /// The files that were written, with the backup beside each.
    pub written: Vec<(PathBuf, Option<PathBuf>)>,
    /// Files that changed meanwhile, can't be written or can't be understood.
    pub left_alone: Vec<LeftAlone>,
}

/// Writes the changes of a plan.
pub fn apply(plan: &Plan, host: &str, record: &ChangeRecord) -> Applied {
    let _ = (plan, host, record);
    Applied::default()
}

/// Takes the changes of a host back: a file that nobody touched since gets its former bytes; from any other the entries
/// are taken out as `plan` says.
pub fn take_back(plan: &Plan, host: &str, record: &ChangeRecord) -> Applied {
    let _ = (plan, host, record);
    Applied::default()
}

/// The unified difference of a change, for a person.
pub fn difference(change: &crate::FileChange) -> String {
    let _ = change;
    String::new()
}
