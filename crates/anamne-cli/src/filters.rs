//! The options that filter memories.

use anamne::{Category, Condition, Filter, Kind};

use crate::arguments;
use crate::dates::Dates;
use crate::failure::Failure;

/// Options that choose among memories; given twice, an option lets both values pass (tags and
/// conditions: both must be there).
#[derive(Debug, Default, clap::Args)]
#[command(next_help_heading = "Filters")]
pub(crate) struct Filters {
    /// From this time on: 2026-03-01, yesterday, "last week", 3d, …
    #[arg(long, value_name = "TIME")]
    since: Option<String>,
    /// Until the end of this time: `--until 2026-03` takes in all of March
    #[arg(long, value_name = "TIME")]
    until: Option<String>,
    /// In this thread
    #[arg(long, value_name = "NAME")]
    thread: Vec<String>,
    /// Of this kind
    #[arg(long, value_parser = arguments::kind())]
    kind: Vec<Kind>,
    /// Facts of this category
    #[arg(long, value_parser = arguments::category())]
    category: Vec<Category>,
    /// With this tag
    #[arg(long)]
    tag: Vec<String>,
    /// By this author
    #[arg(long, value_name = "NAME")]
    author: Vec<String>,
    /// Written in this session
    #[arg(long, value_name = "NAME")]
    session: Vec<String>,
    /// Minimum importance, 1 to 10
    #[arg(long, value_name = "N")]
    min_importance: Option<u8>,
    /// With metadata such as ticket=42, 'priority>=3', owner!=Ada, title~deploy; a name alone: it exists
    #[arg(long = "where", value_name = "CONDITION")]
    conditions: Vec<Condition>,
    /// Opened by its id from this time on
    #[arg(long, value_name = "TIME")]
    accessed_since: Option<String>,
    /// Opened by its id at least this often
    #[arg(long, value_name = "N")]
    min_accesses: Option<u32>,
}

impl Filters {
    /// The filter for the engine, validated.
    pub(crate) fn read(self, dates: &Dates) -> Result<Filter, Failure> {
        let filter = Filter {
            since: dates.start("since", self.since.as_deref())?,
            until: dates.end("until", self.until.as_deref())?,
            threads: self.thread,
            kinds: self.kind,
            categories: self.category,
            tags: self.tag,
            authors: self.author,
            sessions: self.session,
            min_importance: self.min_importance,
            conditions: self.conditions,
            accessed_since: dates.start("accessed_since", self.accessed_since.as_deref())?,
            min_accesses: self.min_accesses.map(u64::from),
            ..Filter::default()
        };
        filter.check()?;
        Ok(filter)
    }
}
