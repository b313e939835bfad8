//! Comparing the files of models with their manifests.

use anamne_embed::Embedder;
use anamne_types::Right;
use serde::Serialize;

use super::format::ModelFormat;
use super::listing::ModelState;
use super::manifest::Manifest;
use super::{Models, check_dimensions};
use crate::Error;
use crate::store::Store;

/// The result of verifying a model.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct ModelVerification {
    /// The model's name.
    pub name: String,
    /// Its state.
    pub state: ModelState,
    /// The total size of its files in bytes, by its manifest; 0 without one.
    pub bytes: u64,
    /// What is damaged.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub problems: Vec<ModelProblem>,
}

/// A damaged file of a model.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct ModelProblem {
    /// Its name in the model, such as `tokenizer.json`; of a plain folder, the folder's name.
    pub file: String,
    /// Its path in the store.
    pub path: String,
    /// What is wrong with it.
    pub problem: String,
}

impl ModelVerification {
    /// Whether nothing is damaged. A plain folder that loads is sound, though nothing says what it should contain.
    pub fn is_sound(&self) -> bool {
        self.problems.is_empty()
    }
}

impl Store {
    /// Verifies the named model of the store, or all: reads every file and compares it with the digest in the manifest.
    /// A plain folder has none, so it is only loaded. Changes nothing. O(bytes of the models).
    ///
    /// [`Error::Denied`] without [`Right::Configure`], [`Error::Nothing`] if the store has no such model. A model
    /// that a newer version imported is an error of its own if it was named, else a problem.
    pub fn verify_models(&self, name: Option<&str>) -> Result<Vec<ModelVerification>, Error> {
        self.require(Right::Configure)?;
        if let Some(name) = name {
            self.models.check_there(name)?;
            return Ok(vec![self.models.verify(name)?]);
        }
        let names = self.models.library.names();
        let verify = |name: &String| match self.models.verify(name) {
            Ok(verified) => verified,
            Err(error) => self.models.unreadable(name, &error),
        };
        Ok(names.iter().map(verify).collect())
    }
}

impl Models {
    fn verify(&self, name: &str) -> Result<ModelVerification, Error> {
        let library = &self.library;
        let verified = library.settled(name, |manifest| match manifest {
            Some(manifest) => match self.problems_of(manifest)? {
                problems if problems.is_empty() => Ok(ModelVerification {
                    name: name.to_owned(),
                    state: ModelState::Ready,
                    bytes: manifest.bytes(),
                    problems,
                }),
                problems => Err(Found::Damage(ModelVerification {
                    name: name.to_owned(),
                    state: ModelState::Damaged,
                    bytes: manifest.bytes(),
                    problems,
                })),
            },
            None => self.verify_plain(name).map_err(Found::Error),
        });
        match verified {
            Ok(verified) | Err(Found::Damage(verified)) => Ok(verified),
            Err(Found::Error(error @ Error::Model { .. })) => Ok(self.unreadable(name, &error)),
            Err(Found::Error(error)) => Err(error),
        }
    }

    fn verify_plain(&self, name: &str) -> Result<ModelVerification, Error> {
        match ModelFormat::of_folder(&self.library.folder_of(name)) {
            ModelFormat::Model2vec => {
                let dimensions = self.library.load(name)?.dimensions();
                check_dimensions(dimensions).map_err(|source| Error::Model {
                    name: name.to_owned(),
                    source,
                })?;
            }
            ModelFormat::CrossEncoder => drop(self.library.load_reranker(name)?),
        }
        Ok(ModelVerification {
            name: name.to_owned(),
            state: ModelState::NotVerified,
            bytes: 0,
            problems: Vec::new(),
        })
    }

    fn problems_of(&self, manifest: &Manifest) -> Result<Vec<ModelProblem>, Error> {
        let mut problems = Vec::new();
        for file in &manifest.files {
            if let Some(problem) = self.library.problem_of(file)? {
                problems.push(ModelProblem {
                    file: file.name.clone(),
                    path: self.library.path_of(file).display().to_string(),
                    problem,
                });
            }
        }
        Ok(problems)
    }

    /// A model that can't be read is damaged as a whole.
    fn unreadable(&self, name: &str, error: &Error) -> ModelVerification {
        ModelVerification {
            name: name.to_owned(),
            state: ModelState::Damaged,
            bytes: 0,
            problems: vec![ModelProblem {
                file: name.to_owned(),
                path: self.library.folder_of(name).display().to_string(),
                problem: error.to_string(),
            }],
        }
    }
}

/// Why a verification is repeated if the manifest changed meanwhile.
enum Found {
    Damage(ModelVerification),
    Error(Error),
}

impl From<Error> for Found {
    fn from(error: Error) -> Self {
        Self::Error(error)
    }
}
