//! What can go wrong in a recall.

use anamne_store::StoreError;
use anamne_types::Refusal;

/// Why a recall could not be answered. A broken view is no reason: the others answer.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum RecallError {
    /// The question is outside what the engine accepts.
    #[error(transparent)]
    Refused(#[from] Refusal),
    /// The source could not be read.
    #[error(transparent)]
    Store(#[from] StoreError),
    /// The question could not be embedded.
    #[error(transparent)]
    Embed(#[from] anamne_embed::EmbedError),
}
