//! `anamne cache store`, `used`, `freshness` and `invalidate`.

use anamne::{Fetched, Invalidation, Limits, Trigger};
use clap::value_parser;
use serde_json::json;

use super::{Kind, RequestArguments, Status};
use crate::failure::Failure;
use crate::input;
use crate::output::{Output, counted};
use crate::place::Place;
use crate::reached::Reached;

/// The highest cost of one result, in millionths of a dollar: a million dollars.
const MOST_COST: u64 = 1_000_000_000_000;

/// Store a result; its content is read from standard input
#[derive(Debug, clap::Args)]
pub(super) struct Store {
    #[command(flatten)]
    request: RequestArguments,
    /// How it ended
    #[arg(long, value_enum, default_value = "ok", value_name = "HOW")]
    status: Status,
    /// Where the address was redirected to
    #[arg(
        long,
        default_value = "",
        hide_default_value = true,
        value_name = "URL"
    )]
    moved_to: String,
    /// How long fetching took, in milliseconds
    #[arg(long, default_value_t = 0, value_name = "NUMBER", value_parser = value_parser!(u64).range(..=Limits::DURATION_MS))]
    took_ms: u64,
    /// What fetching cost, in millionths of a dollar
    #[arg(long, default_value_t = 0, value_name = "NUMBER", value_parser = value_parser!(u64).range(..=MOST_COST))]
    cost: u64,
    /// How long it stays fresh: 3d, 12h
    #[arg(long, value_name = "TIME")]
    fresh_for: Option<String>,
    /// The memory that it was fetched for
    #[arg(long, value_name = "ID", conflicts_with = "for_query")]
    for_memory: Option<String>,
    /// The question that it was fetched for
    #[arg(long, value_name = "WORDS")]
    for_query: Option<String>,
}

impl Store {
    pub(super) fn run(self, place: &Place, output: &mut Output) -> Result<(), Failure> {
        let request = self.request.read(output)?;
        let content = input::text("content", &["-".to_owned()], output)?;
        let until = output
            .dates
            .future_time("fresh-for", self.fresh_for.as_deref())?;
        let space = place.reached()?;
        let memory = self.for_memory.as_deref();
        let memory = memory.map(|id| space.resolve(id)).transpose()?;
        let fetched = Fetched {
            status: self.status.into(),
            content,
            moved_to: self.moved_to,
            took_ms: self.took_ms,
            cost: self.cost,
            triggered_by: memory
                .map(Trigger::Memory)
                .or(self.for_query.map(Trigger::Query)),
            fresh_for: until.map(|until| until.duration_since(output.dates.now)),
        };
        let number = space.cache_result(&request, &fetched)?;
        if output.is_json() {
            return output.json(&json!({ "number": number }));
        }
        output.line(format_args!("Cached as result {number}."))
    }
}

pub(super) fn note_used(
    space: &Reached,
    number: u64,
    memories: &[String],
    output: &mut Output,
) -> Result<(), Failure> {
    let memories = space.resolve_all(memories)?;
    space
        .note_result_used(number, &memories)
        .map_err(|error| error.listed_by("anamne cache list"))?;
    if output.is_json() {
        return output.json(&json!({ "number": number }));
    }
    let memories = crate::output::memories(memories.len() as u64);
    output.line(format_args!("Result {number} was used in {memories}."))
}

/// Set how long results stay fresh
#[derive(Debug, clap::Args)]
pub(super) struct Freshness {
    /// How long: 3d, 12h
    #[arg(value_name = "TIME")]
    fresh_for: String,
    /// Only of this kind
    #[arg(long, value_enum, value_name = "KIND")]
    kind: Option<Kind>,
    /// Only from this host
    #[arg(
        long,
        default_value = "",
        hide_default_value = true,
        value_name = "HOST"
    )]
    source: String,
}

impl Freshness {
    pub(super) fn run(self, place: &Place, output: &mut Output) -> Result<(), Failure> {
        let until = output
            .dates
            .future_time("TIME", Some(&self.fresh_for))?
            .unwrap_or(output.dates.now);
        let fresh_for = until.duration_since(output.dates.now);
        let kind = self.kind.map(Into::into);
        place
            .reached()?
            .set_result_freshness(kind, &self.source, fresh_for)?;
        if output.is_json() {
            return output.json(&json!({ "fresh_for_seconds": fresh_for.as_secs() }));
        }
        output.line("Set for results that are stored from now on.")
    }
}

/// Remove results
#[derive(Debug, clap::Args)]
#[command(group = clap::ArgGroup::new("which").required(true))]
pub(super) struct Invalidate {
    /// One result
    #[arg(long, group = "which", value_name = "NUMBER", value_parser = value_parser!(u64).range(..=i64::MAX as u64))]
    number: Option<u64>,
    /// Results of this address
    #[arg(long, group = "which", value_name = "URL")]
    url: Option<String>,
    /// Results from this host
    #[arg(long, group = "which", value_name = "HOST")]
    source: Option<String>,
    /// Results of this tool
    #[arg(long, group = "which", value_name = "NAME")]
    tool: Option<String>,
    /// Results fetched before this time
    #[arg(long, group = "which", value_name = "TIME")]
    before: Option<String>,
    /// All results
    #[arg(long, group = "which")]
    all: bool,
}

impl Invalidate {
    pub(super) fn run(self, place: &Place, output: &mut Output) -> Result<(), Failure> {
        let before = output.dates.start("before", self.before.as_deref())?;
        let which = None
            .or(self.number.map(Invalidation::Number))
            .or(self.url.map(Invalidation::Url))
            .or(self.source.map(Invalidation::Source))
            .or(self.tool.map(Invalidation::Tool))
            .or(before.map(Invalidation::Before))
            .unwrap_or(Invalidation::All);
        let removed = place.reached_existing()?.invalidate_results(&which)?;
        if output.is_json() {
            return output.json(&json!({ "removed": removed }));
        }
        output.line(format_args!("Removed {}.", counted(removed, "result")))
    }
}
