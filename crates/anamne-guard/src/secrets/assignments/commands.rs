//! Passwords among the arguments of commands.

use std::ops::Range;

use super::PASSWORD;
use super::judge::{Place, is_secret};
use super::names::Class;
use super::places::is_unlike_a_word;
use crate::secrets::scan::{Basis, Scan};
use crate::secrets::shape::Shape;
use crate::secrets::words::{Command, Style, lists};
use crate::secrets::{alphabet, steps};

/// The bytes of a command that are read.
const MOST: usize = 512;
/// Its arguments that are read.
const MOST_ARGUMENTS: usize = 48;

/// Reads the arguments of the command whose name is at a place.
pub(in crate::secrets) fn find(scan: &mut Scan, index: usize, name: Range<usize>) {
    let commands = &lists().commands;
    if scan.command_ends.is_empty() {
        scan.command_ends = vec![0; commands.len()];
    }
    let is_word = alphabet::may_begin(scan.bytes, name.start)
        && matches!(scan.bytes.get(name.end), Some(b' ' | b'\t') | None)
        || scan.bytes.get(name.end).is_some_and(|next| *next == b'.');
    if !is_word || name.start < scan.command_ends[index] {
        return;
    }
    let (arguments, end) = arguments(scan, name.end);
    scan.command_ends[index] = end;
    if let Some(span) = password_of(scan, &commands[index], &arguments) {
        let value = scan.slice(&span);
        if !value.starts_with(['-', '$', '/']) && is_secret(value, Class::Password, Place::Argument)
        {
            scan.add(Basis::Name, PASSWORD, span);
        }
    }
}

/// The words of a command, without their quotes, up to the end of the line or a `;`, `|` or `&`; and where they end.
fn arguments(scan: &Scan, from: usize) -> (Vec<Range<usize>>, usize) {
    let bytes = scan.bytes;
    let until = (from + MOST).min(bytes.len());
    let mut words = Vec::new();
    let mut at = from;
    while at < until && words.len() < MOST_ARGUMENTS {
        match bytes[at] {
            b' ' | b'\t' => at += 1,
            b'\\' if matches!(bytes.get(at + 1), Some(b'\n' | b'\r')) => at += 2,
            b'\n' | b'\r' | b';' | b'|' | b'&' | b'`' | b')' => break,
            quote @ (b'"' | b'\'') => {
                let inside = bytes[at + 1..until]
                    .iter()
                    .position(|byte| *byte == quote || *byte == b'\n');
                let Some(length) = inside else {
                    break;
                };
                words.push(at + 1..at + 1 + length);
                at += length + 2;
            }
            _ => {
                let word = word(bytes, at, until);
                at = word.end + usize::from(matches!(bytes.get(word.end), Some(b'"' | b'\'')));
                words.push(word);
            }
        }
    }
    steps::count(at - from);
    (words, at)
}

/// An unquoted word, with quotes in it as in `-p'value'` and `user:"value"`.
fn word(bytes: &[u8], start: usize, until: usize) -> Range<usize> {
    let mut quote = None;
    let mut at = start;
    while at < until {
        match bytes[at] {
            b'\n' | b'\r' => break,
            byte @ (b'"' | b'\'') => {
                if quote == Some(byte)
                    || quote.is_none() && bytes.get(at + 1).is_none_or(|next| *next <= b' ')
                {
                    break;
                }
                quote = quote.or(Some(byte));
            }
            b' ' | b'\t' | b';' | b'|' | b'`' if quote.is_none() => break,
            _ => {}
        }
        at += 1;
    }
    start..at
}

