//! Passwords and codes that nothing marks but their look and the words around them: `the gate opens with 4711#`.
//!
//! Each word that could be a secret, near a word about passwords, codes, keys, accounts or locks, gets some numbers about
//! its look and its place. Boosted trees estimate from them whether it is one. They were fitted by
//! `crates/anamne-eval/fitting/guard_secrets.py` on labelled texts and on real files and chats.

mod codes;
mod inputs;
mod tokens;
mod words;

use std::ops::Range;
use std::sync::LazyLock;

use anamne_forest::{Floor, Forest};

use super::assignments::{PASSWORD, TOKEN, is_choice};
use super::letters::are_joined_words;
use super::placeholders::is_placeholder;
use super::scan::{Basis, Scan};
use super::steps;
use super::stock::is_stock;
use crate::DataKind;
use inputs::{INPUTS, Near, Surroundings};

pub(crate) use inputs::names;

/// A PIN, the code of a door or a safe, a code for recovery or activation.
pub(crate) const ACCESS_CODE: DataKind = DataKind::secret("access-code");

/// The log odds from which on a value is a secret, four to one; chosen on texts whose authors the trees were fitted without.
const LEAST: f32 = 1.386;

/// The length of a part of a text that is read at once, in bytes.
const PIECE: usize = 4_096;

/// How many values of a piece are estimated. Ordinary texts have a few.
const MOST: usize = 96;

/// Values that are estimated together.
const LANES: usize = 4;

/// Where estimates are given up. No secret that the trees find in texts of authors whom they were fitted without had less
/// than -1.7 here, and 93 of 100 values of real files have.
const FLOOR: Floor = Floor {
    trees: 16,
    sum: -2.0,
};

static FITTED: LazyLock<Forest> = LazyLock::new(|| {
    Forest::parse(include_str!("../../../data/context_trees.txt"), &names())
        .expect("the fitted trees are well-formed")
});

/// A value that could be a secret.
pub(crate) struct Candidate {
    /// Its place.
    pub(crate) span: Range<usize>,
    /// Its inputs.
    pub(crate) inputs: [f32; INPUTS],
    /// Whether its name says that it is the code of a lock or a card.
    is_named_code: bool,
    near: Near,
}

/// Adds what looks like a secret where others found nothing. O(bytes + findings · log findings).
pub(super) fn find(scan: &mut Scan) {
    let found = scan.found_places();
    for piece in pieces(scan.text) {
        let candidates = candidates_of(scan.text, piece, |span| !found.overlap(span));
        for some in candidates.chunks(LANES) {
            for (candidate, odds) in some.iter().zip(estimates(some)) {
                if odds >= LEAST || candidate.is_named_code {
                    let kind = kind_of(candidate, scan.slice(&candidate.span));
                    scan.add(Basis::Context, kind, candidate.span.clone());
                }
            }
        }
    }
}

/// The log odds of at most [`LANES`] values.
fn estimates(some: &[Candidate]) -> [f32; LANES] {
    let mut columns = [[0.0; LANES]; INPUTS];
    // What is left over repeats the last one.
    let repeated = some.iter().chain(std::iter::repeat_n(
        &some[some.len() - 1],
        LANES - some.len(),
    ));
    for (lane, candidate) in repeated.enumerate() {
        for (column, input) in columns.iter_mut().zip(candidate.inputs) {
            column[lane] = input;
        }
    }
    FITTED.sums_from(&columns, FLOOR)
}

/// What kind of secret a value is, by the nearest word.
fn kind_of(candidate: &Candidate, value: &str) -> DataKind {
    match candidate.near.nearest() {
        _ if candidate.is_named_code || value.bytes().all(|byte| byte.is_ascii_digit()) => {
            ACCESS_CODE
        }
        1 => ACCESS_CODE,
        2 if value.len() >= 16 => TOKEN,
        _ => PASSWORD,
    }
}

/// All values of a text that could be a secret.
pub(crate) fn candidates(text: &str) -> Vec<Candidate> {
    pieces(text)
        .flat_map(|piece| candidates_of(text, piece, |_| true))
        .collect()
}

/// The values of a piece that could be a secret and are wanted.
fn candidates_of(
    text: &str,
    place: Range<usize>,
    is_wanted: impl Fn(&Range<usize>) -> bool,
) -> Vec<Candidate> {
    let piece = &text[place.clone()];
    steps::count(piece.len());
    let mut surroundings = Surroundings::of(piece);
    let mut found = Vec::new();
    for token in 0..surroundings.tokens.all.len() {
        if !surroundings.tokens.all[token].may_be_secret {
            continue;
        }
        let inner = surroundings.tokens.all[token].span.clone();
        let span = place.start + inner.start..place.start + inner.end;
        if !is_wanted(&span) {
            continue;
        }
        let near = surroundings.near(token);
        if !near.names_a_secret() {
            continue;
        }
        let value = &piece[inner];
        steps::count(value.len());
        if is_placeholder(value) || is_stock(value) || is_choice(value) || are_joined_words(value) {
            continue;
        }
        if surroundings.is_label(token) {
            continue;
        }
        found.push(Candidate {
            span,
            inputs: surroundings.inputs(token, &near),
            is_named_code: codes::is_code(value) && surroundings.is_named_code(token),
            near,
        });
        if found.len() == MOST {
            break;
        }
    }
    found
}

/// The pieces of a text: of at most [`PIECE`] bytes, ending with a line or a word where they can.
fn pieces(text: &str) -> impl Iterator<Item = Range<usize>> {
    let mut start = 0;
    std::iter::from_fn(move || {
        let mut end = text.len().min(start + PIECE);
        if end < text.len() {
            while !text.is_char_boundary(end) {
                end -= 1;
            }
            let piece = &text.as_bytes()[start..end];
            let last = |byte: u8| piece.iter().rposition(|one| *one == byte);
            let length = last(b'\n')
                .or_else(|| last(b' '))
                .map_or(end - start, |at| at + 1);
            end = start + length;
        }
        let piece = start..end;
        start = end;
        (!piece.is_empty()).then_some(piece)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pieces_make_up_the_text() {
        for text in [
            "",
            "a",
            &"wort ".repeat(3_000),
            &"ä".repeat(5_000),
            &"line\n".repeat(2_000),
        ] {
            let mut end = 0;
            for piece in pieces(text) {
                assert_eq!(piece.start, end);
                assert!(piece.len() <= PIECE && text.is_char_boundary(piece.end));
                end = piece.end;
            }
            assert_eq!(end, text.len());
        }
    }

    #[test]
    fn there_is_a_name_for_each_input() {
        assert_eq!(names().len(), INPUTS);
    }
}
