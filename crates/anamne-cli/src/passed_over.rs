//! What a command over many entries passed over, as a person and a program are told of it.

use anamne::PassedOver;
use serde_json::{Value, json};

use crate::failure::Failure;
use crate::output::{Output, say, say_json};
use crate::wording::{named, number};

/// Names the entries that were passed over with the reason of each, and counts those that are too many to be named. With `--json`
/// the answer has them.
pub(crate) fn tell(passed: &PassedOver, output: &Output) {
    if output.is_json() {
        return;
    }
    for one in &passed.first {
        let (entry, reason) = (named(&one.entry), named(&one.reason));
        say(format_args!("passed over {entry}: {reason}"));
    }
    if passed.unnamed() > 0 {
        output.note(format_args!(
            "… and {} more passed over",
            number(passed.unnamed())
        ));
    }
}

/// The same for a command whose answer has no place for them: then a program reads them on standard error.
pub(crate) fn tell_beside(passed: &PassedOver, output: &Output) {
    tell(passed, output);
    if output.is_json() && !passed.is_empty() {
        say_json(&json!({ "passed_over": passed }));
    }
}

/// Adds them to the answer of `--json`.
pub(crate) fn describe(passed: &PassedOver, answer: &mut Value) {
    if !passed.is_empty() {
        answer["passed_over"] = json!(passed);
    }
}

/// How a command ends that did everything but what it passed over.
pub(crate) fn outcome(passed: &PassedOver) -> Result<(), Failure> {
    if passed.is_empty() {
        Ok(())
    } else {
        Err(Failure::Incomplete)
    }
}
