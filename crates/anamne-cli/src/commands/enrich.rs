//! `anamne enrich`.

use std::time::Instant;

use anamne::{Category, EnrichedPart, Memory};
use serde_json::json;

use crate::failure::Failure;
use crate::output::{CYAN, DIM, Output, counted, memories, paint};
use crate::place::Place;
use crate::reached::Reached;
use crate::wording::{duration, number};
use crate::{arguments, card, enriched, skipped};

/// Note category, importance, keywords and links beside memories
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Rules read each memory: its category, importance, keywords, tags, language, a
summary of a long text, and links to earlier memories. What was told always
holds: it is never replaced, and filters and ranking see it alone. Enriched
values are shown apart, with the rules that made them (show, list --json,
recall --json). A running `anamne mcp` enriches in the background.

Without arguments: enriches what was written since. With on, off or status:
the whole space; off discards what the rules made and hides what a model said,
on brings both back. --category searches what the rules found.
With an ID: shows the enrichment of one memory. What is removed from it is not
made again until --restore.

Examples:
  anamne enrich
  anamne enrich m12
  anamne enrich m12 --remove category --remove keyword:redis
  anamne enrich m12 --remove link:m3
  anamne enrich m12 --restore
  anamne enrich --category bug_fix
  anamne enrich off

With --json: {\"memories\": enriched now, \"took_ms\", \"events\", \"skipped\"?}; with
  on, off or status: {\"on\", \"memories\", \"links\", \"categories\", \"position\"};
  with an ID: {\"memory\": id, \"citation\", \"enrichment\": null or {\"by\", \"category\"?,
  \"importance\"?, \"keywords\"?, \"tags\"?, \"language\"?, \"summary\"?, \"links\"?},
  \"removed\": [part, …]}; with --category: as `anamne list`")]
pub(crate) struct Enrich {
    /// A memory, or on, off, status
    #[arg(value_name = "ID|on|off|status")]
    of: Option<String>,
    /// Remove a part for good: all, category, importance, keywords, tags, language, summary, links, keyword:WORD, tag:TAG, link:ID
    #[arg(long, value_name = "PART", requires = "of", conflicts_with = "restore")]
    remove: Vec<String>,
    /// Let what was removed be made again
    #[arg(long, requires = "of")]
    restore: bool,
    /// With on: let the configured language model enrich, too, within its budgets
    #[arg(long, requires = "of")]
    by_model: bool,
    /// The same as off
    #[arg(long, conflicts_with_all = ["of", "category"])]
    undo: bool,
    /// List the memories that the rules put into this category, newest first
    #[arg(long, value_name = "CATEGORY", conflicts_with = "of", value_parser = arguments::category())]
    category: Option<Category>,
    /// Maximum number of memories to list, 1 to 1000
    #[arg(short = 'k', long, default_value_t = 20, value_name = "N", requires = "category", value_parser = clap::value_parser!(u16).range(1..=1000))]
    limit: u16,
}

impl Enrich {
    pub(crate) fn run(self, place: &Place, output: &mut Output) -> Result<(), Failure> {
        let space = place.reached_existing()?;
        if self.undo {
            space.set_enrichment(false, false)?;
            return print_state(&space, output);
        }
        if let Some(category) = self.category {
            return self.list(category, &space, output);
        }
        match self.of.as_deref() {
            None => enrich(&space, output),
            Some(switch @ ("on" | "off")) => {
                self.without_parts(switch)?;
                space.set_enrichment(switch == "on", self.by_model)?;
                print_state(&space, output)
            }
            Some("status") => {
                self.without_parts("status")?;
                print_state(&space, output)
            }
            Some(id) => self.of_memory(id, &space, output),
        }
    }

    /// Refuses parts where no memory is named.
    fn without_parts(&self, word: &str) -> Result<(), Failure> {
        if self.remove.is_empty() && !self.restore {
            return Ok(());
        }
        let message = format!("--remove and --restore need the ID of a memory, not {word}");
        Err(Failure::usage(message).hint("such as `anamne enrich m12 --remove category`"))
    }

    fn of_memory(&self, id: &str, space: &Reached, output: &mut Output) -> Result<(), Failure> {
        let id = space.resolve(id)?;
        if self.restore {
            space.restore_enrichment(id)?;
        } else if !self.remove.is_empty() {
            let parts = self.remove.iter().map(|part| part_of(part, space));
            let parts: Vec<EnrichedPart> = parts.collect::<Result<_, _>>()?;
            space.remove_enrichment(id, &parts)?;
        }
        print_one(&space.read(id)?, space, output)
    }

    fn list(
        &self,
        category: Category,
        space: &Reached,
        output: &mut Output,
    ) -> Result<(), Failure> {
        let passed = space.enrich_for_list()?;
        let (found, more) = space.enriched(category, self.limit.into())?;
        if output.is_json() {
            let all: Vec<&Memory> = found.iter().collect();
            let enrichment = space.enrichment_by_id(&all)?;
            output.json(&json!({ "memories": found, "more": more, "enrichment": enrichment }))?;
            return skipped::outcome(&passed);
        }
        for memory in &found {
            card::print_row(memory, output)?;
        }
        output.flush()?;
        let count = memories(found.len() as u64);
        let rest = if more {
            "; there are more: a larger --limit"
        } else {
            ""
        };
        output.note(format_args!("{count}{rest}"));
        skipped::tell(&passed, output);
        skipped::outcome(&passed)
    }
}

/// A part as a person writes it: the memory of a link may be a citation.
fn part_of(text: &str, space: &Reached) -> Result<EnrichedPart, Failure> {
    match text.trim().strip_prefix("link:") {
        Some(id) => Ok(EnrichedPart::Link(space.resolve(id)?)),
        None => Ok(text.parse()?),
    }
}

fn enrich(space: &Reached, output: &mut Output) -> Result<(), Failure> {
    let started = Instant::now();
    let report = space.enrich()?;
    let passed = &report.skipped;
    let took_ms = started.elapsed().as_secs_f64() * 1_000.0;
    if output.is_json() {
        let mut answer = json!({
            "memories": report.memories,
            "took_ms": took_ms,
            "events": report.events,
        });
        skipped::describe(passed, &mut answer);
        output.json(&answer)?;
        return skipped::outcome(passed);
    }
    skipped::tell(passed, output);
    let name = space.name();
    if space.enrichment_state()?.is_none() {
        output.line(format_args!(
            "enrichment of the space {name} is off: `anamne enrich on`"
        ))?;
    } else if report.memories == 0 {
        output.line(format_args!("nothing to enrich in the space {name}"))?;
    } else {
        let rate = report.memories as f64 / (took_ms / 1_000.0).max(0.001);
        let count = memories(report.memories);
        let took = duration(took_ms);
        output.line(format_args!(
            "{count} enriched in {took} ({} memories/s)",
            number(rate as u64)
        ))?;
    }
    skipped::outcome(passed)
}

fn print_one(memory: &Memory, space: &Reached, output: &mut Output) -> Result<(), Failure> {
    let enrichment = space.enrichment(memory)?;
    let removed = EnrichedPart::removed_from(&memory.metadata);
    let removed: Vec<String> = removed.iter().map(ToString::to_string).collect();
    if output.is_json() {
        return output.json(&json!({
            "memory": memory.id,
            "citation": memory.citation(),
            "enrichment": enrichment,
            "removed": removed,
        }));
    }
    let citation = memory.citation();
    let Some(enrichment) = enrichment else {
        return output.line(format_args!("nothing is noted beside {citation}"));
    };
    let by = paint(DIM, format_args!("by {}", enrichment.by));
    output.line(format_args!("{}  {by}", paint(CYAN, citation)))?;
    let mut rows = enriched::rows(&enrichment);
    if !removed.is_empty() {
        rows.push(("removed", removed.join(", ")));
    }
    card::print_table(&rows, "  ", output)
}

fn print_state(space: &Reached, output: &mut Output) -> Result<(), Failure> {
    let state = space.enrichment_state()?;
    let on = state.is_some();
    let state = state.unwrap_or_default();
    if output.is_json() {
        let mut answer = json!(state);
        answer["on"] = json!(on);
        return output.json(&answer);
    }
    if !on {
        return output.line(format_args!(
            "enrichment of the space {} is off",
            space.name()
        ));
    }
    output.line(format_args!(
        "enrichment is on: {} and {} up to event {}",
        memories(state.memories),
        counted(state.links, "link"),
        state.position
    ))?;
    let rows: Vec<_> = state
        .categories
        .iter()
        .map(|(category, count)| (category.as_str(), number(*count)))
        .collect();
    card::print_table(&rows, "  ", output)
}
