//! Further places of the values that were found: a password that a text names once is used elsewhere without its name.

use std::ops::Range;

use rustc_hash::FxHashMap;

use super::context::ACCESS_CODE;
use super::scan::{Basis, Scan};
use super::steps;
use crate::DataKind;
use crate::names::is_whole;

/// The lengths of values that are looked for, in bytes. Shorter ones may be words.
const LEAST: usize = 8;
const MOST: usize = 320;

/// How many values of a text are looked for.
const MOST_VALUES: usize = 256;

/// How many values with the same first [`LEAST`] bytes are compared.
const MOST_ALIKE: usize = 8;

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

/// The places of values in a text, of the longest where several begin. O(bytes).
fn places(text: &str, values: &[(&str, DataKind)]) -> Vec<(Range<usize>, DataKind)> {
    let mut alike: FxHashMap<u64, Vec<(&[u8], DataKind)>> = FxHashMap::default();
    for (value, kind) in values {
        let value = value.as_bytes();
        if let Some(beginning) = beginning(value) {
            let alike = alike.entry(beginning).or_default();
            if alike.len() < MOST_ALIKE {
                alike.push((value, *kind));
            }
        }
    }
    let (bytes, mut at) = (text.as_bytes(), 0);
    let mut found = Vec::new();
    while let Some(beginning) = beginning(&bytes[at..]) {
        let alike = alike.get(&beginning).into_iter().flatten();
        let here = alike.filter(|(value, _)| bytes[at..].starts_with(value));
        let longest = here.max_by_key(|(value, _)| value.len());
        let length = longest.map_or(1, |(value, _)| value.len());
        found.extend(longest.map(|(_, kind)| (at..at + length, *kind)));
        at += length;
    }
    found
}

/// The first bytes as a number.
fn beginning(bytes: &[u8]) -> Option<u64> {
    bytes
        .first_chunk::<LEAST>()
        .copied()
        .map(u64::from_le_bytes)
}
