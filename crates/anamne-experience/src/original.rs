//! Calls as they were recorded.

use anamne_types::{ActionOutcome, Body, Experience, Memory};

/// Maximum length of a call, in bytes.
const MOST_BYTES: usize = 1_024;

/// A call as it was recorded: the action, and its arguments or target. `step` is the number of the tool call of an episode.
/// `None` if the memory has no such call. Of a long call only the beginning.
pub fn call(memory: &Memory, step: usize) -> Option<String> {
    let (action, object) = match &memory.body {
        Body::Experience { experience } => match &**experience {
            Experience::Outcome(outcome) => (outcome.action.as_str(), object_of(outcome)),
            _ => return None,
        },
        Body::Episode { tool_log, .. } => {
            let call = tool_log.get(step)?;
            (call.tool.as_str(), call.input.as_str())
        }
        Body::Message { .. } => {
            let call = memory.told_call()?;
            return Some(written(&call.tool, &call.input));
        }
        _ => return None,
    };
    Some(written(action, object))
}

fn written(action: &str, object: &str) -> String {
    let call = format!("{} {}", shortened(action), shortened(object));
    shortened(call.trim()).to_owned()
}

/// The error of a call as it was recorded: its beginning. `None` if it has none; see [`call`].
pub fn error(memory: &Memory, step: usize) -> Option<String> {
    let told;
    let error = match &memory.body {
        Body::Experience { experience } => match &**experience {
            Experience::Outcome(outcome) => outcome.error.as_str(),
            _ => return None,
        },
        Body::Episode { tool_log, .. } => tool_log.get(step)?.output.as_str(),
        Body::Message { .. } => {
            told = memory.told_call()?;
            told.output.as_str()
        }
        _ => return None,
    };
    let error = shortened(error.trim());
    (!error.is_empty()).then(|| error.to_owned())
}

/// What an action was done with: its arguments, else its target.
pub(crate) fn object_of(outcome: &ActionOutcome) -> &str {
    match outcome.arguments.as_str() {
        "" => &outcome.target,
        arguments => arguments,
    }
}

fn shortened(text: &str) -> &str {
    &text[..text.floor_char_boundary(MOST_BYTES)]
}
