//! Inflections of English words in requests.
//!
//! Milder than a stemmer of a search index: it joins the forms of one word, and never different words of one root, such
//! as "organ" and "organization".

use super::lists::Lists;

/// The shortest word that loses its final "e": shorter ones without it are other words ("mode" and "mod").
const LEAST_WITHOUT_E: usize = 5;

/// The word without plural, "-ing" and "-ed"; not always a word, but the same for all its forms. O(bytes).
pub(super) fn stem(word: &str, lists: &Lists) -> String {
    let base = base(word, lists);
    let base = base.as_deref().unwrap_or(word);
    let is_plain = base.bytes().all(|byte| byte.is_ascii_lowercase());
    if !is_plain || base.len() < LEAST_WITHOUT_E || lists.uninflected.contains(word) {
        return base.to_owned();
    }
    base.strip_suffix('e').unwrap_or(base).to_owned()
}

/// Whether a word is a plural, or ends in "-ing" or "-ed".
pub(super) fn is_inflected(word: &str, lists: &Lists) -> bool {
    base(word, lists).is_some()
}

/// The word without its inflection; `None` if it has none.
fn base(word: &str, lists: &Lists) -> Option<String> {
    let is_plain = word.bytes().all(|byte| byte.is_ascii_lowercase());
    if !is_plain || word.len() <= 3 || lists.uninflected.contains(word) {
        return None;
    }
    let singular = singular(word);
    let base = without_suffix(&singular).unwrap_or(&singular);
    (base != word).then(|| base.to_owned())
}

fn singular(word: &str) -> String {
    if let Some(base) = word.strip_suffix("ies")
        && base.len() > 1
    {
        return format!("{base}y");
    }
    for ending in ["sses", "shes", "ches", "xes", "zes"] {
        if word.ends_with(ending) {
            return word[..word.len() - 2].to_owned();
        }
    }
    let is_plural =
        word.ends_with('s') && !["ss", "us", "is"].iter().any(|end| word.ends_with(end));
    let base = if is_plural {
        &word[..word.len() - 1]
    } else {
        word
    };
    base.to_owned()
}

/// The word without "-ing" or "-ed"; `None` if it has neither.
fn without_suffix(word: &str) -> Option<&str> {
    let base = word.strip_suffix("ing").or_else(|| {
        let is_past = word.len() > 4 && !word.ends_with("eed");
        word.strip_suffix("ed").filter(|_| is_past)
    })?;
    let has_vowel = base.bytes().any(|byte| b"aeiouy".contains(&byte));
    if base.len() < 3 || !has_vowel {
        return None;
    }
    Some(without_doubling(base))
}

/// "stopp" without the letter that "stopping" doubles; "call" as it is.
fn without_doubling(base: &str) -> &str {
    let bytes = base.as_bytes();
    let last = bytes[bytes.len() - 1];
    let is_doubled = last == bytes[bytes.len() - 2] && b"bdgmnprt".contains(&last);
    if is_doubled {
        &base[..base.len() - 1]
    } else {
        base
    }
}

#[cfg(test)]
mod tests {
    use super::super::lists::lists;
    use super::stem;

    #[test]
    fn forms_of_a_word_are_joined() {
        for (one, other) in [
            ("repositories", "repository"),
            ("caching", "cache"),
            ("stopped", "stop"),
            ("running", "run"),
            ("boxes", "box"),
            ("released", "release"),
            ("calls", "calling"),
        ] {
            assert_eq!(stem(one, lists()), stem(other, lists()), "{one}");
        }
    }

    #[test]
    fn different_words_stay_different() {
        for (one, other) in [
            ("windows", "window"),
            ("news", "new"),
            ("spring", "spr"),
            ("organization", "organ"),
            ("universe", "university"),
            ("java", "javascript"),
            ("speed", "spe"),
            ("mode", "mod"),
            ("care", "cars"),
            ("james", "jam"),
            ("status", "statu"),
        ] {
            assert_ne!(stem(one, lists()), stem(other, lists()), "{one}");
        }
    }
}
