//! Where a value ends.

use std::ops::Range;

use super::links::{Link, Site};
use crate::secrets::scan::Scan;
use crate::secrets::steps;

/// A value in the text, without its quotes.
#[derive(Debug)]
pub(super) struct Value {
    pub(super) span: Range<usize>,
    pub(super) is_quoted: bool,
    /// Nothing but blanks and a comment follows on its line.
    pub(super) is_last_on_line: bool,
    pub(super) is_followed_by_semicolon: bool,
}

/// The longest value.
const MOST: usize = 320;

/// Quotes that open and close a value, longest first.
const QUOTES: [(&str, &str); 19] = [
    ("\\\\\\\"", "\\\\\\\""),
    ("\"\"\"", "\"\"\""),
    ("'''", "'''"),
    ("&quot;", "&quot;"),
    ("\\\"", "\\\""),
    ("\\'", "\\'"),
    ("**`", "`"),
    ("\"", "\""),
    ("'", "'"),
    ("`", "`"),
    ("“", "”"),
    ("„", "“"),
    ("«", "»"),
    ("‘", "’"),
    ("‚", "‘"),
    ("「", "」"),
    ("『", "』"),
    ("”", "”"),
    ("»", "«"),
];

/// The value at a site.
pub(super) fn read(scan: &Scan, site: &Site) -> Option<Value> {
    if site.link == Link::Tag {
        return tagged(scan, site.value_at);
    }
    let at = site.value_at + prefix(scan, site.value_at);
    let may_open = |byte: &u8| *byte >= 0x80 || b"\\\"'&*`".contains(byte);
    let opening = scan.bytes.get(at).filter(|byte| may_open(byte));
    let opening = opening.and_then(|_| QUOTES.iter().find(|(open, _)| scan.has(at, open)));
    match opening {
        Some((open, close)) => quoted(scan, at + open.len(), close),
        None if site.link == Link::Assign && !site.is_spaced && scan.has(at, "{") => {
            braced(scan, at + 1)
        }
        None if site.link == Link::Quoted => None,
        None => bare(scan, site),
    }
}

/// Calls that only wrap a value.
const WRAPPERS: [&str; 39] = [
    "String::from(",
    "new String(",
    "str(",
    "SecretString::new(",
    "SecretStr(",
    "Some(",
    "[]byte(",
    "bytes.fromhex(",
    "Buffer.from(",
    "hex.decode(",
    "<%= ",
    "base64.b64decode(",
    "SecureString(",
    "new SecureString(",
    "SecretString(",
    "new SecretString(",
    "secret.New(",
    "Secret(",
    "Secret.of(",
    "Secret.fromString(",
    "SecretString::from(",
    "SecretBox::new(",
    "Zeroizing::new(",
    "Password(",
    "Password::new(",
    "Sensitive(",
    "Sensitive.new(",
    "pulumi.secret(",
    "pulumi.String(",
    "aws.String(",
    "ptr.To(",
    "SecretValue.unsafePlainText(",
    "SecretValue.plainText(",
    "QStringLiteral(",
    "Optional.of(",
    "std::string(",
    "Some(String::from(",
    "Secret::new(",
    "{ value: ",
];

/// The letters before a string literal, and calls that only wrap one: `b"…"`, `String::from("…")`.
pub(super) fn prefix(scan: &Scan, at: usize) -> usize {
    let letters = scan.bytes.get(at..).unwrap_or_default().iter().take(2);
    let count = letters
        .take_while(|byte| b"bBrRuUfFLNE@$".contains(byte))
        .count();
    if count > 0 && matches!(scan.bytes.get(at + count), Some(b'"' | b'\'')) {
        return count;
    }
    WRAPPERS
        .iter()
        .find(|call| scan.has(at, call))
        .map_or(0, |call| call.len())
}

fn quoted(scan: &Scan, start: usize, close: &str) -> Option<Value> {
    let rest = scan.bytes.get(start..)?;
    let close_bytes = close.as_bytes();
    let mut at = 0;
    loop {
        let byte = *rest.get(at)?;
        if at > MOST || matches!(byte, b'\n' | b'\r') {
            steps::count(at);
            return None;
        }
        if rest[at..].starts_with(close_bytes) {
            break;
        }
        at += if byte == b'\\' { 2 } else { 1 };
    }
    steps::count(at);
    let end = start + at;
    Some(Value {
        span: start..end,
        is_quoted: true,
        is_last_on_line: false,
        is_followed_by_semicolon: scan.bytes.get(end + close.len()) == Some(&b';'),
    })
}

