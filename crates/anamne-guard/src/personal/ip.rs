//! Public addresses of the Internet Protocol.

use std::net::{Ipv4Addr, Ipv6Addr};
use std::ops::Range;

use super::number::{Gap, Number};
use super::scan::{Scan, before, is_word};
use super::words::Topic;

/// The longest spelling of version 6.
const MOST: usize = 45;

/// The public address of version 4 that a number starts with. O(1).
pub(super) fn version_4(scan: &mut Scan, number: &Number) -> Option<Range<usize>> {
    let fits = |part: usize| (1..=3).contains(&number.length(part)) && number.value(part) <= 255;
    let is_quad = number.count() >= 4 && number.is_split_by(Gap::Dot, 4) && (0..4).all(fits);
    let span = number.start()..number.end_of(4);
    if !is_quad || span.len() != number.digits_of(4).len() + 3 {
        return None;
    }
    let address: Ipv4Addr = scan.text[span.clone()].parse().ok()?;
    let bytes = scan.text.as_bytes();
    let is_alone = !is_version_mark(bytes, span.start) && closes(bytes, span.end);
    if !is_alone || !is_public_4(address) || is_network(bytes, span.end, address) {
        return None;
    }
    let decides = |topic| matches!(topic, Topic::Ip | Topic::Version);
    match scan.context.nearest(span.start, decides) {
        Some(Topic::Ip) => Some(span),
        Some(_) => None,
        None => (!is_like_section(bytes, &span, address)).then_some(span),
    }
}

/// The public address of version 6 that starts at a place: all of them start with 2 or 3. O(1).
pub(super) fn version_6(scan: &mut Scan, start: usize) -> Option<Range<usize>> {
    let bytes = scan.text.as_bytes();
    let is_first = matches!(bytes[start], b'2' | b'3')
        && bytes.get(start + 4) == Some(&b':')
        && bytes[start..start + 4].iter().all(u8::is_ascii_hexdigit);
    if !is_first
        || before(bytes, start).is_some_and(|byte| is_word(byte) || b":.-@".contains(&byte))
    {
        return None;
    }
    let rest = &bytes[start..bytes.len().min(start + MOST + 1)];
    let belongs = |byte: &u8| byte.is_ascii_hexdigit() || *byte == b':' || *byte == b'.';
    let mut end = start + rest.iter().take_while(|byte| belongs(byte)).count();
    scan.steps += end - start;
    while bytes[end - 1] == b'.' || (bytes[end - 1] == b':' && bytes[end - 2] != b':') {
        end -= 1;
    }
    if bytes.get(end).is_some_and(|byte| is_word(*byte)) {
        return None;
    }
    let span = start..end;
    let address: Ipv6Addr = scan.text[span.clone()].parse().ok()?;
    is_public_6(address).then_some(span)
}

fn is_public_4(address: Ipv4Addr) -> bool {
    let [first, second, third, _] = address.octets();
    !(first == 0
        || address.is_private()
        || address.is_loopback()
        || address.is_link_local()
        || address.is_documentation()
        || first >= 224
        || (first == 100 && (64..128).contains(&second))
        || (first == 192 && second == 0 && third == 0)
        || (first == 192 && second == 88 && third == 99)
        || (first == 198 && (second == 18 || second == 19)))
}

fn is_public_6(address: Ipv6Addr) -> bool {
    let segments = address.segments();
    let [first, second, ..] = segments;
    // Without a host it is the address of a network.
    let is_network = segments[4..] == [0; 4];
    (0x2000..=0x3fff).contains(&first)
        && !is_network
        && !(first == 0x2001 && second == 0x0db8)
        && !(first == 0x2001 && second < 0x0200 && second != 0)
        && !(first == 0x3fff && second < 0x1000)
}

/// A sign before a version: `==1.2.3.4`, `^1.2.3.4`, `Chrome/1.2.3.4`.
fn is_version_mark(bytes: &[u8], start: usize) -> bool {
    match before(bytes, start) {
        Some(b'=') => {
            let sign = start.checked_sub(2).map(|at| bytes[at]);
            sign.is_some_and(|sign| b"=<>~!^".contains(&sign))
        }
        Some(b'/') => start < 2 || bytes[start - 2] != b'/',
        Some(b'<' | b'>') => start >= 2 && bytes[start - 2] == b' ',
        _ => false,
    }
}

