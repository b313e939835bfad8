//! Private keys without their PEM frame: files in base 64, bare DER, WireGuard keys and JSON web keys.

use std::ops::Range;

use super::keys::PRIVATE_KEY;
use crate::DataKind;
use crate::secrets::alphabet::{ALNUM, Alphabet, URL, may_begin};
use crate::secrets::codes::base64;
use crate::secrets::scan::{Basis, Scan};
use crate::secrets::shape::Shape;
use crate::secrets::steps;

pub(super) const WIREGUARD_KEY: DataKind = DataKind::secret("wireguard-key");

/// The longest text in base 64 that is read.
const MOST: usize = 24 * 1024;
/// The shortest text of a private key in base 64.
const LEAST: usize = 60;

/// A key file in base 64, such as `LS0tLS1CRUdJTi…`, on one line or wrapped.
pub(super) fn find_file(scan: &mut Scan, start: usize) {
    if start < scan.block_end || !may_begin(scan.bytes, start) {
        return;
    }
    let end = wrapped_end(scan, start);
    scan.block_end = end;
    let span = start..end;
    let Some(file) = decode(scan.slice(&span)) else {
        return;
    };
    let has = |part: &[u8]| file.windows(part.len()).any(|window| window == part);
    steps::count(file.len() * 2);
    if span.len() >= LEAST && (has(b"PRIVATE KEY") || has(b"Private-Lines")) {
        scan.add(Basis::Structure, PRIVATE_KEY, span);
    }
}

/// The DER of a private key in base 64 without a frame; the anchor stands within its first characters.
pub(super) fn find_der(scan: &mut Scan, anchor: Range<usize>) {
    let base64 = Alphabet::named("b64").expect("an alphabet");
    let start = anchor.start - base64.run_back(scan.bytes, anchor.start, 12);
    if start < scan.block_end || !may_begin(scan.bytes, start) {
        return;
    }
    let end = wrapped_end(scan, start);
    scan.block_end = end;
    let shape = Shape::of(scan.slice(&(anchor.end..end.min(anchor.end + 200))));
    if end - start >= LEAST && shape.distinct >= 16 && !shape.is_monotonous() {
        scan.add(Basis::Structure, PRIVATE_KEY, start..end);
    }
}

/// Where a text in base 64 ends whose lines may be broken and indented, or joined by `\n`.
fn wrapped_end(scan: &Scan, start: usize) -> usize {
    let base64 = Alphabet::named("b64").expect("an alphabet");
    let line = |at: usize| {
        let end = at + base64.run(scan.bytes, at, MOST);
        end + scan.bytes[end..]
            .iter()
            .take(2)
            .take_while(|byte| **byte == b'=')
            .count()
    };
    let first = line(start) - start;
    let mut end = start + first;
    let is_wrapped = (40..=128).contains(&first);
    while is_wrapped && end - start < MOST && scan.bytes[end - 1] != b'=' {
        let Some(next) = after_break(scan, end) else {
            break;
        };
        let length = line(next) - next;
        let is_word = length < 16 && Shape::of(scan.slice(&(next..next + length))).sorts() < 3;
        if length == 0 || length > first || is_word || scan.bytes.get(next + length) == Some(&b':')
        {
            break;
        }
        end = next + length;
        if length < first {
            break;
        }
    }
    end
}

/// Where the next line of a text begins, after a line break or `\n`, quotes, a `+` and an indent.
fn after_break(scan: &Scan, at: usize) -> Option<usize> {
    let mut next = at;
    let mut is_broken = false;
    for _ in 0..40 {
        match scan.bytes.get(next) {
            Some(b'\n') => {
                if is_broken && scan.bytes[next - 1] == b'\n' {
                    return None;
                }
                is_broken = true;
            }
            Some(b'\\') if matches!(scan.bytes.get(next + 1), Some(b'n' | b'r')) => {
                is_broken = true;
                next += 1;
            }
            Some(b'\r' | b'\\' | b' ' | b'\t' | b'"' | b'\'') => {}
            Some(b'+') if matches!(scan.bytes.get(next + 1), Some(b' ' | b'\n')) => {}
            _ => break,
        }
        next += 1;
    }
    steps::count(next - at);
    is_broken.then_some(next)
}

/// The bytes of base 64 with breaks in it.
fn decode(text: &str) -> Option<Vec<u8>> {
    let characters = Alphabet::named("b64")?;
    let mut rest = text.bytes().peekable();
    let mut packed = Vec::with_capacity(text.len());
    while let Some(byte) = rest.next() {
        if byte == b'\\' && matches!(rest.peek(), Some(b'n' | b'r')) {
            rest.next();
        } else if characters.has(byte) {
            packed.push(byte);
        }
    }
    base64(&packed)
}

/// The keys of WireGuard after `private-key` and the like on a line, or beside `wg pubkey`.
pub(super) fn find_wireguard(scan: &mut Scan, anchor: Range<usize>) {
    let is_command = scan.slice(&anchor).starts_with("wg ");
    let mut at = if is_command {
        scan.line_start(anchor.start, 96)
    } else {
        anchor.end
    };
    let base64 = Alphabet::named("b64").expect("an alphabet");
    let until = scan.line_end(anchor.end, 96);
    while at < until {
        let length = base64.run(scan.bytes, at, 64);
        let end = at + length + 1;
        let is_key = length == 43
            && scan.bytes.get(end - 1) == Some(&b'=')
            && scan
                .bytes
                .get(end)
                .is_none_or(|next| *next != b'=' && !ALNUM.has(*next));
        if is_key && Shape::of(scan.slice(&(at..end))).is_random(43) {
            scan.add(Basis::Structure, WIREGUARD_KEY, at..end);
            return;
        }
        at = end;
    }
}

/// The private part `"d"` of a JSON web key, or all of it, `"k"`, if it is symmetric: `least` characters, near a mark.
pub(super) fn find_web_key(scan: &mut Scan, anchor: Range<usize>, least: usize, mark: &str) {
    let mut start = anchor.end;
    for expected in [b':', b'"'] {
        start += scan.bytes[start..]
            .iter()
            .take(4)
            .take_while(|byte| matches!(byte, b' ' | b'\n'))
            .count();
        if scan.bytes.get(start) != Some(&expected) {
            return;
        }
        start += 1;
    }
    let end = start + URL.run(scan.bytes, start, 1_024);
    if end - start < least || !Shape::of(scan.slice(&(start..end))).is_random(least) {
        return;
    }
    let from = anchor.start.saturating_sub(800);
    let until = (end + 800).min(scan.bytes.len());
    steps::count(until - from);
    let is_key = scan.bytes[from..until]
        .windows(mark.len())
        .any(|window| window == mark.as_bytes());
    if is_key {
        scan.add(Basis::Structure, PRIVATE_KEY, start..end);
    }
}
