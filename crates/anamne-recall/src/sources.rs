//! What a recall reads. It lies below every stage, and knows the views by their traits alone.

use anamne_embed::{Embedder, Reranker, StaticModel, TokenTable};
use anamne_index::latent::LatentIndex;
use anamne_store::SpaceSource;
use anamne_types::Tier;

use crate::past::Past;
use crate::planner::{Experience, Planner};
use crate::views::{Columns, Connections, Disputes, LexicalSearch, Naming, VectorSearch};
use crate::words::Facts;

/// Everything that a recall reads. Views that can't take part are `None`, and named in `degraded`.
pub struct RecallSources<'space> {
    /// The source, for rows, tags and names.
    pub source: &'space SpaceSource,
    /// Search by words; of a `past` those of then too.
    pub lexical: Option<&'space dyn LexicalSearch>,
    /// Search by meaning, likewise.
    pub vectors: Option<&'space dyn VectorSearch>,
    /// What ranking reads of rows, likewise.
    pub columns: Option<&'space dyn Columns>,
    /// What contradicts memories, where that is known.
    pub disputes: Option<&'space dyn Disputes>,
    /// What memories name, where that can be asked.
    pub naming: Option<&'space dyn Naming>,
    /// How the space differs from what it was then, where [`AsOf::known`](anamne_types::AsOf::known) is asked.
    pub past: Option<&'space Past>,
    /// What the space tells together, where that was found out.
    pub latent: Option<&'space LatentIndex>,
    /// How memories hang together, for questions that go deeper than shallow.
    pub connections: Option<&'space dyn Connections>,
    /// What turns the question into a vector.
    pub embedder: &'space dyn Embedder,
    /// What looks at the first results again, where the program brought one.
    pub reranker: Option<&'space dyn Reranker>,
    /// What is known of the space.
    pub facts: &'space Facts,
    /// The tiers, where there are several that may be chosen from or where work is to be counted.
    pub planner: Option<Planner<'space>>,
    /// The tiers within reach with the number of their memories, hottest first.
    pub tiers: Vec<(Tier, usize)>,
    /// What earlier questions taught.
    pub experience: Option<&'space dyn Experience>,
    /// The views that can't take part.
    pub degraded: Vec<String>,
}

impl RecallSources<'_> {
    /// The built-in model's table, if the memories' vectors are made with it.
    pub(crate) fn weighted_table(&self) -> Option<&dyn TokenTable> {
        let builtin = self.embedder.model() == StaticModel::builtin().model();
        builtin.then(|| self.embedder.token_table()).flatten()
    }
}
