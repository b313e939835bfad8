//! Central and eastern Europe, as far as the numbers have digits only.

use super::super::checks::{luhn, mod_11_10, value, weighted};
use super::super::number::Gap;
use super::{Fit, Form, if_named, is_day, two};

/// CNP: sex and century, a date of birth, a county, a serial, and mod 11.
pub(super) fn romania(form: Form) -> Fit {
    if !form.is_packed(13)
        || form.digits[0] == 0
        || !is_day(two(form.digits, 5), two(form.digits, 3))
    {
        return Fit::None;
    }
    let rest = weighted(form.digits, &[2, 7, 9, 1, 4, 6, 3, 5, 8, 2, 7, 9]) % 11;
    let check = if rest == 10 { 1 } else { rest };
    if_named(check == u32::from(form.digits[12]))
}

/// Rodné číslo of Czechs and Slovaks: a date of birth, with 50 or 20 added to the month, and mod 11 since 1954.
pub(super) fn czechia(form: Form) -> Fit {
    let is_slashed = form.is_split(&[6, 4], Gap::Slash);
    let is_old = form.is_split(&[6, 3], Gap::Slash) || form.is_packed(9);
    if !is_slashed && !is_old && !form.is_packed(10) {
        return Fit::None;
    }
    let month = two(form.digits, 2) % 50;
    let month = if month > 20 { month - 20 } else { month };
    if !is_day(two(form.digits, 4), month) {
        return Fit::None;
    }
    if is_old {
        return if two(form.digits, 0) < 54 {
            Fit::IfOwnName
        } else {
            Fit::None
        };
    }
    let is_divisible = value(form.digits).is_multiple_of(11);
    let is_exception = value(&form.digits[..9]) % 11 == 10 && form.digits[9] == 0;
    if is_divisible {
        Fit::alone_if(is_slashed)
    } else {
        if_named(is_exception)
    }
}

/// Isikukood of Estonians and asmens kodas of Lithuanians: sex and century, a date of birth, and mod 11 in two steps.
pub(super) fn baltic(form: Form) -> Fit {
    let is_shaped = form.is_packed(11)
        && (1..=8).contains(&form.digits[0])
        && is_day(two(form.digits, 5), two(form.digits, 3));
    let check = |digits| {
        in_two_steps(
            digits,
            &[1, 2, 3, 4, 5, 6, 7, 8, 9, 1],
            &[3, 4, 5, 6, 7, 8, 9, 1, 2, 3],
        )
    };
    if_named(is_shaped && check(form.digits) == u32::from(form.digits[10]))
}

/// IIN of Kazakhstan: a date of birth, and mod 11 in two steps.
pub(super) fn kazakhstan(form: Form) -> Fit {
    let is_shaped = form.is_packed(12) && is_day(two(form.digits, 4), two(form.digits, 2));
    let check = |digits| {
        in_two_steps(
            digits,
            &[1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11],
            &[3, 4, 5, 6, 7, 8, 9, 10, 11, 1, 2],
        )
    };
    if_named(is_shaped && check(form.digits) == u32::from(form.digits[11]))
}

/// A check mod 11, with other weights if it gives ten.
fn in_two_steps(digits: &[u8], first: &[u32], second: &[u32]) -> u32 {
    match weighted(digits, first) % 11 {
        10 => weighted(digits, second) % 11 % 10,
        rest => rest,
    }
}

/// Personas kods: a date of birth, or 32 for those issued since 2017, and mod 11.
pub(super) fn latvia(form: Form) -> Fit {
    let is_dashed = form.is_split(&[6, 5], Gap::Dash);
    if !is_dashed && !form.is_packed(11) {
        return Fit::None;
    }
    if (32..40).contains(&two(form.digits, 0)) {
        return Fit::IfOwnName;
    }
    let sum = weighted(form.digits, &[1, 6, 3, 7, 9, 10, 5, 8, 4, 2]);
    let has_check = (1101 - sum) % 11 == u32::from(form.digits[10]);
    if has_check && is_day(two(form.digits, 0), two(form.digits, 2)) {
        Fit::alone_if(is_dashed)
    } else {
        Fit::None
    }
}

/// EGN: a date of birth, with 20 or 40 added to the month, and mod 11.
pub(super) fn bulgaria(form: Form) -> Fit {
    if !form.is_packed(10) || !is_day(two(form.digits, 4), two(form.digits, 2) % 20) {
        return Fit::None;
    }
    let rest = weighted(form.digits, &[2, 4, 8, 5, 10, 9, 7, 3, 6]) % 11 % 10;
    if_named(rest == u32::from(form.digits[9]))
}

