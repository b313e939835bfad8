//! `anamne feedback`.

use anamne::{Opinion, Said};
use serde_json::json;

use crate::failure::Failure;
use crate::output::{Output, times};
use crate::place::Place;
use crate::reached::KeptFeedback;

/// Say whether a result, a search or work was good
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Feedback on a result is stored with the memory and slightly changes its rank.
To rate the best result of a logged query, give the query's number: q12 (see
`anamne meta log`). Feedback on a recorded search (`anamne recall --learn`)
teaches which strategy to use for such questions. Feedback on work (approval,
rejection, correction, neutral) names the outcome, or other memory, that it is
about.

Examples:
  anamne feedback m12 useful
  anamne feedback m31 useless --note \"that was the old address\"
  anamne feedback q7 useful
  anamne feedback m90 useful --used m12 --used m14
  anamne feedback m91 ambiguous --should-ask \"which of the two servers?\"
  anamne feedback m40 correction --wanted \"a list, not a table\"

With --json: {\"memory\", \"useful\", \"useless\": number of reports}; for searches
  and work as `anamne remember`")]
pub(crate) struct Feedback {
    /// The memory, or the query whose best result is meant
    #[arg(value_name = "ID")]
    of: String,
    /// What is said about it
    #[arg(value_parser = Said::WORDS)]
    verdict: String,
    /// Why
    #[arg(
        long,
        default_value = "",
        hide_default_value = true,
        value_name = "TEXT"
    )]
    note: String,
    /// Of a recorded search: a result that was used; may be repeated
    #[arg(long, value_name = "ID")]
    used: Vec<String>,
    /// If the search was ambiguous: what should have been asked
    #[arg(
        long,
        default_value = "",
        hide_default_value = true,
        value_name = "TEXT"
    )]
    should_ask: String,
    /// If it is a correction: what was wanted instead
    #[arg(
        long,
        default_value = "",
        hide_default_value = true,
        value_name = "TEXT"
    )]
    wanted: String,
}

impl Feedback {
    pub(crate) fn run(self, place: &Place, output: &mut Output) -> Result<(), Failure> {
        let space = place.reached_existing()?;
        let query = self
            .of
            .strip_prefix('q')
            .and_then(|number| number.parse().ok());
        if let Some(number) = query {
            let useful = self.of_result()?;
            let kept = space.feedback_on_query(number, useful, &self.note)?;
            print(&kept, output)?;
        } else {
            let opinion = Opinion {
                about: space.resolve(&self.of)?,
                said: Said::from_word(&self.verdict)?,
                comment: self.note,
                wanted: self.wanted,
                used: space.resolve_all(&self.used)?,
                should_ask: self.should_ask,
            };
            print(&space.give_feedback(opinion, &self.verdict)?, output)?;
        }
        space.settle(output)
    }

    /// Whether the best result of a query was useful.
    fn of_result(&self) -> Result<bool, Failure> {
        for (field, is_given) in [
            ("used", !self.used.is_empty()),
            ("should_ask", !self.should_ask.is_empty()),
            ("wanted", !self.wanted.is_empty()),
        ] {
            if is_given {
                let message = "only --note is kept with the result of a logged query";
                return Err(Failure::refused(field, message));
            }
        }
        match self.verdict.as_str() {
            "useful" => Ok(true),
            "useless" => Ok(false),
            _ => Err(
                Failure::refused("verdict", "verdict must be useful or useless for a result")
                    .hint("the others are for searches and work; see `anamne feedback --help`"),
            ),
        }
    }
}

fn print(kept: &KeptFeedback, output: &mut Output) -> Result<(), Failure> {
    let judged = match kept {
        KeptFeedback::Recorded(remembered) => return super::remember::print(remembered, output),
        KeptFeedback::Result(judged) => judged,
    };
    if output.is_json() {
        return output.json(&json!({
            "memory": judged.memory,
            "useful": judged.useful,
            "useless": judged.useless,
        }));
    }
    output.line(format_args!(
        "{}: reported useful {}, useless {}",
        judged.citation,
        times(judged.useful.into()),
        times(judged.useless.into())
    ))
}
