//! Normalisation of names.

use unicode_normalization::UnicodeNormalization;

/// The key that all spellings of a name share.
///
/// Applies compatibility composition (NFKC) and lower case, collapses white space, and strips articles and titles
/// before the name, a possessive after it, and punctuation around it. Plurals are kept. A name that consists only of
/// such parts keeps its letters. Idempotent; linear in the name.
///
/// ```
/// use anamne_knowledge::reading::normalised;
///
/// assert_eq!(normalised("The  Hobbit"), "hobbit");
/// assert_eq!(normalised("Dr. Weber’s"), "weber");
/// assert_eq!(normalised("`parse_header()`"), "parse_header");
/// assert_eq!(normalised("C++"), "c++");
/// ```
pub fn normalised(name: &str) -> String {
    let folded: String = name
        .nfkc()
        .flat_map(char::to_lowercase)
        .map(plain_quote)
        .nfkc()
        .collect();
    let joined = folded.split_whitespace().collect::<Vec<_>>().join(" ");
    let mut key = joined.as_str();
    loop {
        let next = stripped(key);
        if next.len() == key.len() {
            return key.to_owned();
        }
        key = next;
    }
}

fn plain_quote(character: char) -> char {
    match character {
        '’' | '‘' | 'ʼ' => '\'',
        other => other,
    }
}

fn stripped(key: &str) -> &str {
    const BEFORE: &[&str] = &[
        "the",
        "a",
        "an",
        "mr",
        "mrs",
        "ms",
        "miss",
        "dr",
        "prof",
        "professor",
        "herr",
        "frau",
        "sir",
        "doctor",
    ];
    let bare = key
        .trim_matches(is_surrounding)
        .trim_end_matches(is_trailing)
        .trim();
    let bare = if bare.is_empty() { key.trim() } else { bare };
    if let Some(owner) = bare
        .strip_suffix("'s")
        .or_else(|| bare.strip_suffix("s'").map(|_| &bare[..bare.len() - 1]))
        && !owner.trim_end().is_empty()
    {
        return owner.trim_end();
    }
    if let Some((first, rest)) = bare.split_once(' ')
        && BEFORE.contains(&first.trim_end_matches('.'))
        && rest.contains(char::is_alphanumeric)
    {
        return rest;
    }
    bare
}

fn is_surrounding(character: char) -> bool {
    matches!(
        character,
        '"' | '\''
            | '`'
            | '“'
            | '”'
            | '„'
            | '«'
            | '»'
            | '('
            | ')'
            | '['
            | ']'
            | '{'
            | '}'
            | ','
            | ';'
            | ':'
            | '!'
            | '?'
            | '*'
            | '…'
            | '<'
            | '>'
    ) || character.is_whitespace()
}

fn is_trailing(character: char) -> bool {
    matches!(character, '.') || is_surrounding(character)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn check(name: &str, expected: &str) {
        assert_eq!(normalised(name), expected, "{name:?}");
    }

    #[test]
    fn spellings_of_one_name_have_one_key() {
        check("PostgreSQL", "postgresql");
        check("  Ｍara ", "mara");
        check("Mara's", "mara");
        check("Mara’s", "mara");
        check("the Talbach Association", "talbach association");
        check("Dr. Ada Winter", "ada winter");
        check("\"Pizza\".", "pizza");
        check("`fold()`", "fold");
        check(".env", ".env");
        check("C#", "c#");
        check("server/", "server/");
        check("Caf\u{65}\u{301}", "café");
    }

    #[test]
    fn a_name_of_stripped_parts_keeps_its_letters() {
        check("", "");
        check("The", "the");
        check("'s", "s");
        check("Dr.", "dr");
    }

    proptest! {
        #[test]
        fn normalisation_is_idempotent(name in any::<String>()) {
            let key = normalised(&name);
            prop_assert_eq!(normalised(&key), key);
        }

        #[test]
        fn normalisation_of_prose_is_idempotent(name in "(the |a |Dr\\. )?[A-Za-z'’. ()]{0,12}('s)?") {
            let key = normalised(&name);
            prop_assert_eq!(normalised(&key), key);
        }
    }
}
