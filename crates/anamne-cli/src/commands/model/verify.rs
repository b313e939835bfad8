//! `anamne model verify`.

use anamne::{ModelState, ModelVerification, NextStep, Store};
use serde_json::{Value, json};

use crate::failure::Failure;
use crate::next_step;
use crate::output::{BOLD, GREEN, Output, RED, YELLOW, paint};
use crate::place::Place;
use crate::wording::size;

/// Compare the files of embedding models and rerankers with their manifests
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Reads every file of the named model, or of all models of the store, and
compares it with the digest in the manifest. A folder without a manifest is
only loaded. Changes nothing. Exit code 1 means that a model is damaged: import
it again.

Examples:
  anamne model verify
  anamne model verify harbour --json

With --json: {\"sound\", \"models\": [{\"name\", \"state\": ready, not_verified or
  damaged, \"bytes\", \"problems\"?: [{\"file\", \"path\", \"problem\"}]}],
  \"next_steps\": […], \"hints\": […]}")]
pub(super) struct Verify {
    /// The model; all models of the store if absent
    name: Option<String>,
}

impl Verify {
    pub(super) fn run(self, place: &Place, output: &mut Output) -> Result<(), Failure> {
        let found = VerifiedModels::of(&place.existing_store()?, self.name.as_deref())?;
        if output.is_json() {
            output.json(&found.as_json())?;
        } else {
            found.print(output)?;
        }
        if found.are_sound() {
            Ok(())
        } else {
            Err(Failure::Reported)
        }
    }
}

/// The verified models of a store.
pub(crate) struct VerifiedModels(Vec<ModelVerification>);

impl VerifiedModels {
    /// Verifies the named model, or all.
    pub(crate) fn of(store: &Store, name: Option<&str>) -> Result<Self, Failure> {
        let verified = store.verify_models(name);
        let listed = |error| Failure::from(error).listed_by("anamne model list");
        verified.map(Self).map_err(listed)
    }

    /// Whether nothing is damaged.
    pub(crate) fn are_sound(&self) -> bool {
        self.0.iter().all(ModelVerification::is_sound)
    }

    fn next_steps(&self) -> Vec<NextStep> {
        let is_damaged = !self.are_sound();
        is_damaged
            .then_some(NextStep::ImportModel)
            .into_iter()
            .collect()
    }

    /// The value for `--json`.
    pub(crate) fn as_json(&self) -> Value {
        next_step::worded(&json!({
            "sound": self.are_sound(),
            "models": self.0,
            "next_steps": self.next_steps(),
        }))
    }

    /// Prints each model with its problems, and the next step.
    pub(crate) fn print(&self, output: &mut Output) -> Result<(), Failure> {
        for found in &self.0 {
            output.line(paint(BOLD, &found.name))?;
            match found.state {
                ModelState::Ready => {
                    let verified = format!("{} as imported", size(found.bytes));
                    output.entry(GREEN, "well   ", &verified)?;
                }
                ModelState::NotVerified => {
                    output.entry(YELLOW, "note   ", "not verified: no manifest; it loads")?;
                }
                _ => {}
            }
            for problem in &found.problems {
                let said = format!("{}: {} ({})", problem.file, problem.problem, problem.path);
                output.entry(RED, "problem", &said)?;
            }
        }
        next_step::print(&self.next_steps(), output)
    }
}
