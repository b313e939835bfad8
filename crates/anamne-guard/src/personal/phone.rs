//! Phone numbers.

use std::ops::Range;
use std::sync::LazyLock;

use anamne_text::lexicon::{Lexicon, LexiconError};
use std::collections::BTreeMap;

use super::number::{Gap, Number};
use super::scan::{Scan, before, is_term};
use super::words::Topic;

/// The phone number that starts with a number. O(1).
pub(super) fn at(scan: &mut Scan, number: &Number) -> Option<Range<usize>> {
    let bytes = scan.text.as_bytes();
    let (first, last) = (number.start(), number.end());
    let sign = before(bytes, first);
    if sign == Some(b'+') || (sign == Some(b'(') && before(bytes, first - 1) == Some(b'+')) {
        let plus = if sign == Some(b'+') {
            first - 1
        } else {
            first - 2
        };
        return international(scan, number, plus);
    }
    if sign == Some(b'(') && before(bytes, first - 1).is_some_and(super::scan::is_word)
        || is_term(bytes, first, last)
    {
        return None;
    }
    let is_strong = |parts: usize| {
        is_strong_shape(number, parts, sign == Some(b'('))
            && !is_among_pairs(bytes, first, number.end_of(parts))
    };
    let is_possible = |parts: &usize| {
        number.closes(scan.text, *parts)
            && (is_strong(*parts) || is_named_shape(number, *parts, true))
    };
    if !(1..=number.count()).any(|parts| is_possible(&parts)) {
        return None;
    }
    let decides = |topic| {
        !matches!(
            topic,
            Topic::Ip | Topic::Version | Topic::Remote | Topic::Address
        )
    };
    let names_phone = |topic| topic == Topic::Phone;
    let (is_named, is_called) = match scan.context.nearest(first, decides) {
        Some(Topic::Phone) => (true, true),
        Some(Topic::Call) => (false, true),
        None => (scan.context.follows(last, names_phone), false),
        Some(_) => return None,
    };
    let is_phone = |parts: &usize| {
        let is_shaped = (is_called || is_named) && is_named_shape(number, *parts, is_named);
        number.closes(scan.text, *parts) && (is_shaped || is_strong(*parts))
    };
    let parts = (1..=number.count()).rev().find(is_phone)?;
    let start = if sign == Some(b'(') && number.gap(0) == Some(Gap::Parenthesis) {
        first - 1
    } else {
        first
    };
    Some(start..number.end_of(parts))
}

/// A number after `+`.
fn international(scan: &Scan, number: &Number, plus: usize) -> Option<Range<usize>> {
    let bytes = scan.text.as_bytes();
    let is_joined = |byte: u8| super::scan::is_word(byte) || b"+)]*/-".contains(&byte);
    if before(bytes, plus).is_some_and(is_joined) {
        return None;
    }
    let is_phone = |parts: &usize| {
        number.closes(scan.text, *parts) && has_country(number.digits_of(*parts), number)
    };
    let parts = (1..=number.count()).rev().find(is_phone)?;
    Some(plus..number.end_of(parts))
}

/// Whether digits start with a country code and go on with as many digits as the country has.
fn has_country(digits: &[u8], number: &Number) -> bool {
    let found = (1..=3.min(digits.len())).find_map(|width| {
        let code = super::checks::value(&digits[..width]);
        codes()
            .get(&(code as u16))
            .map(|lengths| (code, width, *lengths))
    });
    let Some((code, width, (least, most))) = found else {
        return false;
    };
    let mut rest = &digits[width..];
    let has_trunk = number.count() > 1
        && number.length(0) == width
        && number.has_lengths(&[width, 1])
        && number.gap(0) == Some(Gap::Parenthesis);
    if has_trunk && rest.first() == Some(&0) {
        rest = &rest[1..];
    }
    let starts_well = match code {
        1 => rest.first().is_some_and(|digit| *digit > 1),
        39 => true,
        _ => rest.first().is_some_and(|digit| *digit > 0),
    };
    starts_well
        && (least..=most).contains(&rest.len())
        && rest.windows(2).any(|two| two[0] != two[1])
}

