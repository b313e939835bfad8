//! Normal forms, in which equal things meet.

/// Maximum length of a normal form, in bytes.
const MOST_BYTES: usize = 512;

/// The normal form of a call.
pub fn call(action: &str, object: &str) -> String {
    words(&format!("{action} {object}"))
}

/// The normal form of an error message.
pub fn error(message: &str) -> String {
    words(message)
}

fn words(text: &str) -> String {
    let text = &text[..text.floor_char_boundary(MOST_BYTES)];
    let words: Vec<_> = text.split_whitespace().collect();
    words.join(" ").to_lowercase()
}
