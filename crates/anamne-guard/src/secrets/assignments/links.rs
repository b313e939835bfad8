//! What joins a name to its value.

use super::generated::is_assigned;
use super::names::{Class, Name};
use crate::case::{self, with_lower};
use crate::secrets::alphabet::{Alphabet, after_blanks};
use crate::secrets::letters;
use crate::secrets::scan::Scan;
use crate::secrets::shape::Shape;
use crate::secrets::words::{has, lists};

/// The join.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Link {
    /// `=`, `:=`, `=>`.
    Assign,
    /// `:`.
    Colon,
    /// `==`, a call, a pair of quoted texts: the value must be quoted.
    Quoted,
    /// `--flag value`, `ENV NAME value`.
    Flag,
    /// `<name>value</name>`.
    Tag,
    /// `the password is value`.
    Said,
}

/// A join and where the value begins.
#[derive(Clone, Copy, Debug)]
pub(super) struct Site {
    pub(super) link: Link,
    pub(super) value_at: usize,
    /// Blanks stand before or after `=`.
    pub(super) is_spaced: bool,
    pub(super) is_name_quoted: bool,
    /// A `&` ends the value.
    pub(super) is_query: bool,
}

/// The join after a name.
pub(super) fn after(scan: &Scan, name: &Name) -> Option<Site> {
    let bytes = scan.bytes;
    let mut at = name.span.end;
    if let Some(end) = ["'s ", "’s "]
        .iter()
        .find_map(|is| scan.has(at, is).then_some(at + is.len()))
    {
        return Some(Site {
            link: Link::Said,
            value_at: end,
            is_spaced: true,
            is_name_quoted: false,
            is_query: false,
        });
    }
    let mut is_name_quoted = false;
    for _ in 0..6 {
        match bytes.get(at) {
            Some(b'"' | b'\'' | b'`') => is_name_quoted = true,
            Some(b']' | b'\\' | b'*' | b'?' | b'!') => {}
            _ => break,
        }
        at += 1;
    }
    at += addition(scan, at);
    if let Some(value_at) = typed(scan, at) {
        return Some(Site {
            link: Link::Assign,
            value_at,
            is_spaced: true,
            is_name_quoted,
            is_query: false,
        });
    }
    let op = after_blanks(bytes, at);
    let (link, end) = operator(scan, name, at, op, is_name_quoted)?;
    let value_at = block_start(scan, after_blanks(bytes, end));
    let site = Site {
        link,
        value_at,
        is_spaced: op > at && (value_at > end || link == Link::Assign),
        is_name_quoted,
        is_query: name.is_query,
    };
    Some(after_type(scan, site).unwrap_or(site))
}

/// Where the text is that a test types into the field of a name: `#password').type('…')`.
fn typed(scan: &Scan, at: usize) -> Option<usize> {
    const CALLS: [&str; 8] = [
        ".type(",
        ".fill(",
        ".sendKeys(",
        ".send_keys(",
        ".setValue(",
        ".set_value(",
        ".typeText(",
        ".input(",
    ];
    let closing = scan.bytes[at..].iter().take(3);
    let at = at
        + closing
            .take_while(|byte| matches!(byte, b')' | b']' | b'"' | b'\''))
            .count();
    let call = CALLS.iter().find(|call| scan.has(at, call))?;
    Some(at + call.len())
}

/// The value's place after YAML's marks of a block or a type.
fn block_start(scan: &Scan, at: usize) -> usize {
    static GAP: Alphabet = Alphabet::gap();
    for mark in ["|\n", "|-\n", ">\n", ">-\n", "!!str "] {
        if scan.has(at, mark) {
            return at + mark.len() + GAP.run(scan.bytes, at + mark.len(), 16);
        }
    }
    at
}

