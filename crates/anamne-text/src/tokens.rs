//! Estimates the number of tokens of a text for a language model.

/// Costs are in eighths of a token.
const TOKEN: usize = 8;

/// Estimates how many tokens a text costs a language model, with a bias to the high side.
///
/// The text is split into pieces, each with a price slightly above the average of byte-pair vocabularies of 100 000 to
/// 200 000 entries:
///
/// | piece | tokens |
/// |---|---|
/// | a word of ASCII letters (a change of case starts a new one) | 9/8, plus 1/8 per letter from the 6th, 3/8 from the 13th |
/// | the same in all capitals, two letters or more | 1/2 per letter |
/// | a letter outside ASCII: Latin, Greek, Cyrillic | plus 3/8 |
/// | letters of other alphabets | 7/8 each |
/// | ideographs, kana, Hangul | 9/8 each |
/// | digits | 1 per two |
/// | ASCII punctuation | 7/8 each; repeated, 1/4 |
/// | punctuation of other scripts | 1 each |
/// | one space between words | 0 |
/// | longer white space, or a line break | 1, plus 1/16 per character |
/// | everything else, emoji first | 5/2 each |
///
/// About 1.3 tokens per word of English prose. Linear; allocates nothing.
pub fn estimate_tokens(text: &str) -> usize {
    Pieces { text, at: 0 }
        .map(|piece| piece.cost)
        .sum::<usize>()
        .div_ceil(TOKEN)
}

/// The longest prefix of a text that [`estimate_tokens`] puts within the budget.
///
/// Cut at the end of a word or after an ideograph; inside a word only if there is no earlier boundary. Trailing white
/// space is removed. Linear.
pub fn truncate_to_tokens(text: &str, budget: usize) -> &str {
    let room = budget.saturating_mul(TOKEN);
    let (mut spent, mut word_border, mut piece_border) = (0, 0, 0);
    for piece in (Pieces { text, at: 0 }) {
        spent += piece.cost;
        if spent > room {
            let border = if word_border > 0 {
                word_border
            } else {
                piece_border
            };
            return if border > 0 {
                text[..border].trim_end()
            } else {
                truncate_piece(text, piece.end, budget)
            };
        }
        piece_border = piece.end;
        if piece.ends_word || text[piece.end..].starts_with(char::is_whitespace) {
            word_border = piece.end;
        }
    }
    text
}

/// Truncates the first piece of a text, which alone exceeds the budget.
fn truncate_piece(text: &str, end: usize, budget: usize) -> &str {
    let borders: Vec<usize> = text[..end].char_indices().map(|(at, _)| at).collect();
    let kept = borders.partition_point(|border| estimate_tokens(&text[..*border]) <= budget);
    text[..borders[kept.saturating_sub(1)]].trim_end()
}

struct Piece {
    end: usize,
    cost: usize,
    /// Whether the text may be cut here, whatever follows.
    ends_word: bool,
}

struct Pieces<'a> {
    text: &'a str,
    at: usize,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Class {
    Lower,
    Upper,
    /// Of ASCII, but no letter.
    Ascii,
    Alphabetic,
    Ideograph,
    WidePunctuation,
    Other,
}

fn class(character: char) -> Class {
    match character {
        'a'..='z' => Class::Lower,
        'A'..='Z' => Class::Upper,
        '\0'..='\u{7f}' => Class::Ascii,
        '\u{aa}'
        | '\u{ba}'
        | '\u{c0}'..='\u{24f}'
        | '\u{300}'..='\u{52f}'
        | '\u{1e00}'..='\u{1fff}' => {
            if character.is_uppercase() {
                Class::Upper
            } else {
                Class::Lower
            }
        }
        '\u{1100}'..='\u{11ff}'
        | '\u{3040}'..='\u{318f}'
        | '\u{3400}'..='\u{9fff}'
        | '\u{ac00}'..='\u{d7ff}' => Class::Ideograph,
        '\u{a0}'..='\u{bf}'
        | '\u{2000}'..='\u{206f}'
        | '\u{3000}'..='\u{303f}'
        | '\u{ff00}'..='\u{ff65}' => Class::WidePunctuation,
        _ if character.is_alphabetic() && character < '\u{3000}' => Class::Alphabetic,
        _ => Class::Other,
    }
}

