//! What each strategy finds for each question, as JSON lines.

use std::collections::HashMap;
use std::fs::File;
use std::io::{BufRead, BufReader, BufWriter, Write};
use std::path::Path;
use std::time::Instant;

use anamne::{Memory, Recall};
use anamne_experience::strategies::{Shown, Situation, Strategy};
use anamne_text::tokens::estimate_tokens;
use serde::{Deserialize, Serialize};

use crate::corpus::{Corpus, Query};
use crate::failure::Failure;
use crate::writing::WrittenCorpus;

/// The most tokens of one result, as a door that shortens results shows it.
const MOST_TOKENS: usize = 120;

/// A memory that a strategy found.
#[derive(Clone, Copy, Debug, Deserialize, Serialize)]
pub(crate) struct Found {
    /// The number of the record in its conversation.
    pub(crate) record: u32,
    /// The number of the thread in its conversation.
    pub(crate) thread: u32,
    /// Whether it is evidence.
    pub(crate) evidence: bool,
    /// Its tokens, at most [`MOST_TOKENS`].
    pub(crate) tokens: u32,
}

/// One search with one strategy.
#[derive(Clone, Debug, Deserialize, Serialize)]
pub(crate) struct Search {
    /// Its candidates, best first.
    pub(crate) found: Vec<Found>,
    /// Milliseconds.
    pub(crate) milliseconds: f64,
}

/// A question with what each strategy finds.
#[derive(Clone, Debug, Default, Deserialize, Serialize)]
pub(crate) struct Question {
    pub(crate) set: String,
    pub(crate) corpus: String,
    pub(crate) category: String,
    /// Whether it has an answer with known evidence.
    pub(crate) counts: bool,
    /// The features before and after the first search.
    pub(crate) before: Vec<f32>,
    pub(crate) after: Vec<f32>,
    /// By the number of the strategy.
    pub(crate) searches: Vec<Search>,
}

/// Asks every question of a conversation with every strategy, at its time.
pub(crate) fn ask(corpus: &Corpus) -> Result<Vec<Question>, Failure> {
    let mut stored = WrittenCorpus::empty_for(corpus)?;
    let numbers = Numbers::of(corpus);
    let mut questions = Vec::new();
    for (end, query) in corpus.questions() {
        if stored.write_until(end)? {
            stored.space.extract(&mut |_| true)?;
        }
        questions.push(numbers.question(corpus, &stored, query)?);
    }
    Ok(questions)
}

/// The numbers of records and threads.
struct Numbers<'corpus> {
    records: HashMap<&'corpus str, u32>,
    threads: HashMap<&'corpus str, u32>,
}

impl<'corpus> Numbers<'corpus> {
    fn of(corpus: &'corpus Corpus) -> Self {
        let (mut records, mut threads) = (HashMap::new(), HashMap::new());
        for (number, record) in (0..).zip(&corpus.records) {
            records.insert(record.id.as_str(), number);
            let next = threads.len() as u32;
            threads.entry(record.thread.as_str()).or_insert(next);
        }
        Self { records, threads }
    }

    fn question(
        &self,
        corpus: &Corpus,
        stored: &WrittenCorpus<'_>,
        query: &Query,
    ) -> Result<Question, Failure> {
        let recall = Recall::new(&query.text);
        let before = Situation::of_query(&recall);
        let mut after = before;
        let mut searches = Vec::new();
        for strategy in Strategy::ALL {
            let started = Instant::now();
            let candidates = strategy.candidates(&recall, &Shown::default());
            let answer = stored.space.recall(&candidates)?;
            let milliseconds = started.elapsed().as_secs_f64() * 1000.0;
            if strategy == Strategy::DEFAULT {
                after = before.after(&answer);
            }
            searches.push(Search {
                found: answer
                    .results
                    .iter()
                    .filter_map(|hit| self.found(stored, query, &hit.memory))
                    .collect(),
                milliseconds,
            });
        }
        Ok(Question {
            set: corpus.set.clone(),
            corpus: corpus.name.clone(),
            category: query.category.clone(),
            counts: query.is_answerable() && query.has_evidence(),
            before: before.features(),
            after: after.features(),
            searches,
        })
    }

    fn found(&self, stored: &WrittenCorpus<'_>, query: &Query, memory: &Memory) -> Option<Found> {
        let record = stored.record(memory.id)?;
        let tokens = estimate_tokens(&record.text).min(MOST_TOKENS);
        Some(Found {
            record: *self.records.get(record.id.as_str())?,
            thread: *self.threads.get(record.thread.as_str())?,
            evidence: query.is_supported_by(record),
            tokens: tokens as u32,
        })
    }
}

/// Writes one line per question.
pub(crate) fn write(path: &Path, questions: &[Question]) -> Result<(), Failure> {
    let mut writer = BufWriter::new(File::create(path)?);
    for question in questions {
        serde_json::to_writer(&mut writer, question)?;
        writeln!(writer)?;
    }
    Ok(writer.flush()?)
}

/// Reads what [`write()`] wrote.
pub(crate) fn read(path: &Path) -> Result<Vec<Question>, Failure> {
    let lines = BufReader::new(File::open(path)?).lines();
    lines
        .map(|line| Ok(serde_json::from_str(&line?)?))
        .collect()
}