/// Whether no further group and no suffix follows; a port, a path and a mask may.
fn closes(bytes: &[u8], end: usize) -> bool {
    match (bytes.get(end).copied(), bytes.get(end + 1).copied()) {
        (None, _) => true,
        (Some(b'.' | b'-'), after) => !after.is_some_and(is_word),
        (Some(byte), _) => !is_word(byte) && byte != b'+',
    }
}

/// The address of a whole network: `8.8.8.0/24`.
fn is_network(bytes: &[u8], end: usize, address: Ipv4Addr) -> bool {
    bytes.get(end) == Some(&b'/')
        && bytes.get(end + 1).is_some_and(u8::is_ascii_digit)
        && address.octets()[3] == 0
}

/// Small numbers at the start of a line, before a heading, or all small: rather a section or a version.
fn is_like_section(bytes: &[u8], span: &Range<usize>, address: Ipv4Addr) -> bool {
    let octets = address.octets();
    let is_repeated = octets.iter().all(|octet| *octet == octets[0]);
    let has_port = bytes.get(span.end) == Some(&b':')
        && bytes.get(span.end + 1).is_some_and(u8::is_ascii_digit);
    let is_small = octets.iter().all(|octet| *octet < 32)
        || (octets[0] < 10 && octets.iter().filter(|octet| **octet >= 100).count() < 2);
    let is_among_numbers = is_digit_beyond_blank(bytes, span);
    (is_small && !is_repeated || octets[2..] == [0, 0]) && !has_port || is_among_numbers
}

/// `3.5 1.98.32.4 7`, as in drawings.
fn is_digit_beyond_blank(bytes: &[u8], span: &Range<usize>) -> bool {
    let digit_at = |at: Option<usize>| {
        at.and_then(|at| bytes.get(at))
            .is_some_and(u8::is_ascii_digit)
    };
    let has_blanks = before(bytes, span.start) == Some(b' ') && bytes.get(span.end) == Some(&b' ');
    has_blanks && digit_at(span.start.checked_sub(2)) && digit_at(Some(span.end + 1))
}

#[cfg(test)]
mod tests {
    use crate::personal::tests::{check, check_none};

    #[test]
    fn public_addresses_are_found() {
        for (text, value) in [
            ("from 185.220.101.47 port 22", "185.220.101.47"),
            ("https://91.198.174.192/x", "91.198.174.192"),
            ("88.198.24.108:8080", "88.198.24.108"),
            ("[84.17.53.9] - GET", "84.17.53.9"),
            ("DNS server 9.9.9.9.", "9.9.9.9"),
            ("ping 1.2.3.4", "1.2.3.4"),
            (
                "at 2a00:1450:4001:82a::200e today",
                "2a00:1450:4001:82a::200e",
            ),
            ("[2606:4700::6810:84e5]:443", "2606:4700::6810:84e5"),
            ("2A02:8108:1:2:3:4:5:6.", "2A02:8108:1:2:3:4:5:6"),
        ] {
            check(text, "ip-address", &[value]);
        }
    }

    #[test]
    fn local_and_reserved_addresses_and_versions_are_not() {
        for text in [
            "10.1.2.3 172.16.9.9 192.168.1.1 127.0.0.1 0.0.0.0 255.255.255.0 169.254.1.1",
            "192.0.2.1 198.51.100.7 203.0.113.9 100.64.1.1 198.18.0.1 224.0.0.1 240.1.1.1",
            "v1.2.3.4 version 91.0.4472.124 ==84.17.53.9 Chrome/114.0.57.90 foo-84.17.53.9",
            "1.2.3.4 Introduction; section 4.3.2.1; 1.3.6.1.4.1.311 84.17.53.9-beta 84.17.53.9.1",
            "84.17.53.0/24 256.1.1.1 084.17.53.9x 84.17.53.999",
            "2001:db8::1 fe80::1 ::1 fd00::1 ff02::1 2024:01:02 12:34:56 20:30:40:50:60:70",
            "2002:: 2a00:1450::/32 std::2001::foo 2600:zz::1 aa2600:4700::1 3fff:1::2",
        ] {
            check_none(text);
        }
    }
}
