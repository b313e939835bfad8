//! The check that every text passes before it is stored.

use std::borrow::Cow;
use std::ops::Range;

use serde::Serialize;
use thiserror::Error;

use crate::finding::{Wanted, find, preferred};
use crate::{Action, AllowList, DataKind, Finding, Names, Policy};

/// Longer labels say nothing about their texts, in bytes.
const LONGEST_LABEL: usize = 128;

/// A policy with its exceptions, and the names to look for.
#[derive(Clone, Debug)]
pub struct Guard {
    policy: Policy,
    allowed: AllowList,
    names: Names,
    wanted: Wanted,
}

/// A checked text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Checked<'text> {
    /// The text to store, redacted where the policy requires it.
    pub text: Cow<'text, str>,
    /// What was found, by place.
    pub findings: Vec<Found>,
}

/// What was found, and what was done about it. It never contains the value.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Found {
    /// The kind.
    pub kind: DataKind,
    /// [`Action::Mark`] or [`Action::Redact`].
    pub action: Action,
    /// The place in the checked text, in bytes: of the value if it was marked, of its replacement if it was redacted.
    pub span: Range<usize>,
}

/// A refused text.
#[derive(Clone, Debug, Error, PartialEq, Eq)]
#[error("refused: the text contains {}", names(.kinds))]
pub struct Refused {
    /// The kinds that the policy refuses, sorted.
    pub kinds: Vec<DataKind>,
}

fn names(kinds: &[DataKind]) -> String {
    let names: Vec<_> = kinds.iter().map(|kind| kind.name()).collect();
    names.join(", ")
}

impl Default for Guard {
    fn default() -> Self {
        Self::new(Policy::default())
    }
}

impl Guard {
    fn empty() -> Self {
        Self {
            policy: Policy::off(),
            allowed: AllowList::default(),
            names: Names::default(),
            wanted: Wanted::NOTHING,
        }
    }

    /// A guard without exceptions and names.
    pub fn new(policy: Policy) -> Self {
        Self {
            wanted: Wanted::of(|kind| policy.action(kind) != Action::Off),
            policy,
            ..Self::empty()
        }
    }

    /// Ignores values that the list allows.
    #[must_use]
    pub fn allowing(mut self, allowed: AllowList) -> Self {
        self.allowed = allowed;
        self
    }

    /// Looks for these names of people.
    #[must_use]
    pub fn naming(mut self, names: Names) -> Self {
        self.names = names;
        self
    }

    /// Whether the policy looks for anything.
    pub fn is_on(&self) -> bool {
        self.wanted.is_anything()
    }

    /// What the policy does with a kind.
    pub fn action(&self, kind: DataKind) -> Action {
        self.policy.action(kind)
    }

    /// What the policy looks for in a text. O(bytes).
    pub fn findings(&self, text: &str) -> Vec<Finding> {
        let is_wanted = |kind| self.policy.action(kind) != Action::Off;
        find(text, &self.names, &self.allowed, self.wanted, is_wanted)
    }

    /// What the policy looks for in a text that its writer calls `label`: in the text alone, and in what
    /// `label: "text"` says. O(bytes).
    pub fn findings_in(&self, label: &str, text: &str) -> Vec<Finding> {
        let mut found = self.findings(text);
        if label.is_empty() || label.len() > LONGEST_LABEL {
            return found;
        }
        let quote = if text.contains('"') { '\'' } else { '"' };
        let named = format!("{label}: {quote}{text}{quote}");
        let start = label.len() + ": \"".len();
        let end = start + text.len();
        found.extend(self.findings(&named).into_iter().filter_map(|finding| {
            let span = finding.span.start.max(start)..finding.span.end.min(end);
            (!span.is_empty()).then(|| Finding {
                span: span.start - start..span.end - start,
                ..finding
            })
        }));
        preferred(found)
    }

    /// Checks a text; redacts or refuses it as the policy requires. O(bytes).
    pub fn check<'text>(&self, text: &'text str) -> Result<Checked<'text>, Refused> {
        self.check_in("", text)
    }

    /// Checks a text that its writer calls `label`; see [`Guard::findings_in`].
    pub fn check_in<'text>(
        &self,
        label: &str,
        text: &'text str,
    ) -> Result<Checked<'text>, Refused> {
        let found = self.findings_in(label, text);
        let refused = found.iter().map(|finding| finding.kind);
        let mut kinds: Vec<_> = refused
            .filter(|kind| self.policy.action(*kind) == Action::Refuse)
            .collect();
        if !kinds.is_empty() {
            kinds.sort_unstable();
            kinds.dedup();
            return Err(Refused { kinds });
        }
        Ok(self.apply(text, &found))
    }

    fn apply<'text>(&self, text: &'text str, found: &[Finding]) -> Checked<'text> {
        let is_redacted = |finding: &&Finding| self.policy.action(finding.kind) == Action::Redact;
        if !found.iter().any(|finding| is_redacted(&finding)) {
            let mark = |finding: &Finding| Found {
                kind: finding.kind,
                action: Action::Mark,
                span: finding.span.clone(),
            };
            return Checked {
                text: Cow::Borrowed(text),
                findings: found.iter().map(mark).collect(),
            };
        }
        let mut redacted = String::with_capacity(text.len());
        let mut findings = Vec::with_capacity(found.len());
        let mut done = 0;
        for finding in found {
            redacted.push_str(&text[done..finding.span.start]);
            let start = redacted.len();
            let action = self.policy.action(finding.kind);
            if action == Action::Redact {
                redacted.push_str(&placeholder(finding.kind));
            } else {
                redacted.push_str(&text[finding.span.clone()]);
            }
            findings.push(Found {
                kind: finding.kind,
                action,
                span: start..redacted.len(),
            });
            done = finding.span.end;
        }
        redacted.push_str(&text[done..]);
        Checked {
            text: Cow::Owned(redacted),
            findings,
        }
    }
}

/// What replaces a value: `[secret:github-token]`.
fn placeholder(kind: DataKind) -> String {
    format!("[{}:{}]", kind.group().name(), kind.name())
}
