//! How often evidence and nothing but noise is injected at a threshold, with bootstrap intervals.

use std::collections::{BTreeMap, BTreeSet};

use super::outcome::{Group, Kind, Outcome};
use crate::chance::Chance;

/// Bootstrap samples per interval.
const SAMPLES: usize = 1_000;

/// A share with its 95 % interval.
#[derive(Clone, Copy, Debug)]
pub(super) struct Share {
    pub(super) value: f64,
    pub(super) low: f64,
    pub(super) high: f64,
}

/// Cases that belong together, such as one prompt asked to several stores: how many count, of how many.
type Cluster = (f64, f64);

/// The share of answerable questions that get at least one evidence record at a threshold.
pub(super) fn evidence(outcomes: &[&Outcome], threshold: f32) -> Share {
    let answerable = outcomes
        .iter()
        .filter(|outcome| outcome.kind == Kind::Answerable);
    let hit = |outcome: &Outcome| outcome.has_evidence && outcome.relevance >= threshold;
    let clusters: Vec<Cluster> = answerable
        .map(|outcome| (as_number(hit(outcome)), 1.0))
        .collect();
    interval(&[clusters])
}

/// The share of the prompts of some kinds that get anything at a threshold.
pub(super) fn injected(outcomes: &[&Outcome], kind: Kind, threshold: f32) -> Share {
    interval(&[clusters(outcomes, |of| of == kind, threshold)])
}

/// The share of prompts that get something although memory knows nothing of them: the mean of both groups.
pub(super) fn noise(outcomes: &[&Outcome], threshold: f32) -> Share {
    let of_group = |group| {
        clusters(
            outcomes,
            |kind: Kind| kind.group() == Some(group),
            threshold,
        )
    };
    interval(&Group::ALL.map(of_group))
}

/// The outcomes of each text: those that get anything, and all.
fn clusters(
    outcomes: &[&Outcome],
    is_meant: impl Fn(Kind) -> bool,
    threshold: f32,
) -> Vec<Cluster> {
    let mut clusters: BTreeMap<&str, Cluster> = BTreeMap::new();
    for outcome in outcomes.iter().filter(|outcome| is_meant(outcome.kind)) {
        let cluster = clusters.entry(&outcome.text).or_default();
        cluster.0 += as_number(outcome.relevance >= threshold);
        cluster.1 += 1.0;
    }
    clusters.into_values().collect()
}

fn as_number(counts: bool) -> f64 {
    f64::from(u8::from(counts))
}

/// The mean share of several groups of clusters, with the interval from resampled clusters. Empty groups don't count.
fn interval(groups: &[Vec<Cluster>]) -> Share {
    let groups: Vec<&Vec<Cluster>> = groups.iter().filter(|group| !group.is_empty()).collect();
    let mean = |pick: &mut dyn FnMut(&[Cluster], usize) -> usize| -> f64 {
        let shares = groups.iter().map(|group| {
            let (hits, all) = (0..group.len()).fold((0.0, 0.0), |(hits, all), at| {
                let cluster = group[pick(group, at)];
                (hits + cluster.0, all + cluster.1)
            });
            hits / all
        });
        shares.sum::<f64>() / groups.len() as f64
    };
    let value = mean(&mut |_, at| at);
    let mut chance = Chance::new(1);
    let mut samples: Vec<f64> = (0..SAMPLES)
        .map(|_| mean(&mut |group, _| chance.below(group.len())))
        .collect();
    samples.sort_by(f64::total_cmp);
    Share {
        value,
        low: samples[SAMPLES / 40],
        high: samples[SAMPLES - 1 - SAMPLES / 40],
    }
}

/// The lowest threshold at which at most the share `allowed` of the prompts that memory knows nothing of get anything:
/// each family of sets counts the same, and in each both groups. O(n log n).
pub(super) fn threshold(outcomes: &[&Outcome], allowed: f64) -> f32 {
    let families: BTreeSet<&str> = outcomes.iter().map(|outcome| outcome.family()).collect();
    let mut counts: BTreeMap<(&str, Group), f64> = BTreeMap::new();
    let judged = || {
        let outcomes = outcomes.iter();
        outcomes.filter_map(|outcome| Some((outcome, (outcome.family(), outcome.kind.group()?))))
    };
    for (_, key) in judged() {
        *counts.entry(key).or_default() += 1.0;
    }
    let mut weighed: Vec<(f32, f64)> = judged()
        .map(|(outcome, key)| {
            (
                outcome.relevance,
                0.5 / (families.len() as f64 * counts[&key]),
            )
        })
        .collect();
    weighed.sort_by(|one, other| other.0.total_cmp(&one.0));
    let mut sum = 0.0;
    for (relevance, weight) in weighed {
        sum += weight;
        if sum > allowed {
            return relevance.next_up();
        }
    }
    0.0
}
