//! Summaries, signals and consolidation, over a log in memory.

mod consolidation;
mod signals;
mod twin;
mod view;
