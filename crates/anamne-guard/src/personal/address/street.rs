//! Streets with a house number before or after the name.

use super::super::scan::is_word;
use super::lists::{Words, streets};
use super::town::starts_with_postcode;
use super::words::{Word, words_after, words_before};
use super::{Candidate, Strength};

pub(super) fn is_before_name(bytes: &[u8], end: usize) -> bool {
    let is_letter = |at: usize| {
        bytes
            .get(at)
            .is_some_and(|byte| byte.is_ascii_alphabetic() || *byte >= 0x80)
    };
    let is_blank = |at: usize| bytes.get(at) == Some(&b' ');
    if is_blank(end) {
        return is_name_or_french(bytes, end + 1);
    }
    let has_sign = bytes.get(end) == Some(&b',') || is_letter(end);
    has_sign && is_blank(end + 1) && is_name_or_french(bytes, end + 2)
}

/// Whether the word at a place may be a name or a French word for a street.
fn is_name_or_french(bytes: &[u8], at: usize) -> bool {
    match bytes.get(at) {
        Some(byte) if byte.is_ascii_lowercase() => {
            let word = bytes[at..]
                .iter()
                .take(12)
                .take_while(|byte| **byte != b' ')
                .count();
            let word = std::str::from_utf8(&bytes[at..at + word]).unwrap_or_default();
            streets().between.have(word) || ["bis", "ter", "quater"].contains(&word)
        }
        Some(byte) => byte.is_ascii_uppercase() || *byte >= 0x80 || is_ordinal(&bytes[at..]),
        None => false,
    }
}

/// `5th`, `22nd`.
fn is_ordinal(word: &[u8]) -> bool {
    let digits = word
        .iter()
        .take(3)
        .take_while(|byte| byte.is_ascii_digit())
        .count();
    let suffix = word.get(digits..digits + 2).unwrap_or_default();
    digits > 0
        && [b"st", b"nd", b"rd", b"th"]
            .iter()
            .any(|one| one.as_slice() == suffix)
}

/// `in 2019 Wall Street …`.
pub(super) fn is_year_after_word(text: &str, start: usize, end: usize) -> bool {
    const WORDS: [&str; 9] = [
        "in", "since", "of", "by", "from", "until", "year", "before", "after",
    ];
    let is_year =
        end - start == 4 && (text[start..].starts_with("19") || text[start..].starts_with("20"));
    let before = text[..start].trim_end_matches(' ');
    let last = before
        .as_bytes()
        .rsplit(|byte| !byte.is_ascii_alphabetic())
        .next();
    is_year
        && last.is_some_and(|last| {
            WORDS
                .iter()
                .any(|word| word.as_bytes().eq_ignore_ascii_case(last))
        })
}

/// `12 Castle Street`, `12 bis, rue de la Paix`.
pub(super) fn number_first(text: &str, start: usize, end: usize) -> Option<Candidate> {
    let bytes = text.as_bytes();
    let mut at = end;
    at += usize::from(bytes[at].is_ascii_alphabetic());
    at += usize::from(bytes.get(at) == Some(&b','));
    at += 1;
    let has_comma = bytes[at - 2] == b',';
    let line = words_after(text, at);
    let has_addition = line
        .first()
        .is_some_and(|word| ["bis", "ter", "quater"].contains(&word.bare()));
    let words = &line[usize::from(has_addition)..];
    let first = words.first()?;
    if first.is_in(&streets().between)
        && let Some(end) = end_of_french(&words[1..])
    {
        let is_strong = first.is_capital() || first.bare() != "place";
        return Some(Candidate {
            span: start..end,
            strength: Strength::enough_if(is_strong),
        });
    }
    if has_comma {
        return None;
    }
    let is_kind = |place: usize| {
        let word = words.get(place);
        word.is_some_and(|word| word.is_capital() && is_street(word))
    };
    let first = (1..5).find(|place| is_kind(*place))?;
    // `Kings Park Road`.
    let more =
        (first..5).find(|place| words[*place].text.ends_with([',', '.']) || !is_kind(place + 1));
    let place = more.unwrap_or(first);
    let names = &words[..place];
    let is_name = |word: &Word| {
        let is_ordinal = is_ordinal(word.text.as_bytes());
        (word.is_capital() || is_ordinal || word.is_small())
            && !word.text.ends_with([',', ':', ';', '!', '?'])
    };
    let last = words[place];
    let is_named =
        names.iter().any(Word::is_capital) || names.iter().any(|word| word.text.len() > 2);
    if !is_named || !names.iter().all(is_name) || !names.iter().any(|word| !word.is_small()) {
        return None;
    }
    let is_inside = |word: &Word| word.is_in(&streets().inside) || word.text.starts_with('#');
    let is_closed = last.text.ends_with([',', '.'])
        || words.get(place + 1).is_some_and(is_inside)
        || text[last.end()..].is_empty()
        || text[last.end()..].starts_with(['\n', '\r', '\t', '"', '<', '|', ';', '\\']);
    let is_known = words[first..=place]
        .iter()
        .any(|word| word.is_in(&streets().after));
    let is_odd = names.iter().any(|word| word.is_in(&streets().never));
    let number = &text[start..end];
    let is_year = ("1950".."2040").contains(&number) && number.len() == 4;
    let is_strong = !is_odd && !is_year && (is_known || (is_closed && number.len() >= 2));
    Some(Candidate {
        span: start..last.start + last.bare().len(),
        strength: Strength::enough_if(is_strong),
    })
}

