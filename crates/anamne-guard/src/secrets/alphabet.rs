//! Sets of bytes, and bounded scans over them.

use super::steps;

/// A set of ASCII bytes.
pub(super) struct Alphabet([bool; 256]);

impl Alphabet {
    /// The bytes of a specification such as `a-z0-9_`; a hyphen at the end stands for itself.
    const fn of(specification: &[u8]) -> Self {
        let mut set = [false; 256];
        let mut at = 0;
        while at < specification.len() {
            if at + 2 < specification.len() && specification[at + 1] == b'-' {
                let mut byte = specification[at];
                while byte <= specification[at + 2] {
                    set[byte as usize] = true;
                    byte += 1;
                }
                at += 3;
            } else {
                set[specification[at] as usize] = true;
                at += 1;
            }
        }
        Self(set)
    }

    /// The parts of identifiers: letters of any script, digits, `_`, `-` and `.`.
    pub(super) const fn letters() -> Self {
        Self::of_every_script(b"A-Za-z0-9_.-")
    }

    /// Letters of any script, and digits.
    pub(super) const fn words() -> Self {
        Self::of_every_script(b"A-Za-z0-9")
    }

    const fn of_every_script(specification: &[u8]) -> Self {
        let mut set = Self::of(specification);
        let mut byte = 128;
        while byte < 256 {
            set.0[byte] = true;
            byte += 1;
        }
        set
    }

    /// What stands in passwords, and hardly ever in words and names.
    pub(super) const fn marks() -> Self {
        Self::of(b"!@#$%^&*?+~=")
    }

    /// The same, and digits.
    pub(super) const fn marks_and_digits() -> Self {
        Self::of(b"!@#$%^&*?+~=0-9")
    }

    /// What stands between words of a text in a Western script: white space, quotes, brackets, commas, semicolons, bars, and
    /// letters of other scripts.
    pub(super) const fn separators() -> Self {
        let mut set = Self::of(b"\"'`,;()[]{}<>|\\");
        let mut byte = 0;
        while byte < 256 {
            if byte <= b' ' as usize || byte >= 0x7F {
                set.0[byte] = true;
            }
            byte += 1;
        }
        set
    }

    /// What stands between the two halves of a pair: blanks, line ends, quotes, commas, hyphens.
    pub(super) const fn gap() -> Self {
        Self::of(b" \t\r\n,\"'\\{-")
    }

    /// What types are written with.
    pub(super) const fn types() -> Self {
        Self::of(b"A-Za-z0-9_&<>[] '|.?,:-")
    }

    /// Whether a byte belongs to the set.
    pub(super) const fn has(&self, byte: u8) -> bool {
        self.0[byte as usize]
    }

    /// How many bytes from `from` on belong to the set, at most `most`.
    pub(super) fn run(&self, bytes: &[u8], from: usize, most: usize) -> usize {
        let rest = bytes.get(from..).unwrap_or_default();
        let length = rest
            .iter()
            .take(most)
            .take_while(|byte| self.has(**byte))
            .count();
        steps::count(length + 1);
        length
    }

    /// How many bytes before `until` belong to the set, at most `most`.
    pub(super) fn run_back(&self, bytes: &[u8], until: usize, most: usize) -> usize {
        let before = bytes.get(..until).unwrap_or_default();
        let length = before
            .iter()
            .rev()
            .take(most)
            .take_while(|byte| self.has(**byte))
            .count();
        steps::count(length + 1);
        length
    }

    /// The set with this name in the data file.
    pub(super) fn named(name: &str) -> Option<&'static Self> {
        let found = NAMED.iter().find(|(other, _)| *other == name);
        found.map(|(_, alphabet)| alphabet)
    }
}

pub(super) static ALNUM: Alphabet = Alphabet::of(b"A-Za-z0-9");
pub(super) static URL: Alphabet = Alphabet::of(b"A-Za-z0-9_-");
pub(super) static BLANK: Alphabet = Alphabet::of(b" \t");
pub(super) static TOKEN68: Alphabet = Alphabet::of(b"A-Za-z0-9._~+/=:-");

