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
    Digit,
    Space,
    Punctuation,
    Alphabetic,
    Ideograph,
    WidePunctuation,
    Other,
}

fn class(character: char) -> Class {
    match character {
        'a'..='z' => Class::Lower,
        'A'..='Z' => Class::Upper,
        '0'..='9' => Class::Digit,
        ' ' | '\t' | '\n' | '\r' => Class::Space,
        '\0'..='\u{7f}' => Class::Punctuation,
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

    fn next(&mut self) -> Option<Piece> {
        let rest = &self.text[self.at..];
        let first = rest.chars().next()?;
        let (length, cost, ends_word) = match class(first) {
            Class::Lower | Class::Upper => word(rest),
            Class::Digit => run(
                rest,
                |next, _| class(next) == Class::Digit,
                |count| count.div_ceil(2) * TOKEN,
            ),
            Class::Space => space(rest),
            Class::Punctuation => run(rest, |next, first| next == first, |count| 5 + 2 * count),
            Class::Alphabetic => (first.len_utf8(), 7, false),
            Class::Ideograph => (first.len_utf8(), 9, true),
            Class::WidePunctuation => (first.len_utf8(), TOKEN, true),
            Class::Other => (first.len_utf8(), 20, true),
        };
        self.at += length;
        Some(Piece {
            end: self.at,
            cost,
            ends_word,
        })
    }
}

fn run(
    rest: &str,
    same: impl Fn(char, char) -> bool,
    cost: impl Fn(usize) -> usize,
) -> (usize, usize, bool) {
    let first = rest.chars().next().unwrap_or_default();
    let (mut bytes, mut count) = (0, 0);
    for character in rest.chars().take_while(|next| same(*next, first)) {
        bytes += character.len_utf8();
        count += 1;
    }
    (bytes, cost(count), false)
}

fn space(rest: &str) -> (usize, usize, bool) {
    let bytes = rest
        .bytes()
        .take_while(|byte| matches!(byte, b' ' | b'\t' | b'\n' | b'\r'))
        .count();
    let single = rest.starts_with(' ') && bytes == 1;
    (bytes, if single { 0 } else { TOKEN + bytes / 2 }, true)
}

fn word(rest: &str) -> (usize, usize, bool) {
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
    let long = letters.clamp(5, 12) - 5 + 3 * letters.saturating_sub(12);
    let in_capitals = if capitals > 1 {
        capitals * TOKEN / 2
    } else {
        0
    };
    let cost = (9 + long).max(in_capitals) + outside_ascii * 3;
    (bytes, cost, false)
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
