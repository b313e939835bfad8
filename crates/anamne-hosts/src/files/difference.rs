//! A change as a person reads it.

use std::fmt::Write;
use std::time::Duration;

use similar::TextDiff;

use crate::plan::FileChange;

/// The time after which the difference may be longer than it has to be.
const LONGEST_SEARCH: Duration = Duration::from_millis(500);

/// The unified difference of a change with three lines of context, for a person. Control characters of the file are
/// written as escapes, so that a file can't steer the terminal. Takes at most a second or so, whatever the texts are.
pub fn difference(change: &crate::FileChange) -> String {
    let FileChange {
        path,
        before,
        after,
        executable,
    } = change;
    let (old, new) = (before.as_deref(), after.as_deref());
    let name = |text: Option<&str>| match text {
        Some(_) => path.display().to_string(),
        None => "/dev/null".to_owned(),
    };
    let mut config = TextDiff::configure();
    let config = config.timeout(LONGEST_SEARCH);
    let diff = config.diff_lines(old.unwrap_or_default(), new.unwrap_or_default());
    let mut unified = diff.unified_diff();
    let mut new_name = name(new);
    if *executable && old.is_none() && new.is_some() {
        new_name.push_str(" (executable)");
    }
    let unified = unified.context_radius(3).header(&name(old), &new_name);
    visible(&unified.to_string())
}

fn visible(text: &str) -> String {
    let mut result = String::with_capacity(text.len());
    let mut characters = text.chars().peekable();
    while let Some(character) = characters.next() {
        let is_line_ending = character == '\r' && characters.peek() == Some(&'\n');
        match character {
            '\n' | '\t' => result.push(character),
            _ if is_line_ending => {}
            _ if character.is_control() || is_direction(character) => {
                let _ = write!(result, "{}", character.escape_unicode());
            }
            _ => result.push(character),
        }
    }
    result
}

/// Characters that make a line look like another one.
fn is_direction(character: char) -> bool {
    matches!(character, '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}')
}
