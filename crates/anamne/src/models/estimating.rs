//! What embedding a space with another model would take.

use anamne_embed::VectorCache;
use anamne_index::vectors::embedded_texts;
use anamne_llm::{EmbeddingName, Money, Usage};
use anamne_store::view::ChangeFeed;
use anamne_text::tokens::estimate_tokens;
use anamne_types::{InvalidValue, Right, Seq, Tier};
use serde::Serialize;

use super::{Model, remote};
use crate::Error;
use crate::space::Space;

/// Changes read at a time.
const BATCH: usize = 1_024;

/// What embedding all memories of a space with a model takes.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct EmbeddingEstimate {
    /// The model.
    pub model: String,
    /// Texts to embed: one per memory, and one per window of a long one.
    pub texts: u64,
    /// Texts whose vectors are in the cache already.
    pub cached: u64,
    /// Private memories, which are not sent because the model is on another machine.
    pub private: u64,
    /// Estimated tokens of the texts that are sent; 0 for a model that isn't remote.
    pub tokens: u64,
    /// Estimated cost; `None` if the model's price is unknown.
    #[serde(rename = "dollars")]
    pub cost: Option<Money>,
    /// Whether texts are sent to another machine.
    pub leaves_machine: bool,
    /// The shortest time that the limits in `model.toml` allow, in minutes; 0 without limits.
    pub minutes: u64,
}

impl EmbeddingEstimate {
    /// Whether the texts may cost money: they leave this machine, and their price is not known to be zero.
    pub fn may_cost(&self) -> bool {
        self.leaves_machine && self.texts > self.cached && self.cost != Some(Money::default())
    }
}

impl Space {
    /// The full name of an embedding model: of a remote one whose length is not known, with its length.
    ///
    /// Sends one short text in that case, and opens the bridge to the model in every case. [`Error::Denied`] without [`Right::Configure`]; [`Error::Model`] if the model
    /// can't be reached.
    pub fn full_model_name(&self, name: &str) -> Result<String, Error> {
        self.require(Right::Configure)?;
        let models = &self.inner.site.models;
        let Some((remote, bridges)) = models.remote_name(name)? else {
            return Ok(name.to_owned());
        };
        self.refuse_private(&remote)?;
        // Missing approval or a missing key is said now, and not by the first fold.
        bridges.get(&remote)?;
        if remote.length().is_some() {
            return Ok(remote.to_string());
        }
        let length = remote::probed_length(&bridges, &remote, &self.inner.source)?;
        Ok(remote.with_length(length).to_string())
    }

    /// Rejects a model that a private space may not use.
    fn refuse_private(&self, name: &EmbeddingName) -> Result<(), Error> {
        // Its length doesn't matter here, and may be unknown.
        let any = name.clone().with_length(1).to_string();
        let models = &self.inner.site.models;
        models.get_for(&any, Some(&self.inner.source)).map(drop)
    }

    /// What embedding all memories with this model would take. Sends nothing. O(memories).
    pub fn embedding_estimate(&self, name: &str) -> Result<EmbeddingEstimate, Error> {
        self.require(Right::Configure)?;
        let models = &self.inner.site.models;
        let model = models.get_for(name, Some(&self.inner.source))?;
        let mut estimate = EmbeddingEstimate {
            model: name.to_owned(),
            leaves_machine: model.memories.leaves_machine(),
            ..EmbeddingEstimate::default()
        };
        let colder = self.inner.source.colder_tiers()?;
        for tier in std::iter::once(Tier::Active).chain(colder) {
            self.estimate_tier(tier, &model, &mut estimate)?;
        }
        estimate.cost = Some(Money::default());
        if let Some((remote, bridges)) = models.remote_name(name)? {
            let settings = bridges.settings(&remote)?;
            let usage = Usage {
                input_tokens: estimate.tokens,
                output_tokens: 0,
            };
            let price = settings.price_of(&remote.model);
            estimate.cost = match price {
                Some(price) => Some(price.of(usage)),
                None => settings.is_on_this_machine().then(Money::default),
            };
            let per_minute = settings.limits.tokens_per_minute;
            estimate.minutes = estimate.tokens.checked_div(per_minute).unwrap_or(0);
        } else {
            estimate.tokens = 0;
        }
        Ok(estimate)
    }

    fn estimate_tier(
        &self,
        tier: Tier,
        model: &Model,
        estimate: &mut EmbeddingEstimate,
    ) -> Result<(), Error> {
        let source = &self.inner.source;
        let (feed, cache) = (source.feed_of(tier), &self.inner.site.models.cache);
        let mut after = Seq(0);
        loop {
            let changes = feed.since(after, BATCH)?;
            let Some(last) = changes.last() else {
                return Ok(());
            };
            after = last.seq;
            for record in changes.iter().filter_map(|change| change.record.as_ref()) {
                if record.is_private && estimate.leaves_machine {
                    estimate.private += 1;
                    continue;
                }
                let texts = embedded_texts(&record.text);
                // An unreadable cache has nothing.
                let known = if model.memories.is_costly() {
                    cache
                        .get(model.memories.model(), &texts)
                        .unwrap_or_default()
                } else {
                    Vec::new()
                };
                for (place, text) in texts.iter().enumerate() {
                    estimate.texts += 1;
                    if known.get(place).is_some_and(Option::is_some) {
                        estimate.cached += 1;
                    } else {
                        estimate.tokens += estimate_tokens(text) as u64;
                    }
                }
            }
        }
    }
}

/// The error for a remote model of unknown length.
pub(super) fn unknown_length(name: &str) -> Error {
    let accepts = format!("the length of its vectors, which is not known: {name}@768, say");
    Error::from(InvalidValue::new("embedding.model", accepts, name))
}
