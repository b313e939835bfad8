//! `memory_search_with_experience`: a search whose strategy is learned from feedback. Offered only on request.

use std::fmt::Write;

use anamne::text::quote::push_block;
use anamne::text::quote::{on_one_line, quote_name};
use anamne::text::tokens::estimate_tokens;
use anamne::{Answer, ExperiencedAnswer, LearningSearch, Limits, Recall, ShownResults};
use schemars::JsonSchema;
use serde::Deserialize;

use super::record_outcome::resolved;
use super::{Effect, MemoryTool, search};
use crate::mcp::arguments::bounded;
use crate::mcp::call_context::CallContext;
use crate::mcp::quote::DEFAULT_BUDGET;
use crate::mcp::reply::{Failure, Reply};

#[derive(Debug, Deserialize, JsonSchema)]
pub(crate) struct SearchWithExperience {
    query: String,
    /// Searches for it that did not help: m12
    #[serde(default)]
    after: Vec<String>,
    limit: Option<i64>,
    token_budget: Option<i64>,
    space: Option<String>,
}

impl MemoryTool for SearchWithExperience {
    const NAME: &'static str = "memory_search_with_experience";
    const TITLE: &'static str = "Search with experience";
    const DESCRIPTION: &'static str = "memory_search, with the strategy that worked for such questions. \
Then tell memory_feedback about the search.";
    const EFFECT: Effect = Effect::Adds;

    fn run(self, call: &CallContext) -> Result<Reply, Failure> {
        let budget = bounded(
            "token_budget",
            self.token_budget,
            50..=1_000_000,
            DEFAULT_BUDGET,
        )?;
        let limit = bounded("limit", self.limit, 1..=Limits::RESULTS as i64, 10)?;
        let space = call.space(self.space.as_deref())?;
        let recall = Recall::new(self.query.as_str())
            .limit(limit)
            .asked(call.now(), &call.zone);
        let previous = resolved(&space, &self.after)?;
        let is_first = previous.is_empty();
        let mut found = space.search_with_experience(&LearningSearch {
            previous,
            session: call.session.clone(),
            shown: ShownResults {
                min_confidence: Recall::UNLIKELY,
                at_least: 0,
            },
            ..LearningSearch::new(recall)
        })?;
        leave_out_unlikely(&mut found.answer);
        let mut place = format!("the space {}", quote_name(space.name()));
        if found.answer.results.is_empty() && !is_first {
            place.push_str(" beside those already shown");
        }
        let mut lessons = lessons(&found);
        let cost = estimate_tokens(&lessons);
        if cost > budget / LESSONS {
            lessons.clear();
            found.lessons.clear();
        }
        let left = budget - estimate_tokens(&lessons);
        let quoted = search::show(call, &found.answer, &place, &self.query, left)?;
        let text = format!("{}{lessons}\n{}", said(&found), quoted.text);
        Ok(Reply::new(call, text, || {
            search::structure(&found, &quoted, budget)
        }))
    }
}

/// Leaves out what `memory_search` leaves out as well; a later search of the question may show it.
fn leave_out_unlikely(answer: &mut Answer) {
    let found = answer.results.len();
    answer
        .results
        .retain(|hit| hit.confidence >= Recall::UNLIKELY);
    answer.dropped += found - answer.results.len();
}

/// Lessons may cost at most this part of the budget: a quarter.
const LESSONS: usize = 4;

/// The lessons that apply, quoted.
fn lessons(found: &ExperiencedAnswer) -> String {
    let mut said = String::new();
    for lesson in &found.lessons {
        let cases: Vec<&str> = lesson
            .cases
            .iter()
            .map(|case| case.citation.as_str())
            .collect();
        let _ = write!(
            said,
            "\nA lesson, confidence {:.2} [{}]:\n",
            lesson.confidence,
            cases.join(", ")
        );
        let text = match &lesson.lesson {
            Some(text) => format!("{}\n{}", text.title, text.content),
            None => lesson.subject.clone(),
        };
        push_block(&mut said, &text);
    }
    said
}

/// Which search it is, and why it was made this way.
fn said(found: &ExperiencedAnswer) -> String {
    let mut said = match found.search {
        Some(_) => format!("Search {}", found.citation),
        None => "Search, not recorded".to_owned(),
    };
    // The name of an experiment is stored text.
    let why = on_one_line(&found.why);
    let _ = write!(said, ", strategy {}: {why}.", found.strategy);
    if !found.worthwhile {
        said.push_str(" Ask otherwise, or stop.");
    }
    said
}
