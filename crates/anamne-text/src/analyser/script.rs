//! Character classes for the scanner.

/// The role of a character in segmentation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    /// A letter without case, or in lower case.
    Lower,
    /// A letter in upper or title case.
    Upper,
    /// A digit or other numeric character.
    Digit,
    /// A combining mark: belongs to the preceding letter.
    Mark,
    /// A format character without meaning inside a word (soft hyphen, joiners).
    Ignorable,
    /// Text written without spaces, indexed as bigrams.
    Unspaced(Family),
    /// Everything else: ends a word.
    Other,
}

/// The scripts whose words can't be segmented without a dictionary.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Family {
    /// Han, Hiragana, Katakana, Bopomofo.
    Ideographic,
    /// Hangul: written with spaces, but with particles attached to words.
    Hangul,
    /// Thai, Lao, Myanmar, Khmer.
    SoutheastAsian,
}

/// The role of a character.
pub(super) fn kind(character: char) -> Kind {
    match character {
        'a'..='z' => Kind::Lower,
        'A'..='Z' => Kind::Upper,
        '0'..='9' => Kind::Digit,
        '\0'..='\u{7f}' => Kind::Other,
        '\u{ad}' | '\u{200c}' | '\u{200d}' | '\u{2060}' | '\u{feff}' | '\u{640}' => Kind::Ignorable,
        _ => kind_outside_ascii(character),
    }
}

fn kind_outside_ascii(character: char) -> Kind {
    if is_mark(character) {
        return Kind::Mark;
    }
    if let Some(family) = family(character) {
        let in_words = character.is_alphanumeric();
        return if in_words {
            Kind::Unspaced(family)
        } else {
            Kind::Other
        };
    }
    match character {
        _ if character.is_uppercase() && character.is_alphabetic() => Kind::Upper,
        _ if character.is_alphabetic() => Kind::Lower,
        _ if character.is_numeric() => Kind::Digit,
        _ => Kind::Other,
    }
}

fn family(character: char) -> Option<Family> {
    match character {
        '\u{e00}'..='\u{eff}' | '\u{1000}'..='\u{109f}' | '\u{1780}'..='\u{17ff}' => {
            Some(Family::SoutheastAsian)
        }
        '\u{1100}'..='\u{11ff}' | '\u{3130}'..='\u{318f}' | '\u{ac00}'..='\u{d7ff}' => {
            Some(Family::Hangul)
        }
        '\u{3005}'..='\u{3007}'
        | '\u{3040}'..='\u{312f}'
        | '\u{31f0}'..='\u{31ff}'
        | '\u{3400}'..='\u{4dbf}'
        | '\u{4e00}'..='\u{9fff}'
        | '\u{f900}'..='\u{faff}'
        | '\u{20000}'..='\u{323af}' => Some(Family::Ideographic),
        _ => None,
    }
}

/// Whether a character is a Han ideograph: a word or morpheme in itself.
pub(super) fn is_han(character: char) -> bool {
    family(character) == Some(Family::Ideographic) && !matches!(character, '\u{3040}'..='\u{31ff}')
}

/// Whether a character combines with the preceding one.
pub(super) fn is_mark(character: char) -> bool {
    character >= '\u{300}' && unicode_normalization::char::is_combining_mark(character)
}

/// The alphabet of a word, which selects the base stemmer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Alphabet {
    Latin,
    Greek,
    Cyrillic,
    Arabic,
    Hebrew,
    Devanagari,
    Tamil,
    Armenian,
    Other,
}

/// The alphabet of the first letter of a word.
pub(super) fn alphabet(word: &str) -> Alphabet {
    match word.chars().find(|letter| letter.is_alphabetic()) {
        Some('a'..='z' | 'A'..='Z' | '\u{aa}'..='\u{24f}' | '\u{1e00}'..='\u{1eff}') => {
            Alphabet::Latin
        }
        Some('\u{370}'..='\u{3ff}' | '\u{1f00}'..='\u{1fff}') => Alphabet::Greek,
        Some('\u{400}'..='\u{52f}') => Alphabet::Cyrillic,
        Some('\u{530}'..='\u{58f}') => Alphabet::Armenian,
        Some('\u{590}'..='\u{5ff}') => Alphabet::Hebrew,
        Some('\u{600}'..='\u{6ff}' | '\u{750}'..='\u{77f}') => Alphabet::Arabic,
        Some('\u{900}'..='\u{97f}') => Alphabet::Devanagari,
        Some('\u{b80}'..='\u{bff}') => Alphabet::Tamil,
        _ => Alphabet::Other,
    }
}
