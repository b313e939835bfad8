//! Formats text and numbers for a terminal.

use std::borrow::Cow;
use std::path::Path;

use anamne::text::quote::{escape_invisible, on_one_line};
use textwrap::{Options, WordSeparator, WordSplitter, WrapAlgorithm};

use crate::style::paint;

/// Maximum characters of a name in an error.
const LONGEST_NAME: usize = 200;

/// The text with control and invisible characters as escapes such as `\u{1B}`.
pub(crate) fn visible(text: &str) -> Cow<'_, str> {
    match escape_invisible(text) {
        shown if shown.contains('\t') => Cow::Owned(shown.replace('\t', "    ")),
        shown => shown,
    }
}

/// The text on one line.
pub(crate) fn one_line(text: &str) -> String {
    on_one_line(text)
}

/// A foreign name, path or other value for a message: on one line and of limited length.
pub(crate) fn named(text: &str) -> String {
    // Avoids processing text far beyond the limit.
    let begin: String = text.chars().take(2 * LONGEST_NAME).collect();
    at_most_characters(&one_line(&begin), LONGEST_NAME)
}

/// A file path for a message.
pub(crate) fn file_name(path: impl AsRef<Path>) -> String {
    named(&path.as_ref().to_string_lossy())
}

/// At most `most` characters of the text; `…` marks a cut.
pub(crate) fn at_most_characters(text: &str, most: usize) -> String {
    match text.char_indices().nth(most) {
        Some((end, _)) => format!("{}…", &text[..end]),
        None => text.to_owned(),
    }
}

/// The text in lines of at most `width` columns.
pub(crate) fn wrapped(text: &str, width: usize) -> Vec<String> {
    let options = Options::new(width.max(10))
        .word_separator(WordSeparator::AsciiSpace)
        .word_splitter(WordSplitter::NoHyphenation)
        .wrap_algorithm(WrapAlgorithm::FirstFit);
    textwrap::wrap(&visible(text), options)
        .into_iter()
        .map(Cow::into_owned)
        .collect()
}

/// At most `most` lines; the last one is marked if there are more.
pub(crate) fn at_most(mut lines: Vec<String>, most: usize, width: usize) -> Vec<String> {
    if lines.len() > most {
        lines.truncate(most);
        if let Some(last) = lines.last_mut() {
            make_room(last, width.saturating_sub(2));
            last.push_str(" …");
        }
    }
    lines
}

/// Shortens a line to `width` columns, at a word end if possible.
fn make_room(line: &mut String, width: usize) {
    let whole = line.len();
    while textwrap::core::display_width(line) > width && line.pop().is_some() {}
    if line.len() < whole
        && let Some(space) = line.rfind(' ')
    {
        line.truncate(space);
    }
}

/// `12,345`.
pub(crate) fn number(value: u64) -> String {
    let digits = value.to_string();
    let mut written = String::new();
    for (place, digit) in digits.chars().enumerate() {
        if place > 0 && (digits.len() - place).is_multiple_of(3) {
            written.push(',');
        }
        written.push(digit);
    }
    written
}

/// `1.4 MiB`.
pub(crate) fn size(bytes: u64) -> String {
    const UNITS: [&str; 4] = ["KiB", "MiB", "GiB", "TiB"];
    if bytes < 1_024 {
        return format!("{bytes} B");
    }
    let mut value = bytes as f64 / 1_024.0;
    let mut unit = 0;
    while value >= 1_024.0 && unit + 1 < UNITS.len() {
        value /= 1_024.0;
        unit += 1;
    }
    format!("{value:.1} {}", UNITS[unit])
}

/// `92 %`.
pub(crate) fn percent(share: f32) -> String {
    format!("{:.0} %", share * 100.0)
}

/// `0.41 ms`, `12 ms`, `1.3 s`.
pub(crate) fn duration(milliseconds: f64) -> String {
    if milliseconds < 10.0 {
        format!("{milliseconds:.2} ms")
    } else if milliseconds < 1_000.0 {
        format!("{milliseconds:.0} ms")
    } else {
        format!("{:.1} s", milliseconds / 1_000.0)
    }
}

/// Styles the words of `line` that `is_marked` accepts (called with the word in lower case).
pub(crate) fn marked(line: &str, is_marked: impl Fn(&str) -> bool, mark: anstyle::Style) -> String {
    let mut shown = String::with_capacity(line.len());
    let mut rest = line;
    while !rest.is_empty() {
        let is_word = rest.starts_with(char::is_alphanumeric);
        let end = rest
            .find(|character: char| character.is_alphanumeric() != is_word)
            .unwrap_or(rest.len());
        let (run, after) = rest.split_at(end);
        if is_word && is_marked(&run.to_lowercase()) {
            shown.push_str(&paint(mark, run));
        } else {
            shown.push_str(run);
        }
        rest = after;
    }
    shown
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn terminal_commands_become_visible() {
        assert_eq!(
            visible("a\x1b[31mb\r\nc\td\u{9b}"),
            "a\\u{1B}[31mb\nc    d\\u{9B}"
        );
        assert!(matches!(visible("plain\ntext"), Cow::Borrowed(_)));
    }

    #[test]
    fn lines_keep_to_the_width_in_any_script() {
        for text in [
            "one two three four five",
            "巣箱の重さが表示された原因は何でしたか",
            "x".repeat(50).as_str(),
        ] {
            for line in wrapped(text, 12) {
                assert!(textwrap::core::display_width(&line) <= 12, "{line:?}");
            }
        }
        let short = at_most(wrapped("one two three four five six", 10), 2, 10);
        assert_eq!(short, ["one two", "three …"]);
    }

    #[test]
    fn numbers_are_easy_to_read() {
        assert_eq!(
            [number(7), number(1_234), number(1_234_567)],
            ["7", "1,234", "1,234,567"]
        );
        assert_eq!(
            [size(17), size(1_536), size(3 << 20)],
            ["17 B", "1.5 KiB", "3.0 MiB"]
        );
        assert_eq!(
            [duration(0.413), duration(41.3), duration(1_300.0)],
            ["0.41 ms", "41 ms", "1.3 s"]
        );
    }
}
