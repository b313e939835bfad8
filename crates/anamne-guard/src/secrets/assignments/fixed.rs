//! Passwords after flags that many commands have, and after fixed texts.

use super::generated::is_plainly_generated;
use super::judge::{Place, is_secret};
use super::names::Class;
use super::places::is_unlike_a_word;
use super::{CONNECTION_PASSWORD, PASSWORD};
use crate::secrets::alphabet::Alphabet;
use crate::secrets::scan::{Basis, Scan};
use crate::secrets::steps;

/// Flags that many commands have for passwords, and here-strings.
pub(in crate::secrets) const FLAGS: [&str; 5] = [" -p", " -P", " -k ", " -w ", "<<< "];

/// Commands that read a password from standard input.
const READERS: [&str; 10] = [
    "passw",
    "kinit",
    "keepass",
    "cryptsetup",
    "gpg ",
    "sudo -S",
    "ssh-add",
    "smbclient",
    "vault",
    "openconnect",
];

/// Whether a here-string goes to a command that reads a password.
fn is_read(scan: &Scan, from: usize) -> bool {
    let line = super::floor(scan, scan.line_start(from, 120), from);
    let before = scan.slice(&line);
    before.ends_with("<<< ") && READERS.iter().any(|reader| before.contains(reader))
}

/// The password after such a flag, if it looks generated.
pub(in crate::secrets) fn find_flag(scan: &mut Scan, from: usize) {
    let is_open = |byte: &&u8| matches!(byte, b' ' | b'"' | b'\'');
    let opening = scan.bytes[from..].iter().take(2).take_while(is_open);
    let start = from + opening.count();
    let is_end = |byte: u8| byte <= b' ' || b"\"'`|;\\".contains(&byte);
    let rest = scan.bytes[start..].iter().take(80);
    let end = start + rest.take_while(|byte| !is_end(**byte)).count();
    steps::count(end - from);
    let span = start..end;
    let text = scan.slice(&span);
    let is_given = || {
        is_unlike_a_word(text)
            && !text.starts_with(['$', '-', '/'])
            && is_read(scan, from)
            && is_secret(text, Class::Password, Place::Argument)
    };
    if is_plainly_generated(text) || is_given() {
        scan.add(Basis::Name, PASSWORD, span);
    }
}

/// Texts directly before a password.
pub(in crate::secrets) const BEFORE_VALUES: [&str; 27] = [
    "{noop}",
    "password-command 'echo ",
    "password-command \"echo ",
    "passwordcmd 'echo ",
    "password_cmd=\"echo -n ",
    "password_cmd=\"echo ",
    "user_pw ",
    "owner_pw ",
    "rclone obscure ",
    "openssl passwd -6 ",
    "openssl passwd -1 ",
    "openssl passwd -apr1 ",
    "secret 0 ",
    "secret 7 ",
    "password 0 ",
    "password 7 ",
    "key 0 ",
    "key 7 ",
    "snmp-server community ",
    "tacacs-server key ",
    "radius-server key ",
    "key-string ",
    "&p=",
    "--encrypt ",
    "password-file <(echo ",
    "passwordfile=<(echo ",
    "-A bearer -a ",
];

/// The password after such a text.
pub(in crate::secrets) fn find_value(scan: &mut Scan, from: usize) {
    let quote = scan
        .bytes
        .get(from)
        .filter(|byte| matches!(byte, b'"' | b'\''));
    let start = from + usize::from(quote.is_some());
    let rest = scan.bytes.get(start..).unwrap_or_default().iter().take(80);
    let is_end = |byte: u8| byte <= b' ' || b"\"'`|;)&,".contains(&byte);
    let end = start + rest.take_while(|byte| !is_end(**byte)).count();
    steps::count(end - start);
    let span = start..end;
    let text = scan.slice(&span);
    if is_unlike_a_word(text)
        && text.bytes().any(|byte| byte.is_ascii_alphabetic())
        && !text.starts_with(['-', '$', '('])
        && is_secret(text, Class::Password, Place::Argument)
    {
        scan.add(Basis::Name, PASSWORD, span);
    }
}

/// Texts before `user/password@database`, as Oracle's programs take it.
pub(in crate::secrets) const BEFORE_LOGINS: [&str; 14] = [
    "sqlplus ",
    "sqlldr ",
    "expdp ",
    "impdp ",
    "sqlcl ",
    "rman target ",
    "catalog ",
    "oracle:thin:",
    "userid=",
    "DSN=",
    "dsn=",
    "oracledb.connect(",
    "cx_Oracle.connect(",
    "connect ",
];

/// The password of `user/password@database`, and that of `user/password` before a blank.
pub(in crate::secrets) fn find_login(scan: &mut Scan, from: usize) {
    let mut at = from;
    // Options such as `-s` and `-L` come first.
    for _ in 0..3 {
        let rest = scan.bytes.get(at..).unwrap_or_default();
        match rest {
            [b'-', b'a'..=b'z' | b'A'..=b'Z', b' ', ..] => at += 3,
            [b'"' | b'\'', ..] => at += 1,
            _ => break,
        }
    }
    let Some(user) = Alphabet::named("word").map(|word| word.run(scan.bytes, at, 64)) else {
        return;
    };
    let start = at + user + 1;
    if user == 0 || scan.bytes.get(at + user) != Some(&b'/') {
        return;
    }
    let rest = scan.bytes[start..].iter().take(80);
    let is_end = |byte: u8| byte <= b' ' || b"\"'`@/|;)".contains(&byte);
    let end = start + rest.take_while(|byte| !is_end(**byte)).count();
    steps::count(end - at);
    let span = start..end;
    let text = scan.slice(&span);
    let is_varied = text.bytes().any(|byte| byte.is_ascii_digit());
    let is_login = scan.bytes.get(end) == Some(&b'@') && is_varied || is_plainly_generated(text);
    if is_login && is_secret(text, Class::Password, Place::Argument) {
        scan.add(Basis::Name, CONNECTION_PASSWORD, span);
    }
}
