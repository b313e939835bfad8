//! The questions asked of a model, each with its own prompt, answer schema and result.
//!
//! A result contains only what its evidence supports: names must occur in the text, citations must refer to the given
//! sources. Anything else is dropped.

mod enrich;
mod insight;
mod judge;
mod lessons;
mod probe;
mod read;
mod spans;
mod summarise;

use jiff::civil::Date;
use serde_json::{Value, json};

use super::quote::quote;
use super::{Bridge, BridgeError, Call, Message, Request, Schema};

pub use enrich::enrich;
pub use insight::{Insight, insight};
pub use judge::{ConflictVerdict, Judgement, judge};
pub use lessons::{LessonText, StepText, lessons};
pub use probe::{Probe, probe};
pub use read::read;
pub use summarise::{SummarySentence, summarise};

/// Maximum bytes of all texts of a task.
const MOST_BYTES: usize = 64 << 10;

/// Maximum characters of a sentence written by a model.
const MOST_CHARACTERS: usize = 400;

/// A statement shown to a model.
#[derive(Clone, Copy, Debug)]
pub struct SourceText<'text> {
    /// The text.
    pub text: &'text str,
    /// The author; empty if unknown.
    pub author: &'text str,
    /// The date of the statement.
    pub on: Date,
}

impl SourceText<'_> {
    fn data(&self) -> Value {
        json!({"author": self.author, "said_on": self.on.to_string(), "text": self.text})
    }

    fn length(&self) -> usize {
        self.text.len() + self.author.len()
    }
}

/// The instructions: the prompt without its first line, the version.
fn instruction(prompt: &str) -> String {
    let (_, instruction) = prompt.split_once('\n').unwrap_or(("", prompt));
    instruction.trim().to_owned()
}

/// The schema of an object with exactly these properties.
fn object<const N: usize>(properties: [(&str, Value); N]) -> Value {
    let names: Vec<_> = properties.iter().map(|(name, _)| *name).collect();
    json!({
        "type": "object",
        "required": names,
        "properties": Value::from_iter(properties),
        "additionalProperties": false,
    })
}

/// The schema of a list with at most `most` items.
fn list(most: usize, items: &Value) -> Value {
    json!({"type": "array", "maxItems": most, "items": items})
}

/// The schema of a string of at most `most` characters.
fn text(most: usize) -> Value {
    json!({"type": "string", "maxLength": most})
}

/// The input of a task for the model.
struct Question {
    prompt: String,
    data: Value,
    schema: Value,
    max_output_tokens: u32,
}

impl Question {
    fn put(self, bridge: &Bridge, call: &Call<'_>) -> Result<Value, BridgeError> {
        let request = Request {
            system: instruction(&self.prompt),
            messages: vec![Message::asked(quote(&self.data))],
            schema: Some(Schema::new(self.schema)?),
            max_output_tokens: self.max_output_tokens,
            temperature: Some(0.0),
            // Set by the bridge for each attempt.
            longest: std::time::Duration::ZERO,
        };
        bridge.ask_for_json(call, &request)
    }
}

/// Sources, numbered from 1 as models cite them.
fn numbered(sources: &[SourceText<'_>]) -> Value {
    let entry = |(number, said): (usize, &SourceText<'_>)| {
        let mut entry = said.data();
        entry["number"] = json!(number + 1);
        entry
    };
    Value::Array(sources.iter().enumerate().map(entry).collect())
}

/// The distinct indexes of the cited sources, in order; invalid numbers are dropped.
fn cited(answer: &Value, count: usize) -> Vec<usize> {
    let numbers = answer.get("sources").and_then(Value::as_array);
    let mut places: Vec<usize> = numbers
        .into_iter()
        .flatten()
        .filter_map(Value::as_f64)
        .filter(|&number| number >= 1.0 && number <= count as f64)
        .map(|number| number as usize - 1)
        .collect();
    places.sort_unstable();
    places.dedup();
    places
}

fn refuse_longer(what: &'static str, size: usize, most: usize) -> Result<(), BridgeError> {
    if size > most {
        return Err(BridgeError::TooLong { what, size, most });
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_prompt_says_its_version_first() {
        for prompt in [
            read::PROMPT,
            judge::PROMPT,
            summarise::PROMPT,
            insight::PROMPT,
            enrich::PROMPT,
            lessons::PROMPT,
        ] {
            assert_eq!(prompt.lines().next(), Some("version: 1"), "{prompt}");
            assert!(!instruction(prompt).contains("version:"));
            assert!(instruction(prompt).len() > 200, "{prompt}");
        }
    }

    #[test]
    fn citations_are_of_sources_that_were_given() {
        let check = |sources: Value, expected: &[usize]| {
            assert_eq!(cited(&json!({"sources": sources}), 3), expected);
        };
        check(json!([1, 3]), &[0, 2]);
        check(json!([3, 1, 1, 2.0]), &[0, 1, 2]);
        check(json!([0, 4, -1, 1e300, "2", null]), &[]);
        check(json!([]), &[]);
        check(json!(null), &[]);
    }
}
