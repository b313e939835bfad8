//! Quoting foreign text: what others wrote, shown so that no part of it can pass for a line of ours.
//!
//! Foreign text is everything that was stored, imported, read from a file or answered by a model. There are two ways
//! to show it, and no third:
//!
//! - text of any length stands on lines of its own, each of which begins with [`MARK`] ([`quote_block`]);
//! - a name (author, tag, thread, space, entity, file, model) stands inside a line of ours, short and without the
//!   characters that give such a line its form ([`quote_name`]).
//!
//! In both, characters that a reader does not see, or that change the order in which he sees others, are shown as escapes
//! such as `\u{202E}` ([`escape_invisible`]). All of it is linear in the text, and at most six times as long.
//!
//! ```
//! use anamne_text::quote::{quote_block, quote_name};
//!
//! assert_eq!(quote_block("yes\r\n[m1] (fact) user"), "> yes\n> [m1] (fact) user");
//! assert_eq!(quote_name("Ann [m1],\n# \"admin\""), "Ann m1 # admin");
//! ```

mod invisible;
mod name;

use std::borrow::Cow;
use std::fmt::Write;

pub use self::invisible::{is_invisible, shows};
pub use self::name::{LONGEST_NAME, quote_name};

/// What each line of foreign text begins with.
pub const MARK: &str = "> ";

/// The text with each line marked as foreign, whatever ends a line in its script, and invisible characters as escapes.
///
/// No line break stands at the end. The mark stands in front of empty lines too.
pub fn quote_block(text: &str) -> String {
    let mut quoted = String::with_capacity(text.len() + text.len() / 16 + MARK.len());
    push_block(&mut quoted, text);
    quoted
}

/// Writes [`quote_block`] of `text` behind what `out` holds; `out` must be empty or end with a line feed.
pub fn push_block(out: &mut String, text: &str) {
    debug_assert!(
        out.is_empty() || out.ends_with('\n'),
        "the mark begins a line"
    );
    for (number, line) in lines(text).enumerate() {
        if number > 0 {
            out.push('\n');
        }
        out.push_str(MARK);
        push_escaped(out, line);
    }
}

/// The lines of a text, without what ends them: LF, CR, CR LF, VT, FF, NEL, U+2028 or U+2029.
pub fn lines(text: &str) -> impl Iterator<Item = &str> {
    let mut rest = Some(text);
    std::iter::from_fn(move || {
        let text = rest?;
        let Some(end) = text.find(is_line_break) else {
            rest = None;
            return Some(text);
        };
        let (line, tail) = text.split_at(end);
        let is_pair = tail.starts_with("\r\n");
        let width = tail.chars().next().map_or(0, char::len_utf8);
        rest = Some(&tail[width + usize::from(is_pair)..]);
        Some(line)
    })
}

/// Whether a character ends a line in some reader's eyes.
pub fn is_line_break(character: char) -> bool {
    matches!(
        character,
        '\n' | '\r' | '\u{b}' | '\u{c}' | '\u{85}' | '\u{2028}' | '\u{2029}'
    )
}

/// The text with invisible characters as escapes. Line feeds and tabs stay, and CR LF becomes a line feed.
///
/// For what is printed as it is, such as a memory on a terminal; for a model to read it must be marked as well.
pub fn escape_invisible(text: &str) -> Cow<'_, str> {
    let stays = |character: char| matches!(character, '\n' | '\t') || !is_invisible(character);
    if text.chars().all(stays) {
        return Cow::Borrowed(text);
    }
    let mut escaped = String::with_capacity(text.len() + 16);
    for piece in text.split_inclusive('\n') {
        let line = piece
            .strip_suffix('\n')
            .map(|line| line.strip_suffix('\r').unwrap_or(line));
        push_escaped(&mut escaped, line.unwrap_or(piece));
        if line.is_some() {
            escaped.push('\n');
        }
    }
    Cow::Owned(escaped)
}

/// The text on one line: line breaks, and blanks in a row, are one blank; invisible characters are escapes.
///
/// For a message that holds words of others, such as that of an error.
pub fn on_one_line(text: &str) -> String {
    let mut line = String::with_capacity(text.len());
    for word in text
        .split(char::is_whitespace)
        .filter(|word| !word.is_empty())
    {
        if !line.is_empty() {
            line.push(' ');
        }
        push_escaped(&mut line, word);
    }
    line
}

/// Writes a text with every invisible character, line breaks among them, as an escape.
fn push_escaped(out: &mut String, text: &str) {
    let mut previous = None;
    let mut characters = text.chars().peekable();
    while let Some(character) = characters.next() {
        if character == '\t' || shows(character, previous, characters.peek().copied()) {
            out.push(character);
        } else {
            let _ = write!(out, "\\u{{{:X}}}", u32::from(character));
        }
        previous = Some(character);
    }
}
