//! The only place that writes to the terminal: results to stdout, progress and errors to stderr.

use std::io::Write;
use std::process::ExitCode;

/// Writes a line of results. A closed stdout ends the program silently.
pub(crate) fn line(text: &str) {
    if writeln!(std::io::stdout().lock(), "{text}").is_err() {
        std::process::exit(0);
    }
}

/// Writes a line about progress or errors.
pub(crate) fn print_error(text: &str) {
    // A closed stderr is ignored.
    let _ = writeln!(std::io::stderr().lock(), "{text}");
}

/// Success if no set is below the floor; otherwise names those that are.
pub(crate) fn judge(below: &[String]) -> ExitCode {
    if below.is_empty() {
        return ExitCode::SUCCESS;
    }
    print_error(&format!("below the floor: {}", below.join(", ")));
    ExitCode::FAILURE
}
