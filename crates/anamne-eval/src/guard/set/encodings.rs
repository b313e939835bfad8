//! Base64, hex and percent encoding, and random characters.

use std::fmt::Write;

use crate::chance::Chance;

/// Base64 with padding.
pub(super) fn base64(bytes: &[u8]) -> String {
    encoded(bytes, *b"+/", true)
}

/// Base64url without padding.
pub(super) fn base64url(bytes: &[u8]) -> String {
    encoded(bytes, *b"-_", false)
}

fn encoded(bytes: &[u8], last: [u8; 2], is_padded: bool) -> String {
    let alphabet: Vec<u8> = (b'A'..=b'Z')
        .chain(b'a'..=b'z')
        .chain(b'0'..=b'9')
        .chain(last)
        .collect();
    let mut text = String::with_capacity(bytes.len().div_ceil(3) * 4);
    for group in bytes.chunks(3) {
        let byte = |at: usize| u32::from(group.get(at).copied().unwrap_or(0));
        let bits = byte(0) << 16 | byte(1) << 8 | byte(2);
        for place in 0..=group.len() {
            let digit = bits >> (18 - 6 * place) & 63;
            text.push(char::from(alphabet[digit as usize]));
        }
        if is_padded {
            text.push_str(&"=="[..3 - group.len()]);
        }
    }
    text
}

/// Lower-case hex.
pub(super) fn hex(bytes: &[u8]) -> String {
    bytes.iter().fold(String::new(), |mut text, byte| {
        let _ = write!(text, "{byte:02x}");
        text
    })
}

/// Every byte but letters and digits as `%XX`.
pub(super) fn percent(text: &str) -> String {
    text.bytes().fold(String::new(), |mut encoded, byte| {
        if byte.is_ascii_alphanumeric() {
            encoded.push(char::from(byte));
        } else {
            let _ = write!(encoded, "%{byte:02X}");
        }
        encoded
    })
}

/// Random bytes.
pub(super) fn bytes(count: usize, chance: &mut Chance) -> Vec<u8> {
    (0..count).map(|_| (chance.next() >> 32) as u8).collect()
}

/// Random characters of an alphabet.
pub(super) fn of(alphabet: &str, count: usize, chance: &mut Chance) -> String {
    let alphabet: Vec<char> = alphabet.chars().collect();
    (0..count).map(|_| *pick(&alphabet, chance)).collect()
}

/// One of several; the slice must not be empty.
pub(super) fn pick<'slice, T>(slice: &'slice [T], chance: &mut Chance) -> &'slice T {
    &slice[chance.below(slice.len())]
}

/// A random number in a closed range.
pub(super) fn between(low: i64, high: i64, chance: &mut Chance) -> i64 {
    low + (chance.next() % (high - low + 1).unsigned_abs().max(1)) as i64
}

/// An alphabet by its letter in `formats.txt`.
pub(super) fn alphabet(name: &str) -> Option<&'static str> {
    Some(match name {
        "d" | "digits" => "0123456789",
        "h" | "hex" => "0123456789abcdef",
        "H" => "0123456789ABCDEF",
        "a" => "abcdefghijklmnopqrstuvwxyz",
        "A" => "ABCDEFGHIJKLMNOPQRSTUVWXYZ",
        "n" => "abcdefghijklmnopqrstuvwxyz0123456789",
        "N" => "ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789",
        "M" => "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz",
        "m" => "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789",
        "u" | "b64u" => "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_",
        "s" | "b64" => "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/",
        "t" | "b32" => "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567",
        "x" => "x",
        "X" => "X",
        "dna" => "ACGT",
        "amino" => "ACDEFGHIKLMNPQRSTVWY",
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn encodings_agree_with_rfc_4648() {
        assert_eq!(base64(b"foobar"), "Zm9vYmFy");
        assert_eq!(base64(b"foob"), "Zm9vYg==");
        assert_eq!(base64(b"fooba"), "Zm9vYmE=");
        assert_eq!(base64url(&[0xfb, 0xff]), "-_8");
        assert_eq!(hex(&[0, 255]), "00ff");
        assert_eq!(percent("a b@"), "a%20b%40");
    }
}
