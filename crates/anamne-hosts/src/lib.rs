//! What is known of agent hosts: where their configuration lies, how it is changed without harm, and how their hooks
//! speak.
//!
//! [`hosts`] is a table; [`adapters`] has one small file for each host that needs more than the table. A [`Plan`] lists
//! the changed files before anything is written; [`files`] applies it and takes it back. [`hook`] reads what hosts send
//! to a hook and writes what they expect.
//!
//! Configuration files are foreign: a file that can't be understood is left alone and named. This crate doesn't read the
//! environment and doesn't know the engine; callers pass a [`Machine`].

pub mod adapters;
pub mod edit;
pub mod files;
pub mod hook;
mod hosts;
mod plan;

pub use anamne_ingest::{Machine, Platform};
pub use hosts::{Host, host, hosts};
pub use plan::{
    Commands, Connection, FileChange, HookState, HostStatus, LeftAlone, Plan, SetupScope,
};
