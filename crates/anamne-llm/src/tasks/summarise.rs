//! Summarises many texts in a few sentences, each with its sources.

use serde_json::{Value, json};

use super::{
    MOST_BYTES, MOST_CHARACTERS, Question, SourceText, cited, list, numbered, object,
    refuse_longer, text,
};
use crate::wording::plain_line;
use crate::{Bridge, BridgeError, Call};

/// A sentence of a summary.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SummarySentence {
    /// The sentence, one line of at most 400 characters.
    pub text: String,
    /// The indexes of the supporting sources, rising; never empty.
    pub sources: Vec<usize>,
}

pub(super) const PROMPT: &str = include_str!("../../prompts/summarise.md");

/// Maximum number of sources.
const MOST_SOURCES: usize = 300;

/// Maximum number of sentences.
const MOST_SENTENCES: usize = 20;

/// Summarises sources in at most `sentences` (and at most 20) sentences. Sentences that cite no source are dropped.
///
/// Without sources, or with zero sentences, no model is called. [`BridgeError::TooLong`] above 300 sources or 64 KiB.
pub fn summarise(
    bridge: &Bridge,
    call: &Call<'_>,
    sources: &[SourceText<'_>],
    sentences: usize,
) -> Result<Vec<SummarySentence>, BridgeError> {
    let most = sentences.min(MOST_SENTENCES);
    if sources.is_empty() || most == 0 {
        return Ok(Vec::new());
    }
    refuse_longer("the list of sources", sources.len(), MOST_SOURCES)?;
    let bytes = sources.iter().map(SourceText::length).sum();
    refuse_longer("the text of the sources, in bytes,", bytes, MOST_BYTES)?;
    let question = Question {
        prompt: PROMPT.to_owned(),
        data: json!({"most_sentences": most, "sources": numbered(sources)}),
        schema: schema(most),
        max_output_tokens: 200 + 150 * most as u32,
    };
    let answer = question.put(bridge, call)?;
    let stored = answer.get("sentences").and_then(Value::as_array);
    let sentences = stored.into_iter().flatten().filter_map(|stored| {
        let text = plain_line(stored.get("text")?.as_str()?, MOST_CHARACTERS);
        let sources = cited(stored, sources.len());
        (!text.is_empty() && !sources.is_empty()).then_some(SummarySentence { text, sources })
    });
    Ok(sentences.take(most).collect())
}

fn schema(most: usize) -> Value {
    let sentence = object([
        ("text", text(2_000)),
        ("sources", list(MOST_SOURCES, &json!({"type": "integer"}))),
    ]);
    object([("sentences", list(most, &sentence))])
}
