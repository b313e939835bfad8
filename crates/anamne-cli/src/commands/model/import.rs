//! `anamne model import`.

use std::path::PathBuf;

use anamne::{Error, ModelImport};

use crate::failure::Failure;
use crate::output::Output;
use crate::place::Place;
use crate::wording::size;

/// Copy an embedding model or a reranker into the store
#[derive(Debug, clap::Args)]
#[command(after_help = "\
DIR is a Model2Vec folder: model.safetensors, tokenizer.json and config.json;
or a cross-encoder for reranking, such as BERT or MiniLM for sequence
classification: model.onnx or onnx/model.onnx (or the only .onnx file there,
8-bit weights included), tokenizer.json and config.json. config.json shows
which. A cross-encoder gives one logit or two for a pair, and has the uncased
BERT tokenizer.

The model must load. Only these files are copied, under their BLAKE3 digests;
models with the same file share it. Links that lead out of DIR are refused.
After an interruption, the store has the former state or the new one.

A folder that was put under models by hand gets a manifest this way, and a
damaged model is repaired by importing it again.

Examples:
  anamne model import ~/Downloads/harbour
  anamne model import ~/Downloads/snapshot --name harbour
  anamne spaces set --model harbour
  anamne model import ~/Downloads/ms-marco --name judge
  anamne spaces set --reranker judge

With --json: {\"name\", \"purpose\": embedding or reranking, \"dimensions\"?,
  \"bytes\", \"bytes_written\", \"replaced\"}")]
pub(super) struct Import {
    /// The folder with the model
    #[arg(value_name = "DIR")]
    folder: PathBuf,
    /// The name in the store; the folder's name if absent
    #[arg(long)]
    name: Option<String>,
    /// Replace a model of this name and kind that has other files; spaces that use it for embedding embed everything again
    #[arg(long)]
    replace: bool,
}

impl Import {
    pub(super) fn run(self, place: &Place, output: &mut Output) -> Result<(), Failure> {
        let import = ModelImport {
            name: self.name,
            replace: self.replace,
        };
        let imported = place
            .store()?
            .import_model(&self.folder, &import)
            .map_err(explained)?;
        if output.is_json() {
            return output.json(&imported);
        }
        let (kind, option) = match imported.dimensions {
            Some(dimensions) => (format!("{dimensions} dimensions"), "--model"),
            None => ("a reranker".to_owned(), "--reranker"),
        };
        output.line(format_args!(
            "imported {}: {kind}, {}",
            imported.name,
            size(imported.bytes)
        ))?;
        output.note(format_args!(
            "use it with `anamne spaces set {option} {}`",
            imported.name
        ));
        Ok(())
    }
}

/// Adds how to import under a taken name.
fn explained(error: Error) -> Failure {
    let is_taken = matches!(error, Error::ModelExists { .. });
    let failure = Failure::from(error);
    if is_taken {
        failure.hint("add --name NAME for another name, or --replace")
    } else {
        failure
    }
}
