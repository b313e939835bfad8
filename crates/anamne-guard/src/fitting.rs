//! What the trees that estimate secrets are fitted on. Only serves measurements.

use std::ops::Range;

use crate::secrets;

/// A value that could be a secret, in numbers.
#[derive(Clone, Debug, PartialEq)]
pub struct Candidate {
    /// Its place in the text, in bytes.
    pub span: Range<usize>,
    /// One number for each of [`inputs`].
    pub inputs: Vec<f32>,
}

/// The names of the inputs, in order.
pub fn inputs() -> Vec<String> {
    secrets::candidate_inputs()
}

/// The values of a text that could be a secret, near a word about passwords, codes, keys, accounts or locks. O(bytes).
pub fn candidates(text: &str) -> Vec<Candidate> {
    let all = secrets::candidates(text).into_iter();
    let candidate = |one: secrets::Candidate| Candidate {
        span: one.span,
        inputs: one.inputs.to_vec(),
    };
    all.map(candidate).collect()
}

/// The places of secrets that formats, structures and names find, without the trees. O(bytes).
pub fn found_without_trees(text: &str) -> Vec<Range<usize>> {
    let found = secrets::find_by_anchors(text).into_iter();
    found.map(|finding| finding.span).collect()
}
