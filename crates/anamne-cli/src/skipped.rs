//! Reports the entries that a command skipped.

use anamne::Skipped;
use serde_json::{Value, json};

use crate::failure::Failure;
use crate::next_step::{report_each, worded};
use crate::output::{Output, report, report_json};
use crate::wording::{named, number};

/// Prints the skipped entries with their reasons, and the number of those beyond the limit. With `--json` they are part
/// of the output.
pub(crate) fn tell(passed: &Skipped, output: &Output) {
    if output.is_json() {
        return;
    }
    for one in &passed.first {
        let (entry, reason) = (named(&one.entry), named(&one.reason));
        report(format_args!("skipped {entry}: {reason}"));
    }
    if passed.unnamed() > 0 {
        output.note(format_args!(
            "… and {} more skipped",
            number(passed.unnamed())
        ));
    }
    report_each(passed.first.iter().filter_map(|one| one.next_step));
}

/// The same for commands whose output has no place for them: with `--json` they are written to standard error.
pub(crate) fn report_to_stderr(passed: &Skipped, output: &Output) {
    tell(passed, output);
    if output.is_json() && !passed.is_empty() {
        let mut beside = json!({});
        describe(passed, &mut beside);
        report_json(&beside);
    }
}

/// Adds them to the output of `--json`.
pub(crate) fn describe(passed: &Skipped, answer: &mut Value) {
    if !passed.is_empty() {
        answer["skipped"] = worded(passed);
    }
}

/// The result of a command that did everything except what it skipped.
pub(crate) fn outcome(passed: &Skipped) -> Result<(), Failure> {
    if passed.is_empty() {
        Ok(())
    } else {
        Err(Failure::Incomplete)
    }
}
