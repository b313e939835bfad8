//! International bank account numbers (ISO 13616).

use std::ops::Range;
use std::sync::LazyLock;

use anamne_text::lexicon::{Lexicon, LexiconError, Row};
use std::collections::BTreeMap;

use super::checks::mod_97;
use super::scan::is_word;

/// The longest one with its blanks, in bytes.
pub(super) const MOST: usize = 56;

/// The account number that starts with the country at a place. O(1).
pub(super) fn at(text: &str, start: usize) -> Option<Range<usize>> {
    let bytes = text.as_bytes();
    let country = bytes.get(start..start + 2)?;
    let parts = countries().get(&[
        country[0].to_ascii_lowercase(),
        country[1].to_ascii_lowercase(),
    ])?;
    let length = 4 + parts.iter().map(|part| part.length).sum::<usize>();
    let (characters, end) = read(bytes, start, length)?;
    let is_lower = country[0].is_ascii_lowercase();
    let has_one_case = characters
        .iter()
        .all(|byte| !byte.is_ascii_alphabetic() || byte.is_ascii_lowercase() == is_lower);
    let is_valid = has_one_case
        && characters[2..4].iter().all(u8::is_ascii_digit)
        && has_structure(&characters[4..], parts)
        && characters[4..].iter().any(|byte| *byte != b'0')
        && mod_97(characters[4..].iter().chain(&characters[..4]).copied()) == 1;
    let is_alone = !bytes.get(end).copied().is_some_and(is_word);
    (is_valid && is_alone).then_some(start..end)
}

/// This many letters and digits, with blanks, a hyphen or a line break between groups, and where they end.
fn read(bytes: &[u8], start: usize, length: usize) -> Option<(Vec<u8>, usize)> {
    let mut characters = Vec::with_capacity(length);
    let mut at = start;
    while characters.len() < length && at < start + MOST {
        match *bytes.get(at)? {
            byte if byte.is_ascii_alphanumeric() => characters.push(byte),
            b'-' | b'.' if bytes[at - 1].is_ascii_alphanumeric() && characters.len() >= 4 => {}
            b' ' | b'\n' | b'\r' | b'\t' if characters.len() >= 4 => {}
            0xC2 if bytes.get(at + 1) == Some(&0xA0) => at += 1,
            0xE2 if bytes.get(at + 1..at + 3) == Some(&[0x80, 0xAF]) => at += 2,
            _ => return None,
        }
        at += 1;
    }
    (characters.len() == length).then_some((characters, at))
}

fn has_structure(characters: &[u8], parts: &[Part]) -> bool {
    let mut rest = characters;
    parts.iter().all(|part| {
        let Some((these, after)) = rest.split_at_checked(part.length) else {
            return false;
        };
        rest = after;
        these.iter().all(|byte| match part.kind {
            b'n' => byte.is_ascii_digit(),
            b'a' => byte.is_ascii_alphabetic(),
            _ => byte.is_ascii_alphanumeric(),
        })
    })
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Part {
    length: usize,
    /// `n`, `a` or `c`, as in the registry.
    kind: u8,
}

type Countries = BTreeMap<[u8; 2], Vec<Part>>;

fn load() -> Result<Countries, LexiconError> {
    const TEXT: &str = include_str!("../../data/personal_iban.txt");
    let file = Lexicon::parse("personal_iban.txt", TEXT)?;
    let mut countries = Countries::new();
    for row in file.rows("countries", 2)? {
        let country: [u8; 2] = row.cells[0]
            .as_bytes()
            .try_into()
            .map_err(|_| row.fault("bad country"))?;
        countries.insert(country, structure(&row)?);
    }
    Ok(countries)
}

fn structure(row: &Row) -> Result<Vec<Part>, LexiconError> {
    let pieces = row.cells[1].split_inclusive(|one: char| one.is_ascii_alphabetic());
    let part = |piece: &str| {
        let (length, kind) = piece.split_at(piece.len() - 1);
        let length = length.parse().map_err(|_| row.fault("bad structure"))?;
        Ok(Part {
            length,
            kind: kind.as_bytes()[0],
        })
    };
    pieces.map(part).collect()
}

fn countries() -> &'static Countries {
    static COUNTRIES: LazyLock<Countries> =
        LazyLock::new(|| load().expect("a test loads the data file"));
    &COUNTRIES
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::personal::tests::{check, check_none, grouped};

    /// An account number with its check digits.
    fn iban(country: &str, account: &str) -> String {
        let open = format!("{account}{country}00");
        format!("{country}{:02}{account}", 98 - mod_97(open.bytes()))
    }

    #[test]
    fn accounts_are_found_in_all_spellings() {
        for (country, account) in [
            ("DE", "512108001245126199"),
            ("GB", "BARC20658244971655"),
            ("FR", "30006000011234567890189"),
            ("NL", "RABO0300065264"),
            ("NO", "86011117947"),
            ("MT", "MALT011000012345MTLCAST001S"),
        ] {
            let iban = iban(country, account);
            check(&format!("to {iban}, please"), "iban", &[&iban]);
            check(
                &format!("iban={}", iban.to_lowercase()),
                "iban",
                &[&iban.to_lowercase()],
            );
            let groups = [4; 8];
            let full = iban.len() / 4;
            let mut lengths = groups[..full].to_vec();
            if !iban.len().is_multiple_of(4) {
                lengths.push(iban.len() % 4);
            }
            let spaced = grouped(&iban, &lengths, " ");
            check(&format!("IBAN: {spaced} BIC X"), "iban", &[&spaced]);
        }
    }

    #[test]
    fn the_registry_gives_the_lengths() {
        let length = |country: &[u8; 2]| {
            4 + countries()[country]
                .iter()
                .map(|part| part.length)
                .sum::<usize>()
        };
        for (country, expected) in [
            (b"de", 22),
            (b"no", 15),
            (b"mt", 31),
            (b"fr", 27),
            (b"br", 29),
            (b"lc", 32),
        ] {
            assert_eq!(length(country), expected);
        }
        assert!(
            countries()
                .values()
                .flatten()
                .all(|part| b"nac".contains(&part.kind))
        );
    }

    #[test]
    fn accounts_may_stand_next_to_others_and_on_two_lines() {
        let one = iban("DE", "512108001245126199");
        let other = iban("FI", "94706190186709");
        check(&format!("{one}/{other}"), "iban", &[&one, &other]);
        for split in ["\n", "\r\n    ", "\u{202f}", "  "] {
            let broken = format!("{}{split}{}", &one[..12], &one[12..]);
            check(&format!("IBAN: {broken}."), "iban", &[&broken]);
        }
    }

    #[test]
    fn wrong_ones_are_not() {
        let good = iban("DE", "512108001245126199");
        let wrong = good.replacen('5', "6", 1);
        for text in [
            wrong,
            format!("x{good}"),
            format!("{good}1"),
            good[..20].to_owned(),
            format!("ZZ{}", &good[2..]),
        ] {
            check_none(&text);
        }
    }
}
