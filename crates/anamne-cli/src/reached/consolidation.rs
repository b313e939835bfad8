//! Merges, recurring statements and summaries of a space in either place.

use std::ops::Range;

use anamne::{Insight, Level, Proposal, Skipped, Space, Summary};
use anamne_client::{Method, Query};
use jiff::Timestamp;
use serde::Deserialize;

use super::{Reached, is_denied};
use crate::failure::Failure;

/// Which summaries to list.
pub(crate) enum SummaryChoice {
    /// Those of a level that begin in a span of time.
    Periods(Level, Range<Timestamp>),
    /// The sessions of a thread.
    Thread(String),
}

/// Merges as a server answers them.
#[derive(Deserialize)]
struct Merges {
    proposals: Vec<Proposal>,
    #[serde(default)]
    skipped: Skipped,
}

/// Recurring statements as a server answers them.
#[derive(Deserialize)]
struct Insights {
    insights: Vec<Insight>,
    #[serde(default)]
    skipped: Skipped,
}

/// Whether the summaries of a server are up to date.
#[derive(Default, Deserialize)]
pub(crate) struct Updated {
    pub(crate) updated: bool,
    #[serde(default)]
    pub(crate) skipped: Skipped,
}

impl Reached {
    /// The merges that are proposed, which `apply` applies.
    pub(crate) fn merges(&self, apply: bool) -> Result<(Vec<Proposal>, Skipped), Failure> {
        let method = if apply { Method::Post } else { Method::Get };
        self.ask(
            if apply {
                Space::consolidate
            } else {
                Space::foldable
            },
            |space| {
                let merges: Merges = space.call(method, &["consolidation"], None::<&()>)?;
                Ok((merges.proposals, merges.skipped))
            },
        )
    }

    /// Recurring statements.
    pub(crate) fn insights(&self) -> Result<(Vec<Insight>, Skipped), Failure> {
        self.ask(Space::insights, |space| {
            let insights: Insights = space.read(&["insights"], &Query::new())?;
            Ok((insights.insights, insights.skipped))
        })
    }

    /// Updates the summaries; `progress` receives the number of periods that are done.
    pub(crate) fn update_summaries(
        &self,
        progress: &mut dyn FnMut(usize),
    ) -> Result<Updated, Failure> {
        self.ask(
            |space| {
                let (_, skipped) = space.summarise(progress)?;
                Ok(Updated {
                    updated: true,
                    skipped,
                })
            },
            |space| match space.call(Method::Post, &["summaries"], None::<&()>) {
                // A key that may only read; the server updates them in the background.
                Err(error) if is_denied(&error) => Ok(Updated::default()),
                updated => updated,
            },
        )
    }

    /// Summaries, earliest first, and whether there are more.
    pub(crate) fn summaries(
        &self,
        choice: &SummaryChoice,
        limit: usize,
    ) -> Result<(Vec<Summary>, bool), Failure> {
        match self {
            Self::Here(space) => {
                let mut found = match choice {
                    SummaryChoice::Thread(thread) => {
                        space.summaries_of_thread(thread, limit + 1)?
                    }
                    SummaryChoice::Periods(level, span) => {
                        space.summaries(*level, span.clone(), limit + 1)?
                    }
                };
                let more = found.len() > limit;
                found.truncate(limit);
                Ok((found, more))
            }
            Self::There(space) => {
                #[derive(Deserialize)]
                struct Found {
                    summaries: Vec<Summary>,
                    more: bool,
                }
                let query = choice.query().with("limit", limit);
                let found: Found = space.read(&["summaries"], &query)?;
                Ok((found.summaries, found.more))
            }
        }
    }
}

impl SummaryChoice {
    fn query(&self) -> Query {
        match self {
            Self::Thread(thread) => Query::new().with("thread", thread),
            Self::Periods(level, span) => Query::new()
                .with("by", level_word(*level))
                .with("since", span.start)
                .with("until", span.end),
        }
    }
}

fn level_word(level: Level) -> &'static str {
    match level {
        Level::Session => "session",
        Level::Day => "day",
        Level::Week => "week",
        Level::Month => "month",
    }
}
