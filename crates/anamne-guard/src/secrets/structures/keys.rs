//! Private keys in PEM, OpenSSH, PGP and PuTTY files.

use std::ops::Range;

use crate::DataKind;
use crate::secrets::alphabet::Alphabet;
use crate::secrets::scan::{Basis, Scan};
use crate::secrets::shape::Shape;
use crate::secrets::steps;

pub(super) const PRIVATE_KEY: DataKind = DataKind::secret("private-key");

/// The longest block that is read.
const MOST: usize = 16 * 1024;
/// The fewest base-64 characters in a row of a real key.
const LEAST_RUN: usize = 24;

/// A block from `-----BEGIN … PRIVATE KEY-----` to its end line; a block without one ends with its last base-64 line.
pub(super) fn find_pem(scan: &mut Scan, begin: Range<usize>) {
    if begin.start < scan.block_end {
        return;
    }
    let Some(label) = dashes(scan, begin.end, 80) else {
        return;
    };
    let name = scan.slice(&(begin.end..label));
    let is_private = ["PRIVATE KEY", "PRIVATE%20KEY", "PRIVATE+KEY"]
        .iter()
        .any(|words| name.contains(words));
    if !is_private {
        return;
    }
    let body = label + 4;
    let end = match dashes(scan, body + 1, MOST) {
        Some(dashes) if is_end(scan, dashes) => end_of_line(scan, dashes),
        Some(dashes) => base64_end(scan, body, dashes),
        None => base64_end(scan, body, (body + MOST).min(scan.bytes.len())),
    };
    if has_key_material(scan, body..end) {
        scan.add(Basis::Structure, PRIVATE_KEY, begin.start..end);
        scan.block_end = end;
    }
}

/// A block without its beginning: the lines of base 64 before `-----END … PRIVATE KEY-----`.
pub(super) fn find_pem_end(scan: &mut Scan, end: Range<usize>) {
    if end.start < scan.block_end {
        return;
    }
    let close = end_of_line(scan, end.start);
    if !scan.slice(&(end.end..close)).contains("PRIVATE KEY") {
        return;
    }
    let start = body_start(scan, end.start).max(scan.block_end);
    scan.block_end = close;
    if has_key_material(scan, start..end.start) {
        scan.add(Basis::Structure, PRIVATE_KEY, start..close);
    }
}

/// Where the lines of base 64 begin that end at a place; lines may be joined by `\n`.
fn body_start(scan: &Scan, end: usize) -> usize {
    let is_in_line = |byte: u8| byte.is_ascii_alphanumeric() || b"+/=\\".contains(&byte);
    let is_between = |byte: u8| b" \t\r\n\"',>+|".contains(&byte);
    let (mut start, mut at) = (end, end);
    while end - at < MOST {
        let count = |at: usize, is: &dyn Fn(u8) -> bool| {
            let before = scan.bytes[..at].iter().rev().take(MOST);
            before.take_while(|byte| is(**byte)).count()
        };
        let gap = count(at, &is_between);
        let length = count(at - gap, &is_in_line);
        steps::count(gap + length);
        let is_last = start == end && length > 0;
        let is_line = gap == 0 || scan.bytes[at - gap..at].contains(&b'\n');
        if !is_line || (length < LEAST_RUN && !is_last) {
            break;
        }
        at -= gap + length;
        start = at;
    }
    start
}

/// The next four hyphens.
fn dashes(scan: &Scan, from: usize, most: usize) -> Option<usize> {
    let until = (from + most).min(scan.bytes.len());
    let window = scan.bytes.get(from..until)?;
    let found = window.windows(4).position(|four| four == b"----");
    steps::count(found.unwrap_or(window.len()));
    found.map(|at| from + at)
}

fn is_end(scan: &Scan, dashes: usize) -> bool {
    let after = scan.bytes[dashes..]
        .iter()
        .take(6)
        .take_while(|byte| matches!(byte, b'-' | b' '))
        .count();
    scan.has(dashes + after, "END")
}

/// The end of `-----END … KEY-----`.
fn end_of_line(scan: &Scan, end: usize) -> usize {
    let from = end + 5;
    let close = dashes(scan, from, 80).unwrap_or(from);
    let hyphens = scan.bytes[close.min(scan.bytes.len())..]
        .iter()
        .take(5)
        .take_while(|byte| **byte == b'-');
    close + hyphens.count()
}

/// The end of the last long run of base 64 in a place; lines may be separated by anything short.
fn base64_end(scan: &Scan, from: usize, until: usize) -> usize {
    let base64 = Alphabet::named("b64url").expect("an alphabet");
    let (mut at, mut end) = (from, from);
    while at < until && at <= end + 80 {
        let length = base64.run(scan.bytes, at, until - at);
        let is_last = end > from && length >= 4 && at <= end + 2 && ends_line(scan, at + length);
        if length >= LEAST_RUN || is_last {
            end = at + length;
        }
        at += length + 1;
    }
    end
}

fn ends_line(scan: &Scan, at: usize) -> bool {
    scan.bytes
        .get(at)
        .is_none_or(|byte| matches!(byte, b'\n' | b'\r' | b'\\' | b'"' | b'\''))
}

fn has_key_material(scan: &Scan, place: Range<usize>) -> bool {
    let base64 = Alphabet::named("b64").expect("an alphabet");
    let mut at = place.start;
    while at < place.end {
        let length = base64.run(scan.bytes, at, place.end - at);
        if length >= LEAST_RUN {
            let shape = Shape::of(scan.slice(&(at..at + length.min(64))));
            if shape.distinct >= 10 && shape.upper > 0 && shape.lower > 0 {
                return true;
            }
        }
        at += length + 1;
    }
    false
}

/// A PuTTY key: from its header to its `Private-MAC` line, or to the last line of its private part.
pub(super) fn find_putty(scan: &mut Scan, header: Range<usize>) {
    if header.start < scan.block_end {
        return;
    }
    let mut at = scan.line_end(header.end, 200) + 1;
    let (mut end, mut is_private) = (0, false);
    while at < scan.bytes.len() && at < header.start + MOST {
        let line = at..scan.line_end(at, 400);
        let text = scan.slice(&line);
        if text.starts_with("PuTTY-User-Key-File-") {
            break;
        }
        is_private |= text.starts_with("Private-Lines:");
        if is_private && !text.trim().is_empty() {
            end = line.end;
        }
        at = line.end + 1;
        if text.starts_with("Private-MAC:")
            || (is_private && text.trim().is_empty() && end + 4 < at)
        {
            break;
        }
    }
    scan.block_end = at.min(scan.bytes.len());
    if end > 0 && has_key_material(scan, header.end..end) {
        scan.add(Basis::Structure, PRIVATE_KEY, header.start..end);
    }
}
