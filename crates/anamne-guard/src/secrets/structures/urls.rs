//! Passwords in URLs and data source names.

use std::ops::Range;

use crate::DataKind;
use crate::secrets::alphabet::Alphabet;
use crate::secrets::placeholders::is_placeholder;
use crate::secrets::scan::{Basis, Scan};
use crate::secrets::shape::Shape;
use crate::secrets::stock::is_stock;
use crate::secrets::{steps, words};

pub(in crate::secrets) const CONNECTION_PASSWORD: DataKind =
    DataKind::secret("connection-password");
pub(super) const URL_TOKEN: DataKind = DataKind::secret("url-token");

/// The longest user and password together.
const MOST: usize = 400;

/// The password of `scheme://user:password@host`, or a token in the user's place.
pub(super) fn find(scan: &mut Scan, colon: Range<usize>) {
    let scheme =
        Alphabet::named("dot").map_or(0, |letters| letters.run_back(scan.bytes, colon.start, 24));
    if scheme == 0 {
        return;
    }
    let is_web = scan
        .slice(&(colon.start - scheme..colon.start))
        .starts_with("http");
    let Some(at) = at_sign(scan, colon.end, is_web) else {
        return;
    };
    let user_info = scan.slice(&(colon.end..at));
    let host = scan.slice(&(at + 1..(at + 60).min(scan.bytes.len())));
    match user_info.split_once(':') {
        Some((user, password))
            if is_password(user, password) && !(is_reserved(host) && is_sample(password)) =>
        {
            scan.add(
                Basis::Structure,
                CONNECTION_PASSWORD,
                at - password.len()..at,
            );
        }
        None if Shape::of(user_info).is_random(20)
            && !is_placeholder(user_info)
            && !host.contains("sentry") =>
        {
            scan.add(Basis::Structure, URL_TOKEN, colon.end..at);
        }
        _ => {}
    }
}

/// Whether a password has letters only, or three characters.
fn is_sample(password: &str) -> bool {
    password.len() < 4 || password.bytes().all(|byte| byte.is_ascii_alphabetic())
}

/// Whether a host has a name that is reserved for documentation, so that its passwords are examples.
fn is_reserved(host: &str) -> bool {
    let is_part = |one: char| one.is_ascii_alphanumeric() || one == '-' || one == '.';
    let end = host.find(|one| !is_part(one)).unwrap_or(host.len());
    let name = host[..end].to_ascii_lowercase();
    [
        "example.com",
        "example.org",
        "example.net",
        ".example",
        ".test",
        ".invalid",
    ]
    .iter()
    .any(|reserved| name.ends_with(reserved))
}

/// The last `@` before the host, if there is one. Other schemes than http may have `/`, `?` and `#` in passwords, not in ports.
fn at_sign(scan: &Scan, from: usize, is_web: bool) -> Option<usize> {
    let until = (from + MOST).min(scan.bytes.len());
    let (mut found, mut has_colon, mut is_port) = (None, false, true);
    for (at, byte) in scan.bytes[from..until].iter().enumerate() {
        steps::count(1);
        match byte {
            b'@' => found = Some(from + at),
            b'/' | b'?' | b'#' if found.is_some() || is_web || !has_colon || is_port => break,
            b':' if !has_colon => (has_colon, is_port) = (true, true),
            0..=b' ' | b'"' | b'\'' | b'`' | b'<' | b'>' | b'|' | b'\\' | 127 => {
                if *byte == b'<' && found.is_none() {
                    return None;
                }
                break;
            }
            b',' | b')' if found.is_some() => break,
            _ if has_colon && found.is_none() => is_port &= byte.is_ascii_digit(),
            _ => {}
        }
    }
    found
}

/// Whether a password is more than a placeholder such as `user:password@`.
pub(super) fn is_password(user: &str, password: &str) -> bool {
    let lower = password.to_lowercase();
    let is_word =
        words::has(&words::lists().not_values, &lower) || lower == "x-oauth-basic" || lower == "x";
    password.len() >= 2
        && !is_word
        && !user.eq_ignore_ascii_case(password)
        && !is_placeholder(password)
        && !is_stock(password)
        && !password.starts_with(['%', ':'])
}

/// The password of `user:password@tcp(host)`.
pub(super) fn find_go_source(scan: &mut Scan, at: usize) {
    let least = at.saturating_sub(128);
    let before = &scan.bytes[least..at];
    let is_part = |byte: &&u8| **byte > b' ' && !matches!(byte, b'"' | b'\'' | b'`' | b'=' | b'/');
    let length = before.iter().rev().take_while(is_part).count();
    steps::count(length);
    let user_info = scan.slice(&(at - length..at));
    if let Some((user, password)) = user_info.split_once(':')
        && is_password(user, password)
    {
        scan.add(
            Basis::Structure,
            CONNECTION_PASSWORD,
            at - password.len()..at,
        );
    }
}
