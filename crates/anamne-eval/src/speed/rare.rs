//! Whether a word that occurs in one, two or three memories ranks them first, asked alone and among ordinary words.

use std::collections::BTreeSet;

use anamne::{MemoryId, Recall, Space};

use super::figures::{Figure, Section, Unit};
use super::site::{RESULTS, Site};
use crate::chance::Chance;
use crate::failure::Failure;

/// Memories with each rare word: 1, 2, 3, 1, and so on, up to this number.
const MOST_HOLDERS: u64 = 3;

/// Number of ordinary words around the rare one in a question.
const ORDINARY_WORDS: usize = 6;

const SYLLABLES: [&str; 16] = [
    "vor", "zel", "tak", "num", "qui", "rax", "pol", "fen", "dju", "mab", "sil", "gro", "wex",
    "hy", "cto", "bli",
];

/// Writes records with rare words, and asks for each word.
pub(crate) fn measure(site: &Site, words: u64) -> Result<Section, Failure> {
    let space = site.open()?;
    let mut rare = Vec::new();
    let mut number = site.records * 3;
    for count in 0..words {
        let word = rare_word(count);
        let mut holders = BTreeSet::new();
        for _ in 0..=count % MOST_HOLDERS {
            number += 1;
            holders.insert(write(&space, site, number, &word)?);
        }
        rare.push((word, holders));
    }
    let mut alone = Score::default();
    let mut among = Score::default();
    for (count, (word, holders)) in (0..).zip(&rare) {
        alone.add(&space, word, holders)?;
        let mut chance = Chance::new(count);
        let ordinary = (0..ORDINARY_WORDS).map(|_| site.generator.ordinary_word(&mut chance));
        let mut question: Vec<&str> = ordinary.collect();
        question.insert(chance.below(ORDINARY_WORDS + 1), word);
        among.add(&space, &question.join(" "), holders)?;
    }
    let figure = |key: &str, label: &str, score: &Score, share: u32| {
        let value = f64::from(share) / f64::from(score.asked.max(1)) * 100.0;
        Figure::new(key, label, value, Unit::Percent)
    };
    let figures = vec![
        figure(
            "alone_first",
            "alone: its memories come first",
            &alone,
            alone.first,
        ),
        figure(
            "alone_in_ten",
            "alone: all in the ten",
            &alone,
            alone.in_ten,
        ),
        figure(
            "among_first",
            "among six ordinary words: first",
            &among,
            among.first,
        ),
        figure(
            "among_in_ten",
            "among six ordinary words: all in the ten",
            &among,
            among.in_ten,
        ),
    ];
    Ok(Section::new("rare", figures))
}

/// How often the memories with a word ranked first, and were all among the results.
#[derive(Default)]
struct Score {
    asked: u32,
    first: u32,
    in_ten: u32,
}

impl Score {
    fn add(
        &mut self,
        space: &Space,
        query: &str,
        holders: &BTreeSet<MemoryId>,
    ) -> Result<(), Failure> {
        let answer = space.recall(&Recall::new(query).limit(RESULTS))?;
        let found = answer.results.iter().map(|hit| hit.memory.id);
        let first: BTreeSet<MemoryId> = found.clone().take(holders.len()).collect();
        let found: BTreeSet<MemoryId> = found.collect();
        self.asked += 1;
        self.first += u32::from(first == *holders);
        self.in_ten += u32::from(found.is_superset(holders));
        Ok(())
    }
}

/// Writes a record with the word at a random position.
fn write(space: &Space, site: &Site, number: u64, word: &str) -> Result<MemoryId, Failure> {
    let mut record = site.generator.record(number);
    let mut words: Vec<&str> = record.text.split(' ').collect();
    words.insert(Chance::new(number).below(words.len()), word);
    record.text = words.join(" ");
    Ok(space.remember(record.draft())?.id)
}

/// A word that occurs in no generated record: letters only, letters and digits, or an identifier of several parts.
fn rare_word(number: u64) -> String {
    let mut chance = Chance::new(number);
    let mut syllable = || SYLLABLES[chance.below(SYLLABLES.len())];
    let word = [syllable(), syllable(), syllable(), syllable()].concat();
    match number / MOST_HOLDERS % 3 {
        0 => word + SYLLABLES[(number / 16) as usize % 16] + SYLLABLES[(number % 16) as usize],
        1 => format!("{word}{number}"),
        _ => format!("{word}_{}", 1_000 + number),
    }
}
