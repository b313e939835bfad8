//! The sources of a recall. They don't depend on any stage, and know views only by their traits.

use std::collections::BTreeSet;
use std::sync::{Mutex, PoisonError};

use anamne_embed::{Embedder, Reranker, StaticModel, TokenTable};
use anamne_index::latent::LatentIndex;
use anamne_store::SpaceSource;
use anamne_types::{Row, Tier};

use crate::observing::RecallObserver;
use crate::past::Past;
use crate::planner::{Planner, PlannerHistory};
use crate::second_look::Forest;
use crate::views::{Columns, Connections, Disputes, EntityNames, LexicalSearch, VectorSearch};
use crate::words::SpaceProfile;

/// Listed as degraded if the knowledge graph is unavailable or incomplete.
pub(crate) const KNOWLEDGE: &str = "knowledge";

/// Everything that a recall reads. Unavailable views are `None` and listed in `degraded`.
pub struct RecallSources<'space> {
    /// The source, for rows, tags and names.
    pub source: &'space SpaceSource,
    /// Lexical search; with `past`, including earlier states.
    pub lexical: Option<&'space dyn LexicalSearch>,
    /// Vector search, likewise.
    pub vectors: Option<&'space dyn VectorSearch>,
    /// The columns, likewise.
    pub columns: Option<&'space dyn Columns>,
    /// Contradictions, if known.
    pub disputes: Option<&'space dyn Disputes>,
    /// Entity names, if available.
    pub naming: Option<&'space dyn EntityNames>,
    /// How the space differed at the time of [`AsOf::known`](anamne_types::AsOf::known).
    pub past: Option<&'space Past>,
    /// The latent index, if it exists.
    pub latent: Option<&'space LatentIndex>,
    /// Links and relations, for depths beyond shallow.
    pub connections: Option<&'space dyn Connections>,
    /// Embeds the query.
    pub embedder: &'space dyn Embedder,
    /// Reranks the first results, if the program provides a model or the space has chosen one.
    pub reranker: Option<&'space dyn Reranker>,
    /// The trees of the second look: [`Forest::fitted`], except in measurements.
    pub forest: &'space Forest,
    /// Authors and latest time of the space.
    pub facts: &'space SpaceProfile,
    /// The planner, if there are several tiers to choose from or work is to be counted.
    pub planner: Option<Planner<'space>>,
    /// The tiers in scope with their number of memories, hottest first.
    pub tiers: Vec<(Tier, usize)>,
    /// The log of earlier queries.
    pub experience: Option<&'space dyn PlannerHistory>,
    /// The unavailable views.
    pub degraded: Vec<String>,
    /// Rows that turn out to be damaged in both copies; empty at first.
    pub damaged: Mutex<BTreeSet<Row>>,
    /// Observes the stages, if the program wants to.
    pub observer: Option<&'space dyn RecallObserver>,
}

impl RecallSources<'_> {
    /// Whether a memory was left out because it is damaged in both copies.
    pub(crate) fn has_met_damage(&self) -> bool {
        let damaged = self.damaged.lock().unwrap_or_else(PoisonError::into_inner);
        !damaged.is_empty()
    }

    /// The token table of the built-in model, if the memories' vectors were made with it.
    pub(crate) fn weighted_table(&self) -> Option<&dyn TokenTable> {
        let builtin = self.embedder.model() == StaticModel::builtin().model();
        builtin.then(|| self.embedder.token_table()).flatten()
    }
}