/// The operator at `op`, which blanks may separate from the name's end at `at`, and where it ends.
fn operator(
    scan: &Scan,
    name: &Name,
    at: usize,
    op: usize,
    is_name_quoted: bool,
) -> Option<(Link, usize)> {
    let next = |offset: usize| scan.bytes.get(op + offset).copied();
    match (next(0)?, next(1)) {
        (b'=', Some(b'=')) => Some((Link::Quoted, op + 2 + usize::from(next(2) == Some(b'=')))),
        (b'=', Some(b'>')) | (b':' | b'?' | b'+', Some(b'=')) => Some((Link::Assign, op + 2)),
        (b'=', Some(b'~')) | (b':', Some(b':' | b'/')) => None,
        (b'=', _) => Some((Link::Assign, op + 1)),
        (b':', _) => Some((Link::Colon, marks_end(scan, op + 1))),
        (b'|' | b'?', _) if scan.has(op, "||=") || scan.has(op, "??=") => {
            Some((Link::Assign, op + 3))
        }
        (b'|', _) if scan.has(op, "|| ") => Some((Link::Quoted, op + 2)),
        (b'|', _) if op > at && !is_name_quoted => Some((Link::Colon, op + 1)),
        (b'>', _) if op == at => (is_name_quoted || is_tag(scan, name)).then(|| {
            (
                Link::Tag,
                op + 1 + usize::from(scan.has(op + 1, "<value>")) * 7,
            )
        }),
        (b'<', Some(b'/')) if op == at => property(scan, op),
        (b'-', Some(b'>')) if op > at => Some((Link::Colon, op + 2)),
        (b'(', _) if op > at => remark(scan, op),
        (b'(', _) if op == at => Some((Link::Quoted, op + 1)),
        (b',', _) => pair(scan, op).or_else(|| {
            (is_name_quoted || is_symbol(scan, name)).then_some((Link::Quoted, op + 1))
        }),
        (b'\n', _) => pair(scan, op),
        (b'"' | b'\'', _) if op > at => pair(scan, op)
            .or(Some((Link::Quoted, op)))
            .filter(|_| !is_name_quoted),
        _ if op > at => pair(scan, op)
            .or_else(|| spaced(scan, name, op))
            .or_else(|| joint(scan, op)),
        _ => joint(scan, op),
    }
}

/// Whether a name is a symbol: `set :api_key, '…'`.
fn is_symbol(scan: &Scan, name: &Name) -> bool {
    let before = scan.slice(&(name.span.start.saturating_sub(2)..name.span.start));
    matches!(before, " :" | "(:")
}

/// What may follow a name before its link and says what a key is for: `clé d'API`, `chave da API`, `clave secreta`.
pub(super) fn addition(scan: &Scan, at: usize) -> usize {
    const ADDITIONS: [&str; 20] = [
        " secrète",
        " secreta",
        " segreta",
        " privée",
        " privada",
        " privata",
        " d'accès",
        " d’accès",
        " de acceso",
        " de acesso",
        " d'API",
        " d’API",
        " API",
        " de API",
        " da API",
        " de la API",
        " do API",
        " k API",
        " для API",
        " di API",
    ];
    let found = ADDITIONS.iter().find(|addition| scan.has(at, addition));
    found.map_or(0, |addition| addition.len())
}

/// The colons and words that join a name to its value in scripts without blanks.
fn joint(scan: &Scan, at: usize) -> Option<(Link, usize)> {
    const COLONS: [&str; 2] = ["：", "＝"];
    const WORDS: [&str; 12] = [
        "は",
        "是",
        "为",
        "為",
        "는",
        "은",
        "이",
        "가",
        "が",
        "คือ",
        "改为",
        "已改为",
    ];
    let colon = COLONS.iter().find(|colon| scan.has(at, colon));
    let word = || WORDS.iter().find(|word| scan.has(at, word));
    let end = |literal: &&str| after_blanks(scan.bytes, at + literal.len());
    colon
        .map(|colon| (Link::Colon, at + colon.len()))
        .or_else(|| word().map(|word| (Link::Said, end(word))))
}