static NAMED: [(&str, Alphabet); 21] = [
    ("digit", Alphabet::of(b"0-9")),
    ("alpha", Alphabet::of(b"A-Za-z")),
    ("alnum", Alphabet::of(b"A-Za-z0-9")),
    ("lownum", Alphabet::of(b"a-z0-9")),
    ("upnum", Alphabet::of(b"A-Z0-9")),
    ("hex", Alphabet::of(b"0-9a-f")),
    ("xdigit", Alphabet::of(b"0-9A-Fa-f")),
    ("base32", Alphabet::of(b"A-Z2-7")),
    ("base58", Alphabet::of(b"1-9A-HJ-NP-Za-km-z")),
    ("bech", Alphabet::of(b"QPZRY9X8GF2TVDW0S3JN54KHCE6MUA7L")),
    ("word", Alphabet::of(b"A-Za-z0-9_")),
    ("url", Alphabet::of(b"A-Za-z0-9_-")),
    ("dot", Alphabet::of(b"A-Za-z0-9_.-")),
    ("tilde", Alphabet::of(b"A-Za-z0-9_.~-")),
    ("b64", Alphabet::of(b"A-Za-z0-9+/")),
    ("base64", Alphabet::of(b"A-Za-z0-9+/=_-")),
    ("b64url", Alphabet::of(b"A-Za-z0-9+/=_-")),
    ("pct", Alphabet::of(b"A-Za-z0-9%+/=_-")),
    ("pctonly", Alphabet::of(b"A-Za-z0-9%")),
    ("uuid", Alphabet::of(b"0-9a-f-")),
    ("uuidword", Alphabet::of(b"A-Za-z0-9-")),
];

/// The blanks from a place on are skipped, at most 16.
pub(super) fn after_blanks(bytes: &[u8], at: usize) -> usize {
    at + BLANK.run(bytes, at, 16)
}

/// Whether a value may begin here: no letter, digit, `_` or `-` touches it, save the end of an escape such as `\n` or `%3D`.
pub(super) fn may_begin(bytes: &[u8], at: usize) -> bool {
    let back = |count: usize| at.checked_sub(count).map(|place| bytes[place]);
    let Some(before) = back(1) else {
        return true;
    };
    if !(before.is_ascii_alphanumeric() || matches!(before, b'_' | b'-')) {
        return true;
    }
    let is_escape = back(2) == Some(b'\\') && matches!(before, b'n' | b't' | b'r');
    let is_percent = back(3) == Some(b'%')
        && before.is_ascii_hexdigit()
        && back(2).is_some_and(|byte| byte.is_ascii_hexdigit());
    is_escape || is_percent
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn specifications_have_ranges_and_single_bytes() {
        for (byte, is_in) in [
            (b'a', true),
            (b'_', true),
            (b'-', true),
            (b'.', false),
            (b'/', false),
        ] {
            assert_eq!(URL.has(byte), is_in, "{}", byte as char);
        }
        let digit = Alphabet::named("digit").expect("an alphabet");
        assert_eq!(digit.run(b"a1234b", 1, 3), 3);
        assert_eq!(digit.run(b"a1234b", 1, 9), 4);
        assert_eq!(digit.run(b"a", 7, 9), 0);
        assert_eq!(digit.run_back(b"a1234b", 5, 9), 4);
    }

    #[test]
    fn values_begin_after_escapes_but_not_within_words() {
        for (text, at, may) in [
            ("x", 0, true),
            ("ax", 1, false),
            ("a x", 2, true),
            ("\\nx", 2, true),
            ("=%3Dx", 4, true),
            ("3Dx", 2, false),
        ] {
            assert_eq!(may_begin(text.as_bytes(), at), may, "{text}");
        }
    }
}
