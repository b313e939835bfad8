//! Asia and Australia.

use super::super::checks::{value, verhoeff, weighted};
use super::super::number::Gap;
use super::{Fit, Form, is_day, two};

/// Aadhaar: Verhoeff's check; never starts with 0 or 1.
pub(super) fn india(form: Form) -> Fit {
    let in_fours = form.is_split(&[4, 4, 4], Gap::Blank) || form.is_split(&[4, 4, 4], Gap::Dash);
    if !(in_fours || form.is_packed(12)) || form.digits[0] < 2 || !verhoeff(form.digits) {
        return Fit::None;
    }
    let goes_on = in_fours && form.number.length(3) >= 3;
    if goes_on {
        Fit::None
    } else {
        Fit::alone_if(in_fours)
    }
}

/// The weights of the resident number (GB 11643).
pub(super) const CHINESE: [u32; 17] = [7, 9, 10, 5, 8, 4, 2, 1, 6, 3, 7, 9, 10, 5, 8, 4, 2];

/// Whether 17 digits start a resident number: a province, and a date of birth.
pub(super) fn is_chinese_body(digits: &[u8]) -> bool {
    digits.len() >= 17
        && (11..=82).contains(&two(digits, 0))
        && (1900..2100).contains(&value(&digits[6..10]))
        && is_day(two(digits, 12), two(digits, 10))
}

/// Resident number with a digit at the end; the ones with X are in `lettered`.
pub(super) fn china(form: Form) -> Fit {
    if !form.is_packed(18) || !is_chinese_body(form.digits) {
        return Fit::None;
    }
    let check = (12 - weighted(&form.digits[..17], &CHINESE) % 11) % 11;
    if check == u32::from(form.digits[17]) {
        Fit::Alone
    } else {
        Fit::None
    }
}

/// My Number: mod 11.
pub(super) fn japan(form: Form) -> Fit {
    let in_fours = form.is_split(&[4, 4, 4], Gap::Blank) || form.is_split(&[4, 4, 4], Gap::Dash);
    if !in_fours && !form.is_packed(12) {
        return Fit::None;
    }
    let rest = weighted(&form.digits[..11], &[6, 5, 4, 3, 2, 7, 6, 5, 4, 3, 2]) % 11;
    let check = if rest <= 1 { 0 } else { 11 - rest };
    if check == u32::from(form.digits[11]) {
        Fit::IfNamed
    } else {
        Fit::None
    }
}

/// Resident registration number: a date of birth; the checksum holds for those issued before October 2020.
pub(super) fn korea(form: Form) -> Fit {
    let is_dashed = form.is_split(&[6, 7], Gap::Dash);
    let is_valid = (is_dashed || form.is_packed(13))
        && is_day(two(form.digits, 4), two(form.digits, 2))
        && (1..=8).contains(&form.digits[6]);
    if !is_valid {
        return Fit::None;
    }
    let sum = weighted(&form.digits[..12], &[2, 3, 4, 5, 6, 7, 8, 9, 2, 3, 4, 5]);
    let has_check = (11 - sum % 11) % 10 == u32::from(form.digits[12]);
    Fit::alone_if(is_dashed && has_check)
}

/// Tax File Number: mod 11.
pub(super) fn australia(form: Form) -> Fit {
    let is_valid = form.is_packed_or_in_threes(9)
        && weighted(form.digits, &[1, 4, 3, 7, 5, 8, 6, 9, 10]).is_multiple_of(11)
        && value(form.digits) > 0;
    if is_valid { Fit::IfNamed } else { Fit::None }
}

/// Medicare number: eight digits, a check digit, the issue, and perhaps the person.
pub(super) fn medicare(form: Form) -> Fit {
    let is_valid = (10..=11).contains(&form.digits.len())
        && form.parts <= 4
        && (2..=6).contains(&form.digits[0])
        && weighted(&form.digits[..8], &[1, 3, 7, 9, 1, 3, 7, 9]) % 10 == u32::from(form.digits[8]);
    if is_valid { Fit::IfNamed } else { Fit::None }
}
