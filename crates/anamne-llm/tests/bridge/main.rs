//! Tests the bridge against a server that implements each provider's format.

mod world;

mod approvals;
mod budgets;
mod config;
mod embeddings;
mod injection;
mod keys;
mod providers;
mod resilience;
mod structured;
mod tasks;
