//! Runs the real binary on temporary stores, as a user or a script does.

mod bench;
mod binary;
#[path = "../../../anamne-embed/tests/support/sample_cross_encoder.rs"]
mod sample;

mod across;
mod asking;
mod cache;
mod demonstration;
mod embeddings;
mod enriching;
mod erasure;
mod exchange;
mod experience;
mod extraction;
mod fields;
mod files;
mod foreign_models;
mod forgetting;
mod guard;
mod hooks;
mod hostile_stores;
mod journeys;
mod keeping;
mod knowledge;
mod learning;
mod members;
mod models;
mod numbers;
mod problems;
mod projects;
mod protocol;
mod quoting;
mod reached;
mod reference;
mod refusals;
mod rerankers;
mod retention;
mod safekeeping;
mod skipped;
mod tasks;
mod terminal;
mod tiers;
mod together;
mod told;
mod vocabulary;
