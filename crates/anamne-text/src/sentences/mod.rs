//! Sentences, and windows of whole sentences, as byte ranges of the text.

mod borders;
mod unicode;

use std::ops::Range;

use borders::borders;

/// A sentence with fewer words is joined with its neighbour on the same line.
const TINY_WORDS: usize = 3;

/// A sentence with more bytes stands alone, even if it has few words.
const TINY_BYTES: usize = 64;

/// Finds the sentences of a text.
///
/// The boundaries are those of UAX 29, with three differences: none after a common abbreviation or an initial (`Dr.`,
/// `e.g.`, `J.`); a line break is a boundary unless it only wraps a sentence (the next line continues in lower case);
/// and a sentence of one or two words is joined with its neighbour. Ranges are in order, trimmed of white space, and
/// together cover all non-blank text. Linear.
pub fn sentences(text: &str) -> Vec<Range<usize>> {
    let mut found = Vec::new();
    for segment in segments(text) {
        sentences_of_segment(text, segment, &mut found);
    }
    found
}

/// Groups whole sentences into runs of about `words` words.
///
/// A run ends before the sentence that would exceed `words`; a longer sentence is split at white space (or between
/// ideographs) into even pieces. Two ideographs count as a word; `words` of 0 is treated as 1. Ranges are in order,
/// trimmed of white space, and together cover all non-blank text. Linear.
pub fn windows(text: &str, words: usize) -> Vec<Range<usize>> {
    let words = words.max(1);
    let mut runs: Vec<Range<usize>> = Vec::new();
    let mut words_in_last = words;
    for sentence in sentences(text) {
        let length = half_words(&text[sentence.clone()]).div_ceil(2);
        if length > words {
            cut_long(text, sentence, length, words, &mut runs);
            words_in_last = words;
        } else if words_in_last + length <= words
            && let Some(last) = runs.last_mut()
        {
            last.end = sentence.end;
            words_in_last += length;
        } else {
            runs.push(sentence);
            words_in_last = length;
        }
    }
    runs
}

fn trimmed(text: &str, range: Range<usize>) -> Range<usize> {
    let piece = &text[range.clone()];
    let start = range.end - piece.trim_start().len();
    start..start + text[start..range.end].trim_end().len()
}

/// Lines, with wrapped sentences joined.
fn segments(text: &str) -> Vec<Range<usize>> {
    let mut segments: Vec<Range<usize>> = Vec::new();
    let (mut offset, mut after_blank) = (0, true);
    for line in text.split_inclusive('\n') {
        let range = trimmed(text, offset..offset + line.len());
        offset += line.len();
        if range.is_empty() {
            after_blank = true;
            continue;
        }
        match segments.last_mut() {
            Some(last) if !after_blank && wraps(&text[last.clone()], &text[range.clone()]) => {
                last.end = range.end;
            }
            _ => segments.push(range),
        }
        after_blank = false;
    }
    segments
}

/// Whether `next` continues the sentence of the preceding line.
fn wraps(before: &str, next: &str) -> bool {
    let ended = before.ends_with(['.', '!', '?', ':', ';', '|']);
    !ended && next.starts_with(char::is_lowercase)
}

fn sentences_of_segment(text: &str, segment: Range<usize>, found: &mut Vec<Range<usize>>) {
    let first = found.len();
    let mut start = segment.start;
    let mut ends = borders(&text[segment.clone()]);
    ends.push(segment.len());
    for end in ends {
        let sentence = trimmed(text, start..segment.start + end);
        start = segment.start + end;
        if sentence.is_empty() {
            continue;
        }
        match found[first..].last_mut() {
            Some(last) if is_tiny(&text[last.clone()]) => last.end = sentence.end,
            _ => found.push(sentence),
        }
    }
    let whole = found.len() - first;
    if whole > 1 && is_tiny(&text[found[first + whole - 1].clone()]) {
        let tiny = found
            .pop()
            .expect("a segment with two sentences has a last one");
        found[first + whole - 2].end = tiny.end;
    }
}

fn is_tiny(sentence: &str) -> bool {
    sentence.len() <= TINY_BYTES && half_words(sentence) < TINY_WORDS * 2
}

/// Twice the number of words: a word of an alphabet counts as two, an ideograph as one.
fn half_words(text: &str) -> usize {
    let mut inside = false;
    let mut halves = 0;
    for character in text.chars() {
        if is_unspaced(character) {
            halves += 1;
            inside = false;
        } else {
            let word = character.is_alphanumeric() || (inside && !character.is_whitespace());
            halves += 2 * usize::from(word && !inside);
            inside = word;
        }
    }
    halves
}

/// Characters of scripts written without spaces.
fn is_unspaced(character: char) -> bool {
    matches!(character, '\u{e00}'..='\u{eff}' | '\u{1000}'..='\u{109f}' | '\u{1780}'..='\u{17ff}'
        | '\u{3005}'..='\u{30ff}' | '\u{3400}'..='\u{9fff}' | '\u{f900}'..='\u{faff}' | '\u{20000}'..='\u{323af}')
        && character.is_alphanumeric()
}

