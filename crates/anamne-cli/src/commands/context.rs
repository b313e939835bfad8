//! `anamne context`.

use anamne::{ContextPreset, ContextRequest, ModelBudget, Recall, Spaces};

use crate::arguments;

use crate::failure::Failure;
use crate::filters::Filters;
use crate::output::{Output, YELLOW, memories, paint};
use crate::place::Place;
use crate::scope_arguments::{OtherSpaces, ScopeArguments};
use crate::wording::{duration, named, number, visible};
use crate::{input, planned};

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

`--preset session_start` needs no question: what the space is and holds,
decisions, open points, important facts and recent work, for the start of a
session.

Examples:
  anamne context \"how do we deploy?\" --budget 800
  anamne context \"open questions about sync\" --since \"last week\" | my-agent
  anamne context \"how do we deploy?\" --for-model claude-sonnet-4
  anamne context \"which units?\" --across recipes,garden
  anamne context --preset session_start

With several spaces, they share one budget by confidence, and a citation names
its space: [garden:m12].

With --json: {\"text\", \"tokens\", \"entries\": [{\"id\", \"citation\", \"space\"?, \"confidence\",
  \"tokens\", \"beside\"?: the entry it is there for}], \"left_out\": [{\"id\", \"reason\": \"over_budget|duplicate\",
  \"tokens\"}], \"times\"?, \"ignored_times\"?: as anamne recall, \"degraded\", \"took_ms\"}")]
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
    /// Size the block for this language model: 1 % of its context window, 250 to 8000 tokens
    #[arg(long, value_name = "NAME", conflicts_with = "budget")]
    for_model: Option<String>,
    /// Maximum number of memories to consider [default: what may fit]
    #[arg(short = 'k', long, value_name = "N")]
    limit: Option<usize>,
    /// Leave out memories below this confidence, 0 to 1
    #[arg(long, default_value_t = anamne::Recall::UNLIKELY, value_name = "SHARE")]
    min_confidence: f32,
    #[command(flatten)]
    reach: ScopeArguments,
    #[command(flatten)]
    across: OtherSpaces,
    /// Also search `core`
    #[arg(long, help_heading = "Spaces")]
    core: bool,
    #[command(flatten)]
    filters: Filters,
}

impl Context {
    pub(crate) fn run(self, place: &Place, output: &mut Output) -> Result<(), Failure> {
        let token_budget = self.token_budget(output);
        let spaces = Spaces {
            choice: self.across.choice(place),
            core: self.core,
        };
        let is_elsewhere = self.across.are_given();
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
        let store = place.reached_store()?;
        // Opened first, because its error for a missing space says more.
        let here = if is_elsewhere {
            None
        } else {
            Some(place.existing_in(&store)?)
        };
        let context = store.context(&spaces, &request)?;
        show(&context, request.budget(), output)?;
        here.map_or(Ok(()), |space| space.settle(output))
    }

    /// The budget as given, else by the model's name, else the usual one.
    fn token_budget(&self, output: &Output) -> usize {
        let usual = self.preset.map_or(DEFAULT_BUDGET, ContextPreset::budget);
        let Some(model) = &self.for_model else {
            return self.budget.unwrap_or(usual);
        };
        if let Some(budget) = ModelBudget::of(model) {
            output.note(format_args!(
                "{} tokens for {}, whose context window has {}",
                number(budget.tokens as u64),
                budget.family,
                number(budget.window as u64)
            ));
            budget.tokens
        } else {
            output.note(format_args!(
                "unknown model {}: the usual {} tokens",
                named(model),
                number(usual as u64)
            ));
            usual
        }
    }
}

fn show(context: &anamne::Context, budget: usize, output: &mut Output) -> Result<(), Failure> {
    if output.is_json() {
        output.json(context)
    } else {
        print(context, budget, output)
    }
}

fn print(context: &anamne::Context, budget: usize, output: &mut Output) -> Result<(), Failure> {
    let over_budget = context.over_budget();
    if context.entries.is_empty() {
        output.note(match over_budget {
            0 => "no relevant memories",
            _ => "the budget is too small for any relevant memory",
        });
    } else {
        for line in visible(context.text.trim_end()).lines() {
            output.line(highlight_disputes(line))?;
        }
    }
    output.flush()?;
    for time in &context.times {
        output.note(planned::understood(time, &output.dates));
    }
    for time in &context.ignored_times {
        output.note(planned::ignored(time));
    }
    if let Some(reached) = context.reached {
        output.note(planned::reached(reached));
    }
    output.warn_degraded(&context.degraded);
    let left_out = match over_budget {
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
    let is_entry = line.strip_prefix('[').and_then(|rest| rest.split_once(']'));
    let Some((_, mut rest)) = is_entry.filter(|(citation, _)| is_citation(citation)) else {
        return line.to_owned();
    };
    let mut shown = line[..line.len() - rest.len()].to_owned();
    // The brackets before the author and the text come from this program.
    while let Some(after) = rest.strip_prefix(" (")
        && let Some((within, left)) = after.split_once(')')
    {
        let speaks_against = ["contested by [", "outdated by [", "wrong: ["]
            .iter()
            .any(|words| within.starts_with(words))
            || within.contains(", against [");
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

/// Whether it is `m12`, or `garden:m12` in a block of several spaces.
fn is_citation(text: &str) -> bool {
    let (_, row) = text.rsplit_once(':').unwrap_or(("", text));
    row.strip_prefix('m')
        .is_some_and(|row| !row.is_empty() && row.bytes().all(|byte| byte.is_ascii_digit()))
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
        let of_space = highlight_disputes("[garden:m3] (outdated by [garden:m12]) tea");
        let outdated = paint(YELLOW, "(outdated by [garden:m12])").clone();
        assert!(of_space.contains(&outdated), "{of_space}");
    }
}
