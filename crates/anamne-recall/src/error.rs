//! Errors of a recall.

use anamne_store::StoreError;
use anamne_text::echo::shorten;
use anamne_types::{InvalidValue, NextStep};

/// Why a recall failed. A damaged view is no error: the other views answer.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum RecallError {
    /// The query has an invalid value.
    #[error(transparent)]
    Refused(#[from] InvalidValue),
    /// The source could not be read.
    #[error(transparent)]
    Store(#[from] StoreError),
    /// The query could not be embedded.
    #[error(transparent)]
    Embed(#[from] anamne_embed::EmbedError),
    /// The query's scope is an entity that no memory names.
    #[error("no entity is called {:?}{}", shorten(name), offered(.like))]
    NoEntity {
        /// The given name.
        name: String,
        /// Similar known names, most similar first.
        like: Vec<String>,
    },
    /// The query needs entity names, which have not been extracted yet.
    #[error("entities have not been extracted yet ({behind} events are pending)")]
    NotExtracted {
        /// Events of the log that are not extracted yet.
        behind: u64,
    },
    /// The knowledge graph could not be read.
    #[error("the knowledge graph can't be read: {reason}")]
    Names {
        /// The reason.
        reason: String,
    },
    /// Too many memories have changed since the requested time.
    #[error(
        "more than {most} memories have changed since {at}; choose a later instant, or restore the store as of then and \
         query that"
    )]
    TooLongAgo {
        /// The time.
        at: jiff::Timestamp,
        /// The maximum number of changed memories.
        most: usize,
    },
}

impl RecallError {
    /// What the user can do next, if anything.
    pub fn next_step(&self) -> Option<NextStep> {
        match self {
            Self::Store(error) => error.next_step(),
            Self::NotExtracted { .. } => Some(NextStep::Extract),
            Self::TooLongAgo { .. } => Some(NextStep::Rewind),
            _ => None,
        }
    }
}

fn offered(like: &[String]) -> String {
    let quoted: Vec<String> = like.iter().map(|name| format!("{name:?}")).collect();
    match quoted.as_slice() {
        [] => String::new(),
        [only] => format!("; did you mean {only}?"),
        [others @ .., last] => format!("; did you mean {} or {last}?", others.join(", ")),
    }
}
