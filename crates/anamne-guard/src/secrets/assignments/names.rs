//! Names of secrets: what the words of an identifier say about its value.

use std::ops::Range;

use super::PASSWORD;
use crate::DataKind;
use crate::case;
use crate::secrets::alphabet::{Alphabet, BLANK};
use crate::secrets::scan::Scan;
use crate::secrets::words::{Lists, has, lists};

pub(in crate::secrets) const TOKEN: DataKind = DataKind::secret("token");
pub(super) const SECRET: DataKind = DataKind::secret("secret");
pub(super) const API_KEY: DataKind = DataKind::secret("api-key");

/// What values a name has.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Class {
    /// Passwords: anything that no one would take for a word of the sentence.
    Password,
    /// The short `pass`, which counts tests too.
    ShortPassword,
    /// Secrets: generated values, or passwords with several kinds of characters.
    Secret,
    /// Tokens and keys: generated values.
    Key,
    /// Names that end with `key` and say no more: long generated values.
    WeakKey,
    /// Mnemonics.
    Seed,
    /// Words such as `wifi`, near which generated passwords stand.
    Beside,
}

/// A name in the text.
#[derive(Debug)]
pub(super) struct Name {
    pub(super) class: Class,
    /// The kind, if no vendor is named.
    kind: DataKind,
    /// Its words in small letters, with blanks between them.
    words: String,
    pub(super) span: Range<usize>,
    /// It begins with a hyphen.
    pub(super) is_flag: bool,
    /// It is written in capitals.
    pub(super) is_constant: bool,
    /// It is a parameter of a URL or form.
    pub(super) is_query: bool,
}

impl Name {
    /// The kind of its values; a vendor's name in it decides.
    pub(super) fn kind(&self) -> DataKind {
        if self.kind == PASSWORD {
            return PASSWORD;
        }
        let has = |word: &&str| self.words.split(' ').any(|own| own == *word);
        let has_all = |needed: &Vec<&str>| needed.iter().all(has);
        let named = lists()
            .named_kinds
            .iter()
            .find(|(_, needed)| has_all(needed));
        named.map_or(self.kind, |(kind, _)| *kind)
    }
}

impl Name {
    /// Whether its word is English, so that other words for `required` and the like are known.
    pub(super) fn is_english(&self, scan: &Scan) -> bool {
        let has = |part| case::has_part(scan.slice(&self.span), part);
        self.class != Class::Password || (has("pass") && !has("passor")) || has("pw")
    }
}

/// The longest part of a name on either side of its anchor.
const MOST: usize = 64;

/// The least first byte of the scripts that write words without blanks between them: those of East Asia and Thai.
const FIRST_UNSPACED: u8 = 0xE0;

/// Reads the name that an identifier is.
pub(super) fn read(scan: &Scan, span: Range<usize>) -> Option<Name> {
    let identifier = scan.slice(&span);
    let is_flag = identifier.starts_with('-');
    let before = span.start.checked_sub(1).map(|at| scan.bytes[at]);
    let is_unspaced = identifier.bytes().next()? >= FIRST_UNSPACED;
    let mut words = if is_unspaced {
        identifier.to_owned()
    } else {
        words_of(identifier)
    };
    if !words.is_empty()
        && !words.contains(' ')
        && let Some(before) = word_before(scan, span.start)
    {
        words.insert(0, ' ');
        words.insert_str(0, &before.to_lowercase());
    }
    let (mut class, kind) = classify(&words)?;
    if class == Class::WeakKey {
        class = class_of_key(scan, &span);
    } else if class == Class::ShortPassword && is_of_account(&words, identifier) {
        class = Class::Password;
    }
    Some(Name {
        class,
        kind,
        words,
        is_flag,
        is_constant: !identifier.bytes().any(|byte| byte.is_ascii_lowercase()),
        is_query: matches!(before, Some(b'?' | b'&')),
        span,
    })
}

/// Whether a short name says whose password it is: `DB_PASS`.
fn is_of_account(words: &str, identifier: &str) -> bool {
    let owner = words
        .rsplit_once(' ')
        .and_then(|(before, _)| split_last(before));
    identifier.contains('_')
        && owner.is_some_and(|(_, owner)| has(&lists().short_password_owners, owner))
}

/// What a key is for, by what stands around its name: `clé API`, `ssid: home, key: …`.
fn class_of_key(scan: &Scan, span: &Range<usize>) -> Class {
    let identifier = scan.slice(span);
    let is_for_programs = ["API", "api"]
        .iter()
        .any(|word| identifier.starts_with(word))
        || super::links::addition(scan, span.end) > 0;
    if is_for_programs {
        return Class::Key;
    }
    let start = scan.line_start(span.start, 64);
    let before = scan
        .slice(&super::floor(scan, start, span.start))
        .to_ascii_lowercase();
    let is_network = ["wifi", "wi-fi", "wlan", "ssid"]
        .iter()
        .any(|word| before.contains(word));
    if is_network {
        Class::Password
    } else {
        Class::WeakKey
    }
}

