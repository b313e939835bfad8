//! The error type of benchmarks.

/// The reason, as text for the user.
pub(crate) type Failure = Box<dyn std::error::Error>;
