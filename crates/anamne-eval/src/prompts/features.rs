//! Training data for the gate: the inputs of each prompt's relevance, as JSON lines.

use std::borrow::Cow;
use std::fs::File;
use std::io::{BufWriter, Write};
use std::path::{Path, PathBuf};

use serde_json::{Map, Value, json};

use super::outcome::Outcome;
use crate::failure::Failure;

/// A file with one line per prompt.
pub(super) struct FeatureFile {
    path: PathBuf,
    writer: BufWriter<File>,
}

impl FeatureFile {
    /// Creates or truncates the file.
    pub(super) fn create(path: &Path) -> Result<Self, Failure> {
        let file = File::create(path).map_err(|error| unwritten(path, &error))?;
        Ok(Self {
            path: path.to_owned(),
            writer: BufWriter::new(file),
        })
    }

    /// Writes one prompt, asked to the conversation `corpus` and about the conversation `from`.
    pub(super) fn write(
        &mut self,
        corpus: &str,
        from: &str,
        outcome: &Outcome,
        inputs: &[(Cow<'static, str>, f32)],
    ) -> Result<(), Failure> {
        let inputs: Map<String, Value> = inputs
            .iter()
            .map(|(name, value)| (name.to_string(), json!(value)))
            .collect();
        let line = json!({
            "set": outcome.set,
            "corpus": corpus,
            "from": from,
            "kind": outcome.kind.name(),
            "text": outcome.text,
            "relevance": outcome.relevance,
            "evidence": outcome.has_evidence,
            "inputs": inputs,
        });
        writeln!(self.writer, "{line}")
            .and_then(|()| self.writer.flush())
            .map_err(|error| unwritten(&self.path, &error))
    }
}

fn unwritten(path: &Path, error: &std::io::Error) -> Failure {
    format!("can't write {}: {error}", path.display()).into()
}
