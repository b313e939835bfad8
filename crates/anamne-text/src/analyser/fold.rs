//! Folding: optional marks are removed, so that words match with and without them.

use unicode_normalization::char::decompose_canonical;

use super::script::{Alphabet, alphabet, is_mark};

/// Appends a lower-case word to `folded` without the marks that are optional in its alphabet.
///
/// Latin and Greek letters lose diacritics and ligatures (`müller` -> `muller`, `straße` -> `strasse`); Cyrillic `ё`
/// becomes `е`, while `й` remains a separate letter; Arabic and Hebrew lose vowel signs. Marks of other scripts are
/// part of the spelling and remain.
pub(super) fn fold_into(word: &str, folded: &mut String) {
    match alphabet(word) {
        _ if word.is_ascii() => folded.push_str(word),
        Alphabet::Latin | Alphabet::Greek => fold_diacritics(word, folded),
        Alphabet::Cyrillic => folded.extend(
            word.chars()
                .map(|letter| if letter == 'ё' { 'е' } else { letter }),
        ),
        Alphabet::Arabic | Alphabet::Hebrew => {
            folded.extend(word.chars().filter(|letter| !is_mark(*letter)));
        }
        _ => folded.push_str(word),
    }
}

fn fold_diacritics(word: &str, folded: &mut String) {
    for letter in word.chars() {
        match letter {
            'a'..='z' | '0'..='9' => folded.push(letter),
            'ß' => folded.push_str("ss"),
            'æ' => folded.push_str("ae"),
            'œ' => folded.push_str("oe"),
            'ø' => folded.push('o'),
            'ł' => folded.push('l'),
            'đ' | 'ð' => folded.push('d'),
            'þ' => folded.push_str("th"),
            'ı' => folded.push('i'),
            'ς' => folded.push('σ'),
            _ => decompose_canonical(letter, |part| {
                if !is_mark(part) {
                    folded.push(part);
                }
            }),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn folding_drops_what_a_writer_may_leave_out_and_nothing_else() {
        for (word, expected) in [
            ("müller", "muller"),
            ("straße", "strasse"),
            ("œuvre", "oeuvre"),
            ("ёлка", "елка"),
            ("йод", "йод"),
            ("ελληνικός", "ελληνικοσ"),
            ("plain", "plain"),
            ("हिन्दी", "हिन्दी"),
        ] {
            let mut folded = String::new();
            fold_into(word, &mut folded);
            assert_eq!(folded, expected);
        }
    }
}
