//! Shared code of the commands that add assertions.

use anamne::{Assertion, Remembered};
use serde_json::json;

use crate::commands::guard;
use crate::failure::Failure;
use crate::output::{CYAN, Output, paint};
use crate::reached::Reached;
use crate::wording::one_line;

/// How long something told by hand counts.
#[derive(Debug, clap::Args)]
pub(super) struct Counting {
    /// Valid until, for what is true only for now: 30d, "in 2 weeks", 2031-12-31
    #[arg(long, value_name = "TIME")]
    expires: Option<String>,
}

impl Counting {
    /// Parses the end of validity, before anything is opened.
    pub(super) fn read(&self, output: &Output) -> Result<Option<jiff::Timestamp>, Failure> {
        output.dates.future_time("expires", self.expires.as_deref())
    }
}

/// Stores an assertion, and prints how to undo it.
pub(super) fn tell(
    space: &Reached,
    assertion: &Assertion,
    expires: Option<jiff::Timestamp>,
    output: &mut Output,
) -> Result<(), Failure> {
    let stored = space.assert(assertion, expires)?;
    print(space, assertion, &stored, output)?;
    space.settle(output)
}

fn print(
    space: &Reached,
    assertion: &Assertion,
    stored: &Remembered,
    output: &mut Output,
) -> Result<(), Failure> {
    let memory = space.read(stored.id)?;
    let citation = memory.citation();
    if output.is_json() {
        let mut answer = json!({
            "id": stored.id,
            "citation": citation,
            "seq": stored.seq,
            "space": stored.space,
            "duplicate": stored.duplicate,
            // As it is stored: the guard may have redacted a value.
            "knowledge": Assertion::of(&memory).as_ref().unwrap_or(assertion),
        });
        if !stored.guard.is_empty() {
            answer["guard"] = json!(stored.guard);
        }
        return output.json(&answer);
    }
    output.line(format_args!(
        "{}  {}",
        paint(CYAN, &citation),
        one_line(&memory.content)
    ))?;
    output.flush()?;
    let what = if stored.duplicate {
        "already stored"
    } else {
        "stored"
    };
    let until = memory.expires_at.map_or_else(String::new, |end| {
        format!(", until {}", output.dates.absolute(end))
    });
    output.note(format_args!(
        "{what} in the space {}{until}; undo with `anamne forget {citation}`",
        stored.space
    ));
    guard::print_notes(&stored.guard, output);
    Ok(())
}
