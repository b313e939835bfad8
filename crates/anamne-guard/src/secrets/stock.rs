//! Stock passwords: what documentation, tests and default settings use, and nobody keeps secret.

use super::codes::base64;
use super::steps;
use super::words::lists;

/// The longest value that is read.
const MOST: usize = 48;

/// Whether a value is put together from words about passwords, such as `test-password-1`, `Passw0rd!` and `mysecret123`, in plain
/// or in base 64, or is a row of digits such as `123456`. O(bytes · longest word).
pub(super) fn is_stock(value: &str) -> bool {
    is_composed(value) || is_encoded(value)
}

/// Whether base 64 decodes to a stock password, perhaps after the name of a user.
fn is_encoded(value: &str) -> bool {
    let is_long = value.len() >= 8 && value.len() <= MOST && value.len().is_multiple_of(4);
    let text = is_long
        .then(|| base64(value.as_bytes()))
        .flatten()
        .and_then(|bytes| String::from_utf8(bytes).ok());
    text.is_some_and(|text| {
        let password = text.rsplit(':').next().unwrap_or_default().trim_end();
        password.len() >= 4 && is_composed(password)
    })
}

/// Whether words of the list make up the value, besides punctuation, percent escapes and counters.
fn is_composed(value: &str) -> bool {
    let bytes = value.as_bytes();
    if bytes.len() > MOST || bytes.is_empty() {
        return false;
    }
    steps::count(bytes.len());
    if bytes.iter().all(u8::is_ascii_digit) {
        return is_counter(bytes);
    }
    // A bit for each place up to which the value is made of words, with and without a word so far.
    let (mut reached, mut worded) = (1_u64, 0_u64);
    for at in 0..bytes.len() {
        let has = |places: u64| places >> at & 1 == 1;
        if !has(reached) && !has(worded) {
            continue;
        }
        let rest = &bytes[at..];
        for length in fillers(rest, at == 0)
            .into_iter()
            .filter(|length| *length > 0)
        {
            reached |= u64::from(has(reached)) << (at + length);
            worded |= u64::from(has(worded)) << (at + length);
        }
        for word in words_at(rest) {
            if begins_with(rest, word.as_bytes()) {
                worded |= 1 << (at + word.len());
            }
        }
    }
    worded >> bytes.len() & 1 == 1
}

/// The words that may begin here, by their first letter.
fn words_at(rest: &[u8]) -> impl Iterator<Item = &'static str> {
    let letters = match rest.first() {
        Some(b'!') => [b'!', b'i'],
        Some(b'1') => [b'1', b'i'],
        Some(byte) => [plain(*byte), 0],
        None => [0, 0],
    };
    letters
        .into_iter()
        .flat_map(|letter| lists().stock_words.with(Some(letter)))
        .copied()
}

/// The lengths of what may stand between words here: a mark, an escape such as `%20`, a counter. Digits before a letter
/// count nothing, unless the value begins with them.
fn fillers(rest: &[u8], is_first: bool) -> [usize; 2] {
    let mark = match rest {
        [b'%', high, low, ..] if high.is_ascii_hexdigit() && low.is_ascii_hexdigit() => 3,
        [byte, ..] if byte.is_ascii_punctuation() || *byte == b' ' => 1,
        _ => 0,
    };
    let digits = rest.iter().take_while(|byte| byte.is_ascii_digit()).count();
    let counts = is_first || !rest.get(digits).is_some_and(u8::is_ascii_alphabetic);
    let counter = if counts && is_counter(&rest[..digits]) {
        digits
    } else {
        0
    };
    [mark, counter]
}

/// `1`, `42`, `123`, `321`, `777`: at most two digits, a row, or one digit repeated.
fn is_counter(digits: &[u8]) -> bool {
    let follows = |step: i16| {
        digits
            .windows(2)
            .all(|pair| i16::from(pair[1]) - i16::from(pair[0]) == step)
    };
    (1..=2).contains(&digits.len()) || (digits.len() <= 10 && [1, -1, 0].into_iter().any(follows))
}

/// Whether a text begins with a word, whatever its case, also with the digits and signs that stand for letters: `p@ssw0rd`.
fn begins_with(text: &[u8], word: &[u8]) -> bool {
    let is_same = |(own, letter): (&u8, &u8)| {
        plain(*own) == *letter || (matches!(own, b'1' | b'!') && *letter == b'i')
    };
    text.len() >= word.len() && text.iter().zip(word).all(is_same)
}

/// The letter that a digit or sign stands for, in small letters.
fn plain(byte: u8) -> u8 {
    match byte {
        b'0' => b'o',
        b'3' => b'e',
        b'4' | b'@' => b'a',
        b'$' | b'5' => b's',
        other => other.to_ascii_lowercase(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn stock_passwords_are_told_from_chosen_ones() {
        for value in [
            "password123",
            "Passw0rd!",
            "p@ssw0rd",
            "test-password-1",
            "secure_password123",
            "myredispassword",
            "hashedPassword123",
            "pass%20pass",
            "admin",
            "letmein",
            "123456",
            "123password",
            "111111",
            "##invalid-password##",
            "cGFzc3dvcmQ=",
            "dXNlcjpub3QgbXkgcmVhbCBwYXNzd29yZA==",
        ] {
            assert!(is_stock(value), "{value}");
        }
        for value in [
            "hunter2",
            "Crawler2020.",
            "tr0ub4dor",
            "password-mara-7",
            "Tr0ub4dor&3",
            "19850612",
            "adminXk29",
            "S3cr3tPw9x",
            "Pass7word4test",
            "correct-horse-battery-staple",
            "",
        ] {
            assert!(!is_stock(value), "{value}");
        }
    }
}
