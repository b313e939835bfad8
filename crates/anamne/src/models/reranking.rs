//! The rerankers of a store: loaded on first use, and again after changes.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};

use anamne_embed::{CrossEncoder, Reranker};

use super::Models;
use super::format::ModelFormat;
use super::library::ModelStamp;
use crate::Error;

/// The loaded rerankers by name; `None` for one that can't be loaded as it is.
pub(super) type LoadedRerankers = Mutex<HashMap<String, (ModelStamp, Option<Arc<CrossEncoder>>)>>;

impl Models {
    /// The reranker called `name` in the settings. It is read once per process, and again after changes.
    ///
    /// [`Error::UnknownReranker`] if there is none, [`Error::Model`] if it can't be loaded, [`Error::OtherPurpose`] if it is
    /// an embedding model.
    pub(crate) fn reranker(&self, name: &str) -> Result<Arc<dyn Reranker>, Error> {
        let mut loaded = self
            .rerankers
            .lock()
            .unwrap_or_else(PoisonError::into_inner);
        // Stamped before reading, so that later changes are noticed.
        let stands = self.library.stamp(name, ModelFormat::CrossEncoder);
        if let Some((known, Some(reranker))) = loaded.get(name)
            && *known == stands
        {
            return Ok(reranker.clone());
        }
        let read = self.read_reranker(name).map(Arc::new);
        let found = read.as_ref().ok().cloned();
        loaded.insert(name.to_owned(), (stands, found));
        Ok(read?)
    }

    /// Like [`Models::reranker`], for queries: one that can't be loaded is not read again until it changes.
    pub(crate) fn usable_reranker(&self, name: &str) -> Option<Arc<dyn Reranker>> {
        let is_broken = {
            let loaded = self
                .rerankers
                .lock()
                .unwrap_or_else(PoisonError::into_inner);
            let stands = self.library.stamp(name, ModelFormat::CrossEncoder);
            let known = loaded.get(name);
            known.is_some_and(|(known, found)| *known == stands && found.is_none())
        };
        if is_broken {
            return None;
        }
        self.reranker(name).ok()
    }

    fn read_reranker(&self, name: &str) -> Result<CrossEncoder, Error> {
        if !self.library.has(name) {
            let mut known = self.library.names();
            known.retain(|name| self.library.kind_of(name) == Some(ModelFormat::CrossEncoder));
            return Err(Error::UnknownReranker {
                name: name.to_owned(),
                known: known.join(", "),
            });
        }
        self.library.load_reranker(name)
    }
}
