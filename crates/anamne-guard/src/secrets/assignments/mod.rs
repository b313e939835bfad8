//! Passwords and keys that a name, a flag or a sentence marks as such.

mod commands;
mod connections;
mod expressions;
mod fixed;
mod generated;
mod judge;
mod links;
mod names;
mod near;
mod places;
mod seeds;
mod tables;
mod values;
mod verdicts;

use std::ops::Range;

pub(super) use commands::{
    AFTER_PIPES, BEFORE_QUOTES, find as find_in_command, find_piped, find_quoted,
};
pub(super) use connections::Connections;
pub(super) use fixed::{BEFORE_LOGINS, BEFORE_VALUES, FLAGS, find_flag, find_login, find_value};
pub(super) use generated::is_choice;
pub(super) use links::SETTERS;
pub(super) use places::{BEFORE_ROWS, SENDERS, find_in_call, find_in_rows, find_sent};

pub(super) use verdicts::Verdicts;

use super::placeholders::is_reference;
use super::scan::{Basis, Scan};
use super::structures::CONNECTION_PASSWORD;
use crate::{DataKind, case};
use judge::{Place, is_secret, may_be_secret};
use links::{Link, Site};
use names::{Class, Name};
use values::Value;

pub(super) use names::TOKEN;

pub(super) const PASSWORD: DataKind = DataKind::secret("password");
pub(super) const SEED_PHRASE: DataKind = DataKind::secret("seed-phrase");

/// The kinds that names find, besides those of `[named_kinds]`.
pub(super) const KINDS: [DataKind; 5] = [
    PASSWORD,
    names::TOKEN,
    names::SECRET,
    names::API_KEY,
    SEED_PHRASE,
];

/// Parts of names; each also with a capital, and in capitals.
pub(super) const STEMS: [&str; 91] = [
    "wifi",
    "wlan",
    "ssid",
    "vpn",
    "WiFi",
    "wi-fi",
    "Wi-Fi",
    "비번",
    "API 키",
    "API키",
    "APIキー",
    "API キー",
    "API密钥",
    "API 密钥",
    "pass",
    "pwd",
    "psw",
    "pw",
    "mdp",
    "senha",
    "clave",
    "parola",
    "kennwort",
    "wachtwoord",
    "contrase",
    "secret",
    "token",
    "cred",
    "key",
    "auth",
    "psk",
    "sessid",
    "sessionid",
    "signature",
    "geheim",
    "schlüssel",
    "lösenord",
    "adgangskode",
    "hasło",
    "heslo",
    "jelszó",
    "пароль",
    "пароля",
    "密码",
    "密碼",
    "パスワード",
    "비밀번호",
    "zugangscode",
    "токен",
    "令牌",
    "トークン",
    "토큰",
    "jeton",
    "mot de passe",
    "mnemonic",
    "seed phrase",
    "salasana",
    "şifre",
    "lozinka",
    "parool",
    "slaptažod",
    "κωδικ",
    "סיסמ",
    "암호",
    "密钥",
    "暗証番号",
    "jelsz",
    "hasla",
    "haslo",
    "losenord",
    "clé",
    "ключ",
    "chave",
    "klucz",
    "klíč",
    "chiave",
    "sleutel",
    "nyckel",
    "nøgle",
    "nøkkel",
    "avain",
    "รหัสผ่าน",
    "login",
    "zugangsdaten",
    "identifiants",
    "口令",
    "合言葉",
    "anahtar",
    "rocommunity",
    "rwcommunity",
    "pepper",
];

/// How many names may look around over the same byte.
const MOST_READINGS: usize = 8;

/// How often a byte may be judged as a part of a value, in values within values.
const MOST_JUDGEMENTS: usize = 2;

/// Looks for a value after the name around an anchor.
pub(super) fn find(scan: &mut Scan, anchor: Range<usize>) {
    if anchor.start < scan.name_end {
        return;
    }
    let Some(span) = names::identifier(scan, &anchor) else {
        return;
    };
    scan.name_end = span.end;
    if places::is_account(scan.slice(&span)) && places::find_account(scan, &span) {
        return;
    }
    let Some(name) = names::read(scan, span) else {
        return;
    };
    if name.class != Class::Beside && (tables::find(scan, &name) || find_after(scan, &name)) {
        return;
    }
    if scan.efforts.names.may_read(name.span.start, MOST_READINGS) {
        scan.efforts.names.add(near::REACH);
        find_around(scan, &name);
    }
}

