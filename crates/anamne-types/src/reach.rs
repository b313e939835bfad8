//! The scope, depth and time of a query.

use jiff::Timestamp;
use serde::{Deserialize, Serialize};

use crate::body::string_enum;
use crate::limits::{accept, check_name, check_text};
use crate::{InvalidValue, Limits};

/// The part of a space that a query searches.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "snake_case")]
pub enum RecallScope {
    /// All of it.
    #[default]
    All,
    /// One thread.
    Thread(String),
    /// One thread, and threads that share entities with it.
    RelatedThreads(String),
    /// The threads about any of these topics, at most [`RecallScope::TOPICS`].
    Topics(Vec<String>),
    /// The memories that mention an entity, by any of its names.
    Entity(String),
}

impl RecallScope {
    /// The maximum number of topics; each costs a search.
    pub const TOPICS: usize = 8;

    /// Checks the name or words.
    pub fn check(&self) -> Result<(), InvalidValue> {
        match self {
            Self::All => Ok(()),
            Self::Thread(name) | Self::RelatedThreads(name) => check_name("thread", name),
            Self::Topics(topics) => {
                let accepts = format_args!("1 to {} topics", Self::TOPICS);
                let count = topics.len();
                accept((1..=Self::TOPICS).contains(&count), "topic", accepts, count)?;
                topics
                    .iter()
                    .try_for_each(|words| check_text("topic", words, Limits::QUERY_BYTES))
            }
            Self::Entity(name) => check_name("entity", name),
        }
    }
}

/// How far links and relations are followed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "snake_case")]
pub enum Depth {
    /// Not at all: direct results and their neighbours in the thread.
    #[default]
    Shallow,
    /// Up to this many hops along links, relations, shared names and threads.
    Hops(u8),
    /// [`Depth::DEEPEST`] hops, and second queries built from the first results.
    Deep,
}

impl Depth {
    /// The maximum number of hops.
    pub const DEEPEST: u8 = 4;

    /// The number of hops to follow.
    pub fn hops(self) -> u8 {
        match self {
            Self::Shallow => 0,
            Self::Hops(hops) => hops,
            Self::Deep => Self::DEEPEST,
        }
    }

    /// Checks the number of hops.
    pub fn check(self) -> Result<(), InvalidValue> {
        let Self::Hops(hops) = self else {
            return Ok(());
        };
        let deepest = Self::DEEPEST;
        let accepts = format_args!("shallow, a whole number of hops from 1 to {deepest}, or deep");
        accept((1..=deepest).contains(&hops), "depth", accepts, hops)
    }
}

/// A query as of an earlier time: what was known then, and what was valid then.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(deny_unknown_fields)]
pub struct AsOf {
    /// As if queried at this time: memories stored later don't count, later edits are undone, and memories forgotten
    /// later are still there. Imported memories count from the time of the import; erased ones are gone.
    pub known: Option<Timestamp>,
    /// Only memories valid at this time: without later events, and without memories that had expired or were superseded
    /// by then. Memories superseded only later count as valid.
    pub held: Option<Timestamp>,
}

impl AsOf {
    /// Whether both times are the present.
    pub fn is_now(&self) -> bool {
        *self == Self::default()
    }
}

string_enum! {
    /// How time expressions in a query are used: "last week", "in March", "the week before the release".
    #[derive(Default)]
    TimeWords as "time_words" {
        /// Memories that happened then come first; others may follow.
        #[default]
        Prefer = 1 "prefer",
        /// Only memories that happened then.
        Only = 2 "only",
        /// They are treated like other words.
        Ignore = 3 "ignore",
    }
}
