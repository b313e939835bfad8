//! The current load, and what may run under it.

use serde::{Deserialize, Serialize};

use super::Priority;

/// The load of all processes together.
///
/// | level | when | what may run |
/// |---|---|---|
/// | high | [`busy_per_minute`](super::Settings::busy_per_minute) recalls and writes or more, in this minute or the last | what is urgent and cheap |
/// | low | less than that | what is urgent, normal or low |
/// | asleep | nothing within [`asleep_after_minutes`](super::Settings::asleep_after_minutes) | everything, batches too |
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[cfg_attr(feature = "openapi", schema(as = LoadLevel))]
#[serde(rename_all = "snake_case")]
pub enum Level {
    /// Busy: background work must not get in the way.
    High,
    /// Occasional recalls or writes.
    Low,
    /// No recent recalls or writes.
    Asleep,
}

impl Level {
    /// The name of the level.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::High => "high",
            Self::Low => "low",
            Self::Asleep => "asleep",
        }
    }

    /// Whether a task of this priority and cost may run.
    pub fn allows(self, priority: Priority, cheap: bool) -> bool {
        priority <= self.lowest_priority() && (cheap || !self.takes_only_cheap())
    }

    pub(super) fn lowest_priority(self) -> Priority {
        match self {
            Self::High => Priority::Urgent,
            Self::Low => Priority::Low,
            Self::Asleep => Priority::Batch,
        }
    }

    pub(super) fn takes_only_cheap(self) -> bool {
        self == Self::High
    }
}
