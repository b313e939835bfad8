//! Shortens foreign values in our messages, so that they remain identifiable.

use std::borrow::Cow;

/// Maximum characters of a value in a message.
pub const MAX_VALUE_CHARS: usize = 200;

/// The beginning of a value, for a message about it; `…` marks truncation.
///
/// ```
/// use anamne_text::echo::shorten;
///
/// assert_eq!(shorten("lighthouse"), "lighthouse");
/// assert_eq!(shorten(&"x".repeat(1_000)).chars().count(), 201);
/// ```
pub fn shorten(value: &str) -> Cow<'_, str> {
    match value.char_indices().nth(MAX_VALUE_CHARS) {
        Some((end, _)) => Cow::Owned(format!("{}…", &value[..end])),
        None => Cow::Borrowed(value),
    }
}

/// The message with at most [`MAX_VALUE_CHARS`] characters of each value in it; `…` marks truncation.
///
/// A value is the text between two equal quotation marks (`"` or a backtick) on one line, a run without white space, or
/// the part of a file that a parser shows after `|`. Other words are unchanged. O(length).
pub fn shorten_values(message: &str) -> Cow<'_, str> {
    if message.chars().nth(MAX_VALUE_CHARS).is_none() {
        return Cow::Borrowed(message);
    }
    let mut shortened = String::with_capacity(message.len().min(4_096));
    for line in message.split_inclusive('\n') {
        push_line(&mut shortened, line);
    }
    Cow::Owned(shortened)
}

fn push_line(shortened: &mut String, line: &str) {
    let shown = line
        .trim_start_matches(|character: char| character == ' ' || character.is_ascii_digit())
        .starts_with('|');
    if shown {
        push_cut(shortened, line.trim_end_matches('\n'));
        shortened.push_str(if line.ends_with('\n') { "\n" } else { "" });
        return;
    }
    let mut rest = line;
    // If no closing mark follows, none is searched for again, which keeps this linear.
    let mut unpaired: [bool; 2] = [false; 2];
    while let Some(first) = rest.chars().next() {
        let mark = ['"', '`'].iter().position(|&mark| mark == first);
        let quoted = mark.filter(|&mark| !unpaired[mark]).and_then(|mark| {
            let end = closing(&rest[1..], first);
            unpaired[mark] = end.is_none();
            end
        });
        if let Some(end) = quoted {
            shortened.push(first);
            push_cut(shortened, &rest[1..=end]);
            shortened.push(first);
            rest = &rest[end + 2..];
            continue;
        }
        let after = first.len_utf8();
        let is_end = |character: char| character.is_whitespace() || matches!(character, '"' | '`');
        let end = if is_end(first) {
            after
        } else {
            rest.find(is_end).unwrap_or(rest.len())
        };
        push_cut(shortened, &rest[..end]);
        rest = &rest[end..];
    }
}

/// The end of the quotation that started before `text`; a mark after a backslash is part of it.
fn closing(text: &str, mark: char) -> Option<usize> {
    let mut is_escaped = false;
    text.char_indices()
        .find(|&(_, character)| {
            let found = character == mark && !is_escaped;
            is_escaped = character == '\\' && !is_escaped;
            found
        })
        .map(|(place, _)| place)
}

fn push_cut(shortened: &mut String, value: &str) {
    shortened.push_str(&shorten(value));
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_value_is_shortened_to_its_beginning() {
        let long = "x".repeat(10_000);
        let spaced = "word ".repeat(2_000);
        let short = "x".repeat(MAX_VALUE_CHARS);
        for (message, expected) in [
            (long.clone(), format!("{short}…")),
            (
                format!("unknown field `{long}`, expected `name`"),
                format!("unknown field `{short}…`, expected `name`"),
            ),
            (
                format!("invalid type: string \"{spaced}\", expected u8"),
                format!("invalid type: string \"{}…\", expected u8", &spaced[..200]),
            ),
            (
                format!("at line 1\n  |\n1 | {spaced}\n  | ^\nwrong"),
                format!("at line 1\n  |\n1 | {}…\n  | ^\nwrong", &spaced[..196]),
            ),
            (
                format!("\"{}\"", "\\\"".repeat(500)),
                format!("\"{}…\"", "\\\"".repeat(100)),
            ),
            (format!("no end: \"{long}"), format!("no end: \"{short}…")),
        ] {
            assert_eq!(shorten_values(&message), expected);
        }
    }

    #[test]
    fn words_of_ours_stay_however_many_they_are() {
        let message = "the disk is full; free some space and try again, ".repeat(20);
        assert_eq!(shorten_values(&message), message);
    }
}
