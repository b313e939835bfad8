//! Summaries and consolidation over an in-memory log.

mod consolidation;
mod twin;
mod view;
