//! The questions that are put to a model, each with a prompt, a form of answer and a result of its own.
//!
//! A result holds nothing that its evidence does not bear: names must stand in the text, citations must be of the
//! sources that were given. What does not is left out.

mod insight;
mod judge;
mod probe;
mod read;
mod spans;
mod summarise;

use jiff::civil::Date;
use serde_json::{Value, json};

use super::quote::quote;
use super::{Bridge, BridgeError, Call, Message, Request, Schema};

pub use insight::{Insight, insight};
pub use judge::{Judgement, Verdict, judge};
pub use probe::{Probe, probe};
pub use read::read;
pub use summarise::{SummarySentence, summarise};

/// All texts of a task together, in bytes.
const MOST_BYTES: usize = 64 << 10;

/// The longest sentence that a model writes, in characters.
const MOST_CHARACTERS: usize = 400;

/// A text that someone said, as it is shown to a model.
#[derive(Clone, Copy, Debug)]
pub struct Said<'text> {
    /// What was said.
    pub text: &'text str,
    /// Who said it; empty when not known.
    pub author: &'text str,
    /// The day on which it was said.
    pub on: Date,
}

impl Said<'_> {
    fn data(&self) -> Value {
        json!({"author": self.author, "said_on": self.on.to_string(), "text": self.text})
    }

    fn length(&self) -> usize {
        self.text.len() + self.author.len()
    }
}

/// What the model is told to do: the prompt after the line that gives its version.
fn instruction(prompt: &str) -> String {
    let (_, instruction) = prompt.split_once('\n').unwrap_or(("", prompt));
    instruction.trim().to_owned()
}

/// The schema of an object that has each of these properties and no others.
fn object<const N: usize>(properties: [(&str, Value); N]) -> Value {
    let names: Vec<_> = properties.iter().map(|(name, _)| *name).collect();
    json!({
        "type": "object",
        "required": names,
        "properties": Value::from_iter(properties),
        "additionalProperties": false,
    })
}

/// The schema of a list of at most so many.
fn list(most: usize, items: &Value) -> Value {
    json!({"type": "array", "maxItems": most, "items": items})
}

/// The schema of a text of at most so many characters.
fn text(most: usize) -> Value {
    json!({"type": "string", "maxLength": most})
}

/// What a task hands to the model.
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
fn numbered(sources: &[Said<'_>]) -> Value {
    let entry = |(number, said): (usize, &Said<'_>)| {
        let mut entry = said.data();
        entry["number"] = json!(number + 1);
        entry
    };
    Value::Array(sources.iter().enumerate().map(entry).collect())
}

/// The places of the sources that an answer cites, each once, in order; numbers of no source are left out.
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
