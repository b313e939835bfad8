//! The command as a person or a script runs it: the real binary on stores of their own.

mod bench;

mod across;
mod demonstration;
mod exchange;
mod forgetting;
mod journeys;
mod keeping;
mod knowledge;
mod learning;
mod models;
mod numbers;
mod projects;
mod protocol;
mod reference;
mod refusals;
mod safekeeping;
mod tasks;
mod tiers;
mod together;
mod weaving;
