//! Character boundaries.

/// The last character boundary at or before `at`.
pub(crate) fn at_or_before(text: &str, at: usize) -> usize {
    let mut at = at.min(text.len());
    while !text.is_char_boundary(at) {
        at -= 1;
    }
    at
}
