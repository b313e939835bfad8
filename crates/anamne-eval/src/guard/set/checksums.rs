//! Check digits and checksums.

/// CRC-32 (IEEE 802.3).
pub(super) fn crc32(bytes: &[u8]) -> u32 {
    let mut crc = u32::MAX;
    for byte in bytes {
        crc ^= u32::from(*byte);
        for _ in 0..8 {
            let is_odd = crc & 1 == 1;
            crc >>= 1;
            if is_odd {
                crc ^= 0xEDB8_8320;
            }
        }
    }
    !crc
}

/// CRC-24 of OpenPGP (RFC 9580, section 6.1).
pub(super) fn crc24(bytes: &[u8]) -> u32 {
    let mut crc = 0x00B7_04CE;
    for byte in bytes {
        crc ^= u32::from(*byte) << 16;
        for _ in 0..8 {
            crc <<= 1;
            if crc & 0x0100_0000 != 0 {
                crc ^= 0x0186_4CFB;
            }
        }
    }
    crc & 0x00FF_FFFF
}

/// A number in a base up to 62, with digits 0-9, A-Z, a-z (or 0-9, a-z up to base 36), padded to a width.
pub(super) fn in_base(mut number: u64, base: u64, width: usize) -> String {
    let digits: Vec<char> = match base {
        ..=36 => ('0'..='9').chain('a'..='z').collect(),
        _ => ('0'..='9').chain('A'..='Z').chain('a'..='z').collect(),
    };
    let mut text = Vec::new();
    while number > 0 || text.len() < width {
        text.push(digits[(number % base) as usize]);
        number /= base;
    }
    text.iter().rev().collect()
}

/// The last digit that makes a number valid by Luhn's formula (ISO/IEC 7812).
pub(super) fn luhn(digits: &[u32]) -> u32 {
    let doubled = |(place, digit): (usize, &u32)| match place % 2 {
        0 => digit * 2 / 10 + digit * 2 % 10,
        _ => *digit,
    };
    let sum: u32 = digits.iter().rev().enumerate().map(doubled).sum();
    (10 - sum % 10) % 10
}

/// The sum of digits times weights.
pub(super) fn weighted(digits: &[u32], weights: &[u32]) -> u32 {
    let products = digits.iter().zip(weights);
    products.map(|(digit, weight)| digit * weight).sum()
}

/// The check digits of an IBAN (ISO 13616).
pub(super) fn iban_check(country: &str, account: &str) -> u32 {
    let moved = format!("{account}{country}00");
    let digit = |rest: u32, character: char| match character.to_digit(36) {
        Some(value) if value > 9 => (rest * 100 + value) % 97,
        Some(value) => (rest * 10 + value) % 97,
        None => rest,
    };
    98 - moved.chars().fold(0, digit)
}

/// The check digit of Verhoeff's scheme, computed in the dihedral group of order 10.
pub(super) fn verhoeff(digits: &[u32]) -> u32 {
    let check = digits.iter().rev().enumerate();
    let product = check.fold(0, |sum, (place, digit)| {
        dihedral(sum, permuted(*digit, place + 1))
    });
    (0..10)
        .find(|digit| dihedral(product, *digit) == 0)
        .unwrap_or(0)
}

fn dihedral(one: u32, other: u32) -> u32 {
    match (one < 5, other < 5) {
        (true, true) => (one + other) % 5,
        (true, false) => 5 + (one + other - 5) % 5,
        (false, true) => 5 + (one - 5 + 5 - other) % 5,
        (false, false) => (one + 5 - other) % 5,
    }
}

fn permuted(digit: u32, times: usize) -> u32 {
    const ONCE: [u32; 10] = [1, 5, 7, 6, 2, 8, 3, 0, 9, 4];
    (0..times % 8).fold(digit, |digit, _| ONCE[digit as usize])
}

/// The check digit of ISO/IEC 7064, MOD 11,10.
pub(super) fn mod_11_10(digits: &[u32]) -> u32 {
    let product = digits.iter().fold(10, |product, digit| {
        let sum = match (digit + product) % 10 {
            0 => 10,
            sum => sum,
        };
        sum * 2 % 11
    });
    (11 - product) % 10
}

/// The check digit of an EAN-13, ISBN-13 or Swiss AHV number.
pub(super) fn ean13(digits: &[u32]) -> u32 {
    let weights = [1, 3].repeat(6);
    (10 - weighted(digits, &weights) % 10) % 10
}

/// A Bech32 text (BIP 173).
pub(super) fn bech32(prefix: &str, bytes: &[u8]) -> String {
    const ALPHABET: &[u8; 32] = b"qpzry9x8gf2tvdw0s3jn54khce6mua7l";
    let values = five_bits(bytes);
    let high = prefix.bytes().map(|byte| byte >> 5);
    let low = prefix.bytes().map(|byte| byte & 31);
    let checked: Vec<u8> = high
        .chain([0])
        .chain(low)
        .chain(values.iter().copied())
        .chain([0; 6])
        .collect();
    let check = polymod(&checked) ^ 1;
    let check = (0..6).map(|place| (check >> (5 * (5 - place)) & 31) as u8);
    let data = values.iter().copied().chain(check);
    let data: String = data
        .map(|value| char::from(ALPHABET[usize::from(value)]))
        .collect();
    format!("{prefix}1{data}")
}

fn five_bits(bytes: &[u8]) -> Vec<u8> {
    let bit = |at: usize| {
        bytes
            .get(at / 8)
            .is_some_and(|byte| byte >> (7 - at % 8) & 1 == 1)
    };
    let group =
        |group: usize| (0..5).fold(0, |value, at| value << 1 | u8::from(bit(group * 5 + at)));
    (0..(bytes.len() * 8).div_ceil(5)).map(group).collect()
}

fn polymod(values: &[u8]) -> u32 {
    const GENERATOR: [u32; 5] = [
        0x3b6a_57b2,
        0x2650_8e6d,
        0x1ea1_19fa,
        0x3d42_33dd,
        0x2a14_62b3,
    ];
    values.iter().fold(1, |check, value| {
        let top = check >> 25;
        let mut next = (check & 0x01ff_ffff) << 5 ^ u32::from(*value);
        for (bit, generator) in GENERATOR.iter().enumerate() {
            if top >> bit & 1 == 1 {
                next ^= generator;
            }
        }
        next
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn digits(text: &str) -> Vec<u32> {
        text.chars().filter_map(|one| one.to_digit(10)).collect()
    }

    #[test]
    fn checksums_agree_with_published_examples() {
        assert_eq!(crc32(b"123456789"), 0xCBF4_3926);
        assert_eq!(crc24(b"123456789"), 0x0021_CF02);
        assert_eq!(luhn(&digits("7992739871")), 3);
        assert_eq!(iban_check("GB", "WEST12345698765432"), 82);
        assert_eq!(verhoeff(&digits("236")), 3);
        assert_eq!(ean13(&digits("978316148410")), 0);
        assert_eq!(ean13(&digits("756123456789")), 7);
        assert_eq!(mod_11_10(&digits("8609574271")), 9);
        assert_eq!(bech32("a", &[]), "a12uel5l");
    }

    #[test]
    fn numbers_are_written_in_base_36_and_62() {
        assert_eq!(in_base(35, 36, 2), "0z");
        assert_eq!(in_base(61, 62, 3), "00z");
        assert_eq!(in_base(10, 62, 1), "A");
    }
}