/// Looks for a value that its look gives away on the line of a name.
fn find_around(scan: &mut Scan, name: &Name) {
    let is_password = matches!(name.class, Class::Password | Class::ShortPassword);
    if is_password || name.class == Class::Key {
        let is_found = name.class != Class::ShortPassword && find_before(scan, name);
        if !is_found && is_password {
            near::find(scan, name);
        } else if !is_found {
            near::find_key(scan, name);
        }
    } else if name.class == Class::Secret {
        near::find_key(scan, name);
    } else if name.class == Class::Beside {
        near::find(scan, name);
    }
}

/// Looks for a value before a name, as in `use … as the password`; whether there is one.
fn find_before(scan: &mut Scan, name: &Name) -> bool {
    let is_value = |span: &Range<usize>| {
        let text = scan.slice(span);
        text.bytes().any(|byte| byte.is_ascii_lowercase())
            && is_secret(text, name.class, Place::Prose)
    };
    let span = places::before(scan, &name.span).filter(is_value);
    let is_found = span.is_some();
    if let Some(span) = span {
        scan.add(Basis::Name, name.kind(), span);
    }
    is_found
}

/// Looks for a value after a name; whether there is one, or a reference to one.
fn find_after(scan: &mut Scan, name: &Name) -> bool {
    if name.class == Class::Seed {
        seeds::find(scan, name);
        return true;
    }
    let Some(site) = links::after(scan, name) else {
        return false;
    };
    let Some(value) = values::read(scan, &site) else {
        return false;
    };
    let text = scan.slice(&value.span);
    if is_reference(text)
        || repeats_name(text, scan.slice(&name.span))
        || is_in_resource(scan, name, &site)
    {
        return true;
    }
    if is_one_of_two(text) {
        return false;
    }
    if !scan
        .efforts
        .values
        .may_read(value.span.start, MOST_JUDGEMENTS)
    {
        return false;
    }
    scan.efforts.values.add(text.len());
    let is_found = may_be_secret(text, name.class)
        && !is_header_signature(scan, name)
        && is_secret(text, name.class, place_of(scan, name, &site, &value));
    if is_found {
        let kind = match name.kind() {
            kind if kind == PASSWORD && connections::has(scan, &name.span, &value.span) => {
                CONNECTION_PASSWORD
            }
            kind => kind,
        };
        scan.add(Basis::Name, kind, value.span);
    }
    is_found
}

/// Whether a value is the name again, or the name of a variable that has a long name in it.
fn repeats_name(value: &str, name: &str) -> bool {
    let is_part = |byte: u8| byte.is_ascii_lowercase() || byte.is_ascii_digit() || byte == b'_';
    value.eq_ignore_ascii_case(name)
        || (name.len() > 10
            && value.contains('_')
            && value.bytes().all(is_part)
            && case::has_part(value, name))
}

/// Whether a name stands among the parts of a resource's name, as in `arn:…:986609801804:secret:name`, or names what a
/// checksum is of, as in `checksum/secret: …`.
fn is_in_resource(scan: &Scan, name: &Name, site: &Site) -> bool {
    let start = name.span.start;
    if scan.bytes[..start].ends_with(b"checksum/") {
        return true;
    }
    site.link == Link::Colon
        && !site.is_spaced
        && start > 1
        && scan.bytes[start - 1] == b':'
        && scan.bytes[start - 2].is_ascii_digit()
}

/// Whether a value says which of two it is: `old=…`.
fn is_one_of_two(value: &str) -> bool {
    ["old=", "new="]
        .iter()
        .any(|which| value.starts_with(which))
}

/// Whether a name is the signature of a request to AWS, which is no use to anybody else.
fn is_header_signature(scan: &Scan, name: &Name) -> bool {
    scan.slice(&name.span).eq_ignore_ascii_case("signature") && {
        let start = scan.line_start(name.span.start, 200);
        let before = scan.slice(&floor(scan, start, name.span.start));
        before.contains("SignedHeaders=")
    }
}

