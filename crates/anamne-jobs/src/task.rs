//! Tasks and their limits.

use std::fmt;
use std::str::FromStr;

use anamne_types::InvalidValue;
use jiff::Timestamp;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::database::QueueId;

/// Maximum characters of a kind, or of the name of periodic work.
pub const MAX_KIND_CHARS: usize = 64;
/// Maximum bytes of a key.
pub const MAX_KEY_BYTES: usize = 512;
/// Maximum bytes of a payload as JSON.
pub const MAX_PAYLOAD_BYTES: usize = 64 << 10;
/// Maximum characters of a stored error; the rest is cut.
pub const MAX_ERROR_CHARS: usize = 2_000;

/// The id of a task, unique in one task database.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct TaskId(pub u64);

impl fmt::Display for TaskId {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(formatter)
    }
}

impl FromStr for TaskId {
    type Err = InvalidValue;

    fn from_str(text: &str) -> Result<Self, InvalidValue> {
        let number = text.parse::<i64>().ok().filter(|number| *number > 0);
        let refused = || InvalidValue::new("task", "the number of a task, from 1", text);
        number.map(|number| Self(number as u64)).ok_or_else(refused)
    }
}

/// The priority of a task, most urgent first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "snake_case")]
pub enum Priority {
    /// Somebody waits for it.
    Urgent,
    /// It improves the next answers.
    Normal,
    /// It can wait for low load.
    Low,
    /// It waits until the space is asleep.
    Batch,
}

impl Priority {
    /// All priorities, most urgent first.
    pub const ALL: [Self; 4] = [Self::Urgent, Self::Normal, Self::Low, Self::Batch];

    pub(super) fn number(self) -> i64 {
        self as i64
    }

    pub(super) fn of(number: i64) -> Option<Self> {
        Self::ALL.get(usize::try_from(number).ok()?).copied()
    }
}

impl fmt::Display for Priority {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.serialize(formatter)
    }
}

/// The state of a task.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "snake_case")]
pub enum TaskState {
    /// In the queue.
    Waiting,
    /// A worker holds it, or was killed while it did.
    Running,
    /// It failed permanently, and waits for a manual decision.
    Dead,
    /// Completed.
    Done,
    /// Cancelled by hand, or because of a newer task.
    Cancelled,
}

impl TaskState {
    const ALL: [Self; 5] = [
        Self::Waiting,
        Self::Running,
        Self::Dead,
        Self::Done,
        Self::Cancelled,
    ];

    pub(super) fn number(self) -> i64 {
        self as i64 + 1
    }

    pub(super) fn of(number: i64) -> Option<Self> {
        let place = usize::try_from(number).ok()?.checked_sub(1)?;
        Self::ALL.get(place).copied()
    }
}

impl fmt::Display for TaskState {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.serialize(formatter)
    }
}

/// The progress of a task.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct Progress {
    /// Completed steps.
    pub done: u64,
    /// Total steps; 0 if unknown.
    pub total: u64,
    /// The current step, as text for users.
    pub text: String,
}

/// A task to queue.
///
/// Payloads, keys, errors and progress must hold ids and numbers, never the text of memories, so that an erased memory
/// leaves nothing here.
#[derive(Clone, Debug, PartialEq)]
pub struct NewTask {
    /// The kind, which selects the handler; 1 to [`MAX_KIND_CHARS`] characters.
    pub kind: String,
    /// The subject; unique among the unfinished tasks of the kind; at most [`MAX_KEY_BYTES`] bytes.
    pub key: String,
    /// Input of the handler; at most [`MAX_PAYLOAD_BYTES`] bytes.
    pub payload: Value,
    /// The priority.
    pub priority: Priority,
    /// Whether it takes only some milliseconds, so that it may run under high load.
    pub cheap: bool,
}

impl NewTask {
    /// A task of normal priority that may start immediately and is not cheap.
    pub fn new(kind: impl Into<String>, key: impl Into<String>) -> Self {
        Self {
            kind: kind.into(),
            key: key.into(),
            payload: Value::Null,
            priority: Priority::Normal,
            cheap: false,
        }
    }

    /// Sets the payload.
    #[must_use]
    pub fn payload(mut self, payload: Value) -> Self {
        self.payload = payload;
        self
    }

    /// Sets the priority.
    #[must_use]
    pub fn priority(mut self, priority: Priority) -> Self {
        self.priority = priority;
        self
    }

    /// Marks it as cheap.
    #[must_use]
    pub fn cheap(mut self) -> Self {
        self.cheap = true;
        self
    }

    /// Checks all limits; returns the payload as stored.
    pub(super) fn checked(&self) -> Result<String, InvalidValue> {
        check_kind("kind", &self.kind)?;
        if self.key.len() > MAX_KEY_BYTES {
            let accepts = format!("at most {MAX_KEY_BYTES} bytes");
            return Err(InvalidValue::new("key", accepts, &self.key));
        }
        let payload = self.payload.to_string();
        if payload.len() > MAX_PAYLOAD_BYTES {
            let accepts = format!("at most {MAX_PAYLOAD_BYTES} bytes of JSON");
            let given = format!("{} bytes", payload.len());
            return Err(InvalidValue::new("payload", accepts, given));
        }
        Ok(payload)
    }
}

pub(super) fn check_kind(field: &str, kind: &str) -> Result<(), InvalidValue> {
    let length = kind.chars().count();
    if (1..=MAX_KIND_CHARS).contains(&length) && !kind.chars().any(char::is_control) {
        return Ok(());
    }
    let accepts = format!("1 to {MAX_KIND_CHARS} characters without control characters");
    Err(InvalidValue::new(field, accepts, kind))
}

/// A task as read from the queue.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct Task {
    /// The id.
    pub id: TaskId,
    /// The kind, which selects the handler.
    pub kind: String,
    /// The subject.
    pub key: String,
    /// Input of the handler.
    pub payload: Value,
    /// The priority.
    pub priority: Priority,
    /// Whether it takes only some milliseconds.
    pub cheap: bool,
    /// The state.
    pub state: TaskState,
    /// The earliest start.
    pub not_before: Timestamp,
    /// Number of attempts, without those that were stopped or postponed.
    pub attempts: u32,
    /// The current or last worker.
    pub worker: String,
    /// The progress.
    pub progress: Progress,
    /// Error of the last failed attempt; empty if none.
    pub error: String,
    /// When it was queued.
    pub created: Timestamp,
    /// Start of the last attempt.
    pub started: Option<Timestamp>,
    /// When it was done, died or was cancelled.
    pub finished: Option<Timestamp>,
    /// The stamp of its task database.
    #[serde(skip)]
    pub(super) file: QueueId,
}

/// Converts stored microseconds; values outside the calendar are clamped.
pub(super) fn instant(microseconds: i64) -> Timestamp {
    Timestamp::from_microsecond(microseconds).unwrap_or(if microseconds < 0 {
        Timestamp::MIN
    } else {
        Timestamp::MAX
    })
}

/// At most the first `most` characters.
pub(super) fn shortened(text: &str, most: usize) -> &str {
    text.char_indices()
        .nth(most)
        .map_or(text, |(end, _)| &text[..end])
}
