//! Quality and speed benchmarks of Anamne against real data, peers and physical limits.
//!
//! It knows the engine from outside only, as any program does that depends on the crate `anamne`.

use std::process::ExitCode;

use clap::{Parser, Subcommand};

mod output;
mod recall;

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
}

fn main() -> ExitCode {
    let outcome = match Arguments::parse().benchmark {
        Benchmark::Recall(arguments) => recall::run(&arguments),
    };
    match outcome {
        Ok(code) => code,
        Err(error) => {
            output::complain(&format!("error: {error}"));
            ExitCode::FAILURE
        }
    }
}
