//! Remote embedding models: asked in the background, in batches, within the limits of the bridge.
//!
//! No write and no catch-up waits for them: what the cache doesn't have is embedded by the next fold of the vectors.
//! A query asks for its own vector before it begins, for a bounded time, see [`super::questions`].

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use anamne_embed::{EmbedError, Embedder, ModelIdentity};
use anamne_llm::{
    Bridge, BridgeConfig, BridgeError, Budgets, Call, EmbeddingName, EmbeddingSources, Purpose,
};
use anamne_store::{SpaceBudgets, SpaceSource};

/// The revision of all remote models: their makers give a changed model another name.
const REVISION: &str = "1";

/// A text that every model accepts.
const PROBE: &str = "a short text";

/// The length to which a text that the model refuses is cut at last, in bytes.
const SHORTEST_CUT: usize = 64;

/// The bridges of a store to remote models, each opened at its first use and shared by all spaces.
pub(crate) struct Bridges {
    sources: Arc<dyn EmbeddingSources>,
    open: Mutex<HashMap<EmbeddingName, Arc<Bridge>>>,
    /// Whether work can wait for a provider that can't be reached: in the background, not before a command ends.
    is_patient: bool,
}

impl Bridges {
    pub(crate) fn new(sources: Arc<dyn EmbeddingSources>, is_patient: bool) -> Self {
        Self {
            sources,
            open: Mutex::default(),
            is_patient,
        }
    }

    /// Whether work can wait for a provider that can't be reached.
    pub(crate) fn is_patient(&self) -> bool {
        self.is_patient
    }

    /// The bridge to a model.
    pub(crate) fn get(&self, name: &EmbeddingName) -> Result<Arc<Bridge>, BridgeError> {
        if let Some(bridge) = self.opened(name) {
            return Ok(bridge);
        }
        // Not under the lock: a keychain may wait for a person.
        let bridge = Arc::new(self.sources.open(name)?);
        let mut open = self.open.lock().unwrap_or_else(PoisonError::into_inner);
        Ok(open.entry(name.clone()).or_insert(bridge).clone())
    }

    fn opened(&self, name: &EmbeddingName) -> Option<Arc<Bridge>> {
        let open = self.open.lock().unwrap_or_else(PoisonError::into_inner);
        open.get(name).cloned()
    }

    /// The settings that apply to a model. Reads no key.
    pub(crate) fn settings(&self, name: &EmbeddingName) -> Result<BridgeConfig, BridgeError> {
        match self.opened(name) {
            Some(bridge) => Ok(bridge.config().clone()),
            None => self.sources.settings(name),
        }
    }
}

/// The budgets of a space as the ledger takes them.
pub(crate) fn budgets(of_space: &SpaceBudgets) -> Budgets {
    Budgets {
        daily_dollars: of_space.daily_dollars,
        monthly_dollars: of_space.monthly_dollars,
        daily_tokens: of_space.daily_tokens,
        monthly_tokens: of_space.monthly_tokens,
    }
}

/// A remote model, for one space.
pub(crate) struct RemoteModel {
    pub(super) name: EmbeddingName,
    identity: ModelIdentity,
    dimensions: usize,
    bridges: Arc<Bridges>,
    /// The space that its costs are booked to; without one nothing is sent.
    pub(super) space: Option<Arc<SpaceSource>>,
    /// The last text that the model refused.
    problem: Mutex<Option<String>>,
}

/// Asks for the vectors of texts.
type Ask<'a> = dyn Fn(&[&str]) -> Result<Vec<Vec<f32>>, BridgeError> + 'a;

impl RemoteModel {
    /// The model with this name, which has a length. Sends nothing.
    pub(super) fn new(
        name: EmbeddingName,
        dimensions: usize,
        bridges: Arc<Bridges>,
        space: Option<Arc<SpaceSource>>,
    ) -> Self {
        // With its length: vectors of different lengths can't be compared.
        let whole = name.clone().with_length(dimensions).to_string();
        Self {
            identity: ModelIdentity::new(whole, REVISION),
            name,
            dimensions,
            bridges,
            space,
            problem: Mutex::default(),
        }
    }

    /// Whether it can be asked in asynchronous batches.
    pub(crate) fn has_batches(&self) -> Result<bool, BridgeError> {
        Ok(self.bridges.get(&self.name)?.batches().is_some())
    }

