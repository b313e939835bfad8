//! What a task is.

use std::fmt;
use std::str::FromStr;

use anamne_types::InvalidValue;
use jiff::Timestamp;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::database::Stamp;

/// Characters that a kind, or the name of periodic work, may have.
pub const LONGEST_KIND: usize = 64;
/// Bytes that a key may have.
pub const LONGEST_KEY: usize = 512;
/// Bytes that a payload may have as JSON.
pub const LONGEST_PAYLOAD: usize = 64 << 10;
/// Characters of an error that are kept.
pub const LONGEST_ERROR: usize = 2_000;

/// The number of a task, unique in one file of tasks.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
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

/// How much a task matters; the first is taken first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Priority {
    /// Somebody waits for it.
    Urgent,
    /// It makes the next answers better.
    Normal,
    /// It may wait for a quiet moment.
    Low,
    /// It waits until nobody has asked for a while.
    Batch,
}

impl Priority {
    /// All of them, the most urgent one first.
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

/// Where a task is on its way.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum TaskState {
    /// Nobody holds it.
    Waiting,
    /// A worker holds it, or was killed while it did.
    Running,
    /// It failed for good, and waits for a person.
    Dead,
    /// It took effect.
    Done,
    /// A person, or a newer task, took it away.
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

/// How far a task has come.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Progress {
    /// Steps that are done.
    pub done: u64,
    /// Steps that there are; 0 where nobody knows.
    pub total: u64,
    /// What is being done, for people.
    pub text: String,
}

/// Work to be queued.
///
/// Payloads, keys, errors and progress are no place for what memories say: they hold ids and numbers, so that an erased
/// memory leaves nothing here.
#[derive(Clone, Debug, PartialEq)]
pub struct NewTask {
    /// Which handler does it; 1 to [`LONGEST_KIND`] characters.
    pub kind: String,
    /// What it is about; unique among the unfinished tasks of the kind; at most [`LONGEST_KEY`] bytes.
    pub key: String,
    /// What the handler needs to know; at most [`LONGEST_PAYLOAD`] bytes.
    pub payload: Value,
    /// How much it matters.
    pub priority: Priority,
    /// Whether it takes next to nothing, some milliseconds, so that it may run while much is asked.
    pub cheap: bool,
}

impl NewTask {
    /// A task of normal priority that may begin at once and is not cheap.
    pub fn new(kind: impl Into<String>, key: impl Into<String>) -> Self {
        Self {
            kind: kind.into(),
            key: key.into(),
            payload: Value::Null,
            priority: Priority::Normal,
            cheap: false,
        }
    }

    /// With this to know.
    #[must_use]
    pub fn payload(mut self, payload: Value) -> Self {
        self.payload = payload;
        self
    }

    /// With this priority.
    #[must_use]
    pub fn priority(mut self, priority: Priority) -> Self {
        self.priority = priority;
        self
    }

    /// Marked as one that takes next to nothing.
    #[must_use]
    pub fn cheap(mut self) -> Self {
        self.cheap = true;
        self
    }

    /// The payload as it is stored, where everything is within its limits.
    pub(super) fn checked(&self) -> Result<String, InvalidValue> {
        check_kind("kind", &self.kind)?;
        if self.key.len() > LONGEST_KEY {
            let accepts = format!("at most {LONGEST_KEY} bytes");
            return Err(InvalidValue::new("key", accepts, &self.key));
        }
        let payload = self.payload.to_string();
        if payload.len() > LONGEST_PAYLOAD {
            let accepts = format!("at most {LONGEST_PAYLOAD} bytes of JSON");
            let given = format!("{} bytes", payload.len());
            return Err(InvalidValue::new("payload", accepts, given));
        }
        Ok(payload)
    }
}

pub(super) fn check_kind(field: &str, kind: &str) -> Result<(), InvalidValue> {
    let length = kind.chars().count();
    if (1..=LONGEST_KIND).contains(&length) && !kind.chars().any(char::is_control) {
        return Ok(());
    }
    let accepts = format!("1 to {LONGEST_KIND} characters without control characters");
    Err(InvalidValue::new(field, accepts, kind))
}

/// A task of the queue as it was when it was read.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Task {
    /// Its number.
    pub id: TaskId,
    /// Which handler does it.
    pub kind: String,
    /// What it is about.
    pub key: String,
    /// What the handler needs to know.
    pub payload: Value,
    /// How much it matters.
    pub priority: Priority,
    /// Whether it takes next to nothing.
    pub cheap: bool,
    /// Where it is on its way.
    pub state: TaskState,
    /// It does not begin before this.
    pub not_before: Timestamp,
    /// How often it was begun; not counted are attempts that were stopped or postponed.
    pub attempts: u32,
    /// Who holds it, or held it last.
    pub worker: String,
    /// How far it has come.
    pub progress: Progress,
    /// Why the last attempt failed; empty where none did.
    pub error: String,
    /// When it was queued.
    pub created: Timestamp,
    /// When the last attempt began.
    pub started: Option<Timestamp>,
    /// When it was done, died or was cancelled.
    pub finished: Option<Timestamp>,
    /// Which file of tasks it is of.
    #[serde(skip)]
    pub(super) file: Stamp,
}

/// The instant of a stored number of microseconds; numbers outside the calendar are clamped to its ends.
pub(super) fn instant(microseconds: i64) -> Timestamp {
    Timestamp::from_microsecond(microseconds).unwrap_or(if microseconds < 0 {
        Timestamp::MIN
    } else {
        Timestamp::MAX
    })
}

/// At most the first `most` characters of a text.
pub(super) fn shortened(text: &str, most: usize) -> &str {
    text.char_indices()
        .nth(most)
        .map_or(text, |(end, _)| &text[..end])
}
