//! `anamne experience lessons`.

use serde_json::json;

use super::ask;
use crate::commands::remember;
use crate::failure::Failure;
use crate::output::Output;
use crate::place::Place;
use crate::shell::shell_word;

/// Show the lessons that finished runs suggest, keep one, or set it aside
#[derive(Debug, clap::Args)]
pub(crate) struct Lessons {
    /// Store this one as a lesson
    #[arg(long, value_name = "ID", conflicts_with = "set_aside")]
    keep: Option<String>,
    /// Do not propose this one, or one that says the same, again
    #[arg(long, value_name = "ID")]
    set_aside: Option<String>,
}

impl Lessons {
    pub(super) fn run(self, place: &Place, output: &mut Output) -> Result<(), Failure> {
        let space = place.reached_existing()?;
        let listed = |error: Failure| error.listed_by("anamne experience lessons");
        let decided = match (&self.keep, &self.set_aside) {
            (Some(item), _) => space.keep_lesson(item).map_err(listed)?,
            (None, Some(item)) => space.set_lesson_aside(item).map_err(listed)?,
            (None, None) => {
                let proposals = space.lesson_proposals()?;
                if output.is_json() {
                    return output.json(&json!({ "proposals": proposals }));
                }
                if proposals.is_empty() {
                    output.note("no finished run suggests a lesson");
                }
                for proposal in &proposals {
                    ask::print(proposal, output)?;
                    if let Some(lesson) = &proposal.lesson {
                        let item = shell_word(&lesson.item);
                        output.line(format_args!("  anamne experience lessons --keep {item}"))?;
                    }
                }
                return Ok(());
            }
        };
        remember::print(&decided, output)?;
        space.settle(output)
    }
}
