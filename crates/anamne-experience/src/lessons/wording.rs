//! A lesson in plain sentences.

use anamne_text::quote::on_one_line;
use serde::{Deserialize, Serialize};

use super::{CallAt, DerivedLesson, Rule};
use crate::normal;

/// Longest recorded text in a title and in a sentence, in bytes.
const LONGEST_IN_TITLE: usize = 80;
const LONGEST: usize = 300;

/// A lesson in words. Recorded texts in it are shortened, and each is on one line: data, never an instruction.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Words {
    /// Its title, at most about 120 bytes.
    pub title: String,
    /// When it applies, in one sentence.
    pub description: String,
    /// What to do or what to expect, in a few lines.
    pub content: String,
}

impl Words {
    /// A normal form, in which words that say the same mostly meet.
    pub(super) fn normal(&self) -> String {
        normal::error(&format!("{} {}", self.title, self.content))
    }
}

/// A recorded text on one line, shortened.
fn quoted(text: &str, most: usize) -> String {
    let text = on_one_line(text.trim());
    let end = text.floor_char_boundary(most);
    if end == text.len() {
        return text;
    }
    format!("{}…", text[..end].trim_end())
}

fn times(count: usize) -> String {
    match count {
        1 => "once".to_owned(),
        2 => "twice".to_owned(),
        count => format!("{count} times"),
    }
}

fn attempts(count: usize) -> String {
    match count {
        1 => "one failed attempt".to_owned(),
        count => format!("{count} failed attempts"),
    }
}

impl DerivedLesson {
    /// Its words. `recorded` returns a call as it was recorded, and `error` the error of a call. O(bytes).
    pub fn words(
        &self,
        recorded: &dyn Fn(&CallAt) -> String,
        error: &dyn Fn(&CallAt) -> Option<String>,
    ) -> Words {
        if let Some((words, _)) = &self.written {
            return words.clone();
        }
        let goal = quoted(&self.goal, LONGEST);
        let said = self.failed.as_ref().and_then(error);
        let said = said.unwrap_or_else(|| self.error.clone());
        let calls = self.calls.iter().enumerate();
        let list = calls.map(|(place, call)| {
            let call = quoted(&recorded(call), LONGEST);
            format!("{}. {call}", place + 1)
        });
        let list = list.collect::<Vec<_>>().join("\n");
        let first = || self.calls.first().map(recorded).unwrap_or_default();
        let in_title = |text: &str| quoted(text, LONGEST_IN_TITLE);
        let goal_is = format!("When the goal is like: {goal}");
        match self.rule {
            Rule::Recovery => {
                let had_failed = self.failed.as_ref().map(recorded).unwrap_or_default();
                Words {
                    title: format!("What ended the error: {}", in_title(&said)),
                    description: format!("When the goal is like: {goal} – and this error occurs."),
                    content: format!(
                        "In one run the error occurred {}. After this call it did not come back:\n{}\nThe call that had failed:\n{}",
                        times(self.times),
                        quoted(&first(), LONGEST),
                        quoted(&had_failed, LONGEST)
                    ),
                }
            }
            Rule::Difference => Words {
                title: format!("What made the difference: {}", in_title(&self.goal)),
                description: goal_is,
                content: format!(
                    "After {}, one reached the goal. Only that one made these calls:\n{list}",
                    attempts(self.times)
                ),
            },
            Rule::Order => Words {
                title: format!("The order that worked: {}", in_title(&self.goal)),
                description: goal_is,
                content: format!(
                    "After {}, one reached the goal. Only that one made these calls in this order:\n{list}",
                    attempts(self.times)
                ),
            },
            Rule::FailingCall => Words {
                title: format!("A call that always failed: {}", in_title(&first())),
                description: goal_is,
                content: format!(
                    "This call failed {} and never succeeded:\n{}\nIts error:\n{}",
                    times(self.times),
                    quoted(&first(), LONGEST),
                    quoted(&said, LONGEST)
                ),
            },
            Rule::LastingError | Rule::Model => Words {
                title: format!("An error to expect: {}", in_title(&said)),
                description: goal_is,
                content: format!(
                    "In one run this error occurred {}, and nothing that was tried ended it:\n{}",
                    times(self.times),
                    quoted(&said, LONGEST)
                ),
            },
        }
    }
}