/// The place of the password among the arguments.
fn password_of(scan: &Scan, command: &Command, arguments: &[Range<usize>]) -> Option<Range<usize>> {
    let text = |span: &Range<usize>| scan.slice(span);
    let flag = |span: &Range<usize>| command.flags.contains(&text(span));
    let unquoted = |span: Range<usize>| {
        let opened = usize::from(text(&span).starts_with(['"', '\'']));
        span.start + opened..span.end
    };
    let following = || {
        let at = arguments.iter().position(flag)?;
        arguments.get(at + 1).cloned()
    };
    match command.style {
        Style::Attached => arguments.iter().find_map(|span| {
            let flag = command
                .flags
                .iter()
                .find(|flag| text(span).starts_with(**flag))?;
            let value = unquoted(span.start + flag.len()..span.end);
            // `-print` and `-port` are options of other commands on the line.
            is_unlike_a_word(text(&value)).then_some(value)
        }),
        Style::Next => following().map(unquoted),
        Style::Pair | Style::Percent | Style::Comma => {
            let separator = match command.style {
                Style::Percent => '%',
                Style::Comma => ',',
                _ => ':',
            };
            let glued = || {
                let of = |span: &Range<usize>| {
                    let flag = command.flags.iter().find(|flag| {
                        text(span).starts_with(**flag) && text(span).contains(separator)
                    })?;
                    Some(span.start + flag.len()..span.end)
                };
                arguments.iter().find_map(of)
            };
            let pair = unquoted(
                following()
                    .filter(|span| text(span).contains(separator))
                    .or_else(glued)?,
            );
            let at = text(&pair).find(separator)?;
            let user = &text(&pair)[..at];
            if at + 1 == pair.len() && Shape::of(user).is_random(16) {
                return Some(pair.start..pair.start + at);
            }
            let password = unquoted(pair.start + at + 1..pair.end);
            (!user.eq_ignore_ascii_case(text(&password)) && !user.contains("//"))
                .then_some(password)
        }
        Style::Last => {
            let has_flag = command.flags.is_empty() || arguments.iter().any(flag);
            let plain = arguments
                .iter()
                .filter(|span| !text(span).starts_with('-'))
                .count();
            let is_complete = plain >= 2 && has_flag;
            arguments
                .last()
                .filter(|_| is_complete)
                .cloned()
                .filter(|span| {
                    text(span)
                        .bytes()
                        .any(|byte| byte.is_ascii_digit() || byte.is_ascii_punctuation())
                })
        }
        Style::Share => {
            let share = arguments
                .iter()
                .position(|span| text(span).starts_with("\\\\"))?;
            arguments[share + 1..]
                .iter()
                .find(|span| !text(span).starts_with('/'))
                .cloned()
        }
        Style::Third => arguments
            .get(1)
            .cloned()
            .filter(|span| !text(span).starts_with('/') && text(span) != "*"),
    }
}

/// Texts after which a quoted password stands.
pub(in crate::secrets) const BEFORE_QUOTES: [&str; 4] = [
    "identified by ",
    "IDENTIFIED BY ",
    "ConvertTo-SecureString ",
    "-AsPlainText -String ",
];

/// The quoted password after such a text.
pub(in crate::secrets) fn find_quoted(scan: &mut Scan, from: usize) {
    let Some(quote @ (b'"' | b'\'')) = scan.bytes.get(from).copied() else {
        return;
    };
    let rest = scan.bytes[from + 1..].iter().take(128);
    let end = from
        + 1
        + rest
            .take_while(|byte| **byte != quote && **byte != b'\n')
            .count();
    let span = from + 1..end;
    let place = Place::Quoted { is_label: false };
    let text = scan.slice(&span);
    if scan.bytes.get(end) == Some(&quote)
        && is_unlike_a_word(text)
        && is_secret(text, Class::Password, place)
    {
        scan.add(Basis::Name, PASSWORD, span);
    }
}

/// Commands that read a password from the command before them.
pub(in crate::secrets) const AFTER_PIPES: [&str; 8] = [
    "--password-stdin",
    "sudo -S",
    "chpasswd",
    "passwd --stdin",
    "openssl passwd",
    "cryptsetup",
    "gh secret set",
    "secret create",
];

/// The password that `echo` writes to a command that reads it.
pub(in crate::secrets) fn find_piped(scan: &mut Scan, at: usize) {
    if at < scan.pipe_end {
        return;
    }
    scan.pipe_end = scan.line_end(at, 200);
    let line = super::floor(scan, scan.line_start(at, 200), at);
    let text = scan.slice(&line);
    let Some(echo) = ["echo ", "printf "]
        .iter()
        .find_map(|word| text.find(word).map(|at| at + word.len()))
    else {
        return;
    };
    let (arguments, _) = arguments(scan, line.start + echo);
    let Some(value) = arguments
        .into_iter()
        .find(|span| !scan.slice(span).starts_with(['-', '%']))
    else {
        return;
    };
    let user = scan
        .slice(&value)
        .find(':')
        .filter(|_| scan.has(at, "chpasswd"));
    let span = value.start + user.map_or(0, |colon| colon + 1)..value.end;
    if is_secret(scan.slice(&span), Class::Password, Place::Argument) {
        scan.add(Basis::Name, PASSWORD, span);
    }
}
