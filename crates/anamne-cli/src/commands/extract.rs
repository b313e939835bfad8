//! `anamne extract`.

use std::time::Instant;

use serde_json::json;

use crate::extraction;
use crate::failure::Failure;
use crate::output::{Output, memories};
use crate::place::Place;
use crate::skipped;
use crate::wording::{duration, number};

/// Extract entities and relations from new memories
#[derive(Debug, clap::Args)]
#[command(after_help = "\
A running `anamne mcp` does this automatically, and `anamne knowledge`,
`graph` and `resolve` do it before they answer. Use it after a large import.
The same memories always give the same graph, so --again only matters after an
upgrade. A memory that is damaged in both copies is skipped and named (exit
code 4).

Examples:
  anamne extract
  anamne extract --again

With --json: {\"memories\": read now, \"took_ms\", \"events\": log position,
\"behind\": events not extracted yet, \"busy\": whether another process is
extracting, \"skipped\"?: {\"count\", \"first\": [{\"entry\": id,
  \"reason\"}]}}")]
pub(crate) struct Extract {
    /// Discard the graph first
    #[arg(long)]
    again: bool,
}

impl Extract {
    pub(crate) fn run(self, place: &Place, output: &mut Output) -> Result<(), Failure> {
        let space = place.reached_existing()?;
        let started = Instant::now();
        let extracted = extraction::extract(&space, self.again, output)?;
        let passed = &extracted.skipped;
        let took_ms = started.elapsed().as_secs_f64() * 1_000.0;
        if output.is_json() {
            let mut answer = json!({
                "memories": extracted.memories,
                "took_ms": took_ms,
                "events": extracted.events,
                "behind": extracted.behind,
                "busy": extracted.busy,
            });
            skipped::describe(passed, &mut answer);
            output.json(&answer)?;
            return skipped::outcome(passed);
        }
        skipped::tell(passed, output);
        if extracted.busy {
            output.warn("another process is extracting this space");
        }
        if extracted.memories == 0 {
            output.line(format_args!(
                "nothing to extract in the space {}",
                space.name()
            ))?;
            return skipped::outcome(passed);
        }
        let rate = extracted.memories as f64 / (took_ms / 1_000.0).max(0.001);
        output.line(format_args!(
            "{} extracted in {} ({} memories/s)",
            memories(extracted.memories),
            duration(took_ms),
            number(rate as u64)
        ))?;
        skipped::outcome(passed)
    }
}