/// Splits a sentence of `length` words into even pieces of at most `words` words.
fn cut_long(
    text: &str,
    sentence: Range<usize>,
    length: usize,
    words: usize,
    runs: &mut Vec<Range<usize>>,
) {
    let pieces = length.div_ceil(words);
    let halves_each = (length.div_ceil(pieces) * 2).max(2);
    let mut start = sentence.start;
    let mut halves = 0;
    let mut inside = false;
    for (offset, character) in text[sentence.clone()].char_indices() {
        let unspaced = is_unspaced(character);
        let word =
            unspaced || character.is_alphanumeric() || (inside && !character.is_whitespace());
        let begins = word && (unspaced || !inside);
        inside = word && !unspaced;
        let cost = if unspaced { 1 } else { 2 };
        if begins && halves + cost > halves_each {
            push_piece(text, start..sentence.start + offset, runs);
            start = sentence.start + offset;
            halves = 0;
        }
        halves += if begins { cost } else { 0 };
    }
    push_piece(text, start..sentence.end, runs);
}

fn push_piece(text: &str, range: Range<usize>, runs: &mut Vec<Range<usize>>) {
    let range = trimmed(text, range);
    if !range.is_empty() {
        runs.push(range);
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// `|` marks the start of each sentence but the first.
    fn check(marked: &str) {
        let text = marked.replace('|', "");
        let found: Vec<&str> = sentences(&text)
            .into_iter()
            .map(|range| &text[range])
            .collect();
        let expected: Vec<&str> = marked.split('|').map(str::trim).collect();
        assert_eq!(found, expected);
    }

    #[test]
    fn sentences_end_where_a_reader_stops() {
        assert!(sentences("").is_empty());
        check("No stop at all");
        check("We went home. |It was late!");
        check("Is this right? |(I think so.) |We will see.");
        check("Das ist gut so. |Über alles andere reden wir.");
        check("今日は天気です。|明日は雨でしょう。");
        check("Version 1.2.3 of foo.bar is out.");
    }

    #[test]
    fn abbreviations_and_initials_end_no_sentence() {
        check("We met Dr. Weber and J. Smith today.");
        check("Use a list, e.g. Python has one.");
        check("See fig. 3 and No. 5 there.");
        check("Wir nehmen z.B. Äpfel bzw. Birnen mit.");
    }

    #[test]
    fn tiny_sentences_join_their_neighbour() {
        check("Yes. I did that yesterday.");
        check("I did that yesterday. Really.");
        check("1. Open the first door.");
    }

    #[test]
    fn line_breaks_separate_items_but_not_wrapped_sentences() {
        check("- first thing to do\n|- second thing to do");
        check("This line is wrapped\nand goes on here.");
        check("A heading\n\n|the text below it");
    }

    #[test]
    fn windows_hold_whole_sentences_and_cut_only_what_is_too_long() {
        let text = "One two three four. Five six seven. Eight nine ten.";
        let found = |words| {
            windows(text, words)
                .into_iter()
                .map(|range| &text[range])
                .collect::<Vec<_>>()
        };
        assert_eq!(
            found(7),
            ["One two three four. Five six seven.", "Eight nine ten."]
        );
        assert_eq!(found(100), [text]);
        assert_eq!(
            found(2),
            [
                "One two",
                "three four.",
                "Five six",
                "seven.",
                "Eight nine",
                "ten."
            ]
        );
        assert_eq!(windows(&"字".repeat(100), 10).len(), 5);
    }

    #[test]
    fn only_short_words_are_abbreviations() {
        let initials = |count: usize| format!("{}Then we left.", "X.".repeat(count) + " ");
        assert_eq!(sentences(&initials(5)).len(), 1);
        assert_eq!(sentences(&initials(100)).len(), 2);
        let long = format!("We met {}Dr. Weber there today.", "-".repeat(100));
        assert_eq!(sentences(&long).len(), 1);
    }

    fn covers(text: &str, ranges: &[Range<usize>]) {
        let mut end = 0;
        for range in ranges {
            assert!(
                range.start >= end && range.start < range.end,
                "{ranges:?} of {text:?}"
            );
            assert_eq!(text[end..range.start].trim(), "");
            end = range.end;
        }
        assert_eq!(text[end..].trim(), "");
    }

    #[test]
    fn a_megabyte_of_stops_is_covered() {
        for piece in ["! ", "a. ", "。", "… ", "x.", "\n- "] {
            let text = piece.repeat(1_000_000 / piece.len());
            covers(&text, &windows(&text, 40));
        }
    }

    proptest! {
        #[test]
        fn all_that_is_not_blank_is_covered_in_order(text in any::<String>(), words in 0_usize..30) {
            covers(&text, &sentences(&text));
            covers(&text, &windows(&text, words));
        }

        #[test]
        fn prose_is_covered_in_order(text in "([A-Za-zäéß字.!?'\"()1-9]{1,6}[ \n]{1,2}){0,40}", words in 0_usize..9) {
            covers(&text, &sentences(&text));
            covers(&text, &windows(&text, words));
        }
    }
}
