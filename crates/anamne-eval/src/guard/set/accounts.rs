//! Bank accounts (IBAN) and cards with their check digits.

use super::checksums::{iban_check, luhn, weighted};
use super::encodings::{alphabet, between, of, pick};
use super::people::{digits, grouped, numbers};
use crate::chance::Chance;

/// An IBAN: `DE`, or `DE-spaced` for groups of four.
pub(super) fn iban(variant: &str, chance: &mut Chance) -> Option<String> {
    let (country, style) = variant.split_once('-').unwrap_or((variant, ""));
    let account = account(country, chance)?;
    let check = iban_check(country, &account);
    let iban = format!("{country}{check:02}{account}");
    Some(if style == "spaced" {
        grouped(&iban, &[4; 8], " ")
    } else {
        iban
    })
}

/// An account number as long as the country's, with national check digits where they are a plain remainder.
fn account(country: &str, chance: &mut Chance) -> Option<String> {
    let mixed = |count, chance: &mut Chance| of(alphabet("N").unwrap_or("0"), count, chance);
    let letters = |count, chance: &mut Chance| of(alphabet("A").unwrap_or("A"), count, chance);
    Some(match country {
        "DE" => digits(18, chance),
        "AT" => digits(16, chance),
        "SE" => digits(20, chance),
        "PL" => digits(24, chance),
        "CH" => digits(17, chance),
        "DK" => digits(14, chance),
        "NL" => format!("{}{}", letters(4, chance), digits(10, chance)),
        "GB" | "IE" => format!("{}{}", letters(4, chance), digits(14, chance)),
        "IT" => format!(
            "{}{}{}",
            letters(1, chance),
            digits(10, chance),
            mixed(12, chance)
        ),
        "LU" => format!("{}{}", digits(3, chance), mixed(13, chance)),
        "FI" => {
            let body = digits(13, chance);
            format!("{body}{}", luhn(&numbers(&body)))
        }
        "BE" => {
            let body = digits(10, chance);
            let rest = body.parse::<u64>().ok()? % 97;
            format!("{body}{:02}", if rest == 0 { 97 } else { rest })
        }
        "PT" => {
            let body = digits(19, chance);
            format!("{body}{:02}", 98 - body.parse::<u128>().ok()? * 100 % 97)
        }
        "FR" => {
            let body = digits(21, chance);
            format!("{body}{:02}", 97 - body.parse::<u128>().ok()? * 100 % 97)
        }
        "NO" => norway(chance),
        "ES" => spain(chance),
        _ => return None,
    })
}

fn norway(chance: &mut Chance) -> String {
    loop {
        let body = digits(10, chance);
        let sum = weighted(&numbers(&body), &[5, 4, 3, 2, 7, 6, 5, 4, 3, 2]);
        let check = (11 - sum % 11) % 11;
        if check < 10 {
            return format!("{body}{check}");
        }
    }
}

/// Bank and branch, two check digits, account.
fn spain(chance: &mut Chance) -> String {
    let check = |body: &[u32]| match 11 - weighted(body, &[1, 2, 4, 8, 5, 10, 9, 7, 3, 6]) % 11 {
        10 => 1,
        check => check % 11,
    };
    let (bank, account) = (digits(8, chance), digits(10, chance));
    let first = check(&numbers(&format!("00{bank}")));
    let second = check(&numbers(&account));
    format!("{bank}{first}{second}{account}")
}

/// A card number: the issuer, and `-spaced` or `-dashed` for groups.
pub(super) fn card(variant: &str, chance: &mut Chance) -> Option<String> {
    let (issuer, style) = variant.split_once('-').unwrap_or((variant, ""));
    let (prefix, length) = match issuer {
        "visa" => ("4".to_owned(), 16),
        "mastercard" => (between(51, 55, chance).to_string(), 16),
        "amex" => ((*pick(&["34", "37"], chance)).to_owned(), 15),
        "discover" => ("6011".to_owned(), 16),
        _ => return None,
    };
    let random = digits(length - 1 - prefix.len(), chance);
    let body = format!("{prefix}{random}");
    let number = format!("{body}{}", luhn(&numbers(&body)));
    let sizes: &[usize] = if length == 15 { &[4, 6, 5] } else { &[4; 4] };
    Some(match style {
        "spaced" => grouped(&number, sizes, " "),
        "dashed" => grouped(&number, sizes, "-"),
        _ => number,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ibans_have_right_lengths_and_checksums() {
        let chance = &mut Chance::new(1);
        let all = [
            ("DE", 22),
            ("FR", 27),
            ("GB", 22),
            ("IT", 27),
            ("CH", 21),
            ("NO", 15),
            ("LU", 20),
            ("ES", 24),
            ("BE", 16),
            ("PT", 25),
            ("FI", 18),
        ];
        for (variant, length) in all {
            let iban = iban(variant, chance).expect("an IBAN");
            assert_eq!(iban.len(), length, "{iban}");
            let check: u32 = iban[2..4].parse().expect("check digits");
            assert_eq!(check, iban_check(&iban[..2], &iban[4..]));
        }
    }

    #[test]
    fn cards_end_with_their_check_digit() {
        let card = card("amex-spaced", &mut Chance::new(1)).expect("a card");
        let all = numbers(&card);
        assert_eq!((card.len(), luhn(&all[..14])), (17, all[14]));
    }
}