impl Iterator for Pieces<'_> {
    type Item = Piece;

    #[inline]
    fn next(&mut self) -> Option<Piece> {
        let rest = &self.text[self.at..];
        let first = *rest.as_bytes().first()?;
        let (length, cost, ends_word) = match first {
            b'a'..=b'z' | b'A'..=b'Z' => word(rest),
            b' ' | b'\t' | b'\n' | b'\r' => space(rest),
            b'0'..=b'9' => {
                let count = leading(rest.as_bytes(), u8::is_ascii_digit);
                (count, count.div_ceil(2) * TOKEN, false)
            }
            0..=0x7f => {
                let count = leading(rest.as_bytes(), |next| *next == first);
                (count, 5 + 2 * count, false)
            }
            _ => outside_ascii(rest),
        };
        self.at += length;
        Some(Piece {
            end: self.at,
            cost,
            ends_word,
        })
    }
}

/// The number of bytes at the beginning that fulfil a condition.
#[inline]
fn leading(bytes: &[u8], condition: impl Fn(&u8) -> bool) -> usize {
    let end = bytes.iter().position(|byte| !condition(byte));
    end.unwrap_or(bytes.len())
}

/// The piece at the beginning of a text that begins outside ASCII.
fn outside_ascii(rest: &str) -> (usize, usize, bool) {
    let first = rest.chars().next().unwrap_or_default();
    match class(first) {
        Class::Lower | Class::Upper => word_of_any_letters(rest),
        Class::Alphabetic => (first.len_utf8(), 7, false),
        Class::Ideograph => (first.len_utf8(), 9, true),
        Class::WidePunctuation => (first.len_utf8(), TOKEN, true),
        Class::Ascii | Class::Other => (first.len_utf8(), 20, true),
    }
}

#[inline]
fn space(rest: &str) -> (usize, usize, bool) {
    let bytes = leading(rest.as_bytes(), |byte| {
        matches!(byte, b' ' | b'\t' | b'\n' | b'\r')
    });
    let single = rest.starts_with(' ') && bytes == 1;
    (bytes, if single { 0 } else { TOKEN + bytes / 2 }, true)
}

/// The number of lower-case ASCII letters at the beginning. Eight bytes are compared at once, because a loop over the
/// letters ends where no processor predicts it.
#[inline]
fn leading_lower(bytes: &[u8]) -> usize {
    const EACH: u64 = 0x0101_0101_0101_0101;
    const HIGH: u64 = 0x80 * EACH;
    let mut letters = 0;
    while let Some(eight) = bytes.get(letters..).and_then(<[u8]>::first_chunk) {
        let eight = u64::from_le_bytes(*eight);
        let low = eight & !HIGH;
        // The highest bit of each byte tells whether it is at least `a`, and whether it is more than `z`.
        let from_a = low + u64::from(0x80 - b'a') * EACH;
        let after_z = low + u64::from(0x7f - b'z') * EACH;
        let others = !(from_a & !after_z & !eight) & HIGH;
        if others != 0 {
            return letters + others.trailing_zeros() as usize / 8;
        }
        letters += 8;
    }
    letters + leading(&bytes[letters..], u8::is_ascii_lowercase)
}

/// A word that begins with an ASCII letter: capitals, then other letters.
#[inline]
fn word(rest: &str) -> (usize, usize, bool) {
    let bytes = rest.as_bytes();
    let capitals = leading(bytes, u8::is_ascii_uppercase);
    let letters = capitals + leading_lower(&bytes[capitals..]);
    match bytes.get(letters) {
        Some(0x80..) => word_of_any_letters(rest),
        _ => (letters, cost_of_word(letters, capitals, 0), false),
    }
}

