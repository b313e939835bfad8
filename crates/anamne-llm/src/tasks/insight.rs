//! Derives what several memories say together and none of them alone.

use serde_json::{Value, json};

use super::{
    MOST_BYTES, MOST_CHARACTERS, Question, SourceText, cited, list, numbered, object, refuse_longer,
};
use crate::wording::plain_line;
use crate::{Bridge, BridgeError, Call};

/// A sentence supported by several memories together.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Insight {
    /// The sentence, one line of at most 400 characters.
    pub text: String,
    /// The indexes of the supporting memories, rising; at least two.
    pub sources: Vec<usize>,
}

pub(super) const PROMPT: &str = include_str!("../../prompts/insight.md");

/// Maximum number of memories.
const MOST_MEMORIES: usize = 100;

/// One sentence about a cluster of memories; `None` if the model finds none or cites fewer than two of them.
///
/// With fewer than two memories no model is called. [`BridgeError::TooLong`] above 100 memories or 64 KiB.
pub fn insight(
    bridge: &Bridge,
    call: &Call<'_>,
    memories: &[SourceText<'_>],
) -> Result<Option<Insight>, BridgeError> {
    if memories.len() < 2 {
        return Ok(None);
    }
    refuse_longer("the list of memories", memories.len(), MOST_MEMORIES)?;
    let bytes = memories.iter().map(SourceText::length).sum();
    refuse_longer("the text of the memories, in bytes,", bytes, MOST_BYTES)?;
    let question = Question {
        prompt: PROMPT.to_owned(),
        data: json!({"memories": numbered(memories)}),
        schema: object([
            (
                "insight",
                json!({"type": ["string", "null"], "maxLength": 2_000}),
            ),
            ("sources", list(MOST_MEMORIES, &json!({"type": "integer"}))),
        ]),
        max_output_tokens: 500,
    };
    let answer = question.put(bridge, call)?;
    let text = answer
        .get("insight")
        .and_then(Value::as_str)
        .unwrap_or_default();
    let text = plain_line(text, MOST_CHARACTERS);
    let sources = cited(&answer, memories.len());
    Ok((!text.is_empty() && sources.len() >= 2).then_some(Insight { text, sources }))
}
