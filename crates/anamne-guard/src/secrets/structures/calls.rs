//! Credentials that code gives to a client as arguments: `setBearerAuth("…")`, `NetworkCredential("user", "…")`.

use std::ops::Range;

use super::headers;
use super::urls::{CONNECTION_PASSWORD, is_password};
use crate::secrets::alphabet::URL;
use crate::secrets::letters;
use crate::secrets::placeholders::is_placeholder;
use crate::secrets::scan::{Basis, Scan};
use crate::secrets::shape::Shape;
use crate::secrets::steps;
use crate::{DataKind, case};

const PASSWORD: DataKind = DataKind::secret("password");
const SECRET: DataKind = DataKind::secret("secret");
const TOKEN: DataKind = DataKind::secret("token");

/// The bytes of a call that are read.
const MOST: usize = 640;

/// How often a byte may be read, in calls within calls.
const MOST_READINGS: usize = 8;

/// What a call is given.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::secrets) enum Call {
    /// A scheme and its credentials.
    Scheme,
    /// A token, perhaps after other arguments.
    Token,
    /// A user and a password.
    Login,
    /// An address, a user and a password.
    Source,
    /// A password.
    Password,
    /// `user:password`, perhaps after a name.
    Pair,
    /// An identifier and a secret, once or twice; all look generated.
    Keys,
}

/// Reads the arguments of a call that opens before `from`.
pub(super) fn find(scan: &mut Scan, call: Call, from: usize) {
    let is_positional = matches!(call, Call::Login | Call::Source | Call::Keys);
    if is_positional && scan.bytes.get(from) == Some(&b'{') {
        return;
    }
    if !scan.efforts.calls.may_read(from, MOST_READINGS) {
        return;
    }
    let arguments = arguments(scan, from);
    let text = |index: usize| arguments.get(index).cloned().flatten();
    let of = |place: &Option<Range<usize>>| place.clone().map(|span| scan.slice(&span));
    match call {
        Call::Scheme => {
            let (Some(scheme), Some(span)) = (of(&text(0)), text(1)) else {
                return;
            };
            let scheme = scheme.to_ascii_lowercase();
            headers::add_credentials(scan, &scheme, span.start, true);
        }
        Call::Token => {
            let Some(span) = text(0) else {
                return;
            };
            if is_generated(scan.slice(&span)) {
                scan.add(Basis::Structure, TOKEN, span);
            }
        }
        Call::Login | Call::Source => {
            let is_first_empty = text(0).is_some_and(|span| span.is_empty());
            let user = usize::from(call == Call::Source || is_first_empty);
            let (name, Some(span)) = (of(&text(user)), text(user + 1)) else {
                return;
            };
            let kind = if call == Call::Source {
                CONNECTION_PASSWORD
            } else {
                PASSWORD
            };
            if is_named_otherwise(scan, span.start) {
                return;
            }
            add_password(scan, kind, name.unwrap_or_default(), span);
        }
        Call::Password => {
            if let Some(span) = text(0) {
                add_password(scan, PASSWORD, "", span);
            }
        }
        Call::Pair => {
            let Some(span) = text(0).or_else(|| text(1)) else {
                return;
            };
            if let Some((user, password)) = scan.slice(&span).split_once(':')
                && is_user(user)
                && !password.starts_with('/')
            {
                let start = span.end - password.len();
                add_password(scan, PASSWORD, user, start..span.end);
            }
        }
        Call::Keys => {
            for (identifier, secret) in [(text(0), text(1)), (text(2), text(3))] {
                if let (Some(identifier), Some(secret)) = (identifier, secret)
                    && is_generated(scan.slice(&identifier))
                    && is_generated(scan.slice(&secret))
                {
                    scan.add(Basis::Structure, SECRET, secret);
                }
            }
        }
    }
}

/// Whether the literal at a place has the name of another thing than a password: `follow_redirects='…'`.
fn is_named_otherwise(scan: &Scan, literal: usize) -> bool {
    const OWN: [&str; 6] = ["pass", "pw", "secret", "token", "key", "cred"];
    let Some(sign) = literal.checked_sub(2).filter(|at| scan.bytes[*at] == b'=') else {
        return false;
    };
    let length = URL.run_back(scan.bytes, sign, 40);
    let name = scan.slice(&(sign - length..sign));
    length > 0 && !OWN.iter().any(|own| case::has_part(name, own))
}

fn is_generated(value: &str) -> bool {
    let shape = Shape::of(value);
    shape.is_random(16) && !shape.may_be_words() && !is_placeholder(value)
}

/// Whether it may be the name of a user.
fn is_user(name: &str) -> bool {
    let is_part = |one: char| one.is_alphanumeric() || "._@+-".contains(one);
    name.chars().all(is_part) && name.contains(char::is_alphabetic)
}

/// Passwords have a digit or punctuation, and are neither sentences nor words about passwords.
fn add_password(scan: &mut Scan, kind: DataKind, user: &str, span: Range<usize>) {
    let value = scan.slice(&span);
    let shape = Shape::of(value);
    let lower = value.to_ascii_lowercase();
    let is_wordy = shape.sorts() < 4
        && ["passw", "secret", "token", "user", "test", "wrong"]
            .iter()
            .any(|word| lower.contains(word));
    let has_mark = value.contains(['!', '@', '#', '$', '%', '^', '&', '*', '?']);
    let is_varied = shape.digits > 0
        || shape.is_random(12)
        || (shape.sorts() >= 3 && (has_mark || letters::are_unlike_words(value)));
    if shape.length >= 6
        && shape.blanks == 0
        && shape.letters() > 0
        && is_varied
        && !is_wordy
        && is_password(user, value)
    {
        scan.add(Basis::Structure, kind, span);
    }
}

/// Up to four arguments: the inside of a literal, or `None` for anything else.
fn arguments(scan: &mut Scan, from: usize) -> Vec<Option<Range<usize>>> {
    let bytes = scan.bytes;
    let until = (from + MOST).min(bytes.len());
    let mut found = Vec::new();
    let mut at = from;
    let mut literal = None;
    let mut has_other = false;
    while at < until && found.len() < 4 {
        match bytes[at] {
            quote @ (b'"' | b'\'' | b'`') => {
                let Some(length) = literal_length(&bytes[at + 1..until], quote) else {
                    break;
                };
                literal = Some(at + 1..at + 1 + length);
                at += length + 1;
            }
            b',' => {
                found.push(literal.take().filter(|_| !has_other));
                has_other = false;
            }
            b')' | b']' | b';' | b'}' => break,
            // Prefixes of literals, names of arguments and conversions such as `.toCharArray(`.
            b' ' | b'\n' | b'\t' | b'\r' | b'@' | b'&' | b'=' | b':' | b'(' | b'[' | b'.' => {}
            byte if byte.is_ascii_alphanumeric() || byte == b'_' => {}
            _ => has_other = true,
        }
        at += 1;
    }
    steps::count(at - from);
    scan.efforts.calls.add(at - from);
    found.push(literal.filter(|_| !has_other));
    found
}

/// The length of a literal up to its quote on the same line.
fn literal_length(rest: &[u8], quote: u8) -> Option<usize> {
    let length = rest
        .iter()
        .take_while(|byte| **byte != quote && **byte != b'\n')
        .count();
    steps::count(length);
    (rest.get(length) == Some(&quote)).then_some(length)
}
