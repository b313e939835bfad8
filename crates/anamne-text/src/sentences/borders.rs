//! Sentence boundaries within a line.

use super::unicode::unicode_borders;

/// Maximum characters of an abbreviation, or a row of initials. The limit bounds the backward search in texts without
/// spaces.
const LONGEST_ABBREVIATION: usize = 32;

/// Offsets at which a new sentence starts.
pub(super) fn borders(segment: &str) -> Vec<usize> {
    let latin = segment
        .chars()
        .all(|letter| matches!(letter, '\0'..='\u{24f}' | '\u{2010}'..='\u{2027}'));
    let candidates = if latin {
        latin_borders(segment)
    } else {
        unicode_borders(segment)
    };
    let is_border = |at: &usize| !ends_in_abbreviation(&segment[..*at], &segment[*at..]);
    candidates.into_iter().filter(is_border).collect()
}

/// The rules of UAX 29 specialised for Latin letters, which is much faster.
fn latin_borders(segment: &str) -> Vec<usize> {
    let mut borders = Vec::new();
    let mut at = 0;
    while let Some(found) = segment.as_bytes()[at..]
        .iter()
        .position(|byte| is_stop(char::from(*byte)))
    {
        let stops = &segment[at + found..];
        let rest = stops.trim_start_matches(is_stop);
        let only_points = stops[..stops.len() - rest.len()]
            .bytes()
            .all(|stop| stop == b'.');
        let closed = rest.trim_start_matches(['"', '\'', ')', ']', '}', '’', '”', '»']);
        let next = closed.trim_start();
        let goes_on = only_points && next.starts_with(char::is_lowercase);
        if next.len() < closed.len() && !next.is_empty() && !goes_on {
            borders.push(segment.len() - next.len());
        }
        at = segment.len() - rest.len();
    }
    borders
}

fn is_stop(character: char) -> bool {
    matches!(character, '.' | '!' | '?')
}

fn ends_in_abbreviation(before: &str, after: &str) -> bool {
    let Some(word) = before.trim_end().strip_suffix('.').and_then(last_word) else {
        return false;
    };
    let is_initial =
        word.chars().nth(1).is_none() && word.chars().all(char::is_uppercase) && !word.is_empty();
    let has_initials =
        word.split('.').count() > 1 && word.split('.').all(|part| part.chars().count() == 1);
    is_initial || has_initials || is_listed(word, after)
}

/// The letters, digits and points at the end of a text; `None` if there are too many for an abbreviation.
fn last_word(text: &str) -> Option<&str> {
    let mut letters = text.char_indices().rev().take(LONGEST_ABBREVIATION + 1);
    match letters.find(|(_, letter)| !letter.is_alphanumeric() && *letter != '.') {
        Some((before, _)) => {
            Some(text[before..].trim_start_matches(|letter: char| !letter.is_alphanumeric()))
        }
        None => (text.chars().nth(LONGEST_ABBREVIATION).is_none()).then_some(text),
    }
}

fn is_listed(word: &str, after: &str) -> bool {
    if word.len() > LONGEST_LISTED {
        return false;
    }
    let lower = word.to_lowercase();
    let listed = |list: &str| {
        list.split_whitespace()
            .any(|abbreviation| abbreviation == lower)
    };
    listed(ABBREVIATIONS)
        || (after.starts_with(|next: char| next.is_ascii_digit()) && listed(BEFORE_NUMBERS))
}

/// Maximum bytes of a listed abbreviation.
const LONGEST_LISTED: usize = 6;

const ABBREVIATIONS: &str = "mr mrs ms dr prof rev hon gen col sgt capt lt st sr jr messrs mme mlle sra srta
    dott sig vs cf al approx dept est univ inc ltd corp co bros hr fr bzw ca evtl ggf inkl zzgl vgl mind max
    usf env ud uds resp geb dipl ing mag phd";

const BEFORE_NUMBERS: &str =
    "no nr nos vol fig figs p pp sec ch art eq jan feb mar apr jun jul aug sep sept
    oct nov dec abs str tel";

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_listed_abbreviation_is_longer_than_the_limit() {
        let listed = ABBREVIATIONS
            .split_whitespace()
            .chain(BEFORE_NUMBERS.split_whitespace());
        assert_eq!(listed.map(str::len).max(), Some(LONGEST_LISTED));
    }
}
