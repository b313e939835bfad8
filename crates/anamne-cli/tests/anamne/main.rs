//! The command as a person or a script runs it: the real binary on stores of their own.

mod bench;

mod demonstration;
mod exchange;
mod forgetting;
mod journeys;
mod keeping;
mod protocol;
mod reference;
mod refusals;
mod safekeeping;
mod tiers;
mod together;
