//! The options that set the reach of a question: spaces, scope, depth, as of.

use anamne::{AsOf, Depth, Recall, RecallScope, SpaceChoice, Spaces, Temperature, TimeWords};

use crate::arguments;
use crate::dates::Dates;
use crate::failure::Failure;
use crate::place::Place;
use crate::session_argument::NarrowArgument;

/// Maximum spaces searched by `--across auto`.
const PROPOSED: usize = 3;

/// Options that say how far a question reaches.
#[derive(Debug, clap::Args)]
#[command(next_help_heading = "Reach")]
pub(crate) struct ScopeArguments {
    /// Search the active tier (hot), also the recent one (warm), also the archives (cold, as all)
    #[arg(long, default_value = "all", hide_possible_values = true, value_name = "WHICH", value_parser = arguments::temperature())]
    temperature: Temperature,
    /// Search the tier of --temperature alone, without the hotter ones
    #[arg(long)]
    only: bool,
    /// Follow links, relations and shared names: shallow, 1 to 4 hops, or deep (also searches again with words of the results)
    #[arg(long, default_value = "shallow", value_name = "STEPS", value_parser = arguments::depth)]
    depth: Depth,
    /// Times in the question: rank matches first (prefer), return only matches (only), or ignore them (ignore)
    #[arg(long, default_value = "prefer", hide_possible_values = true, value_name = "HOW", value_parser = arguments::time_words())]
    times: TimeWords,
    /// Only this thread and threads that share entities with it
    #[arg(long, value_name = "THREAD", group = "scope")]
    related_to: Option<String>,
    /// Only threads about this topic; repeatable, for any of several topics
    #[arg(long, value_name = "TOPIC", group = "scope")]
    about: Vec<String>,
    /// Only memories that mention this entity
    #[arg(long, value_name = "NAME", group = "scope")]
    naming: Option<String>,
    #[command(flatten)]
    narrow: NarrowArgument,
    /// As of this time: later writes, edits and deletions don't count
    #[arg(long, value_name = "TIME")]
    as_of: Option<String>,
    /// What was valid at this time: nothing later, nothing already outdated
    #[arg(long, value_name = "TIME")]
    held_at: Option<String>,
}

impl ScopeArguments {
    /// The query with this reach.
    pub(crate) fn of(&self, recall: Recall, dates: &Dates) -> Result<Recall, Failure> {
        let instant = |field: &str, text: &Option<String>| {
            text.as_deref()
                .map(|text| dates.as_of(field, text))
                .transpose()
        };
        Ok(Recall {
            temperature: self.temperature,
            tier_alone: self.only,
            narrow: self.narrow.session()?,
            depth: self.depth,
            time_words: self.times,
            scope: self.scope(),
            as_of: AsOf {
                known: instant("as_of", &self.as_of)?,
                held: instant("held_at", &self.held_at)?,
            },
            ..recall.asked(dates.now, &dates.zone)
        })
    }

    fn scope(&self) -> RecallScope {
        match (&self.related_to, &self.about[..], &self.naming) {
            (Some(thread), _, _) => RecallScope::RelatedThreads(thread.clone()),
            (_, _, Some(name)) => RecallScope::Entity(name.clone()),
            (_, [], _) => RecallScope::All,
            (_, topics, _) => RecallScope::Topics(topics.to_vec()),
        }
    }
}

/// Options that say which spaces are asked.
#[derive(Debug, clap::Args)]
#[command(next_help_heading = "Spaces")]
pub(crate) struct OtherSpaces {
    /// Search these spaces (comma-separated), `all`, or the most likely ones (`auto`)
    #[arg(long = "across", value_name = "SPACES", value_delimiter = ',')]
    chosen: Vec<String>,
}

impl OtherSpaces {
    /// Whether other spaces than the current one are selected.
    pub(crate) fn are_given(&self) -> bool {
        !self.chosen.is_empty()
    }

    /// The spaces to search, by default the current one.
    pub(crate) fn choice(&self, place: &Place) -> SpaceChoice {
        let here = place.space_name().to_string();
        match &self.chosen[..] {
            [] => SpaceChoice::Named(vec![here]),
            [word] if word == "all" => SpaceChoice::All,
            [word] if word == "auto" => SpaceChoice::Proposed {
                hints: place.is_named().then_some(here).into_iter().collect(),
                most: PROPOSED,
            },
            names => SpaceChoice::Named(names.to_vec()),
        }
    }
}

/// Options that say which spaces are asked, and whether `core` is.
#[derive(Debug, clap::Args)]
#[command(next_help_heading = "Spaces")]
pub(crate) struct SpaceSelection {
    #[command(flatten)]
    others: OtherSpaces,
    /// Also search `core` (the default unless --space is given)
    #[arg(long, overrides_with = "no_core")]
    core: bool,
    /// Don't search `core`
    #[arg(long, overrides_with = "core")]
    no_core: bool,
}

impl SpaceSelection {
    /// Whether other spaces than the current one are selected.
    pub(crate) fn is_elsewhere(&self) -> bool {
        self.others.are_given()
    }

    /// The spaces to search.
    pub(crate) fn spaces(&self, place: &Place) -> Spaces {
        let is_found = !self.is_elsewhere() && !place.is_named();
        Spaces {
            choice: self.others.choice(place),
            core: self.core || (is_found && !self.no_core),
        }
    }
}
