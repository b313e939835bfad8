//! Personal data other than national ids.

use super::accounts::{card, iban};
use super::checksums::{ean13, weighted};
use super::encodings::{between, of, pick};
use super::words::{domain, from, word};
use crate::chance::Chance;

/// A value by name; `None` if there is no such value.
pub(super) fn value(name: &str, variant: &str, chance: &mut Chance) -> Option<String> {
    match name {
        "email" => email(variant, chance),
        "phone" => phone(variant, chance),
        "iban" => iban(variant, chance),
        "card" => card(variant, chance),
        "birth" => birth(variant, chance),
        "address" => address(variant, chance),
        "ip" => Some(public_ip(chance)),
        "ipv6" => Some(public_ipv6(chance)),
        "ip-private" => Some(private_ip(chance)),
        "isbn13" | "isbn13-dashed" | "isbn10" => Some(isbn(name, chance)),
        _ => None,
    }
}

pub(super) fn digits(count: usize, chance: &mut Chance) -> String {
    of("0123456789", count, chance)
}

pub(super) fn numbers(text: &str) -> Vec<u32> {
    text.chars()
        .filter_map(|character| character.to_digit(10))
        .collect()
}

fn email(variant: &str, chance: &mut Chance) -> Option<String> {
    let first = from("first", chance)?.to_lowercase();
    let last = from("last", chance)?.to_lowercase();
    let own = domain(chance);
    let mail_host = from("mail-host", chance)?;
    Some(match (variant, chance.below(4)) {
        ("tag", _) => format!("{first}+{}@{mail_host}", word(chance)),
        ("long", _) => format!(
            "{first}.{last}-{}@mail.{}.{own}",
            word(chance),
            word(chance)
        ),
        (_, 0) => format!("{first}.{last}@{own}"),
        (_, 1) => format!("{first}{}@{mail_host}", 10 + chance.below(90)),
        (_, 2) => format!("{}.{last}@{mail_host}", &first[..1]),
        _ => format!("{first}_{last}@{own}"),
    })
}

/// Formats as people write them; `#` is a digit, `N` one from 2 to 9.
fn phone(variant: &str, chance: &mut Chance) -> Option<String> {
    const E164: &[&str] = &[
        "+4917########",
        "+1415N######",
        "+336########",
        "+447#########",
    ];
    const DE_INTL: &[&str] = &["+49 30 N#######", "+49 (0)89 N######", "+49 17# N######"];
    const INTL: &[&str] = &[
        "+49 30 N#######",
        "+33 6 ## ## ## ##",
        "+44 7### ######",
        "+1 (415) N##-####",
        "+34 6## ### ###",
        "+39 34# ### ####",
        "+91 98### #####",
        "+31 6 ########",
        "+48 6## ### ###",
        "+43 664 #######",
    ];
    let patterns: &[&str] = match variant {
        "us" => &[
            "(415) N##-####",
            "212-N##-####",
            "+1 617 N## ####",
            "303.N##.####",
            "1-206-N##-####",
        ],
        "de" => &[
            "030 N#######",
            "0171 N######",
            "+49 30 N#######",
            "089/N######",
            "+49 172 N######",
        ],
        "de-intl" => DE_INTL,
        "fr" => &["06 ## ## ## ##", "+33 6 ## ## ## ##", "01.##.##.##.##"],
        "es" => &["6## ## ## ##", "+34 6## ### ###", "91 N## ## ##"],
        "uk" => &[
            "07### ######",
            "+44 7### ######",
            "020 7### ####",
            "07### ### ###",
        ],
        "it" => &["34# ### ####", "+39 34# #######", "06 N#######"],
        "ru" => &["+7 9## ###-##-##", "8 (9##) ###-##-##"],
        "cn" => &["138########", "+86 138 #### ####", "139-####-####"],
        "jp" => &["090-####-####", "03-N###-####", "+81 90 #### ####"],
        "br" => &["(11) 9####-####", "+55 11 9####-####"],
        "in" => &["+91 98### #####", "98### #####"],
        "e164" => E164,
        "intl" => INTL,
        _ => return None,
    };
    let pattern = *pick(patterns, chance);
    let digit = |character| match character {
        '#' => digits(1, chance),
        'N' => of("23456789", 1, chance),
        other => other.to_string(),
    };
    Some(pattern.chars().map(digit).collect())
}

/// Groups of these sizes; what is left forms the last group.
pub(super) fn grouped(text: &str, sizes: &[usize], separator: &str) -> String {
    let mut groups = Vec::new();
    let mut rest = text;
    for size in sizes {
        let (group, after) = rest.split_at((*size).min(rest.len()));
        groups.push(group);
        rest = after;
    }
    groups.push(rest);
    groups.retain(|group| !group.is_empty());
    groups.join(separator)
}

