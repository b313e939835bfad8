//! Tests of the queue: one process, several processes, killed processes.

mod activity;
mod bench;
mod crash;
mod files;
mod model;
mod periodic;
mod runner;
mod states;
