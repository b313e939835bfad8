//! Errors of experience.

use anamne_embed::EmbedError;
use anamne_store::view::ViewError;
use anamne_store::{SideError, StoreError, shows_damage};

/// An error while experience is read or folded.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ExperienceError {
    /// A file could not be used.
    #[error(transparent)]
    Store(#[from] StoreError),
    /// The log could not be read.
    #[error(transparent)]
    Feed(#[from] ViewError),
    /// A database failed.
    #[error("experience: {0}")]
    Database(#[from] rusqlite::Error),
    /// A text could not be embedded.
    #[error(transparent)]
    Embed(#[from] EmbedError),
}

impl SideError for ExperienceError {
    fn is_damage(&self) -> bool {
        match self {
            Self::Store(error) => error.is_damage(),
            Self::Database(error) => shows_damage(error),
            Self::Feed(_) | Self::Embed(_) => false,
        }
    }
}
