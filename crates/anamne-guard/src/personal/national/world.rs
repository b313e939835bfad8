//! Other countries, as far as the numbers have digits only.

use super::super::checks::{luhn, value, weighted};
use super::super::number::Gap;
use super::{Fit, Form, if_named, is_day, two};

/// NHS number: mod 11.
pub(super) fn health_in_britain(form: Form) -> Fit {
    let in_groups = |gap| form.is_split(&[3, 3, 4], gap);
    let is_shaped = form.is_packed(10) || in_groups(Gap::Blank) || in_groups(Gap::Dash);
    let sum = weighted(form.digits, &[10, 9, 8, 7, 6, 5, 4, 3, 2, 1]);
    if_named(is_shaped && value(form.digits) > 0 && sum.is_multiple_of(11))
}

/// Sozialversicherungsnummer: a serial, mod 11, and a date of birth.
pub(super) fn austria(form: Form) -> Fit {
    let in_groups = |lengths: &[usize]| form.is_split(lengths, Gap::Blank);
    let is_shaped = form.is_packed(10)
        || in_groups(&[4, 6])
        || in_groups(&[4, 2, 2, 2])
        || form.is_split(&[4, 6], Gap::Dash)
        || form.is_split(&[4, 6], Gap::Slash);
    // Days that ran out of numbers have months after December.
    let is_dated = is_shaped
        && (1..=31).contains(&two(form.digits, 4))
        && (1..=15).contains(&two(form.digits, 6));
    let rest = weighted(form.digits, &[3, 7, 9, 0, 5, 8, 4, 2, 1, 6]) % 11;
    if_named(is_dated && form.digits[0] > 0 && rest == u32::from(form.digits[3]))
}

/// Kennitala: a date of birth, mod 11, and the century.
pub(super) fn iceland(form: Form) -> Fit {
    let is_dashed = form.is_split(&[6, 4], Gap::Dash);
    if !is_dashed && !form.is_packed(10) || !is_day(two(form.digits, 0), two(form.digits, 2)) {
        return Fit::None;
    }
    let sum = weighted(form.digits, &[3, 2, 7, 6, 5, 4, 3, 2, 1]);
    if sum.is_multiple_of(11) && matches!(form.digits[9], 0 | 8 | 9) {
        Fit::alone_if(is_dashed)
    } else {
        Fit::None
    }
}

/// Matricule: a date of birth, and Luhn over the first twelve digits.
pub(super) fn luxembourg(form: Form) -> Fit {
    let is_shaped = form.is_packed(13) || form.is_split(&[4, 2, 2, 5], Gap::Blank);
    let is_dated = is_shaped
        && (1880..2100).contains(&value(&form.digits[..4]))
        && is_day(two(form.digits, 6), two(form.digits, 4));
    if_named(is_dated && luhn(&form.digits[..12]))
}

/// Identity number of South Africa: a date of birth, a serial, citizenship, and Luhn.
pub(super) fn south_africa(form: Form) -> Fit {
    let is_shaped = form.is_packed(13)
        || form.is_split(&[6, 4, 3], Gap::Blank)
        || form.is_split(&[6, 4, 2, 1], Gap::Blank);
    let is_dated = is_shaped && is_day(two(form.digits, 4), two(form.digits, 2));
    if_named(is_dated && form.digits[10] < 3 && luhn(form.digits))
}

/// Teudat zehut: Luhn.
pub(super) fn israel(form: Form) -> Fit {
    let is_shaped = form.is_packed(9) || form.is_split(&[8, 1], Gap::Dash);
    if_named(is_shaped && value(form.digits) > 0 && luhn(form.digits))
}

/// Identity number of Thailand: mod 11.
pub(super) fn thailand(form: Form) -> Fit {
    let in_groups = |gap| form.is_split(&[1, 4, 5, 2, 1], gap);
    let is_printed = in_groups(Gap::Dash) || in_groups(Gap::Blank);
    if !is_printed && !form.is_packed(13) || !(1..=8).contains(&form.digits[0]) {
        return Fit::None;
    }
    let sum = weighted(form.digits, &[13, 12, 11, 10, 9, 8, 7, 6, 5, 4, 3, 2]);
    if (11 - sum % 11) % 10 == u32::from(form.digits[12]) {
        Fit::alone_if(is_printed)
    } else {
        Fit::None
    }
}

