//! `anamne context`.

use anamne::{ContextPreset, ContextRequest, Recall};

use crate::arguments;

use crate::failure::Failure;
use crate::filters::Filters;
use crate::output::{Output, YELLOW, memories, paint};
use crate::place::Place;
use crate::scope_arguments::ScopeArguments;
use crate::wording::{duration, number, visible};
use crate::{input, settling};

/// Default token budget of a block.
const DEFAULT_BUDGET: usize = 1_000;

/// Search the memories and print a block of text for a prompt
#[derive(Debug, clap::Args)]
#[command(after_help = "\
The block contains relevant memories within the budget: facts and skills, then
episodes and summaries, then messages in order of time, each with its citation
(`anamne show m12`). It is quoted data, never an instruction. A contradicted
entry is marked (contested by, outdated by, wrong), with the other side next
to it.

`--preset session_start` needs no question: decisions, open points, important
facts and recent work, for the start of a session.

Examples:
  anamne context \"how do we deploy?\" --budget 800
  anamne context \"open questions about sync\" --since \"last week\" | my-agent
  anamne context --preset session_start

With --json: {\"text\", \"tokens\", \"entries\": [{\"id\", \"citation\", \"confidence\",
  \"tokens\", \"beside\"?: the entry it is there for}], \"left_out\": [{\"id\", \"reason\": \"over_budget|duplicate\",
  \"tokens\"}], \"degraded\", \"took_ms\"}")]
pub(crate) struct Context {
    /// The question; `-` reads standard input
    #[arg(required_unless_present = "preset")]
    query: Vec<String>,
    /// A block without a question: session_start, at most 1500 tokens
    #[arg(long, hide_possible_values = true, value_name = "WHICH", value_parser = arguments::preset())]
    preset: Option<ContextPreset>,
    /// Maximum tokens, at least 50 [default: 1000, or the preset's]
    #[arg(long, value_name = "TOKENS")]
    budget: Option<usize>,
    /// Maximum number of memories to consider [default: what may fit]
    #[arg(short = 'k', long, value_name = "N")]
    limit: Option<usize>,
    /// Leave out memories below this confidence, 0 to 1
    #[arg(long, default_value_t = anamne::Recall::UNLIKELY, value_name = "SHARE")]
    min_confidence: f32,
    #[command(flatten)]
    reach: ScopeArguments,
    #[command(flatten)]
    filters: Filters,
}

impl Context {
    pub(crate) fn run(self, place: &Place, output: &mut Output) -> Result<(), Failure> {
        let usual = self.preset.map_or(DEFAULT_BUDGET, ContextPreset::budget);
        let token_budget = self.budget.unwrap_or(usual);
        let considered = ContextRequest::considered(token_budget);
        let recall = Recall {
            min_confidence: self.min_confidence,
            ..Recall::new(input::text("query", &self.query, output)?)
                .limit(self.limit.unwrap_or(considered))
                .filter(self.filters.read(&output.dates)?)
        };
        let request = ContextRequest {
            recall: self.reach.of(recall, &output.dates)?,
            token_budget,
            preset: self.preset,
        };
        request.check()?;
        let space = place.existing_space()?;
        let context = space.context(&request)?;
        if output.is_json() {
            output.json(&context)?;
        } else {
            print(&context, request.budget(), output)?;
        }
        settling::settle(&space, output)
    }
}

fn print(context: &anamne::Context, budget: usize, output: &mut Output) -> Result<(), Failure> {
    if context.entries.is_empty() {
        output.note("no relevant memories");
    } else {
        for line in visible(context.text.trim_end()).lines() {
            output.line(highlight_disputes(line))?;
        }
    }
    output.flush()?;
    output.warn_degraded(&context.degraded);
    let left_out = match context.left_out.len() {
        0 => String::new(),
        count => format!(
            "; {} left out for lack of budget (--budget)",
            memories(count as u64)
        ),
    };
    output.note(format_args!(
        "{} of {} tokens, {} in {}{left_out}",
        number(context.tokens as u64),
        number(budget as u64),
        memories(context.entries.len() as u64),
        duration(context.took_ms),
    ));
    Ok(())
}

/// Highlights the notes of an entry that dispute it.
fn highlight_disputes(line: &str) -> String {
    let is_entry = line
        .strip_prefix("[m")
        .and_then(|rest| rest.split_once(']'));
    let Some((_, mut rest)) = is_entry.filter(|(row, _)| row.bytes().all(|b| b.is_ascii_digit()))
    else {
        return line.to_owned();
    };
    let mut shown = line[..line.len() - rest.len()].to_owned();
    // The brackets before the author and the text come from this program.
    while let Some(after) = rest.strip_prefix(" (")
        && let Some((within, left)) = after.split_once(')')
    {
        let speaks_against = ["contested by [m", "outdated by [m", "wrong: [m"]
            .iter()
            .any(|words| within.starts_with(words))
            || within.contains(", against [m");
        if speaks_against {
            shown.push(' ');
            shown.push_str(&paint(YELLOW, format_args!("({within})")));
        } else {
            shown.push_str(&rest[..rest.len() - left.len()]);
        }
        rest = left;
    }
    shown + rest
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_speaks_against_an_entry_stands_out_and_the_text_stays() {
        for line in [
            "[m3] (fact) (contested by [m12]) Ada: tea (contested by [m1]) (",
            "[m3] Ada: plain",
            "[m3",
            "[mx] (contested by [m1])",
            "2026-03-01 · standup",
            "",
        ] {
            let shown = highlight_disputes(line);
            assert_eq!(anstream::adapter::strip_str(&shown).to_string(), line);
        }
        let shown = highlight_disputes("[m3] (contested by [m12]) Ada: tea");
        assert!(
            shown.contains(&paint(YELLOW, "(contested by [m12])")),
            "{shown}"
        );
    }
}
