//! Postcodes and towns after a street.

use super::words::{Word, words_after};

/// Takes in a postcode and a town: `, 10115 Berlin`, `, Springfield, IL 62704`, `, London SW1A 2AA`.
pub(super) fn with_town(text: &str, end: usize) -> (usize, bool) {
    let bytes = text.as_bytes();
    let mut from = end;
    from += usize::from(bytes.get(from) == Some(&b'.'));
    from += usize::from(bytes.get(from) == Some(&b','));
    if !matches!(bytes.get(from), Some(b' ' | b'\n')) {
        return (end, false);
    }
    let words = words_after(text, from + 1);
    let bare = |word: &Word| {
        word.start
            + word
                .text
                .trim_end_matches(|one: char| !one.is_alphanumeric())
                .len()
    };
    let Some(first) = words.first() else {
        return (end, false);
    };
    if is_postcode(first.text) {
        let mut last = 0;
        let is_dutch = words.get(1).is_some_and(|word| {
            word.text.trim_end_matches(',').len() == 2
                && word
                    .text
                    .bytes()
                    .take(2)
                    .all(|byte| byte.is_ascii_uppercase())
        });
        last += usize::from(is_dutch);
        let has_town = words.get(last + 1).is_some_and(Word::is_capital);
        if has_town || is_dutch || first.text.len() >= 5 {
            last += usize::from(has_town);
            return (bare(&words[last]), has_town || is_dutch);
        }
        return (end, false);
    }
    for (place, word) in words.iter().enumerate() {
        let bared = word
            .text
            .trim_end_matches(|one: char| !one.is_alphanumeric());
        let next = words.get(place + 1).map(|word| {
            word.text
                .trim_end_matches(|one: char| !one.is_alphanumeric())
        });
        let is_zip = place > 0 && bared.len() >= 5 && is_postcode(bared);
        if is_zip {
            return (bare(word), true);
        }
        if place > 0 && next.is_some_and(|next| is_british(bared, next)) {
            return (bare(&words[place + 1]), true);
        }
        if !word.is_capital() && !word.is_small() && !word.text.starts_with('#') && place > 0 {
            break;
        }
    }
    (end, false)
}

/// Four or five digits, perhaps after a country or before four more.
fn is_postcode(text: &str) -> bool {
    let text = text.trim_end_matches(',');
    let digits = text
        .split_once('-')
        .filter(|(country, _)| {
            country.len() <= 2 && country.starts_with(|one: char| one.is_ascii_uppercase())
        })
        .map_or(text, |(_, digits)| digits);
    let digits = digits
        .split_once('-')
        .filter(|(_, more)| more.len() == 4)
        .map_or(digits, |(digits, _)| digits);
    (4..=5).contains(&digits.len())
        && digits.bytes().all(|byte| byte.is_ascii_digit())
        && !(digits.len() == 4 && ("1950".."2040").contains(&digits))
}

/// `, 10115 Berlin`, `, 1015 CJ Amsterdam`.
pub(super) fn starts_with_postcode(text: &str) -> bool {
    let digits = |text: &str| text.bytes().take(6).take_while(u8::is_ascii_digit).count();
    let Some(text) = text.strip_prefix(", ") else {
        return false;
    };
    let length = digits(text);
    let letters = text
        .as_bytes()
        .get(length + 1..length + 3)
        .unwrap_or_default();
    length == 5 || (length == 4 && letters.len() == 2 && letters.iter().all(u8::is_ascii_uppercase))
}

/// `SW1A` and `2AA`.
fn is_british(outward: &str, inward: &str) -> bool {
    let (outward, inward) = (outward.as_bytes(), inward.as_bytes());
    (2..=4).contains(&outward.len())
        && outward[0].is_ascii_uppercase()
        && outward.iter().all(u8::is_ascii_alphanumeric)
        && outward.iter().any(u8::is_ascii_digit)
        && matches!(inward, [digit, one, two] if digit.is_ascii_digit() && one.is_ascii_uppercase() && two.is_ascii_uppercase())
}
