//! Settings of the guard.

use anamne_guard::{AllowList, Guard, Names, Policy};
use anamne_types::InvalidValue;
use serde::{Deserialize, Serialize};

/// What happens to secrets and personal data before a memory is stored.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct GuardConfig {
    /// Actions by kind or group (`secret`, `personal`): `off`, `mark`, `redact` or `refuse`.
    pub actions: Policy,
    /// Values that are no secrets; `*` stands for any characters.
    pub allow: Vec<String>,
    /// Names of people to look for.
    pub names: Vec<String>,
    /// Paths of files whose imports are not checked; `*` stands for any characters.
    pub paths: Vec<String>,
    /// Whether every memory of the space is private: sent to language models on this machine only.
    pub private: bool,
}

impl GuardConfig {
    /// The guard with these settings.
    pub fn guard(&self) -> Result<Guard, InvalidValue> {
        let refused = |field: &str, error: &dyn std::fmt::Display| {
            InvalidValue::new(field, "known kinds and narrow patterns", error)
        };
        let actions = self.actions.check();
        actions.map_err(|error| refused("guard.actions", &error))?;
        let allowed = AllowList::new(self.allow.clone());
        let allowed = allowed.map_err(|error| refused("guard.allow", &error))?;
        if self.names.len() > Names::MAX {
            let accepts = format!("at most {} names", Names::MAX);
            return Err(InvalidValue::new("guard.names", accepts, self.names.len()));
        }
        let names = Names::new(self.names.iter().map(String::as_str));
        Ok(Guard::new(self.actions.clone())
            .allowing(allowed)
            .naming(names))
    }

    /// Whether imports from a path are not checked.
    pub fn skips(&self, path: &str) -> bool {
        let paths = AllowList::new(self.paths.clone());
        paths.is_ok_and(|paths| paths.matches(path))
    }

    pub(super) fn check(&self) -> Result<(), InvalidValue> {
        self.guard()?;
        AllowList::new(self.paths.clone())
            .map(drop)
            .map_err(|error| InvalidValue::new("guard.paths", "narrow patterns", error))
    }
}
