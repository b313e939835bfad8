//! Quality and speed benchmarks of Anamne against real data, peers and physical limits.
//!
//! It knows the engine from outside only, as any program does that depends on the crate `anamne`; but for what measures one
//! part by itself: `knowledge`, and the vector scan of `speed`.

use std::process::ExitCode;

use clap::{Parser, Subcommand};

mod chance;
mod context;
mod corpus;
mod failure;
mod fusion;
mod generator;
mod knowledge;
mod latencies;
mod meta;
mod output;
mod recall;
mod sets;
mod speed;
mod store;
mod telling;
mod torture;

#[derive(Parser)]
#[command(
    name = "anamne-eval",
    version,
    about = "Quality and speed benchmarks of Anamne"
)]
struct Arguments {
    #[command(subcommand)]
    benchmark: Benchmark,
}

#[derive(Subcommand)]
enum Benchmark {
    /// Does the memory bring back the evidence? Measured on conversations with questions.
    Recall(recall::Arguments),
    /// How much of the evidence does a context block hold, by what it may cost?
    Context(context::Arguments),
    /// How well is knowledge read out of texts, without a language model?
    Knowledge(knowledge::Arguments),
    /// What does planning save, at which quality? Measured on a replayed log of questions over three years.
    Meta(meta::Arguments),
    /// How fast, how large: each budget beside a peer or a physical limit in the same run.
    Speed(speed::Arguments),
    #[command(hide = true)]
    Probe(speed::probe::Arguments),
    /// Many processes on one store, processes that are killed, damaged files: is every acknowledged write found?
    Torture(torture::Arguments),
    #[command(hide = true)]
    TortureWorker(torture::worker::Arguments),
    #[command(hide = true)]
    TorturePatient(torture::damage::patient::Arguments),
    #[command(hide = true)]
    TortureWriter(torture::kills::Arguments),
}

fn main() -> ExitCode {
    let outcome = match Arguments::parse().benchmark {
        Benchmark::Recall(arguments) => recall::run(&arguments),
        Benchmark::Context(arguments) => context::run(&arguments),
        Benchmark::Knowledge(arguments) => knowledge::run(&arguments),
        Benchmark::Meta(arguments) => meta::run(&arguments),
        Benchmark::Speed(arguments) => speed::run(&arguments),
        Benchmark::Probe(arguments) => speed::probe::run(&arguments),
        Benchmark::Torture(arguments) => torture::run(&arguments),
        Benchmark::TortureWorker(arguments) => torture::worker::run(&arguments),
        Benchmark::TorturePatient(arguments) => torture::damage::patient::run(&arguments),
        Benchmark::TortureWriter(arguments) => torture::kills::be_killed(&arguments),
    };
    outcome.unwrap_or_else(|error| {
        output::complain(&format!("error: {error}"));
        ExitCode::FAILURE
    })
}
