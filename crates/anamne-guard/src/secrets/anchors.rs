//! One automaton over all literal texts at which secrets are looked for.

use std::sync::LazyLock;

use aho_corasick::{AhoCorasick, AhoCorasickKind, MatchKind};

use super::scan::Scan;
use super::structures::{self, Structure};
use super::vendors::formats;
use super::words::lists;
use super::{assignments, steps, vendors};

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
    /// Rows of a table follow.
    Rows,
    /// A script sends a text.
    Sent,
}

struct Anchors {
    automaton: AhoCorasick,
    meanings: Vec<Anchor>,
}

/// Visits every anchor of a text. O(bytes).
pub(super) fn visit(scan: &mut Scan) {
    static ANCHORS: LazyLock<Option<Anchors>> = LazyLock::new(build);
    let Some(anchors) = &*ANCHORS else {
        return;
    };
    steps::count(scan.bytes.len());
    for found in anchors.automaton.find_overlapping_iter(scan.bytes) {
        steps::count(1);
        match anchors.meanings[found.pattern().as_usize()] {
            Anchor::Format(index) => vendors::find(scan, &formats()[index], found.range()),
            Anchor::Structure(structure) => structures::find(scan, structure, found.range()),
            Anchor::Name => assignments::find(scan, found.range()),
            Anchor::Quoted => assignments::find_quoted(scan, found.end()),
            Anchor::Piped => assignments::find_piped(scan, found.start()),
            Anchor::Call(index) => assignments::find_in_call(scan, index, found.range()),
            Anchor::Rows => assignments::find_in_rows(scan, found.range()),
            Anchor::Sent => assignments::find_sent(scan, found.range()),
            Anchor::Command(index) => assignments::find_in_command(scan, index, found.range()),
        }
    }
}

fn build() -> Option<Anchors> {
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
    fix(&assignments::BEFORE_ROWS, Anchor::Rows);
    fix(&assignments::SENDERS, Anchor::Sent);
    for (index, call) in lists().calls.iter().enumerate() {
        fix(&[call.name], Anchor::Call(index));
    }
    for (index, command) in lists().commands.iter().enumerate() {
        patterns.push((command.name.to_owned(), Anchor::Command(index)));
    }
    patterns.sort_by(|one, other| one.0.cmp(&other.0));
    patterns.dedup();
    let automaton = AhoCorasick::builder()
        .match_kind(MatchKind::Standard)
        .kind(Some(AhoCorasickKind::DFA))
        .build(patterns.iter().map(|(literal, _)| literal))
        .ok()?;
    Some(Anchors {
        automaton,
        meanings: patterns.into_iter().map(|(_, meaning)| meaning).collect(),
    })
}

/// A literal in small letters, in capitals, and with a capital at the beginning.
fn cases(literal: &str) -> impl Iterator<Item = String> {
    let mut letters = literal.chars();
    let first = letters.next().map(char::to_uppercase).into_iter().flatten();
    let capitalised = first.chain(letters).collect();
    [literal.to_owned(), literal.to_uppercase(), capitalised].into_iter()
}
