//! The capitalisation conventions of a text and its sentences.

use crate::reading::gazetteer::Class;
use crate::reading::tokens::{Shape, Tokens};

/// The capitalisation of a sentence.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct SentenceCapitals {
    german: bool,
    shouts: bool,
}

/// The capitalisation of a text.
pub(super) struct Capitalisation {
    /// Whether it has hardly any capitals.
    pub(super) is_lower: bool,
    sentences: Vec<SentenceCapitals>,
}

impl Capitalisation {
    pub(super) fn of(tokens: &Tokens<'_>) -> Self {
        let capitals = tokens
            .all
            .iter()
            .filter(|token| token.is_capital() && token.text != "I")
            .count();
        let begun = tokens
            .sentences
            .iter()
            .filter(|sentence| {
                tokens.all[(*sentence).clone()]
                    .iter()
                    .find(|token| token.is_word())
                    .is_some_and(|first| first.shape == Shape::Lower)
            })
            .count();
        Self {
            is_lower: capitals * 20 <= tokens.all.len()
                || (begun * 2 > tokens.sentences.len() && capitals * 8 <= tokens.all.len()),
            sentences: tokens
                .sentences
                .iter()
                .map(|sentence| manner(tokens, sentence))
                .collect(),
        }
    }

    /// Whether the sentence of a token is German, which capitalises nouns.
    pub(super) fn german(&self, tokens: &Tokens<'_>, at: usize) -> bool {
        self.manner(tokens, at).german
    }

    /// Whether the sentence of a token is IN ALL CAPS.
    pub(super) fn is_all_caps(&self, tokens: &Tokens<'_>, at: usize) -> bool {
        self.manner(tokens, at).shouts
    }

    fn manner(&self, tokens: &Tokens<'_>, at: usize) -> SentenceCapitals {
        let sentence = tokens
            .sentences
            .partition_point(|sentence| sentence.end <= at);
        self.sentences.get(sentence).copied().unwrap_or_default()
    }
}

fn manner(tokens: &Tokens<'_>, sentence: &std::ops::Range<usize>) -> SentenceCapitals {
    const GERMAN: &[&str] = &[
        "und", "der", "das", "nicht", "ist", "wir", "ich", "ein", "eine", "auf", "für", "mit",
        "dem", "den", "zu", "auch", "im", "sich", "wird", "sind", "einen", "einem", "einer", "vom",
        "zum", "zur", "bei", "aus", "noch", "nur", "dann", "oder", "aber", "es", "sie", "bitte",
        "von", "statt",
    ];
    let (mut german, mut english, mut upper, mut words) = (0, 0, 0, 0);
    for token in tokens.all[sentence.clone()]
        .iter()
        .filter(|token| token.is_word())
    {
        words += 1;
        upper += usize::from(token.shape == Shape::Upper && token.text.len() > 2);
        english += usize::from(
            token.class.is(Class::FUNCTION)
                || (token.class.is(Class::COMMON) && token.lower.len() > 3),
        );
        german += usize::from(GERMAN.contains(&&*token.lower));
    }
    SentenceCapitals {
        german: german >= 2 && german * 2 > english,
        shouts: words >= 3 && upper * 10 >= words * 6,
    }
}
