//! The tail: changes after the watermark, as a small inverted index in memory.

use anamne_store::view::Change;
use anamne_text::analyser::Analyser;
use anamne_types::Seq;
use roaring::RoaringBitmap;
use rustc_hash::FxHashMap;

use super::engine::SEARCHED;
use super::score::{BestRows, Counts, LengthNorms, Weight, length_step, step_length};

/// An analysed change; analysis is the slow part of following, and is done before any lock is taken.
pub(super) struct AnalysedChange {
    seq: Seq,
    /// The row that changed.
    pub(super) row: u32,
    /// The terms of each field with their counts; `None` if the row was removed.
    terms: Option<[FxHashMap<String, u32>; SEARCHED]>,
}

impl AnalysedChange {
    /// Analyses the indexed fields of a change.
    pub(super) fn new(change: &Change, analyser: &mut Analyser) -> Self {
        let terms = change.record.as_ref().map(|record| {
            [&record.text, &record.author_name].map(|text| count_terms(text, analyser))
        });
        Self {
            seq: change.seq,
            row: change.row.0,
            terms,
        }
    }
}

fn count_terms(text: &str, analyser: &mut Analyser) -> FxHashMap<String, u32> {
    let mut counts = FxHashMap::default();
    analyser.document(text, &mut |term, _| match counts.get_mut(term) {
        Some(count) => *count += 1,
        None => drop(counts.insert(term.to_owned(), 1)),
    });
    counts
}

/// The postings of a term in one field; `slot` is an index into [`Tail::slots`].
#[derive(Default)]
struct TermPostings {
    /// Slots with the term's count, ascending; including dead slots.
    entries: Vec<(u32, u32)>,
    /// Number of live slots.
    live: u32,
}

/// The terms of one field.
#[derive(Default)]
struct FieldPostings {
    numbers: FxHashMap<Box<str>, u32>,
    postings: Vec<TermPostings>,
}

impl FieldPostings {
    /// Adds a term of a document; returns the term's number.
    fn add(&mut self, term: &str, slot: u32, count: u32) -> u32 {
        let number = self.numbers.get(term).copied().unwrap_or_else(|| {
            let number = self.postings.len() as u32;
            self.numbers.insert(term.into(), number);
            self.postings.push(TermPostings::default());
            number
        });
        let postings = &mut self.postings[number as usize];
        postings.entries.push((slot, count));
        postings.live += 1;
        number
    }

    fn get(&self, term: &str) -> Option<&TermPostings> {
        Some(&self.postings[*self.numbers.get(term)? as usize])
    }
}

/// One version of a row.
struct Slot {
    row: u32,
    live: bool,
    /// The quantised length of each field.
    steps: [u8; SEARCHED],
    /// Term numbers and their counts, by field.
    terms: [Vec<(u32, u32)>; SEARCHED],
}

impl Slot {
    fn counts(&self) -> Counts {
        Counts {
            documents: 1,
            terms: self.steps.map(step_length),
        }
    }
}

/// The rows changed after the watermark, with their terms.
#[derive(Default)]
pub(super) struct Tail {
    rows: FxHashMap<u32, (Seq, Option<u32>)>,
    slots: Vec<Slot>,
    fields: [FieldPostings; SEARCHED],
    /// Counts over the live slots.
    pub(super) counts: Counts,
}

impl Tail {
    /// Number of changed rows, including removed ones.
    pub(super) fn len(&self) -> usize {
        self.rows.len()
    }

    /// The changed rows, including removed ones, unordered.
    pub(super) fn rows(&self) -> impl Iterator<Item = u32> {
        self.rows.keys().copied()
    }

    /// Whether the row is live here; `None` if it did not change after the watermark.
    pub(super) fn holds(&self, row: u32) -> Option<bool> {
        self.rows.get(&row).map(|(_, slot)| slot.is_some())
    }

