//! Records of password files: `.pgpass`, htpasswd and shadow hashes.

use std::ops::Range;

use super::urls::is_password;
use crate::DataKind;
use crate::secrets::alphabet::Alphabet;
use crate::secrets::scan::{Basis, Scan};
use crate::secrets::shape::Shape;

pub(super) const PASSWORD_HASH: DataKind = DataKind::secret("password-hash");

/// How often a byte may be read.
const MOST_READINGS: usize = 12;

/// A hash as `crypt` and its relatives write it: parameters, salt and digest between `$`.
pub(super) fn find_hash(scan: &mut Scan, anchor: Range<usize>) {
    if anchor.start < scan.record_end
        || anchor.start > 0 && scan.bytes[anchor.start - 1].is_ascii_alphanumeric()
    {
        return;
    }
    if !scan.efforts.hashes.may_read(anchor.start, MOST_READINGS) {
        return;
    }
    let characters = Alphabet::named("b64").expect("an alphabet");
    let mut end = anchor.end;
    loop {
        end += characters.run(scan.bytes, end, 256);
        let is_joined = matches!(
            scan.bytes.get(end),
            Some(b'$' | b'=' | b',' | b'.' | b'-' | b':' | b'_')
        );
        if !is_joined || end - anchor.end > 400 {
            break;
        }
        let is_end = scan.bytes[end] == b':' && !scan.has(anchor.start, "SCRAM");
        if is_end {
            break;
        }
        end += 1;
    }
    scan.efforts.hashes.add(end - anchor.start);
    while end > anchor.end && matches!(scan.bytes[end - 1], b',' | b'-' | b'_' | b'$') {
        end -= 1;
    }
    let body = scan.slice(&(anchor.end..end));
    let least = match scan.slice(&anchor) {
        "$1$" | "$apr1$" | "$P$" | "$H$" => 22,
        "{SHA}" => 27,
        "{SSHA}" => 32,
        _ => 40,
    };
    let shape = Shape::of(body);
    if shape.length >= least && shape.distinct >= 12 && !shape.is_monotonous() {
        scan.record_end = end;
        scan.add(Basis::Structure, PASSWORD_HASH, anchor.start..end);
    }
}

/// The last field of `host:port:database:user:password`, on a line of its own or in quotes.
pub(super) fn find_pgpass(scan: &mut Scan, port: Range<usize>) {
    if port.start < scan.record_end {
        return;
    }
    let characters = Alphabet::named("dot").expect("an alphabet");
    let host = characters.run_back(scan.bytes, port.start, 256)
        + usize::from(port.start > 0 && scan.bytes[port.start - 1] == b'*');
    let begin = port.start - host;
    let before = begin.checked_sub(1).map(|at| scan.bytes[at]);
    let is_quoted = matches!(before, Some(b'"' | b'\'' | b'`'));
    if host == 0 || !(is_quoted || matches!(before, None | Some(b'\n' | b' ' | b'\t'))) {
        return;
    }
    let line = scan.line_end(port.end, 256);
    scan.record_end = line;
    let text = scan.slice(&(port.end..line));
    let is_end = |one: char| matches!(one, '"' | '\'' | '`' | ' ' | '\t');
    let record = text.split(is_end).next().unwrap_or_default();
    let rest = text[record.len()..].trim_start_matches(is_end);
    let is_alone = rest.is_empty() || rest.starts_with(['#', '>', '|', ')', ',', ';']);
    let mut fields = record.splitn(3, ':');
    let (Some(database), Some(user), Some(password)) =
        (fields.next(), fields.next(), fields.next())
    else {
        return;
    };
    let is_plain = |field: &str| !field.is_empty() && !field.contains(['/', '@']);
    let has_more = password.replace("\\:", "").contains(':');
    if is_alone && is_plain(database) && is_plain(user) && !has_more && is_password(user, password)
    {
        let end = port.end + record.len();
        scan.add(
            Basis::Structure,
            super::CONNECTION_PASSWORD,
            end - password.len()..end,
        );
    }
}
