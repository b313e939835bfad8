//! `anamne spaces split`.

use anamne::{Selection, Store, Transfer};
use serde_json::json;

use crate::failure::Failure;
use crate::filters::Filters;
use crate::next_step::{on_one_line, worded};
use crate::output::{Output, memories};
use crate::place::Place;
use crate::settling;
use crate::skipped;

/// Move some memories to another space
#[derive(Debug, clap::Args)]
#[command(after_help = "\
For a space that several projects shared. The origin project was not recorded,
so select by thread, author, session, tag, kind, time, or the agent that wrote
it (see `anamne audit`). Try --dry-run first.

Copies each memory with its id, times and links, verifies the copy, and forgets
the original in FROM, where `anamne restore` brings it back. Earlier versions
and the log stay in FROM. If the run was interrupted, run it again.

Examples:
  anamne spaces split CLAUDE.md api --thread standup --dry-run
  anamne spaces split CLAUDE.md api --actor claude-code --until 2026-03
  anamne spaces split CLAUDE.md --settled

With --json: {\"from\", \"into\", \"chosen\", \"copied\", \"moved\", \"links\",
  \"links_left\", \"kept\": [{\"memory\", \"reason\"}], \"links_kept\"?: {\"count\",
  \"first\": [{\"entry\", \"reason\"}]}}; with --dry-run {\"from\", \"into\",
  \"chosen\"}")]
pub(crate) struct Split {
    /// The source space
    #[arg(value_name = "FROM")]
    from: String,
    /// The target space, created if missing
    #[arg(value_name = "INTO", required_unless_present = "settled")]
    into: Option<String>,
    /// Only count them
    #[arg(long)]
    dry_run: bool,
    /// Confirm that FROM has no memories of other projects, so that `anamne doctor` stops asking
    #[arg(long, conflicts_with_all = ["into", "dry_run"])]
    settled: bool,
    #[command(flatten)]
    filters: Filters,
    /// First written by this agent or person, as named in the log
    #[arg(long, value_name = "NAME", help_heading = "Filters")]
    actor: Vec<String>,
}

impl Split {
    pub(crate) fn run(self, place: &Place, output: &mut Output) -> Result<(), Failure> {
        let store = place.existing_store()?;
        let Some(into) = self.into.filter(|_| !self.settled) else {
            store.settle_shared(&self.from)?;
            return if output.is_json() {
                output.json(&json!({ "space": self.from, "settled": true }))
            } else {
                output.line(format_args!("{} is marked as not shared", self.from))
            };
        };
        let filter = self.filters.read(&output.dates)?;
        if filter == anamne::Filter::default() && self.actor.is_empty() {
            return Err(Failure::refused(
                "split",
                "select memories, such as with --thread, --author, --tag or --actor",
            )
            .hint("to move all of them: anamne spaces join FROM INTO"));
        }
        let selection = Selection {
            filter,
            actors: self.actor,
        };
        if self.dry_run {
            let chosen = store.count_split(&self.from, &selection)?;
            if output.is_json() {
                return output.json(&json!({ "from": self.from, "into": into, "chosen": chosen }));
            }
            return output.line(format_args!(
                "{} would move from {} to {into}",
                memories(chosen),
                self.from
            ));
        }
        let moved = store.split_space(&self.from, &into, &selection, &mut progress(output))?;
        report(&moved, &store, output)
    }
}

/// Shows progress on a terminal.
pub(crate) fn progress(output: &Output) -> impl FnMut(&Transfer) + use<> {
    let is_watched = output.is_watched();
    let mut said = 0;
    move |transfer| {
        if is_watched && transfer.moved >= said + 10_000 {
            said = transfer.moved;
            crate::output::report(format_args!("{} moved …", memories(transfer.moved)));
        }
    }
}

/// Prints what was moved, and updates the views of both spaces.
pub(crate) fn report(
    transfer: &Transfer,
    store: &Store,
    output: &mut Output,
) -> Result<(), Failure> {
    if output.is_json() {
        output.json(&worded(transfer))?;
    } else {
        output.line(format_args!(
            "{} moved from {} to {}, with {} links",
            memories(transfer.moved),
            transfer.from,
            transfer.into,
            transfer.links
        ))?;
        if transfer.links_left > 0 {
            output.note(format_args!(
                "{} links between moved and remaining memories stay in {}",
                transfer.links_left, transfer.from
            ));
        }
    }
    for kept in &transfer.kept {
        let reason = on_one_line(&kept.reason, kept.next_step);
        output.warn(format_args!("{} stayed: {reason}", kept.memory));
    }
    skipped::tell(&transfer.links_kept, output);
    for space in [&transfer.from, &transfer.into] {
        settling::settle(&store.existing_space(space)?, output)?;
    }
    if transfer.kept.is_empty() && transfer.links_kept.is_empty() {
        Ok(())
    } else {
        Err(Failure::Incomplete)
    }
}
