//! Addresses for mail.

use std::ops::Range;
use std::sync::LazyLock;

use anamne_text::lexicon::{Lexicon, LexiconError};

use super::scan::{Scan, before, is_word};
use super::words::Topic;

const MOST_LOCAL: usize = 64;
const MOST_DOMAIN: usize = 190;
const MOST_TOKEN: usize = 96;

/// The address around an `@`. O(1).
pub(super) fn at(scan: &mut Scan, at: usize) -> Option<Range<usize>> {
    let bytes = scan.text.as_bytes();
    let start = start_of_local(scan.text, at, scan.floor)?;
    let end = end_of_domain(scan.text, at + 1)?;
    scan.steps += end - start;
    let (local, domain) = (&scan.text[start..at], &scan.text[at + 1..end]);
    let is_address = is_plausible_local(local)
        && is_plausible_domain(domain)
        && !is_masked(bytes, start, local)
        && !is_remote(bytes, local, end)
        && !is_user_of_url(bytes, start, scan.floor);
    scan.steps += MOST_TOKEN;
    let names_remote = |scan: &mut Scan| {
        let topic = scan
            .context
            .nearest(start, |topic| topic != Topic::Ip && topic != Topic::Address);
        topic == Some(Topic::Remote)
    };
    (is_address && !names_remote(scan)).then_some(start..end)
}

/// Letters outside ASCII that stand in addresses: those with accents, of Latin, Greek and Cyrillic scripts.
fn is_accented(byte: u8) -> bool {
    (0xC3..=0xD3).contains(&byte)
}

fn is_continuation(byte: u8) -> bool {
    byte & 0xC0 == 0x80
}

/// Where the characters before an `@` that may stand in an address start.
fn start_of_local(text: &str, at: usize, floor: usize) -> Option<usize> {
    let bytes = text.as_bytes();
    let lowest = at.saturating_sub(MOST_LOCAL).max(floor);
    let mut start = at;
    while start > lowest {
        let byte = bytes[start - 1];
        if byte.is_ascii_alphanumeric() || b"._%+-'&!#~".contains(&byte) {
            start -= 1;
        } else if is_continuation(byte) && start - 1 > lowest && is_accented(bytes[start - 2]) {
            start -= 2;
        } else {
            break;
        }
    }
    let is_lead = |byte: u8| !byte.is_ascii_alphanumeric() && byte != b'_' && byte < 0x80;
    while start < at && is_lead(bytes[start]) {
        start += 1;
    }
    (start < at && text.is_char_boundary(start)).then_some(start)
}

/// Where the characters after an `@` that may stand in a domain end.
fn end_of_domain(text: &str, from: usize) -> Option<usize> {
    let bytes = text.as_bytes();
    let bound = bytes.len().min(from + MOST_DOMAIN);
    let mut end = from;
    while end < bound {
        let byte = bytes[end];
        if byte.is_ascii_alphanumeric() || byte == b'.' || byte == b'-' {
            end += 1;
        } else if is_accented(byte) && end + 1 < bytes.len() {
            end += 2;
        } else {
            break;
        }
    }
    while end > from && matches!(bytes[end - 1], b'.' | b'-') {
        end -= 1;
    }
    (end > from && text.is_char_boundary(end)).then_some(end)
}

fn is_plausible_local(local: &str) -> bool {
    !local.ends_with('.')
        && !local.contains("..")
        && !local.contains("%s")
        && !local.bytes().all(|byte| b"xX._-".contains(&byte))
        && !domains().services.contains(&local)
}

fn is_plausible_domain(domain: &str) -> bool {
    let lower = domain.to_lowercase();
    let labels: Vec<_> = lower.split('.').collect();
    let Some((top, names)) = labels.split_last() else {
        return false;
    };
    let is_label = |label: &&str| {
        !label.is_empty() && label.len() <= 63 && !label.starts_with('-') && !label.ends_with('-')
    };
    let [.., second] = names else {
        return false;
    };
    // Subdomains too: `mail.example.com`.
    let is_placeholder =
        domains().placeholders.contains(second) || (names.contains(&"example") && names.len() <= 2);
    names.iter().all(is_label)
        && !is_placeholder
        && second.bytes().any(|byte| !b"x-".contains(&byte))
        && (domains().tops.contains(top) || (top.starts_with("xn--") && top.len() > 6))
}