/// OIB: mod 11,10.
pub(super) fn croatia(form: Form) -> Fit {
    if_named(form.is_packed(11) && mod_11_10(form.digits))
}

/// JMBG and EMŠO: a date of birth with three digits of the year, a region, and mod 11.
pub(super) fn yugoslavia(form: Form) -> Fit {
    if !form.is_packed(13) || !is_day(two(form.digits, 0), two(form.digits, 2)) {
        return Fit::None;
    }
    let sum = weighted(form.digits, &[7, 6, 5, 4, 3, 2, 7, 6, 5, 4, 3, 2]);
    let check = (11 - sum % 11) % 11 % 10;
    let is_recent = matches!(form.digits[4], 0 | 8 | 9);
    if_named(is_recent && check == u32::from(form.digits[12]))
}

/// AMKA: a date of birth and Luhn.
pub(super) fn greece(form: Form) -> Fit {
    let is_dated = form.is_packed(11) && is_day(two(form.digits, 0), two(form.digits, 2));
    if_named(is_dated && luhn(form.digits))
}

/// AFM: mod 11 with powers of two.
pub(super) fn greek_tax(form: Form) -> Fit {
    if !form.is_packed(9) || value(form.digits) == 0 {
        return Fit::None;
    }
    let rest = weighted(form.digits, &[256, 128, 64, 32, 16, 8, 4, 2]) % 11 % 10;
    if_named(rest == u32::from(form.digits[8]))
}

/// TAJ: mod 10.
pub(super) fn hungary(form: Form) -> Fit {
    let is_shaped = form.is_packed_or_in_threes(9) && value(form.digits) > 0;
    let sum = weighted(form.digits, &[3, 7, 3, 7, 3, 7, 3, 7]);
    if_named(is_shaped && sum % 10 == u32::from(form.digits[8]))
}

/// Adóazonosító jel: starts with 8, mod 11.
pub(super) fn hungarian_tax(form: Form) -> Fit {
    let is_shaped = form.is_packed(10) && form.digits[0] == 8;
    let sum = weighted(form.digits, &[1, 2, 3, 4, 5, 6, 7, 8, 9]);
    if_named(is_shaped && sum % 11 == u32::from(form.digits[9]))
}

/// SNILS: mod 101.
pub(super) fn russia(form: Form) -> Fit {
    let is_printed = form.parts == 4
        && form.number.has_lengths(&[3, 3, 3, 2])
        && form.number.is_split_by(Gap::Dash, 3)
        && matches!(form.number.gap(2), Some(Gap::Blank | Gap::Dash));
    if !is_printed && !form.is_packed(11) || value(form.digits) == 0 {
        return Fit::None;
    }
    let rest = weighted(form.digits, &[9, 8, 7, 6, 5, 4, 3, 2, 1]) % 101 % 100;
    if u64::from(rest) == two(form.digits, 9) {
        Fit::alone_if(is_printed)
    } else {
        Fit::None
    }
}

/// INN of a person: two checks mod 11.
pub(super) fn russian_tax(form: Form) -> Fit {
    if !form.is_packed(12) || value(form.digits) == 0 {
        return Fit::None;
    }
    let first = weighted(form.digits, &[7, 2, 4, 10, 3, 5, 9, 4, 6, 8]) % 11 % 10;
    let second = weighted(form.digits, &[3, 7, 2, 4, 10, 3, 5, 9, 4, 6, 8]) % 11 % 10;
    if_named([first, second] == [u32::from(form.digits[10]), u32::from(form.digits[11])])
}

/// RNOKPP: mod 11.
pub(super) fn ukraine(form: Form) -> Fit {
    if !form.is_packed(10) || value(form.digits) == 0 {
        return Fit::None;
    }
    // The official weight of the first digit is -1.
    let rest = weighted(form.digits, &[10, 5, 7, 9, 4, 6, 10, 5, 7]) % 11 % 10;
    if_named(rest == u32::from(form.digits[9]))
}

/// T.C. kimlik: two check digits.
pub(super) fn turkey(form: Form) -> Fit {
    let is_shaped = form.is_packed(11) || form.is_split(&[3, 3, 3, 2], Gap::Blank);
    if !is_shaped || form.digits[0] == 0 {
        return Fit::None;
    }
    // Minus one for even places is nine mod 10.
    let tenth = weighted(form.digits, &[7, 9, 7, 9, 7, 9, 7, 9, 7]) % 10;
    let eleventh = weighted(form.digits, &[1; 10]) % 10;
    if_named([tenth, eleventh] == [u32::from(form.digits[9]), u32::from(form.digits[10])])
}
