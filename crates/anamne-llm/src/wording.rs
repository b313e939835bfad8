//! Cleans and cuts texts of models and providers for display and storage.

use anamne_text::quote::shows;

/// The text as one line of at most `most` characters, without terminal control characters or hidden characters.
pub(crate) fn plain_line(text: &str, most: usize) -> String {
    let mut line = String::new();
    for word in text.split(|character: char| character.is_whitespace() || character.is_control()) {
        let word = legible(word);
        if word.is_empty() {
            continue;
        }
        if !line.is_empty() {
            line.push(' ');
        }
        line.push_str(&word);
    }
    match line.char_indices().nth(most) {
        Some((end, _)) => {
            line.truncate(end);
            line.trim_end().to_owned()
        }
        None => line,
    }
}

/// The word without invisible characters. They are dropped, not escaped: the text is only repeated.
fn legible(word: &str) -> String {
    let mut previous = None;
    let mut characters = word.chars().peekable();
    let mut kept = String::with_capacity(word.len());
    while let Some(character) = characters.next() {
        if shows(character, previous, characters.peek().copied()) {
            kept.push(character);
        }
        previous = Some(character);
    }
    kept
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_are_plain_and_short() {
        let check =
            |text: &str, expected: &str| assert_eq!(plain_line(text, 12), expected, "{text:?}");
        check("  two\n\nwords\t", "two words");
        check("\u{1b}[31mred\u{7}", "[31mred");
        check("a\u{202e}b\u{e0041}c\u{200b}d\u{ad}", "abcd");
        check("0123456789 1234567", "0123456789 1");
        check("0123456789  \u{2066} ", "0123456789");
        check("ÄÖÜäöüßéèàçñ!", "ÄÖÜäöüßéèàçñ");
        check("👩‍💻", "👩‍💻");
        check("", "");
    }
}
