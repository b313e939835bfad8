//! The verdict on one damaged store.

use std::fmt;

use serde::Serialize;

use super::patient::PatientReport;

/// The verdicts, from best to worst.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum DamageVerdict {
    /// Every answer was right, and nothing was reported or repaired.
    Right,
    /// Answers were marked as degraded; everything was right afterwards.
    Degraded,
    /// It was repaired automatically.
    Healed,
    /// The damage was reported to the user.
    Named,
    /// An answer was wrong until a later question or an examination found the damage, which was then repaired.
    WrongUntilFound,
    /// An answer was wrong, and nothing ever reported it.
    Wrong,
    /// A memory was missing after all repairs.
    Lost,
    /// The process panicked or was killed.
    Crashed,
}

impl DamageVerdict {
    pub(super) const ALL: [Self; 8] = [
        Self::Right,
        Self::Degraded,
        Self::Healed,
        Self::Named,
        Self::WrongUntilFound,
        Self::Wrong,
        Self::Lost,
        Self::Crashed,
    ];

    pub(super) fn of(said: &PatientReport) -> Self {
        let first_wrong = !said.first.wrong.is_empty() || !said.first.lost.is_empty();
        let was_never_found = said.named.is_empty() && said.repaired.is_empty();
        if said.crash.is_some() {
            Self::Crashed
        } else if !said.after.lost.is_empty() {
            Self::Lost
        } else if !said.after.wrong.is_empty() || first_wrong && was_never_found {
            Self::Wrong
        } else if first_wrong {
            Self::WrongUntilFound
        } else if !said.named.is_empty() {
            Self::Named
        } else if !said.repaired.is_empty() {
            Self::Healed
        } else if !said.first.degraded.is_empty() {
            Self::Degraded
        } else {
            Self::Right
        }
    }

    /// Whether this verdict is a failure.
    pub(super) fn is_failure(self) -> bool {
        self >= Self::WrongUntilFound
    }
}

impl fmt::Display for DamageVerdict {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(match self {
            Self::Right => "answered rightly, nothing to say",
            Self::Degraded => "said to be degraded, and well afterwards",
            Self::Healed => "healed",
            Self::Named => "damage named to the person",
            Self::WrongUntilFound => "WRONG answer until the damage was found",
            Self::Wrong => "WRONG answer, never named",
            Self::Lost => "LOST memory",
            Self::Crashed => "PANIC or crash",
        })
    }
}
