//! `anamne retention`.

use anamne::{RetentionApplied, RetentionState, Skipped};
use serde_json::json;

use crate::failure::Failure;
use crate::next_step;
use crate::output::{Output, YELLOW, counted, memories};
use crate::place::Place;
use crate::reached::Reached;
use crate::skipped;
use crate::wording::number;

/// Show, apply or undo a space's retention
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Memories older than the retention period are first forgotten, which can be
undone, and erased permanently after a grace period. The grace period counts
days on which the space was used. Age is measured from a date that the last
three days of use confirm. A wrong clock therefore erases nothing.

Retention runs after a write, never from a command that only reads. It never
changes more than a tenth of a space at once without confirmation: `anamne
retention` and `anamne doctor` show what is deferred, and --apply --yes
confirms it. A restored memory starts a new retention period. Retention never
erases what a person forgot. It skips a memory that is damaged in both copies
and names it; the exit code is then 4.

Examples:
  anamne spaces set --retention-days 365
  anamne retention
  anamne retention --apply --yes
  anamne retention --restore

With --json: {\"days\", \"grace_days\", \"outdated\", \"forgotten\", \"erasable\",
  \"next_erasure\", \"deferred\": […], \"next_steps\": […], \"hints\": […],
  \"done\": null or {\"forgotten\", \"erased\", \"restored\"},
  \"skipped\"?: {\"count\", \"first\": [{\"entry\": id, \"reason\"}]}};
  days of 0 stand for no retention")]
pub(crate) struct Retention {
    /// Forget and erase what is due now; deferred memories need --yes
    #[arg(long, conflicts_with = "restore")]
    apply: bool,
    /// Also apply what is deferred
    #[arg(long, requires = "apply")]
    yes: bool,
    /// Restore everything that retention forgot and has not erased yet
    #[arg(long)]
    restore: bool,
}

impl Retention {
    pub(crate) fn run(self, place: &Place, output: &mut Output) -> Result<(), Failure> {
        let space = place.reached_existing()?;
        let done = self.act(&space)?;
        let passed = match &done {
            Some((applied, _)) => applied.skipped.clone(),
            None => Skipped::default(),
        };
        let state = space.retention()?;
        if output.is_json() {
            let mut shown = next_step::worded(&state);
            shown["done"] = done.map_or(json!(null), |(applied, restored)| {
                json!({"forgotten": applied.forgotten, "erased": applied.erased, "restored": restored})
            });
            skipped::describe(&passed, &mut shown);
            output.json(&shown)?;
        } else {
            if let Some((applied, restored)) = &done {
                print_done(applied, *restored, output)?;
            }
            print(&state, output)?;
            output.flush()?;
            skipped::tell(&passed, output);
        }
        space.settle(output)?;
        skipped::outcome(&passed)
    }

    fn act(&self, space: &Reached) -> Result<Option<(RetentionApplied, u64)>, Failure> {
        if self.apply {
            return Ok(Some((space.apply_retention(self.yes)?, 0)));
        }
        if self.restore {
            let undone = space.undo_retention()?;
            let applied = RetentionApplied {
                skipped: undone.skipped,
                ..RetentionApplied::default()
            };
            return Ok(Some((applied, undone.restored)));
        }
        Ok(None)
    }
}

fn print_done(
    applied: &RetentionApplied,
    restored: u64,
    output: &mut Output,
) -> Result<(), Failure> {
    for (count, what) in [
        (applied.forgotten, "forgot"),
        (applied.erased, "erased"),
        (restored, "restored"),
    ] {
        if count > 0 {
            output.line(format_args!("{what} {}", memories(count)))?;
        }
    }
    Ok(())
}

fn print(state: &RetentionState, output: &mut Output) -> Result<(), Failure> {
    let term = match state.days {
        0 => "none; memories are kept forever".to_owned(),
        days => counted(days.into(), "day"),
    };
    output.line(format_args!("retention     {term}"))?;
    output.line(format_args!(
        "grace period  {} of use",
        counted(state.grace_days.into(), "day")
    ))?;
    output.line(format_args!("to forget     {}", memories(state.outdated)))?;
    output.line(format_args!(
        "forgotten     {}; restore with `anamne retention --restore`",
        number(state.forgotten)
    ))?;
    let next = state.next_erasure.map_or_else(String::new, |days| {
        format!("; the next after {} of use", counted(days.into(), "day"))
    });
    output.line(format_args!(
        "to erase      {}{next}",
        memories(state.erasable)
    ))?;
    for deferred in &state.deferred {
        output.entry(YELLOW, "waiting", deferred)?;
    }
    next_step::print(&state.next_steps, output)
}
