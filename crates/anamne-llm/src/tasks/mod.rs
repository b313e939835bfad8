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

/// One of the tasks that have a prompt.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Task {
    /// [`read`]
    Read,
    /// [`judge`]
    Judge,
    /// [`summarise`]
    Summarise,
    /// [`insight`]
    Insight,
}

impl Task {
    /// Every task.
    pub const ALL: [Self; 4] = [Self::Read, Self::Judge, Self::Summarise, Self::Insight];

    /// The task's name.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Read => "read",
            Self::Judge => "judge",
            Self::Summarise => "summarise",
            Self::Insight => "insight",
        }
    }

    /// The version of its prompt. Another version may answer otherwise, so results are kept under it.
    pub fn version(self) -> u32 {
        match self {
            Self::Read | Self::Judge | Self::Summarise | Self::Insight => 1,
        }
    }

    fn prompt(self) -> &'static str {
        match self {
            Self::Read => include_str!("../../prompts/read.md"),
            Self::Judge => include_str!("../../prompts/judge.md"),
            Self::Summarise => include_str!("../../prompts/summarise.md"),
            Self::Insight => include_str!("../../prompts/insight.md"),
        }
    }

    /// What the model is told to do: the prompt after the line that gives its version.
    fn instruction(self) -> String {
        let prompt = self.prompt();
        let (_, instruction) = prompt.split_once('\n').unwrap_or(("", prompt));
        instruction.trim().to_owned()
    }
}

/// What a task hands to the model.
struct Question {
    instruction: String,
    data: Value,
    schema: Value,
    max_output_tokens: u32,
}

impl Question {
    fn put(self, bridge: &Bridge, call: &Call<'_>) -> Result<Value, BridgeError> {
        let request = Request {
            system: self.instruction,
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
        for task in Task::ALL {
            let first = task.prompt().lines().next();
            let expected = format!("version: {}", task.version());
            assert_eq!(first, Some(expected.as_str()), "{}", task.as_str());
            assert!(!task.instruction().contains("version:"));
            assert!(task.instruction().len() > 200, "{}", task.as_str());
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
