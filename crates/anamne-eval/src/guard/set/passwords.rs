//! Passwords as people and generators make them.

use super::encodings::{of, percent, pick};
use super::words::{capitalised, word};
use crate::chance::Chance;

const ALNUM: &str = "ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz23456789";
const SYMBOLS: &str = "!@#%^*-_+=?.~";
/// Symbols that need no encoding in a URL's user information.
const URL_SYMBOLS: &str = "!*-_.~+";
/// Symbols without a meaning in a list of `key=value;`.
const DSN_SYMBOLS: &str = "!@#%^*-_+?.~";

/// A password with symbols, for quoted contexts.
pub(super) fn mixed(chance: &mut Chance) -> String {
    with_symbols(SYMBOLS, chance)
}

/// Letters and digits, at least one of each.
pub(super) fn alphanumeric(chance: &mut Chance) -> String {
    let length = 10 + chance.below(12);
    let text = of(ALNUM, length, chance);
    let digit = of("23456789", 1, chance);
    format!("{text}{digit}")
}

/// For the user information of a URL.
pub(super) fn for_url(chance: &mut Chance) -> String {
    match chance.below(2) {
        0 => alphanumeric(chance),
        _ => with_symbols(URL_SYMBOLS, chance),
    }
}

/// For connection strings of `key=value;`.
pub(super) fn for_dsn(chance: &mut Chance) -> String {
    match chance.below(2) {
        0 => alphanumeric(chance),
        _ => with_symbols(DSN_SYMBOLS, chance),
    }
}

/// Percent-encoded, with at least one encoded symbol.
pub(super) fn percent_encoded(chance: &mut Chance) -> String {
    let symbol = of("@/:#%!", 1, chance);
    percent(&format!(
        "{}{symbol}{}",
        alphanumeric(chance),
        of(ALNUM, 3, chance)
    ))
}

/// A word, a year, a symbol: what people choose.
pub(super) fn weak(chance: &mut Chance) -> String {
    let year = 1980 + chance.below(46);
    let symbol = of("!.#", 1, chance);
    format!("{}{year}{symbol}", capitalised(word(chance)))
}

/// A word with a capital and digits in place of some letters, and a number or none, 8 to 12 characters: `Tr0ub4dor`.
pub(super) fn leet(chance: &mut Chance) -> String {
    let mut text = capitalised(word(chance));
    while text.len() < 7 {
        text.push_str(&capitalised(word(chance)));
    }
    text.truncate(8 + chance.below(3));
    let mut text: String = text.char_indices().map(with_digit).collect();
    while text.len() < 8 || !text.contains(|one: char| one.is_ascii_digit()) {
        text.push_str(&of("23456789", 2, chance));
    }
    text
}

/// The digit that looks like a letter, but for the first one.
fn with_digit((at, letter): (usize, char)) -> char {
    match letter {
        'o' if at > 0 => '0',
        'e' if at > 0 => '3',
        'a' if at > 0 => '4',
        's' if at > 0 => '5',
        _ => letter,
    }
}

/// Small letters and digits, 8 to 12 characters, at least one of each.
pub(super) fn lower(chance: &mut Chance) -> String {
    let letters = of("abcdefghijkmnopqrstuvwxyz", 1, chance);
    let text = of(
        "abcdefghijkmnopqrstuvwxyz23456789",
        6 + chance.below(5),
        chance,
    );
    format!("{letters}{text}{}", of("23456789", 1, chance))
}

/// Words with hyphens and a number.
pub(super) fn passphrase(chance: &mut Chance) -> String {
    let words: Vec<&str> = (0..4).map(|_| word(chance)).collect();
    format!("{}-{}", words.join("-"), 10 + chance.below(90))
}

fn with_symbols(symbols: &str, chance: &mut Chance) -> String {
    match chance.below(4) {
        0 => {
            let symbol = of(symbols, 1, chance);
            let number = 10 + chance.below(9990);
            let tail = of(ALNUM, 3, chance);
            format!("{}{number}{symbol}{tail}", capitalised(word(chance)))
        }
        1 => {
            let parts: Vec<String> = (0..3).map(|_| of(ALNUM, 6, chance)).collect();
            parts.join("-")
        }
        _ => {
            let mut text: Vec<char> = of(ALNUM, 11 + chance.below(10), chance).chars().collect();
            let symbols: Vec<char> = symbols.chars().collect();
            for _ in 0..=chance.below(3) {
                let at = 1 + chance.below(text.len() - 2);
                text[at] = *pick(&symbols, chance);
            }
            text.iter().collect()
        }
    }
}
