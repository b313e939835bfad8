//! Passwords and keys that their look gives away on the line of a name.

use std::ops::Range;

use super::PASSWORD;
use super::generated::{is_plainly_a_key, is_plainly_generated};
use super::names::Name;
use super::verdicts::{After, Key, KeyVerdict, Verdict};
use crate::case;
use crate::secrets::alphabet::Alphabet;
use crate::secrets::scan::{Basis, Scan};
use crate::secrets::steps;

/// How far from its name a password is looked for, in bytes.
pub(super) const REACH: usize = 112;
/// How many words from its name.
const MOST_WORDS: usize = 9;

/// Words after which a generated value is another thing than the password.
const OTHER_THINGS: [&str; 26] = [
    "hash",
    "hashed",
    "hashes",
    "digest",
    "checksum",
    "salt",
    "salted",
    "bcrypt",
    "argon2",
    "scrypt",
    "id",
    "uuid",
    "guid",
    "commit",
    "ref",
    "sha",
    "sha1",
    "sha256",
    "request",
    "trace",
    "csrf",
    "nonce",
    "version",
    "file",
    "encrypted",
    "path",
];

/// Whether a name is a part of something longer, such as a text in base 64 or the address of a user.
fn is_within(scan: &Scan, name: &Range<usize>) -> bool {
    let before = name.start.checked_sub(1).map(|at| scan.bytes[at]);
    let after = scan.bytes.get(name.end);
    matches!(before, Some(b'+')) || matches!(after, Some(b'+' | b'/' | b'@' | b'%' | b'$'))
}

/// Whether a word is called or negated, as in `check$1(password)` and `if (!isValid)`.
fn is_code(scan: &Scan, word: &Range<usize>) -> bool {
    let before = word.start.checked_sub(1).map(|at| scan.bytes[at]);
    scan.bytes.get(word.end) == Some(&b'(')
        || (before == Some(b'(') && scan.bytes.get(word.start) == Some(&b'!'))
}

/// A word without the marks that make it bold.
fn without_emphasis(scan: &Scan, word: Range<usize>) -> Range<usize> {
    let text = scan.slice(&word);
    let start = text.len() - text.trim_start_matches("**").len();
    word.start + start..word.start + text.trim_end_matches("**").len().max(start)
}

/// Looks for passwords that look generated on the line of its name, whatever joins the two.
pub(super) fn find(scan: &mut Scan, name: &Name) {
    if is_within(scan, &name.span) {
        return;
    }
    let end = scan.line_end(name.span.end, REACH);
    let place = super::floor(scan, name.span.end, end);
    // `pass` is a word of other trades too.
    let is_pass = case::ends_with(scan.slice(&name.span), "pass");
    let mut is_found = false;
    for word in words(scan.bytes, place).take(MOST_WORDS) {
        match verdict(scan, &word) {
            Verdict::Other => break,
            Verdict::Password {
                start,
                end,
                is_added,
            } => {
                if is_pass && scan.slice(&(start..end)).contains(['+', '=']) {
                    continue;
                }
                is_found = true;
                if !is_added {
                    scan.add(Basis::Name, PASSWORD, start..end);
                    let is_added = true;
                    let added = Verdict::Password {
                        start,
                        end,
                        is_added,
                    };
                    scan.verdicts.passwords.set(&word, added);
                }
            }
            Verdict::Nothing => {}
        }
    }
    if !is_found && let Some(span) = before(scan, name) {
        scan.add(Basis::Name, PASSWORD, span);
    }
}

fn verdict(scan: &mut Scan, word: &Range<usize>) -> Verdict {
    if let Some(known) = scan.verdicts.passwords.get(word) {
        return known;
    }
    let text = scan.slice(word).trim_end_matches(['.', ':']);
    let bare = word.start..word.start + text.len();
    let result = if is_other_thing(text) {
        Verdict::Other
    } else if is_code(scan, &bare) {
        Verdict::Nothing
    } else {
        let value = without_emphasis(scan, value_of(scan, bare));
        if is_plainly_generated(scan.slice(&value)) {
            Verdict::Password {
                start: value.start,
                end: value.end,
                is_added: false,
            }
        } else {
            Verdict::Nothing
        }
    };
    scan.verdicts.passwords.set(word, result)
}

fn is_other_thing(word: &str) -> bool {
    (2..=9).contains(&word.len())
        && OTHER_THINGS
            .iter()
            .any(|other| word.eq_ignore_ascii_case(other))
}

