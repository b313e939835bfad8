//! How much a told text says, for the quality that a space asks for.

use anamne_store::IntakeConfig;
use anamne_text::analyser::Analyser;
use anamne_types::{Draft, InvalidValue, Kind};

/// Different content words of a text that says enough.
const ENOUGH_WORDS: f32 = 8.0;

/// Bytes of a word that may be a stop word.
const SHORT: usize = 3;

/// Characters that are looked at: quality is that of the beginning of a long text.
const MOST_CHARACTERS: usize = 4_096;

/// The quality of a text, 0 to 1: the share of `ENOUGH_WORDS` that it has as different content words, times the share
/// of its characters that belong to words, times the share of its words that aren't repetitions.
///
/// `Thanks!` has 0.11, `We use PostgreSQL 16` about 0.4, a full sentence with names and numbers 0.8 and more. O(length).
pub fn text_quality(text: &str) -> f32 {
    let beginning = match text.char_indices().nth(MOST_CHARACTERS) {
        Some((end, _)) => &text[..end],
        None => text,
    };
    let (mut plain, mut other) = (0_u32, 0_u32);
    for character in beginning
        .chars()
        .filter(|character| !character.is_whitespace())
    {
        if character.is_alphanumeric() {
            plain += 1;
        } else {
            other += 1;
        }
    }
    if plain == 0 {
        return 0.0;
    }
    let different = content_words(beginning);
    let words: Vec<String> = beginning
        .split_whitespace()
        .map(str::to_lowercase)
        .collect();
    let distinct: std::collections::BTreeSet<&String> = words.iter().collect();
    let enough = (different as f32 / ENOUGH_WORDS).min(1.0);
    let in_words = plain as f32 / (plain + other) as f32;
    enough * in_words * (distinct.len() as f32 / words.len().max(1) as f32)
}

/// The number of different content words; two ideographs count as one.
fn content_words(text: &str) -> usize {
    let dropped = Analyser::new().query(text).dropped_stop_words;
    let (mut words, mut ideographs) = (std::collections::BTreeSet::new(), 0);
    for run in text.split(|character: char| !character.is_alphanumeric()) {
        let dense = run
            .chars()
            .filter(|&character| character >= '\u{2e80}')
            .count();
        ideographs += dense;
        let word = run.to_lowercase();
        if dense == 0 && !word.is_empty() && !dropped.contains(&word) {
            words.insert(word);
        }
    }
    // Stop words are kept if there is nothing else; all of them are short.
    let is_short = |word: &String| word.len() <= SHORT && word.is_ascii();
    if dropped.is_empty() && words.iter().all(is_short) {
        words.clear();
    }
    words.len() + ideographs / 2
}

/// Refuses a told text below the quality that the space asks for. A stated confidence counts.
pub(crate) fn check_quality(intake: &IntakeConfig, draft: &Draft) -> Result<(), InvalidValue> {
    let is_text = matches!(
        draft.body.kind(),
        Kind::Message | Kind::Fact | Kind::Thought
    );
    if intake.quality <= 0.0 || !is_text {
        return Ok(());
    }
    let quality = text_quality(&draft.content) * draft.confidence.unwrap_or(1.0).clamp(0.0, 1.0);
    if quality >= intake.quality {
        return Ok(());
    }
    let accepts = format!(
        "a text of quality {} or more for this space (intake.quality in space.toml); say more, or set a lower quality",
        intake.quality
    );
    Err(InvalidValue::new(
        "content",
        accepts,
        format!("quality {quality:.2}"),
    ))
}

#[cfg(test)]
mod tests {
    use super::text_quality;

    #[test]
    fn a_text_that_says_more_has_more_quality() {
        let check = |text: &str, range: std::ops::RangeInclusive<f32>| {
            let quality = text_quality(text);
            assert!(range.contains(&quality), "{text:?}: {quality}");
        };
        check("", 0.0..=0.0);
        check("  \n", 0.0..=0.0);
        check("!!! ??? ...", 0.0..=0.0);
        check("ok", 0.0..=0.15);
        check("Thanks!", 0.0..=0.15);
        check("We use PostgreSQL 16", 0.2..=0.6);
        check(
            "The harbour office in Kiel moved its ledger from Oracle to PostgreSQL 16 in March because of the licence costs.",
            0.7..=1.0,
        );
        check(&"spam ".repeat(200), 0.0..=0.05);
        check(&"=-".repeat(5_000), 0.0..=0.0);
        check("東京の港湾事務所は三月に台帳を移行しました", 0.5..=1.0);
    }
}
