//! Values that their place among others marks: arguments of calls, columns of rows, what a script sends.

use std::ops::Range;

use super::judge::{Place, is_secret, names_a_secret};
use super::names::{Class, class_of_identifier};
use super::{PASSWORD, names, values};
use crate::DataKind;
use crate::secrets::alphabet::{after_blanks, may_begin};
use crate::secrets::scan::{Basis, Scan};
use crate::secrets::shape::Shape;
use crate::secrets::words::{Call, Given, lists};
use crate::secrets::{placeholders, steps};

/// The bytes of a call or a row that are read.
const MOST: usize = 400;
/// Its values that are read.
const MOST_VALUES: usize = 12;
/// The rows after `VALUES` that are read.
const MOST_ROWS: usize = 6;

const QUOTED: Place = Place::Quoted { is_label: false };

/// The arguments or fields after an opening bracket, quoted ones without their quotes, and where the closing bracket is.
fn fields(scan: &Scan, from: usize) -> Option<(Vec<Option<Range<usize>>>, usize)> {
    let bytes = scan.bytes;
    let until = (from + MOST).min(bytes.len());
    let mut all = vec![None];
    let (mut at, mut depth) = (from, 0_usize);
    let mut is_start = true;
    while at < until && all.len() <= MOST_VALUES {
        if is_start && bytes[at] > b' ' {
            at += values::prefix(scan, at);
            is_start = false;
        }
        match *bytes.get(at)? {
            quote @ (b'"' | b'\'' | b'`') => {
                let end = closing(bytes, at + 1, until, quote)?;
                if depth == 0
                    && let Some(last) = all.last_mut()
                {
                    last.get_or_insert(at + 1..end);
                }
                at = end;
            }
            b'(' | b'[' | b'{' => depth += 1,
            b')' if depth == 0 => {
                steps::count(at - from);
                return Some((all, at));
            }
            b')' | b']' | b'}' => depth = depth.saturating_sub(1),
            b',' if depth == 0 => {
                all.push(None);
                is_start = true;
            }
            b';' if depth == 0 => break,
            _ => {}
        }
        at += 1;
    }
    steps::count(at - from);
    Some((all, at))
}

/// Where a quoted text ends.
fn closing(bytes: &[u8], from: usize, until: usize, quote: u8) -> Option<usize> {
    let mut at = from;
    while at < until {
        match bytes[at] {
            b'\\' => at += 1,
            b'\n' => return None,
            byte if byte == quote => return Some(at),
            _ => {}
        }
        at += 1;
    }
    None
}

/// Whether a text that stands where a password does isn't just a word.
pub(super) fn is_unlike_a_word(text: &str) -> bool {
    let shape = Shape::of(text);
    shape.digits > 0 || shape.sorts() >= 3 || shape.is_random(12)
}

/// The password, token or key among the arguments of the call whose name and bracket are at a place.
pub(in crate::secrets) fn find_in_call(scan: &mut Scan, index: usize, name: Range<usize>) {
    let call: &Call = &lists().calls[index];
    if name.start < scan.call_end || !may_begin(scan.bytes, name.start) {
        return;
    }
    let Some((arguments, end)) = fields(scan, name.end) else {
        return;
    };
    scan.call_end = end;
    let Some(value) = arguments.get(call.place - 1).cloned().flatten() else {
        return;
    };
    let text = scan.slice(&value);
    let is_repeated = arguments[..call.place - 1]
        .iter()
        .flatten()
        .any(|other| scan.slice(other).eq_ignore_ascii_case(text));
    let (class, kind) = match call.given {
        Given::Password => (Class::Password, PASSWORD),
        Given::Token => (Class::Key, names::TOKEN),
        Given::Secret => (Class::Secret, names::SECRET),
    };
    if !is_repeated
        && is_unlike_a_word(text)
        && !names_a_secret(text)
        && is_secret(text, class, QUOTED)
    {
        scan.add(Basis::Name, kind, value);
    }
}

/// Words before the rows of an SQL statement.
pub(in crate::secrets) const BEFORE_ROWS: [&str; 5] =
    ["VALUES", "values", "Values", "FROM stdin", "from stdin"];

/// A column of a statement: its place, and what its name says.
type Column = (usize, Class, DataKind);

/// The passwords and keys in the rows after `INSERT INTO t (…, password) VALUES` and `COPY t (…, password) FROM stdin`.
pub(in crate::secrets) fn find_in_rows(scan: &mut Scan, word: Range<usize>) {
    if word.start < scan.call_end {
        return;
    }
    let wanted = columns(scan, word.start);
    if wanted.is_empty() {
        return;
    }
    if scan.slice(&word).ends_with("stdin") {
        find_in_lines(scan, word.end, &wanted);
        return;
    }
    let mut at = gap(scan, word.end);
    for _ in 0..MOST_ROWS {
        if scan.bytes.get(at) != Some(&b'(') {
            return;
        }
        let Some((row, end)) = fields(scan, at + 1) else {
            return;
        };
        scan.call_end = end;
        for column in &wanted {
            if let Some(value) = row.get(column.0).cloned().flatten() {
                add_column(scan, column, value);
            }
        }
        at = gap(scan, end + 1);
        if scan.bytes.get(at) == Some(&b',') {
            at = gap(scan, at + 1);
        }
    }
}

