//! `anamne tiers`.

use std::time::Instant;

use anamne::{Moved, Space, TierCount};
use serde_json::json;

use crate::failure::Failure;
use crate::output::{Output, memories};
use crate::place::Place;
use crate::wording::{duration, number, size};

/// Show the storage tiers of a space, or move old memories now
#[derive(Debug, clap::Args)]
#[command(after_help = "\
The active tier has memories of the last 30 days, the recent tier of the last
90, and quarterly archives have the rest. Facts and skills age from their last
change or use, and stay active at importance 7 or more. A change moves a
memory back. Recall searches every tier unless --temperature limits it. A
running `anamne mcp` moves memories automatically, at the earliest a day after
they were written.

Examples:
  anamne tiers
  anamne tiers --move
  anamne recall \"the first design\" --temperature cold
  anamne spaces set --active-days 14 --recent-days 60

With --json: {\"tiers\": [{\"tier\", \"memories\", \"bytes\"}], \"moved\": null or
  {\"memories\", \"cleaned\", \"longest_wait_ms\", \"busy\"}}")]
pub(crate) struct Tiers {
    /// Move old memories now, including ones written recently
    #[arg(long = "move")]
    moves: bool,
}

impl Tiers {
    pub(crate) fn run(self, place: &Place, output: &mut Output) -> Result<(), Failure> {
        let space = place.reached_existing()?;
        let moved = match space.here() {
            Some(space) if self.moves => Some(move_all(space, output)?),
            _ => None,
        };
        if self.moves && space.begin_moves()? {
            output.note("the server moves old memories now; `anamne tiers` shows how far it is");
        }
        let tiers = space.tiers()?;
        if output.is_json() {
            output.json(&json!({ "tiers": tiers, "moved": moved }))?;
        } else {
            print(&tiers, output)?;
        }
        space.settle(output)
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
