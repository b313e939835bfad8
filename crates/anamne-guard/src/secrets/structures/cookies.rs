//! Session values in `Cookie` and `Set-Cookie` headers.

use std::ops::Range;

use crate::DataKind;
use crate::secrets::alphabet::Alphabet;
use crate::secrets::placeholders::is_placeholder;
use crate::secrets::scan::{Basis, Scan};
use crate::secrets::shape::Shape;

pub(super) const COOKIE: DataKind = DataKind::secret("cookie");

/// Parts of names of cookies that carry a session.
const SESSIONS: [&str; 11] = [
    "sess",
    "sid",
    "auth",
    "token",
    "jwt",
    "remember",
    "login",
    "aspx",
    "refresh",
    "identity",
    "__secure-",
];

/// The session values of up to 32 pairs after `cookie:`, `Cookie=` and the like.
pub(super) fn find(scan: &mut Scan, name: Range<usize>) {
    if name.start < scan.cookie_end {
        return;
    }
    let mut at = name.end;
    let mut has_link = false;
    let is_flag = scan.slice(&(name.start.saturating_sub(2)..name.start)) == "--";
    for _ in 0..8 {
        match scan.bytes.get(at) {
            Some(b':' | b'=') => has_link = true,
            Some(b'"' | b'\'' | b'`' | b'\\' | b']' | b',' | b' ') => has_link |= is_flag,
            _ => break,
        }
        at += 1;
    }
    if has_link {
        find_pairs(scan, at);
    }
}

fn find_pairs(scan: &mut Scan, mut at: usize) {
    let names = Alphabet::named("dot").expect("an alphabet");
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
        && !["csrf", "xsrf", "expires", "samesite"]
            .iter()
            .any(|part| name.contains(part));
    let text = scan.slice(&value);
    let shape = Shape::of(text);
    let is_value =
        shape.length >= 8 && shape.digits > 0 && shape.letters() > 0 || shape.is_random(16);
    if is_session && is_value && !shape.is_monotonous() && !is_placeholder(text) {
        scan.add(Basis::Structure, COOKIE, value);
    }
}
