//! Private and public keys in their file formats.

use super::checksums::{bech32, crc24};
use super::encodings::{base64, bytes, hex};
use super::words::joined;
use crate::chance::Chance;

/// The length of a line of Base64 in a PEM file.
const LINE: usize = 64;

/// The object identifier of RSA keys with its parameters.
const RSA: &[u8] = b"\x30\x0d\x06\x09\x2a\x86\x48\x86\xf7\x0d\x01\x01\x01\x05\x00";
/// The object identifier of the curve P-256 in a SEC 1 key.
const P256: &[u8] = b"\xa0\x0a\x06\x08\x2a\x86\x48\xce\x3d\x03\x01\x07\xa1\x44\x03\x42\x00\x04";

/// A key by name; `None` if there is no such key.
pub(super) fn value(name: &str, argument: &str, chance: &mut Chance) -> Option<String> {
    Some(match name {
        "pem" => pem(argument, chance),
        "pem-escaped" => format!("{}\\n", pem(argument, chance).replace('\n', "\\n")),
        "pem-indented" => prefixed("    ", &pem(argument, chance)),
        "pem-diff" => prefixed("+", &pem(argument, chance)),
        "pem-base64" => base64(format!("{}\n", pem(argument, chance)).as_bytes()),
        "pem-js-lines" => wrapped(&pem(argument, chance), "  \"", "\",", "\n"),
        "pem-java" => wrapped(&pem(argument, chance), "\"", "\\n\"", " +\n    "),
        "pgp" => pgp(argument, chance),
        "pgp-private" => pgp("PRIVATE KEY BLOCK", chance),
        "putty" => putty(chance),
        "age" => bech32("age-secret-key-", &bytes(32, chance)).to_uppercase(),
        "wireguard" => base64(&bytes(32, chance)),
        "ssh-ed25519" => {
            base64(&[b"\0\0\0\x0bssh-ed25519\0\0\0 ", &bytes(32, chance)[..]].concat())
        }
        "ssh-rsa" => base64(
            &[
                b"\0\0\0\x07ssh-rsa\0\0\0\x03\x01\0\x01\0\0\x01\x81\0",
                &bytes(384, chance)[..],
            ]
            .concat(),
        ),
        "pubkey" => base64(&public_key(chance)),
        "dashes" => "-".repeat(5),
        _ => return None,
    })
}

/// A PEM block (RFC 7468).
fn pem(label: &str, chance: &mut Chance) -> String {
    armoured(label, "", &base64(&der(label, chance)), "")
}

fn armoured(label: &str, headers: &str, body: &str, check: &str) -> String {
    let dashes = "-".repeat(5);
    let mut text = format!("{dashes}BEGIN {label}{dashes}\n{headers}");
    let mut rest = body;
    while !rest.is_empty() {
        let (line, after) = rest.split_at(LINE.min(rest.len()));
        text.push_str(line);
        text.push('\n');
        rest = after;
    }
    format!("{text}{check}{dashes}END {label}{dashes}")
}

