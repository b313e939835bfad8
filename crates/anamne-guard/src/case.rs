//! Comparing without regard to case.

/// Calls a function with a word in small letters; a short one in ASCII costs no allocation.
pub(crate) fn with_lower<T>(word: &str, then: impl FnOnce(&str) -> T) -> T {
    let mut buffer = [0; 32];
    let short = buffer.get_mut(..word.len()).filter(|_| word.is_ascii());
    let Some(short) = short else {
        return then(&word.to_lowercase());
    };
    short.copy_from_slice(word.as_bytes());
    short.make_ascii_lowercase();
    then(std::str::from_utf8(short).unwrap_or_default())
}

/// Whether a text has a part in ASCII.
pub(crate) fn has_part(text: &str, part: &str) -> bool {
    let is_part = |window: &[u8]| window.eq_ignore_ascii_case(part.as_bytes());
    text.as_bytes().windows(part.len().max(1)).any(is_part)
}

/// Whether a text ends with a word in ASCII.
pub(crate) fn ends_with(text: &str, word: &str) -> bool {
    let start = text.len().checked_sub(word.len());
    start.is_some_and(|start| text.as_bytes()[start..].eq_ignore_ascii_case(word.as_bytes()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn case_does_not_matter() {
        assert!(with_lower("ÄRGER", |lower| lower == "ärger"));
        assert!(with_lower(&"A".repeat(40), |lower| lower == "a".repeat(40)));
        assert!(has_part("é-MyPass", "pass") && !has_part("pas", "pass"));
        assert!(ends_with("MyPASS", "pass") && !ends_with("ass", "pass"));
    }
}
