//! Session values in `Cookie` and `Set-Cookie` headers.

use std::ops::Range;

use crate::DataKind;
use crate::secrets::alphabet::Alphabet;
use crate::secrets::placeholders::is_placeholder;
use crate::secrets::scan::{Basis, Scan};
use crate::secrets::shape::Shape;
use crate::secrets::steps;

pub(super) const COOKIE: DataKind = DataKind::secret("cookie");

/// Parts of names of cookies that carry a session.
const SESSIONS: [&str; 17] = [
    "sess",
    "sid",
    "auth",
    "token",
    "jwt",
    "remember",
    "login",
    "logged_in",
    "aspx",
    "aspnet",
    "refresh",
    "identity",
    "__secure-",
    "ticket",
    "cftoken",
    "li_at",
    "xoxd",
];

/// Parts of names of cookies that look like those, but aren't secret.
const OTHERS: [&str; 9] = [
    "csrf",
    "xsrf",
    "forgery",
    "expires",
    "samesite",
    "sidebar",
    "resid",
    "author",
    "verification",
];

/// The session values of up to 32 pairs after `cookie:`, `Cookie=`, `setCookie(` and the like.
pub(super) fn find(scan: &mut Scan, name: Range<usize>) {
    if name.start < scan.cookie_end {
        return;
    }
    // The rest of names such as `cookies`, `cookieJar.set` and `cookie_store`.
    let rest = names().run(scan.bytes, name.end, 24);
    let mut at = name.end + rest;
    let mut has_link = false;
    let mut is_map = false;
    let is_flag = scan.slice(&(name.start.saturating_sub(2)..name.start)) == "--";
    for _ in 0..12 {
        match scan.bytes.get(at) {
            Some(b':' | b'=' | b',') => has_link = true,
            Some(b'(' | b'{') => (has_link, is_map) = (true, true),
            Some(b'[') if matches!(scan.bytes.get(at + 1), Some(b'"' | b'\'')) => {
                (has_link, is_map) = (true, true);
            }
            Some(b'"' | b'\'' | b'`' | b'\\' | b']' | b' ') => has_link |= is_flag,
            _ => break,
        }
        at += 1;
    }
    at += pair_value(scan, at);
    if has_link && (rest == 0 || is_map || scan.slice(&(name.end..name.end + rest)) == "s") {
        find_pairs(scan, at);
        if is_map && scan.cookie_end < at {
            find_entries(scan, at);
        }
    }
}

/// How long `value": "` is, where a cookie is a pair `"name": "Cookie", "value": "…"`.
pub(super) fn pair_value(scan: &Scan, at: usize) -> usize {
    let Some(rest) = ["value", "Value"]
        .iter()
        .find_map(|word| scan.bytes.get(at..)?.strip_prefix(word.as_bytes()))
    else {
        return 0;
    };
    let is_link = |byte: &&u8| matches!(byte, b'"' | b'\'' | b':' | b'=' | b' ' | b'\\');
    5 + rest.iter().take(6).take_while(is_link).count()
}

/// The value of a session cookie after `curl -b`, if it isn't a file.
pub(super) fn find_flag(scan: &mut Scan, from: usize) {
    let quote = scan
        .bytes
        .get(from)
        .filter(|byte| matches!(byte, b'"' | b'\''));
    find_pairs(scan, from + usize::from(quote.is_some()));
}

/// The value of a session cookie by its name alone: `connect.sid=…`, `"laravel_session": "…"`.
pub(super) fn find_session(scan: &mut Scan, anchor: Range<usize>) {
    if anchor.start < scan.cookie_end {
        return;
    }
    let mut at = anchor.end + names().run(scan.bytes, anchor.end, 64);
    let mut has_link = false;
    for _ in 0..6 {
        match scan.bytes.get(at) {
            Some(b':' | b'=') => has_link = true,
            Some(b'"' | b'\'' | b'`' | b' ') => {}
            _ => break,
        }
        at += 1;
    }
    let end = value_end(scan, Alphabet::named("pct").expect("an alphabet"), at);
    if has_link && !is_placeholder(scan.slice(&(at..end))) {
        let shape = Shape::of(scan.slice(&(at..end)));
        if shape.is_random(16) && !shape.may_be_words() {
            scan.add(Basis::Structure, COOKIE, at..end);
        }
        scan.cookie_end = end;
    }
}

