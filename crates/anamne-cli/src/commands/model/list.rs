//! `anamne model list`.

use anamne::{ModelKind, ModelPurpose, ModelState, ModelSummary};
use serde_json::json;

use crate::failure::Failure;
use crate::output::{BOLD, DIM, Output, RED, YELLOW, paint};
use crate::place::Place;
use crate::wording::size;

/// List the embedding models and rerankers that spaces can choose
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Shows the built-in model, those of the store, and the remote ones that spaces
are set to, with the dimensions of embedding models, the size, the spaces that
use each, and whether its files or its source are there. `anamne model
verify` reads the files. A folder that was put under models by hand works too,
but has no manifest, so it can't be verified; import it to give it one.

Examples:
  anamne model list
  anamne model list --json

With --json: {\"models\": [{\"name\", \"purpose\": embedding or reranking,
  \"kind\": builtin, imported, folder or remote, \"dimensions\": or null, \"bytes\", \"imported_at\"?, \"spaces\": […], \"state\":
  ready, not_verified or damaged, \"problem\"?}]}")]
pub(super) struct List {}

impl List {
    pub(super) fn run(place: &Place, output: &mut Output) -> Result<(), Failure> {
        let models = place.existing_store()?.models()?;
        if output.is_json() {
            return output.json(&json!({ "models": models }));
        }
        models.iter().try_for_each(|model| print(model, output))
    }
}

fn print(model: &ModelSummary, output: &mut Output) -> Result<(), Failure> {
    output.line(paint(BOLD, &model.name))?;
    output.entry(DIM, "from   ", &origin(model))?;
    let users = if model.spaces.is_empty() {
        "no space".to_owned()
    } else {
        model.spaces.join(", ")
    };
    output.entry(DIM, "used by", &users)?;
    match model.state {
        ModelState::Damaged => output.entry(RED, "problem", &model.problem),
        ModelState::NotVerified => output.entry(YELLOW, "note   ", "not verified: no manifest"),
        _ => Ok(()),
    }
}

/// What it is for if not for embedding, where it comes from, its dimensions and its size.
fn origin(model: &ModelSummary) -> String {
    let mut parts = vec![match (model.kind, model.imported_at) {
        (ModelKind::Builtin, _) => "this program".to_owned(),
        (ModelKind::Imported, Some(at)) => format!("an import of {}", at.strftime("%Y-%m-%d")),
        (ModelKind::Imported, None) => "an import".to_owned(),
        (ModelKind::Remote, _) => "a source in model.toml".to_owned(),
        _ => "a plain folder".to_owned(),
    }];
    if model.purpose == ModelPurpose::Reranking {
        parts.insert(0, "a reranker".to_owned());
    }
    parts.extend(
        model
            .dimensions
            .map(|dimensions| format!("{dimensions} dimensions")),
    );
    if model.bytes > 0 {
        parts.push(size(model.bytes));
    }
    parts.join(", ")
}
