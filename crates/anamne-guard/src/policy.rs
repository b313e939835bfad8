//! What happens to what is found.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use thiserror::Error;

use crate::{DataKind, Group, personal, secrets};

/// What happens to a kind of data.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Action {
    /// Not looked for.
    Off,
    /// Stored as it is; its kind and place are recorded, and the memory is private.
    Mark,
    /// Replaced by `[secret:kind]`; the rest of the text is stored.
    Redact,
    /// The memory is refused.
    Refuse,
}

impl Action {
    /// Its name in settings and JSON.
    pub fn name(self) -> &'static str {
        match self {
            Self::Off => "off",
            Self::Mark => "mark",
            Self::Redact => "redact",
            Self::Refuse => "refuse",
        }
    }
}

impl std::fmt::Display for Action {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.pad(self.name())
    }
}

/// Actions by kind. By default secrets are redacted; access codes, which people want to be reminded of, and personal data with
/// a checksum are marked; and other personal data is not looked for.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Policy {
    /// Actions by the name of a kind or a group; a kind wins over its group.
    actions: BTreeMap<String, Action>,
}

/// Why a policy is invalid.
#[derive(Clone, Debug, Error, PartialEq, Eq)]
#[error("unknown kind {name:?} (available: secret, personal, {available})")]
pub struct PolicyError {
    /// The unknown name.
    pub name: String,
    /// The kinds.
    pub available: String,
}

impl Policy {
    /// A policy with these actions, by the names of kinds and groups (`secret`, `personal`).
    pub fn new(actions: BTreeMap<String, Action>) -> Result<Self, PolicyError> {
        let policy = Self { actions };
        policy.check()?;
        Ok(policy)
    }

    /// A policy that looks for nothing.
    pub fn off() -> Self {
        let groups = [Group::Secret, Group::Personal];
        Self {
            actions: groups
                .map(|group| (group.name().to_owned(), Action::Off))
                .into(),
        }
    }

    /// Refuses names that are no kind or group.
    pub fn check(&self) -> Result<(), PolicyError> {
        let kinds = DataKind::all();
        let is_known = |name: &str| {
            name == Group::Secret.name()
                || name == Group::Personal.name()
                || kinds.iter().any(|kind| kind.name() == name)
        };
        match self.actions.keys().find(|name| !is_known(name)) {
            None => Ok(()),
            Some(name) => Err(PolicyError {
                name: name.clone(),
                available: kinds
                    .iter()
                    .map(|kind| kind.name())
                    .collect::<Vec<_>>()
                    .join(", "),
            }),
        }
    }

    /// Sets the action of a kind or a group; `None` removes it, so that the default applies.
    pub fn set(&mut self, name: &str, action: Option<Action>) {
        match action {
            Some(action) => self.actions.insert(name.to_owned(), action),
            None => self.actions.remove(name),
        };
    }

    /// The same policy, except that it redacts what it would refuse.
    #[must_use]
    pub fn without_refusal(mut self) -> Self {
        for action in self.actions.values_mut() {
            if *action == Action::Refuse {
                *action = Action::Redact;
            }
        }
        self
    }

    /// The action for a kind. O(log n).
    pub fn action(&self, kind: DataKind) -> Action {
        let named = |name: &str| self.actions.get(name).copied();
        named(kind.name())
            .or_else(|| named(kind.group().name()))
            .unwrap_or_else(|| match kind.group() {
                Group::Secret if kind == secrets::ACCESS_CODE => Action::Mark,
                Group::Secret => Action::Redact,
                Group::Personal if personal::has_checksum(kind) => Action::Mark,
                Group::Personal => Action::Off,
            })
    }

    /// Whether any kind is looked for.
    pub fn is_on(&self) -> bool {
        DataKind::all()
            .into_iter()
            .any(|kind| self.action(kind) != Action::Off)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn policy(json: &str) -> Policy {
        serde_json::from_str(json).expect("a policy")
    }

    #[test]
    fn a_kind_wins_over_its_group_and_the_group_over_the_default() {
        let token = DataKind::named("github-token").expect("a kind");
        let email = DataKind::named("email").expect("a kind");
        assert_eq!(Policy::default().action(token), Action::Redact);
        assert_eq!(Policy::default().action(email), Action::Off);
        let code = DataKind::named("access-code").expect("a kind");
        assert_eq!(Policy::default().action(code), Action::Mark);
        assert_eq!(
            policy(r#"{"secret": "redact"}"#).action(code),
            Action::Redact
        );
        let own = policy(r#"{"secret": "refuse", "github-token": "mark", "personal": "redact"}"#);
        assert_eq!(own.action(token), Action::Mark);
        assert_eq!(own.action(email), Action::Redact);
        assert!(own.is_on() && !Policy::off().is_on());
    }

    #[test]
    fn unknown_kinds_are_refused() {
        let fault = policy(r#"{"githubtoken": "mark"}"#).check().unwrap_err();
        assert!(fault.to_string().contains("unknown kind \"githubtoken\""));
        assert!(fault.to_string().contains("github-token"));
    }
}
