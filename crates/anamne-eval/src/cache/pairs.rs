//! Labelled pairs of requests.

use std::fs;
use std::path::Path;

use serde::Deserialize;

use crate::failure::Failure;

/// Our own pairs; `fitting/cache_pairs.py` writes them.
const OWN: &str = include_str!("../../data/cache/pairs.jsonl");

/// Pairs of three authors who knew neither the word lists nor other pairs. The rules were completed on the first two; on
/// the third's nothing was chosen.
const SECOND_AUTHOR: &str = include_str!("../../data/cache/second_author.jsonl");
const THIRD_AUTHOR: &str = include_str!("../../data/cache/third_author.jsonl");
const FOURTH_AUTHOR: &str = include_str!("../../data/cache/fourth_author.jsonl");

/// A pair of requests.
#[derive(Clone, Debug, Deserialize)]
pub(crate) struct Pair {
    /// One request.
    pub(crate) a: String,
    /// The other.
    pub(crate) b: String,
    /// Whether the result of one may be served for the other.
    pub(crate) same: bool,
    /// How they differ.
    pub(crate) kind: String,
    /// The half of our own pairs: `tune` or `report`.
    #[serde(default)]
    part: String,
    /// Pairs of one template or database are not independent.
    #[serde(alias = "template", default)]
    pub(crate) group: String,
}

/// A set of pairs.
pub(crate) struct PairSet {
    /// Its name.
    pub(crate) name: String,
    /// The pairs.
    pub(crate) pairs: Vec<Pair>,
    /// Whether its pairs may be looked at.
    pub(crate) is_for_tuning: bool,
}

impl PairSet {
    /// Whether its kinds of pairs are reported, too.
    pub(crate) fn has_kinds(&self) -> bool {
        self.pairs.iter().any(|pair| !pair.part.is_empty())
    }
}

/// Our own pairs, as the half for tuning, which comes first, and the half for reporting, and those of other authors.
pub(crate) fn own() -> Result<Vec<PairSet>, Failure> {
    let authors = [
        ("own", OWN),
        ("second author", SECOND_AUTHOR),
        ("third author", THIRD_AUTHOR),
        ("fourth author", FOURTH_AUTHOR),
    ];
    let mut sets = Vec::new();
    for (author, lines) in authors {
        let all = parse(lines)?;
        for half in ["tune", "report"] {
            let of_half = all.iter().filter(|pair| pair.part == half);
            let pairs: Vec<Pair> = of_half.cloned().collect();
            if !pairs.is_empty() {
                sets.push(PairSet {
                    name: format!("{author}, {half}"),
                    pairs,
                    is_for_tuning: half == "tune",
                });
            }
        }
    }
    Ok(sets)
}

/// The pairs of a file.
pub(crate) fn of_file(path: &Path) -> Result<PairSet, Failure> {
    let name = path.file_stem().unwrap_or_default().to_string_lossy();
    Ok(PairSet {
        name: name.into_owned(),
        pairs: parse(&fs::read_to_string(path)?)?,
        is_for_tuning: false,
    })
}

fn parse(lines: &str) -> Result<Vec<Pair>, Failure> {
    let pairs = lines.lines().map(serde_json::from_str);
    Ok(pairs.collect::<Result<_, _>>()?)
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use super::own;

    #[test]
    fn the_halves_share_no_template_and_no_pair() {
        let halves = own().expect("readable");
        let groups = |half: usize| -> HashSet<_> {
            halves[half].pairs.iter().map(|pair| &pair.group).collect()
        };
        assert!(groups(0).is_disjoint(&groups(1)));
        let pairs: HashSet<_> = halves
            .iter()
            .flat_map(|half| &half.pairs)
            .map(|pair| (&pair.a, &pair.b))
            .collect();
        assert!(pairs.len() >= 600, "{}", pairs.len());
    }

    #[test]
    fn no_request_is_paired_with_itself() {
        for half in own().expect("readable") {
            for pair in half.pairs {
                assert_ne!(pair.a, pair.b);
            }
        }
    }
}