fn birth(variant: &str, chance: &mut Chance) -> Option<String> {
    let (year, month, day) = (
        between(1935, 2010, chance),
        between(1, 12, chance),
        between(1, 28, chance),
    );
    let named = from(
        if variant == "fr" {
            "month-fr"
        } else {
            "month-en"
        },
        chance,
    )?;
    Some(match variant {
        "iso" => format!("{year}-{month:02}-{day:02}"),
        "us" => format!("{month:02}/{day:02}/{year}"),
        "eu" => format!("{day:02}/{month:02}/{year}"),
        "eu-dash" => format!("{day:02}-{month:02}-{year}"),
        "de" => format!("{day:02}.{month:02}.{year}"),
        "en" if chance.below(2) == 0 => format!("{named} {day}, {year}"),
        "en" | "fr" => format!("{day} {named} {year}"),
        _ => return None,
    })
}

fn address(variant: &str, chance: &mut Chance) -> Option<String> {
    let country = variant.split('-').next()?;
    let street = from(&format!("street-{country}"), chance)?;
    let kind = from(&format!("street-{country}-kind"), chance).unwrap_or_default();
    let city = from(&format!("city-{country}"), chance)?;
    let number = 1 + chance.below(180);
    Some(match variant {
        "us-short" => format!("{} {street} {kind}", number * 7),
        "us" => {
            let (city, state) = city.split_once(',')?;
            let zip = from("zip-us", chance)?;
            format!("{} {street} {kind}, {city}, {state} {zip}", number * 7)
        }
        "de" => format!(
            "{street} {number}, {}{} {city}",
            1 + chance.below(9),
            digits(4, chance)
        ),
        "fr" => {
            let way = pick(&["rue de la", "avenue de la", "place de la"], chance);
            format!(
                "{number} {way} {street}, {}0{} {city}",
                1 + chance.below(9),
                digits(3, chance)
            )
        }
        "es" => format!(
            "Calle {street} {number}, {} {city}",
            28_001 + chance.below(50)
        ),
        "it" => format!(
            "Via {street} {number}, {} {city}",
            20_121 + chance.below(40)
        ),
        "uk" => {
            let (area, inward) = (of("ABELMNSW", 1, chance), of("ABDEFGHJ", 2, chance));
            let (outward, sector) = (1 + chance.below(20), 1 + chance.below(9));
            format!("{number} {street} {kind}, {city} {area}{outward} {sector}{inward}")
        }
        "nl" => {
            let letters = of("ABCDEGHJK", 2, chance);
            format!(
                "{street} {number}, {} {letters} {city}",
                1_011 + chance.below(8_000)
            )
        }
        "pl" => format!(
            "ul. {street} {number}, 0{}-{} {city}",
            chance.below(9),
            digits(3, chance)
        ),
        _ => return None,
    })
}

/// An address that is in no private, reserved or documentation range.
fn public_ip(chance: &mut Chance) -> String {
    let first = *pick(
        &[
            5, 31, 46, 62, 77, 80, 84, 91, 93, 109, 134, 151, 178, 185, 193, 212, 217,
        ],
        chance,
    );
    let rest: Vec<String> = (0..3)
        .map(|_| between(1, 254, chance).to_string())
        .collect();
    format!("{first}.{}", rest.join("."))
}

fn public_ipv6(chance: &mut Chance) -> String {
    let groups: Vec<String> = (0..4)
        .map(|_| format!("{:x}", between(0x1000, 0xffff, chance)))
        .collect();
    match chance.below(2) {
        0 => format!(
            "2a02:{}::{:x}",
            groups[..3].join(":"),
            1 + chance.below(0xfff)
        ),
        _ => format!("2a01:4f8:{}:1::2", groups[0]),
    }
}

fn private_ip(chance: &mut Chance) -> String {
    let (third, fourth) = (chance.below(256), 1 + chance.below(254));
    match chance.below(3) {
        0 => format!("10.{}.{third}.{fourth}", chance.below(256)),
        1 => format!("192.168.{third}.{fourth}"),
        _ => format!("172.{}.{third}.{fourth}", 16 + chance.below(16)),
    }
}

fn isbn(name: &str, chance: &mut Chance) -> String {
    if name == "isbn10" {
        let body = digits(9, chance);
        let sum = weighted(&numbers(&body), &[10, 9, 8, 7, 6, 5, 4, 3, 2]);
        return match (11 - sum % 11) % 11 {
            10 => format!("{body}X"),
            check => format!("{body}{check}"),
        };
    }
    let body = format!("978{}", digits(9, chance));
    let isbn = format!("{body}{}", ean13(&numbers(&body)));
    if name == "isbn13" {
        isbn
    } else {
        grouped(&isbn, &[3, 1, 3, 5, 1], "-")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn phones_and_addresses_have_no_open_places() {
        for seed in 0..50 {
            let chance = &mut Chance::new(seed);
            for variant in [
                "us", "de", "fr", "es", "uk", "it", "ru", "cn", "jp", "br", "in", "e164", "intl",
            ] {
                let phone = phone(variant, chance).expect("a phone");
                assert!(!phone.contains(['#', 'N']), "{phone}");
            }
            for variant in ["us", "us-short", "de", "fr", "es", "it", "uk", "nl", "pl"] {
                assert!(address(variant, chance).is_some_and(|one| one.len() > 8));
            }
        }
    }
}
