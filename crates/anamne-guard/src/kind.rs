//! The kinds of data that are found.

use std::fmt;

use serde::{Serialize, Serializer};

/// Secrets, or personal data.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Group {
    /// Whoever has the value can act as its owner: keys, tokens, passwords.
    Secret,
    /// Data about a person.
    Personal,
}

impl Group {
    /// The name: `secret` or `personal`.
    pub fn name(self) -> &'static str {
        match self {
            Self::Secret => "secret",
            Self::Personal => "personal",
        }
    }
}

/// A kind of data, such as `github-token` or `iban`. In JSON and in settings it is its name.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct DataKind {
    group: Group,
    name: &'static str,
}

impl DataKind {
    pub(crate) const fn secret(name: &'static str) -> Self {
        Self {
            group: Group::Secret,
            name,
        }
    }

    pub(crate) const fn personal(name: &'static str) -> Self {
        Self {
            group: Group::Personal,
            name,
        }
    }

    /// Its group.
    pub fn group(self) -> Group {
        self.group
    }

    /// Its name: lower-case words joined by hyphens.
    pub fn name(self) -> &'static str {
        self.name
    }

    /// All kinds: secrets, then personal data, each by name.
    pub fn all() -> Vec<Self> {
        let mut kinds = crate::secrets::kinds();
        kinds.extend(crate::personal::KINDS);
        kinds.sort_unstable();
        kinds.dedup();
        kinds
    }

    /// The kind with this name.
    pub fn named(name: &str) -> Option<Self> {
        Self::all().into_iter().find(|kind| kind.name == name)
    }
}

impl fmt::Display for DataKind {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.pad(self.name)
    }
}

impl Serialize for DataKind {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(self.name)
    }
}
