//! What a command over many entries skipped, as a person and a program are told of it.

use anamne::Skipped;
use serde_json::{Value, json};

use crate::failure::Failure;
use crate::next_step::{say_each, worded};
use crate::output::{Output, say, say_json};
use crate::wording::{named, number};

/// Names the entries that were skipped with the reason of each, and counts those that are too many to be named. With `--json`
/// the answer has them.
pub(crate) fn tell(passed: &Skipped, output: &Output) {
    if output.is_json() {
        return;
    }
    for one in &passed.first {
        let (entry, reason) = (named(&one.entry), named(&one.reason));
        say(format_args!("skipped {entry}: {reason}"));
    }
    if passed.unnamed() > 0 {
        output.note(format_args!(
            "… and {} more skipped",
            number(passed.unnamed())
        ));
    }
    say_each(passed.first.iter().filter_map(|one| one.next_step));
}

/// The same for a command whose answer has no place for them: then a program reads them on standard error.
pub(crate) fn tell_beside(passed: &Skipped, output: &Output) {
    tell(passed, output);
    if output.is_json() && !passed.is_empty() {
        let mut beside = json!({});
        describe(passed, &mut beside);
        say_json(&beside);
    }
}

/// Adds them to the answer of `--json`.
pub(crate) fn describe(passed: &Skipped, answer: &mut Value) {
    if !passed.is_empty() {
        answer["skipped"] = worded(passed);
    }
}

/// How a command ends that did everything but what it skipped.
pub(crate) fn outcome(passed: &Skipped) -> Result<(), Failure> {
    if passed.is_empty() {
        Ok(())
    } else {
        Err(Failure::Incomplete)
    }
}
