//! Why a benchmark could not be run.

/// The reason, for the person who measures.
pub(crate) type Failure = Box<dyn std::error::Error>;
