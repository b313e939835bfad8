//! Asks every question.

use std::fmt::Write;

use anamne::{Answer, Clarification, Recall};

use super::questions::{Asked, Half, Question};
use crate::corpus::Corpus;
use crate::failure::Failure;
use crate::writing::WrittenCorpus;

/// Results shown of each question that was judged wrong.
const SHOWN: usize = 5;

/// What recall said to one question.
pub(super) struct Outcome {
    pub(super) corpus: String,
    pub(super) question: Question,
    /// The readings that it named, each with the records of its results.
    pub(super) said: Option<Vec<Vec<String>>>,
    /// How it was worded, for the development half.
    pub(super) wording: String,
}

impl Outcome {
    /// Whether it was called ambiguous.
    pub(super) fn is_called(&self) -> bool {
        self.said.is_some()
    }

    /// Whether two of the named readings are about two of the meant ones, and about nothing of the other.
    pub(super) fn has_meant_readings(&self) -> bool {
        let Some(said) = &self.said else {
            return false;
        };
        let meant = &self.question.readings;
        let about = |reading: &[String]| {
            let mut about = meant
                .iter()
                .enumerate()
                .filter(|(_, records)| records.iter().any(|id| reading.contains(id)));
            match (about.next(), about.next()) {
                (Some((place, _)), None) => Some(place),
                _ => None,
            }
        };
        let mut places: Vec<usize> = said.iter().filter_map(|reading| about(reading)).collect();
        places.sort_unstable();
        places.dedup();
        places.len() > 1
    }
}

/// Writes a corpus, reads what it knows, and asks its questions.
pub(super) fn measure(asked: &Asked) -> Result<Vec<Outcome>, Failure> {
    let mut stored = WrittenCorpus::empty_for(&asked.corpus)?;
    stored.write_until(asked.corpus.records.len())?;
    stored.space.extract(&mut |_| true)?;
    let outcome = |question: &Question| {
        let answer = stored.space.recall(&Recall::new(&question.text))?;
        let said = answer.needs_clarification.as_ref();
        let wording = match question.half {
            Half::Development => worded(said, &answer, &stored),
            Half::HeldOut => String::new(),
        };
        let records = |clarification: &Clarification| {
            let readings = clarification.readings.iter();
            let records = readings.map(|reading| {
                let results = answer.results.iter();
                let of_reading =
                    results.filter(|hit| reading.results.contains(&hit.memory.citation()));
                let records = of_reading.filter_map(|hit| stored.record(hit.memory.id));
                records.map(|record| record.id.clone()).collect()
            });
            records.collect()
        };
        Ok(Outcome {
            corpus: asked.corpus.name.clone(),
            question: question.clone(),
            said: said.map(records),
            wording,
        })
    };
    asked.questions.iter().map(outcome).collect()
}

/// How many of a conversation's questions are called ambiguous, asked at its end.
pub(super) fn called(corpus: &Corpus) -> Result<usize, Failure> {
    let mut stored = WrittenCorpus::empty_for(corpus)?;
    stored.write_until(corpus.records.len())?;
    stored.space.extract(&mut |_| true)?;
    let mut called = 0;
    for query in &corpus.queries {
        let answer = stored.space.recall(&Recall::new(&query.text))?;
        called += usize::from(answer.needs_clarification.is_some());
    }
    Ok(called)
}

/// The readings, and the first results with their confidence and the words of the question that they have.
fn worded(said: Option<&Clarification>, answer: &Answer, stored: &WrittenCorpus<'_>) -> String {
    let mut wording = match said {
        None => "one reading".to_owned(),
        Some(said) => {
            let readings = said.readings.iter();
            let names: Vec<&str> = readings.map(|reading| reading.name.as_str()).collect();
            format!("{}: {}", said.words, names.join(" | "))
        }
    };
    for hit in answer.results.iter().take(SHOWN) {
        let record = stored.record(hit.memory.id);
        let id = record.map_or("?", |record| record.id.as_str());
        let matched = hit.explanation.matched.join(" ");
        let _ = write!(wording, "; {id} {:.2} [{matched}]", hit.confidence);
    }
    wording
}
