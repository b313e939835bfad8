//! The one place that writes to the terminal: results to stdout, progress and complaints to stderr.

use std::io::Write;
use std::process::ExitCode;

/// Writes a line of results. A reader that has gone away ends the program quietly.
pub(crate) fn line(text: &str) {
    if writeln!(std::io::stdout().lock(), "{text}").is_err() {
        std::process::exit(0);
    }
}

/// Writes a line about progress or trouble.
pub(crate) fn complain(text: &str) {
    // Nothing is left to do when stderr is closed.
    let _ = writeln!(std::io::stderr().lock(), "{text}");
}

/// Success where no set is below the floor; otherwise names those that are.
pub(crate) fn judge(below: &[String]) -> ExitCode {
    if below.is_empty() {
        return ExitCode::SUCCESS;
    }
    complain(&format!("below the floor: {}", below.join(", ")));
    ExitCode::FAILURE
}