    /// Adds a change, which replaces the row's previous version. O(terms of both versions).
    pub(super) fn apply(&mut self, change: AnalysedChange) {
        let slot = change.terms.map(|terms| {
            let terms = terms.each_ref().map(|terms| {
                terms
                    .iter()
                    .map(|(term, count)| (&**term, *count))
                    .collect()
            });
            self.add(change.row, &terms)
        });
        if let Some((_, Some(old))) = self.rows.insert(change.row, (change.seq, slot)) {
            self.remove(old);
        }
    }

    fn add(&mut self, row: u32, terms: &[Vec<(&str, u32)>; SEARCHED]) -> u32 {
        let place = self.slots.len() as u32;
        let steps = terms.each_ref().map(|terms| {
            let length: u64 = terms.iter().map(|(_, count)| u64::from(*count)).sum();
            length_step(u32::try_from(length).unwrap_or(u32::MAX))
        });
        let terms = std::array::from_fn(|field| {
            let postings = &mut self.fields[field];
            terms[field]
                .iter()
                .map(|(term, count)| (postings.add(term, place, *count), *count))
                .collect()
        });
        let slot = Slot {
            row,
            live: true,
            steps,
            terms,
        };
        self.counts.add(&slot.counts());
        self.slots.push(slot);
        place
    }

    fn remove(&mut self, place: u32) {
        let slot = &mut self.slots[place as usize];
        slot.live = false;
        self.counts.remove(&slot.counts());
        for (postings, terms) in self.fields.iter_mut().zip(&slot.terms) {
            for (number, _) in terms {
                postings.postings[*number as usize].live -= 1;
            }
        }
    }

    /// Whether more than half of the entries are dead.
    pub(super) fn is_mostly_dead(&self) -> bool {
        self.slots.len() > 1_024 && self.counts.documents * 2 < self.slots.len() as u64
    }

    /// A tail with only the changes after `watermark`. O(terms kept).
    pub(super) fn after(&self, watermark: Seq) -> Self {
        let mut rows: Vec<_> = self
            .rows
            .iter()
            .filter(|(_, (seq, _))| *seq > watermark)
            .collect();
        rows.sort_unstable_by_key(|(_, (seq, _))| *seq);
        let names: [Vec<&str>; SEARCHED] = if rows.is_empty() {
            <_>::default()
        } else {
            self.names()
        };
        let mut tail = Self::default();
        for (row, (seq, slot)) in rows {
            let slot = slot.map(|place| {
                let slot = &self.slots[place as usize];
                let terms = std::array::from_fn(|field| {
                    slot.terms[field]
                        .iter()
                        .map(|(number, count)| (names[field][*number as usize], *count))
                        .collect()
                });
                tail.add(*row, &terms)
            });
            tail.rows.insert(*row, (*seq, slot));
        }
        tail
    }

    fn names(&self) -> [Vec<&str>; SEARCHED] {
        self.fields.each_ref().map(|field| {
            let mut names = vec![""; field.postings.len()];
            for (name, number) in &field.numbers {
                names[*number as usize] = name;
            }
            names
        })
    }

    /// Number of live rows that contain the term in the field.
    pub(super) fn holding(&self, field: usize, term: &str) -> u32 {
        self.fields[field]
            .get(term)
            .map_or(0, |postings| postings.live)
    }

    /// Scores every live row that contains a query term. O(postings of the terms + slots).
    pub(super) fn search<'a>(
        &self,
        terms: impl Iterator<Item = (usize, &'a str, Weight)>,
        norms: &[LengthNorms; SEARCHED],
        filter: Option<&RoaringBitmap>,
        best: &mut BestRows,
    ) {
        if self.counts.documents == 0 {
            return;
        }
        let mut sums = vec![0_u32; self.slots.len()];
        for (field, term, weight) in terms {
            let Some(postings) = self.fields[field].get(term) else {
                continue;
            };
            for &(slot, count) in &postings.entries {
                let step = self.slots[slot as usize].steps[field];
                sums[slot as usize] += norms[field].part(weight, count, step);
            }
        }
        for (slot, sum) in self.slots.iter().zip(sums) {
            if sum > 0 && slot.live && filter.is_none_or(|filter| filter.contains(slot.row)) {
                best.offer(sum, slot.row);
            }
        }
    }
}
