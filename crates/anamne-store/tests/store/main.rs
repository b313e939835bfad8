//! The source of a space: its database, journal and files.

mod common;
mod repositories;

mod backup;
mod busy;
mod crash;
mod duplicates;
mod earlier;
mod erase;
mod examine;
mod faults;
mod format;
mod limits;
mod members;
mod model;
mod processes;
mod project;
mod proofs;
mod rewind;
mod segments;
mod side_database;
mod tiers;