/// The columns in brackets before a place that have the name of a secret.
fn columns(scan: &Scan, end: usize) -> Vec<Column> {
    let start = end.saturating_sub(MOST);
    let before = scan.slice(&super::floor(scan, start, end)).trim_end();
    steps::count(end - start);
    let names = before
        .strip_suffix(')')
        .and_then(|text| text.rfind('(').map(|open| &text[open + 1..]));
    let column = |(index, column): (usize, &str)| {
        let (class, kind) = class_of_identifier(column.trim())?;
        Some((index, class, kind))
    };
    let names = names.unwrap_or_default().split(',').take(MOST_VALUES);
    names.enumerate().filter_map(column).collect()
}

/// The lines after `FROM stdin;`, whose fields tabs separate.
fn find_in_lines(scan: &mut Scan, from: usize, wanted: &[Column]) {
    let mut at = scan.line_end(from, 16);
    for _ in 0..MOST_ROWS {
        let start = at + 1;
        if scan.bytes.get(at) != Some(&b'\n') {
            return;
        }
        at = scan.line_end(start, MOST);
        let row = super::floor(scan, start, at);
        let text = scan.slice(&row);
        for column in wanted {
            let before: usize = text
                .split('\t')
                .take(column.0)
                .map(|field| field.len() + 1)
                .sum();
            if let Some(field) = text.split('\t').nth(column.0) {
                add_column(
                    scan,
                    column,
                    row.start + before..row.start + before + field.len(),
                );
            }
        }
    }
}

fn add_column(scan: &mut Scan, column: &Column, value: Range<usize>) {
    let text = scan.slice(&value);
    if is_unlike_a_word(text) && is_secret(text, column.1, QUOTED) {
        scan.add(Basis::Name, column.2, value);
    }
}

/// White space is skipped, at most 16 bytes of it.
fn gap(scan: &Scan, at: usize) -> usize {
    let rest = scan.bytes.get(at..).unwrap_or_default().iter().take(16);
    at + rest.take_while(|byte| byte.is_ascii_whitespace()).count()
}

/// How scripts answer a prompt.
pub(in crate::secrets) const SENDERS: [&str; 6] = [
    "send \"",
    "send -- \"",
    "send '",
    "sendline(",
    "send_line(",
    ".send(",
];

/// The text that a script sends after a prompt for a password.
pub(in crate::secrets) fn find_sent(scan: &mut Scan, anchor: Range<usize>) {
    if !may_begin(scan.bytes, anchor.start) {
        return;
    }
    let is_call = scan.bytes[anchor.end - 1] == b'(';
    let open = if is_call {
        anchor.end + values::prefix(scan, anchor.end)
    } else {
        anchor.end - 1
    };
    let Some(quote @ (b'"' | b'\'')) = scan.bytes.get(open).copied() else {
        return;
    };
    let start = anchor.start.saturating_sub(160);
    let before = scan.slice(&super::floor(scan, start, anchor.start));
    steps::count(before.len());
    let is_asked = before
        .rfind("expect")
        .is_some_and(|at| before[at..].contains("assw") || before[at..].contains("assphrase"));
    let until = (open + 130).min(scan.bytes.len());
    let Some(end) = closing(scan.bytes, open + 1, until, quote).filter(|_| is_asked) else {
        return;
    };
    let text = scan.slice(&(open + 1..end));
    let bare = ["\\r\\n", "\\r", "\\n"]
        .iter()
        .find_map(|mark| text.strip_suffix(mark))
        .unwrap_or(text);
    if is_secret(bare, Class::Password, QUOTED) {
        scan.add(Basis::Name, PASSWORD, open + 1..open + 1 + bare.len());
    }
}

/// Names of a user together with a password.
pub(super) fn is_account(identifier: &str) -> bool {
    const NAMES: [&str; 11] = [
        "vpn",
        "auth",
        "creds",
        "cred",
        "credentials",
        "login",
        "logins",
        "zugangsdaten",
        "identifiants",
        "credenciales",
        "credenziali",
    ];
    let last = identifier
        .rsplit(|one: char| !one.is_alphanumeric())
        .next()
        .unwrap_or_default();
    if !last.starts_with(['c', 'C', 'l', 'L', 'z', 'Z', 'i', 'I', 'v', 'V', 'a', 'A']) {
        return false;
    }
    let is_header = identifier.to_ascii_lowercase().contains("allow");
    !is_header && NAMES.iter().any(|name| last.eq_ignore_ascii_case(name))
}

