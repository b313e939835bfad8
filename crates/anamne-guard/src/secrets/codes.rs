//! Checksums and encodings that values carry.

/// CRC-32 (IEEE 802.3).
pub(super) fn crc32(bytes: &[u8]) -> u32 {
    !bytes.iter().fold(u32::MAX, |mut sum, byte| {
        sum ^= u32::from(*byte);
        for _ in 0..8 {
            sum = (sum >> 1) ^ (0xEDB8_8320 & (sum & 1).wrapping_neg());
        }
        sum
    })
}

/// A number in six base-62 digits: 0–9, A–Z, a–z.
pub(super) fn base62(mut number: u32) -> [u8; 6] {
    const DIGITS: &[u8; 62] = b"0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";
    let mut digits = [b'0'; 6];
    for digit in digits.iter_mut().rev() {
        *digit = DIGITS[(number % 62) as usize];
        number /= 62;
    }
    digits
}

/// The bytes of base 64 in either alphabet; `None` if a byte isn't part of it. Padding ends it.
pub(super) fn base64(text: &[u8]) -> Option<Vec<u8>> {
    let mut bytes = Vec::with_capacity(text.len() * 3 / 4);
    let (mut held, mut bits) = (0_u32, 0);
    for byte in text {
        let six = match byte {
            b'A'..=b'Z' => byte - b'A',
            b'a'..=b'z' => byte - b'a' + 26,
            b'0'..=b'9' => byte - b'0' + 52,
            b'+' | b'-' => 62,
            b'/' | b'_' => 63,
            b'=' => break,
            _ => return None,
        };
        held = (held << 6) | u32::from(six);
        bits += 6;
        if bits >= 8 {
            bits -= 8;
            bytes.push((held >> bits) as u8);
        }
    }
    Some(bytes)
}

/// FNV-1a in 64 bits after a fixed key: names published values without repeating them.
pub(super) fn fingerprint(text: &str) -> u64 {
    b"anamne-guard:"
        .iter()
        .chain(text.as_bytes())
        .fold(0xCBF2_9CE4_8422_2325, |hash, byte| {
            (hash ^ u64::from(*byte)).wrapping_mul(0x0100_0000_01B3)
        })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn codes_agree_with_their_definitions() {
        assert_eq!(crc32(b"123456789"), 0xCBF4_3926);
        assert_eq!(base62(61), *b"00000z");
        assert_eq!(base62(62), *b"000010");
        assert_eq!(base64(b"aGk_IQ==").as_deref(), Some(&b"hi?!"[..]));
        assert_eq!(base64(b"a b"), None);
        assert_ne!(fingerprint("a"), fingerprint("b"));
    }
}
