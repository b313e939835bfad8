//! Quality and speed benchmarks of Anamne against real data, peers and physical limits.
//!
//! It uses the engine through the public crate `anamne`, like any other program; exceptions are benchmarks of single
//! parts: `knowledge`, and the vector scan of `speed`.

use std::process::ExitCode;

use clap::{Parser, Subcommand};

mod cache;
mod chance;
mod clarification;
mod context;
mod corpus;
mod errors;
mod failure;
mod fusion;
mod generator;
mod guard;
mod held_out;
mod knowledge;
mod latencies;
mod meta;
mod output;
mod prompts;
mod recall;
mod rephrasings;
mod report;
mod served;
mod sets;
mod speed;
mod store;
mod strategies;
mod torture;
mod trajectories;
mod writing;

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
    /// The normal report of recall quality: with trees that were fitted without what is measured.
    Report(report::Arguments),
    /// Does recall find the evidence? Measured on conversations with questions, in every configuration.
    Recall(recall::Arguments),
    /// How much of the evidence is in a context block, by token budget?
    Context(context::Arguments),
    /// Does a prompt get memories only when they are likely evidence?
    Prompts(prompts::Arguments),
    /// Does recall say that a question has several readings, and only then? Measured on our own questions.
    Clarification(clarification::Arguments),
    /// How accurate is knowledge extraction without a language model?
    Knowledge(knowledge::Arguments),
    /// Does the guard find secrets and personal data, and nothing else? Measured on labelled texts, next to two scanners.
    Guard(guard::Arguments),
    /// Is a cached result served for the same request only? Measured on labelled pairs, and the speed of lookups.
    Cache(cache::Arguments),
    /// Is an error in another form told from another error? Measured on labelled pairs, and on the errors of recorded runs
    Errors(errors::Arguments),
    /// Is a question in other words told from the next question? Measured on labelled pairs and conversations.
    Rephrasings(rephrasings::Arguments),
    /// How much work does planning save, at which quality? Measured on a replayed query log over three years.
    Meta(meta::Arguments),
    /// What does learning which search strategy to use add? Measured as a stream of questions with feedback.
    Strategies(strategies::Arguments),
    /// Do earlier runs predict later ones, and show what helps? Measured on recorded runs of agents.
    Trajectories(trajectories::Arguments),
    /// Speed and size: each budget, next to a peer or a physical limit measured in the same run.
    Speed(speed::Arguments),
    /// The engine's side of the comparison with a server; see tools/load.
    Served(served::Arguments),
    #[command(hide = true)]
    Probe(speed::probe::Arguments),
    /// Concurrent processes, killed processes, damaged files: is every acknowledged write found?
    Torture(torture::Arguments),
    #[command(hide = true)]
    TortureWorker(torture::worker::Arguments),
    #[command(hide = true)]
    TorturePatient(torture::damage::patient::Arguments),
    #[command(hide = true)]
    TortureWriter(torture::kills::Arguments),
}

/// The variable that selects the vector instructions of all benchmarks.
const SIMD: &str = "ANAMNE_SIMD";

fn main() -> ExitCode {
    let arguments = Arguments::parse();
    let outcome = select_simd().and_then(|()| run(arguments.benchmark));
    outcome.unwrap_or_else(|error| {
        output::print_error(&format!("error: {error}"));
        ExitCode::FAILURE
    })
}

/// Selects the level that the environment names; refuses one that this processor does not support.
fn select_simd() -> Result<(), failure::Failure> {
    match std::env::var_os(SIMD).filter(|level| !level.is_empty()) {
        None => Ok(()),
        Some(level) => {
            let selected = level.to_string_lossy().parse::<anamne::SimdLevel>();
            let selected = selected.and_then(anamne::SimdLevel::select);
            selected.map_err(|refusal| format!("{SIMD}: {refusal}").into())
        }
    }
}

fn run(benchmark: Benchmark) -> Result<ExitCode, failure::Failure> {
    match benchmark {
        Benchmark::Report(arguments) => report::run(&arguments),
        Benchmark::Recall(arguments) => recall::run(&arguments),
        Benchmark::Context(arguments) => context::run(&arguments),
        Benchmark::Prompts(arguments) => prompts::run(&arguments),
        Benchmark::Clarification(arguments) => clarification::run(&arguments),
        Benchmark::Knowledge(arguments) => knowledge::run(&arguments),
        Benchmark::Guard(arguments) => guard::run(&arguments),
        Benchmark::Cache(arguments) => cache::run(&arguments),
        Benchmark::Errors(arguments) => errors::run(&arguments),
        Benchmark::Rephrasings(arguments) => rephrasings::run(&arguments),
        Benchmark::Meta(arguments) => meta::run(&arguments),
        Benchmark::Strategies(arguments) => strategies::run(&arguments),
        Benchmark::Trajectories(arguments) => trajectories::run(&arguments),
        Benchmark::Speed(arguments) => speed::run(&arguments),
        Benchmark::Served(arguments) => served::run(&arguments),
        Benchmark::Probe(arguments) => speed::probe::run(&arguments),
        Benchmark::Torture(arguments) => torture::run(&arguments),
        Benchmark::TortureWorker(arguments) => torture::worker::run(&arguments),
        Benchmark::TorturePatient(arguments) => torture::damage::patient::run(&arguments),
        Benchmark::TortureWriter(arguments) => torture::kills::run_until_killed(&arguments),
    }
}