/// NIK: a place, and a date of birth with 40 added to the day for women; no check.
pub(super) fn indonesia(form: Form) -> Fit {
    let is_shaped = form.is_packed(16) && (11..=96).contains(&two(form.digits, 0));
    if_own_name(is_shaped && is_day(two(form.digits, 6) % 40, two(form.digits, 8)))
}

/// MyKad: a date of birth, a place and a serial; no check.
pub(super) fn malaysia(form: Form) -> Fit {
    let is_shaped = form.is_packed(12) || form.is_split(&[6, 2, 4], Gap::Dash);
    if_own_name(is_shaped && is_day(two(form.digits, 4), two(form.digits, 2)))
}

/// CCCD: a province, sex and century, and a year; no check.
pub(super) fn vietnam(form: Form) -> Fit {
    if_own_name(form.is_packed(12) && form.digits[0] == 0)
}

/// CNIC: a place, a family and sex; no check.
pub(super) fn pakistan(form: Form) -> Fit {
    let is_shaped = form.is_packed(13) || form.is_split(&[5, 7, 1], Gap::Dash);
    if_own_name(is_shaped && (1..=8).contains(&form.digits[0]))
}

/// National number of Egypt: a century, a date of birth and a place.
pub(super) fn egypt(form: Form) -> Fit {
    let is_shaped = form.is_packed(14) && matches!(form.digits[0], 2 | 3);
    if_named(is_shaped && is_day(two(form.digits, 5), two(form.digits, 3)))
}

/// Emirates ID: 784, a year of birth, a serial, and Luhn.
pub(super) fn emirates(form: Form) -> Fit {
    let is_dashed = form.is_split(&[3, 4, 7, 1], Gap::Dash);
    if !is_dashed && !form.is_packed(15) || !form.digits.starts_with(&[7, 8, 4]) {
        return Fit::None;
    }
    let has_year = (1900..2100).contains(&value(&form.digits[3..7]));
    if has_year && luhn(form.digits) {
        Fit::alone_if(is_dashed)
    } else {
        Fit::None
    }
}

/// National number and iqama of Saudi Arabia: Luhn.
pub(super) fn saudi_arabia(form: Form) -> Fit {
    let is_shaped = form.is_packed(10) && matches!(form.digits[0], 1 | 2);
    if_named(is_shaped && luhn(form.digits))
}

/// National code of Iran: mod 11.
pub(super) fn iran(form: Form) -> Fit {
    if !form.is_packed(10) && !form.is_split(&[3, 6, 1], Gap::Dash) || value(form.digits) == 0 {
        return Fit::None;
    }
    let rest = weighted(form.digits, &[10, 9, 8, 7, 6, 5, 4, 3, 2]) % 11;
    let check = if rest < 2 { rest } else { 11 - rest };
    if_named(check == u32::from(form.digits[9]))
}

/// IRD number: mod 11, with other weights if it gives ten.
pub(super) fn new_zealand(form: Form) -> Fit {
    let is_split = (2..=3).contains(&form.number.length(0))
        && form.is_split(&[form.number.length(0), 3, 3], Gap::Dash);
    let Some((check, body)) = form.digits.split_last() else {
        return Fit::None;
    };
    if !(form.parts == 1 || is_split) || !(7..=8).contains(&body.len()) {
        return Fit::None;
    }
    let check_with = |weights: &[u32; 8]| {
        let sum = weighted(body, &weights[8 - body.len()..]);
        (11 - sum % 11) % 11
    };
    let first = check_with(&[3, 2, 7, 6, 5, 4, 3, 2]);
    let found = if first == 10 {
        check_with(&[7, 4, 3, 2, 5, 2, 7, 6])
    } else {
        first
    };
    if_named(found == u32::from(*check))
}

fn if_own_name(is_valid: bool) -> Fit {
    if is_valid { Fit::IfOwnName } else { Fit::None }
}