/// The identifier around a place: letters, digits, `_`, `-` and `.`, without those at its end.
pub(super) fn identifier(scan: &mut Scan, anchor: &Range<usize>) -> Option<Range<usize>> {
    static PARTS: Alphabet = Alphabet::letters();
    let is_unspaced = |at: usize| scan.bytes[at] >= FIRST_UNSPACED;
    if is_unspaced(anchor.start) || (anchor.len() > 3 && is_unspaced(anchor.end - 3)) {
        scan.name_end = anchor.end;
        return Some(anchor.clone());
    }
    let before = PARTS.run_back(scan.bytes, anchor.start, MOST);
    let after = PARTS.run(scan.bytes, anchor.end, MOST);
    if before == MOST || after == MOST {
        scan.name_end = anchor.end + after;
        return None;
    }
    let mut span = super::floor(scan, anchor.start - before, anchor.end + after);
    // Quotes, dashes and colons of other scripts aren't part of it.
    let is_part = |one: &char| one.is_ascii() || one.is_alphanumeric();
    let tail = scan
        .slice(&(anchor.end..span.end))
        .chars()
        .take_while(is_part);
    span.end = anchor.end + tail.map(char::len_utf8).sum::<usize>();
    let head = scan
        .slice(&(span.start..anchor.start))
        .chars()
        .rev()
        .take_while(is_part);
    span.start = anchor.start - head.map(char::len_utf8).sum::<usize>();
    let text = scan.slice(&span);
    let is_edge = |one: char| !one.is_alphanumeric();
    let start = text.len()
        - text
            .trim_start_matches(|one| is_edge(one) && one != '-')
            .len();
    let trailing = text.len() - text.trim_end_matches(is_edge).len();
    if trailing > 0 && text.trim_end_matches(is_edge).len() <= start {
        return None;
    }
    span.start += start;
    span.end -= trailing;
    Some(span)
}

/// The words of an identifier in small letters, with blanks between them: `clientSecret_2` is `client secret 2`.
fn words_of(identifier: &str) -> String {
    let mut words = String::with_capacity(identifier.len() + 8);
    let mut is_open = false;
    let mut before = None::<char>;
    let mut rest = identifier.chars();
    while let Some(one) = rest.next() {
        let ends_acronym = || rest.clone().next().is_some_and(char::is_lowercase);
        let begins = match before {
            Some(before) if one.is_uppercase() => {
                before.is_lowercase() || (before.is_uppercase() && ends_acronym())
            }
            Some(before) => one.is_ascii_digit() != before.is_ascii_digit(),
            None => false,
        };
        is_open &= !begins && one.is_alphanumeric();
        if one.is_alphanumeric() {
            if !is_open && !words.is_empty() {
                words.push(' ');
            }
            is_open = true;
            if one.is_ascii() {
                words.push(one.to_ascii_lowercase());
            } else {
                words.extend(one.to_lowercase());
            }
        }
        before = Some(one);
    }
    words
}

/// Letters and digits of every script.
static LETTERS: Alphabet = Alphabet::words();

/// The word before a name that is but one word, such as `API` of `API key`.
fn word_before<'text>(scan: &Scan<'text>, start: usize) -> Option<&'text str> {
    let blanks = BLANK.run_back(scan.bytes, start, 2);
    if blanks != 1 {
        return None;
    }
    let end = start - 1;
    let length = LETTERS.run_back(scan.bytes, end, 40);
    let word = scan.slice(&super::floor(scan, end - length, end));
    (!word.is_empty()).then_some(word)
}

/// What an identifier alone says.
pub(super) fn class_of_identifier(identifier: &str) -> Option<(Class, DataKind)> {
    (identifier.len() <= MOST)
        .then(|| classify(&words_of(identifier)))
        .flatten()
        .filter(|(class, _)| !matches!(class, Class::Seed | Class::Beside))
}

