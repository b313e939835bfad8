//! Checksums over digits, given as values from 0 to 9.

/// The sum of products of digits and weights.
pub(super) fn weighted(digits: &[u8], weights: &[u32]) -> u32 {
    let products = digits.iter().zip(weights);
    products
        .map(|(digit, weight)| u32::from(*digit) * weight)
        .sum()
}

/// The number that digits form.
pub(super) fn value(digits: &[u8]) -> u64 {
    let join = |value: u64, digit: &u8| value.wrapping_mul(10).wrapping_add(u64::from(*digit));
    digits.iter().fold(0, join)
}

/// Luhn's check (ISO/IEC 7812-1).
pub(super) fn luhn(digits: &[u8]) -> bool {
    let double = |digit: u8| if digit > 4 { digit * 2 - 9 } else { digit * 2 };
    let sum: u32 = digits
        .iter()
        .rev()
        .enumerate()
        .map(|(place, digit)| {
            u32::from(if place % 2 == 1 {
                double(*digit)
            } else {
                *digit
            })
        })
        .sum();
    sum.is_multiple_of(10)
}

/// Mod 97-10 (ISO/IEC 7064) over letters and digits; letters count from 10.
pub(super) fn mod_97(characters: impl Iterator<Item = u8>) -> u32 {
    characters.fold(0, |rest, byte| match byte {
        b'0'..=b'9' => (rest * 10 + u32::from(byte - b'0')) % 97,
        _ => (rest * 100 + u32::from(byte.to_ascii_uppercase().wrapping_sub(b'A') % 26) + 10) % 97,
    })
}

/// Mod 11,10 (ISO/IEC 7064).
pub(super) fn mod_11_10(digits: &[u8]) -> bool {
    let Some((check, body)) = digits.split_last() else {
        return false;
    };
    let product = body.iter().fold(10, |product, digit| {
        let sum = (u32::from(*digit) + product) % 10;
        (if sum == 0 { 10 } else { sum }) * 2 % 11
    });
    (11 - product) % 10 == u32::from(*check)
}

/// Verhoeff's check: the dihedral group of order ten with his permutation.
pub(super) fn verhoeff(digits: &[u8]) -> bool {
    const PERMUTATION: [u8; 10] = [1, 5, 7, 6, 2, 8, 3, 0, 9, 4];
    let permuted = |digit: u8, times: usize| {
        (0..times % 8).fold(digit, |digit, _| PERMUTATION[usize::from(digit % 10)])
    };
    let digits = digits.iter().rev().enumerate();
    digits.fold(0, |sum, (place, digit)| {
        dihedral(sum, permuted(*digit, place))
    }) == 0
}

/// The product in the dihedral group: 0 to 4 are rotations, 5 to 9 reflections.
fn dihedral(left: u8, right: u8) -> u8 {
    match (left < 5, right < 5) {
        (true, true) => (left + right) % 5,
        (true, false) => (left + right - 5) % 5 + 5,
        (false, true) => (left - 5 + 5 - right) % 5 + 5,
        (false, false) => (left + 5 - right) % 5,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn digits(text: &str) -> Vec<u8> {
        text.bytes().map(|byte| byte - b'0').collect()
    }

    /// The last digits that a check accepts.
    fn accepted(body: &str, check: impl Fn(&[u8]) -> bool) -> Vec<u8> {
        let with = |last: &u8| check(&[digits(body), vec![*last]].concat());
        (0..10).filter(with).collect()
    }

    #[test]
    fn checks_accept_the_documented_digit() {
        assert_eq!(accepted("7992739871", luhn), [3]);
        assert_eq!(accepted("236", verhoeff), [3]);
        assert_eq!(accepted("0794", mod_11_10), [5]);
        assert_eq!(mod_97(b"3214282912345698765432161182".iter().copied()), 1);
    }

    #[test]
    fn verhoeff_detects_every_swap_of_neighbours() {
        let valid = digits("2363");
        for place in 0..3 {
            let mut swapped = valid.clone();
            swapped.swap(place, place + 1);
            assert!(swapped == valid || !verhoeff(&swapped));
        }
    }
}
