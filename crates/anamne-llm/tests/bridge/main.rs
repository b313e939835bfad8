//! The bridge against a server that speaks each provider's own form.

mod world;

mod approvals;
mod budgets;
mod config;
mod injection;
mod keys;
mod providers;
mod resilience;
mod structured;
mod tasks;
