//! Authorization headers.

use std::ops::Range;

use super::cookies::pair_value;
use crate::DataKind;
use crate::secrets::alphabet::{TOKEN68, URL, after_blanks, may_begin};
use crate::secrets::codes::base64;
use crate::secrets::placeholders::is_placeholder;
use crate::secrets::scan::{Basis, Scan};
use crate::secrets::shape::Shape;
use crate::secrets::stock::is_stock;
use crate::secrets::words;

pub(super) const AUTHORIZATION_HEADER: DataKind = DataKind::secret("authorization-header");
const API_KEY: DataKind = DataKind::secret("api-key");

/// Schemes whose credentials are secret as they stand.
const SCHEMES: [&str; 13] = [
    "bearer",
    "basic",
    "token",
    "apikey",
    "api-key",
    "key",
    "splunk",
    "geniekey",
    "ssws",
    "bot",
    "oauth",
    "negotiate",
    "zoho-oauthtoken",
];

/// The credentials of `Authorization: Scheme credentials`, in any notation of header, map or call.
pub(super) fn find(scan: &mut Scan, name: Range<usize>) {
    let mut at = name.end;
    let mut has_link = false;
    for _ in 0..12 {
        match scan.bytes.get(at) {
            Some(b':' | b'=' | b',') => has_link = true,
            Some(
                b'"' | b'\'' | b'`' | b' ' | b'\t' | b']' | b'>' | b'\\' | b'(' | b'*' | b'f'
                | b'b',
            ) => {}
            _ => break,
        }
        if matches!(scan.bytes[at], b'f' | b'b')
            && !matches!(scan.bytes.get(at + 1), Some(b'"' | b'\''))
        {
            break;
        }
        at += 1;
    }
    if !has_link {
        return;
    }
    at += pair_value(scan, at);
    let word = at..at + TOKEN68.run(scan.bytes, at, 24);
    let scheme = scan.slice(&word).to_ascii_lowercase();
    if SCHEMES.contains(&scheme.as_str()) {
        let skip = scan.bytes.get(word.end).copied();
        if matches!(skip, Some(b' ' | b'\t' | b'+' | b':')) {
            add_credentials(scan, &scheme, after_blanks(scan.bytes, word.end), true);
        }
    } else if scheme != "digest" && !scheme.starts_with("aws4") {
        add_bare(scan, Basis::Structure, AUTHORIZATION_HEADER, at);
    }
}

/// The value of a header whose name is no word for a secret, such as `Grpc-Metadata-macaroon: …`.
pub(super) fn find_plain(scan: &mut Scan, basis: Basis, kind: DataKind, from: usize) {
    let mut has_link = false;
    let mut at = from;
    for _ in 0..8 {
        match scan.bytes.get(at) {
            Some(b':' | b'=' | b',') => has_link = true,
            Some(b'"' | b'\'' | b'`' | b' ' | b']' | b'\\') => {}
            _ => break,
        }
        at += 1;
    }
    if has_link {
        add_bare(scan, basis, kind, at);
    }
}

/// Parts of names of headers that end with `-Key` and carry no secret.
const OPEN_KEYS: [&str; 11] = [
    "idempot",
    "cache",
    "surrogate",
    "partition",
    "public",
    "routing",
    "request",
    "site",
    "sort",
    "websocket",
    "object",
];

/// Names before `-Key` in headers of vendors that don't begin with `X-`.
const VENDORS: [&str; 6] = ["fastly", "dd-api", "rundeck", "chef", "linode", "gotify"];

/// The value of a header such as `X-Gotify-Key: …`.
pub(super) fn find_key(scan: &mut Scan, end: Range<usize>) {
    let length = URL.run_back(scan.bytes, end.start, 40);
    let name = scan
        .slice(&(end.start - length..end.start))
        .to_ascii_lowercase();
    let is_header = name.starts_with("x-") || VENDORS.contains(&name.as_str());
    if is_header && !OPEN_KEYS.iter().any(|part| name.contains(part)) {
        find_plain(scan, Basis::Name, API_KEY, end.end);
    }
}

/// Credentials after a scheme that stands alone.
pub(super) fn find_scheme(scan: &mut Scan, scheme: Range<usize>) {
    if may_begin(scan.bytes, scheme.start) {
        let name = scan.slice(&scheme).trim_end().to_ascii_lowercase();
        add_credentials(scan, &name, after_blanks(scan.bytes, scheme.end), false);
    }
}

pub(super) fn add_credentials(scan: &mut Scan, scheme: &str, start: usize, is_header: bool) {
    let start = start + usize::from(matches!(scan.bytes.get(start), Some(b'"' | b'\'')));
    let Some(span) = credentials(scan, start) else {
        return;
    };
    let value = scan.slice(&span);
    let shape = Shape::of(value);
    let is_secret = if scheme == "basic" {
        is_basic(value).unwrap_or_else(|| is_header && shape.is_random(16))
    } else if is_header {
        shape.is_random(16)
            || (shape.length >= 8 && shape.digits > 0 && shape.letters() > 0 && !is_wordy(value))
    } else {
        shape.is_random(16)
    };
    if is_secret && !is_placeholder(value) {
        scan.add(Basis::Structure, AUTHORIZATION_HEADER, span);
    }
}

/// A value without a scheme: only if it looks random.
fn add_bare(scan: &mut Scan, basis: Basis, kind: DataKind, start: usize) {
    if let Some(span) = credentials(scan, start) {
        let value = scan.slice(&span);
        if Shape::of(value).is_random(16) && !is_placeholder(value) {
            scan.add(basis, kind, span);
        }
    }
}

/// How often a byte of credentials may be read: after its header, its scheme, and once more.
const MOST_READINGS: usize = 3;

/// The characters of credentials, without a sentence's full stop.
fn credentials(scan: &mut Scan, start: usize) -> Option<Range<usize>> {
    if !scan.efforts.credentials.may_read(start, MOST_READINGS) {
        return None;
    }
    let mut end = start + TOKEN68.run(scan.bytes, start, 4_096);
    scan.efforts.credentials.add(end - start);
    while end > start && matches!(scan.bytes[end - 1], b'.' | b':' | b'-') {
        end -= 1;
    }
    let is_call = matches!(
        scan.bytes.get(end),
        Some(b'(' | b'[' | b'{' | b'<' | b'$' | b'%')
    );
    (end >= start + 6 && !is_call).then_some(start..end)
}

/// Whether the value is base 64 of `user:password`, and not of a placeholder; `None` if it is base 64 of no text.
fn is_basic(value: &str) -> Option<bool> {
    let pair = String::from_utf8(base64(value.as_bytes())?).ok()?;
    if pair.chars().any(char::is_control) {
        return None;
    }
    let Some((user, password)) = pair.split_once(':') else {
        return Some(false);
    };
    let is_key = password.is_empty() && Shape::of(user).is_random(16);
    let is_word = words::has(&words::lists().not_values, &password.to_lowercase());
    let is_password =
        password.len() >= 2 && !is_word && !is_placeholder(password) && !is_stock(password);
    Some(is_key || is_password)
}

/// Whether a value is words joined by punctuation, such as `access_token1`.
fn is_wordy(value: &str) -> bool {
    let lower = value.to_ascii_lowercase();
    [
        "token", "secret", "key", "auth", "bearer", "pass", "user", "test", "api",
    ]
    .iter()
    .any(|word| lower.contains(word))
}
