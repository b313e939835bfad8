//! Texts that models and providers wrote, cut to what may be shown and kept.

/// A text as one line of at most `most` characters, without what could steer a terminal or hide text.
pub(crate) fn plain_line(text: &str, most: usize) -> String {
    let mut line = String::new();
    for word in text.split(|character: char| character.is_whitespace() || character.is_control()) {
        let word: String = word
            .chars()
            .filter(|&character| is_shown(character))
            .collect();
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

/// Marks of direction can show one text and hold another; tags and the byte-order mark show nothing at all.
fn is_shown(character: char) -> bool {
    !matches!(character,
        '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}' | '\u{200e}' | '\u{200f}' | '\u{feff}'
        | '\u{e0000}'..='\u{e007f}')
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
        check("a\u{202e}b\u{e0041}c", "abc");
        check("0123456789 1234567", "0123456789 1");
        check("0123456789  \u{2066} ", "0123456789");
        check("ÄÖÜäöüßéèàçñ!", "ÄÖÜäöüßéèàçñ");
        check("👩‍💻", "👩‍💻");
        check("", "");
    }
}
