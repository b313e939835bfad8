//! National ids of European countries.

use super::{Born, with_check};
use crate::chance::Chance;
use crate::guard::set::checksums::{mod_11_10, weighted};
use crate::guard::set::encodings::{between, of, pick};
use crate::guard::set::people::{digits, grouped, numbers};

/// Codice fiscale (D.M. 23 December 1976).
pub(super) fn italy(born: &Born, chance: &mut Chance) -> String {
    const ODD: [u32; 26] = [
        1, 0, 5, 7, 9, 13, 15, 17, 19, 21, 2, 4, 18, 20, 11, 3, 6, 8, 12, 14, 16, 10, 22, 25, 24,
        23,
    ];
    let letters = of("BCDFGLMNPRSTVZ", 6, chance);
    let month = char::from(b"ABCDEHLMPRST"[born.month as usize - 1]);
    let day = born.day + *pick(&[0, 40], chance);
    let town = of("ABCDEFGHIL", 1, chance);
    let body = format!(
        "{letters}{:02}{month}{day:02}{town}{}",
        born.year % 100,
        digits(3, chance)
    );
    let value = |(place, byte): (usize, u8)| {
        let number = u32::from(if byte.is_ascii_digit() {
            byte - b'0'
        } else {
            byte - b'A'
        });
        if place % 2 == 0 {
            ODD[number as usize]
        } else {
            number
        }
    };
    let sum: u32 = body.bytes().enumerate().map(value).sum();
    format!("{body}{}", char::from(b'A' + (sum % 26) as u8))
}

/// DNI, and NIE for foreigners.
pub(super) fn spain(variant: &str, chance: &mut Chance) -> String {
    let letter = |number: usize| char::from(b"TRWAGMYFPDXBNJZSQVHLCKE"[number % 23]);
    if variant == "es-nie" {
        let (kind, number) = (chance.below(3), 1_000_000 + chance.below(9_000_000));
        let check = letter(kind * 10_000_000 + number);
        return format!("{}{number}{check}", ['X', 'Y', 'Z'][kind]);
    }
    let number = 10_000_000 + chance.below(89_000_000);
    format!("{number}{}", letter(number))
}

/// NIR: the key is 97 minus the rest of the number by 97.
pub(super) fn france(born: &Born, chance: &mut Chance) -> String {
    let body = format!(
        "{}{:02}{:02}{:02}{:03}{:03}",
        between(1, 2, chance),
        born.year % 100,
        born.month,
        between(21, 95, chance),
        between(1, 400, chance),
        between(1, 999, chance)
    );
    let number: u64 = body.parse().unwrap_or(0);
    let whole = format!("{body}{:02}", 97 - number % 97);
    match chance.below(2) {
        0 => grouped(&whole, &[1, 2, 2, 2, 3, 3, 2], " "),
        _ => whole,
    }
}

/// Tax id: exactly one digit occurs twice among the first ten.
pub(super) fn germany(chance: &mut Chance) -> String {
    let mut all: Vec<u32> = (0..10).collect();
    for at in (1..all.len()).rev() {
        all.swap(at, chance.below(at + 1));
    }
    // The last digit repeats another one; the first is not 0.
    if all[0] == 0 {
        all.swap(0, 1);
    }
    all[9] = all[1 + chance.below(8)];
    all[8..].rotate_left(chance.below(2));
    let check = mod_11_10(&all);
    let text: String = all.iter().chain([&check]).map(u32::to_string).collect();
    match chance.below(2) {
        0 => grouped(&text, &[2, 3, 3, 3], " "),
        _ => text,
    }
}

pub(super) fn netherlands(chance: &mut Chance) -> Option<String> {
    let body = format!("{}{}", between(1, 9, chance), digits(7, chance));
    let check = weighted(&numbers(&body), &[9, 8, 7, 6, 5, 4, 3, 2]) % 11;
    (check < 10).then(|| format!("{body}{check}"))
}

