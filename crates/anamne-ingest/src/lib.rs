//! Reads what other programs keep, and turns it into drafts of memories.
//!
//! [`transcripts`] reads the conversations that agent hosts record. Everything read here is foreign text: readers cost
//! linear time, bound what they hold in memory, skip what they don't know, and never write to the files.
//!
//! This crate doesn't read the environment or the home folder: callers pass a [`Machine`]. It must not know the engine.

mod machine;
pub mod transcripts;

pub use machine::{Machine, Platform};