/// The colon after a remark in brackets: `password (root): value`.
fn remark(scan: &Scan, open: usize) -> Option<(Link, usize)> {
    let rest = scan.bytes[open..].iter().take(32);
    let close = open
        + rest
            .take_while(|byte| !matches!(byte, b')' | b'\n'))
            .count();
    scan.has(close, "):").then_some((Link::Colon, close + 2))
}

/// The bold or code marks after a colon: `**Password:** value`.
fn marks_end(scan: &Scan, at: usize) -> usize {
    at + if scan.has(at, "**") { 2 } else { 0 }
}

/// The value of a property list: `<key>name</key>`, then `<string>value</string>`, on the same line or the next one.
fn property(scan: &Scan, op: usize) -> Option<(Link, usize)> {
    static GAP: Alphabet = Alphabet::gap();
    let close = scan.has(op, "</key>").then_some(op + 6)?;
    let open = close + GAP.run(scan.bytes, close, 48);
    scan.has(open, "<string>").then_some((Link::Tag, open + 8))
}

/// Whether the name is the name of an XML element.
fn is_tag(scan: &Scan, name: &Name) -> bool {
    let before = name.span.start.checked_sub(1).map(|at| scan.bytes[at]);
    matches!(before, Some(b'<' | b':'))
}

/// The value of `name: PASSWORD`, `value: …`, of `key="Password" value="…"` and of `variable "password" { default = "…" }`.
fn pair(scan: &Scan, at: usize) -> Option<(Link, usize)> {
    static GAP: Alphabet = Alphabet::gap();
    const WORDS: [&str; 5] = ["value", "Value", "VALUE", "default", "currentValue"];
    let start = at + GAP.run(scan.bytes, at, 48);
    let in_block = scan
        .slice(&(at..start))
        .contains('{')
        .then(|| later(scan, start))
        .flatten();
    let start = in_block.unwrap_or(start);
    let word = WORDS.into_iter().find(|word| scan.has(start, word))?;
    let mut end = start + word.len();
    end += usize::from(matches!(scan.bytes.get(end), Some(b'"' | b'\'')));
    end = after_blanks(scan.bytes, end);
    let is_link = matches!(scan.bytes.get(end), Some(b':' | b'='));
    is_link.then_some((Link::Colon, end + 1))
}

/// Where the line of a block begins that sets a default, within 200 bytes.
fn later(scan: &Scan, at: usize) -> Option<usize> {
    let block = scan.slice(&super::floor(scan, at, (at + 200).min(scan.bytes.len())));
    let inside = block.split('}').next().unwrap_or_default();
    // A block on one line has two blanks, or one, between its arguments.
    let place = inside.find("default").filter(|place| {
        let before = &inside.as_bytes()[..*place];
        matches!(before.last(), None | Some(b'\n' | b' ' | b'\t'))
    })?;
    Some(at + place)
}

/// Commands that set the names after them on the line.
pub(in crate::secrets) const SETTERS: [&str; 2] = ["config set ", "nmcli"];

/// A value that follows a blank: of a flag, of a command that sets a name, of a netrc file, or in a sentence.
fn spaced(scan: &Scan, name: &Name, op: usize) -> Option<(Link, usize)> {
    if name.is_flag {
        return Some((Link::Flag, op));
    }
    if scan.has(op, "BY '") || scan.has(op, "by '") {
        return Some((Link::Quoted, op + 3));
    }
    let identifier = scan.slice(&name.span);
    let start = scan.line_start(name.span.start, 120);
    let before = scan
        .slice(&super::floor(scan, start, name.span.start))
        .trim_end();
    let is_set = [
        "ENV",
        "ARG",
        "setenv",
        "setx",
        "configure set",
        "configure set default",
        "config set",
    ]
    .iter()
    .any(|set| before.ends_with(set));
    let may_be_set = || scan.setter_end > start;
    let is_record = matches!(identifier, "requirepass" | "masterauth")
        || (identifier == "password" && is_netrc(scan, name.span.start))
        || (may_be_set() && SETTERS.iter().any(|setter| before.contains(setter)));
    if is_set || is_record {
        return Some((Link::Flag, op));
    }
    said(scan, name, op).or_else(|| beside(scan, name, op))
}

