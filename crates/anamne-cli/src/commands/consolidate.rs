//! `anamne consolidate`.

use anamne::{Insight, MemoryId, Proposal, Space};
use serde_json::json;

use super::summaries;
use crate::card;
use crate::failure::Failure;
use crate::next_step;
use crate::output::{CYAN, DIM, Output, counted, memories, paint};
use crate::place::Place;
use crate::reached::Reached;
use crate::skipped;
use crate::wording::one_line;

/// Merge memories that say the same, and show recurring statements
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Facts, skills and thoughts that say the same are merged: one supersedes the
others, which stay in the store and rank behind it. It is the one with the most
words; among equals the one with the highest importance, then confidence, then
trust; else the one that was stored first. Texts that differ in a number, a
date, a name or a \"not\" are never merged; messages and expired memories are
never merged. A running `anamne mcp` does this at night.

`anamne link WINNER LOSER --type supersedes --remove` undoes a merge
permanently, and `anamne audit --actor consolidation` lists all merges. A
memory that is damaged in both copies is skipped and named (exit code 4).

Examples:
  anamne consolidate
  anamne consolidate --apply
  anamne consolidate --insights

With --json: {\"proposals\": [{\"kind\", \"winner\", \"losers\", \"reason\", \"confidence\",
  \"audit\"}], \"applied\": whether they were merged, \"insights\": [{\"text\", \"sentence\",
  \"central\", \"sources\", \"first\", \"last\", \"days\", \"made_by\", \"confidence\"}] or null,
  \"skipped\"?: {\"count\", \"first\": [{\"entry\": id, \"reason\"}]}}")]
pub(crate) struct Consolidate {
    /// Apply the proposed merges
    #[arg(long)]
    apply: bool,
    /// Show statements made by at least three memories on two or more days
    #[arg(long)]
    insights: bool,
    /// Let the configured language model word the insights
    #[arg(long, requires = "insights")]
    reword: bool,
}

impl Consolidate {
    pub(crate) fn run(self, place: &Place, output: &mut Output) -> Result<(), Failure> {
        let space = if self.reword {
            place.reached_with_model(output)?
        } else {
            place.reached_existing()?
        };
        let (proposals, mut passed) = space.merges(self.apply)?;
        let insights = self.insights.then(|| space.insights()).transpose()?;
        let insights = insights.map(|(insights, also)| {
            passed.append(also);
            insights
        });
        if output.is_json() {
            let mut answer = json!({
                "proposals": proposals,
                "applied": self.apply,
                "insights": insights,
            });
            skipped::describe(&passed, &mut answer);
            output.json(&answer)?;
            space.settle(output)?;
            return skipped::outcome(&passed);
        }
        for proposal in &proposals {
            print(&space, proposal, output)?;
        }
        for insight in insights.iter().flatten() {
            let is_reworded = match space.here() {
                Some(space) if self.reword => reword(space, insight, output)?,
                _ => false,
            };
            if !is_reworded {
                tell(insight, output)?;
            }
        }
        output.flush()?;
        let count = counted(proposals.len() as u64, "group");
        match (self.apply, proposals.is_empty()) {
            (_, true) => output.note("no memories say the same"),
            (true, false) => output.note(format_args!("{count} folded")),
            (false, false) => {
                output.note(format_args!("{count} can be merged; apply with --apply"));
            }
        }
        if insights.is_some_and(|insights| insights.is_empty()) {
            output.note("no recurring statements (three memories, two days)");
        }
        skipped::tell(&passed, output);
        space.settle(output)?;
        skipped::outcome(&passed)
    }
}

fn print(space: &Reached, proposal: &Proposal, output: &mut Output) -> Result<(), Failure> {
    let said = |id: MemoryId| -> Result<String, Failure> {
        Ok(match space.read_or_reason(id)? {
            Ok(memory) => format!("{}  {}", memory.citation(), one_line(&memory.content)),
            // It has been erased since.
            Err(reason) => format!("{id}  {reason}"),
        })
    };
    output.entry(CYAN, "stays    ", &said(proposal.winner)?)?;
    for &loser in &proposal.losers {
        output.entry(DIM, "is folded", &said(loser)?)?;
    }
    output.entry(DIM, "because  ", &proposal.reason)?;
    output.line("")
}

/// Prints an insight as worded by the model; returns whether that worked.
fn reword(space: &Space, insight: &Insight, output: &mut Output) -> Result<bool, Failure> {
    match space.reword_insight(insight) {
        Ok(Some(worded)) => {
            for one in &worded {
                summaries::print_sentence(&one.text, &one.citations, output)?;
            }
            Ok(!worded.is_empty())
        }
        Ok(None) => Err(Failure::no_model()),
        Err(error) => {
            let reason = next_step::on_one_line(&error, error.next_step());
            output.warn(format_args!("shown verbatim: {reason}"));
            Ok(false)
        }
    }
}

fn tell(insight: &Insight, output: &mut Output) -> Result<(), Failure> {
    let of = memories(insight.sources.len() as u64);
    card::print_item(&one_line(&insight.text), "", usize::MAX, output)?;
    output.line(format_args!("  {}", paint(DIM, of)))
}
