//! Further places of the values that were found: a password that a text names once is used elsewhere without its name.

use aho_corasick::{AhoCorasick, MatchKind};

use super::context::ACCESS_CODE;
use super::scan::{Basis, Scan};
use super::steps;
use crate::names::is_whole;

/// The lengths of values that are looked for, in bytes. Shorter ones may be words.
const LEAST: usize = 8;
const MOST: usize = 320;

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
    let automaton = AhoCorasick::builder()
        .match_kind(MatchKind::LeftmostLongest)
        .build(values.iter().map(|(value, _)| value));
    let Ok(automaton) = automaton else {
        return;
    };
    steps::count(scan.text.len());
    let known = scan.found_places();
    for place in automaton.find_iter(scan.text) {
        let (span, (_, kind)) = (place.range(), values[place.pattern().as_usize()]);
        if !known.overlap(&span) && is_whole(scan.text, &span) {
            scan.add(Basis::Repeat, kind, span);
        }
    }
}
