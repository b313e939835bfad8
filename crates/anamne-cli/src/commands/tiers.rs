//! `anamne tiers`.

use std::time::Instant;

use anamne::{Moved, Space, TierCount};
use serde_json::json;

use crate::failure::Failure;
use crate::output::{Output, memories};
use crate::place::Place;
use crate::settling;
use crate::wording::{duration, number, size};

/// Show where a space keeps its memories by age, or move those that are old enough
#[derive(Debug, clap::Args)]
#[command(after_help = "\
What happened within 30 days lies in the active tier, what happened within 90 days in
the recent one, and what is older in the archive of its quarter. Facts and skills age
from when they were last changed or recalled, and stay active while they are important
(7 and more). A change brings a memory back. Nothing is lost or hidden by a move: recall
reaches every tier, unless --temperature says otherwise.

A running `anamne mcp` moves memories by itself, a day after they were told.

Examples:
  anamne tiers
  anamne tiers --move
  anamne recall \"the first design\" --temperature cold
  anamne spaces set --active-days 14 --recent-days 60

With --json: {\"tiers\": [{\"tier\", \"memories\", \"bytes\"}], \"moved\": null or
  {\"memories\", \"cleaned\", \"longest_wait_ms\", \"busy\"}}")]
pub(crate) struct Tiers {
    /// Move what is old enough now, also what was told a moment ago
    #[arg(long = "move")]
    moves: bool,
}

impl Tiers {
    pub(crate) fn run(self, place: &Place, output: &mut Output) -> Result<(), Failure> {
        let space = place.existing_space()?;
        let moved = if self.moves {
            Some(move_all(&space, output)?)
        } else {
            None
        };
        let tiers = space.tiers()?;
        if output.is_json() {
            output.json(&json!({ "tiers": tiers, "moved": moved }))?;
        } else {
            print(&tiers, output)?;
        }
        settling::settle(&space, output)
    }
}

fn move_all(space: &Space, output: &mut Output) -> Result<Moved, Failure> {
    let started = Instant::now();
    let mut shown = started;
    let moved = space.age(&mut |memories, tier| {
        if shown.elapsed().as_secs() >= 2 {
            shown = Instant::now();
            output.note(format_args!("{} moved, now to {tier} …", number(memories)));
        }
    })?;
    if moved.busy {
        output.warn("another process is moving memories of this space");
    }
    let took = duration(started.elapsed().as_secs_f64() * 1_000.0);
    output.note(format_args!("{} moved in {took}", memories(moved.memories)));
    Ok(moved)
}

fn print(tiers: &[TierCount], output: &mut Output) -> Result<(), Failure> {
    for tier in tiers {
        output.line(format_args!(
            "{:<16}  {:>20}  {:>10}",
            tier.tier,
            memories(tier.memories),
            size(tier.bytes)
        ))?;
    }
    Ok(())
}
