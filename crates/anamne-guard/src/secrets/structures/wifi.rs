//! Codes that phones scan to join a network: `WIFI:T:WPA;S:home;P:…;;`.

use crate::secrets::assignments::PASSWORD;
use crate::secrets::placeholders::is_placeholder;
use crate::secrets::scan::{Basis, Scan};
use crate::secrets::steps;
use crate::secrets::stock::is_stock;

/// The longest code that is read.
const MOST: usize = 320;

/// The password among the fields after `WIFI:`; a backslash escapes the character after it.
pub(super) fn find(scan: &mut Scan, from: usize) {
    let until = scan.line_end(from, MOST);
    let mut at = from;
    while at < until {
        let rest = &scan.bytes[at..until];
        let mut length = 0;
        while rest.get(length).is_some_and(|byte| *byte != b';') {
            length += if rest[length] == b'\\' { 2 } else { 1 };
        }
        steps::count(length);
        if rest.get(length).is_none() {
            return;
        }
        if rest.starts_with(b"P:") {
            let span = at + 2..at + length;
            let value = scan.slice(&span);
            if value.len() >= 4 && !is_placeholder(value) && !is_stock(value) {
                scan.add(Basis::Structure, PASSWORD, span);
            }
            return;
        }
        at += length + 1;
    }
}
