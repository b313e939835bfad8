//! Feedback on results: useful or not.

use serde::{Deserialize, Serialize};

use crate::limits::check_text;
use crate::{InvalidValue, Limits, MemoryId, Metadata};

/// Feedback on one result.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(deny_unknown_fields)]
pub struct Feedback {
    /// The memory.
    pub memory: MemoryId,
    /// Whether it was useful.
    pub useful: bool,
    /// The reason; may be empty.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub note: String,
}

impl Feedback {
    /// Feedback without a note.
    pub fn new(memory: MemoryId, useful: bool) -> Self {
        Self {
            memory,
            useful,
            note: String::new(),
        }
    }

    /// Checks the note.
    pub fn check(&self) -> Result<(), InvalidValue> {
        if self.note.is_empty() {
            return Ok(());
        }
        check_text("note", &self.note, Limits::QUERY_BYTES)
    }
}

/// All feedback on one memory, stored in its metadata under [`Judgement::NAME`].
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(deny_unknown_fields)]
pub struct Judgement {
    /// Number of reports that it was useful.
    pub useful: u32,
    /// Number of reports that it was not.
    pub useless: u32,
    /// The last note.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub note: String,
}

impl Judgement {
    /// Its key in metadata.
    pub const NAME: &str = "anamne.feedback";

    /// The feedback in this metadata; empty if there is none or it is malformed.
    pub fn of(metadata: &Metadata) -> Self {
        let stored = metadata.get(Self::NAME);
        let judgement = stored.and_then(|stored| serde_json::from_value(stored.clone()).ok());
        judgement.unwrap_or_default()
    }

    /// Whether there is no feedback.
    pub fn is_empty(&self) -> bool {
        self.useful == 0 && self.useless == 0
    }

    /// With one more report.
    #[must_use]
    pub fn after(mut self, feedback: &Feedback) -> Self {
        let count = if feedback.useful {
            &mut self.useful
        } else {
            &mut self.useless
        };
        *count = count.saturating_add(1);
        if !feedback.note.is_empty() {
            self.note.clone_from(&feedback.note);
        }
        self
    }

    /// Net rating: `(useful − useless) / (all + 2)`, between −1 and 1; 0 without feedback.
    ///
    /// ```
    /// use anamne_types::Judgement;
    ///
    /// let judged = |useful, useless| Judgement { useful, useless, ..Judgement::default() }.quality();
    /// assert_eq!((judged(0, 0), judged(2, 0), judged(0, 2), judged(5, 5)), (0.0, 0.5, -0.5, 0.0));
    /// ```
    pub fn quality(&self) -> f32 {
        let (useful, useless) = (self.useful as f32, self.useless as f32);
        (useful - useless) / (useful + useless + 2.0)
    }
}
