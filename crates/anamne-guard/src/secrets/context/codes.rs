//! Numbers that a name marks as the code of a lock or a card: `PIN: 4711`, `the gate code is 9398`.

use super::tokens::Sort;
use crate::case::with_lower;
use crate::secrets::words::{Words, has, lists};

/// How many tokens before a number are read.
const REACH: usize = 7;

/// Whether a value is a number as locks and cards have it: four to eight digits, also with `#` or `*` at its end.
pub(super) fn is_code(value: &str) -> bool {
    let digits = value.strip_suffix(['#', '*']).unwrap_or(value);
    (4..=8).contains(&digits.len()) && digits.bytes().all(|byte| byte.is_ascii_digit())
}

/// Whether the tokens before a number, the nearest first, name it as a code. `is_linked` if a colon or an equals sign
/// stands between. O(bytes of the tokens that are read).
pub(super) fn is_named<'text>(
    before: impl Iterator<Item = (&'text str, Sort)>,
    mut is_linked: bool,
) -> bool {
    // The word to the right of the one that is read.
    let mut next: Option<&str> = None;
    let (mut has_code, mut has_lock) = (false, false);
    for (distance, (text, sort)) in before.take(REACH).enumerate() {
        if sort == Sort::Script {
            let mut names = lists().joined_pin_names.iter();
            return distance == 0 && names.any(|name| text.contains(name));
        }
        if next.is_none() && !has_code && (sort == Sort::Mark || is(text, &lists().links)) {
            is_linked = true;
            continue;
        }
        for word in text.rsplit(['_', '-']) {
            if has_code {
                // `error code of the gate`.
                return is(word, &lists().lock_names)
                    || is(word, &lists().pin_names)
                    || (has_lock && !is(word, &lists().fault_names));
            }
            if is(word, &lists().pin_names) {
                // `pin` is also a verb.
                let is_noun = is_linked || word.starts_with(char::is_uppercase);
                return next.map_or(is_noun, |next| is_linked && is(next, &lists().prepositions));
            }
            has_code = is(word, &lists().code_names);
            let is_of_lock = |next| has_lock && is(next, &lists().prepositions);
            if has_code && !next.is_none_or(is_of_lock) {
                return false;
            }
            has_lock |= word == text && is(word, &lists().lock_names);
            next = Some(word);
        }
    }
    has_code && has_lock
}

/// Whether a value is a digest, and the tokens before it name it as the key of an entry: `cache_key = …`, `key: user:…`.
/// O(bytes of the tokens that are read).
pub(super) fn is_label<'text>(
    value: &str,
    is_part: bool,
    before: impl Iterator<Item = (&'text str, Sort)>,
) -> bool {
    let is_digest = value.len() >= 32 && value.bytes().all(|byte| byte.is_ascii_hexdigit());
    if !is_digest {
        return false;
    }
    let is_word = |text: &&str| text.contains(char::is_alphanumeric);
    let mut words = before.map(|(text, _)| text).filter(is_word).take(2);
    let is_key = |text: &str| is(text, &lists().key_names);
    let is_harmless = |text: &str| {
        let mut parts = text.split(['_', '-', '.']);
        parts.any(|part| is(part, &lists().harmless_names) || is(part, &lists().entry_names))
    };
    let Some(name) = words.next() else {
        return false;
    };
    match name.rsplit_once(['_', '-', '.']) {
        Some((qualifier, last)) if is_key(last) => is_harmless(qualifier),
        _ if is_key(name) => words.next().is_some_and(is_harmless),
        _ => is_part && words.next().is_some_and(is_key),
    }
}

fn is(word: &str, list: &Words) -> bool {
    with_lower(word, |lower| has(list, lower))
}
