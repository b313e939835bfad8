//! API keys and tokens by their vendors' published formats.

mod table;

use std::ops::Range;

pub(super) use table::{Format, Part, formats};

use super::alphabet::may_begin;
use super::codes::{base62, base64, crc32};
use super::placeholders::is_placeholder;
use super::scan::{Basis, Scan};
use super::shape::Shape;
use table::Inner;

/// How often a byte may be judged. A key may have the prefixes of several formats.
const MOST_READINGS: usize = 6;

/// Looks for a value of a format whose prefix is at `prefix`.
pub(super) fn find(scan: &mut Scan, format: &Format, prefix: Range<usize>) {
    let Some(span) = span_of(scan.bytes, format, &prefix) else {
        return;
    };
    if !scan.efforts.formats.may_read(prefix.start, MOST_READINGS) {
        return;
    }
    scan.efforts.formats.add(span.len());
    let body = scan.slice(&(prefix.end..span.end));
    let whole = scan.slice(&span);
    let judged = if format.lead.is_some() { whole } else { body };
    if is_plausible(format, judged) && has_inner(format, whole, body) {
        scan.add(Basis::Format, format.kind, span.clone());
        if format.kind.name() == "aws-access-key" {
            find_aws_secret(scan, span.end);
        }
    }
}

/// The place of the value, if its characters and length fit.
fn span_of(bytes: &[u8], format: &Format, prefix: &Range<usize>) -> Option<Range<usize>> {
    let mut start = prefix.start;
    if let Some(Part::Run {
        alphabet,
        least,
        most,
    }) = &format.lead
    {
        let length = alphabet.run_back(bytes, prefix.start, *most);
        if length < *least {
            return None;
        }
        start -= length;
    }
    // `https://api.telegram.org/bot123:AA…` has a word before the number.
    let follows_bot = format.lead.is_some() && bytes[..start].ends_with(b"bot");
    if !may_begin(bytes, start) && !follows_bot {
        return None;
    }
    let end = format
        .body
        .iter()
        .try_fold(prefix.end, |at, part| match part {
            Part::Literal(literal) => bytes
                .get(at..)?
                .starts_with(literal.as_bytes())
                .then_some(at + literal.len()),
            Part::Run {
                alphabet,
                least,
                most,
            } => {
                let mut length = alphabet.run(bytes, at, *most);
                while length > *least && bytes[at + length - 1] == b'.' {
                    length -= 1;
                }
                (length >= *least).then_some(at + length)
            }
        })?;
    let is_longer = bytes.get(end).is_some_and(|next| match format.body.last() {
        Some(Part::Run { alphabet, .. }) => {
            (*next != b'.' && alphabet.has(*next)) || next.is_ascii_alphanumeric() || *next == b'_'
        }
        _ => next.is_ascii_alphanumeric() || *next == b'_',
    });
    let start = if format.is_value_only {
        prefix.end
    } else {
        start
    };
    (!is_longer).then_some(start..end)
}

fn is_plausible(format: &Format, body: &str) -> bool {
    let shape = Shape::of(body);
    !is_placeholder(body)
        && !shape.is_monotonous()
        && (!format.is_random || shape.is_random(8))
        && (!format.is_mixed || (shape.upper > 0 && shape.lower > 0 && shape.digits > 0))
}

/// Whether the checksum or inner structure is right.
fn has_inner(format: &Format, whole: &str, body: &str) -> bool {
    match format.inner {
        Inner::None => true,
        Inner::Github => body
            .len()
            .checked_sub(6)
            .and_then(|length| body.as_bytes().split_at_checked(length))
            .is_some_and(|(random, sum)| base62(crc32(random)) == sum),
        Inner::Grafana => whole.rsplit_once('_').is_some_and(|(key, sum)| {
            u32::from_str_radix(sum, 16) == Ok(crc32(key.as_bytes()).swap_bytes())
        }),
        Inner::Discord => whole
            .split('.')
            .next()
            .and_then(|user| base64(user.as_bytes()))
            .is_some_and(|user| user.len() >= 15 && user.iter().all(u8::is_ascii_digit)),
    }
}

/// The secret key that is often written after an access key id: 40 base-64 characters within 96 bytes.
fn find_aws_secret(scan: &mut Scan, from: usize) {
    use super::alphabet::{ALNUM, Alphabet};
    let base64 = Alphabet::named("b64").unwrap_or(&ALNUM);
    let most = (from + 96).min(scan.bytes.len());
    let mut at = from;
    while at < most {
        let length = base64.run(scan.bytes, at, 64);
        if length == 40 {
            let shape = Shape::of(scan.slice(&(at..at + 40)));
            if shape.is_random(40) && shape.upper > 0 && shape.lower > 0 && shape.digits > 0 {
                scan.add(Basis::Format, AWS_SECRET, at..at + 40);
                return;
            }
        }
        at += length + 1;
    }
}

/// AWS secret access keys have no prefix; they need a name or an access key id before them.
pub(super) const AWS_SECRET: crate::DataKind = crate::DataKind::secret("aws-secret-key");
