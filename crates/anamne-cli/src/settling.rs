//! Updates views before a command ends.

use std::time::{Duration, Instant};

use anamne::Space;

use crate::failure::Failure;
use crate::output::Output;

/// Folding that takes longer prints a note.
const LONG: Duration = Duration::from_secs(1);

/// Flushes the answer, then folds long tails and rebuilds damaged views, if there are any.
///
/// By then the answer is printed and all writes are durable, so a failure only causes a warning.
pub(crate) fn settle(space: &Space, output: &mut Output) -> Result<(), Failure> {
    output.flush()?;
    let started = Instant::now();
    let mut said = false;
    let mut watch = |view: &'static str, _| {
        if !said && started.elapsed() > LONG {
            said = true;
            output.note(format_args!("updating the {view} index …"));
        }
    };
    let settled = match space.is_unsettled() {
        Ok(true) => space.settle(&mut watch),
        Ok(false) => Ok(()),
        Err(error) => Err(error),
    };
    if let Err(error) = settled {
        output.warn(format_args!(
            "indexes not updated: {error}; the next command tries again"
        ));
    }
    Ok(())
}
