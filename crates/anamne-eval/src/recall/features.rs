//! Training data for ranking weights: the features of each question's results, as JSON lines.

use std::fs::File;
use std::io::{BufWriter, Write};
use std::path::{Path, PathBuf};

use anamne::{Answer, Hit};
use serde_json::{Map, Value, json};

use crate::corpus::{Corpus, Query, Record};
use crate::failure::Failure;
use crate::writing::WrittenCorpus;

/// Results written per question.
pub(crate) const RESULTS: usize = 300;

/// A file with one line per question.
pub(crate) struct FeatureFile {
    path: PathBuf,
    writer: BufWriter<File>,
}

impl FeatureFile {
    /// Creates or truncates the file.
    pub(crate) fn create(path: &Path) -> Result<Self, Failure> {
        let file = File::create(path).map_err(|error| unwritten(path, &error))?;
        Ok(Self {
            path: path.to_owned(),
            writer: BufWriter::new(file),
        })
    }

    /// Writes one question with its results, best first, and the results of an answer of default length, on which
    /// confidence is fitted.
    pub(crate) fn write(
        &mut self,
        corpus: &Corpus,
        query: &Query,
        answer: &Answer,
        usual: &Answer,
        stored: &WrittenCorpus<'_>,
    ) -> Result<(), Failure> {
        let results = |answer: &Answer| -> Vec<Value> {
            let hits = answer.results.iter();
            hits.filter_map(|hit| Some(result(hit, stored.record(hit.memory.id)?, query)))
                .collect()
        };
        let line = json!({
            "set": corpus.set,
            "corpus": corpus.name,
            "query": query.text,
            "category": query.category,
            "answerable": query.is_answerable(),
            "evidence": query.evidence,
            "evidence_threads": query.evidence_threads,
            "asked_after": query.asked_after,
            "answered": usual.answered,
            "results": results(answer),
            "usual": results(usual),
        });
        writeln!(self.writer, "{line}")
            .and_then(|()| self.writer.flush())
            .map_err(|error| unwritten(&self.path, &error))
    }
}

fn result(hit: &Hit, record: &Record, query: &Query) -> Value {
    let features: Map<String, Value> = hit
        .explanation
        .features
        .iter()
        .map(|(name, value, _)| (name.to_string(), json!(value)))
        .collect();
    let judged_by: Map<String, Value> = hit
        .explanation
        .judged_by
        .iter()
        .map(|(name, value)| (name.to_string(), json!(value)))
        .collect();
    json!({
        "id": record.id,
        "thread": record.thread,
        "author": record.author,
        "score": hit.score,
        "confidence": hit.confidence,
        "found_by": hit.explanation.found_by,
        "judged_by": judged_by,
        "features": features,
        "path": hit.path.iter().map(|step| &step.by).collect::<Vec<_>>(),
        "relevant": query.is_supported_by(record),
    })
}

fn unwritten(path: &Path, error: &std::io::Error) -> Failure {
    format!("can't write {}: {error}", path.display()).into()
}
