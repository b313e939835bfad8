//! Further places of the values that were found: a password that a text names once is used elsewhere without its name.

use std::ops::Range;

use aho_corasick::{AhoCorasick, MatchKind};

use super::context::ACCESS_CODE;
use super::scan::{Basis, Scan};
use super::steps;
use crate::DataKind;
use crate::names::is_whole;

/// The lengths of values that are looked for, in bytes. Shorter ones may be words.
const LEAST: usize = 8;
const MOST: usize = 320;

/// How many values are searched for one by one. An automaton for all costs more than it saves.
const FEW: usize = 4;

/// How many values of a text are looked for.
const MOST_VALUES: usize = 256;

/// Adds the other places of values, where nothing was found. O(bytes).
pub(super) fn find(scan: &mut Scan) {
    let is_looked_for = |value: &str| (LEAST..=MOST).contains(&value.len());
    let mut values: Vec<_> = scan
        .found()
        .filter(|finding| finding.kind != ACCESS_CODE)
        .map(|finding| (scan.slice(&finding.span), finding.kind))
        .filter(|(value, _)| is_looked_for(value))
        .take(MOST_VALUES)
        .collect();
    if values.is_empty() {
        return;
    }
    values.sort_unstable();
    values.dedup_by(|next, last| next.0 == last.0);
    steps::count(scan.text.len());
    let known = scan.found_places();
    for (span, kind) in places(scan.text, &values) {
        if !known.overlap(&span) && is_whole(scan.text, &span) {
            scan.add(Basis::Repeat, kind, span);
        }
    }
}

/// The places of values in a text. O(bytes).
fn places(text: &str, values: &[(&str, DataKind)]) -> Vec<(Range<usize>, DataKind)> {
    if values.len() <= FEW {
        let of_one = |(value, kind): &(&str, DataKind)| {
            let (length, kind) = (value.len(), *kind);
            let all = text.match_indices(*value);
            all.map(move |(at, _)| (at..at + length, kind))
                .collect::<Vec<_>>()
        };
        return values.iter().flat_map(of_one).collect();
    }
    let automaton = AhoCorasick::builder()
        .match_kind(MatchKind::LeftmostLongest)
        .build(values.iter().map(|(value, _)| value));
    let all = automaton.iter().flat_map(|automaton| {
        let found = automaton.find_iter(text);
        found.map(|found| (found.range(), values[found.pattern().as_usize()].1))
    });
    all.collect()
}
