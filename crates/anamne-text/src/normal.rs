//! The normal form for duplicate detection.

use unicode_normalization::{IsNormalized, UnicodeNormalization, is_nfc_quick};

use crate::quote::is_line_break;

/// Normalises a text for the detection of duplicates.
///
/// Canonical composition (NFC); every run of white space becomes one line feed if it contains a line break, else one
/// space; leading and trailing white space is removed. Case, punctuation and compatibility forms are kept. Idempotent,
/// and linear in the text.
///
/// ```
/// assert_eq!(anamne_text::normal::normalise("  a\r\n\r\n b\t c "), "a\nb c");
/// ```
pub fn normalise(text: &str) -> String {
    if is_normal(text) {
        return text.to_owned();
    }
    collapse(&text.nfc().collect::<String>())
}

/// The first 16 bytes of the BLAKE3 hash of a text's normal form.
///
/// Allocates nothing if the text is in normal form.
pub fn content_hash(text: &str) -> [u8; 16] {
    let hash = if is_normal(text) {
        blake3::hash(text.as_bytes())
    } else {
        blake3::hash(normalise(text).as_bytes())
    };
    let mut first = [0; 16];
    first.copy_from_slice(&hash.as_bytes()[..16]);
    first
}

fn collapse(text: &str) -> String {
    let mut normal = String::with_capacity(text.len());
    let mut gap = None;
    for character in text.chars() {
        if character.is_whitespace() {
            let broken = gap == Some('\n') || is_line_break(character);
            gap = Some(if broken { '\n' } else { ' ' });
            continue;
        }
        if let Some(gap) = gap.take()
            && !normal.is_empty()
        {
            normal.push(gap);
        }
        normal.push(character);
    }
    normal
}

/// Whether a text is certainly in normal form; may be false for a normal text.
fn is_normal(text: &str) -> bool {
    has_normal_space(text) && (text.is_ascii() || is_nfc_quick(text.chars()) == IsNormalized::Yes)
}

fn has_normal_space(text: &str) -> bool {
    let mut after_space = true;
    for character in text.chars() {
        let space = character.is_whitespace();
        if space && (after_space || !matches!(character, ' ' | '\n')) {
            return false;
        }
        after_space = space;
    }
    text.is_empty() || !after_space
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn check(input: &str, expected: &str) {
        assert_eq!(normalise(input), expected, "{input:?}");
        assert_eq!(content_hash(input), content_hash(expected), "{input:?}");
    }

    #[test]
    fn texts_that_differ_only_in_spacing_and_composition_are_the_same() {
        check("", "");
        check(" \n\t ", "");
        check("as it is", "as it is");
        check("one\r\ntwo\rthree", "one\ntwo\nthree");
        check("a \u{a0}\u{2003} b", "a b");
        check("a  \n  \n b", "a\nb");
        check("cafe\u{301}", "café");
        check("Ünicode\u{2028}line", "Ünicode\nline");
    }

    #[test]
    fn case_and_punctuation_keep_texts_apart() {
        assert_ne!(content_hash("Bonn"), content_hash("bonn"));
        assert_ne!(content_hash("yes."), content_hash("yes"));
        assert_ne!(content_hash("ﬁ"), content_hash("fi"));
    }

    #[test]
    fn the_hash_of_a_text_never_changes() {
        let hash = content_hash("abc");
        assert_eq!(hash[..4], [0x64, 0x37, 0xb3, 0xac]);
    }

    proptest! {
        #[test]
        fn normalising_is_idempotent(text in any::<String>()) {
            let normal = normalise(&text);
            prop_assert_eq!(normalise(&normal), normal.clone());
            prop_assert_eq!(collapse(&normal.nfc().collect::<String>()), normal);
        }

        #[test]
        fn the_short_cut_and_the_long_way_agree(text in "[ab \\n\\t\u{e9}\u{301}e]{0,12}") {
            prop_assert_eq!(normalise(&text), collapse(&text.nfc().collect::<String>()));
        }
    }
}