/// How the value is written.
fn place_of(scan: &mut Scan, name: &Name, site: &Site, value: &Value) -> Place {
    let starts_line = is_first_on_line(scan, name.span.start);
    let ends_line = value.is_last_on_line;
    // An argument of a call: `password=value,`.
    let is_passed = scan.bytes.get(value.span.end) == Some(&b',');
    match (site.link, value.is_quoted) {
        (Link::Said, true) => Place::Quoted { is_label: false },
        (Link::Said, false) | (Link::Quoted, true) => Place::Prose,
        (Link::Assign, true) if name.is_constant || !site.is_spaced => Place::Setting,
        (_, true) => Place::Quoted {
            is_label: site.link == Link::Colon && site.is_name_quoted,
        },
        (Link::Flag, false) if is_prose(scan, &value.span) => Place::Prose,
        (Link::Flag | Link::Tag, false) => Place::Argument,
        (Link::Assign, false)
            if name.is_query
                || (name.is_flag && !site.is_spaced)
                || (!site.is_spaced && is_given(scan, name.span.start))
                || (!site.is_spaced && (name.is_constant || (starts_line && !is_passed))) =>
        {
            Place::Argument
        }
        (_, false)
            if value.is_followed_by_semicolon && !site.is_spaced && !is_typed(scan, site) =>
        {
            Place::Argument
        }
        (Link::Assign, false)
            if !site.is_spaced && connections::has(scan, &name.span, &value.span) =>
        {
            Place::Argument
        }
        (_, false) if site.link == Link::Colon && !name.is_english(scan) => Place::Prose,
        (_, false) if starts_line && ends_line => Place::Line {
            is_code: site.link == Link::Assign && site.is_spaced,
        },
        (_, false) => Place::Inline,
    }
}

/// Whether a name and its value are the argument of a flag: `--set auth.password=…`.
fn is_given(scan: &Scan, at: usize) -> bool {
    const FLAGS: [&str; 6] = [
        "--set ",
        "--set-string ",
        "--from-literal=",
        "--build-arg ",
        "-e ",
        "-D",
    ];
    let before = &scan.bytes[..at];
    let before = before.strip_suffix(b"\"").unwrap_or(before);
    FLAGS.iter().any(|flag| before.ends_with(flag.as_bytes()))
}

/// Whether a value is a word that another one follows, as in `--password suffers from …`.
fn is_prose(scan: &Scan, value: &Range<usize>) -> bool {
    let is_word = |text: &[u8]| {
        let letters = text
            .iter()
            .take_while(|byte| byte.is_ascii_lowercase())
            .count();
        letters > 1 && text.get(letters).is_none_or(|next| b" .,".contains(next))
    };
    let text = scan.slice(value);
    text.bytes().all(|byte| byte.is_ascii_lowercase())
        && scan.bytes.get(value.end) == Some(&b' ')
        && is_word(&scan.bytes[value.end + 1..(value.end + 24).min(scan.bytes.len())])
}

/// Whether a value may be a type: a blank stands between it and its colon.
fn is_typed(scan: &Scan, site: &Site) -> bool {
    site.link == Link::Colon && scan.bytes[site.value_at - 1] == b' '
}

/// Whether only blanks, bullets, quotes and words like `export` precede a place on its line.
fn is_first_on_line(scan: &Scan, at: usize) -> bool {
    let start = scan.line_start(at, 48);
    let before = scan
        .slice(&(start..at))
        .trim_start_matches([' ', '\t', '-', '*', '+', '>', '"', '\'', '`', '#', '|']);
    let before = before.trim_end();
    before.is_empty()
        || [
            "export", "set", "env", "declare", "ENV", "ARG", "SET", "$env:", "setx",
        ]
        .contains(&before)
        || before.ends_with("export")
}

/// A place moved inwards to character boundaries.
fn floor(scan: &Scan, mut start: usize, mut end: usize) -> Range<usize> {
    while start < end && !scan.text.is_char_boundary(start) {
        start += 1;
    }
    while end > start && !scan.text.is_char_boundary(end) {
        end -= 1;
    }
    start..end
}