/// A shape that only phone numbers have.
fn is_strong_shape(number: &Number, parts: usize, in_parenthesis: bool) -> bool {
    if in_parenthesis {
        return has_area_in_parenthesis(number, parts);
    }
    is_north_american(number, parts)
        || is_with_trunk(number, parts)
        || is_chinese(number, parts)
        || is_exit_code(number, parts)
        || is_trunk_in_parenthesis(number, parts)
}

/// `(030) 1234567`, `(212) 555-0187`, `(11) 91234-5678`.
fn has_area_in_parenthesis(number: &Number, parts: usize) -> bool {
    if parts < 2 || number.gap(0) != Some(Gap::Parenthesis) {
        return false;
    }
    let area = number.length(0);
    let total = number.digits_of(parts).len();
    let first = number.digits()[0];
    let is_us = area == 3 && first > 1 && number.has_lengths(&[3, 3, 4]) && parts == 3;
    let is_brazilian =
        area == 2 && parts == 3 && number.length(2) == 4 && (4..=5).contains(&number.length(1));
    let is_trunk = first == 0 && (2..=5).contains(&area) && (8..=12).contains(&total);
    is_us || is_brazilian || is_trunk
}

/// `212-555-0187`, `212.555.0187`, `1-800-555-0187`.
fn is_north_american(number: &Number, parts: usize) -> bool {
    let (skip, lengths): (usize, &[usize]) = match parts {
        3 => (0, &[3, 3, 4]),
        4 => (1, &[1, 3, 3, 4]),
        _ => return false,
    };
    let starts_well = |part: usize| number.value(part) >= 200;
    number.has_lengths(lengths)
        && matches!(number.only_gap(parts), Some(Gap::Dash | Gap::Dot))
        && (skip == 0 || number.value(0) == 1)
        && starts_well(skip)
        && starts_well(skip + 1)
}

/// A leading zero, with the groups of an area code and a number.
fn is_with_trunk(number: &Number, parts: usize) -> bool {
    let digits = number.digits_of(parts);
    if parts < 2 || digits[0] != 0 || digits[1] == 0 {
        return false;
    }
    let Some(gap) = number.only_gap(parts) else {
        return matches!(number.gap(0), Some(Gap::Slash | Gap::Dash))
            && (2..parts).all(|part| number.gap(part - 1) == Some(Gap::Blank))
            && (3..=5).contains(&number.length(0))
            && (9..=12).contains(&digits.len());
    };
    let is_french = parts == 5 && number.has_lengths(&[2; 5]) && gap != Gap::Slash;
    let is_mobile = parts == 2
        && gap == Gap::Blank
        && (4..=5).contains(&number.length(0))
        && (10..=12).contains(&digits.len());
    let is_dutch = number.has_lengths(&[2, 8]) && parts == 2 && digits[1] == 6;
    let is_slashed = parts == 2
        && gap == Gap::Slash
        && (3..=5).contains(&number.length(0))
        && (5..=8).contains(&number.length(1));
    let is_long = parts >= 3
        && matches!(gap, Gap::Blank | Gap::Dash)
        && (10..=11).contains(&digits.len())
        && ((3..=5).contains(&number.length(0)) || number.has_lengths(&[2, 4, 4]))
        && (1..parts).all(|part| (2..=4).contains(&number.length(part)));
    let is_dashed = parts == 2
        && gap == Gap::Dash
        && (3..=5).contains(&number.length(0))
        && (6..=8).contains(&number.length(1));
    (is_french && !counts_up(digits)) || is_dutch || is_mobile || is_slashed || is_long || is_dashed
}

/// `1 (800) 555-0187`, `8 (912) 345-67-89`.
fn is_trunk_in_parenthesis(number: &Number, parts: usize) -> bool {
    let is_shaped = (parts == 4 && number.has_lengths(&[1, 3, 3, 4]))
        || (parts == 5 && number.has_lengths(&[1, 3, 3, 2, 2]));
    is_shaped
        && matches!(number.digits()[0], 1 | 8)
        && (0..2).all(|part| number.gap(part) == Some(Gap::Parenthesis))
}

/// `01 02 03 04 05`.
fn counts_up(digits: &[u8]) -> bool {
    let pairs: Vec<_> = digits.chunks(2).map(super::checks::value).collect();
    pairs.windows(2).all(|two| two[0] + 1 == two[1])
}

