//! The words of a question.

use anamne_text::analyser::is_function_word;

/// The bytes of a question that are examined.
const EXAMINED: usize = 8_192;

/// The beginning of a query that is examined, cut at a character.
pub(super) fn examined(query: &str) -> &str {
    &query[..query.floor_char_boundary(EXAMINED)]
}

/// The words of a text without the punctuation around them, and whether each begins a sentence.
pub(super) fn words(text: &str) -> impl Iterator<Item = (&str, bool)> {
    let mut begins = true;
    text.split_whitespace().filter_map(move |piece| {
        let word = piece.trim_matches(|letter: char| !letter.is_alphanumeric());
        let begins_sentence = begins;
        begins = piece.ends_with(['.', '!', '?', ':', '。', '？', '！']);
        (!word.is_empty()).then_some((word, begins_sentence))
    })
}

/// Whether a word is a name, a number or an identifier, as far as its form tells.
pub(super) fn is_name(word: &str, begins_sentence: bool) -> bool {
    let has_digit = word.contains(|letter: char| letter.is_ascii_digit());
    let has_inner_capital = word.chars().skip(1).any(char::is_uppercase);
    let is_identifier = word.contains(['_', '/', '.']) || has_inner_capital;
    let is_capitalised = !begins_sentence && word.starts_with(char::is_uppercase);
    let is_word = !is_function_word(&word.to_lowercase());
    has_digit || ((is_identifier || is_capitalised) && is_word && word.chars().nth(1).is_some())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_numbers_and_identifiers_are_told_by_their_form() {
        let text = "Which port did Mara Lind set in main.rs on day 12? Then what?";
        let names: Vec<&str> = words(text)
            .filter(|(word, begins)| is_name(word, *begins))
            .map(|(word, _)| word)
            .collect();
        assert_eq!(names, ["Mara", "Lind", "main.rs", "12"]);
    }

    #[test]
    fn examined_text_ends_at_a_character() {
        let long = "ü".repeat(EXAMINED);
        assert_eq!(examined(&long).len(), EXAMINED);
        assert_eq!(examined(&format!("a{long}")).len(), EXAMINED - 1);
    }
}
