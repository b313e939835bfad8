//! The list of models.

use std::fs;

use anamne_llm::EmbeddingName;
use anamne_store::EmbeddingConfig;
use jiff::Timestamp;
use serde::Serialize;

use super::format::{ModelFormat, ModelPurpose};
use super::{Model, Models};
use crate::Error;
use crate::store::Store;

/// A model that spaces can choose.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct ModelSummary {
    /// The name that spaces use in their settings.
    pub name: String,
    /// What it is for.
    pub purpose: ModelPurpose,
    /// Where it comes from.
    pub kind: ModelKind,
    /// The length of its vectors; `None` for a reranker, and for a plain folder, which would have to be loaded.
    pub dimensions: Option<usize>,
    /// The total size of its files in bytes; 0 if it is not in the store.
    pub bytes: u64,
    /// When it was imported.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub imported_at: Option<Timestamp>,
    /// The readable spaces that are set to it, or have vectors of it in use.
    pub spaces: Vec<String>,
    /// Its state, as far as can be seen without reading its files.
    pub state: ModelState,
    /// What is damaged; empty if nothing is.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub problem: String,
}

/// Where a model comes from.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum ModelKind {
    /// Compiled into the engine.
    Builtin,
    /// Provided by the program.
    Provided,
    /// Imported into the store, with a manifest.
    Imported,
    /// A plain folder of the store.
    Folder,
    /// On another machine, or served by another program, through a source of `model.toml`.
    Remote,
}

/// The state of a model.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum ModelState {
    /// Nothing is damaged.
    Ready,
    /// It can't be verified, because it has no manifest.
    NotVerified,
    /// A file or the manifest is damaged or missing, or no source serves the remote model.
    Damaged,
}

impl Store {
    /// The models that settings accept, the built-in one first, the others by name; then the remote ones that readable
    /// spaces are set to, by name. Reads manifests and settings; loads no model, sends nothing, and opens no space.
    pub fn models(&self) -> Result<Vec<ModelSummary>, Error> {
        let mut summaries = self.models.summaries();
        for (space, models) in self.users_of_models()? {
            if !self.scope.may_read(&space) {
                continue;
            }
            for name in models {
                if let Some(known) = summaries.iter_mut().find(|known| known.name == name) {
                    known.spaces.push(space.clone());
                } else if let Some(mut remote) = self.models.remote_summary(&name) {
                    remote.spaces.push(space.clone());
                    summaries.push(remote);
                }
            }
        }
        let of_store = summaries.partition_point(|summary| summary.kind != ModelKind::Remote);
        summaries[of_store..].sort_by(|a, b| a.name.cmp(&b.name));
        Ok(summaries)
    }
}

impl ModelSummary {
    fn new(name: &str, kind: ModelKind, dimensions: Option<usize>) -> Self {
        Self {
            name: name.to_owned(),
            purpose: ModelPurpose::Embedding,
            kind,
            dimensions,
            bytes: 0,
            imported_at: None,
            spaces: Vec::new(),
            state: ModelState::Ready,
            problem: String::new(),
        }
    }

    fn damaged(self, problem: String) -> Self {
        Self {
            state: ModelState::Damaged,
            problem,
            ..self
        }
    }
}

impl Models {
    fn summaries(&self) -> Vec<ModelSummary> {
        let names = self.names();
        names.iter().map(|name| self.summary(name)).collect()
    }

    /// A remote model by its name in settings; damaged if no source serves it. `None` for another name.
    fn remote_summary(&self, name: &str) -> Option<ModelSummary> {
        let remote: EmbeddingName = name.parse().ok()?;
        let summary = ModelSummary::new(name, ModelKind::Remote, remote.length());
        let problem = match &self.bridges {
            Some(bridges) => bridges
                .settings(&remote)
                .err()
                .map(|error| error.to_string()),
            None => Some("this program has no sources of embeddings".to_owned()),
        };
        Some(match problem {
            Some(problem) => summary.damaged(problem),
            None => summary,
        })
    }

    fn summary(&self, name: &str) -> ModelSummary {
        if name == EmbeddingConfig::BUILTIN {
            let dimensions = Model::builtin().questions.dimensions();
            return ModelSummary::new(name, ModelKind::Builtin, Some(dimensions));
        }
        if let Some(brought) = self.brought.iter().find(|one| one.model().name == name) {
            return ModelSummary::new(name, ModelKind::Provided, Some(brought.dimensions()));
        }
        match self.library.manifest(name) {
            Ok(Some(manifest)) => {
                let summary = ModelSummary {
                    purpose: manifest.kind.purpose(),
                    bytes: manifest.bytes(),
                    imported_at: Some(manifest.imported_at),
                    ..ModelSummary::new(name, ModelKind::Imported, manifest.dimensions)
                };
                let mut files = manifest.files.iter();
                let problem = files.find_map(|file| {
                    let problem = self.library.visible_problem_of(file)?;
                    Some(format!("{}: {problem}", file.name))
                });
                match problem {
                    Some(problem) => summary.damaged(problem),
                    None => summary,
                }
            }
            Ok(None) => self.plain_summary(name),
            Err(error) => {
                ModelSummary::new(name, ModelKind::Imported, None).damaged(error.to_string())
            }
        }
    }

    fn plain_summary(&self, name: &str) -> ModelSummary {
        let folder = self.library.folder_of(name);
        let format = ModelFormat::of_folder(&folder);
        let length = |file: &str| fs::metadata(folder.join(file)).map(|found| found.len());
        let lengths = format.files().map(|(file, _)| (file, length(file)));
        let missing = lengths.iter().find(|(_, length)| length.is_err());
        let summary = ModelSummary {
            purpose: format.purpose(),
            state: ModelState::NotVerified,
            bytes: lengths.iter().flat_map(|(_, length)| length).sum(),
            ..ModelSummary::new(name, ModelKind::Folder, None)
        };
        match missing {
            Some((file, Err(error))) => {
                let problem = format!("{file}: {error}");
                summary.damaged(problem)
            }
            _ => summary,
        }
    }
}