/// The head that a key of this kind has, and random bytes up to a usual length.
fn der(label: &str, chance: &mut Chance) -> Vec<u8> {
    let random = |head: &[u8], length: usize, chance: &mut Chance| {
        let mut bytes_of = head.to_vec();
        bytes_of.extend(bytes(length, chance));
        bytes_of
    };
    match label {
        "RSA PRIVATE KEY" => random(
            b"\x30\x82\x04\xa4\x02\x01\x00\x02\x82\x01\x01\x00",
            1_180,
            chance,
        ),
        "PRIVATE KEY" => {
            let head = [
                b"\x30\x82\x04\xbe\x02\x01\x00",
                RSA,
                b"\x04\x82\x04\xa8\x30\x82\x04\xa4",
            ];
            random(&head.concat(), 1_188, chance)
        }
        "EC PRIVATE KEY" => {
            let private = random(b"\x30\x77\x02\x01\x01\x04\x20", 32, chance);
            random(&[&private[..], P256].concat(), 64, chance)
        }
        "OPENSSH PRIVATE KEY" => {
            let head = b"openssh-key-v1\0\0\0\0\x04none\0\0\0\x04none\0\0\0\0\0\0\0\x01\0\0\x003\0\0\0\x0bssh-ed25519\0\0\0 ";
            random(head, 230, chance)
        }
        "ENCRYPTED PRIVATE KEY" => random(
            b"\x30\x82\x05\x0e\x30\x40\x06\x09\x2a\x86\x48\x86\xf7\x0d\x01\x05\x0d",
            1_281,
            chance,
        ),
        "PUBLIC KEY" => public_key(chance),
        "RSA PUBLIC KEY" => random(b"\x30\x82\x01\x0a\x02\x82\x01\x01\x00", 261, chance),
        "DH PARAMETERS" => random(b"\x30\x82\x01\x08\x02\x82\x01\x01\x00", 259, chance),
        _ => random(
            b"\x30\x82\x03\x9b\x30\x82\x02\x83\xa0\x03\x02\x01\x02\x02",
            880,
            chance,
        ),
    }
}

fn public_key(chance: &mut Chance) -> Vec<u8> {
    let head = [
        b"\x30\x82\x01\x22",
        RSA,
        b"\x03\x82\x01\x0f\x00\x30\x82\x01\x0a\x02\x82\x01\x01\x00",
    ];
    [&head.concat()[..], &bytes(261, chance)].concat()
}

/// An OpenPGP block with its checksum (RFC 9580).
fn pgp(kind: &str, chance: &mut Chance) -> String {
    let packet = [b"\x95\x03\x98\x04", &bytes(900, chance)[..]].concat();
    let check = crc24(&packet).to_be_bytes();
    let check = format!("={}\n", base64(&check[1..]));
    armoured(&format!("PGP {kind}"), "\n", &base64(&packet), &check)
}

/// PuTTY's key file; what follows `Private-Lines` must be found.
fn putty(chance: &mut Chance) -> String {
    let public = base64(&bytes(51, chance));
    let private = base64(&bytes(36, chance));
    let mac = hex(&bytes(32, chance));
    let head = [
        "PuTTY-User-Key-File-3",
        ": ssh-ed25519\nEncryption: none\nComment: ",
    ]
    .concat();
    format!(
        "{head}{}\nPublic-Lines: 2\n{}\n{}\nPrivate-Lines: 1\n⟪{private}⟫\nPrivate-MAC: {mac}",
        joined("-", chance),
        &public[..64],
        &public[64..],
    )
}

fn prefixed(prefix: &str, text: &str) -> String {
    let lines: Vec<String> = text.lines().map(|line| format!("{prefix}{line}")).collect();
    lines.join("\n")
}

fn wrapped(text: &str, before: &str, after: &str, between: &str) -> String {
    let lines: Vec<String> = text
        .lines()
        .map(|line| format!("{before}{line}{after}"))
        .collect();
    lines.join(between)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_begin_as_their_formats_require() {
        let body = |label| {
            pem(label, &mut Chance::new(1))
                .lines()
                .nth(1)
                .map(str::to_owned)
        };
        assert!(body("RSA PRIVATE KEY").is_some_and(|line| line.starts_with("MIIEpAIBAAKCAQEA")));
        assert!(
            body("PRIVATE KEY")
                .is_some_and(|line| line.starts_with("MIIEvgIBADANBgkqhkiG9w0BAQEFAASC"))
        );
        assert!(body("EC PRIVATE KEY").is_some_and(|line| line.starts_with("MHcCAQEEI")));
        let ssh = body("OPENSSH PRIVATE KEY");
        assert!(
            ssh.is_some_and(|line| line.starts_with("b3BlbnNzaC1rZXktdjEAAAAABG5vbmUAAAAEbm9uZQ"))
        );
        let key = value("ssh-ed25519", "", &mut Chance::new(1));
        assert!(
            key.is_some_and(|key| key.starts_with("AAAAC3NzaC1lZDI1NTE5AAAAI") && key.len() == 68)
        );
    }
}
