//! Shares of hits, by kind and judge.

use std::collections::BTreeMap;
use std::fmt::Write;

use anamne_experience::same_request::{Verdict, same_request};
use serde::Serialize;
use serde_json::json;

use super::pairs::{Pair, PairSet};
use super::peers;
use crate::chance::Chance;
use crate::failure::Failure;
use crate::output;

/// Resamples of a bootstrap.
const RESAMPLES: usize = 1_000;

/// The highest accepted share of false hits.
const MOST_FALSE_HITS: f64 = 0.01;

/// Shares of hits with their 95 % intervals.
#[derive(Default)]
pub(crate) struct Report {
    rows: Vec<Row>,
}

#[derive(Serialize)]
struct Row {
    set: String,
    same: bool,
    /// Empty for all kinds.
    kind: String,
    pairs: usize,
    ours: Share,
    words: Share,
    cosine: Share,
}

/// A share with its interval: bootstrap over groups; with no hit, the upper end is that of the rule of three.
#[derive(Clone, Copy, Serialize)]
struct Share {
    value: f64,
    low: f64,
    high: f64,
}

/// A pair with what each judge says.
struct Judged<'a> {
    pair: &'a Pair,
    hits: [bool; 3],
}

impl Report {
    /// Judges the pairs of a set.
    pub(crate) fn add(&mut self, set: &PairSet, threshold: f32) -> Result<(), Failure> {
        let mut judged = Vec::new();
        for pair in &set.pairs {
            let hits = [
                same_request(&pair.a, &pair.b) == Verdict::Same,
                peers::has_equal_words(pair),
                peers::cosine(pair)? > threshold,
            ];
            judged.push(Judged { pair, hits });
        }
        for same in [true, false] {
            let of_label: Vec<_> = judged.iter().filter(|one| one.pair.same == same).collect();
            self.push(set, same, "", &of_label);
            let mut kinds: BTreeMap<&str, Vec<&Judged<'_>>> = BTreeMap::new();
            for one in of_label {
                kinds.entry(&one.pair.kind).or_default().push(one);
            }
            for (kind, of_kind) in kinds.iter().filter(|_| set.has_kinds()) {
                self.push(set, same, kind, of_kind);
            }
        }
        Ok(())
    }

    fn push(&mut self, set: &PairSet, same: bool, kind: &str, judged: &[&Judged<'_>]) {
        let share = |judge: usize| {
            let hits = judged
                .iter()
                .map(|one| (one.pair.group.as_str(), one.hits[judge]));
            Share::of(&hits.collect::<Vec<_>>())
        };
        self.rows.push(Row {
            set: set.name.clone(),
            same,
            kind: kind.to_owned(),
            pairs: judged.len(),
            ours: share(0),
            words: share(1),
            cosine: share(2),
        });
    }

    /// The sets with too many false hits.
    pub(crate) fn above_the_limit(&self) -> Vec<String> {
        let rows = self.rows.iter();
        rows.filter(|row| !row.same && row.kind.is_empty() && row.ours.value > MOST_FALSE_HITS)
            .map(|row| format!("{}: false hits", row.set))
            .collect()
    }

    /// All shares as JSON.
    pub(crate) fn json(&self) -> String {
        json!({ "rows": self.rows }).to_string()
    }

    /// All shares as a table in Markdown.
    pub(crate) fn tables(&self) -> String {
        let mut text = "| set | pairs | kind | count | hits | equal words | cosine |\n|---|---|---|---:|---:|---:|---:|\n"
            .to_owned();
        for row in &self.rows {
            let label = if row.same { "same" } else { "different" };
            let kind = if row.kind.is_empty() {
                "all"
            } else {
                &row.kind
            };
            let _ = writeln!(
                text,
                "| {} | {label} | {kind} | {} | {} | {} | {} |",
                row.set,
                row.pairs,
                row.ours.text(),
                row.words.text(),
                row.cosine.text()
            );
        }
        text
    }
}

impl Share {
    fn of(hits: &[(&str, bool)]) -> Self {
        let mut groups: BTreeMap<&str, (u32, u32)> = BTreeMap::new();
        for (group, is_hit) in hits {
            let counts = groups.entry(group).or_default();
            counts.0 += u32::from(*is_hit);
            counts.1 += 1;
        }
        let groups: Vec<_> = groups.into_values().collect();
        let share = |groups: &mut dyn Iterator<Item = (u32, u32)>| {
            let (hits, all) = groups.fold((0, 0), |sum, one| (sum.0 + one.0, sum.1 + one.1));
            f64::from(hits) / f64::from(all.max(1))
        };
        let mut chance = Chance::new(1);
        let mut resampled: Vec<f64> = (0..RESAMPLES)
            .map(|_| share(&mut groups.iter().map(|_| groups[chance.below(groups.len())])))
            .collect();
        resampled.sort_unstable_by(f64::total_cmp);
        let found = share(&mut groups.iter().copied());
        let high = if found == 0.0 {
            (3.0 / hits.len().max(1) as f64).min(1.0)
        } else {
            resampled[RESAMPLES * 39 / 40]
        };
        Self {
            value: found,
            low: resampled[RESAMPLES / 40],
            high,
        }
    }

    fn text(self) -> String {
        let percent = |share: f64| format!("{:.1}", share * 100.0);
        let (low, high) = (percent(self.low), percent(self.high));
        format!("{} % ({low}–{high})", percent(self.value))
    }
}

/// Lists wrongly judged pairs that may be looked at.
pub(crate) fn list_wrong(sets: &[PairSet]) {
    for pair in sets
        .iter()
        .filter(|set| set.is_for_tuning)
        .flat_map(|set| &set.pairs)
    {
        let verdict = same_request(&pair.a, &pair.b);
        if (verdict == Verdict::Same) != pair.same {
            output::print_error(&format!(
                "{}: {:?} / {:?}: {verdict:?}",
                pair.kind, pair.a, pair.b
            ));
        }
    }
}