/// The value of `Pwd={…}` in a connection string, unless a program fills in a variable.
fn braced(scan: &Scan, start: usize) -> Option<Value> {
    let value = quoted(scan, start, "}")?;
    let text = scan.slice(&value.span);
    let is_filled_in = text.contains(['{', '$', '(', '[', ' ']) || text.starts_with('.');
    let has_digit = text.bytes().any(|byte| byte.is_ascii_digit());
    let has_more = text
        .bytes()
        .any(|byte| byte.is_ascii_uppercase() || byte.is_ascii_punctuation());
    (!is_filled_in && has_digit && has_more).then_some(value)
}

/// The text of an element up to its end tag.
fn tagged(scan: &Scan, start: usize) -> Option<Value> {
    let rest = scan.bytes.get(start..)?;
    let length = rest
        .iter()
        .take(MOST)
        .position(|byte| matches!(byte, b'<' | b'\n'))?;
    steps::count(length);
    (rest[length] == b'<' && rest.get(length + 1) == Some(&b'/')).then_some(Value {
        span: start..start + length,
        is_quoted: false,
        is_last_on_line: false,
        is_followed_by_semicolon: false,
    })
}

/// A value without quotes: up to white space, a quote, a comma or a semicolon; closing brackets and full stops at its end
/// aren't part of it.
fn bare(scan: &Scan, site: &Site) -> Option<Value> {
    let rest = scan.bytes.get(site.value_at..)?;
    let mut joins = 0;
    let mut length = 0;
    while let Some(byte) = rest.get(length) {
        let is_escape = *byte == b'\\'
            && matches!(
                rest.get(length + 1),
                Some(b'n' | b'r' | b't' | b'"' | b'\'' | b'\\')
            );
        let is_end = *byte <= b' '
            || matches!(byte, b'"' | b'`' | b'<' | b'>' | b',' | b';' | 127)
            || (*byte == b'\'' && !is_apostrophe(rest, length))
            || is_foreign(&rest[length..])
            || (*byte == b'&' && is_entity(&rest[length..]))
            || is_escape
            || (*byte == b'&' && (site.is_query || is_parameter(&rest[length + 1..])))
            || (*byte == b'#' && site.is_query);
        if is_end {
            break;
        }
        joins += usize::from(matches!(byte, b'=' | b':'));
        length += 1;
        if joins > 4 || length > MOST {
            steps::count(length);
            return None;
        }
    }
    steps::count(length);
    let is_semicolon = rest.get(length) == Some(&b';');
    let mut end = site.value_at + length;
    let is_trailing = |byte: u8| {
        matches!(byte, b'.' | b')' | b']' | b'}' | b':')
            || (site.link == Link::Said && matches!(byte, b'*'))
    };
    while end > site.value_at
        && is_trailing(scan.bytes[end - 1])
        && !closes(&scan.bytes[site.value_at..end])
    {
        end -= 1;
    }
    let after = scan.line_end(site.value_at + length, 80);
    let tail = scan
        .slice(&(super::floor(scan, site.value_at + length, after)))
        .trim_start();
    Some(Value {
        span: site.value_at..end,
        is_quoted: false,
        is_last_on_line: tail.is_empty()
            || tail.starts_with(['#', '\\', '|'])
            || tail.starts_with("//"),
        is_followed_by_semicolon: is_semicolon,
    })
}

/// Whether a quote or bracket of HTML begins here.
fn is_entity(rest: &[u8]) -> bool {
    [&b"&quot"[..], b"&lt;", b"&gt;", b"&#39;", b"&#x27;"]
        .iter()
        .any(|entity| rest.starts_with(entity))
}

/// Whether a single quote stands within a word that goes on for more than an ending such as `'s`.
fn is_apostrophe(rest: &[u8], at: usize) -> bool {
    let is_in_word = |byte: &u8| byte.is_ascii_alphanumeric() || b"!#$%&*+-_@".contains(byte);
    let after = rest[at + 1..]
        .iter()
        .take(3)
        .take_while(|byte| is_in_word(byte));
    at > 0 && is_in_word(&rest[at - 1]) && after.count() == 3
}

/// Whether a typographic mark or a letter of an East Asian script begins here.
fn is_foreign(rest: &[u8]) -> bool {
    matches!(
        rest,
        [0xE2, 0x80, ..] | [0xE3..=0xEF | 0xF1..=0xF4, ..] | [0xF0, 0xA0..=0xBF, ..]
    )
}

/// Whether the bracket at the end of a value has its opening one in it.
fn closes(value: &[u8]) -> bool {
    let open = match value.last() {
        Some(b')') => b'(',
        Some(b']') => b'[',
        Some(b'}') => b'{',
        _ => return false,
    };
    value.contains(&open)
}

/// Whether the next parameter of a query begins: `name=`.
fn is_parameter(rest: &[u8]) -> bool {
    let name = rest
        .iter()
        .take(32)
        .take_while(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-' | b'.'));
    let length = name.count();
    length > 0 && rest.get(length) == Some(&b'=')
}
