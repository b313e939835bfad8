//! The command as a person or a script runs it: the real binary on stores of their own.

mod bench;

mod across;
mod demonstration;
mod exchange;
mod files;
mod forgetting;
mod journeys;
mod keeping;
mod knowledge;
mod learning;
mod models;
mod protocol;
mod quoting;
mod reference;
mod refusals;
mod safekeeping;
mod tasks;
mod terminal;
mod tiers;
mod together;
mod weaving;
