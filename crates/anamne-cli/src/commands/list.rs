//! `anamne list`.

use anamne::{Limits, Listing, Memory, Order, Skipped, UseOrder};
use serde_json::json;

use crate::card;
use crate::failure::Failure;
use crate::filters::Filters;
use crate::output::{Output, memories};
use crate::place::Place;
use crate::reached::Reached;
use crate::skipped;

/// List memories, newest first
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  anamne list
  anamne list --thread releases --oldest-first
  anamne list --kind fact --tag staging --since 2026-03 --until 2026-05
  anamne list --where ticket=42 --where 'priority>=3'
  anamne list --sort accessed -k 5
  anamne list --sort importance
  anamne list --forgotten
  anamne list --limit 100 --offset 100 --json

With --json: {\"memories\": [{\"id\", \"content\", \"kind\", …}], \"more\":
whether there are more, \"enrichment\": {id: as anamne enrich ID}, \"skipped\"?}.
A memory that is damaged in both copies is skipped and named (exit code 4).")]
pub(crate) struct List {
    /// Maximum number of memories, 1 to 1000
    #[arg(short = 'k', long, default_value_t = 20, value_name = "N")]
    limit: usize,
    /// Skip the first N
    #[arg(long, default_value_t = 0, value_name = "N")]
    offset: usize,
    /// Oldest first
    #[arg(long, conflicts_with = "sort")]
    oldest_first: bool,
    /// accessed and access_count: only memories that were opened by their ids, last or most often opened first; importance: the highest current importance first, which reads every matching memory
    #[arg(long, value_enum, value_name = "ORDER", conflicts_with = "forgotten")]
    sort: Option<Sort>,
    /// Forgotten memories, which `restore` brings back
    #[arg(long)]
    forgotten: bool,
    #[command(flatten)]
    filters: Filters,
}

/// An order by use or current importance.
#[derive(Clone, Copy, Debug, clap::ValueEnum)]
enum Sort {
    Accessed,
    #[value(name = "access_count", alias = "access-count")]
    AccessCount,
    Importance,
}

impl Sort {
    fn list(self, space: &Reached, listing: &Listing) -> Result<Vec<Memory>, Failure> {
        match self {
            Self::Accessed => space.list_by_use(listing, UseOrder::Accessed),
            Self::AccessCount => space.list_by_use(listing, UseOrder::AccessCount),
            Self::Importance => space.list_by_importance(listing),
        }
    }
}

impl List {
    pub(crate) fn run(self, place: &Place, output: &mut Output) -> Result<(), Failure> {
        Limits::check_results(self.limit)?;
        Limits::check_offset(self.offset)?;
        let listing = Listing {
            filter: self.filters.read(&output.dates)?,
            order: if self.oldest_first {
                Order::OldestFirst
            } else {
                Order::NewestFirst
            },
            limit: self.limit,
            offset: self.offset,
            forgotten: self.forgotten,
            after: None,
        };
        let space = place.reached_existing()?;
        let (found, skipped, more) = page(self.sort, &space, &listing)?;
        if output.is_json() {
            let all: Vec<_> = found.iter().collect();
            let enrichment = space.enrichment_by_id(&all)?;
            let mut listed = json!({ "memories": found, "more": more, "enrichment": enrichment });
            skipped::describe(&skipped, &mut listed);
            output.json(&listed)?;
            return skipped::outcome(&skipped);
        }
        for memory in &found {
            card::print_row(memory, output)?;
        }
        output.flush()?;
        let count = memories(found.len() as u64);
        if more {
            let next = self.offset + self.limit;
            output.note(format_args!(
                "{count}; there are more: --offset {next}, or a larger --limit"
            ));
        } else if found.is_empty() && skipped.is_empty() {
            output.note(format_args!(
                "no matching memory in the space {}",
                space.name()
            ));
        }
        skipped::tell(&skipped, output);
        skipped::outcome(&skipped)
    }
}

/// The memories of a page, those that are damaged in both copies, and whether there are more.
fn page(
    sort: Option<Sort>,
    space: &Reached,
    listing: &Listing,
) -> Result<(Vec<Memory>, Skipped, bool), Failure> {
    let read = |limit| {
        let listing = Listing {
            limit,
            ..listing.clone()
        };
        match sort {
            Some(sort) => Ok((sort.list(space, &listing)?, Skipped::default())),
            None => space.list(&listing),
        }
    };
    // One extra row shows whether there are more.
    let (mut found, mut skipped) = read(listing.limit + 1)?;
    let more = found.len() + skipped.count as usize > listing.limit;
    if more && !skipped.is_empty() {
        // The extra row may be any of these.
        (found, skipped) = read(listing.limit)?;
    }
    found.truncate(listing.limit);
    Ok((found, skipped, more))
}
