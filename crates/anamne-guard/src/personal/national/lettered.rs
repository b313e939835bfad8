//! Identity numbers with letters.

use std::ops::Range;

use super::super::checks::{value, weighted};
use super::super::number::{Gap, Number};
use super::super::scan::{is_joined_after, is_joined_before, is_word};
use super::{Fit, asia, is_day, two};

type Lettered = Option<(&'static str, Fit, Range<usize>)>;

/// The identity number that starts with digits and has a letter later.
pub(super) fn at(text: &str, number: &Number) -> Lettered {
    spain(text, number)
        .or_else(|| finland(text, number))
        .or_else(|| china(text, number))
        .or_else(|| france(text, number))
        .or_else(|| spaced_insurance(text, number))
}

/// The identity number that starts with letters.
pub(super) fn after_letters(text: &str, from: usize, letters: usize) -> Lettered {
    match letters {
        1 => foreigner_in_spain(text, from),
        2 => insurance(text, from),
        6 => italy(text, from),
        _ => None,
    }
}

const SPANISH: &[u8; 23] = b"TRWAGMYFPDXBNJZSQVHLCKE";

/// The end of a number with one last letter at a place, perhaps after a hyphen or a blank.
fn end_with(text: &str, at: usize, letter: u8) -> Option<usize> {
    let bytes = text.as_bytes();
    let at = at + usize::from(bytes.get(at) == Some(&b'-'));
    let is_end = bytes.get(at) == Some(&letter) && !is_joined_after(bytes, at + 1);
    is_end.then_some(at + 1)
}

/// DNI: `12345678Z`, with a letter that follows from the digits mod 23.
fn spain(text: &str, number: &Number) -> Lettered {
    let (parts, fit) = if number.length(0) == 8 {
        (1, Fit::Alone)
    } else if number.has_lengths(&[2, 3, 3]) && number.is_split_by(Gap::Dot, 3) {
        (3, Fit::Alone)
    } else {
        return None;
    };
    let digits = value(number.digits_of(parts));
    let end = end_with(text, number.end_of(parts), SPANISH[(digits % 23) as usize])?;
    (digits > 99 && digits != 12_345_678).then_some(("es", fit, number.start()..end))
}

/// NIE: X, Y or Z count as 0, 1 and 2.
fn foreigner_in_spain(text: &str, from: usize) -> Lettered {
    let first = u64::from(text.as_bytes()[from].wrapping_sub(b'X'));
    let digits = digits_at(text, from + 1, 7)?;
    let letter = SPANISH[((first * 10_000_000 + value(&digits)) % 23) as usize];
    let end = end_with(text, from + 8, letter)?;
    (first < 3).then_some(("es", Fit::Alone, from..end))
}

/// Henkilötunnus: a date of birth, a sign of the century, three digits, and a character that follows mod 31.
fn finland(text: &str, number: &Number) -> Lettered {
    const CHECKS: &[u8; 31] = b"0123456789ABCDEFHJKLMNPRSTUVWXY";
    let start = number.start();
    if number.length(0) != 6 {
        return None;
    }
    let date = number.digits_of(1);
    let sign = text.as_bytes().get(start + 6)?;
    let serial = digits_at(text, start + 7, 3)?;
    let index = (value(date) * 1000 + value(&serial)) % 31;
    let has_form = b"-+ABCDEFYXWVU".contains(sign) && is_day(two(date, 0), two(date, 2));
    let check = CHECKS[index as usize];
    let ends = text.as_bytes().get(start + 10) == Some(&check)
        && !is_joined_after(text.as_bytes(), start + 11);
    (has_form && ends).then_some(("fi", Fit::Alone, start..start + 11))
}

/// Resident number with X as its check.
fn china(text: &str, number: &Number) -> Lettered {
    let digits = number.digits_of(1);
    if digits.len() != 17 || !asia::is_chinese_body(digits) {
        return None;
    }
    let is_ten = weighted(digits, &asia::CHINESE) % 11 == 2;
    let end = number.end_of(1);
    let letter = text
        .as_bytes()
        .get(end)
        .filter(|byte| matches!(byte, b'X' | b'x'))?;
    let end = end_with(text, end, *letter)?;
    is_ten.then_some(("cn", Fit::Alone, number.start()..end))
}

/// NIR: sex, year and month of birth, place (2A and 2B on Corsica), serial, and a key mod 97.
fn france(text: &str, number: &Number) -> Lettered {
    let bytes = text.as_bytes();
    let start = number.start();
    if !(1..=4).contains(&number.digits()[0]) || !matches!(number.length(0), 1 | 6 | 13 | 15) {
        return None;
    }
    let mut characters = Vec::with_capacity(15);
    let mut at = start;
    while characters.len() < 15 {
        match *bytes.get(at)? {
            byte if byte.is_ascii_digit()
                || matches!((characters.len(), byte), (6, b'A' | b'B')) =>
            {
                characters.push(byte);
            }
            b' ' | b'.' | b'-' if bytes[at - 1] != b' ' => {}
            _ => return None,
        }
        at += 1;
    }
    // Corsica counts as 19 and 18.
    let place = match characters[6] {
        b'A' => [b'1', b'9'],
        b'B' => [b'1', b'8'],
        byte => [characters[5], byte],
    };
    let is_corsica = characters[6] >= b'A';
    if is_corsica && characters[5] != b'2' {
        return None;
    }
    characters[5..7].copy_from_slice(&place);
    let digits: Vec<u8> = characters.iter().map(|byte| byte - b'0').collect();
    let month = two(&digits, 3);
    let has_month = (1..=12).contains(&month) || (20..=42).contains(&month) || month >= 50;
    let has_key = 97 - value(&digits[..13]) % 97 == value(&digits[13..]);
    let is_valid = has_month && has_key && value(&digits[5..13]) > 0 && !is_joined_after(bytes, at);
    is_valid.then_some(("fr", Fit::Alone, start..at))
}

/// National Insurance number: `AB123456C`.
fn insurance(text: &str, from: usize) -> Lettered {
    let bytes = text.as_bytes();
    let rest = bytes.get(from..from + 9)?;
    let is_shaped = is_insurance_prefix(&rest[..2])
        && rest[2..8].iter().all(u8::is_ascii_digit)
        && (b'A'..=b'D').contains(&rest[8]);
    let ends = !is_joined_after(bytes, from + 9);
    (is_shaped && ends).then_some(("gb", Fit::IfNamed, from..from + 9))
}

/// `AB 12 34 56 C`.
fn spaced_insurance(text: &str, number: &Number) -> Lettered {
    let bytes = text.as_bytes();
    if !(number.has_lengths(&[2, 2, 2]) && number.is_split_by(Gap::Blank, 3)) {
        return None;
    }
    let from = number.start().checked_sub(3)?;
    let end = number.end_of(3) + 2;
    let before = bytes.get(from..from + 3)?;
    let after = bytes.get(end - 2..end)?;
    let is_shaped = is_insurance_prefix(&before[..2])
        && before[2] == b' '
        && after[0] == b' '
        && (b'A'..=b'D').contains(&after[1])
        && !is_joined_before(bytes, from)
        && !is_joined_after(bytes, end);
    is_shaped.then_some(("gb", Fit::Alone, from..end))
}

/// Two letters, without D, F, I, Q, U, V and, second, O, and without those that are not issued.
fn is_insurance_prefix(letters: &[u8]) -> bool {
    let is_issued = |letter: &u8| letter.is_ascii_uppercase() && !b"DFIQUV".contains(letter);
    letters.iter().all(is_issued)
        && letters[1] != b'O'
        && ![b"BG", b"GB", b"KN", b"NK", b"NT", b"TN", b"ZZ"]
            .iter()
            .any(|none| none.as_slice() == letters)
}

/// Codice fiscale: names, date and place of birth, and a letter that follows from the rest.
fn italy(text: &str, from: usize) -> Lettered {
    // Digits may be replaced by these letters to tell people apart.
    const FOR_DIGITS: &[u8] = b"LMNPQRSTUV";
    let code = text.as_bytes().get(from..from + 16)?.to_ascii_uppercase();
    let is_digit = |at: &usize| code[*at].is_ascii_digit() || FOR_DIGITS.contains(&code[*at]);
    let is_letter = |at: &usize| code[*at].is_ascii_uppercase();
    let is_shaped = [6, 7, 9, 10, 12, 13, 14].iter().all(is_digit)
        && [0, 1, 2, 3, 4, 5, 11, 15].iter().all(is_letter)
        && b"ABCDEHLMPRST".contains(&code[8]);
    let sum: u32 = code[..15]
        .iter()
        .enumerate()
        .map(|(at, byte)| italian_value(*byte, at % 2 == 0))
        .sum();
    let is_valid = is_shaped && u32::from(code[15] - b'A') == sum % 26;
    let ends = !text.as_bytes().get(from + 16).copied().is_some_and(is_word);
    (is_valid && ends).then_some(("it", Fit::Alone, from..from + 16))
}

/// What a character counts, by the official table for odd places and by its rank for even ones.
fn italian_value(byte: u8, is_odd: bool) -> u32 {
    const ODD: [u8; 26] = [
        1, 0, 5, 7, 9, 13, 15, 17, 19, 21, 2, 4, 18, 20, 11, 3, 6, 8, 12, 14, 16, 10, 22, 25, 24,
        23,
    ];
    let rank = if byte.is_ascii_digit() {
        byte - b'0'
    } else {
        byte.wrapping_sub(b'A') % 26
    };
    u32::from(if is_odd { ODD[usize::from(rank)] } else { rank })
}

/// The values of this many digits at a place.
pub(super) fn digits_at(text: &str, at: usize, count: usize) -> Option<Vec<u8>> {
    let bytes = text.as_bytes().get(at..at + count)?;
    let are_digits = bytes.iter().all(u8::is_ascii_digit);
    are_digits.then(|| bytes.iter().map(|byte| byte - b'0').collect())
}