    /// The part of a text that is sent.
    pub(crate) fn sent<'text>(&self, text: &'text str) -> &'text str {
        beginning(text, self.name.longest_text())
    }

    /// A vector as the model returned it, at the length and in the form that is stored.
    pub(crate) fn fitted(&self, vector: Vec<f32>) -> Result<Vec<f32>, BridgeError> {
        self.name.fitted(vector)
    }

    /// The last problem with a text; returned once.
    pub(super) fn take_error(&self) -> Option<String> {
        let mut problem = self.problem.lock().unwrap_or_else(PoisonError::into_inner);
        problem.take()
    }

    /// Why this space may not use the model; `None` if it may.
    pub(super) fn refusal(&self) -> Option<String> {
        let space = self.space.as_ref()?;
        let is_kept_back = space.config().guard.private && self.leaves_machine();
        is_kept_back.then(|| {
            "the space is private (guard.private), so its texts and queries stay on this machine".to_owned()
        })
    }

    /// The vectors of `texts` at unit length; of a blank text, and of one that the model refuses, zero.
    ///
    /// `longest` is the time that somebody waits; `None` in the background.
    pub(super) fn embed(
        &self,
        texts: &[&str],
        purpose: Purpose,
        longest: Option<Duration>,
    ) -> Result<Vec<Vec<f32>>, EmbedError> {
        if let Some(refusal) = self.refusal() {
            return Err(self.unavailable(refusal));
        }
        let Some(space) = &self.space else {
            return Err(self.unavailable("no space asks for it".to_owned()));
        };
        let bridge = self.bridges.get(&self.name);
        let bridge = bridge.map_err(|error| self.unavailable(error.to_string()))?;
        let budgets = budgets(&space.config().budgets);
        let mut call = Call::of(space.name().as_str()).within_budgets(&budgets);
        if longest.is_some() || !self.bridges.is_patient {
            call = call.waited_for(longest);
        }
        let ask = |texts: &[&str]| {
            let vectors = bridge.embed(&call, texts, purpose)?.vectors.into_iter();
            vectors.map(|vector| self.name.fitted(vector)).collect()
        };
        let told: Vec<&str> = texts
            .iter()
            .filter(|text| !text.trim().is_empty())
            .map(|text| self.sent(text))
            .collect();
        let vectors = if told.is_empty() {
            Vec::new()
        } else {
            let vectors = self.vectors(&ask, &told, false);
            vectors.map_err(|error| self.unavailable(error.to_string()))?
        };
        let mut vectors = vectors.into_iter();
        let zero = || vec![0.0; self.dimensions];
        let vector = |text: &&str| match text.trim() {
            "" => zero(),
            _ => vectors.next().unwrap_or_else(zero),
        };
        Ok(texts.iter().map(vector).collect())
    }

    /// The vectors of texts. If the model refuses the request, the texts are tried in halves, and a single one is cut:
    /// its tokens may be shorter than usual. `is_probed` if the model accepts other texts.
    fn vectors(
        &self,
        ask: &Ask<'_>,
        texts: &[&str],
        is_probed: bool,
    ) -> Result<Vec<Vec<f32>>, BridgeError> {
        let error = match ask(texts) {
            Err(error) if is_about_texts(&error) => error,
            answered => return answered,
        };
        if !is_probed && ask(&[PROBE]).is_err() {
            return Err(error);
        }
        if let [text] = texts {
            if text.len() > SHORTEST_CUT {
                let half = beginning(text, text.len() / 2);
                return self.vectors(ask, &[half], true);
            }
            let problem = format!(
                "{} refused a text, which has no vector now: {error}",
                self.name
            );
            *self.problem.lock().unwrap_or_else(PoisonError::into_inner) = Some(problem);
            return Ok(vec![vec![0.0; self.dimensions]]);
        }
        let (first, rest) = texts.split_at(texts.len() / 2);
        let mut vectors = self.vectors(ask, first, true)?;
        vectors.append(&mut self.vectors(ask, rest, true)?);
        Ok(vectors)
    }

    pub(super) fn unavailable(&self, problem: String) -> EmbedError {
        EmbedError::Unavailable {
            model: self.name.to_string(),
            problem,
        }
    }
}

/// Asks a model for the length of its vectors.
pub(crate) fn probed_length(
    bridges: &Bridges,
    name: &EmbeddingName,
    space: &SpaceSource,
) -> Result<usize, BridgeError> {
    let budgets = budgets(&space.config().budgets);
    let call = Call::of(space.name().as_str()).within_budgets(&budgets);
    let call = call.waited_for(None);
    let embedded = bridges.get(name)?.embed(&call, &[PROBE], Purpose::Memory)?;
    let vector = embedded.vectors.into_iter().next().unwrap_or_default();
    Ok(name.fitted(vector)?.len())
}

/// Whether a request was refused for what it contains.
fn is_about_texts(error: &BridgeError) -> bool {
    matches!(
        error,
        BridgeError::Status {
            status: 400 | 413 | 422,
            ..
        }
    )
}

/// The beginning of a text, of at most `most` bytes.
fn beginning(text: &str, most: usize) -> &str {
    &text[..text.floor_char_boundary(most)]
}

impl Embedder for RemoteModel {
    fn model(&self) -> &ModelIdentity {
        &self.identity
    }

    fn dimensions(&self) -> usize {
        self.dimensions
    }

    fn embed_into(&self, text: &str, vector: &mut [f32]) -> Result<(), EmbedError> {
        let found = self.embed_batch(&[text])?;
        if found.len() != vector.len() {
            return Err(EmbedError::VectorLength {
                expected: found.len(),
                found: vector.len(),
            });
        }
        vector.copy_from_slice(&found);
        Ok(())
    }

    fn embed_batch(&self, texts: &[&str]) -> Result<Vec<f32>, EmbedError> {
        Ok(self.embed(texts, Purpose::Memory, None)?.concat())
    }

    fn embed_at_hand(&self, texts: &[&str]) -> Result<Vec<Option<Vec<f32>>>, EmbedError> {
        Ok(vec![None; texts.len()])
    }

    fn is_remote(&self) -> bool {
        true
    }

    /// Unknown settings count as another machine.
    fn leaves_machine(&self) -> bool {
        let settings = self.bridges.settings(&self.name);
        !settings.is_ok_and(|config| config.is_on_this_machine())
    }
}
