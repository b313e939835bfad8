//! Latin America and Spain, as far as the numbers have digits only.

use super::super::checks::{luhn, value, weighted};
use super::super::number::Gap;
use super::{Fit, Form, if_named, two};

/// CUIT and CUIL: a kind, the number of the identity card, and mod 11.
pub(super) fn argentina(form: Form) -> Fit {
    let is_dashed = form.is_split(&[2, 8, 1], Gap::Dash);
    let is_shaped = is_dashed || form.is_packed(11) || form.is_split(&[2, 8, 1], Gap::Blank);
    if !is_shaped || !matches!(two(form.digits, 0), 20 | 23..=27 | 30 | 33 | 34) {
        return Fit::None;
    }
    let sum = weighted(form.digits, &[5, 4, 3, 2, 7, 6, 5, 4, 3, 2]);
    let check = match 11 - sum % 11 {
        11 => 0,
        10 => 9,
        check => check,
    };
    if check == u32::from(form.digits[10]) {
        Fit::alone_if(is_dashed)
    } else {
        Fit::None
    }
}

/// PIS, PASEP, NIS and NIT: mod 11.
pub(super) fn brazilian_worker(form: Form) -> Fit {
    let number = form.number;
    let is_printed = form.parts == 4
        && number.has_lengths(&[3, 5, 2, 1])
        && number.is_split_by(Gap::Dot, 3)
        && number.gap(2) == Some(Gap::Dash);
    if !is_printed && !form.is_packed(11) || value(form.digits) == 0 {
        return Fit::None;
    }
    let rest = weighted(form.digits, &[3, 2, 9, 8, 7, 6, 5, 4, 3, 2]) % 11;
    let check = if rest < 2 { 0 } else { 11 - rest };
    if check == u32::from(form.digits[10]) {
        Fit::alone_if(is_printed)
    } else {
        Fit::None
    }
}

/// Cédula: a province and Luhn.
pub(super) fn ecuador(form: Form) -> Fit {
    let is_shaped = form.is_packed(10) || form.is_split(&[9, 1], Gap::Dash);
    let has_province = matches!(two(form.digits, 0), 1..=24 | 30);
    if_named(is_shaped && has_province && form.digits[2] < 7 && luhn(form.digits))
}

/// Cédula: mod 10, printed `1.234.567-8`.
pub(super) fn uruguay(form: Form) -> Fit {
    let number = form.number;
    let is_printed = form.parts == 4
        && number.has_lengths(&[1, 3, 3, 1])
        && number.is_split_by(Gap::Dot, 3)
        && number.gap(2) == Some(Gap::Dash);
    if !is_printed && !form.is_packed(8) && !form.is_split(&[7, 1], Gap::Dash) {
        return Fit::None;
    }
    let sum = weighted(form.digits, &[2, 9, 8, 7, 6, 3, 4]);
    if_named((10 - sum % 10) % 10 == u32::from(form.digits[7]))
}

/// Numbers of identity cards without a check: up to ten digits, often with dots.
pub(super) fn card(form: Form) -> Fit {
    let is_dotted = (2..=4).contains(&form.parts)
        && form.number.is_split_by(Gap::Dot, form.parts)
        && (1..form.parts).all(|part| form.number.length(part) == 3);
    let is_long = (7..=10).contains(&form.digits.len());
    if is_long && (form.parts == 1 || is_dotted) && form.digits[0] > 0 {
        Fit::IfOwnName
    } else {
        Fit::None
    }
}

/// Número de la Seguridad Social: a province, a serial, and mod 97.
pub(super) fn spanish_insurance(form: Form) -> Fit {
    let is_split = |gap| form.is_split(&[2, 8, 2], gap) || form.is_split(&[2, 10], gap);
    let is_shaped = form.is_packed(12)
        || [Gap::Blank, Gap::Slash, Gap::Dash]
            .into_iter()
            .any(is_split);
    if !is_shaped {
        return Fit::None;
    }
    let serial = value(&form.digits[2..10]);
    let province = two(form.digits, 0);
    let scale = if serial < 10_000_000 {
        10_000_000
    } else {
        100_000_000
    };
    if_named(serial > 0 && (province * scale + serial) % 97 == two(form.digits, 10))
}
