//! Whether the hits so far are good enough to stop.

use std::collections::BTreeSet;

use anamne_types::Row;

use super::probability::{TermProbability, probability_at_least};
use super::staged_search::StagedSearch;
use crate::views::best_first;
use crate::words::Reader;

/// The minimum share of the query's weight that a memory must contain to be accepted as the best match.
const MIN_WEIGHT_SHARE: f32 = 0.5;

/// The minimum share of the best match's weight that makes another memory a rival.
const RIVAL_SHARE: f32 = 0.8;

/// The maximum expected number of rivals in tiers that are left out.
const MAX_EXPECTED_RIVALS: f64 = 0.1;

/// How much more often words of one topic occur together than independent words.
const COOCCURRENCE: f64 = 4.0;

/// The first lexical and vector hits that are checked.
const CHECKED_HITS: [usize; 2] = [12, 6];

/// The best match so far, by the weight of the query words that it contains.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct BestMatch {
    pub(super) row: Option<Row>,
    /// The weight of the words that it contains.
    weight: f32,
    /// Its share of the total weight.
    share: f32,
    /// The number of rivals in other threads.
    rivals: usize,
}

impl StagedSearch<'_> {
    /// The best match among the first hits.
    pub(super) fn best_match(&self, reader: &mut Reader<'_>) -> BestMatch {
        let searched = &self.searched;
        let first = searched.lexical.iter().take(CHECKED_HITS[0]);
        let rows: BTreeSet<Row> = first
            .chain(searched.vectors.iter().take(CHECKED_HITS[1]))
            .map(|found| found.row)
            .collect();
        let weighted: Vec<(f32, Row)> = rows
            .into_iter()
            .map(|row| {
                let contained = reader.read(row).frequencies.iter().zip(&self.terms);
                let contained = contained.filter(|(frequency, _)| **frequency > 0.0);
                (contained.map(|(_, (_, idf))| idf).sum(), row)
            })
            .collect();
        let best = weighted
            .iter()
            .copied()
            .min_by(|one, other| best_first(*one, *other));
        let Some((weight, row)) = best else {
            return BestMatch::default();
        };
        let all: f32 = self.terms.iter().map(|(_, idf)| idf).sum();
        let own = self.thread(row);
        let is_rival = |(other, row): &&(f32, Row)| {
            *other >= RIVAL_SHARE * weight && (own == 0 || self.thread(*row) != own)
        };
        // Without threads the best match counts itself.
        let rivals = weighted.iter().filter(is_rival).count() - usize::from(own == 0);
        BestMatch {
            row: Some(row),
            weight,
            share: if all > 0.0 { weight / all } else { 0.0 },
            rivals,
        }
    }

    fn thread(&self, row: Row) -> u32 {
        let mut columns = self.planner.columns.iter();
        let attributes = columns.find_map(|tier| tier.attributes(row));
        attributes.map_or(0, |attributes| attributes.thread)
    }

    /// How many memories of a tier are expected to contain this weight of the query.
    fn expected_rivals(&self, tier: usize, weight: f32) -> f64 {
        let rows = self.planner.columns[tier].rows() as f64;
        let probability = |&(term, idf): &(usize, f32)| TermProbability {
            weight: idf,
            share: (self.statistics.frequency(tier, term) / rows.max(1.0)).min(1.0),
        };
        let mut terms: Vec<TermProbability> = self.terms.iter().map(probability).collect();
        let bias = self.request.advice.tier_bias.get(tier).copied();
        rows * probability_at_least(weight, &mut terms)
            * COOCCURRENCE
            * f64::from(bias.unwrap_or(1.0))
    }

    fn has_enough_hits(&self) -> bool {
        let searched = &self.searched;
        let limit = self.request.recall.limit;
        searched.lexical.len() >= limit || searched.vectors.len() >= limit
    }

    /// Whether the best match contains enough of the query, and has no rival among the hits.
    pub(super) fn has_no_rival(&self, best: &BestMatch) -> bool {
        best.share >= MIN_WEIGHT_SHARE && best.rivals == 0 && self.has_enough_hits()
    }

    /// The tiers that must also be searched lexically: none if the best match is strong and no rival is expected.
    pub(super) fn promising_tiers(&self, best: &BestMatch) -> Vec<usize> {
        let mut left = self.pending_lexical();
        if !self.has_no_rival(best) {
            return left;
        }
        let weight = RIVAL_SHARE * best.weight;
        left.sort_by_cached_key(|tier| (self.expected_rivals(*tier, weight) * 1e9) as u64);
        let mut sum = 0.0;
        let unlikely = left.iter().take_while(|tier| {
            sum += self.expected_rivals(**tier, weight);
            sum <= MAX_EXPECTED_RIVALS
        });
        let unlikely = unlikely.count();
        let mut promising = left.split_off(unlikely);
        promising.sort_unstable();
        promising
    }

    /// Whether the best match contains so much of the query that chance is unlikely.
    pub(super) fn stands_out(&self, best: &BestMatch) -> bool {
        let expected_by_chance = || -> f64 {
            (0..self.possible.len())
                .filter(|tier| self.possible[*tier])
                .map(|tier| self.expected_rivals(tier, best.weight))
                .sum()
        };
        best.share >= MIN_WEIGHT_SHARE
            && self.has_enough_hits()
            && expected_by_chance() <= MAX_EXPECTED_RIVALS
    }
}
