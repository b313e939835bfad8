//! `anamne feedback`.

use anamne::{Judgement, MemoryId};
use serde_json::json;

use crate::failure::Failure;
use crate::output::{Output, times};
use crate::place::Place;
use crate::{ids, settling};

/// Whether an answer helped.
#[derive(Clone, Copy, Debug, clap::ValueEnum)]
enum UsefulnessVerdict {
    /// It helped
    Useful,
    /// It did not
    Useless,
}

/// Report whether a result was useful
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Feedback is stored with the memory and slightly changes its rank. To rate the
best result of a logged query, give the query's number: q12 (see `anamne meta
log`).

Examples:
  anamne feedback m12 useful
  anamne feedback m31 useless --note \"that was the old address\"
  anamne feedback q7 useful

With --json: {\"memory\", \"useful\", \"useless\": number of reports}")]
pub(crate) struct Feedback {
    /// The memory, or the query whose best result is meant
    #[arg(value_name = "ID")]
    of: String,
    /// Whether it helped
    #[arg(value_enum)]
    verdict: UsefulnessVerdict,
    /// Why
    #[arg(
        long,
        default_value = "",
        hide_default_value = true,
        value_name = "TEXT"
    )]
    note: String,
}

impl Feedback {
    pub(crate) fn run(self, place: &Place, output: &mut Output) -> Result<(), Failure> {
        let space = place.existing_space()?;
        let useful = matches!(self.verdict, UsefulnessVerdict::Useful);
        let query = self
            .of
            .strip_prefix('q')
            .and_then(|number| number.parse().ok());
        let memory = if let Some(number) = query {
            space.feedback_on_query(number, useful, &self.note)?
        } else {
            let memory: MemoryId = ids::resolve(&space, &self.of)?;
            space.feedback(&anamne::Feedback {
                memory,
                useful,
                note: self.note,
            })?
        };
        let judgement = Judgement::of(&memory.metadata);
        if output.is_json() {
            output.json(&json!({
                "memory": memory.id,
                "useful": judgement.useful,
                "useless": judgement.useless,
            }))?;
        } else {
            output.line(format_args!(
                "{}: reported useful {}, useless {}",
                memory.citation(),
                times(judgement.useful.into()),
                times(judgement.useless.into())
            ))?;
        }
        settling::settle(&space, output)
    }
}