/// `138 1234 5678`.
fn is_chinese(number: &Number, parts: usize) -> bool {
    parts == 3
        && number.has_lengths(&[3, 4, 4])
        && (130..200).contains(&number.value(0))
        && matches!(number.only_gap(3), Some(Gap::Blank | Gap::Dash))
}

/// Whether two digits and a blank stand before or after: `3f 01 02 03 04 05 06`.
fn is_among_pairs(bytes: &[u8], start: usize, end: usize) -> bool {
    let is_pair =
        |pair: &[u8]| pair.iter().all(u8::is_ascii_hexdigit) && pair.iter().any(u8::is_ascii_digit);
    let before = start.checked_sub(3).and_then(|from| bytes.get(from..start));
    let follows = bytes
        .get(end..end + 3)
        .is_some_and(|rest| rest[0] == b' ' && is_pair(&rest[1..]));
    follows || before.is_some_and(|rest| rest[2] == b' ' && is_pair(&rest[..2]))
}

/// `0049 30 1234567`.
fn is_exit_code(number: &Number, parts: usize) -> bool {
    let digits = number.digits_of(parts);
    parts >= 2
        && digits.starts_with(&[0, 0])
        && (3..=5).contains(&number.length(0))
        && matches!(number.gap(0), Some(Gap::Blank | Gap::Dash))
        && has_country(&digits[2..], number)
}

/// What may follow a word such as `phone`; after other words, such as `call`, the digits must look more like it.
fn is_named_shape(number: &Number, parts: usize, is_named: bool) -> bool {
    let digits = number.digits_of(parts);
    let most = if digits.starts_with(&[0, 0]) { 15 } else { 12 };
    if !(7..=most).contains(&digits.len()) || is_date(number) || is_thousands(number, parts) {
        return false;
    }
    if digits.iter().all(|digit| *digit == digits[0]) || digits.ends_with(&[0; 5]) {
        return false;
    }
    let is_decimal = parts == 2 && number.gap(0) == Some(Gap::Dot);
    let is_address = parts == 4 && number.is_split_by(Gap::Dot, 4) && digits.len() <= 12;
    let is_years = parts == 2 && (0..2).all(|part| (1900..2100).contains(&number.value(part)));
    if is_decimal || is_address || is_years {
        return false;
    }
    let is_alone = parts == 1;
    let is_short_groups = parts > 1 && (0..parts).all(|part| number.length(part) == 1);
    if is_short_groups {
        return false;
    }
    is_named
        || !is_alone
        || matches!(digits.len(), 10..=11)
        || (digits[0] == 0 && digits.len() >= 9)
}

/// `2024-05-06`, `06.05.2024`, `20240506`.
fn is_date(number: &Number) -> bool {
    let is_year = |year: u64| (1900..2100).contains(&year);
    let is_split =
        (0..2).any(|part| matches!(number.gap(part), Some(Gap::Dash | Gap::Dot | Gap::Slash)));
    let is_short = |part: usize| (1..=2).contains(&number.length(part)) && number.value(part) <= 31;
    let is_year_first = |part: usize| {
        number.length(part) == 4
            && is_year(number.value(part))
            && is_short(part + 1)
            && is_short(part + 2)
    };
    let year_first = (0..number.count()).any(is_year_first);
    let year_last = number.length(2) == 4 && is_year(number.value(2)) && is_short(0) && is_short(1);
    let value = number.value(0);
    let is_packed = number.length(0) == 8
        && is_year(value / 10_000)
        && (1..=12).contains(&(value / 100 % 100))
        && (1..=31).contains(&(value % 100));
    is_packed || (is_split && (year_first || year_last))
}

/// `1.234.567`.
fn is_thousands(number: &Number, parts: usize) -> bool {
    parts >= 2
        && number.length(0) <= 3
        && matches!(number.only_gap(parts), Some(Gap::Dot))
        && (1..parts).all(|part| number.length(part) == 3)
}

type Codes = BTreeMap<u16, (usize, usize)>;

