//! Records of password files: `.pgpass`, htpasswd and shadow hashes.

use std::ops::Range;

use super::urls::is_password;
use crate::DataKind;
use crate::secrets::alphabet::Alphabet;
use crate::secrets::scan::{Basis, Scan};
use crate::secrets::shape::Shape;

pub(super) const PASSWORD_HASH: DataKind = DataKind::secret("password-hash");

/// A hash as `crypt` and its relatives write it: parameters, salt and digest between `$`.
pub(super) fn find_hash(scan: &mut Scan, anchor: Range<usize>) {
    if anchor.start < scan.record_end
        || anchor.start > 0 && scan.bytes[anchor.start - 1].is_ascii_alphanumeric()
    {
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

/// The last field of a line `host:port:database:user:password`.
pub(super) fn find_pgpass(scan: &mut Scan, anchor: usize) {
    if anchor < scan.record_end {
        return;
    }
    let line = scan.line_start(anchor, 256)..scan.line_end(anchor, 256);
    scan.record_end = line.end;
    let text = scan.slice(&line);
    let fields: Vec<_> = text.split(':').collect();
    let [host, port, _, user, password] = fields[..] else {
        return;
    };
    let is_port = port == "*" || port.bytes().all(|byte| byte.is_ascii_digit());
    let is_plain = |field: &str| !field.is_empty() && !field.contains([' ', '"', '\'', '/', '@']);
    let password_start = line.end - password.len();
    let password = password.trim_end();
    if is_port
        && is_plain(host)
        && is_plain(user)
        && !password.contains(' ')
        && is_password(user, password)
    {
        scan.add(
            Basis::Structure,
            super::CONNECTION_PASSWORD,
            password_start..password_start + password.len(),
        );
    }
}
