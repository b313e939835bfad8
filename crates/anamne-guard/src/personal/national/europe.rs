//! Europe, as far as the numbers have digits only.

use super::super::checks::{luhn, mod_11_10, value, weighted};
use super::super::number::Gap;
use super::{Fit, Form, if_named, is_day, two};

/// Burgerservicenummer: mod 11, the last digit with weight -1.
pub(super) fn netherlands(form: Form) -> Fit {
    if form.digits.len() != 9 || form.parts > 4 {
        return Fit::None;
    }
    let sum = weighted(&form.digits[..8], &[9, 8, 7, 6, 5, 4, 3, 2]);
    if_named(sum % 11 == u32::from(form.digits[8]) && sum > 0)
}

/// Rijksregisternummer: a date of birth, and mod 97; since 2000 with a 2 before it.
pub(super) fn belgium(form: Form) -> Fit {
    let is_printed = form.parts == 5 && form.number.has_lengths(&[2, 2, 2, 3, 2]);
    if !is_printed && !form.is_packed(11) {
        return Fit::None;
    }
    let (body, check) = (value(&form.digits[..9]), value(&form.digits[9..]));
    let has_check = [body, 2_000_000_000 + body]
        .iter()
        .any(|body| 97 - body % 97 == check);
    if !has_check || !is_day(two(form.digits, 4), two(form.digits, 2)) {
        return Fit::None;
    }
    Fit::alone_if(is_printed)
}

/// PESEL: a date of birth whose month carries the century, and mod 10.
pub(super) fn poland(form: Form) -> Fit {
    if !form.is_packed(11) || !is_day(two(form.digits, 4), two(form.digits, 2) % 20) {
        return Fit::None;
    }
    if_named(weighted(form.digits, &[1, 3, 7, 9, 1, 3, 7, 9, 1, 3, 1]).is_multiple_of(10))
}

/// Steuer-Identifikationsnummer: mod 11,10; one digit of the first ten stands there twice or thrice.
pub(super) fn germany(form: Form) -> Fit {
    if !(form.is_packed(11) || form.is_split(&[2, 3, 3, 3], Gap::Blank)) || form.digits[0] == 0 {
        return Fit::None;
    }
    let mut counts = [0; 10];
    for digit in &form.digits[..10] {
        counts[usize::from(*digit)] += 1;
    }
    let repeated: Vec<_> = counts.iter().filter(|count| **count > 1).collect();
    if_named(matches!(repeated[..], [2 | 3]) && mod_11_10(form.digits))
}

/// Personnummer: a date of birth, and Luhn over the last ten digits.
pub(super) fn sweden(form: Form) -> Fit {
    let is_long = form.digits.len() == 12;
    let is_dashed = form.is_split(&[6, 4], Gap::Dash) || form.is_split(&[8, 4], Gap::Dash);
    if !(is_dashed || form.is_packed(10) || form.is_packed(12)) {
        return Fit::None;
    }
    let short = &form.digits[form.digits.len() - 10..];
    let day = two(short, 4);
    // Numbers of coordination have 60 added to the day.
    let day = if day > 60 { day - 60 } else { day };
    let year = if is_long {
        value(&form.digits[..4])
    } else {
        1900
    };
    if !(1890..2100).contains(&year) || !is_day(day, two(short, 2)) || !luhn(short) {
        return Fit::None;
    }
    // Builds and reports are numbered by recent dates.
    Fit::alone_if(is_dashed && year < 2015)
}

/// Fødselsnummer: a date of birth, and two checks mod 11.
pub(super) fn norway(form: Form) -> Fit {
    let is_shaped = form.is_packed(11) || form.is_split(&[6, 5], Gap::Blank);
    let day = if is_shaped { two(form.digits, 0) } else { 0 };
    // D numbers have 40 added to the day.
    let day = if day > 40 { day - 40 } else { day };
    if !is_shaped || !is_day(day, two(form.digits, 2)) {
        return Fit::None;
    }
    let first = weighted(form.digits, &[3, 7, 6, 1, 8, 9, 4, 5, 2, 1]);
    let second = weighted(form.digits, &[5, 4, 3, 2, 7, 6, 5, 4, 3, 2, 1]);
    if first.is_multiple_of(11) && second.is_multiple_of(11) {
        Fit::Alone
    } else {
        Fit::None
    }
}

/// CPR number: a date of birth; mod 11 holds for most.
pub(super) fn denmark(form: Form) -> Fit {
    let is_dashed = form.is_split(&[6, 4], Gap::Dash);
    if !(is_dashed || form.is_packed(10)) || !is_day(two(form.digits, 0), two(form.digits, 2)) {
        return Fit::None;
    }
    let sum = weighted(form.digits, &[4, 3, 2, 7, 6, 5, 4, 3, 2, 1]);
    Fit::alone_if(is_dashed && sum.is_multiple_of(11))
}

/// Henkilötunnus with a digit at the end; the ones with a letter are in `lettered`.
pub(super) fn finland(form: Form) -> Fit {
    if !form.is_split(&[6, 4], Gap::Dash) || !is_day(two(form.digits, 0), two(form.digits, 2)) {
        return Fit::None;
    }
    let has_check = value(&form.digits[..9]) % 31 == u64::from(form.digits[9]);
    if has_check { Fit::Alone } else { Fit::None }
}

/// NIF: mod 11.
pub(super) fn portugal(form: Form) -> Fit {
    if !form.is_packed_or_in_threes(9) || matches!(form.digits[0], 0 | 4 | 7) {
        return Fit::None;
    }
    let rest = weighted(&form.digits[..8], &[9, 8, 7, 6, 5, 4, 3, 2]) % 11;
    let check = if rest < 2 { 0 } else { 11 - rest };
    if_named(check == u32::from(form.digits[8]))
}

/// AHV number: 756, and the check digit of EAN-13.
pub(super) fn switzerland(form: Form) -> Fit {
    let in_groups = |gap| form.is_split(&[3, 4, 4, 2], gap);
    let is_printed = [Gap::Dot, Gap::Blank, Gap::Dash].into_iter().any(in_groups);
    if !(is_printed || form.is_packed(13)) || !form.digits.starts_with(&[7, 5, 6]) {
        return Fit::None;
    }
    let sum = weighted(form.digits, &[1, 3, 1, 3, 1, 3, 1, 3, 1, 3, 1, 3, 1]);
    if sum.is_multiple_of(10) {
        Fit::alone_if(is_printed)
    } else {
        Fit::None
    }
}
