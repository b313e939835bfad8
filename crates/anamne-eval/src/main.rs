//! Quality and speed benchmarks of Anamne against real data, peers and physical limits.
//!
//! It knows the engine from outside only, as any program does that depends on the crate `anamne`.

use std::process::ExitCode;

use clap::{Parser, Subcommand};

mod context;
mod knowledge;
mod meta;
mod output;
mod recall;
mod speed;
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
    /// What does planning save, at which quality? Measured on a replayed log of questions over three years.
    Meta(meta::Arguments),
    /// How fast, how large: each budget beside a peer or a physical limit in the same run.
    Speed(speed::Arguments),
    #[command(hide = true)]
    Probe(speed::probe::Arguments),
    /// Many processes on one store, processes that are killed, damaged files: is every acknowledged write found?
    Torture(torture::Arguments),
    #[command(hide = true)]
    TortureWorker(torture::WorkerArguments),
    #[command(hide = true)]
    TorturePatient(torture::PatientArguments),
    #[command(hide = true)]
    TortureWriter(torture::WriterArguments),
}

fn main() -> ExitCode {
    let outcome = match Arguments::parse().benchmark {
        Benchmark::Recall(arguments) => recall::run(&arguments).map_err(|error| error.to_string()),
        Benchmark::Context(arguments) => {
            context::run(&arguments).map_err(|error| error.to_string())
        }
        Benchmark::Meta(arguments) => meta::run(&arguments).map_err(|error| error.to_string()),
        Benchmark::Torture(arguments) => {
            torture::run(&arguments).map_err(|error| error.to_string())
        }
        Benchmark::TortureWorker(arguments) => {
            torture::work(&arguments).map_err(|error| error.to_string())
        }
        Benchmark::TorturePatient(arguments) => {
            torture::be_examined(&arguments).map_err(|error| error.to_string())
        }
        Benchmark::TortureWriter(arguments) => {
            torture::write(&arguments).map_err(|error| error.to_string())
        }
        Benchmark::Speed(arguments) => speed::run(&arguments).map_err(|error| error.to_string()),
        Benchmark::Probe(arguments) => {
            speed::probe::run(&arguments).map_err(|error| error.to_string())
        }
    };
    match outcome {
        Ok(code) => code,
        Err(error) => {
            output::complain(&format!("error: {error}"));
            ExitCode::FAILURE
        }
    }
}