/// Looks for a key that looks generated on the line of its name. One in hexadecimal may be a commit or a digest, so that no words
/// may stand between the two.
pub(super) fn find_key(scan: &mut Scan, name: &Name) {
    if case::has_part(scan.slice(&name.span), "sig") {
        return;
    }
    let end = scan.line_end(name.span.end, REACH);
    let place = super::floor(scan, name.span.end, end);
    let mut has_words = false;
    for word in words(scan.bytes, place).take(6) {
        let verdict = key_verdict(scan, &word);
        if let Some(key) = verdict.key.filter(|key| !(key.needs_name && has_words)) {
            scan.add(Basis::Name, name.kind(), key.start..key.end);
            if key.start == word.start {
                return;
            }
        }
        match verdict.after {
            After::Named | After::Other => return,
            After::Word => has_words = true,
            After::Any => {}
        }
    }
}

fn key_verdict(scan: &mut Scan, word: &Range<usize>) -> KeyVerdict {
    if let Some(known) = scan.verdicts.keys.get(word) {
        return known;
    }
    // A key may be longer than the part of the line that was read.
    let most = (word.end + 256).min(scan.bytes.len());
    let rest = scan.bytes[word.end..most].iter();
    let goes_on = |byte: &u8| byte.is_ascii_alphanumeric() || b"+/=_-".contains(byte);
    let more = rest.take_while(|byte| goes_on(byte)).count();
    let whole = word.start..word.end + more;
    let value = value_of(scan, whole.clone());
    let text = scan.slice(&value).trim_end_matches(['.', ':', '\\']);
    steps::count(text.len());
    let is_named = value != whole && is_other_name(scan, whole.start..value.start);
    let needs_name = !is_plainly_a_key(text, false);
    let is_key = !is_named && (!needs_name || is_plainly_a_key(text, true));
    let key = is_key.then(|| Key {
        start: value.start,
        end: value.start + text.len(),
        needs_name,
    });
    let is_word = || text.len() > 1 && text.bytes().all(|byte| byte.is_ascii_alphabetic());
    let after = if is_named {
        After::Named
    } else if is_other_thing(text) {
        After::Other
    } else if is_word() {
        After::Word
    } else {
        After::Any
    };
    scan.verdicts.keys.set(word, KeyVerdict { key, after })
}

/// Whether `name=` says that a value is something else than the key: `kid=`, `Signature=`.
fn is_other_name(scan: &Scan, name: Range<usize>) -> bool {
    const OWN: [&str; 9] = [
        "key", "secret", "token", "value", "old", "new", "pass", "pw", "pwd",
    ];
    let text = scan.slice(&name);
    !OWN.iter().any(|own| case::has_part(text, own))
}

/// The word before a name and at most four others, as in `it's … (the wifi password)`.
fn before(scan: &mut Scan, name: &Name) -> Option<Range<usize>> {
    let next = scan.bytes.get(name.span.end);
    if next.is_some_and(|next| !b" \n\r\t).,;:!?\"'".contains(next)) {
        return None;
    }
    let start = scan.line_start(name.span.start, 64);
    let place = super::floor(scan, start, name.span.start);
    let mut near = words(scan.bytes, place).rev().take(5);
    near.find_map(|word| marked_value(scan, &word))
        .map(|(start, end)| start..end)
}

/// The value of a word, if it has a mark and looks generated.
fn marked_value(scan: &mut Scan, word: &Range<usize>) -> Option<(usize, usize)> {
    if let Some(known) = scan.verdicts.before.get(word) {
        return known;
    }
    let value = value_of(scan, word.clone());
    let text = scan.slice(&value);
    let is_marked = text.contains(is_mark) && !is_code(scan, word) && is_plainly_generated(text);
    let found = is_marked.then_some((value.start, value.end));
    scan.verdicts.before.set(word, found)
}

/// Whether a character stands in passwords, and hardly ever in words and names.
fn is_mark(one: char) -> bool {
    "!@#$%^&*?+~=".contains(one)
}

/// The value of `name=value`, or the whole word.
fn value_of(scan: &Scan, word: Range<usize>) -> Range<usize> {
    let text = scan.slice(&word);
    let is_name = |name: &str| {
        name.len() >= 2
            && name
                .bytes()
                .all(|byte| byte.is_ascii_alphabetic() || byte == b'_')
    };
    match text.split_once('=') {
        Some((name, value)) if is_name(name) && !value.is_empty() => {
            word.end - value.len()..word.end
        }
        _ => word,
    }
}

/// The words of a place: what white space, quotes, brackets, commas, semicolons, bars and other scripts separate.
fn words(bytes: &[u8], place: Range<usize>) -> impl DoubleEndedIterator<Item = Range<usize>> {
    static SEPARATORS: Alphabet = Alphabet::separators();
    steps::count(place.len());
    let start = bytes.as_ptr() as usize;
    bytes[place]
        .split(|byte| SEPARATORS.has(*byte))
        .filter(|word| !word.is_empty())
        .map(move |word| {
            let from = word.as_ptr() as usize - start;
            from..from + word.len()
        })
}