/// `m***@…`, `{user}@…`, `%user@…`.
fn is_masked(bytes: &[u8], start: usize, local: &str) -> bool {
    before(bytes, start).is_some_and(|byte| b"*}]>%$@".contains(&byte)) || local.contains("xxx")
}

/// `deploy@host.com:/srv`, `git@host.com:owner/repository`, `user@host.com:22`, `x@w.to(device)`.
fn is_remote(bytes: &[u8], local: &str, end: usize) -> bool {
    let rest = &bytes[end..bytes.len().min(end + MOST_TOKEN)];
    match rest {
        [b'(' | b'[' | b'@' | b'*', ..] | [b':', b'/' | b'~', ..] => true,
        [b':', byte, ..] if byte.is_ascii_digit() => true,
        [b':', ..] => {
            let token = rest.iter().take_while(|byte| !byte.is_ascii_whitespace());
            local == "git" || token.into_iter().any(|byte| *byte == b'/')
        }
        [byte, ..] => is_word(*byte),
        [] => false,
    }
}

/// The user before the host of a URL, with a password or without.
fn is_user_of_url(bytes: &[u8], start: usize, floor: usize) -> bool {
    if !before(bytes, start).is_some_and(|byte| byte == b'/' || byte == b':') {
        return false;
    }
    let lowest = start.saturating_sub(MOST_TOKEN).max(floor);
    let before = &bytes[lowest..start];
    let token = before.iter().rposition(u8::is_ascii_whitespace);
    let token = &before[token.map_or(0, |blank| blank + 1)..];
    let scheme = token.windows(3).rposition(|three| three == b"://");
    scheme.is_some_and(|scheme| !token[scheme + 3..].contains(&b'/'))
}

struct Domains {
    tops: Vec<&'static str>,
    placeholders: Vec<&'static str>,
    services: Vec<&'static str>,
}

impl Domains {
    fn load() -> Result<Self, LexiconError> {
        const TEXT: &str = include_str!("../../data/personal_tlds.txt");
        let file = Lexicon::parse("personal_tlds.txt", TEXT)?;
        let mut tops = file.words("countries")?;
        tops.extend(file.words("general")?);
        Ok(Self {
            tops,
            placeholders: file.words("placeholders")?,
            services: file.words("services")?,
        })
    }
}

fn domains() -> &'static Domains {
    static DOMAINS: LazyLock<Domains> =
        LazyLock::new(|| Domains::load().expect("a test loads the data file"));
    &DOMAINS
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::personal::tests::{check, check_none};

    #[test]
    fn addresses_are_found() {
        Domains::load().expect("the domains");
        for (text, value) in [
            ("Write to mara.lind@web.de.", "mara.lind@web.de"),
            (
                "<o'neil+news@mail.corp.co.uk>",
                "o'neil+news@mail.corp.co.uk",
            ),
            ("mailto:jo_2@163.com?subject=x", "jo_2@163.com"),
            ("https://shop.de/?mail=jo@web.de&x=1", "jo@web.de"),
            ("\"email\":\"jürgen@müller.de\"", "jürgen@müller.de"),
            ("noreply@github.com", "noreply@github.com"),
            ("邮箱li@qq.com。", "li@qq.com"),
            ("jo@web.de:hunter", "jo@web.de"),
            ("'ada@lind.io'", "ada@lind.io"),
            ("ADA@LIND.IO", "ADA@LIND.IO"),
        ] {
            check(text, "email", &[value]);
        }
    }

    #[test]
    fn other_uses_of_the_sign_are_not() {
        for text in [
            "react@18.2.0 lodash@^4.17 @types/node@20 @angular/core",
            "git@github.com:anamne/anamne.git",
            "scp x.tgz deploy@build.corp.com:/srv/x",
            "ssh mara@build.corp.com",
            "postgres://app:pa55word@db.corp.com:5432/x",
            "https://mara@corp.com/x",
            "root@localhost, mara@buildbox, jo@host.local, getty@tty1.service",
            "jo@example.com jo@mail.example.org a@b.invalid a@b.test",
            "@pytest.mark.skip @app.get logo@2x.png icon@3x.jpg",
            "m***@web.de {user}@web.de ${USER}@web.de <token>@web.de [personal:email]@web.de",
            "x = a@w.to(device)",
            "actions/checkout@v4 img@sha256:abcdef",
        ] {
            check_none(text);
        }
    }
}
