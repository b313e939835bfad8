//! The Americas.

use super::super::checks::{luhn, value, weighted};
use super::super::number::Gap;
use super::{Fit, Form};

/// Social Security number: area, group and serial, without a checksum.
pub(super) fn united_states(form: Form) -> Fit {
    let is_dashed = form.is_split(&[3, 2, 4], Gap::Dash);
    if !is_dashed && !form.is_split(&[3, 2, 4], Gap::Blank) && !form.is_packed(9) {
        return Fit::None;
    }
    let (area, group, serial) = (
        value(&form.digits[..3]),
        value(&form.digits[3..5]),
        value(&form.digits[5..]),
    );
    // Printed in advertisements and documentation.
    let is_published = matches!(
        (area, group, serial),
        (78, 5, 1120) | (219, 9, 9999) | (123, 45, 6789)
    );
    if matches!(area, 0 | 666 | 900..) || group == 0 || serial == 0 || is_published {
        return Fit::None;
    }
    Fit::alone_if(is_dashed)
}

/// Individual Taxpayer Identification Number: 9, and the groups that are issued.
pub(super) fn united_states_taxpayer(form: Form) -> Fit {
    let in_groups = |gap| form.is_split(&[3, 2, 4], gap);
    let is_shaped = in_groups(Gap::Dash) || in_groups(Gap::Blank) || form.is_packed(9);
    let is_issued = is_shaped
        && form.digits[0] == 9
        && matches!(value(&form.digits[3..5]), 50..=65 | 70..=88 | 90..=92 | 94..=99);
    if is_issued { Fit::IfOwnName } else { Fit::None }
}

/// CPF: two check digits.
pub(super) fn brazil(form: Form) -> Fit {
    let number = form.number;
    let is_printed = form.parts == 4
        && number.has_lengths(&[3, 3, 3, 2])
        && number.is_split_by(Gap::Dot, 3)
        && number.gap(2) == Some(Gap::Dash);
    if !is_printed && !form.is_packed(11) || is_one_digit(form.digits) {
        return Fit::None;
    }
    let check = |length: u32| {
        let weights: Vec<u32> = (2..=length + 1).rev().collect();
        let rest = weighted(&form.digits[..length as usize], &weights) * 10 % 11 % 10;
        rest == u32::from(form.digits[length as usize])
    };
    if check(9) && check(10) {
        Fit::alone_if(is_printed)
    } else {
        Fit::None
    }
}

/// Social Insurance Number: Luhn.
pub(super) fn canada(form: Form) -> Fit {
    let is_valid = form.is_packed_or_in_threes(9)
        && !matches!(form.digits[0], 0 | 8)
        && luhn(form.digits)
        && !is_one_digit(form.digits);
    if is_valid { Fit::IfNamed } else { Fit::None }
}

fn is_one_digit(digits: &[u8]) -> bool {
    digits.iter().all(|digit| *digit == digits[0])
}
