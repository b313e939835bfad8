//! What can go wrong in a recall.

use anamne_store::StoreError;
use anamne_text::echo::shorten;
use anamne_types::{InvalidValue, NextStep};

/// Why a recall could not be answered. A broken view is no reason: the others answer.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum RecallError {
    /// The question is outside what the engine accepts.
    #[error(transparent)]
    Refused(#[from] InvalidValue),
    /// The source could not be read.
    #[error(transparent)]
    Store(#[from] StoreError),
    /// The question could not be embedded.
    #[error(transparent)]
    Embed(#[from] anamne_embed::EmbedError),
    /// The question is about somebody or something that no memory names.
    #[error("no entity is called {:?}{}", shorten(name), offered(.like))]
    NoEntity {
        /// The name that was asked for.
        name: String,
        /// Known names that are like it, the likest first.
        like: Vec<String>,
    },
    /// The question needs to know what memories name, and they have not been read for that yet.
    #[error(
        "the knowledge graph has not been extracted yet ({behind} events are left), so nobody knows what memories name"
    )]
    NotExtracted {
        /// Events of the log that are not extracted.
        behind: u64,
    },
    /// The knowledge graph could not be read.
    #[error("what memories name can't be read: {reason}")]
    Names {
        /// Why not.
        reason: String,
    },
    /// Too much has changed since an instant for a question as of then.
    #[error(
        "more than {most} memories have changed since {at}; ask as of a later instant, or rebuild the store as it was then \
         and ask that one"
    )]
    TooLongAgo {
        /// The instant.
        at: jiff::Timestamp,
        /// So many memories may have changed.
        most: usize,
    },
}

impl RecallError {
    /// What a person can do next, where there is something.
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
