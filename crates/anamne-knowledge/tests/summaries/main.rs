//! Summaries, signals and consolidation over an in-memory log.

mod consolidation;
mod signals;
mod twin;
mod view;
