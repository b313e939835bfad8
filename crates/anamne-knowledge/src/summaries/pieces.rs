//! Splits a text into pieces, and recognises those without use for a summary: code, headings, courtesy.

use std::ops::Range;

use anamne_text::sentences::sentences;

use super::words::{Word, contains_courtesy_phrase};

/// Sentences, also split after every exclamation and question, so that a greeting is a piece of its own.
pub(crate) fn pieces(text: &str, words: &[Word]) -> Vec<Range<usize>> {
    let mut pieces = Vec::new();
    for sentence in sentences(text) {
        let mut start = sentence.start;
        let mut characters = text[sentence.clone()].char_indices().peekable();
        while let Some((at, character)) = characters.next() {
            let blank_follows = characters.peek().is_some_and(|next| next.1.is_whitespace());
            let end = sentence.start + at + character.len_utf8();
            let cuts = match character {
                '!' | '?' | '…' => blank_follows,
                '.' => blank_follows && says_nothing(words, start..end),
                '[' => at > 0,
                _ => false,
            };
            if cuts {
                let end = if character == '[' { end - 1 } else { end };
                pieces.push(start..end);
                start = end;
            }
        }
        pieces.push(start..sentence.end);
    }
    pieces
}

fn says_nothing(words: &[Word], span: Range<usize>) -> bool {
    let from = words.partition_point(|word| word.span.start < span.start);
    words[from..]
        .iter()
        .take_while(|word| word.span.end <= span.end)
        .all(|word| word.weight == 0.0)
}

/// Fenced code blocks, including one that is never closed.
pub(crate) fn code_of(text: &str) -> Vec<Range<usize>> {
    let mut blocks = Vec::new();
    let mut opened = None;
    let mut at = 0;
    for line in text.split_inclusive('\n') {
        let fence = line.trim_start();
        if fence.starts_with("```") || fence.starts_with("~~~") {
            match opened.take() {
                Some(start) => blocks.push(start..at + line.len()),
                None => opened = Some(at),
            }
        }
        at += line.len();
    }
    blocks.extend(opened.map(|start| start..text.len()));
    blocks
}

/// Whether a piece is a heading, or a line of code or of a table: many marks compared to prose.
pub(crate) fn is_markup(piece: &str) -> bool {
    let marks = piece
        .bytes()
        .filter(|byte| b"{}<>=;\\|_#()[]/$`~^".contains(byte))
        .count();
    piece.starts_with('#')
        || marks * 9 > piece.len().max(18)
        || piece.trim_end().ends_with(['{', ';'])
}

/// Whether it is a short sentence around one of these phrases, without other content.
pub(crate) fn is_phrase_of_courtesy(words: &[Word]) -> bool {
    words.iter().filter(|word| word.weight > 0.0).count() <= 3 && contains_courtesy_phrase(words)
}

/// Whether a piece only announces what follows: `Changes:`.
pub(crate) fn announces(text: &str, piece: &Range<usize>, words: &[Word]) -> bool {
    let end =
        text[piece.clone()].trim_end_matches(|mark: char| mark.is_whitespace() || mark == '*');
    end.ends_with([':', '：']) && words.iter().filter(|word| word.weight > 0.0).count() <= 5
}
