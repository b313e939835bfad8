//! What a command does for the views before it ends.

use std::time::{Duration, Instant};

use anamne::Space;

use crate::failure::Failure;
use crate::output::Output;

/// Folding that takes longer than this is worth a word.
const LONG: Duration = Duration::from_secs(1);

/// Hands the answer over, and then folds long tails and rebuilds broken views if there are any.
///
/// The answer is given and what was written is durable by then, so trouble with a view is only warned of.
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
