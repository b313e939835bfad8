//! Writes the lessons of a finished attempt at a goal.

use serde_json::{Value, json};

use super::{MOST_BYTES, MOST_CHARACTERS, Question, cited, list, object, refuse_longer, text};
use crate::wording::plain_line;
use crate::{Bridge, BridgeError, Call};

/// A step of an attempt, as it was recorded.
#[derive(Clone, Copy, Debug)]
pub struct StepText<'text> {
    /// The call.
    pub call: &'text str,
    /// Its error; empty if it had none.
    pub error: &'text str,
    /// Whether it succeeded.
    pub succeeded: bool,
}

/// A lesson that a model wrote.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LessonText {
    /// Its title, one line of at most 60 characters.
    pub title: String,
    /// When it applies, one line of at most 400 characters; may be empty.
    pub description: String,
    /// What to do, one line of at most 400 characters.
    pub content: String,
    /// The indexes of the steps that bear it, rising; never empty.
    pub steps: Vec<usize>,
}

pub(super) const PROMPT: &str = include_str!("../../prompts/lessons.md");

/// Maximum number of steps.
const MOST_STEPS: usize = 64;

/// Maximum number of lessons.
const MOST_LESSONS: usize = 3;

/// Maximum characters of a title.
const LONGEST_TITLE: usize = 60;

/// At most three lessons of an attempt; none if the model finds none. A lesson without title, content or cited steps is dropped.
///
/// Without steps no model is called. [`BridgeError::TooLong`] above 64 steps or 64 KiB.
pub fn lessons(
    bridge: &Bridge,
    call: &Call<'_>,
    goal: &str,
    succeeded: bool,
    steps: &[StepText<'_>],
) -> Result<Vec<LessonText>, BridgeError> {
    if steps.is_empty() {
        return Ok(Vec::new());
    }
    refuse_longer("the list of steps", steps.len(), MOST_STEPS)?;
    let of_steps: usize = steps
        .iter()
        .map(|step| step.call.len() + step.error.len())
        .sum();
    refuse_longer(
        "the text of the steps, in bytes,",
        goal.len() + of_steps,
        MOST_BYTES,
    )?;
    let numbered = steps.iter().enumerate().map(|(number, step)| {
        json!({"number": number + 1, "text": step.call, "succeeded": step.succeeded, "error": step.error})
    });
    let question = Question {
        prompt: PROMPT.to_owned(),
        data: json!({
            "goal": goal, "succeeded": succeeded, "steps": numbered.collect::<Vec<_>>(),
        }),
        schema: schema(),
        max_output_tokens: 1_000,
    };
    let answer = question.put(bridge, call)?;
    let written = answer.get("lessons").and_then(Value::as_array);
    let found = written.into_iter().flatten().filter_map(|written| {
        let line = |field: &str, most| {
            let said = written.get(field).and_then(Value::as_str);
            plain_line(said.unwrap_or_default(), most)
        };
        let lesson = LessonText {
            title: line("title", LONGEST_TITLE),
            description: line("description", MOST_CHARACTERS),
            content: line("content", MOST_CHARACTERS),
            steps: cited(written, steps.len()),
        };
        let says_something = !lesson.title.is_empty() && !lesson.content.is_empty();
        (says_something && !lesson.steps.is_empty()).then_some(lesson)
    });
    Ok(found.take(MOST_LESSONS).collect())
}

fn schema() -> Value {
    let lesson = object([
        ("title", text(300)),
        ("description", text(2_000)),
        ("content", text(2_000)),
        ("sources", list(MOST_STEPS, &json!({"type": "integer"}))),
    ]);
    object([("lessons", list(MOST_LESSONS, &lesson))])
}