/// What the words of a name say: the last one that isn't a suffix decides.
fn classify(words: &str) -> Option<(Class, DataKind)> {
    let lists = lists();
    let is_suffix =
        |word: &str| has(&lists.suffixes, word) || word.bytes().all(|byte| byte.is_ascii_digit());
    let (mut before, mut last) = split_last(words)?;
    for _ in 0..3 {
        if is_suffix(last) {
            (before, last) = split_last(before)?;
        }
    }
    let is_harmless = |word: &str| {
        has(&lists.harmless_names, word) || is_forgery(word) || word.starts_with("xsrf")
    };
    // The key of an application that signs tokens against forged requests is a secret.
    let is_signing = last == "key" && before.ends_with("secret");
    if is_forgery(last) || (before.split(' ').any(is_harmless) && !is_signing) {
        return None;
    }
    if last == "mnemonic"
        || (last == "phrase" && before.rsplit(' ').next() == Some("seed"))
        || last == "seed" && !before.is_empty()
    {
        return Some((Class::Seed, super::SEED_PHRASE));
    }
    class_of(lists, last, before)
}

/// The last word, and those before it.
fn split_last(words: &str) -> Option<(&str, &str)> {
    (!words.is_empty()).then(|| words.rsplit_once(' ').unwrap_or(("", words)))
}

/// Whether a word begins the name of a token against forged requests.
fn is_forgery(word: &str) -> bool {
    word.starts_with("csrf")
}

fn class_of(lists: &Lists, last: &str, before: &str) -> Option<(Class, DataKind)> {
    let qualifier = split_last(before).map(|(_, last)| last);
    if lists.password_endings.end(last) {
        return Some((Class::Password, PASSWORD));
    }
    if last == "passe" || last == "passes" {
        let is_french = before.contains(' ') || qualifier == Some("de");
        return is_french.then_some((Class::Password, PASSWORD));
    }
    let is_owned = |ending: &str| {
        let owner = last.strip_suffix(ending);
        owner.is_some_and(|owner| has(&lists.short_password_owners, owner))
    };
    // A value of `USERPWD` has the user too, and is read as a pair.
    if last != "userpwd" && ["pass", "pw", "pwd"].into_iter().any(is_owned) {
        return Some((Class::Password, PASSWORD));
    }
    if matches!(last, "wifi" | "wlan" | "ssid") || (last == "fi" && qualifier == Some("wi")) {
        return Some((Class::Beside, PASSWORD));
    }
    if last == "id" && qualifier == Some("secret") {
        return Some((Class::Key, SECRET));
    }
    if last == "pass" || last == "pw" || last == "clave" || last == "pin" {
        return Some((Class::ShortPassword, PASSWORD));
    }
    if has(&lists.short_password_names, last) {
        return Some((Class::Password, PASSWORD));
    }
    if last == "token" || last.ends_with("token") {
        return Some((Class::Key, TOKEN));
    }
    if lists.secret_endings.end(last)
        || last == "creds"
        || last == "psk"
        || last.ends_with("secret")
    {
        return Some((Class::Secret, SECRET));
    }
    if has(&lists.short_secret_names, last) {
        let kind = if last.ends_with("key") || last.ends_with("schlüssel") {
            API_KEY
        } else {
            SECRET
        };
        return Some((Class::Key, kind));
    }
    if last == "key"
        && qualifier.is_some_and(|word| matches!(word, "wpa" | "wpa2" | "wifi" | "wlan" | "wep"))
    {
        return Some((Class::Password, PASSWORD));
    }
    if has(&lists.key_names, last) || last.ends_with("schlüssel") {
        let is_known =
            qualifier.is_some_and(|word| has(&lists.secret_keys, word) || word.ends_with("api"));
        let class = if is_known { Class::Key } else { Class::WeakKey };
        return Some((class, API_KEY));
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    fn class(name: &str) -> Option<Class> {
        classify(&words_of(name)).map(|(class, _)| class)
    }

    #[test]
    fn identifiers_are_split_into_words() {
        assert_eq!(words_of("clientSecret_v2"), "client secret v 2");
        assert_eq!(words_of("X-API-Key"), "x api key");
        assert_eq!(words_of("myAPIKey_"), "my api key");
        assert_eq!(
            words_of("spring.datasource.password"),
            "spring datasource password"
        );
    }

    #[test]
    fn the_last_word_decides() {
        for (name, expected) in [
            ("DB_PASSWORD", Some(Class::Password)),
            ("dbpassword", Some(Class::Password)),
            ("password_prod", Some(Class::Password)),
            ("password_file", None),
            ("passwordLength", None),
            ("clientSecret", Some(Class::Secret)),
            ("accessToken", Some(Class::Key)),
            ("csrf_token", None),
            ("maxTokens", None),
            ("apiKey", Some(Class::Key)),
            ("APIKEY", Some(Class::Key)),
            ("publicKey", None),
            ("key", Some(Class::WeakKey)),
            ("keyboard", None),
            ("compass", None),
            ("Passwort", Some(Class::Password)),
            ("contraseña", Some(Class::Password)),
        ] {
            assert_eq!(class(name), expected, "{name}");
        }
    }
}
