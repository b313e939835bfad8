//! Secrets: keys and tokens by their vendors' formats, by their structure, and by names that say so.
//!
//! One automaton finds all anchors; each is then verified by a scan with a constant bound, so that the whole is linear. What has
//! no anchor is estimated from its look and the words around it.

mod alphabet;
mod anchors;
mod assignments;
mod codes;
mod context;
mod letters;
mod placeholders;
mod published;
mod repeats;
mod scan;
mod shape;
mod steps;
mod stock;
mod structures;
mod vendors;
mod words;

#[cfg(test)]
mod tests;

use crate::{DataKind, Finding};

pub(crate) use context::{ACCESS_CODE, Candidate, candidates, names as candidate_inputs};
pub(crate) use published::is_published_example;

/// The kinds of secrets, sorted.
pub(crate) fn kinds() -> Vec<DataKind> {
    let mut kinds: Vec<_> = vendors::formats()
        .iter()
        .map(|format| format.kind)
        .collect();
    kinds.extend(words::lists().named_kinds.iter().map(|(kind, _)| *kind));
    kinds.push(vendors::AWS_SECRET);
    kinds.extend(structures::KINDS);
    kinds.extend(assignments::KINDS);
    kinds.push(context::ACCESS_CODE);
    kinds.sort_unstable();
    kinds.dedup();
    kinds
}

/// Finds secrets. O(bytes).
pub(crate) fn find(text: &str, found: &mut Vec<Finding>) {
    let mut scan = scan::Scan::new(text);
    anchors::visit(&mut scan);
    context::find(&mut scan);
    repeats::find(&mut scan);
    found.extend(scan.finish());
}

/// Finds secrets that need no estimate. O(bytes).
pub(crate) fn find_by_anchors(text: &str) -> Vec<Finding> {
    let mut scan = scan::Scan::new(text);
    anchors::visit(&mut scan);
    scan.finish()
}