pub(super) fn belgium(born: &Born, chance: &mut Chance) -> String {
    let order = between(1, 997, chance);
    let number: i64 = format!("{}{order:03}", born.yymmdd()).parse().unwrap_or(0);
    format!(
        "{:02}.{:02}.{:02}-{order:03}.{:02}",
        born.year % 100,
        born.month,
        born.day,
        97 - number % 97
    )
}

/// PESEL.
pub(super) fn poland(body: &[u32]) -> u32 {
    (10 - weighted(body, &[1, 3, 7, 9, 1, 3, 7, 9, 1, 3]) % 10) % 10
}

/// NIF.
pub(super) fn portugal(body: &[u32]) -> u32 {
    match 11 - weighted(body, &[9, 8, 7, 6, 5, 4, 3, 2]) % 11 {
        10 | 11 => 0,
        check => check,
    }
}

pub(super) fn finland(born: &Born, chance: &mut Chance) -> String {
    let individual = between(2, 899, chance);
    let number: usize = format!("{}{individual:03}", born.ddmmyy())
        .parse()
        .unwrap_or(0);
    let check = char::from(b"0123456789ABCDEFHJKLMNPRSTUVWXY"[number % 31]);
    format!("{}-{individual:03}{check}", born.ddmmyy())
}

pub(super) fn norway(born: &Born, chance: &mut Chance) -> Option<String> {
    let check = |body: &str, weights: &[u32]| match 11 - weighted(&numbers(body), weights) % 11 {
        10 => None,
        check => Some(check % 11),
    };
    let body = format!("{}{:03}", born.ddmmyy(), between(0, 499, chance));
    let first = check(&body, &[3, 7, 6, 1, 8, 9, 4, 5, 2])?;
    let body = format!("{body}{first}");
    let second = check(&body, &[5, 4, 3, 2, 7, 6, 5, 4, 3, 2])?;
    Some(format!("{body}{second}"))
}

pub(super) fn romania(born: &Born, chance: &mut Chance) -> String {
    let sex = between(1, 2, chance);
    let county = between(1, 40, chance);
    let body = format!(
        "{sex}{}{county:02}{:03}",
        born.yymmdd(),
        between(1, 999, chance)
    );
    with_check(&body, |body| {
        match weighted(body, &[2, 7, 9, 1, 4, 6, 3, 5, 8, 2, 7, 9]) % 11 {
            10 => 1,
            check => check,
        }
    })
}

/// NHS number.
pub(super) fn united_kingdom(chance: &mut Chance) -> Option<String> {
    let body = format!("{}{}", between(4, 7, chance), digits(8, chance));
    let sum = weighted(&numbers(&body), &[10, 9, 8, 7, 6, 5, 4, 3, 2]);
    match 11 - sum % 11 {
        10 => None,
        check => Some(grouped(&format!("{body}{}", check % 11), &[3, 3, 4], " ")),
    }
}

/// The whole number is divisible by 11.
pub(super) fn czechia(born: &Born, chance: &mut Chance) -> Option<String> {
    let month = born.month + *pick(&[0, 50], chance);
    // Four digits after the slash exist for births since 1954.
    let year = 54 + born.year % 46;
    let body = format!("{year:02}{month:02}{:02}{}", born.day, digits(3, chance));
    let number: u64 = body.parse().ok()?;
    match (11 - number * 10 % 11) % 11 {
        10 => None,
        check => Some(grouped(&format!("{body}{check}"), &[6], "/")),
    }
}

/// Isikukood.
pub(super) fn estonia(body: &[u32]) -> u32 {
    match weighted(body, &[1, 2, 3, 4, 5, 6, 7, 8, 9, 1]) % 11 {
        10 => weighted(body, &[3, 4, 5, 6, 7, 8, 9, 1, 2, 3]) % 11 % 10,
        check => check,
    }
}
