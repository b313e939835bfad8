//! Bounds on texts of transcripts.

use std::fmt::Write as _;

/// The longest text of a turn, in bytes.
pub(super) const MAX_TURN_BYTES: usize = 100_000;

/// The longest error in a tool's line, in characters.
pub(super) const MAX_ERROR_CHARACTERS: usize = 200;

/// A turn's text, cut at [`MAX_TURN_BYTES`] on a character border with a note that says so. O(result).
pub(super) fn capped(text: &str) -> String {
    if text.len() <= MAX_TURN_BYTES {
        return text.to_owned();
    }
    let end = text.floor_char_boundary(MAX_TURN_BYTES);
    let mut kept = text[..end].to_owned();
    // Writing to a string can't fail.
    let _ = write!(kept, "\n[{} more bytes left out]", text.len() - end);
    kept
}

/// The first line that isn't blank, at most `characters` long, with each control character as a space. O(that line and
/// the blank ones before it).
pub(super) fn first_line(text: &str, characters: usize) -> String {
    let text = text.trim_start();
    let line = text.lines().next().unwrap_or_default();
    let mut kept: String = line.chars().take(characters).map(printable).collect();
    kept.truncate(kept.trim_end().len());
    if line.trim_end().chars().nth(characters).is_some() {
        kept.push('…');
    }
    kept
}

fn printable(character: char) -> char {
    if character.is_control() {
        ' '
    } else {
        character
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_turn_is_cut_on_a_character_border_with_a_note() {
        assert_eq!(capped("short"), "short");
        let text = "é".repeat(MAX_TURN_BYTES);
        let kept = capped(&format!("a{text}"));
        assert!(
            kept.ends_with("\n[100002 more bytes left out]"),
            "{}",
            &kept[kept.len() - 40..]
        );
        assert!(kept.len() < MAX_TURN_BYTES + 50);
    }

    #[test]
    fn the_first_line_has_no_control_characters() {
        assert_eq!(first_line("\n\n  a\tb \r\nc", 200), "a b");
        assert_eq!(first_line("a\u{1b}[31mred", 200), "a [31mred");
        assert_eq!(first_line("éééé", 2), "éé…");
        assert_eq!(first_line("", 2), "");
    }
}
