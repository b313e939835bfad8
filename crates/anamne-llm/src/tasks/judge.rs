//! Decides whether a later statement supersedes an earlier one, contradicts it, or neither.

use serde_json::{Value, json};

use super::{Question, SourceText, object, refuse_longer, text};
use crate::wording::plain_line;
use crate::{Bridge, BridgeError, Call};

/// A model's judgement of two statements.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Judgement {
    /// The relationship of the statements.
    pub verdict: ConflictVerdict,
    /// The reason, one line of at most 300 characters; may be empty.
    pub reason: String,
}

/// How a later statement relates to an earlier one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ConflictVerdict {
    /// Both can be true.
    None,
    /// The later one says how the state described by the earlier one changed.
    Superseded,
    /// They can't both be true, and there is no sign of a change.
    Contested,
}

pub(super) const PROMPT: &str = include_str!("../../prompts/judge.md");

/// Maximum bytes of a statement with its author.
const MOST_BYTES: usize = 16 << 10;

/// Maximum characters of a reason.
const MOST_REASON: usize = 300;

/// Judges two statements.
///
/// [`BridgeError::TooLong`] above 16 KiB each.
pub fn judge(
    bridge: &Bridge,
    call: &Call<'_>,
    earlier: &SourceText<'_>,
    later: &SourceText<'_>,
) -> Result<Judgement, BridgeError> {
    for said in [earlier, later] {
        refuse_longer("a statement, in bytes,", said.length(), MOST_BYTES)?;
    }
    let question = Question {
        prompt: PROMPT.to_owned(),
        data: json!({"earlier": earlier.data(), "later": later.data()}),
        schema: object([
            (
                "verdict",
                json!({"type": "string", "enum": ["none", "superseded", "contested"]}),
            ),
            ("reason", text(1_000)),
        ]),
        max_output_tokens: 400,
    };
    let answer = question.put(bridge, call)?;
    let word = |name| answer.get(name).and_then(Value::as_str).unwrap_or_default();
    Ok(Judgement {
        verdict: match word("verdict") {
            "superseded" => ConflictVerdict::Superseded,
            "contested" => ConflictVerdict::Contested,
            _ => ConflictVerdict::None,
        },
        reason: plain_line(word("reason"), MOST_REASON),
    })
}
