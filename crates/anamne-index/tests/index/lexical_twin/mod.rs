//! An in-memory log, and a plain BM25 over it.

// Each test binary uses a part of this, and none has a public API.
use std::collections::{BTreeMap, BTreeSet};

use anamne_index::lexical::LexicalView;
use anamne_store::view::{Change, ChangeFeed, Fold, Record, View, ViewError};
use anamne_text::analyser::{Analyser, QueryTerms};
use anamne_types::{Row, Seq};

/// The last version of every row, as in the source.
#[derive(Default)]
pub(crate) struct Log {
    pub(crate) rows: BTreeMap<u32, (u64, Option<Record>)>,
    pub(crate) head: u64,
}

impl Log {
    pub(crate) fn write(&mut self, row: u32, text: &str, author: &str) {
        let record = Record {
            text: text.into(),
            author_name: author.into(),
            ..Record::default()
        };
        self.put(row, Some(record));
    }

    pub(crate) fn forget(&mut self, row: u32) {
        self.put(row, None);
    }

    /// Appends an event that changes no row.
    pub(crate) fn pass(&mut self) {
        self.head += 1;
    }

    fn put(&mut self, row: u32, record: Option<Record>) {
        self.head += 1;
        self.rows.insert(row, (self.head, record));
    }

    /// Catches up as a process does before a query.
    pub(crate) fn catch_up(&self, view: &LexicalView) {
        view.refresh();
        let changes = self
            .since(view.position(), usize::MAX)
            .expect("a log in memory");
        view.follow(&changes, Seq(self.head));
    }

    pub(crate) fn fold(&self, view: &LexicalView) -> Fold {
        view.fold(self, &mut |_| ()).expect("folds")
    }
}

impl ChangeFeed for Log {
    fn head(&self) -> Result<Seq, ViewError> {
        Ok(Seq(self.head))
    }

    fn since(&self, after: Seq, limit: usize) -> Result<Vec<Change>, ViewError> {
        let mut changes: Vec<_> = self
            .rows
            .iter()
            .filter(|(_, (seq, _))| *seq > after.0)
            .collect();
        changes.sort_by_key(|(_, (seq, _))| *seq);
        let change = |(row, (seq, record)): (&u32, &(u64, Option<Record>))| Change {
            seq: Seq(*seq),
            row: Row(*row),
            record: record.clone(),
        };
        Ok(changes.into_iter().take(limit).map(change).collect())
    }
}

pub(crate) fn query(text: &str) -> QueryTerms {
    Analyser::new().query(text)
}

/// Textbook BM25, for texts of at most 40 terms.
pub(crate) struct PlainBm25 {
    /// The live rows with their terms, by field.
    fields: [Vec<(u32, Vec<String>)>; 2],
}

impl PlainBm25 {
    pub(crate) fn new(log: &Log) -> Self {
        let mut analyser = Analyser::new();
        let mut fields = [Vec::new(), Vec::new()];
        for (row, (_, record)) in &log.rows {
            let Some(record) = record else { continue };
            for (field, text) in fields.iter_mut().zip([&record.text, &record.author_name]) {
                let mut terms = Vec::new();
                analyser.document(text, &mut |term, _| terms.push(term.to_owned()));
                assert!(terms.len() <= 40, "lengths up to 40 are kept exactly");
                field.push((*row, terms));
            }
        }
        Self { fields }
    }

    /// The rows that contain a query term, best first.
    fn scores(&self, query: &QueryTerms) -> Vec<(u32, f32)> {
        let mut scores = BTreeMap::<u32, f64>::new();
        for field in &self.fields {
            let average = field.iter().map(|(_, terms)| terms.len()).sum::<usize>() as f64
                / field.len() as f64;
            for term in &query.terms {
                let count = |terms: &[String]| {
                    terms.iter().filter(|other| **other == term.text).count() as f64
                };
                let counts = field
                    .iter()
                    .map(|(row, terms)| (row, terms.len() as f64, count(terms)));
                let holding: Vec<_> = counts.filter(|(_, _, count)| *count > 0.0).collect();
                let rarity = (field.len() as f64 - holding.len() as f64 + 0.5)
                    / (holding.len() as f64 + 0.5);
                let weight = f64::from(term.occurrences) * rarity.ln_1p();
                for (row, length, count) in holding {
                    let part = count * 2.2 / (count + 1.2 * (0.25 + 0.75 * length / average));
                    *scores.entry(*row).or_default() += weight * part;
                }
            }
        }
        let mut scores: Vec<_> = scores
            .into_iter()
            .map(|(row, score)| (row, score as f32))
            .collect();
        scores.sort_by(|left, right| right.1.total_cmp(&left.1).then(left.0.cmp(&right.0)));
        scores
    }

    /// Asserts that the view returns the same rows. Rows whose scores differ by at most the relative `tolerance` may be
    /// swapped.
    pub(crate) fn assert_answers(
        &self,
        view: &LexicalView,
        text: &str,
        limits: &[usize],
        filter: Option<&BTreeSet<u32>>,
        tolerance: f32,
    ) {
        let query = query(text);
        let bitmap = filter.map(|rows| rows.iter().copied().collect());
        let mut plain = self.scores(&query);
        plain.retain(|(row, _)| filter.is_none_or(|rows| rows.contains(row)));
        let own: BTreeMap<u32, f32> = plain.iter().copied().collect();
        for limit in limits {
            let hits = view
                .search(&query, *limit, bitmap.as_ref())
                .expect("searches");
            assert_eq!(hits.len(), plain.len().min(*limit), "{text}");
            for (hit, (row, score)) in hits.iter().zip(&plain) {
                let own = own
                    .get(&hit.row.0)
                    .unwrap_or_else(|| panic!("{text}: row {} can't be found", hit.row.0));
                let near = |score: f32| (hit.score - score).abs() <= tolerance * score;
                assert!(
                    near(*own),
                    "{text}: row {} scores {} not {own}",
                    hit.row.0,
                    hit.score
                );
                assert!(
                    near(*score),
                    "{text}: {} where row {row} with {score} belongs",
                    hit.score
                );
            }
        }
    }
}
