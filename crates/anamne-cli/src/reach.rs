//! The options that say how far a question reaches: spaces, scope, depth, as of when.

use anamne::{AsOf, Depth, Recall, RecallScope, SpaceChoice, Spaces, Temperature, TimeWords};

use crate::arguments;
use crate::dates::Dates;
use crate::failure::Failure;
use crate::place::Place;

/// Spaces that `--across auto` asks at most.
const PROPOSED: usize = 3;

/// Options that say how far a question reaches.
#[derive(Debug, clap::Args)]
#[command(next_help_heading = "Reach")]
pub(crate) struct Reach {
    /// Search only the active tier (hot), the recent one (warm) or the archives (cold)
    #[arg(long, default_value = "all", hide_possible_values = true, value_name = "WHICH", value_parser = arguments::temperature())]
    temperature: Temperature,
    /// Follow links, relations and shared names: shallow, 1 to 4 steps, or deep, which also asks again with what was found
    #[arg(long, default_value = "shallow", value_name = "STEPS", value_parser = arguments::depth)]
    depth: Depth,
    /// What happened at a time that the question names comes first (prefer), alone (only), or as if it were not named (ignore)
    #[arg(long, default_value = "prefer", hide_possible_values = true, value_name = "HOW", value_parser = arguments::time_words())]
    times: TimeWords,
    /// Only this thread and those that name the same things
    #[arg(long, value_name = "THREAD", group = "scope")]
    related_to: Option<String>,
    /// Only threads that are about this
    #[arg(long, value_name = "TOPIC", group = "scope")]
    about: Option<String>,
    /// Only memories that name this person, place or thing
    #[arg(long, value_name = "NAME", group = "scope")]
    naming: Option<String>,
    /// As it was known then: without what was told later, with what was changed or put away since
    #[arg(long, value_name = "TIME")]
    as_of: Option<String>,
    /// What held then: nothing that happened later, nothing that was outdated by then
    #[arg(long, value_name = "TIME")]
    held_at: Option<String>,
}

impl Reach {
    /// The question with this reach.
    pub(crate) fn of(&self, recall: Recall, dates: &Dates) -> Result<Recall, Failure> {
        let instant = |field: &str, text: &Option<String>| {
            text.as_deref()
                .map(|text| dates.as_of(field, text))
                .transpose()
        };
        Ok(Recall {
            temperature: self.temperature,
            depth: self.depth,
            time_words: self.times,
            scope: self.scope(),
            as_of: AsOf {
                known: instant("as_of", &self.as_of)?,
                held: instant("held_at", &self.held_at)?,
            },
            asked_at: Some(dates.now),
            ..recall
        })
    }

    fn scope(&self) -> RecallScope {
        match (&self.related_to, &self.about, &self.naming) {
            (Some(thread), _, _) => RecallScope::RelatedThreads(thread.clone()),
            (_, Some(topic), _) => RecallScope::Topic(topic.clone()),
            (_, _, Some(name)) => RecallScope::Entity(name.clone()),
            _ => RecallScope::All,
        }
    }
}

/// Options that say which spaces are asked.
#[derive(Debug, clap::Args)]
#[command(next_help_heading = "Spaces")]
pub(crate) struct Across {
    /// Ask these spaces (named with commas between them), `all` of them, or those that are likely to know (`auto`)
    #[arg(long = "across", value_name = "SPACES", value_delimiter = ',')]
    chosen: Vec<String>,
    /// Ask `core` too, which holds what is true everywhere; as is done anyway where no space is named
    #[arg(long, overrides_with = "no_core")]
    core: bool,
    /// Don't ask `core` beside the project's space
    #[arg(long, overrides_with = "core")]
    no_core: bool,
}

impl Across {
    /// Whether other spaces than the one at hand were chosen.
    pub(crate) fn is_elsewhere(&self) -> bool {
        !self.chosen.is_empty()
    }

    /// The spaces to ask.
    pub(crate) fn spaces(&self, place: &Place) -> Spaces {
        let here = place.space_name().to_string();
        let choice = match &self.chosen[..] {
            [] => SpaceChoice::Named(vec![here]),
            [word] if word == "all" => SpaceChoice::All,
            [word] if word == "auto" => SpaceChoice::Proposed {
                hints: place.is_named().then_some(here).into_iter().collect(),
                most: PROPOSED,
            },
            names => SpaceChoice::Named(names.to_vec()),
        };
        let is_found = !self.is_elsewhere() && !place.is_named();
        Spaces {
            choice,
            core: self.core || (is_found && !self.no_core),
        }
    }
}
