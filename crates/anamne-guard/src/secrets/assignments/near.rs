//! Passwords that their look gives away: generated ones near a name or after a flag, and values after fixed texts.

use std::ops::Range;

use super::generated::{is_plainly_a_key, is_plainly_generated};
use super::judge::{Place, is_secret};
use super::names::{Class, Name};
use super::places::is_unlike_a_word;
use super::{CONNECTION_PASSWORD, PASSWORD};
use crate::case;
use crate::secrets::alphabet::Alphabet;
use crate::secrets::scan::{Basis, Scan};
use crate::secrets::steps;

/// How far from its name a password is looked for, in bytes.
const REACH: usize = 112;
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

/// What a word near the name of a password is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Verdict {
    /// It says that what follows is another thing.
    Other,
    /// Nothing.
    Nothing,
    /// It has a password at this place, which is a finding already or not yet.
    Password {
        start: usize,
        end: usize,
        is_added: bool,
    },
}

/// What a word near the name of a key is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct KeyVerdict {
    /// Where a key stands in it, if it may be one.
    start: usize,
    end: usize,
    /// It names the value that it has, as something else.
    is_named: bool,
    is_key: bool,
    /// It is a key if no words stand before it.
    is_hex_key: bool,
    /// What follows is another thing.
    is_other: bool,
    is_word: bool,
}

/// What was said about words, so that none is judged again for every name near it.
#[derive(Debug, Default)]
pub(in crate::secrets) struct Verdicts {
    passwords: Known<Verdict>,
    before: Known<Option<(usize, usize)>>,
    keys: Known<KeyVerdict>,
}

/// The last results by place.
#[derive(Debug)]
struct Known<T>(Vec<Option<(usize, usize, T)>>);

impl<T> Default for Known<T> {
    fn default() -> Self {
        Self(Vec::new())
    }
}

impl<T: Copy> Known<T> {
    /// More than the words that one name looks at on both sides.
    const SLOTS: usize = 128;

    fn slot(&mut self, place: &Range<usize>) -> &mut Option<(usize, usize, T)> {
        if self.0.is_empty() {
            self.0.resize(Self::SLOTS, None);
        }
        &mut self.0[place.start % Self::SLOTS]
    }

    fn get(&mut self, place: &Range<usize>) -> Option<T> {
        let (start, end, known) = (*self.slot(place))?;
        (start == place.start && end == place.end).then_some(known)
    }

