//! Queries with several readings.

use serde::{Deserialize, Serialize};

/// A query that may mean several things: two or three, between which its results are divided about equally.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct Clarification {
    /// The ambiguous words of the query: a name that several entities share, or all of its words.
    pub words: String,
    /// The readings, most likely first.
    pub readings: Vec<QueryReading>,
}

/// One thing that a query may mean.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct QueryReading {
    /// Whether it is an entity or a thread.
    pub kind: ReadingKind,
    /// The entity's name, or the thread's.
    pub name: String,
    /// The citations of the results that are about it and not about the others.
    pub results: Vec<String>,
}

/// What a reading of a query is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "snake_case")]
pub enum ReadingKind {
    /// One of several entities that share a name.
    Entity,
    /// One of several threads that answer equally well.
    Thread,
}