fn is_street(word: &Word) -> bool {
    word.is_in(&streets().after) || word.is_in(&streets().after_weak)
}

/// The end of the name after `rue`: small words and capitals, with at least one capital.
fn end_of_french(words: &[Word]) -> Option<usize> {
    let mut end = None;
    for word in words {
        let is_name = word.is_capital() || word.text.contains(['\'', '’']);
        if !is_name && !word.is_small() {
            break;
        }
        if is_name {
            end = Some(word.start + word.bare().len());
        }
        if word.text.ends_with(|one: char| !one.is_alphanumeric()) {
            break;
        }
    }
    end
}

/// `Lindenstraße 12`, `Calle Mayor, 12`.
pub(super) fn number_last(text: &str, start: usize, end: usize) -> Option<Candidate> {
    let name = &text[..start - 1];
    let name = ["nº", "n°"]
        .iter()
        .find_map(|sign| name.strip_suffix(sign))
        .unwrap_or(name);
    let name = name.strip_suffix(' ').unwrap_or(name);
    let has_comma = name.ends_with(',');
    let name = name.strip_suffix(',').unwrap_or(name);
    if !ends_with_capital_word(name.as_bytes()) {
        return None;
    }
    let words = words_before(text, name.len());
    let last = words.first()?;
    let end = with_suffix(text.as_bytes(), end);
    let is_closed = !text.as_bytes().get(end).copied().is_some_and(|byte| {
        is_word(byte)
            || b".:%-+".contains(&byte)
                && text.as_bytes().get(end + 1).copied().is_some_and(is_word)
    });
    if !is_closed {
        return None;
    }
    with_ending(&words, last, end)
        .or_else(|| with_prefix(text, &words, end, has_comma))
        .or_else(|| starts_with_postcode(&text[end..]).then(|| with_any_name(&words, end))?)
}

/// Whether the last word of a line so far starts with a capital, or with a letter outside ASCII.
fn ends_with_capital_word(line: &[u8]) -> bool {
    let word = line
        .iter()
        .rev()
        .take(48)
        .take_while(|byte| !byte.is_ascii_whitespace());
    word.last()
        .is_some_and(|first| first.is_ascii_uppercase() || *first >= 0x80)
}

/// `Lindenstraße 12`, `Berliner Str. 5`.
fn with_ending(words: &[Word], last: &Word, end: usize) -> Option<Candidate> {
    if !last.is_capital() {
        return None;
    }
    let key = last.text.to_lowercase();
    let ending = |endings: &Words| endings.ending(&key).map(|length| key.len() - length);
    let (rest, is_known) = match ending(&streets().ends) {
        Some(rest) => (rest, true),
        None => (ending(&streets().ends_weak)?, false),
    };
    let mut start = last.start;
    if rest == 0 || key[..rest].ends_with('-') && rest < 3 {
        let names = words[1..]
            .iter()
            .take(3)
            .take_while(|word| word.is_capital() && !word.text.ends_with([',', '.']));
        start = names.last()?.start;
    } else if rest < 3 {
        return None;
    }
    Some(Candidate {
        span: start..end,
        strength: Strength::enough_if(is_known),
    })
}

/// `Calle Mayor 12`, `via Roma, 5`.
fn with_prefix(text: &str, words: &[Word], end: usize, has_comma: bool) -> Option<Candidate> {
    let is_prefix = |word: &Word| {
        let list = &streets().before;
        list.may_have(word.text) && (word.is_in(list) || list.have(word.text))
    };
    let place = words.iter().position(is_prefix)?;
    let names = &words[..place];
    let is_name = |word: &Word| word.is_capital() || word.is_small();
    if !names.iter().all(is_name) || !names.iter().any(Word::is_capital) {
        return None;
    }
    let prefix = words[place];
    let rest = &text[end..];
    let is_closed =
        rest.is_empty() || rest.starts_with([',', '\n', '\r', '"', ')', ';']) || rest == ".";
    let is_strong = !prefix.text.eq_ignore_ascii_case("via")
        && (prefix.is_capital() || has_comma || is_closed)
        || prefix.is_capital() && is_closed
        || has_comma && is_closed;
    Some(Candidate {
        span: prefix.start..end,
        strength: Strength::enough_if(is_strong),
    })
}

/// `Unter den Linden 77`, if a postcode and a town follow.
pub(super) fn with_any_name(words: &[Word], end: usize) -> Option<Candidate> {
    let is_name =
        |word: &&Word| (word.is_capital() || word.is_small()) && !word.text.ends_with([',', '.']);
    let names: Vec<_> = words.iter().take(4).take_while(is_name).collect();
    let first = names.iter().rposition(|word| word.is_capital())?;
    Some(Candidate {
        span: names[first].start..end,
        strength: Strength::NeedsPostcode,
    })
}

/// Takes in the letter of a house: `12a`, `12 b`.
fn with_suffix(bytes: &[u8], end: usize) -> usize {
    let is_letter = |at: usize| {
        bytes
            .get(at)
            .is_some_and(|byte| (b'a'..=b'h').contains(&byte.to_ascii_lowercase()))
            && !bytes
                .get(at + 1)
                .copied()
                .is_some_and(|byte| is_word(byte) || byte >= 0x80)
    };
    match bytes.get(end) {
        Some(_) if is_letter(end) => end + 1,
        Some(b' ') if is_letter(end + 1) && bytes.get(end + 2) != Some(&b' ') => end + 2,
        _ => end,
    }
}