/// Looks for the password of `creds are mara:tr0ub4dor` and `login mara / tr0ub4dor`; whether there is one.
pub(super) fn find_account(scan: &mut Scan, name: &Range<usize>) -> bool {
    let end = scan.line_end(name.end, 160);
    let line = super::floor(scan, name.end, end);
    let text = scan.slice(&line);
    let Some(from) = account_start(text) else {
        return false;
    };
    let is_user = |one: char| one.is_ascii_alphanumeric() || "._@+-\\".contains(one);
    let rest = text[from..].trim_start_matches(['`', '"', '\'', '*', ' ']);
    let user = rest.len() - rest.trim_start_matches(is_user).len();
    let after = rest[user..].trim_start_matches(['`', '"', '\'']);
    let separator = [" / ", " : ", " | ", ":", "/"]
        .into_iter()
        .find(|separator| after.starts_with(separator));
    let Some(separator) = separator
        .filter(|_| user >= 2 && rest.starts_with(|one: char| one.is_ascii_alphanumeric()))
    else {
        return false;
    };
    let value = after[separator.len()..].trim_start_matches(['`', '"', '\'', '*']);
    let length = value
        .find(|one: char| one.is_whitespace() || matches!(one, '`' | '"' | '\'' | ',' | ';' | '|'))
        .unwrap_or(value.len());
    let password = value[..length].trim_end_matches(['.', ')', '*', ':', '\\']);
    let shape = Shape::of(password);
    let is_strong = shape.sorts() >= 3 || shape.is_random(12);
    let is_likely = (shape.digits > 1 || is_strong || !text[..from].trim().is_empty())
        && shape.letters() > 0
        && (is_strong || (shape.digits > 0 && separator != "/"))
        && !password.contains('/')
        && !password.eq_ignore_ascii_case(&rest[..user])
        && !placeholders::is_placeholder(&rest[..user]);
    let is_found = is_likely && is_secret(password, Class::Password, Place::Prose);
    if is_found {
        let start = line.end - value.len();
        scan.add(Basis::Name, PASSWORD, start..start + password.len());
    }
    is_found
}

/// Where the user begins after `creds`: after a colon, `are`, `is`, `for …:` or a blank.
fn account_start(text: &str) -> Option<usize> {
    let bytes = text.as_bytes();
    let mut at = bytes
        .iter()
        .take(4)
        .take_while(|byte| matches!(byte, b'"' | b'*' | b'`'))
        .count();
    if text[at..].starts_with(" for ") || text[at..].starts_with(" to ") {
        let words = [": ", " are ", " is ", " = "];
        return words
            .iter()
            .filter_map(|word| text.find(word).map(|place| place + word.len()))
            .min();
    }
    let after_name = at;
    at = after_blanks(bytes, at);
    for word in [
        ":", "=", "→", "->", "are ", "is ", "were ", "with ", "as ", "sind ", "lauten ",
    ] {
        if text[at..].starts_with(word) {
            at = after_blanks(bytes, at + word.len());
            return Some(at);
        }
    }
    (at > after_name).then_some(at)
}

/// Whether another noun follows a name, as in `the password scheme`.
fn goes_on(scan: &Scan, at: usize) -> bool {
    let is_blank = scan.bytes.get(at) == Some(&b' ');
    let is_letter = scan.bytes.get(at + 1).is_some_and(u8::is_ascii_alphabetic);
    let is_belonging = [
        " for ", " to ", " of ", " on ", " in ", " now", " de ", " von ",
    ]
    .iter()
    .any(|word| scan.has(at, word));
    is_blank && is_letter && !is_belonging
}

/// The value before a name: `use tr0ub4dor as the password`, `tr0ub4dor is the password`.
pub(super) fn before(scan: &Scan, name: &Range<usize>) -> Option<Range<usize>> {
    const JOINTS: [&str; 10] = [
        "as", "is", "als", "ist", "comme", "como", "som", "jako", "come", "est",
    ];
    const FILLERS: [&str; 30] = [
        "the",
        "my",
        "your",
        "our",
        "a",
        "new",
        "its",
        "their",
        "admin",
        "root",
        "db",
        "temporary",
        "temp",
        "default",
        "initial",
        "das",
        "dein",
        "neues",
        "neue",
        "le",
        "la",
        "el",
        "master",
        "database",
        "wifi",
        "shared",
        "for",
        "login",
        "user",
        "server",
    ];
    let start = scan.line_start(name.start, 120);
    let line = super::floor(scan, start, name.start);
    let text = scan.slice(&line);
    let mut end = text.trim_end().len();
    for _ in 0..4 {
        let at = text[..end].rfind(' ')?;
        let word = &text[at + 1..end];
        let is = |other: &&str| word.eq_ignore_ascii_case(other);
        end = text[..at].trim_end().len();
        if JOINTS.iter().any(is) {
            if ["is", "ist", "est"].iter().any(is) && goes_on(scan, name.end) {
                return None;
            }
            let from = text[..end].rfind([' ', '(', '\t']).map_or(0, |at| at + 1);
            let value = text[from..end].trim_matches(['`', '"', '\'', '*', ',', ')']);
            let lead = text[from..end].len()
                - text[from..end]
                    .trim_start_matches(['`', '"', '\'', '*', ','])
                    .len();
            let place = line.start + from + lead;
            return (!value.is_empty()).then_some(place..place + value.len());
        }
        if !FILLERS.iter().any(is) {
            return None;
        }
    }
    None
}
