//! The `anamne` command: the engine's interface for people and scripts.
//!
//! Standard output has only data; notes, progress and errors go to standard error. `commands` has one file per command;
//! shared code (arguments, output, dates, ids) is beside it. This crate does not depend on how the engine stores or
//! finds anything: it uses the crate `anamne`.
//!
//! ```sh
//! anamne remember "The staging server listens on port 8471" --tag staging
//! anamne recall "which port does staging use?"
//! ```

mod arguments;
mod bridge;
mod card;
mod commands;
mod dates;
#[cfg(test)]
mod doors;
mod drawing;
mod enriched;
mod extraction;
mod failure;
mod filters;
mod hooks;
mod ids;
mod input;
mod known;
mod next_step;
mod output;
mod place;
mod planned;
mod programs;
mod progress;
mod projects;
mod reached;
mod scope_arguments;
mod server;
mod session_argument;
mod settling;
mod shell;
mod simd;
mod skipped;
mod style;
mod terminal;
mod transcripts;
mod typed_fields;
mod usage;
mod whole_file;
mod wording;

use std::process::ExitCode;

use failure::Failure;
use output::Output;
use place::Place;

fn main() -> ExitCode {
    if hooks::is_called() {
        hooks::main();
        return ExitCode::SUCCESS;
    }
    failure::report_panics();
    let cli = match usage::read() {
        Ok(cli) => cli,
        Err(code) => return code,
    };
    let Some(command) = cli.command else {
        return usage::help();
    };
    let mut output = Output::new(cli.global.json, command.is_verbatim());
    let done = simd::select()
        .and_then(|()| Place::find(&cli.global))
        .and_then(|place| {
            for note in place.notes() {
                output.warn(note);
            }
            command.run(&place, &cli.global, &mut output)
        })
        .and_then(|()| output.flush());
    match done {
        Ok(()) => ExitCode::SUCCESS,
        Err(failure) => end_with(&failure, &mut output),
    }
}

/// Prints the failure after the output so far, and returns the exit code.
fn end_with(failure: &Failure, output: &mut Output) -> ExitCode {
    let flushed = output.flush();
    if !matches!(flushed, Err(Failure::ClosedPipe)) {
        failure.report(output.is_json());
    }
    failure.exit_code()
}
