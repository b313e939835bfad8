//! National ids of countries outside Europe.

use super::{Born, dashed, with_check};
use crate::chance::Chance;
use crate::guard::set::checksums::weighted;
use crate::guard::set::encodings::{between, pick};
use crate::guard::set::people::{digits, grouped, numbers};

/// CPF.
pub(super) fn brazil(chance: &mut Chance) -> String {
    let check = |body: &[u32]| {
        let weights: Vec<u32> = (2..=body.len() as u32 + 1).rev().collect();
        weighted(body, &weights) * 10 % 11 % 10
    };
    let body = digits(9, chance);
    let body = with_check(&with_check(&body, check), check);
    format!(
        "{}.{}.{}-{}",
        &body[..3],
        &body[3..6],
        &body[6..9],
        &body[9..]
    )
}

pub(super) fn turkey(chance: &mut Chance) -> String {
    let body = format!("{}{}", between(1, 9, chance), digits(8, chance));
    let all = numbers(&body);
    let odd: u32 = all.iter().step_by(2).sum();
    let even: u32 = all.iter().skip(1).step_by(2).sum();
    let tenth = (odd * 7 + 90 - even) % 10;
    let last = (odd + even + tenth) % 10;
    format!("{body}{tenth}{last}")
}

/// Resident identity number (GB 11643-1999).
pub(super) fn china(born: &Born, chance: &mut Chance) -> String {
    let region = pick(&["110101", "310104", "120101"], chance);
    let order = digits(3, chance);
    let body = format!(
        "{region}{}{:02}{:02}{order}",
        born.year, born.month, born.day
    );
    let sum = weighted(
        &numbers(&body),
        &[7, 9, 10, 5, 8, 4, 2, 1, 6, 3, 7, 9, 10, 5, 8, 4, 2],
    );
    format!("{body}{}", char::from(b"10X98765432"[sum as usize % 11]))
}

pub(super) fn korea(born: &Born, chance: &mut Chance) -> String {
    let body = format!(
        "{}{}{}",
        born.yymmdd(),
        between(1, 2, chance),
        digits(5, chance)
    );
    let sum = weighted(&numbers(&body), &[2, 3, 4, 5, 6, 7, 8, 9, 2, 3, 4, 5]);
    dashed(&format!("{body}{}", (11 - sum % 11) % 10))
}

/// RUT.
pub(super) fn chile(chance: &mut Chance) -> String {
    let number = between(5_000_000, 25_000_000, chance).to_string();
    let reversed: Vec<u32> = numbers(&number).into_iter().rev().collect();
    let check = match 11 - weighted(&reversed, &[2, 3, 4, 5, 6, 7, 2, 3]) % 11 {
        11 => "0".to_owned(),
        10 => "K".to_owned(),
        check => check.to_string(),
    };
    let (rest, last) = number.split_at(number.len() - 3);
    let (first, middle) = rest.split_at(rest.len() - 3);
    format!("{first}.{middle}.{last}-{check}")
}

/// Social security number: no check digit, but areas and groups that are never issued.
pub(super) fn united_states(chance: &mut Chance) -> String {
    let area = match between(1, 898, chance) {
        666 => 667,
        area => area,
    };
    format!(
        "{area:03}-{:02}-{:04}",
        between(1, 99, chance),
        between(1, 9999, chance)
    )
}

/// Tax file number: the weighted sum is divisible by 11.
pub(super) fn australia(chance: &mut Chance) -> Option<String> {
    let number = format!("{}{}", between(1, 9, chance), digits(8, chance));
    let sum = weighted(&numbers(&number), &[1, 4, 3, 7, 5, 8, 6, 9, 10]);
    sum.is_multiple_of(11)
        .then(|| grouped(&number, &[3; 3], " "))
}
