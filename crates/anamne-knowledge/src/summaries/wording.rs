//! A summary as a text.

use super::digest::SummarySentence;

/// A summary as plain text: consecutive sentences of one author form a line, after the author's name if they are in the
/// first person.
pub fn text_of(sentences: &[SummarySentence]) -> String {
    let mut text = String::new();
    for run in sentences.chunk_by(|a, b| a.author == b.author) {
        if !text.is_empty() {
            text.push('\n');
        }
        if run.iter().any(|sentence| sentence.own) && !run[0].author.is_empty() {
            text.push_str(&run[0].author);
            text.push_str(": ");
        }
        for (at, sentence) in run.iter().enumerate() {
            if at > 0 {
                text.push(' ');
            }
            text.push_str(&sentence.text);
        }
    }
    text
}

/// Number of characters of a summary as [`text_of`] writes it, plus one.
pub(crate) fn length<'sentence>(
    sentences: impl IntoIterator<Item = &'sentence SummarySentence>,
) -> usize {
    let mut characters = 0;
    let mut run: Option<(&str, bool)> = None;
    for sentence in sentences {
        characters += sentence.text.chars().count() + 1;
        let named = match run {
            Some((author, named)) if author == sentence.author => named,
            _ => false,
        };
        if sentence.own && !named && !sentence.author.is_empty() {
            characters += sentence.author.chars().count() + 2;
        }
        run = Some((&sentence.author, named || sentence.own));
    }
    characters
}
