//! The scope, depth and time of a query.

use jiff::Timestamp;
use serde::{Deserialize, Serialize};

use crate::body::words;
use crate::limits::{accept, check_name, check_text};
use crate::{InvalidValue, Limits};

/// The part of a space that a query searches.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum RecallScope {
    /// All of it.
    #[default]
    All,
    /// One thread.
    Thread(String),
    /// One thread, and threads that share entities with it.
    RelatedThreads(String),
    /// The threads about a topic.
    Topic(String),
    /// The memories that mention an entity, by any of its names.
    Entity(String),
}

impl RecallScope {
    /// Checks the name or words.
    pub fn check(&self) -> Result<(), InvalidValue> {
        match self {
            Self::All => Ok(()),
            Self::Thread(name) | Self::RelatedThreads(name) => check_name("thread", name),
            Self::Topic(words) => check_text("topic", words, Limits::QUERY_BYTES),
            Self::Entity(name) => check_name("entity", name),
        }
    }
}

/// How far links and relations are followed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Depth {
    /// Not at all: direct results and their neighbours in the thread.
    #[default]
    Shallow,
    /// Up to this many hops along links, relations, shared names and threads.
    Hops(u8),
    /// As many as [`Depth::DEEPEST`], and questions asked again with what was found.
    Deep,
}

impl Depth {
    /// The most steps that are followed.
    pub const DEEPEST: u8 = 4;

    /// Steps that are followed.
    pub fn hops(self) -> u8 {
        match self {
            Self::Shallow => 0,
            Self::Hops(hops) => hops,
            Self::Deep => Self::DEEPEST,
        }
    }

    /// Checks the number of steps.
    pub fn check(self) -> Result<(), InvalidValue> {
        let Self::Hops(hops) = self else {
            return Ok(());
        };
        let deepest = Self::DEEPEST;
        let accepts = format_args!("shallow, a whole number of hops from 1 to {deepest}, or deep");
        accept((1..=deepest).contains(&hops), "depth", accepts, hops)
    }
}

/// The past as seen from an instant: what was known by then, and what was true then.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct AsOf {
    /// As if asked at this instant: memories told later don't count, edits made later are undone, and what was put away later is
    /// still there. What was imported was written when it was imported; what was erased since is gone.
    pub known: Option<Timestamp>,
    /// Only what held at this instant: nothing that happened later, nothing that had been superseded or had expired by then; what
    /// was superseded only afterwards counts as holding.
    pub held: Option<Timestamp>,
}

impl AsOf {
    /// Whether it is the present on both axes.
    pub fn is_now(&self) -> bool {
        *self == Self::default()
    }
}

words! {
    /// What becomes of the words of a question that name a time: "last week", "in March", "the week before the release".
    #[derive(Default)]
    TimeWords as "time_words" {
        /// Memories that happened then come first; others may follow.
        #[default]
        Prefer = 1 "prefer",
        /// Only memories that happened then.
        Only = 2 "only",
        /// They are words like others.
        Ignore = 3 "ignore",
    }
}
