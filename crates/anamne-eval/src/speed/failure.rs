//! Why a measurement could not be made.

/// What failed, and why, for the person who measures.
#[derive(Debug)]
pub(crate) struct Failure(String);

impl Failure {
    /// A failure with its reason.
    pub(crate) fn new(reason: impl Into<String>) -> Self {
        Self(reason.into())
    }
}

impl std::fmt::Display for Failure {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.write_str(&self.0)
    }
}

impl From<anamne::Error> for Failure {
    fn from(error: anamne::Error) -> Self {
        Self(format!("the engine: {error}"))
    }
}

impl From<anamne::embed::EmbedError> for Failure {
    fn from(error: anamne::embed::EmbedError) -> Self {
        Self(format!("the embedder: {error}"))
    }
}

impl From<anamne::StoreError> for Failure {
    fn from(error: anamne::StoreError) -> Self {
        Self(format!("the store: {error}"))
    }
}

impl From<rusqlite::Error> for Failure {
    fn from(error: rusqlite::Error) -> Self {
        Self(format!("SQLite: {error}"))
    }
}

impl From<tantivy::TantivyError> for Failure {
    fn from(error: tantivy::TantivyError) -> Self {
        Self(format!("tantivy: {error}"))
    }
}

impl From<std::io::Error> for Failure {
    fn from(error: std::io::Error) -> Self {
        Self(format!("a file or process: {error}"))
    }
}

impl From<serde_json::Error> for Failure {
    fn from(error: serde_json::Error) -> Self {
        Self(format!("JSON: {error}"))
    }
}