/// A value right after its name, if nothing written by hand looks like it.
fn beside(scan: &Scan, name: &Name, op: usize) -> Option<(Link, usize)> {
    let end = scan.bytes[op..]
        .iter()
        .take(80)
        .take_while(|byte| **byte > b' ')
        .count();
    let value = scan.slice(&(op..op + end));
    let shape = Shape::of(value);
    if case::has_part(value, scan.slice(&name.span)) {
        return None;
    }
    if is_assigned(value) {
        return None;
    }
    let is_strong = name.class == Class::Password
        && shape.sorts() == 4
        && shape.length >= 8
        && value.contains(['!', '@', '#', '$', '%', '^', '&', '*', '?'])
        && !value.contains(['/', ':', '(']);
    let is_key = shape.digits > 1 && shape.is_random(20) && !letters::are_joined_words(value);
    (is_strong || is_key).then_some((Link::Said, op))
}

/// Whether `login NAME` or `machine NAME` stands directly before a place.
fn is_netrc(scan: &Scan, at: usize) -> bool {
    let before = scan.slice(&super::floor(scan, at.saturating_sub(160), at));
    let mut words = before.split_whitespace().rev();
    let (name, word) = (words.next(), words.next());
    matches!(word, Some("login" | "machine" | "user" | "account"))
        && name.is_some_and(|name| !has(&lists().not_values, name) && !name.ends_with([',', '.']))
}

/// The place after `is` in `the password for the server is value`: within eight words.
fn said(scan: &Scan, name: &Name, from: usize) -> Option<(Link, usize)> {
    if name.class == Class::ShortPassword && scan.slice(&name.span).eq_ignore_ascii_case("pass") {
        return None;
    }
    let end = scan.line_end(from, 96);
    let rest = super::floor(scan, from, end);
    let text = scan.slice(&rest);
    let mut offset = 0;
    let is_finnish = || case::has_part(scan.slice(&name.span), "salasana");
    for (index, word) in text.split_inclusive(' ').take(9).enumerate() {
        let bare = word.trim_end();
        offset += word.len();
        let is_link = with_lower(bare, |lower| match lower {
            "to" => index < 2,
            "on" => is_finnish(),
            _ => has(&lists().links, lower),
        });
        if is_link {
            let next = text[offset..].split(' ').next().unwrap_or_default();
            let skipped = if matches!(next, "now" | "jetzt" | "set" | "simply" | "still") {
                next.len() + 1
            } else {
                0
            };
            let rest_of_line = &text[offset + skipped.min(text.len() - offset)..];
            let to = if rest_of_line.starts_with("to ") || rest_of_line.starts_with("be ") {
                3
            } else {
                0
            };
            return Some((Link::Said, rest.start + offset + skipped + to));
        }
        if index == 0 && !with_lower(bare, |lower| has(&lists().prepositions, lower)) {
            return None;
        }
        if let Some(word) = bare.strip_suffix(':') {
            return (!word.is_empty()).then_some((Link::Said, rest.start + offset));
        }
        if bare.ends_with(['.', ';', ',', '?', '!', '(']) {
            return None;
        }
    }
    None
}

/// The value after a type: `password: &str = "…"`.
fn after_type(scan: &Scan, site: Site) -> Option<Site> {
    static TYPE: Alphabet = Alphabet::types();
    if site.link != Link::Colon {
        return None;
    }
    let length = TYPE.run(scan.bytes, site.value_at, 40);
    let end = site.value_at + length;
    let is_assigned = length > 0
        && scan.bytes.get(end) == Some(&b'=')
        && !matches!(scan.bytes.get(end + 1), Some(b'=' | b'>'))
        && scan.bytes[end - 1] == b' ';
    is_assigned.then(|| Site {
        link: Link::Assign,
        value_at: after_blanks(scan.bytes, end + 1),
        is_spaced: true,
        ..site
    })
}
