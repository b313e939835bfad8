//! Sentence boundaries by UAX 29, in linear time.
//!
//! After a full stop the segmentation library looks ahead for the next letter, again at every bracket, quote or space
//! that follows the stop: a long run of those takes quadratic time. The rules treat such a run as one character, so a
//! copy of the text with shortened runs has the same boundaries.

use rustc_hash::FxHashMap;
use unicode_normalization::char::is_combining_mark;
use unicode_segmentation::UnicodeSegmentation;

/// Number of closing marks or spaces of a run that are passed to the library.
const SHOWN: usize = 4;

/// Minimum length of a gap without letters or digits that may contain a run to shorten.
const LONG_GAP: usize = 16;

/// Offsets at which a new sentence starts, by the rules of UAX 29.
pub(super) fn unicode_borders(segment: &str) -> Vec<usize> {
    let mut borders = if has_long_gap(segment) {
        Shortened::of(segment).borders()
    } else {
        library_borders(segment)
    };
    borders.retain(|border| !segment[..*border].ends_with('\n'));
    borders
}

fn library_borders(text: &str) -> Vec<usize> {
    let starts = text.split_sentence_bound_indices().map(|(start, _)| start);
    starts.filter(|start| *start > 0).collect()
}

fn has_long_gap(text: &str) -> bool {
    let mut gap = 0;
    text.chars().any(|letter| {
        gap = if is_letter_or_digit(letter) {
            0
        } else {
            gap + 1
        };
        gap > LONG_GAP
    })
}

fn is_letter_or_digit(letter: char) -> bool {
    letter.is_alphanumeric() && !is_combining_mark(letter)
}

/// A copy of a text with long runs of closing marks and spaces shortened.
struct Shortened {
    text: String,
    /// The cuts: the offset in the copy, and the total bytes removed up to there.
    cuts: Vec<(usize, usize)>,
}

impl Shortened {
    fn of(text: &str) -> Self {
        let mut copy = Self {
            text: String::with_capacity(text.len()),
            cuts: Vec::new(),
        };
        let mut known = FxHashMap::default();
        let (mut run, mut run_of, mut left_out) = (0, Filler::None, 0);
        for letter in text.chars() {
            let filler = match *known.entry(letter).or_insert_with(|| Filler::of(letter)) {
                Filler::Ignored => run_of,
                filler => filler,
            };
            run = if filler == run_of { run + 1 } else { 1 };
            run_of = filler;
            if filler == Filler::None || run <= SHOWN {
                copy.text.push(letter);
                continue;
            }
            left_out += letter.len_utf8();
            match copy.cuts.last_mut() {
                Some(cut) if cut.0 == copy.text.len() => cut.1 = left_out,
                _ => copy.cuts.push((copy.text.len(), left_out)),
            }
        }
        copy
    }

    /// The boundaries in the original text.
    fn borders(&self) -> Vec<usize> {
        let mut cuts = self.cuts.iter().peekable();
        let mut left_out = 0;
        let mut borders = library_borders(&self.text);
        for border in &mut borders {
            while let Some((_, before)) = cuts.next_if(|(at, _)| at <= border) {
                left_out = *before;
            }
            *border += left_out;
        }
        borders
    }
}

/// Characters that may occur any number of times between a full stop and the next sentence.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Filler {
    None,
    Closing,
    Space,
    /// A combining mark or a format character: belongs to the preceding character.
    Ignored,
}

impl Filler {
    fn of(letter: char) -> Self {
        match letter {
            ' ' | '\t' => Self::Space,
            '"' | '\'' | '(' | ')' | '[' | ']' | '{' | '}' => Self::Closing,
            _ if letter.is_ascii() || is_letter_or_digit(letter) => Self::None,
            _ if !is_skipped(letter) => Self::None,
            _ if is_ignored(letter) => Self::Ignored,
            _ if letter.is_whitespace() => Self::Space,
            _ => Self::Closing,
        }
    }
}

/// Whether the rules skip a character after a full stop; determined with the library itself.
fn is_skipped(letter: char) -> bool {
    let behind_stop = format!("字.{letter}字");
    let alone = format!("字{letter}字");
    library_borders(&behind_stop) == ["字.".len() + letter.len_utf8()]
        && library_borders(&alone).is_empty()
}

/// Whether a skipped character has no effect at all: after a space, a closing mark starts a sentence.
fn is_ignored(letter: char) -> bool {
    let is_space =
        library_borders(&format!("字.){letter})字")) == ["字.)".len() + letter.len_utf8()];
    let is_closing = library_borders(&format!("字. {letter}字")) == ["字. ".len()];
    !is_space && !is_closing
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// Compares with the library's boundaries of the whole text.
    fn check(text: &str) {
        let borders = library_borders(text);
        assert_eq!(Shortened::of(text).borders(), borders, "{text:?}");
    }

    #[test]
    fn a_shortened_copy_has_the_same_borders() {
        for filler in [
            " ", ")", "\u{3000}", "」", "\u{301}", "”", "\u{200d}", "\u{85}", "!", "。", ",", "-",
            "\u{a0}",
        ] {
            for other in [" ", ")", "\u{301}", "」", "x", "."] {
                for end in ["字", "x", "X", "5", "", "."] {
                    let run = filler.repeat(20);
                    check(&format!("字.{run}{end}"));
                    check(&format!("字.{run}{other}{run}{end}"));
                    check(&format!(
                        "字.{}{end}",
                        format!("{filler}{other}").repeat(12)
                    ));
                }
            }
        }
    }

    proptest! {
        #[test]
        fn any_shortened_copy_has_the_same_borders(text in "([字xX5.!?。 )\"」\u{3000}\u{301}\u{200d}\r\n\u{2028},-]|\\PC){0,60}") {
            check(&text);
        }

        #[test]
        fn shortened_runs_of_any_character_have_the_same_borders(filler in any::<char>(), other in any::<char>(), length in 0_usize..12) {
            let run = filler.to_string().repeat(length);
            check(&format!("字.{run}{other}{run}字.{run}x"));
            check(&format!("字.){run}) {run} 字.{run}x"));
        }
    }
}
