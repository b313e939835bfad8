//! `anamne knowledge suggestions`.

use anamne::Limits;
use serde_json::json;

use crate::extraction;
use crate::failure::Failure;
use crate::output::{BOLD, CYAN, DIM, Output, paint};
use crate::place::Place;
use crate::shell::shell_arguments;
use crate::wording::one_line;

/// List entities that may be the same
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  anamne knowledge suggestions
  anamne knowledge merge Mara \"Mara Lind\"
  anamne knowledge distinct \"Anna Berg\" \"Anne Berg\"

With --json: {\"suggestions\": [{\"into\": entity, \"from\": entity, \"reason\"}]}")]
pub(crate) struct Suggestions {
    /// Maximum number of pairs
    #[arg(short = 'k', long, default_value_t = 20, value_name = "N")]
    limit: usize,
}

impl Suggestions {
    pub(crate) fn run(self, place: &Place, output: &mut Output) -> Result<(), Failure> {
        Limits::check_results(self.limit)?;
        let space = place.reached_existing()?;
        let suggestions = extraction::knowledge(&space, output)?.suggested_merges(self.limit)?;
        if output.is_json() {
            return output.json(&json!({ "suggestions": suggestions }));
        }
        for suggestion in &suggestions {
            let (from, into) = (
                one_line(&suggestion.from.name),
                one_line(&suggestion.into.name),
            );
            let what = format!("{} · {}", suggestion.into.entity_type, suggestion.reason);
            output.line(format_args!(
                "{}  and  {}  {}",
                paint(BOLD, &from),
                paint(BOLD, &into),
                paint(DIM, what)
            ))?;
            let names = [&suggestion.from.name, &suggestion.into.name];
            let arguments = shell_arguments(names.map(String::as_str));
            let command = format!("anamne knowledge merge {arguments}");
            output.line(format_args!("    {}", paint(CYAN, command)))?;
        }
        output.flush()?;
        if suggestions.is_empty() {
            output.note(format_args!(
                "no similar entities in the space {}",
                space.name()
            ));
        } else {
            output.note("keep two apart with `anamne knowledge distinct ONE OTHER`");
        }
        Ok(())
    }
}