/// The names of cookies.
fn names() -> &'static Alphabet {
    Alphabet::named("dot").expect("an alphabet")
}

/// The values in maps and calls: `'name': 'value'`, `"name", "value"`, `Name: "name", Value: "value"`.
fn find_entries(scan: &mut Scan, from: usize) {
    let mut name: Option<Range<usize>> = None;
    let mut at = from.saturating_sub(1);
    let mut is_other = false;
    for _ in 0..24 {
        let Some(literal) = next_literal(scan, at) else {
            return;
        };
        let has_call = scan.bytes[at..literal.start].contains(&b'(');
        at = literal.end + 1;
        scan.cookie_end = literal.end;
        match (scan.slice(&literal), name.take()) {
            ("name", _) => {}
            ("value", cookie) => name = cookie,
            ("domain" | "path" | "sameSite" | "expires", cookie) => {
                (name, is_other) = (cookie, true);
                continue;
            }
            (_, cookie) if is_other => name = cookie,
            (_, Some(cookie)) if !has_call => add(scan, cookie, literal),
            _ => name = Some(literal),
        }
        is_other = false;
    }
}

/// The inside of the next literal on the line, within 64 bytes.
fn next_literal(scan: &Scan, at: usize) -> Option<Range<usize>> {
    let rest = scan.bytes.get(at..)?;
    let open = rest
        .iter()
        .take(64)
        .position(|byte| matches!(byte, b'"' | b'\'' | b'`' | b';' | b'\n'))?;
    let quote = rest[open];
    let inside = &rest[open + 1..];
    let length = inside
        .iter()
        .take(2_048)
        .position(|byte| *byte == quote || *byte == b'\n');
    steps::count(open + length.unwrap_or(2_048));
    let start = at + open + 1;
    let literal = start..start + length?;
    let is_literal = !matches!(quote, b';' | b'\n') && scan.bytes[literal.end] == quote;
    is_literal.then_some(literal)
}

fn find_pairs(scan: &mut Scan, mut at: usize) {
    let names = names();
    let values = Alphabet::named("pct").expect("an alphabet");
    for _ in 0..32 {
        let name = at..at + names.run(scan.bytes, at, 64);
        if name.is_empty() || scan.bytes.get(name.end) != Some(&b'=') {
            return;
        }
        let start = name.end + 1 + usize::from(scan.bytes.get(name.end + 1) == Some(&b'"'));
        let end = value_end(scan, values, start);
        add(scan, name, start..end);
        scan.cookie_end = end;
        let Some(b';') = scan.bytes.get(end) else {
            return;
        };
        at = end + 1 + usize::from(scan.bytes.get(end + 1) == Some(&b' '));
    }
}

/// Values have the characters of base 64 and percent escapes, and dots, tildes and colons between them.
fn value_end(scan: &Scan, values: &Alphabet, start: usize) -> usize {
    let mut end = start;
    loop {
        end += values.run(scan.bytes, end, 2_048);
        let is_joined = matches!(
            scan.bytes.get(end),
            Some(b'.' | b'~' | b':' | b'|' | b'!' | b'*' | b'$')
        );
        if !is_joined || end - start > 2_048 {
            return end;
        }
        end += 1;
    }
}

fn add(scan: &mut Scan, name: Range<usize>, value: Range<usize>) {
    let name = scan.slice(&name).to_ascii_lowercase();
    let is_session = SESSIONS.iter().any(|part| name.contains(part))
        && !OTHERS.iter().any(|part| name.contains(part));
    let text = scan.slice(&value);
    let shape = Shape::of(text);
    let is_value =
        shape.length >= 8 && shape.digits > 0 && shape.letters() > 0 || shape.is_random(16);
    if is_session && is_value && !shape.is_monotonous() && !is_placeholder(text) {
        scan.add(Basis::Structure, COOKIE, value);
    }
}
