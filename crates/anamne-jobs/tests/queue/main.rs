//! The queue keeps its promises: to one process, to several, and to those that are killed.

mod activity;
mod bench;
mod crash;
mod files;
mod model;
mod periodic;
mod runner;
mod states;
