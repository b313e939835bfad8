//! Entries that an operation skipped.

use std::fmt::Display;

use serde::{Deserialize, Serialize};

use crate::NextStep;

/// Entries that an operation over many skipped because of their own errors: the first ones with reasons, and the total
/// number.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct Skipped {
    /// The number of skipped entries.
    pub count: u64,
    /// The first [`Skipped::MOST`] of them, in the order of the operation.
    pub first: Vec<SkippedEntry>,
}

/// A skipped entry.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct SkippedEntry {
    /// Its name: an id, a space or a path.
    pub entry: String,
    /// Why it was skipped.
    pub reason: String,
    /// The next step.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub next_step: Option<NextStep>,
}

impl Skipped {
    /// Maximum number of listed entries; the others are only counted.
    pub const MOST: usize = 20;

    /// Adds an entry.
    pub fn add(&mut self, entry: impl Display, reason: impl Display, next_step: Option<NextStep>) {
        self.count += 1;
        if self.first.len() < Self::MOST {
            self.first.push(SkippedEntry {
                entry: entry.to_string(),
                reason: reason.to_string(),
                next_step,
            });
        }
    }

    /// Adds the entries of another list. An entry listed in both with the same reason counts once.
    pub fn append(&mut self, mut other: Self) {
        let all = other.first.len();
        other.first.retain(|entry| !self.first.contains(entry));
        self.count += other.count - (all - other.first.len()) as u64;
        let room = Self::MOST - self.first.len();
        self.first.extend(other.first.into_iter().take(room));
    }

    /// Whether nothing was skipped.
    pub fn is_empty(&self) -> bool {
        self.count == 0
    }

    /// The number of entries that are not listed.
    pub fn unnamed(&self) -> u64 {
        self.count - self.first.len() as u64
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(entries: std::ops::Range<usize>) -> Skipped {
        let mut passed = Skipped::default();
        for entry in entries {
            passed.add(entry, "bad", None);
        }
        passed
    }

    #[test]
    fn the_first_are_named_and_all_are_counted() {
        let passed = of(0..30);
        assert_eq!((passed.count, passed.unnamed()), (30, 10));
        let named: Vec<_> = passed.first.iter().map(|one| one.entry.as_str()).collect();
        assert_eq!((named[0], named[19], named.len()), ("0", "19", 20));
    }

    #[test]
    fn two_lists_become_one() {
        let mut passed = of(0..15);
        passed.append(of(15..45));
        assert_eq!(passed, of(0..45));
        passed.append(of(5..8));
        assert_eq!(passed, of(0..45), "they were named already");
    }
}
