//! Hexadecimal encoding.

/// Decodes exactly as many bytes as fit in `into`; `None` for any other text.
pub(crate) fn read(digits: &[u8], into: &mut [u8]) -> Option<()> {
    (digits.len() == into.len() * 2).then_some(())?;
    let digit = |digit: u8| char::from(digit).to_digit(16);
    for (byte, pair) in into.iter_mut().zip(digits.chunks_exact(2)) {
        *byte = u8::try_from(digit(pair[0])? * 16 + digit(pair[1])?).ok()?;
    }
    Some(())
}

/// Encodes bytes in lower case.
pub(crate) fn digits(bytes: &[u8]) -> String {
    let halves = bytes.iter().flat_map(|byte| [byte >> 4, byte & 15]);
    halves
        .filter_map(|half| char::from_digit(half.into(), 16))
        .collect()
}