fn word_of_any_letters(rest: &str) -> (usize, usize, bool) {
    let (mut bytes, mut letters, mut capitals, mut outside_ascii) = (0, 0_usize, 0, 0);
    let mut previous = Class::Upper;
    for character in rest.chars() {
        let class = class(character);
        let goes_on = matches!(class, Class::Lower | Class::Upper);
        if !goes_on || (class == Class::Upper && previous == Class::Lower) {
            break;
        }
        bytes += character.len_utf8();
        letters += 1;
        capitals += usize::from(class == Class::Upper);
        outside_ascii += usize::from(!character.is_ascii());
        previous = class;
    }
    (bytes, cost_of_word(letters, capitals, outside_ascii), false)
}

#[inline]
fn cost_of_word(letters: usize, capitals: usize, outside_ascii: usize) -> usize {
    let long = letters.clamp(5, 12) - 5 + 3 * letters.saturating_sub(12);
    let in_capitals = if capitals > 1 {
        capitals * TOKEN / 2
    } else {
        0
    };
    (9 + long).max(in_capitals) + outside_ascii * 3
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn check(text: &str, low: usize, high: usize) {
        let estimate = estimate_tokens(text);
        assert!(
            (low..=high).contains(&estimate),
            "{estimate} tokens for {text:?}"
        );
    }

    #[test]
    fn estimates_are_a_little_on_the_high_side() {
        check("", 0, 0);
        check("hello", 1, 2);
        check("The quick brown fox jumps over the lazy dog.", 10, 13);
        check(
            "We decided to move the nightly backup to another machine, because the old one kept \
             running out of space whenever somebody started a large build.",
            26,
            36,
        );
        check("fn parse_header(line: &str) -> Option<Header> {", 14, 22);
        check("今日は天気がいいです", 10, 13);
        check("Мы решили перенести резервное копирование", 14, 24);
        check("1234567890", 4, 6);
        check("🎉🎉", 4, 6);
    }

    #[test]
    fn truncation_cuts_at_a_word_where_it_can() {
        let cut = |text, budget| truncate_to_tokens(text, budget);
        assert_eq!(cut("one two three", 100), "one two three");
        assert_eq!(cut("one two three", 3), "one two");
        assert_eq!(cut("one two", 0), "");
        assert_eq!(cut("今日は天気", 3), "今日");
        assert!(cut(&"x".repeat(1000), 10).len() > 10);
    }

    #[test]
    fn each_kind_of_piece_has_its_price() {
        let eighths = |text| {
            Pieces { text, at: 0 }
                .map(|piece| piece.cost)
                .sum::<usize>()
        };
        for (text, cost) in [
            ("word", 9),
            ("wordy words", 18),
            ("letters", 11),
            ("getHTTPResponse", 29),
            ("HTTP", 16),
            ("aBcD", 27),
            ("naïve", 12),
            ("ÄRA", 15),
            ("xÉ", 21),
            ("2026", 16),
            ("7", 8),
            ("---", 11),
            ("-,", 14),
            ("  \n", 9),
            ("a\nb", 26),
            ("字，", 17),
            ("หก", 14),
            ("😀", 20),
        ] {
            assert_eq!(eighths(text), cost, "{text:?}");
        }
    }

    proptest! {
        #[test]
        fn a_truncated_text_is_a_beginning_within_the_budget(text in any::<String>(), budget in 0_usize..40) {
            let cut = truncate_to_tokens(&text, budget);
            prop_assert!(text.starts_with(cut));
            prop_assert!(estimate_tokens(cut) <= budget);
        }

        #[test]
        fn more_text_never_costs_less(text in "[a-zA-Z0-9 .,\n]{0,40}", more in "[a-z0-9 .]{0,10}") {
            let together = format!("{text}\n{more}");
            prop_assert!(estimate_tokens(&together) >= estimate_tokens(&text));
        }
    }
}
