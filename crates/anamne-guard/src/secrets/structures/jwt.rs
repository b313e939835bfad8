//! JSON web tokens: signed ones with three parts, encrypted ones with five.

use crate::DataKind;
use crate::secrets::alphabet::{URL, may_begin};
use crate::secrets::codes::base64;
use crate::secrets::scan::{Basis, Scan};

pub(super) const JWT: DataKind = DataKind::secret("jwt");

/// A token whose header decodes to JSON with an algorithm.
pub(super) fn find(scan: &mut Scan, start: usize) {
    if start < scan.token_end || !may_begin(scan.bytes, start) {
        return;
    }
    let header = start + URL.run(scan.bytes, start, 2_000);
    if scan.bytes.get(header) != Some(&b'.') || header - start < 16 {
        return;
    }
    let mut end = header;
    let mut parts = 0;
    while parts < 4 && scan.bytes.get(end) == Some(&b'.') {
        let length = URL.run(scan.bytes, end + 1, 8_192);
        if length == 0 && parts != 0 {
            break;
        }
        end += 1 + length;
        parts += 1;
    }
    scan.token_end = end;
    let is_signed = parts >= 2 && end - header >= 24;
    if is_signed && is_header(scan.slice(&(start..header))) {
        scan.add(Basis::Format, JWT, start..end);
    }
}

fn is_header(header: &str) -> bool {
    let Some(json) = base64(header.as_bytes()) else {
        return false;
    };
    let json = String::from_utf8_lossy(&json);
    let json = json.trim();
    json.starts_with('{')
        && json.ends_with('}')
        && (json.contains("\"alg\"") || json.contains("\"enc\""))
}
