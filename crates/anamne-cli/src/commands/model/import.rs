//! `anamne model import`.

use std::path::PathBuf;

use anamne::{Error, ModelImport};

use crate::failure::Failure;
use crate::output::Output;
use crate::place::Place;
use crate::wording::size;

/// Copy an embedding model into the store
#[derive(Debug, clap::Args)]
#[command(after_help = "\
DIR is a Model2Vec folder: model.safetensors, tokenizer.json and config.json.
The model must load. Only these files are copied, under their BLAKE3 digests;
models with the same file share it. Links that lead out of DIR are refused.
After an interruption, the store has the former state or the new one.

A folder that was put under models by hand gets a manifest this way, and a
damaged model is repaired by importing it again.

Examples:
  anamne model import ~/Downloads/harbour
  anamne model import ~/Downloads/snapshot --name harbour
  anamne spaces set --model harbour

With --json: {\"name\", \"dimensions\", \"bytes\", \"bytes_written\", \"replaced\"}")]
pub(super) struct Import {
    /// The folder with the model
    #[arg(value_name = "DIR")]
    folder: PathBuf,
    /// The name in the store; the folder's name if absent
    #[arg(long)]
    name: Option<String>,
    /// Replace a model of this name that has other files; spaces that use it embed everything again
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
        output.line(format_args!(
            "imported {}: {} dimensions, {}",
            imported.name,
            imported.dimensions,
            size(imported.bytes)
        ))?;
        output.note(format_args!(
            "use it with `anamne spaces set --model {}`",
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
