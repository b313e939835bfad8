//! Whether what the stages of a search found so far is enough.

use std::collections::BTreeSet;

use anamne_types::Row;

use super::odds::{Chance, at_least};
use super::stages::Stages;
use crate::views::best_first;
use crate::words::Reader;

/// The share of the question's weight that a memory must hold to be taken for the one that was meant.
const SHARE: f32 = 0.5;

/// How much less than the best one another memory may hold and still be its rival.
const RIVAL: f32 = 0.8;

/// How many rivals may be expected in what is left out.
const EXPECTED_RIVALS: f64 = 0.1;

/// Words of one topic stand together more often than chance has it: so many times.
const TOGETHER: f64 = 4.0;

/// The first rows of each search that are judged.
const JUDGED: [usize; 2] = [12, 6];

/// The best that was found so far, by the words of the question that it holds.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Best {
    pub(super) row: Option<Row>,
    /// What the words that it holds weigh.
    weight: f32,
    /// That over the weight of all.
    share: f32,
    /// Others of other threads that hold nearly as much.
    rivals: usize,
}

impl Stages<'_> {
    /// What the question's words say of the first rows that were found.
    pub(super) fn best(&self, reader: &mut Reader<'_>) -> Best {
        let searched = &self.searched;
        let first = searched.lexical.iter().take(JUDGED[0]);
        let rows: BTreeSet<Row> = first
            .chain(searched.vectors.iter().take(JUDGED[1]))
            .map(|found| found.row)
            .collect();
        let weighed: Vec<(f32, Row)> = rows
            .into_iter()
            .map(|row| {
                let held = reader.read(row).frequencies.iter().zip(&self.terms);
                let held = held.filter(|(frequency, _)| **frequency > 0.0);
                (held.map(|(_, (_, idf))| idf).sum(), row)
            })
            .collect();
        let best = weighed
            .iter()
            .copied()
            .min_by(|one, other| best_first(*one, *other));
        let Some((weight, row)) = best else {
            return Best::default();
        };
        let all: f32 = self.terms.iter().map(|(_, idf)| idf).sum();
        let own = self.thread(row);
        let is_rival = |(other, row): &&(f32, Row)| {
            *other >= RIVAL * weight && (own == 0 || self.thread(*row) != own)
        };
        // Where there are no threads the best one itself is among them.
        let rivals = weighed.iter().filter(is_rival).count() - usize::from(own == 0);
        Best {
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

    /// How many memories of a tier can be expected to hold as much of the question's weight.
    fn expected(&self, tier: usize, weight: f32) -> f64 {
        let rows = self.planner.columns[tier].rows() as f64;
        let chance = |&(term, idf): &(usize, f32)| Chance {
            weight: idf,
            share: (self.statistics.frequency(tier, term) / rows.max(1.0)).min(1.0),
        };
        let mut chances: Vec<Chance> = self.terms.iter().map(chance).collect();
        let leaning = self.asking.advice.leanings.get(tier).copied();
        rows * at_least(weight, &mut chances) * TOGETHER * f64::from(leaning.unwrap_or(1.0))
    }

    fn is_full(&self) -> bool {
        let searched = &self.searched;
        let limit = self.asking.recall.limit;
        searched.lexical.len() >= limit || searched.vectors.len() >= limit
    }

    /// Whether the best found holds enough of the question, and nothing else that was found is its like.
    pub(super) fn is_alone(&self, best: &Best) -> bool {
        best.share >= SHARE && best.rivals == 0 && self.is_full()
    }

    /// The tiers that must be searched by words too: none where the best found is strong and has no like anywhere else.
    pub(super) fn promising(&self, best: &Best) -> Vec<usize> {
        let mut left = self.left();
        if !self.is_alone(best) {
            return left;
        }
        let weight = RIVAL * best.weight;
        left.sort_by_cached_key(|tier| (self.expected(*tier, weight) * 1e9) as u64);
        let mut sum = 0.0;
        let unlikely = left.iter().take_while(|tier| {
            sum += self.expected(**tier, weight);
            sum <= EXPECTED_RIVALS
        });
        let unlikely = unlikely.count();
        let mut promising = left.split_off(unlikely);
        promising.sort_unstable();
        promising
    }

    /// Whether the best found holds so much of the question that it is not by chance.
    pub(super) fn stands_out(&self, best: &Best) -> bool {
        let by_chance = || -> f64 {
            (0..self.possible.len())
                .filter(|tier| self.possible[*tier])
                .map(|tier| self.expected(tier, best.weight))
                .sum()
        };
        best.share >= SHARE && self.is_full() && by_chance() <= EXPECTED_RIVALS
    }
}