    fn set(&mut self, place: &Range<usize>, result: T) -> T {
        *self.slot(place) = Some((place.start, place.end, result));
        result
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
        let key = key_verdict(scan, &word);
        if key.is_named {
            return;
        }
        if key.is_key || key.is_hex_key && !has_words {
            scan.add(Basis::Name, name.kind(), key.start..key.end);
            if key.start == word.start {
                return;
            }
        }
        if key.is_other {
            return;
        }
        has_words |= key.is_word;
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
    let is_key = is_plainly_a_key(text, false);
    let result = KeyVerdict {
        start: value.start,
        end: value.start + text.len(),
        is_named: value != whole && is_other_name(scan, whole.start..value.start),
        is_key,
        is_hex_key: !is_key && is_plainly_a_key(text, true),
        is_other: is_other_thing(text),
        is_word: text.len() > 1 && text.bytes().all(|byte| byte.is_ascii_alphabetic()),
    };
    scan.verdicts.keys.set(word, result)
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

/// Flags that many commands have for passwords, and here-strings.
pub(in crate::secrets) const FLAGS: [&str; 5] = [" -p", " -P", " -k ", " -w ", "<<< "];

/// Commands that read a password from standard input.
const READERS: [&str; 10] = [
    "passw",
    "kinit",
    "keepass",
    "cryptsetup",
    "gpg ",
    "sudo -S",
    "ssh-add",
    "smbclient",
    "vault",
    "openconnect",
];

/// Whether a here-string goes to a command that reads a password.
fn is_read(scan: &Scan, from: usize) -> bool {
    let line = super::floor(scan, scan.line_start(from, 120), from);
    let before = scan.slice(&line);
    before.ends_with("<<< ") && READERS.iter().any(|reader| before.contains(reader))
}

/// The password after such a flag, if it looks generated.
pub(in crate::secrets) fn find_flag(scan: &mut Scan, from: usize) {
    let is_open = |byte: &&u8| matches!(byte, b' ' | b'"' | b'\'');
    let opening = scan.bytes[from..].iter().take(2).take_while(is_open);
    let start = from + opening.count();
    let is_end = |byte: u8| byte <= b' ' || b"\"'`|;\\".contains(&byte);
    let rest = scan.bytes[start..].iter().take(80);
    let end = start + rest.take_while(|byte| !is_end(**byte)).count();
    steps::count(end - from);
    let span = start..end;
    let text = scan.slice(&span);
    let is_given = || {
        is_unlike_a_word(text)
            && !text.starts_with(['$', '-', '/'])
            && is_read(scan, from)
            && is_secret(text, Class::Password, Place::Argument)
    };
    if is_plainly_generated(text) || is_given() {
        scan.add(Basis::Name, PASSWORD, span);
    }
}

/// Texts directly before a password.
pub(in crate::secrets) const BEFORE_VALUES: [&str; 27] = [
    "{noop}",
    "password-command 'echo ",
    "password-command \"echo ",
    "passwordcmd 'echo ",
    "password_cmd=\"echo -n ",
    "password_cmd=\"echo ",
    "user_pw ",
    "owner_pw ",
    "rclone obscure ",
    "openssl passwd -6 ",
    "openssl passwd -1 ",
    "openssl passwd -apr1 ",
    "secret 0 ",
    "secret 7 ",
    "password 0 ",
    "password 7 ",
    "key 0 ",
    "key 7 ",
    "snmp-server community ",
    "tacacs-server key ",
    "radius-server key ",
    "key-string ",
    "&p=",
    "--encrypt ",
    "password-file <(echo ",
    "passwordfile=<(echo ",
    "-A bearer -a ",
];

/// The password after such a text.
pub(in crate::secrets) fn find_value(scan: &mut Scan, from: usize) {
    let quote = scan
        .bytes
        .get(from)
        .filter(|byte| matches!(byte, b'"' | b'\''));
    let start = from + usize::from(quote.is_some());
    let rest = scan.bytes.get(start..).unwrap_or_default().iter().take(80);
    let is_end = |byte: u8| byte <= b' ' || b"\"'`|;)&,".contains(&byte);
    let end = start + rest.take_while(|byte| !is_end(**byte)).count();
    steps::count(end - start);
    let span = start..end;
    let text = scan.slice(&span);
    if is_unlike_a_word(text)
        && text.bytes().any(|byte| byte.is_ascii_alphabetic())
        && !text.starts_with(['-', '$', '('])
        && is_secret(text, Class::Password, Place::Argument)
    {
        scan.add(Basis::Name, PASSWORD, span);
    }
}

/// Texts before `user/password@database`, as Oracle's programs take it.
pub(in crate::secrets) const BEFORE_LOGINS: [&str; 14] = [
    "sqlplus ",
    "sqlldr ",
    "expdp ",
    "impdp ",
    "sqlcl ",
    "rman target ",
    "catalog ",
    "oracle:thin:",
    "userid=",
    "DSN=",
    "dsn=",
    "oracledb.connect(",
    "cx_Oracle.connect(",
    "connect ",
];

/// The password of `user/password@database`, and that of `user/password` before a blank.
pub(in crate::secrets) fn find_login(scan: &mut Scan, from: usize) {
    let mut at = from;
    // Options such as `-s` and `-L` come first.
    for _ in 0..3 {
        let rest = scan.bytes.get(at..).unwrap_or_default();
        match rest {
            [b'-', b'a'..=b'z' | b'A'..=b'Z', b' ', ..] => at += 3,
            [b'"' | b'\'', ..] => at += 1,
            _ => break,
        }
    }
    let Some(user) = Alphabet::named("word").map(|word| word.run(scan.bytes, at, 64)) else {
        return;
    };
    let start = at + user + 1;
    if user == 0 || scan.bytes.get(at + user) != Some(&b'/') {
        return;
    }
    let rest = scan.bytes[start..].iter().take(80);
    let is_end = |byte: u8| byte <= b' ' || b"\"'`@/|;)".contains(&byte);
    let end = start + rest.take_while(|byte| !is_end(**byte)).count();
    steps::count(end - at);
    let span = start..end;
    let text = scan.slice(&span);
    let is_varied = text.bytes().any(|byte| byte.is_ascii_digit());
    let is_login = scan.bytes.get(end) == Some(&b'@') && is_varied || is_plainly_generated(text);
    if is_login && is_secret(text, Class::Password, Place::Argument) {
        scan.add(Basis::Name, CONNECTION_PASSWORD, span);
    }
}
