//! Whether a later statement takes the place of an earlier one, contests it, or does neither.

use serde_json::{Value, json};

use super::{Question, Said, object, refuse_longer, text};
use crate::wording::plain_line;
use crate::{Bridge, BridgeError, Call};

/// What a model holds of two statements.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Judgement {
    /// How they stand to each other.
    pub verdict: Verdict,
    /// Why, in one line of at most 300 characters; may be empty.
    pub reason: String,
}

/// How a later statement stands to an earlier one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// Both can be true.
    None,
    /// The later one says what has become of what the earlier one says.
    Superseded,
    /// They can't both be true, and nothing says that something changed.
    Contested,
}

pub(super) const PROMPT: &str = include_str!("../../prompts/judge.md");

/// The longest statement, in bytes with its author.
const MOST_BYTES: usize = 16 << 10;

/// The longest reason, in characters.
const MOST_REASON: usize = 300;

/// Judges two statements.
///
/// [`BridgeError::TooLong`] above 16 KiB each.
pub fn judge(
    bridge: &Bridge,
    call: &Call<'_>,
    earlier: &Said<'_>,
    later: &Said<'_>,
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
            "superseded" => Verdict::Superseded,
            "contested" => Verdict::Contested,
            _ => Verdict::None,
        },
        reason: plain_line(word("reason"), MOST_REASON),
    })
}
