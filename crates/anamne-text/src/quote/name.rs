//! Names inside our lines.

use std::fmt::Write;

use super::invisible::shows;
use super::is_line_break;

/// Maximum length of a name returned by [`quote_name`], in characters, without the ellipsis.
pub const MAX_NAME_CHARS: usize = 60;

/// Replaces an empty name.
const NAMELESS: &str = "unnamed";

/// A name inside one of our lines: one line of at most [`MAX_NAME_CHARS`] characters and an ellipsis.
///
/// Brackets, commas, quotation marks and backticks of any script become spaces, because they structure our lines, and
/// runs of spaces become one. A leading `#` is removed. Invisible characters are escaped without braces: `\u202E`.
/// Never empty.
pub fn quote_name(name: &str) -> String {
    let mut line = String::new();
    let mut length = 0;
    let mut is_apart = false;
    let mut previous = None;
    let mut characters = name.chars().peekable();
    while let Some(character) = characters.next() {
        let is_shown = shows(character, previous, characters.peek().copied());
        previous = Some(character);
        if is_dropped(character) || (line.is_empty() && character == '#') {
            is_apart = !line.is_empty();
            continue;
        }
        let before = line.len();
        if std::mem::take(&mut is_apart) {
            line.push(' ');
        }
        if is_shown {
            line.push(character);
        } else {
            let _ = write!(line, "\\u{:04X}", u32::from(character));
        }
        length += line[before..].chars().count();
        if length > MAX_NAME_CHARS {
            line.truncate(before);
            line.push('…');
            return line;
        }
    }
    if line.is_empty() {
        NAMELESS.clone_into(&mut line);
    }
    line
}

/// Whether a character is replaced by a space: line breaks, and characters that structure our lines.
fn is_dropped(character: char) -> bool {
    match character {
        '(' | ')' | '[' | ']' | '{' | '}' | '<' | '>' | ',' | '"' | '`' => true,
        character if character.is_ascii() => {
            character == '\t' || is_line_break(character) || character == ' '
        }
        character => character.is_whitespace() || is_structural(u32::from(character)),
    }
}

/// Brackets, commas, quotation marks and backticks beyond ASCII; the apostrophe is a letter in many names.
fn is_structural(code: u32) -> bool {
    matches!(
        code,
        // Of individual scripts: Latin, Armenian, Arabic, N'Ko, Tibetan, Ethiopic, Ogham, Mongolian, Lisu, Vai, Bamum.
        0xab | 0xbb | 0x55d | 0x60c | 0x7f8 | 0xf3a..=0xf3d | 0x1363 | 0x169b | 0x169c | 0x1802 | 0x1808
            | 0xa4fe | 0xa60d | 0xa6f5 | 0xfd3e | 0xfd3f
            // General punctuation, superscript and subscript brackets.
            | 0x2018 | 0x201a..=0x201f | 0x2039 | 0x203a | 0x2045 | 0x2046 | 0x207d | 0x207e | 0x208d | 0x208e
            // Technical, ornamental and mathematical brackets and quotation marks.
            | 0x2308..=0x230b | 0x2329 | 0x232a | 0x275b..=0x2760 | 0x2768..=0x2775 | 0x27c5 | 0x27c6
            | 0x27e6..=0x27ef | 0x2983..=0x2998 | 0x29d8..=0x29db | 0x29fc | 0x29fd | 0x1f676..=0x1f678
            // Supplemental punctuation.
            | 0x2e00..=0x2e0d | 0x2e1c | 0x2e1d | 0x2e20..=0x2e29 | 0x2e32 | 0x2e34 | 0x2e41 | 0x2e42 | 0x2e49
            | 0x2e4c | 0x2e55..=0x2e5c
            // Ideographic ones, and their vertical, small, full-width and half-width forms.
            | 0x3001 | 0x3008..=0x3011 | 0x3014..=0x301b | 0x301d..=0x301f | 0xfe10 | 0xfe11 | 0xfe17 | 0xfe18
            | 0xfe35..=0xfe44 | 0xfe47 | 0xfe48 | 0xfe50 | 0xfe51 | 0xfe59..=0xfe5e | 0xfe64 | 0xfe65 | 0xff02
            | 0xff08 | 0xff09 | 0xff0c | 0xff1c | 0xff1e | 0xff3b | 0xff3d | 0xff40 | 0xff5b | 0xff5d
            | 0xff5f | 0xff60 | 0xff62..=0xff64
    )
}
