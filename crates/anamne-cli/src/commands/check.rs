//! `anamne check`.

use anamne::{ConsistencyReport, ConsistencyRequest};

use super::resolve;
use crate::failure::Failure;
use crate::output::{Output, counted, memories};
use crate::place::Place;
use crate::reached::Reached;

/// Check memories for contradictions
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Compares the texts by rules, without a model, whether or not they have been
extracted. Superseded and resolved statements are shown; exit code 1 means
that an open contradiction is left. A claim is compared with the memories about
it and not stored; it is cited as `claim`, and exit code 1 means that something
contradicts it.

Examples:
  anamne check m3 m7 m12
  anamne check --topic \"release date\"
  anamne check --topic deployment --json
  anamne check --claim \"The release is on Friday\"

With --json: {\"checked\", \"contradictions\": [{\"id\", \"kind\":
  \"contested|superseded\", \"earlier\": {\"memory\", \"citation\", \"at\", \"author\"?,
  \"quote\"}, \"later\": {…}, \"reason\", \"confidence\", \"made_by\", \"kept\"?, \"holds\"?: the
  memory that holds, if that is known}], \"not_extracted\"}")]
pub(crate) struct Check {
    /// The memories
    #[arg(required_unless_present_any = ["topic", "claim"], value_name = "ID")]
    ids: Vec<String>,
    /// Also the memories about this topic
    #[arg(long, value_name = "WORDS")]
    topic: Option<String>,
    /// Instead: what contradicts this statement
    #[arg(long, value_name = "TEXT", conflicts_with_all = ["ids", "topic"])]
    claim: Option<String>,
    /// Maximum number of memories about the topic or claim, 1 to 1000
    #[arg(short = 'k', long, default_value_t = 50, value_name = "N")]
    limit: usize,
}

impl Check {
    pub(crate) fn run(self, place: &Place, output: &mut Output) -> Result<(), Failure> {
        let space = place.reached_existing()?;
        let report = match &self.claim {
            Some(claim) => space.check_claim(claim, self.limit)?,
            None => space.check_consistency(&ConsistencyRequest {
                memories: space.resolve_all(&self.ids)?,
                topic: self.topic,
                limit: self.limit,
            })?,
        };
        if output.is_json() {
            output.json(&report)?;
        } else {
            print(&report, self.claim.is_some(), &space, output)?;
        }
        space.settle(output)?;
        if report.is_consistent() {
            Ok(())
        } else {
            Err(Failure::Reported)
        }
    }
}

fn print(
    report: &ConsistencyReport,
    is_claim: bool,
    space: &Reached,
    output: &mut Output,
) -> Result<(), Failure> {
    for (index, found) in report.contradictions.iter().enumerate() {
        if index > 0 {
            output.line("")?;
        }
        resolve::print(&found.contradiction, output)?;
    }
    output.flush()?;
    let open = report
        .contradictions
        .iter()
        .filter(|found| found.holds.is_none())
        .count();
    let settled = report.contradictions.len() - open;
    let compared = memories(report.checked);
    output.note(match (open, settled) {
        (0, 0) => format!("no contradictions in {compared}"),
        (1.., _) if is_claim => format!(
            "{} to the claim in {compared}; nothing is stored",
            counted(open as u64, "contradiction")
        ),
        (0, settled) => format!(
            "no open contradictions in {compared}; {} resolved",
            counted(settled as u64, "contradiction")
        ),
        (open, _) => format!(
            "{} open in {compared}; decide with `anamne resolve`",
            counted(open as u64, "contradiction")
        ),
    });
    if report.not_extracted > 0 && open > 0 {
        output.note(format_args!(
            "{} not extracted yet in the space {}: run `anamne extract`",
            memories(report.not_extracted),
            space.name()
        ));
    }
    Ok(())
}
