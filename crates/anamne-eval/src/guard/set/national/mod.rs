//! National ids with their check digits, as each country publishes them.

use super::checksums::{ean13, luhn, verhoeff};
use super::encodings::between;
use super::people::{digits, grouped, numbers};
use crate::chance::Chance;

mod europe;
mod world;

/// How often a number without a valid check digit is drawn again; one in eleven is invalid at most.
const ATTEMPTS: usize = 100;

/// An id of this country; `None` if the country is unknown.
pub(in crate::guard::set) fn value(country: &str, chance: &mut Chance) -> Option<String> {
    (0..ATTEMPTS).find_map(|_| attempt(country, chance))
}

fn attempt(country: &str, chance: &mut Chance) -> Option<String> {
    let born = Born::random(chance);
    match country {
        "it" => Some(europe::italy(&born, chance)),
        "es" | "es-nie" => Some(europe::spain(country, chance)),
        "fr" => Some(europe::france(&born, chance)),
        "de" => Some(europe::germany(chance)),
        "nl" => europe::netherlands(chance),
        "be" => Some(europe::belgium(&born, chance)),
        "pl" => Some(with_check(
            &format!("{}{}", born.yymmdd(), digits(4, chance)),
            europe::poland,
        )),
        "pt" => Some(with_check(
            &format!("2{}", digits(7, chance)),
            europe::portugal,
        )),
        "se" => Some(dashed(&with_check(
            &format!("{}{}", born.yymmdd(), digits(3, chance)),
            luhn,
        ))),
        "fi" => Some(europe::finland(&born, chance)),
        "no" => europe::norway(&born, chance),
        "br" => Some(world::brazil(chance)),
        "tr" => Some(world::turkey(chance)),
        "in" => {
            let body = format!("{}{}", between(2, 9, chance), digits(10, chance));
            Some(grouped(&with_check(&body, verhoeff), &[4; 3], " "))
        }
        "cn" => Some(world::china(&born, chance)),
        "kr" => Some(world::korea(&born, chance)),
        "za" => Some(with_check(
            &format!("{}{}08", born.yymmdd(), digits(4, chance)),
            luhn,
        )),
        "ro" => Some(europe::romania(&born, chance)),
        "ca" => {
            let body = format!("{}{}", between(1, 7, chance), digits(7, chance));
            Some(grouped(&with_check(&body, luhn), &[3; 3], " "))
        }
        "ch" => {
            let number = with_check(&format!("756{}", digits(9, chance)), ean13);
            Some(grouped(&number, &[3, 4, 4, 2], "."))
        }
        "uk" => europe::united_kingdom(chance),
        "cz" => europe::czechia(&born, chance),
        "cl" => Some(world::chile(chance)),
        "us" => Some(world::united_states(chance)),
        "au" => world::australia(chance),
        "ee" => Some(with_check(
            &format!(
                "{}{}{}",
                between(3, 4, chance),
                born.yymmdd(),
                digits(3, chance)
            ),
            europe::estonia,
        )),
        _ => None,
    }
}

/// A date of birth in the last century.
struct Born {
    year: i64,
    month: i64,
    day: i64,
}

impl Born {
    fn random(chance: &mut Chance) -> Self {
        Self {
            year: between(1940, 1999, chance),
            month: between(1, 12, chance),
            day: between(1, 28, chance),
        }
    }

    fn yymmdd(&self) -> String {
        format!("{:02}{:02}{:02}", self.year % 100, self.month, self.day)
    }

    fn ddmmyy(&self) -> String {
        format!("{:02}{:02}{:02}", self.day, self.month, self.year % 100)
    }
}

fn with_check(body: &str, check: impl Fn(&[u32]) -> u32) -> String {
    format!("{body}{}", check(&numbers(body)))
}

fn dashed(number: &str) -> String {
    grouped(number, &[6], "-")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn check_digits_agree_with_published_examples() {
        assert_eq!(europe::poland(&numbers("4405140135")), 9);
        assert_eq!(europe::portugal(&numbers("12345678")), 9);
        assert_eq!(europe::estonia(&numbers("3760503029")), 9);
        assert_eq!(luhn(&numbers("811218987")), 6);
    }

    #[test]
    fn every_country_has_ids_of_one_shape() {
        let all = [
            ("it", 16),
            ("es", 9),
            ("es-nie", 9),
            ("nl", 9),
            ("be", 15),
            ("pl", 11),
            ("pt", 9),
            ("se", 11),
            ("fi", 11),
            ("no", 11),
            ("br", 14),
            ("tr", 11),
            ("in", 14),
            ("cn", 18),
            ("kr", 14),
            ("za", 13),
            ("ro", 13),
            ("ca", 11),
            ("ch", 16),
            ("uk", 12),
            ("cz", 11),
            ("us", 11),
            ("au", 11),
            ("ee", 11),
        ];
        for seed in 0..20 {
            for (country, length) in all {
                let id = value(country, &mut Chance::new(seed)).unwrap_or_default();
                assert_eq!(id.len(), length, "{country}: {id}");
            }
            let tax = value("de", &mut Chance::new(seed)).unwrap_or_default();
            let mut counts = [0; 10];
            numbers(&tax)[..10]
                .iter()
                .for_each(|digit| counts[*digit as usize] += 1);
            assert_eq!(
                counts.iter().filter(|count| **count == 2).count(),
                1,
                "{tax}"
            );
        }
        assert_eq!(value("xx", &mut Chance::new(1)), None);
    }
}
