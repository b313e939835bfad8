//! Decides which vectors a memory has.

use anamne_embed::{BATCH_SIZE, EmbedError, Embedder, TokenTable};
use anamne_store::view::{Record, ViewError};
use anamne_text::sentences::windows;

/// The name of this policy; a change requires a rebuild.
pub(super) const POLICY: &str = "whole+windows-120-above-250";
/// Texts with more words have window vectors in addition.
const WHOLE_WORDS: usize = 250;
/// Approximate words per window.
const WINDOW_WORDS: usize = 120;

/// The parts of `text` that are embedded: the whole, then each window of a long text.
pub fn embedded_texts(text: &str) -> Vec<&str> {
    let mut texts = vec![text];
    if has_more_words(text, WHOLE_WORDS) {
        let windows = windows(text, WINDOW_WORDS);
        texts.extend(windows.into_iter().map(|window| &text[window]));
    }
    // A single window repeats the whole text.
    if texts.len() == 2 {
        texts.truncate(1);
    }
    texts
}

/// The parts of these records that are embedded, and the index of each part's record.
pub(super) fn texts_of<'a>(
    records: &[&'a Record],
    takes: impl Fn(&Record) -> bool,
) -> (Vec<&'a str>, Vec<usize>) {
    let (mut texts, mut owners) = (Vec::new(), Vec::new());
    for (owner, record) in records.iter().enumerate() {
        if takes(record) {
            texts.extend(embedded_texts(&record.text));
            owners.resize(texts.len(), owner);
        }
    }
    (texts, owners)
}

/// Passes the vectors of `text` to `take`, in the order of [`embedded_texts`].
pub(super) fn embed(
    embedder: &dyn Embedder,
    text: &str,
    take: impl FnMut(&[f32]),
) -> Result<(), ViewError> {
    let texts = embedded_texts(text);
    match (embedder.token_table(), &texts[1..]) {
        (Some(table), windows @ [_, ..]) => {
            embed_tokens(table, embedder.dimensions(), windows, take);
            Ok(())
        }
        _ => embed_texts(embedder, &texts, take),
    }
}

/// Embeds these texts with as few calls as possible; passes the index and the vector of each to `take`.
pub(super) fn embed_together(
    embedder: &dyn Embedder,
    texts: &[&str],
    mut take: impl FnMut(usize, &[f32]),
) -> Result<(), ViewError> {
    for (number, batch) in texts.chunks(BATCH_SIZE).enumerate() {
        let vectors = embedder
            .embed_batch(batch)
            .map_err(|error| failed(&error))?;
        let vectors = vectors.chunks_exact(embedder.dimensions());
        if vectors.len() != batch.len() {
            return Err(ViewError::Engine(format!(
                "embed: {} gave {} vectors for {} texts",
                embedder.model(),
                vectors.len(),
                batch.len()
            )));
        }
        for (at, vector) in vectors.enumerate() {
            take(number * BATCH_SIZE + at, vector);
        }
    }
    Ok(())
}

pub(super) fn failed(error: &EmbedError) -> ViewError {
    ViewError::Engine(format!("embed: {error}"))
}

/// The windows cover the whole text and end between words, so their tokens are those of the text, which is tokenised
/// only once.
fn embed_tokens(
    table: &dyn TokenTable,
    dimensions: usize,
    windows: &[&str],
    mut take: impl FnMut(&[f32]),
) {
    let (mut tokens, mut ends) = (Vec::new(), vec![0]);
    for window in windows {
        table.tokens(window, &mut tokens);
        ends.push(tokens.len());
    }
    let mut vector = vec![0.0; dimensions];
    table.vector_of(&tokens, &mut vector);
    take(&vector);
    for window in ends.windows(2) {
        table.vector_of(&tokens[window[0]..window[1]], &mut vector);
        take(&vector);
    }
}

fn embed_texts(
    embedder: &dyn Embedder,
    texts: &[&str],
    mut take: impl FnMut(&[f32]),
) -> Result<(), ViewError> {
    let mut vector = vec![0.0; embedder.dimensions()];
    for text in texts {
        embedder
            .embed_into(text, &mut vector)
            .map_err(|error| failed(&error))?;
        take(&vector);
    }
    Ok(())
}

/// Whether the text has more than `words` words separated by white space, counting two ideographs as one word.
fn has_more_words(text: &str, words: usize) -> bool {
    let (mut halves, mut inside) = (0, false);
    for character in text.chars() {
        let ideograph = matches!(character, '\u{2e80}'..='\u{d7ff}' | '\u{f900}'..='\u{faff}' | '\u{20000}'..='\u{3ffff}');
        let begins = !inside && !ideograph && !character.is_whitespace();
        halves += if ideograph {
            1
        } else {
            2 * usize::from(begins)
        };
        inside = !ideograph && !character.is_whitespace();
        if halves > 2 * words {
            return true;
        }
    }
    false
}

#[cfg(test)]
mod tests {
    use super::has_more_words;

    #[test]
    fn words_are_counted_in_every_script() {
        assert!(has_more_words("one two  three", 2));
        assert!(!has_more_words("one two  three ", 3));
        assert!(has_more_words("東京は日本の首都", 3));
        assert!(!has_more_words("東京は日本の首都", 4));
        assert!(!has_more_words("", 0));
    }
}
