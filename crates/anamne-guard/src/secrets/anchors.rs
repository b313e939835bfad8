//! All literal texts at which secrets are looked for.

use std::ops::Range;
use std::sync::LazyLock;

use super::scan::Scan;
use super::structures::{self, Structure};
use super::vendors::formats;
use super::words::lists;
use super::{assignments, steps, vendors};
use crate::literals::Literals;

/// What is looked for at an anchor.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Anchor {
    /// The format with this index.
    Format(usize),
    Structure(Structure),
    /// A part of a name.
    Name,
    /// The command with this index.
    Command(usize),
    /// A quoted password follows.
    Quoted,
    /// A password comes from the command before.
    Piped,
    /// The call with this index.
    Call(usize),
    /// A flag that may be for a password.
    Flag,
    /// A password follows.
    Value,
    /// `user/password` follows.
    Login,
    /// Rows of a table follow.
    Rows,
    /// A script sends a text.
    Sent,
    /// A command sets the names after it.
    Setter,
}

struct Anchors {
    literals: Literals,
    meanings: Vec<Anchor>,
}

/// Visits every anchor of a text. O(bytes).
pub(super) fn visit(scan: &mut Scan) {
    static ANCHORS: LazyLock<Anchors> = LazyLock::new(build);
    let anchors = &*ANCHORS;
    let bytes = scan.bytes;
    steps::count(bytes.len());
    anchors
        .literals
        .visit(bytes, 0..bytes.len(), |literal, place| {
            steps::count(1);
            visit_one(scan, anchors.meanings[literal], place);
        });
}

fn visit_one(scan: &mut Scan, anchor: Anchor, place: Range<usize>) {
    match anchor {
        Anchor::Format(index) => vendors::find(scan, &formats()[index], place),
        Anchor::Structure(structure) => structures::find(scan, structure, place),
        Anchor::Name => assignments::find(scan, place),
        Anchor::Quoted => assignments::find_quoted(scan, place.end),
        Anchor::Piped => assignments::find_piped(scan, place.start),
        Anchor::Call(index) => assignments::find_in_call(scan, index, place),
        Anchor::Flag => assignments::find_flag(scan, place.end),
        Anchor::Value => assignments::find_value(scan, place.end),
        Anchor::Login => assignments::find_login(scan, place.end),
        Anchor::Rows => assignments::find_in_rows(scan, place),
        Anchor::Sent => assignments::find_sent(scan, place),
        Anchor::Setter => scan.setter_end = place.end,
        Anchor::Command(index) => assignments::find_in_command(scan, index, place),
    }
}

fn build() -> Anchors {
    let mut patterns: Vec<(String, Anchor)> = Vec::new();
    for (index, format) in formats().iter().enumerate() {
        patterns.extend(
            format
                .prefixes
                .iter()
                .map(|prefix| ((*prefix).to_owned(), Anchor::Format(index))),
        );
    }
    for (structure, literal, is_any_case) in structures::ANCHORS {
        let meaning = Anchor::Structure(structure);
        if is_any_case {
            patterns.extend(cases(literal).map(|literal| (literal, meaning)));
        } else {
            patterns.push((literal.to_owned(), meaning));
        }
    }
    for stem in assignments::STEMS {
        patterns.extend(cases(stem).map(|stem| (stem, Anchor::Name)));
    }
    let mut fix = |literals: &[&str], anchor| {
        patterns.extend(
            literals
                .iter()
                .map(|literal| ((*literal).to_owned(), anchor)),
        );
    };
    fix(&assignments::BEFORE_QUOTES, Anchor::Quoted);
    fix(&assignments::AFTER_PIPES, Anchor::Piped);
    fix(&assignments::FLAGS, Anchor::Flag);
    fix(&assignments::BEFORE_VALUES, Anchor::Value);
    fix(&assignments::BEFORE_LOGINS, Anchor::Login);
    fix(&assignments::BEFORE_ROWS, Anchor::Rows);
    fix(&assignments::SENDERS, Anchor::Sent);
    fix(&assignments::SETTERS, Anchor::Setter);
    for (index, call) in lists().calls.iter().enumerate() {
        fix(&[call.name], Anchor::Call(index));
    }
    for (index, command) in lists().commands.iter().enumerate() {
        patterns.push((command.name.to_owned(), Anchor::Command(index)));
    }
    patterns.sort_by(|one, other| one.0.cmp(&other.0));
    patterns.dedup();
    Anchors {
        literals: Literals::new(patterns.iter().map(|(literal, _)| literal.as_str())),
        meanings: patterns.into_iter().map(|(_, meaning)| meaning).collect(),
    }
}

/// A literal in small letters, in capitals, and with a capital at the beginning.
fn cases(literal: &str) -> impl Iterator<Item = String> {
    let mut letters = literal.chars();
    let first = letters.next().map(char::to_uppercase).into_iter().flatten();
    let capitalised = first.chain(letters).collect();
    [literal.to_owned(), literal.to_uppercase(), capitalised].into_iter()
}