fn load() -> Result<Codes, LexiconError> {
    const TEXT: &str = include_str!("../../data/personal_phone.txt");
    let file = Lexicon::parse("personal_phone.txt", TEXT)?;
    let mut codes = Codes::new();
    for row in file.rows("codes", 3)? {
        let cells: Result<Vec<u16>, _> = row.cells.iter().map(|cell| cell.parse()).collect();
        let cells = cells.map_err(|_| row.fault("expected numbers"))?;
        codes.insert(cells[0], (usize::from(cells[1]), usize::from(cells[2])));
    }
    Ok(codes)
}

fn codes() -> &'static Codes {
    static CODES: LazyLock<Codes> = LazyLock::new(|| load().expect("a test loads the data file"));
    &CODES
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::personal::tests::{check, check_none};

    #[test]
    fn international_numbers_are_found() {
        load().expect("the codes");
        for (text, value) in [
            ("at +49 30 901820 today", "+49 30 901820"),
            ("+49 (0)171 2345678.", "+49 (0)171 2345678"),
            ("tel:+14155550132;ext=1", "+14155550132"),
            ("(+44) 20 7946 0958", "+44) 20 7946 0958"),
            ("+33 6 12 34 56 78", "+33 6 12 34 56 78"),
            ("+1 (212) 555-0187 x3", "+1 (212) 555-0187"),
            ("+86-138-1234-5678", "+86-138-1234-5678"),
            ("0049 30 9018 2034", "0049 30 9018 2034"),
            ("+1.212.555.0187", "+1.212.555.0187"),
        ] {
            check(text, "phone", &[value]);
        }
    }

    #[test]
    fn national_shapes_are_found() {
        for text in [
            "(030) 90182034",
            "(212) 555-0187",
            "212-555-0187",
            "1-800-555-0187",
            "06 12 34 56 78",
            "06.12.34.56.78",
            "07700 900123",
            "020 7946 0958",
            "0171/2345678",
            "138 1234 5678",
            "090-1234-5678",
            "03-1234-5678",
            "(11) 91234-5678",
            "0171-2345678",
            "0151 23456789",
            "06-12345678",
            "070-123 45 67",
            "044 668 18 00",
            "089 / 12 34 56 78",
            "1 (800) 555-0187",
            "8 (912) 345-67-89",
            "01632 960123",
            "0475 12 34 56",
            "212.555.0187",
        ] {
            check(&format!("She said {text}."), "phone", &[text]);
        }
    }

    #[test]
    fn words_name_other_shapes() {
        for (text, value) in [
            ("Tel. 030 901820", "030 901820"),
            ("phone: 5550132", "5550132"),
            ("my mobile number is 612 345 678", "612 345 678"),
            ("\"phoneNumber\": \"2125550187\"", "2125550187"),
            ("Handy 01712345678", "01712345678"),
            ("call me at 555-0132", "555-0132"),
            ("call 0171 2345678 tonight", "0171 2345678"),
            ("98765 43210 (mobile)", "98765 43210"),
            ("电话：13812345678", "13812345678"),
            ("WhatsApp 11 98765-4321", "11 98765-4321"),
        ] {
            check(text, "phone", &[value]);
        }
    }

    #[test]
    fn other_numbers_are_not() {
        for text in [
            "1712345678 1712345678901 2024-05-06 12:30:45 20240506123045",
            "order 212-555-0187; ticket 030 9018 2034; id 0171/2345678",
            "ISBN 978-3-16-148410-0 and 3-16-148410-X",
            "call on 2024-05-06 or 06.05.2024, call 12345678 times",
            "mobile users: 1.234.567; phone 15 Pro; UTC+02:00; +0200; +100; 1+4930901820",
            "@@ -120,7 +120,9 @@ 555-1234567 12-34-56 10 20 30 40 50",
            "a3f2-212-555-0187 212-555-0187-44 v1.212.555.0187 $ 212555018",
            "01 02 03 04 05 and 3f 06 12 34 56 78",
            "called 1.7.2 (2023-03-21), calls 1 000 000",
            "phone: 2016-2020",
            "550e8400-e29b-41d4-a716-446655440000",
            "+49 *** **12 phone: [personal:phone] phone: xxx-xxx-xxxx tel: 000-000-0000",
            "f(123) 456-7890x",
        ] {
            check_none(text);
        }
    }
}
