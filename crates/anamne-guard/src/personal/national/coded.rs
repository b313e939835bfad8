//! More identity numbers with letters.

use std::ops::Range;

use super::super::checks::{value, weighted};
use super::super::number::{Gap, Number};
use super::super::scan::{is_joined_after, is_word};
use super::lettered::digits_at;
use super::{Fit, is_day, two};

type Coded = Option<(&'static str, Fit, Range<usize>)>;

type AfterDigits = fn(&str, &Number) -> Coded;
type AfterLetters = fn(&str, usize) -> Coded;

/// The rules for those that start with digits.
pub(super) const AFTER_DIGITS: [AfterDigits; 3] = [ireland, chile, pension];

/// The rules for those that start with letters, and with how many.
pub(super) const AFTER_LETTERS: [(usize, AfterLetters); 9] = [
    (1, singapore),
    (1, taiwan),
    (1, hong_kong),
    (1, health),
    (2, hong_kong),
    (3, poland),
    (4, mexico),
    (4, mexican_tax),
    (5, indian_tax),
];

/// Whether nothing goes on after a place.
fn ends(text: &str, at: usize) -> bool {
    !is_joined_after(text.as_bytes(), at)
}

/// PPS number: seven digits, a letter that follows mod 23, and perhaps one more.
fn ireland(text: &str, number: &Number) -> Coded {
    const LETTERS: &[u8; 23] = b"WABCDEFGHIJKLMNOPQRSTUV";
    if number.length(0) != 7 {
        return None;
    }
    let bytes = text.as_bytes();
    let at = number.end_of(1);
    let second = bytes.get(at + 1).filter(|byte| b"ABHW".contains(byte));
    let more = second.map_or(0, |byte| match byte {
        b'W' => 0,
        byte => u32::from(byte - b'A') + 1,
    });
    let sum = weighted(number.digits_of(1), &[8, 7, 6, 5, 4, 3, 2]) + 9 * more;
    let end = at + 1 + usize::from(second.is_some());
    let is_valid = bytes.get(at) == Some(&LETTERS[(sum % 23) as usize]) && ends(text, end);
    is_valid.then_some(("ie", Fit::IfNamed, number.start()..end))
}

/// RUT: `12.345.678-5`, with a digit or K that follows mod 11.
fn chile(text: &str, number: &Number) -> Coded {
    let first = number.length(0);
    let is_dotted = (1..=2).contains(&first)
        && number.has_lengths(&[first, 3, 3])
        && number.is_split_by(Gap::Dot, 3);
    let parts = if is_dotted { 3 } else { 1 };
    let body = number.digits_of(parts);
    if !(7..=8).contains(&body.len()) {
        return None;
    }
    let bytes = text.as_bytes();
    let at = number.end_of(parts);
    let sum: u32 = body
        .iter()
        .rev()
        .zip([2, 3, 4, 5, 6, 7, 2, 3])
        .map(|(digit, weight)| u32::from(*digit) * weight)
        .sum();
    let check = b"0K987654321"[(sum % 11) as usize];
    let end = at + 2;
    let is_valid = bytes.get(at) == Some(&b'-')
        && bytes.get(at + 1).map(u8::to_ascii_uppercase) == Some(check)
        && body[0] > 0
        && ends(text, end);
    is_valid.then_some(("cl", Fit::alone_if(is_dotted), number.start()..end))
}

/// Rentenversicherungsnummer: an area, a date of birth, a letter of the name, a serial, and mod 10.
fn pension(text: &str, number: &Number) -> Coded {
    let bytes = text.as_bytes();
    let is_spaced = number.has_lengths(&[2, 6]) && number.gap(0) == Some(Gap::Blank);
    if number.length(0) != 8 && !is_spaced {
        return None;
    }
    let parts = if is_spaced { 2 } else { 1 };
    let blank = |at: usize| at + usize::from(is_spaced && bytes.get(at) == Some(&b' '));
    let at = blank(number.end_of(parts));
    let letter = bytes.get(at).filter(|byte| byte.is_ascii_uppercase())?;
    let from = blank(at + 1);
    let serial = digits_at(text, from, 3)?;
    let rank = letter - b'A' + 1;
    let mut digits = number.digits_of(parts).to_vec();
    digits.extend([rank / 10, rank % 10, serial[0], serial[1]]);
    let sum = cross_sum(&digits, &[2, 1, 2, 5, 7, 1, 2, 1, 2, 1, 2, 1]);
    let is_dated = is_day(two(&digits, 2), two(&digits, 4));
    let is_valid = is_dated && sum % 10 == u32::from(serial[2]) && ends(text, from + 3);
    is_valid.then_some(("de-pension", Fit::Alone, number.start()..from + 3))
}

/// The sum of the digits of the products.
fn cross_sum(digits: &[u8], weights: &[u32]) -> u32 {
    let products = digits.iter().zip(weights);
    products
        .map(|(digit, weight)| u32::from(*digit) * weight)
        .map(|product| product / 10 + product % 10)
        .sum()
}

/// Krankenversichertennummer: a letter, nine digits, and mod 10.
fn health(text: &str, from: usize) -> Coded {
    let digits = digits_at(text, from + 1, 9)?;
    let letter = text.as_bytes()[from];
    let rank = letter.wrapping_sub(b'A').wrapping_add(1);
    let all: Vec<u8> = [rank / 10, rank % 10]
        .into_iter()
        .chain(digits[..8].iter().copied())
        .collect();
    let sum = cross_sum(&all, &[1, 2, 1, 2, 1, 2, 1, 2, 1, 2]);
    let is_valid =
        letter.is_ascii_uppercase() && sum % 10 == u32::from(digits[8]) && ends(text, from + 10);
    is_valid.then_some(("de-health", Fit::IfNamed, from..from + 10))
}

/// NRIC and FIN: a letter of the century, seven digits, and a letter that follows mod 11.
fn singapore(text: &str, from: usize) -> Coded {
    let digits = digits_at(text, from + 1, 7)?;
    let bytes = text.as_bytes();
    let (more, letters) = match bytes[from].to_ascii_uppercase() {
        b'S' => (0, b"JZIHGFEDCBA"),
        b'T' => (4, b"JZIHGFEDCBA"),
        b'F' => (0, b"XWUTRQPNMLK"),
        b'G' => (4, b"XWUTRQPNMLK"),
        b'M' => (3, b"XWUTRQPNJLK"),
        _ => return None,
    };
    let sum = weighted(&digits, &[2, 7, 6, 5, 4, 3, 2]) + more;
    let last = bytes.get(from + 8)?;
    let has_one_case = last.is_ascii_uppercase() == bytes[from].is_ascii_uppercase();
    let is_valid = last.to_ascii_uppercase() == letters[(sum % 11) as usize]
        && has_one_case
        && ends(text, from + 9);
    let fit = Fit::alone_if(last.is_ascii_uppercase());
    is_valid.then_some(("sg", fit, from..from + 9))
}

/// National number of Taiwan: a letter of the place, nine digits, and mod 10.
fn taiwan(text: &str, from: usize) -> Coded {
    const PLACES: [u8; 26] = [
        10, 11, 12, 13, 14, 15, 16, 17, 34, 18, 19, 20, 21, 22, 35, 23, 24, 25, 26, 27, 28, 29, 32,
        30, 31, 33,
    ];
    let digits = digits_at(text, from + 1, 9)?;
    let letter = text.as_bytes()[from];
    if !letter.is_ascii_uppercase() || !matches!(digits[0], 1 | 2 | 8 | 9) {
        return None;
    }
    let place = u32::from(PLACES[usize::from(letter - b'A')]);
    let sum = place / 10 + place % 10 * 9 + weighted(&digits, &[8, 7, 6, 5, 4, 3, 2, 1, 1]);
    let is_valid = sum.is_multiple_of(10) && ends(text, from + 10);
    is_valid.then_some(("tw", Fit::IfNamed, from..from + 10))
}

/// HKID: one or two letters, six digits, and mod 11: `A123456(3)`.
fn hong_kong(text: &str, from: usize) -> Coded {
    let bytes = text.as_bytes();
    let letters = 1 + usize::from(bytes.get(from + 1)?.is_ascii_alphabetic());
    let at = from + letters;
    if !bytes[from..at].iter().all(u8::is_ascii_uppercase) {
        return None;
    }
    let digits = digits_at(text, at, 6)?;
    let is_printed = bytes.get(at + 6) == Some(&b'(');
    let check = at + 6 + usize::from(is_printed);
    let check_value = match *bytes.get(check)? {
        b'A' => 10,
        byte if byte.is_ascii_digit() => u32::from(byte - b'0'),
        _ => return None,
    };
    let rank = |byte: u8| u32::from(byte - b'A') + 10;
    // A blank before one letter counts 36.
    let prefix = match letters {
        1 => 9 * 36 + 8 * rank(bytes[from]),
        _ => 9 * rank(bytes[from]) + 8 * rank(bytes[from + 1]),
    };
    let sum = prefix + weighted(&digits, &[7, 6, 5, 4, 3, 2]) + check_value;
    let is_closed = !is_printed || bytes.get(check + 1) == Some(&b')');
    let end = check + 1 + usize::from(is_printed);
    let is_valid = sum.is_multiple_of(11) && is_closed && ends(text, end);
    is_valid.then_some(("hk", Fit::alone_if(is_printed), from..end))
}

/// Dowód osobisty: three letters, and six digits of which the first is the check.
fn poland(text: &str, from: usize) -> Coded {
    let bytes = text.as_bytes();
    let digits = digits_at(text, from + 3, 6)?;
    let letters = &bytes[from..from + 3];
    if !letters.iter().all(u8::is_ascii_uppercase) {
        return None;
    }
    let ranks: Vec<u8> = letters.iter().map(|byte| byte - b'A' + 10).collect();
    let sum = weighted(&ranks, &[7, 3, 1]) + weighted(&digits, &[9, 7, 3, 1, 7, 3]);
    let is_valid = sum.is_multiple_of(10) && ends(text, from + 9);
    is_valid.then_some(("pl-card", Fit::IfNamed, from..from + 9))
}

/// The rank of a character in the alphabet of Mexico, where Ñ follows N.
fn mexican_rank(byte: u8) -> u32 {
    match byte {
        b'0'..=b'9' => u32::from(byte - b'0'),
        b'A'..=b'N' => u32::from(byte - b'A') + 10,
        _ => u32::from(byte.wrapping_sub(b'A') % 26) + 11,
    }
}

fn mexican_sum(code: &[u8], first: u32) -> u32 {
    let weights = (0..=first).rev();
    let products = code.iter().zip(weights);
    products
        .map(|(byte, weight)| mexican_rank(*byte) * weight)
        .sum()
}

/// CURP: letters of the name, a date of birth, sex, a state, more letters, and mod 10.
fn mexico(text: &str, from: usize) -> Coded {
    let code = text.as_bytes().get(from..from + 18)?.to_ascii_uppercase();
    let are_letters = |range: Range<usize>| code[range].iter().all(u8::is_ascii_uppercase);
    let digits = digits_at(text, from + 4, 6)?;
    let is_shaped = are_letters(0..4)
        && is_day(two(&digits, 4), two(&digits, 2))
        && b"HMX".contains(&code[10])
        && are_letters(11..16)
        && code[16].is_ascii_alphanumeric()
        && code[17].is_ascii_digit();
    let check = (10 - mexican_sum(&code[..17], 18) % 10) % 10;
    let is_valid = is_shaped
        && check == u32::from(code[17] - b'0')
        && !text.as_bytes().get(from + 18).copied().is_some_and(is_word);
    is_valid.then_some(("mx", Fit::Alone, from..from + 18))
}

/// RFC of a person: letters of the name, a date of birth, two characters, and mod 11.
fn mexican_tax(text: &str, from: usize) -> Coded {
    let code = text.as_bytes().get(from..from + 13)?.to_ascii_uppercase();
    let digits = digits_at(text, from + 4, 6)?;
    let is_shaped = code[..4].iter().all(u8::is_ascii_uppercase)
        && is_day(two(&digits, 4), two(&digits, 2))
        && code[10..].iter().all(u8::is_ascii_alphanumeric);
    let check = b"0A987654321"[(mexican_sum(&code[..12], 13) % 11) as usize];
    let is_valid = is_shaped && check == code[12] && ends(text, from + 13);
    is_valid.then_some(("mx-tax", Fit::IfNamed, from..from + 13))
}

/// PAN of a person: five letters of which the fourth is P, four digits and a letter; no check.
fn indian_tax(text: &str, from: usize) -> Coded {
    let bytes = text.as_bytes();
    let digits = digits_at(text, from + 5, 4)?;
    let letters = &bytes[from..from + 5];
    let is_valid = letters.iter().all(u8::is_ascii_uppercase)
        && letters[3] == b'P'
        && value(&digits) > 0
        && bytes.get(from + 9).is_some_and(u8::is_ascii_uppercase)
        && ends(text, from + 10);
    is_valid.then_some(("in-tax", Fit::IfOwnName, from..from + 10))
}
