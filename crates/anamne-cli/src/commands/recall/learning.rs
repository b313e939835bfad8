//! `anamne recall --learn`: the strategy comes from experience, and the search is recorded.

use anamne::{ExperiencedAnswer, LearningSearch, ShownResults};

use super::{Recall, print, sum_up};
use crate::commands::experience::print_advice;
use crate::failure::Failure;
use crate::output::{CYAN, Output, paint};
use crate::place::Place;
use crate::session_argument::session_of_environment;
use crate::wording::{one_line, wrapped};

/// Options that say whether a search is learned from.
#[derive(Debug, clap::Args)]
#[command(next_help_heading = "Experience")]
pub(super) struct Learning {
    /// Use the strategy that worked for such questions, in the current space only, and record the search
    #[arg(long, conflicts_with_all = ["chosen", "core", "with_tool_results"])]
    pub(super) learn: bool,
    /// An earlier search of this question that did not help: its results are left out; may be repeated
    #[arg(long, value_name = "ID", requires = "learn")]
    after: Vec<String>,
}

impl Recall {
    pub(super) fn run_learning(
        mut self,
        place: &Place,
        output: &mut Output,
    ) -> Result<(), Failure> {
        let details = self.details();
        let after = std::mem::take(&mut self.learning.after);
        let recall = self.question(output)?;
        let space = place.reached_existing()?;
        let search = LearningSearch {
            previous: space.resolve_all(&after)?,
            session: session_of_environment(),
            shown: if output.is_json() {
                ShownResults::default()
            } else {
                details.shown_results()
            },
            ..LearningSearch::new(recall)
        };
        let found = space.search_with_experience(&search)?;
        if output.is_json() {
            output.json(&found)?;
        } else {
            print(&search.recall.query, &found.answer, details, output)?;
            print_strategy(&found, output)?;
            output.flush()?;
            let others = match search.previous.len() {
                0 => "",
                _ => " beside those already shown",
            };
            let from = format!("the space {}{others}", space.name());
            sum_up(&found.answer, details, &from, output);
            if found.search.is_some() {
                let id = &found.citation;
                output.note(format_args!(
                    "say whether it helped: anamne feedback {id} useful|partial|useless"
                ));
            }
        }
        space.settle(output)
    }
}

fn print_strategy(found: &ExperiencedAnswer, output: &mut Output) -> Result<(), Failure> {
    let id = match found.search {
        Some(_) => found.citation.as_str(),
        None => "not recorded",
    };
    let why = one_line(&found.why);
    let mut said = format!("strategy {}: {why}", found.strategy);
    if !found.worthwhile {
        said.push_str("; ask otherwise, or stop");
    }
    output.line("")?;
    for (index, line) in wrapped(&said, output.width).iter().enumerate() {
        match index {
            0 => output.line(format_args!("{}  {line}", paint(CYAN, id)))?,
            _ => output.line(format_args!("  {line}"))?,
        }
    }
    for lesson in &found.lessons {
        print_advice(lesson, output)?;
    }
    Ok(())
}
